// The smoother in its benchmark configurations, explored one after the other, as a Markdown table of medians
// and ratios.
//   bench_smooth3d [--budget SECONDS] [--backend opencl]
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ir/error.hpp"
#include "tuning/explore.hpp"

using namespace lift;

namespace {

struct Case {
  std::string name;
  Problem problem;
};

std::vector<Case> cases() {
  const auto make = [](const std::string& name, std::int64_t box, std::int64_t boxes, Scalar type,
                       const std::string& smoother, const std::string& boundary) {
    Case c{name, {}};
    c.problem.box = box, c.problem.boxes = boxes, c.problem.type = type, c.problem.boundary = boundary;
    c.problem.choices["smoother"] = smoother;
    return c;
  };
  return {
      make("gsrb 64 x 64^3 f64", 64, 64, f64, "gsrb", "ghost"),
      make("gsrb 1 x 256^3 f64", 256, 1, f64, "gsrb", "ghost"),
      make("gsrb 64 x 64^3 f32", 64, 64, f32, "gsrb", "ghost"),
      make("jacobi 64 x 64^3 f64", 64, 64, f64, "jacobi", "ghost"),
      make("gsrb 3 x 37^3 f64", 37, 3, f64, "gsrb", "ghost"),
      make("gsrb 1 x 256^3 f64 dirichlet", 256, 1, f64, "gsrb", "dirichlet"),
  };
}

std::string cell(double ms) { return ms > 0 ? fmt::format("{:.3g}", ms) : "-"; }

void print_row(const std::string& name, const ExploreResult& r) {
  double polyhedral = 0;
  for (const Rival& v : r.rivals)
    if (!v.baseline && v.status == Status::ok && v.ms > 0 && (polyhedral == 0 || v.ms < polyhedral))
      polyhedral = v.ms;
  const double plain = r.baseline ? r.rivals[*r.baseline].ms : 0;
  const double caller = r.best_caller ? r.variants[*r.best_caller].ms : 0,
               best = r.best ? r.variants[*r.best].ms : 0;
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} / {} |\n", name,
             cell(r.twin_ms), cell(plain), cell(polyhedral), cell(caller), cell(best), plain / caller,
             plain / best, r.twin_ms / caller, r.twin_ms / best, r.counts.timed, r.counts.wrong);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The smoother in its benchmark configurations"};
  ExploreOptions options;
  std::string backend = "openmp";
  app.add_option("--budget", options.budget_seconds, "seconds a configuration")->capture_default_str();
  app.add_option("--backend", backend)->check(CLI::IsMember({"openmp", "opencl"}))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  options.target = backend == "opencl" ? Target::opencl : Target::openmp;
  fmt::print(
      "Medians in ms of one half-sweep (sweep), measured in turns. plain: the better of with and without omp "
      "simd; polyhedral: the best of Polly and Graphite.\n\n"
      "| problem | twin | plain | polyhedral | caller's layout | any layout | caller/plain | any/plain | "
      "roofline caller | roofline any | timed / wrong |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  int wrong = 0;
  try {
    for (const Case& c : cases()) {
      const ExploreResult r = explore(find_pattern("smooth3d"), c.problem, options);
      print_row(c.name, r);
      wrong += r.counts.wrong;
      if (r.interrupted) break;
    }
  } catch (const EnvironmentError& e) {
    fmt::print(stderr, "bench_smooth3d: {}\n", e.what());
    return 3;
  }
  return wrong > 0;
}
