// Search techniques against recorded spaces, without measuring anything:
//   bench_search --replay FILE... [--merge FILE] [--seeds 30] [--batch 6] [--within 5] [--after 30]
//   [--searches random,climb,...]
// FILE is what `liftgen explore --record` has written. Two tables, without and with the first guesses of the
// space: the median number of measurements until the best is within 5 % of the best known, and how many of
// the seeds are within 5 % after 30 measurements.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "runtime/file.hpp"
#include "runtime/machine.hpp"
#include "runtime/native.hpp"
#include "runtime/opencl.hpp"
#include "tuning/cost/cost_model.hpp"
#include "tuning/explore.hpp"
#include "tuning/search/replay.hpp"
#include "tuning/search/technique.hpp"

using namespace lift;

namespace {

struct Options {
  std::vector<std::string> files, searches;
  std::string merge;
  bool count = false, weights = false;
  int seeds = 30;
  std::size_t batch = 6, after = 30;
  double within = 5;
};

std::vector<Recording> recordings(const std::vector<std::string>& files) {
  std::vector<Recording> all;
  for (const std::string& file : files) try {
      for (Recording& r : recordings_in(read_file(file))) all.push_back(std::move(r));
    } catch (const UserError& error) {
      throw UserError(file + ": " + error.what());
    }
  return all;
}

std::size_t kernels_of(const Recording& r) {
  return static_cast<std::size_t>(
      std::count_if(r.tried.begin(), r.tried.end(), [](const TriedConfiguration& t) { return !t.same_as; }));
}

/// Counts the costs of every kernel anew, with the caches of this machine and its first OpenCL device.
void count_costs(Recording& r) {
  if (!r.file.empty()) throw UserError(r.file + ": costs are counted anew of operators only");
  const Target target = target_named(r.backend).value();
  std::optional<opencl::Device> device;
  if (target == Target::opencl) device.emplace(-1);
  NativeCompiler compiler;
  Machine machine = probe(compiler, r.threads, false);
  machine.vector_bytes = r.vector_bytes;
  const Space space = make_space(find_pattern(r.program).build(r.problem), target, machine,
                                 r.caller_layout_only ? std::optional(kCallersLayout) : std::nullopt,
                                 device ? &device->info() : nullptr);
  r.costs.assign(kCostNames.begin(), kCostNames.end());
  for (TriedConfiguration& t : r.tried) {
    t.costs.clear();
    if (!t.is_timed()) continue;
    LowerOptions lowering;
    lowering.target = target, lowering.vector_bytes = r.vector_bytes;
    const Kernel kernel = lower(space.derived(t.configuration).program, lowering);
    const KernelCosts costs = kernel_costs(kernel, cost_machine(machine, r.threads));
    t.costs.assign(costs.begin(), costs.end());
  }
}

std::vector<TimedCosts> timed_costs(const Recording& r) {
  std::vector<TimedCosts> all;
  if (r.costs != std::vector<std::string>(kCostNames.begin(), kCostNames.end())) return all;
  for (const TriedConfiguration& t : r.tried) {
    if (!t.is_timed() || t.costs.empty()) continue;
    TimedCosts& timed = all.emplace_back();
    std::copy(t.costs.begin(), t.costs.end(), timed.costs.begin());
    timed.us = 1e3 * t.ms;
  }
  return all;
}

double correlation(const std::vector<TimedCosts>& kernels, const CostWeights& weights) {
  std::vector<double> expected, measured;
  for (const TimedCosts& k : kernels)
    expected.push_back(expected_us(k.costs, weights)), measured.push_back(k.us);
  return rank_correlation(expected, measured);
}

/// How well the cost model orders the kernels of each space.
void print_cost_model(const std::vector<Recording>& all, bool print_weights) {
  fmt::print(
      "\n### Cost model\n\nRank correlation of expected and measured times, with weights fitted to the other "
      "spaces, to this one, and those built in\n\n| space | kernels | fitted to the others | to this one | "
      "built in |\n|---|--:|--:|--:|--:|\n");
  const auto is_for_grid = [](const Recording& r) { return is_grid(target_named(r.backend).value()); };
  for (const bool grid : {false, true}) {
    // Those of grids learn from loops, too: all are recorded on processors.
    std::vector<std::vector<TimedCosts>> every;
    for (const Recording& r : all) {
      const std::vector<TimedCosts> own = timed_costs(r);
      if (own.empty() || is_for_grid(r) > grid) continue;
      every.push_back(own);
      if (is_for_grid(r) != grid) continue;
      std::vector<std::vector<TimedCosts>> others;
      for (const Recording& other : all)
        if (other.program != r.program && is_for_grid(other) <= grid) others.push_back(timed_costs(other));
      fmt::print("| {} | {} | {} | {:.2f} | {:.2f} |\n", r.title(), own.size(),
                 others.empty() ? "-" : fmt::format("{:.2f}", correlation(own, fitted(others))),
                 correlation(own, fitted({own})), correlation(own, default_weights(grid)));
    }
    if (!print_weights || every.empty()) continue;
    fmt::print("\nweights, {}:", grid ? "grids" : "processors");
    for (const double w : fitted(every)) fmt::print(" {:.4g},", w);
    fmt::print("\n\n");
  }
}

/// Of one technique on one recording, over the seeds.
struct Outcome {
  std::size_t median = 0;  ///< measurements
  double share = 0;        ///< that were within after so many
};

Outcome outcome(const Recording& r, const RecordedSpace& space, const std::string& search, bool guesses,
                const Options& o) {
  std::vector<std::size_t> needed;
  const std::size_t most = kernels_of(r);
  for (int seed = 1; seed <= o.seeds; ++seed)
    needed.push_back(measurements_until(
        replay(r, space,
               {search, static_cast<std::uint64_t>(seed), o.batch, most, 1 + o.within / 100, guesses}),
        1 + o.within / 100, most));
  std::sort(needed.begin(), needed.end());
  const auto soon = std::count_if(needed.begin(), needed.end(), [&](std::size_t n) { return n <= o.after; });
  return {needed[needed.size() / 2], static_cast<double>(soon) / static_cast<double>(needed.size())};
}

void print_table(const std::vector<Recording>& all, bool guesses, const Options& o) {
  fmt::print("\n### {}\n\n| space | kernels | within {:g} % |",
             guesses ? "After the first guesses" : "From nothing", o.within);
  for (const std::string& s : o.searches) fmt::print(" {} |", s);
  fmt::print("\n|---|--:|--:|");
  for (std::size_t i = 0; i < o.searches.size(); ++i) fmt::print("--:|");
  fmt::print("\n");
  std::vector<double> product(o.searches.size(), 0), shares(o.searches.size(), 0);
  for (const Recording& r : all) {
    const RecordedSpace space(r);
    const double known = best_known(r);
    const auto good = std::count_if(r.tried.begin(), r.tried.end(), [&](const TriedConfiguration& t) {
      return t.is_timed() && t.relative <= known * (1 + o.within / 100);
    });
    fmt::print("| {} | {} | {} |", r.title(), kernels_of(r), good);
    std::size_t random = 0;
    for (std::size_t i = 0; i < o.searches.size(); ++i) {
      const Outcome x = outcome(r, space, o.searches[i], guesses, o);
      if (i == 0) random = x.median;
      fmt::print(" {}, {:.0f} % |", x.median, 100 * x.share);
      product[i] += std::log(static_cast<double>(x.median) / static_cast<double>(random));
      shares[i] += x.share;
      std::cout.flush();
    }
    fmt::print("\n");
  }
  fmt::print("| over {} (geometric mean); mean share | | |", o.searches.front());
  for (std::size_t i = 0; i < o.searches.size(); ++i)
    fmt::print(" {:.2f}x, {:.0f} % |", std::exp(product[i] / static_cast<double>(all.size())),
               100 * shares[i] / static_cast<double>(all.size()));
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (const TechniqueRow& row : techniques())
    if (row.name != std::string("exhaustive")) o.searches.emplace_back(row.name);
  std::stable_partition(o.searches.begin(), o.searches.end(),
                        [](const std::string& s) { return s == "random"; });
  CLI::App app{"Search techniques against recorded spaces, without measuring"};
  app.add_option("--replay", o.files, "what liftgen explore --record has written")->required();
  app.add_option("--searches", o.searches, "techniques, the first being what the others are held against")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seeds", o.seeds, "searches of each technique")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--batch", o.batch, "proposed before the first of them is learnt")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--within", o.within, "percent of the best known")->capture_default_str();
  app.add_option("--after", o.after, "measurements")->capture_default_str();
  app.add_option(
      "--merge", o.merge,
      "instead: the recordings, all of one space, as one in this file, each kernel with its least time");
  app.add_flag("--count", o.count, "with --merge: count the costs of the kernels anew");
  app.add_flag("--weights", o.weights, "print the cost model's weights, fitted to all that is there");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Recording> all = recordings(o.files);
    if (o.count) count_costs(all.at(0));
    if (!o.merge.empty()) return write_file_atomically(o.merge, text_of(merged(all))), 0;
    print_cost_model(all, o.weights);
    if (o.weights) return 0;
    fmt::print(
        "median measurements until within {:g} % of the best known; share of {} seeds that are so after {}\n",
        o.within, o.seeds, o.after);
    for (const bool guesses : {false, true}) print_table(all, guesses, o);
  } catch (const std::exception& error) {
    std::cerr << "bench_search: " << error.what() << "\n";
    return 2;
  }
}
