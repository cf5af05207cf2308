// bench_legs: half-sweeps and what a cycle does before or after them in one pass over memory, beside one
// kernel for each.
//
//   bench_legs [--box N] [--boxes B] [--bc BOUNDARY] [--type T] [--half-sweeps T] [--coefficients KIND]
//              [--rounds R] [--threads T] [--legs restriction,norm,correction]
//
// For each leg: half-sweeps one by one, all half-sweeps in one kernel, what comes before or after them, and
// the leg in one kernel, each the fastest of the space's first guesses, timed in turn. A leg of several
// kernels is the sum of theirs; kernels of their own may use any layout. Every result is compared with the
// pattern's reference before it is timed. Exit status: 1 when one differs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/contenders.hpp"
#include "tuning/depths.hpp"

namespace {

using namespace lift;
using bench::Contender;
using bench::Group;

using Choices = std::map<std::string, std::string>;

struct Leg {
  const char* name;
  const char* beside;  ///< the operator, which has a choice of half-sweeps
  Choices choices;
};
const std::vector<Leg> kLegs{{"restriction", "residual_restriction3d", {}},
                             {"norm", "residual_norm3d", {{"kind", "l2"}}},
                             {"correction", "prolongation_correction3d", {}}};

struct Asked {
  Problem problem;
  std::string coefficients = "variable", type = "f64", half_sweeps = "4";
  std::vector<std::string> legs{"restriction", "norm", "correction"};
  int rounds = 15, threads = 0;
};

/// One of the kernels that are timed; the session has its arrays.
struct Timed {
  std::unique_ptr<Session> session;
  Contender best;
};

Timed fastest(const Asked& a, const char* pattern, const Choices& choices, int sweeps) {
  Problem problem = a.problem;
  problem.sweeps = sweeps;
  for (const auto& [name, value] : choices) problem.choices[name] = value;
  ExploreOptions options;
  options.threads = a.threads;
  Timed t{std::make_unique<Session>(find_pattern(pattern), problem, options), {}};
  const Space space = make_space(t.session->program, Target::openmp, t.session->machine, std::nullopt);
  const Group plain = bench::guessed(*t.session, space, false),
              steps = bench::guessed(*t.session, space, true);
  t.best = steps.ms > 0 && (plain.ms == 0 || steps.ms < plain.ms) ? steps.best : plain.best;
  return t;
}

/// Whether all results are right.
bool row(const Asked& a, const Leg& leg) {
  const int sweeps = std::stoi(a.half_sweeps);
  const Choices stencil =
      a.coefficients == "variable" ? Choices{} : Choices{{"coefficients", a.coefficients}};
  Choices alone = leg.choices, smoother = stencil, whole = leg.choices;
  whole.insert(stencil.begin(), stencil.end()), whole["half-sweeps"] = a.half_sweeps;
  if (leg.name != std::string("correction")) alone.insert(stencil.begin(), stencil.end());
  std::vector<Timed> all;
  all.push_back(fastest(a, "smooth3d", smoother, 1));
  all.push_back(fastest(a, "smooth3d", smoother, sweeps));
  all.push_back(fastest(a, leg.beside, alone, 1));
  all.push_back(fastest(a, leg.beside, whole, 1));
  std::vector<TimedRun> runs;
  for (const Timed& t : all) {
    if (!(t.best.error <= tolerance(a.problem.type)))
      return fmt::print("WRONG: {}: error {:.1e}\n", t.best.name, t.best.error), false;
    runs.push_back(t.best.run);
  }
  const std::vector<Timing> timings = interleaved(runs, {.rounds = a.rounds});
  const double one = sweeps * timings[0].median_ms, several = timings[1].median_ms,
               beside = timings[2].median_ms, together = timings[3].median_ms;
  fmt::print("{:<12} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.2f} {:>9.2f}  {}\n", leg.name, one, several,
             beside, together, (one + beside) / together, (std::min(one, several) + beside) / together,
             all[3].best.name);
  fmt::print("{:<12} one by one: {}; in one kernel: {}; alone: {}\n", "", all[0].best.name, all[1].best.name,
             all[2].best.name);
  std::fflush(stdout);
  return true;
}

int compare(const Asked& a) {
  fmt::print("{} boxes of {}^3, {} half-sweeps, {} coefficients, {}, boundary {}; ms, {} rounds\n",
             a.problem.boxes, a.problem.box, a.half_sweeps, a.coefficients, a.type, a.problem.boundary,
             a.rounds);
  fmt::print("{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "leg", "by one", "sweeps", "alone",
             "one pass", "by one/", "best/", "the one pass");
  bool right = true;
  for (const Leg& leg : kLegs)
    if (std::find(a.legs.begin(), a.legs.end(), leg.name) != a.legs.end()) right = row(a, leg) && right;
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Asked a;
  a.problem.boxes = 16;
  CLI::App app{"Legs of a multigrid cycle in one pass over memory, beside one kernel for each operator"};
  app.add_option("--box", a.problem.box, "interior cells a dimension")->check(CLI::PositiveNumber);
  app.add_option("--boxes", a.problem.boxes, "boxes")->check(CLI::PositiveNumber);
  app.add_option("--coefficients", a.coefficients, "variable or constant");
  app.add_option("--bc", a.problem.boundary, "boundary condition");
  app.add_option("--type", a.type, "f32 or f64")->check(CLI::IsMember({"f32", "f64"}));
  app.add_option("--half-sweeps", a.half_sweeps, "1, 2, 3, 4, 6 or 8")
      ->check(CLI::IsMember({"1", "2", "3", "4", "6", "8"}));
  app.add_option("--legs", a.legs, "which")
      ->delimiter(',')
      ->check(CLI::IsMember({"restriction", "norm", "correction"}));
  app.add_option("--rounds", a.rounds, "runs of each")->check(CLI::PositiveNumber);
  app.add_option("--threads", a.threads, "0: all")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  a.problem.type = a.type == "f32" ? f32 : f64;
  a.problem.ghost = (std::stoi(a.half_sweeps) + 2) / 2 * 2;  // of all kernels alike
  try {
    return compare(a);
  } catch (const UserError& e) {
    return fmt::print(stderr, "bench_legs: {}\n", e.what()), 2;
  } catch (const std::exception& e) {
    return fmt::print(stderr, "bench_legs: {}\n", e.what()), 3;
  }
}
