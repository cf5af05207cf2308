// A program's kernel run as loops on random data: what it makes of all its arrays, and how often it loads
// from each.
#pragma once

#include <random>

#include "lower/lower.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::test {

struct LoopsRun {
  std::vector<std::vector<double>> results;  ///< in row-major order
  std::map<std::string, std::size_t> loads;
  std::vector<std::string> races;
  std::map<std::string, LoopRunner::Vectors> vectors;
};

/// Positions of an array in row-major order.
inline std::vector<std::vector<Nat>> positions_of(const Type& t) {
  std::vector<std::vector<Nat>> all{{}};
  for (const Nat& n : shape_of(t)) {
    std::vector<std::vector<Nat>> next;
    for (const auto& p : all)
      for (std::int64_t i = 0; i < *n.constant(); ++i) next.push_back(p), next.back().emplace_back(i);
    all = std::move(next);
  }
  return all;
}

/// The same data for the same seed, whatever the kernel's layouts; index parameters are `seed` modulo their
/// range. `turns`: as in LoopRunner.
inline LoopsRun run_loops(const Kernel& k, unsigned seed, unsigned turns = 0) {
  LoopRunner runner;
  runner.turns = turns;
  for (const KernelArgument& a : k.arguments) {
    std::mt19937 random(seed + static_cast<unsigned>(std::hash<std::string>()(a.name) % 1000));
    const auto value = [&](Scalar s) {
      const double v = 0.25 + static_cast<double>(random() % 4096) / 4096;
      return s == f32 ? static_cast<double>(static_cast<float>(v)) : v;
    };
    if (a.type.is_array()) {
      auto& to = runner.arrays[a.name];
      to.assign(static_cast<std::size_t>(*a.layout.size().constant()), 0);
      for (const auto& p : positions_of(a.type))
        to[static_cast<std::size_t>(*a.layout.index(p).constant())] = value(element_of(a.type).scalar());
    } else if (!a.range.empty()) {
      const std::int64_t low = *a.range[0].constant(), high = *a.range[1].constant();
      runner.index[a.name] = low + static_cast<std::int64_t>(seed) % (high - low + 1);
    } else {
      runner.scalars[a.name] = value(a.type.scalar());
    }
  }
  runner.run(k);
  LoopsRun r{{}, runner.loads, runner.races, runner.vectors};
  for (const std::string& name : k.results)
    for (const KernelArgument& a : k.arguments) {
      if (a.name != name) continue;
      r.results.emplace_back();
      for (const auto& p : positions_of(a.type))
        r.results.back().push_back(
            runner.arrays[name][static_cast<std::size_t>(*a.layout.index(p).constant())]);
    }
  return r;
}

}  // namespace lift::test
