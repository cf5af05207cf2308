// What benchmarks time side by side: generated kernels by their derivations, and the traffic twin.
#pragma once

#include <string>

#include "ir/error.hpp"
#include "tuning/session.hpp"

namespace lift::bench {

/// Something to be timed, with its result verified.
struct Contender {
  std::string name;
  TimedRun run;
  double error = 0;
  bool computes = true;  ///< the twin does not
};

/// UserError: the derivation does not apply. InternalError: the kernel does not compile.
inline Contender generated(Session& s, const std::string& name, const Derivation& derivation) {
  Candidate c = prepare(s.program, derivation, s.lowering, s.executor());
  if (c.variant.status == Status::impossible) throw UserError(name + ": " + c.variant.message);
  const Job job{c.kernel, {}, {}, {}, {}};
  accept(c, s.executor().compile({&job, 1}, {}).front());
  if (!c.compiled.program) throw InternalError(name + " does not compile: " + c.variant.message);
  const double error = run_and_compare(s.executor(), c.kernel, c.compiled, s.expected()).difference.error;
  return {name, s.executor().bind(c.kernel, c.compiled), error};
}

/// The fastest of the traffic twins of one sweep; without a run when none compiles.
inline Contender twin(Session& s) {
  Contender best{"traffic twin", {}, 0, false};
  double best_ms = 0;
  for (const Kernel& kernel : lower_traffic_twins(s.single, s.lowering)) {
    const Job job{kernel, {}, {}, {}, {}};
    const Compiled compiled = s.native->compile({&job, 1}, {}).front();
    if (!compiled.program) continue;
    auto run = s.native->bind(kernel, compiled);
    s.native->restore(kernel);
    const double ms = measure(run).median_ms;
    if (best.run && ms >= best_ms) continue;
    best.run = std::move(run), best_ms = ms;
  }
  return best;
}

/// The fastest of a group, each timed by itself.
struct Group {
  Contender best;
  double ms = 0;
  void add(Contender c) {
    const double median = measure(c.run).median_ms;
    if (ms > 0 && median >= ms) return;
    best = std::move(c), ms = median;
  }
};

/// The fastest of a space's first guesses: of those in which stages go in step, or of the others.
inline Group guessed(Session& s, const Space& space, bool in_step) {
  constexpr int kMost = 12;
  Group g;
  int tried = 0;
  for (const Configuration& c : space.seeds()) {
    const bool steps = c.contains("time") && c.at("time") != "none";
    if (steps != in_step || tried++ == kMost) continue;
    try {
      g.add(generated(s, space.structure(c), space.derive(c)));
    } catch (const UserError&) {
      --tried;  // not possible here
    }
  }
  return g;
}

}  // namespace lift::bench
