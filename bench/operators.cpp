// The operators of a multigrid cycle, explored one after the other, as a Markdown table: against plain loops,
// against the traffic that each needs, fused operators against their parts, the thesis's prolongation against
// ours. With --backend opencl: the best OpenCL kernel beside the best OpenMP kernel, measured in turns in the
// same run, and one work-item a cell.
//   bench_operators [--backend openmp|opencl] [--budget SECONDS] [--box N] [--boxes B] [--types f64,f32]
//   [--only TEXT]
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "rewrite/space/keys.hpp"
#include "runtime/measure.hpp"
#include "tuning/explore.hpp"
#include "tuning/session.hpp"

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
      {"thomas"},
      {"vertical_advection"},
      {"fillz"},
      {"horizontal_diffusion"},
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
  if (r.best)
    row.any = r.variants[*r.best].ms,
    row.characters = r.variants[r.best_caller.value_or(*r.best)].source.size();
  return row;
}

std::string number(double v, const char* format = "{:.3g}") {
  return v > 0 ? fmt::format(fmt::runtime(format), v) : "-";
}
std::string ratio(double a, double b) { return a > 0 && b > 0 ? fmt::format("{:.2f}", a / b) : "-"; }

void print(const std::string& name, const Row& r, const ExploreResult& e) {
  const std::string best = e.best_caller ? e.variants[*e.best_caller].name : "-";
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} / {} | {} |\n", name, number(r.twin),
             number(r.plain), number(r.caller), number(r.any), ratio(r.plain, r.caller),
             ratio(r.plain, r.any), ratio(r.twin, r.caller), r.characters, e.counts.timed, e.counts.wrong,
             best);
  std::fflush(stdout);
}

// ---- OpenMP and OpenCL side by side

constexpr std::size_t kFirst = 8;

/// ms of one application; 0: there is none.
struct Sides {
  double openmp = 0, opencl = 0, items = 0;
};

/// The kernel with one work-item a cell that a GPU would be given first; nothing where the program makes no
/// cells.
std::optional<Kernel> item_a_cell(const Session& session) {
  const Space space = make_space(session.program, Target::opencl, session.machine, kCallersLayout, nullptr);
  for (const Configuration& c : space.seeds()) {
    const Loops& grid = c[key::grid];
    if (grid.by != Loops::By::itself || grid.names.empty() || grid.names.back() != "i") continue;
    try {
      return lower(replay(space.program(), space.derive(c)), session.lowering);
    } catch (const UserError&) {  // impossible here
    }
  }
  return std::nullopt;
}

/// The best kernels of both explorations and one item a cell, in turns.
Sides side_by_side(const Pattern& pattern, const Problem& problem, const ExploreOptions& options,
                   const ExploreResult& openmp, const ExploreResult& opencl) {
  Session session(pattern, problem, options);
  std::vector<TimedRun> runs;
  std::vector<double Sides::*> which;
  const auto add = [&](Executor& executor, const Kernel& kernel, double Sides::*ms) {
    const Job job{kernel, {}, {}, {}, {}};
    const Compiled compiled = executor.compile({&job, 1}, {}).front();
    if (!compiled.program) return;
    executor.restore(kernel);
    runs.push_back(executor.bind(kernel, compiled));
    which.push_back(ms);
  };
  if (openmp.best) add(*session.native, openmp.variants[*openmp.best].kernel, &Sides::openmp);
  if (opencl.best) add(session.executor(), opencl.variants[*opencl.best].kernel, &Sides::opencl);
  if (const auto kernel = item_a_cell(session)) add(session.executor(), *kernel, &Sides::items);
  Sides sides;
  const std::vector<Timing> times = interleaved(runs, {.rounds = 15});
  for (std::size_t i = 0; i < times.size(); ++i) sides.*which[i] = times[i].median_ms;
  return sides;
}

/// Both backends of one operator as a row of the table; false when a variant was wrong.
bool print_sides(const std::string& name, const Pattern& pattern, const Problem& problem,
                 ExploreOptions options) {
  options.target = Target::openmp;
  const ExploreResult openmp = explore(pattern, problem, options);
  options.target = Target::opencl;
  for (const Variant& v : openmp.variants)  // what made threads fast is tried first
    if (v.status == Status::ok && options.first.size() < kFirst) options.first.push_back(v.params);
  const ExploreResult opencl = explore(pattern, problem, options);
  const Sides s = side_by_side(pattern, problem, options, openmp, opencl);
  const auto best = [](const ExploreResult& r) {
    return r.best ? r.variants[*r.best].name : std::string("-");
  };
  fmt::print("| {} | {} | {} | {} | {} | {} | {} / {} | {} | {} |\n", name, number(s.openmp),
             number(s.opencl), ratio(s.openmp, s.opencl), number(s.items), ratio(s.items, s.opencl),
             opencl.counts.timed, opencl.counts.wrong, best(opencl), best(openmp));
  std::fflush(stdout);
  return openmp.counts.wrong + opencl.counts.wrong == 0;
}

void compare(const std::string& what, const std::map<std::string, Row>& rows,
             const std::vector<std::string>& parts, const std::string& whole) {
  double sum = 0;
  for (const std::string& part : parts) {
    const auto at = rows.find(part);
    if (at == rows.end() || at->second.caller == 0) return;
    sum += at->second.caller;
  }
  const auto at = rows.find(whole);
  if (at != rows.end() && at->second.caller > 0)
    fmt::print("- {}: {:.3g} ms against {:.3g} ms, {:.2f}x\n", what, at->second.caller, sum,
               sum / at->second.caller);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The operators of a multigrid cycle, one after the other"};
  ExploreOptions options;
  options.budget_seconds = 20, options.rivals = false;
  std::int64_t box = 256, boxes = 1;
  std::vector<std::string> types{"f64", "f32"}, only;
  std::string backend = "openmp";
  app.add_option("--backend", backend, "opencl: beside openmp")
      ->check(CLI::IsMember({"openmp", "opencl"}))
      ->capture_default_str();
  app.add_option("--device", options.device, "OpenCL device")->capture_default_str();
  app.add_option("--budget", options.budget_seconds, "seconds an operator")->capture_default_str();
  app.add_option("--box", box, "cells a dimension")->capture_default_str();
  app.add_option("--boxes", boxes)->capture_default_str();
  app.add_option("--types", types)
      ->delimiter(',')
      ->check(CLI::IsMember({"f64", "f32"}))
      ->capture_default_str();
  app.add_option("--only", only, "operators whose name and choices contain one of these")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  int wrong = 0;
  try {
    for (const std::string& type : types) {
      if (backend == "opencl")
        fmt::print(
            "\n{} x {}^3 {}: medians in ms of one application, measured in turns, the best of any layout.\n\n"
            "| operator | OpenMP | OpenCL | OpenMP/OpenCL | one item a cell | item/OpenCL | timed / wrong | "
            "best OpenCL | best OpenMP |\n"
            "|---|---|---|---|---|---|---|---|---|\n",
            boxes, box, type);
      else
        fmt::print(
            "\n{} x {}^3 {}: medians in ms of one application, measured in turns. plain: the better of with "
            "and without omp simd. twin: the same traffic, next to no arithmetic.\n\n"
            "| operator | twin | plain | caller's layout | any layout | caller/plain | any/plain | roofline "
            "caller | characters | timed / wrong | best in the caller's layout |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|\n",
            boxes, box, type);
      std::map<std::string, Row> rows;
      for (const Case& c : cases()) {
        const std::string name = c.name();
        if (!only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& o) {
              return name.find(o) != std::string::npos;
            }))
          continue;
        Problem problem;
        problem.box = box, problem.boxes = boxes, problem.type = type == "f32" ? f32 : f64,
        problem.boundary = c.boundary, problem.choices = c.choices;
        if (const auto stencil = c.choices.find("stencil");
            stencil != c.choices.end() && stencil->second == "wide")
          problem.ghost = 2;
        try {
          if (backend == "opencl") {
            if (!print_sides(name, find_pattern(c.pattern), problem, options)) ++wrong;
            continue;
          }
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
      compare("residual and restriction fused, against the two kernels", rows,
              {"residual3d", "restriction3d"}, "residual_restriction3d");
      compare("the same with the residual kept", rows, {"residual3d", "restriction3d"},
              "residual_restriction3d keep=yes");
      compare("norm of the residual fused, against the two kernels", rows, {"residual3d", "norm3d kind=max"},
              "residual_norm3d");
      compare("the thesis's prolongation, against ours", rows, {"prolongation3d kind=linear"},
              "prolongation3d form=thesis");
    }
  } catch (const EnvironmentError& e) {
    fmt::print(stderr, "bench_operators: {}\n", e.what());
    return 3;
  }
  return wrong > 0;
}
