// bench_rewriting: what it takes to rewrite and lower a chain of sweeps, as a user waits for it. Runs
// nothing.
//
//   bench_rewriting [--box N] [--boxes B] [--smoother NAME] [--bc BOUNDARY] [--sweeps 2,4,8] [--repeats R]
//
// For each number of sweeps the space's first guess in which they go in step: milliseconds of the first time
// (what equal stages have in common is remembered from then on) and the median of the others.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/depths.hpp"
#include "tuning/explore.hpp"

namespace {

using namespace lift;

struct Times {
  double derive = 0, lower = 0;
};

Times once(const Space& space, const Configuration& c, const LowerOptions& lowering) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  const auto begin = Clock::now();
  const Program derived = space.derived(c).program;
  const auto rewritten = Clock::now();
  const Kernel kernel = lower(derived, lowering);
  return {ms(rewritten - begin), ms(Clock::now() - rewritten)};
}

/// The first of the first guesses that goes in step and is possible, and what the first time took.
std::pair<Configuration, Times> first_in_step(const Space& space, const LowerOptions& lowering) {
  for (const Configuration& c : space.seeds()) {
    if (!c.contains("time") || c.at("time") == "none") continue;
    try {
      return {c, once(space, c, lowering)};
    } catch (const UserError&) {  // not possible here
    }
  }
  throw UserError("no first guess goes in step");
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
  return v[v.size() / 2];
}

void row(const Problem& problem, int sweeps, int repeats) {
  const auto begin = std::chrono::steady_clock::now();
  const Program program = find_pattern("smooth3d").build(with_sweeps(problem, sweeps));
  const Space space(program, {.threads = 2, .vector_bytes = 64});
  const std::chrono::duration<double, std::milli> built = std::chrono::steady_clock::now() - begin;
  const LowerOptions lowering{.vector_bytes = 64, .target = Target::openmp};
  const auto [c, first] = first_in_step(space, lowering);
  std::vector<double> derive, lower;
  for (int i = 0; i < repeats; ++i) {
    const Times t = once(space, c, lowering);
    derive.push_back(t.derive), lower.push_back(t.lower);
  }
  fmt::print("{:>6} {:>8.1f} | {:>8.1f} {:>8.1f} | {:>8.1f} {:>8.1f}  {}\n", sweeps, built.count(),
             first.derive, first.lower, median(derive), median(lower), space.structure(c));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Problem problem;
  std::string smoother = "gsrb";
  std::vector<int> sweeps{2, 4, 8};
  int repeats = 11;
  CLI::App app{"What it takes to rewrite and lower a chain of sweeps"};
  app.add_option("--box", problem.box, "interior cells a dimension")->check(CLI::PositiveNumber);
  app.add_option("--boxes", problem.boxes, "boxes")->check(CLI::PositiveNumber);
  app.add_option("--smoother", smoother, "gsrb, jacobi, ...");
  app.add_option("--bc", problem.boundary, "boundary condition");
  app.add_option("--sweeps", sweeps, "numbers of sweeps")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--repeats", repeats, "how often each is done")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  problem.choices["smoother"] = smoother;
  try {
    fmt::print(
        "{} boxes of {}^3, {}, boundary {}; ms, first time and median\n"
        "{:>6} {:>8} | {:>8} {:>8} | {:>8} {:>8}\n",
        problem.boxes, problem.box, smoother, problem.boundary, "sweeps", "space", "rewrite", "lower",
        "rewrite", "lower");
    for (const int n : sweeps) row(problem, n, repeats);
  } catch (const UserError& e) {
    return fmt::print(stderr, "bench_rewriting: {}\n", e.what()), 2;
  } catch (const std::exception& e) {
    return fmt::print(stderr, "bench_rewriting: {}\n", e.what()), 3;
  }
}
