// bench_time_tiling: several sweeps of a smoother in one pass over memory, beside one sweep after the other.
//
//   bench_time_tiling [--box N] [--boxes B] [--smoother NAME] [--bc BOUNDARY] [--type T] [--sweeps 1,2,4,8]
//                     [--coefficients KIND] [--rounds R] [--threads T]
//
// For each number of sweeps: the plain loops, the fastest of the space's first guesses without and with a
// schedule of the sweeps, and the traffic twin of one sweep, timed in turn. Times are of one sweep. Every
// result is compared with the pattern's reference before it is timed. Exit status: 1 when one differs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/contenders.hpp"
#include "tuning/depths.hpp"
#include "tuning/rivals.hpp"

namespace {

using namespace lift;
using bench::Contender;
using bench::Group;
using bench::guessed;

struct Asked {
  Problem problem;
  std::string smoother = "gsrb", coefficients = "variable", type = "f64";
  std::vector<int> sweeps{1, 2, 4, 8};
  int rounds = 15, threads = 0;
};

Group plain(Session& s) {
  Group g;
  for (const RivalJob& rival : rival_jobs(s.pattern, s.problem, s.program, false, s.threads)) {
    if (!rival.baseline) continue;
    const Compiled compiled = s.native->compile({&rival.job, 1}, {}).front();
    if (!compiled.program) continue;
    const double error =
        run_and_compare(*s.native, rival.job.kernel, compiled, s.expected()).difference.error;
    g.add({rival.name, s.native->bind(rival.job.kernel, compiled), error});
  }
  return g;
}

/// Whether all results are right.
bool row(const Asked& a, int sweeps) {
  const Problem problem = with_sweeps(a.problem, sweeps);
  ExploreOptions options;
  options.threads = a.threads;
  Session session(find_pattern("smooth3d"), problem, options);
  const Space space = make_space(session.program, Target::openmp, session.machine, std::nullopt);
  std::vector<Contender> all{plain(session).best, guessed(session, space, false).best,
                             guessed(session, space, true).best, bench::twin(session)};
  for (const Contender& c : all)
    if (c.run && c.computes && !(c.error <= tolerance(problem.type)))
      return fmt::print("WRONG: {}: error {:.1e}\n", c.name, c.error), false;
  std::vector<TimedRun> runs;
  for (const Contender& c : all)
    if (c.run) runs.push_back(c.run);
  const std::vector<Timing> timings = interleaved(runs, {.rounds = a.rounds});
  double ms[4] = {};
  for (std::size_t i = 0, n = 0; i < all.size(); ++i)
    if (all[i].run) ms[i] = timings[n++].median_ms / (all[i].computes ? sweeps : 1);
  const auto ratio = [](double x, double y) {
    return y > 0 ? fmt::format("{:.2f}", x / y) : std::string("-");
  };
  fmt::print("{:>6} {:>9.3f} {:>9.3f} {:>9} {:>9.3f} {:>9} {:>9} {:>9}  {}\n", sweeps, ms[0], ms[1],
             ms[2] > 0 ? fmt::format("{:.3f}", ms[2]) : "-", ms[3], ratio(ms[0], ms[2]), ratio(ms[1], ms[2]),
             ratio(ms[3], ms[2]), all[2].run ? all[2].name : "");
  std::fflush(stdout);
  return true;
}

int compare(const Asked& a) {
  fmt::print("{} boxes of {}^3, {}, {} coefficients, {}, boundary {}; ms of one sweep, {} rounds\n",
             a.problem.boxes, a.problem.box, a.smoother, a.coefficients, a.type, a.problem.boundary,
             a.rounds);
  fmt::print("{:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "sweeps", "plain", "untiled", "in step",
             "twin", "plain/st.", "untiled/", "twin/", "the one in step");
  bool right = true;
  for (const int sweeps : a.sweeps) right = row(a, sweeps) && right;
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Asked a;
  a.problem.boxes = 16;
  CLI::App app{"Several sweeps in one pass over memory, beside one after the other"};
  app.add_option("--box", a.problem.box, "interior cells a dimension")->check(CLI::PositiveNumber);
  app.add_option("--boxes", a.problem.boxes, "boxes")->check(CLI::PositiveNumber);
  app.add_option("--smoother", a.smoother, "gsrb or jacobi");
  app.add_option("--coefficients", a.coefficients, "variable or constant");
  app.add_option("--bc", a.problem.boundary, "boundary condition");
  app.add_option("--type", a.type, "f32 or f64")->check(CLI::IsMember({"f32", "f64"}));
  app.add_option("--sweeps", a.sweeps, "numbers of sweeps")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--rounds", a.rounds, "runs of each")->check(CLI::PositiveNumber);
  app.add_option("--threads", a.threads, "0: all")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  a.problem.choices["smoother"] = a.smoother;
  if (a.coefficients != "variable") a.problem.choices["coefficients"] = a.coefficients;
  a.problem.type = a.type == "f32" ? f32 : f64;
  try {
    return compare(a);
  } catch (const UserError& e) {
    return fmt::print(stderr, "bench_time_tiling: {}\n", e.what()), 2;
  } catch (const std::exception& e) {
    return fmt::print(stderr, "bench_time_tiling: {}\n", e.what()), 3;
  }
}
