// bench_colour_split: generated kernels of the red-black smoother beside hand-written ones
// (bench/yardstick/), in one run.
//
//   bench_colour_split [--box N] [--boxes B] [--json FILE | --budget SECONDS] [--rounds R] [--threads T]
//
// The generated kernels are the best one and the best one in the caller's layout, as FILE has them (written
// by `liftgen smooth3d --explore --json FILE`) or as an exploration of SECONDS finds them. Every result is
// compared with the pattern's reference before anything is timed. Exit status: 1 when one differs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/contenders.hpp"
#include "bench/yardstick/colour_split.h"
#include "patterns/host_data.hpp"
#include "patterns/operators.hpp"

namespace {

using namespace lift;
using bench::Contender;

struct Asked {
  Problem problem;
  std::string json;
  double budget = 60;
  int rounds = 21, threads = 0;
};

struct Chosen {
  std::string name;
  Derivation derivation;
};

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw UserError(path + ": cannot be read; is this the tree it was built from?");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// ---- the generated kernels

std::vector<Chosen> from_json(const std::string& path, Problem& problem) {
  const auto json = nlohmann::json::parse(read_text(path), nullptr, false);
  if (json.is_discarded() || json.value("operator", "") != "smooth3d" || json.value("type", "") != "f64")
    throw UserError("--json " + path +
                    ": not an f64 result of `liftgen smooth3d --explore --json`; write one with that");
  problem.box = json.value("box", problem.box), problem.boxes = json.value("boxes", problem.boxes);
  std::vector<Chosen> chosen;
  for (const auto& [key, name] :
       {std::pair("best_caller", "generated, caller's layout"), std::pair("best", "generated, any layout")}) {
    if (!json.contains(key) || json[key].is_null()) continue;
    std::string steps;
    for (const auto& step : json[key]["derivation"]) steps += step.get<std::string>() + "\n";
    chosen.push_back({name, parse_derivation(steps)});
  }
  return chosen;
}

std::vector<Chosen> by_exploring(const Asked& a) {
  ExploreOptions options;
  options.budget_seconds = a.budget, options.threads = a.threads, options.rivals = false;
  fmt::print("exploring for {:.0f} s\n", a.budget);
  std::fflush(stdout);
  const ExploreResult r = explore(smooth3d(), a.problem, options);
  std::vector<Chosen> chosen;
  if (r.best_caller) chosen.push_back({"generated, caller's layout", r.variants[*r.best_caller].derivation});
  if (r.best) chosen.push_back({"generated, any layout", r.variants[*r.best].derivation});
  return chosen;
}

Contender generated(Session& s, const Chosen& chosen) {
  fmt::print("{}:\n", chosen.name);
  for (const Step& step : chosen.derivation) fmt::print("    {}\n", str(step));
  return bench::generated(s, chosen.name, chosen.derivation);
}

// ---- the yardstick

class Yardstick {
 public:
  Yardstick(Session& s, bool split) {
    const std::string folder = LIFTGEN_SOURCE_DIR "/bench/yardstick/";
    NativeSource source{read_text(folder + "colour_split.h") + read_text(folder + "colour_split.c"),
                        default_flags()};
    source.flags.push_back("-I" + folder);
    const CompileResult compiled = s.compiler.compile(source);
    if (!compiled.library)
      throw InternalError("bench/yardstick/colour_split.c does not compile: " + compiled.error);
    library_ = compiled.library;
    half_sweep_ =
        library_->function<decltype(yardstick_plain)>(split ? "yardstick_split" : "yardstick_plain");
    const auto elements = library_->function<decltype(yardstick_make_grid)>("yardstick_make_grid")(
        &grid_, static_cast<int>(s.problem.box), static_cast<int>(s.problem.boxes), split);
    const char* const names[YARDSTICK_ARRAYS] = {"phi",    "rhs",    "alpha", "beta_i",
                                                 "beta_j", "beta_k", "lambda"};
    for (int x = 0; x < YARDSTICK_ARRAYS; ++x) {
      buffers_.emplace_back((elements + 128) * sizeof(double));
      arrays_[x] = buffers_.back().as<double>().data() + 64;
      library_->function<decltype(yardstick_from_caller)>("yardstick_from_caller")(
          &grid_, static_cast<const double*>(host::argument(s.arguments.all(), names[x]).data), arrays_[x]);
    }
    a_ = host::scalar(s.arguments.all(), "a"), b_h2inv_ = host::scalar(s.arguments.all(), "b_h2inv");
    color_ = static_cast<int>(host::scalar(s.arguments.all(), "color"));
  }

  void run() { half_sweep_(&grid_, arrays_, a_, b_h2inv_, color_); }
  std::string vectors() const {
    return library_->function<decltype(yardstick_vectors)>("yardstick_vectors")();
  }
  /// After one run.
  double error(const Expected& expected) const {
    library_->function<decltype(yardstick_to_caller)>("yardstick_to_caller")(
        &grid_, arrays_[YARDSTICK_PHI], static_cast<double*>(expected.staging.data));
    return relative_error(expected.staging, expected.result, expected.mean);
  }

 private:
  std::shared_ptr<NativeLibrary> library_;
  decltype(yardstick_plain)* half_sweep_ = nullptr;
  yardstick_grid grid_{};
  std::vector<Buffer> buffers_;
  double* arrays_[YARDSTICK_ARRAYS] = {};
  double a_ = 0, b_h2inv_ = 0;
  int color_ = 0;
};

Contender hand_written(Session& s, bool split) {
  const auto yardstick = std::make_shared<Yardstick>(s, split);
  yardstick->run();
  const double error = yardstick->error(s.expected().at(0));
  return {fmt::format("hand-written {}, {}", split ? "split" : "plain", yardstick->vectors()),
          [yardstick] { yardstick->run(); }, error};
}

// ---- the comparison

/// Ratios to hand-written code of the same kind are of interest: a column for each.
void print_table(const std::vector<Contender>& all, const std::vector<Timing>& timings) {
  fmt::print("{:<30} {:>9} {:>9} {:>11} {:>11} {:>9}\n", "", "median ms", "least ms", "/ hw plain",
             "/ hw split", "error");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double ms = timings[i].median_ms;
    fmt::print("{:<30} {:>9.3f} {:>9.3f} {:>11.3f} {:>11.3f} {:>9}\n", all[i].name, ms, timings[i].min_ms,
               ms / timings[0].median_ms, ms / timings[1].median_ms,
               all[i].computes ? fmt::format("{:.1e}", all[i].error) : "-");
  }
}

int compare(Asked a) {
  const std::vector<Chosen> chosen = a.json.empty() ? by_exploring(a) : from_json(a.json, a.problem);
  if (chosen.empty()) throw UserError("there is no verified generated kernel; try a larger --budget");
  ExploreOptions options;
  options.threads = a.threads;
  Session session(find_pattern("smooth3d"), a.problem, options);

  std::vector<Contender> all{hand_written(session, false), hand_written(session, true)};
  for (const Chosen& c : chosen) all.push_back(generated(session, c));
  bool right = true;
  for (const Contender& c : all)
    if (!(c.error <= tolerance(f64))) right = false, fmt::print("WRONG: {}: error {:.1e}\n", c.name, c.error);
  if (!right) return 1;
  if (Contender t = bench::twin(session); t.run) all.push_back(std::move(t));

  std::vector<TimedRun> runs;
  for (const Contender& c : all) runs.push_back(c.run);
  const std::vector<Timing> timings = interleaved(runs, {.rounds = a.rounds});
  fmt::print("one half-sweep of {} boxes of {}^3, f64, {} threads, {} rounds, on {}\n", a.problem.boxes,
             a.problem.box, session.threads, a.rounds, session.machine.device);
  print_table(all, timings);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Asked a;
  CLI::App app{"Generated kernels of the red-black smoother beside hand-written ones"};
  app.add_option("--box", a.problem.box, "interior cells a dimension")->check(CLI::PositiveNumber);
  app.add_option("--boxes", a.problem.boxes, "boxes")->check(CLI::PositiveNumber);
  app.add_option("--json", a.json,
                 "result of `liftgen smooth3d --explore --json`; box and boxes are taken from it");
  app.add_option("--budget", a.budget, "seconds of exploration when there is no --json")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", a.rounds, "runs of each")->check(CLI::PositiveNumber);
  app.add_option("--threads", a.threads, "0: all")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    return compare(a);
  } catch (const UserError& e) {
    return fmt::print(stderr, "bench_colour_split: {}\n", e.what()), 2;
  } catch (const std::exception& e) {
    return fmt::print(stderr, "bench_colour_split: {}\n", e.what()), 3;
  }
}
