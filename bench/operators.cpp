// The operators of a multigrid cycle, explored one after the other, as a Markdown table: against plain loops, against the
// traffic that each needs, fused operators against their parts, the thesis's prolongation against ours.
//   bench_operators [--budget SECONDS] [--box N] [--boxes B] [--types f64,f32] [--only TEXT]
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "ir/error.hpp"
#include "tuning/explore.hpp"

using namespace lift;

namespace {

struct Case {
  std::string pattern;
  std::map<std::string, std::string> choices = {};
  std::string boundary = "ghost";
  std::string name() const {
    std::string s = pattern + (boundary == "ghost" ? "" : " " + boundary);
    for (const auto& [key, value] : choices) s += " " + key + "=" + value;
    return s;
  }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"smooth3d", {{"smoother", "gsrb"}}},
      {"smooth3d", {{"smoother", "jacobi"}}},
      {"smooth3d", {{"smoother", "jacobi"}, {"coefficients", "constant"}}},
      {"smooth3d", {{"smoother", "chebyshev"}}},
      {"smooth3d", {{"smoother", "symmetric-gsrb"}}},
      {"smooth3d", {{"smoother", "jacobi"}, {"coefficients", "constant"}, {"stencil", "wide"}}},
      {"smooth3d", {{"smoother", "jacobi"}, {"coefficients", "constant"}, {"stencil", "box"}}},
      {"apply3d"},
      {"residual3d"},
      {"residual3d", {}, "periodic"},
      {"lambda3d"},
      {"restriction3d"},
      {"restriction3d", {{"kind", "full_weighting"}}},
      {"prolongation3d", {{"kind", "constant"}}},
      {"prolongation3d", {{"kind", "constant"}, {"mode", "increment"}}},
      {"prolongation3d", {{"kind", "linear"}}},
      {"prolongation3d", {{"kind", "linear"}, {"mode", "increment"}}},
      {"prolongation3d", {{"form", "thesis"}}},
      {"residual_restriction3d"},
      {"residual_restriction3d", {{"keep", "yes"}}},
      {"residual_norm3d"},
      {"norm3d", {{"kind", "max"}}},
      {"norm3d", {{"kind", "l2"}}},
      {"dot3d"},
      {"axpy3d"},
      {"scale3d"},
  };
  return all;
}

struct Row {
  double twin = 0, plain = 0, caller = 0, any = 0;
  std::size_t characters = 0;
};

Row row_of(const ExploreResult& r) {
  Row row;
  row.twin = r.twin_ms;
  if (r.baseline) row.plain = r.rivals[*r.baseline].ms;
  if (r.best_caller) row.caller = r.variants[*r.best_caller].ms;
  if (r.best) row.any = r.variants[*r.best].ms, row.characters = r.variants[r.best_caller.value_or(*r.best)].source.size();
  return row;
}

std::string number(double v, const char* format = "{:.3g}") { return v > 0 ? fmt::format(fmt::runtime(format), v) : "-"; }
std::string ratio(double a, double b) { return a > 0 && b > 0 ? fmt::format("{:.2f}", a / b) : "-"; }

void print(const std::string& name, const Row& r, const ExploreResult& e) {
  const std::string best = e.best_caller ? e.variants[*e.best_caller].name : "-";
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} / {} | {} |\n", name, number(r.twin), number(r.plain), number(r.caller), number(r.any), ratio(r.plain, r.caller),
             ratio(r.plain, r.any), ratio(r.twin, r.caller), r.characters, e.counts.timed, e.counts.wrong, best);
  std::fflush(stdout);
}

void compare(const std::string& what, const std::map<std::string, Row>& rows, const std::vector<std::string>& parts, const std::string& whole) {
  double sum = 0;
  for (const std::string& part : parts) {
    const auto at = rows.find(part);
    if (at == rows.end() || at->second.caller == 0) return;
    sum += at->second.caller;
  }
  const auto at = rows.find(whole);
  if (at != rows.end() && at->second.caller > 0) fmt::print("- {}: {:.3g} ms against {:.3g} ms, {:.2f}x\n", what, at->second.caller, sum, sum / at->second.caller);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The operators of a multigrid cycle, one after the other"};
  ExploreOptions options;
  options.budget_seconds = 20, options.rivals = false;
  std::int64_t box = 256, boxes = 1;
  std::vector<std::string> types{"f64", "f32"}, only;
  app.add_option("--budget", options.budget_seconds, "seconds an operator")->capture_default_str();
  app.add_option("--box", box, "cells a dimension")->capture_default_str();
  app.add_option("--boxes", boxes)->capture_default_str();
  app.add_option("--types", types)->delimiter(',')->check(CLI::IsMember({"f64", "f32"}))->capture_default_str();
  app.add_option("--only", only, "operators whose name and choices contain one of these")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  int wrong = 0;
  try {
    for (const std::string& type : types) {
      fmt::print("\n{} x {}^3 {}: medians in ms of one application, measured in turns. plain: the better of with and without omp simd. twin: the same traffic, next to no arithmetic.\n\n"
                 "| operator | twin | plain | caller's layout | any layout | caller/plain | any/plain | roofline caller | characters | timed / wrong | best in the caller's layout |\n"
                 "|---|---|---|---|---|---|---|---|---|---|---|\n", boxes, box, type);
      std::map<std::string, Row> rows;
      for (const Case& c : cases()) {
        const std::string name = c.name();
        if (!only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& o) { return name.find(o) != std::string::npos; })) continue;
        Problem problem;
        problem.box = box, problem.boxes = boxes, problem.type = type == "f32" ? f32 : f64, problem.boundary = c.boundary, problem.choices = c.choices;
        if (const auto stencil = c.choices.find("stencil"); stencil != c.choices.end() && stencil->second == "wide") problem.ghost = 2;
        try {
          const ExploreResult r = explore(find_pattern(c.pattern), problem, options);
          print(name, rows[name] = row_of(r), r);
          wrong += r.counts.wrong;
          if (r.interrupted) return 1;
        } catch (const UserError& e) {
          fmt::print("| {} | {} |\n", name, e.what());
          ++wrong;
        }
      }
      fmt::print("\n");
      compare("residual and restriction fused, against the two kernels", rows, {"residual3d", "restriction3d"}, "residual_restriction3d");
      compare("the same with the residual kept", rows, {"residual3d", "restriction3d"}, "residual_restriction3d keep=yes");
      compare("norm of the residual fused, against the two kernels", rows, {"residual3d", "norm3d kind=max"}, "residual_norm3d");
      compare("the thesis's prolongation, against ours", rows, {"prolongation3d kind=linear"}, "prolongation3d form=thesis");
    }
  } catch (const EnvironmentError& e) {
    fmt::print(stderr, "bench_operators: {}\n", e.what());
    return 3;
  }
  return wrong > 0;
}
