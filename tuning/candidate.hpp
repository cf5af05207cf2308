// A configuration on its way to a compiled kernel, and the runs that verify and time it.
#pragma once

#include <exception>
#include <limits>

#include "lower/lower.hpp"
#include "runtime/measure.hpp"
#include "tuning/executor.hpp"
#include "tuning/explore.hpp"

namespace lift {

struct Candidate {
  Variant variant;
  std::exception_ptr refusal;  ///< the UserError that made it impossible
  Kernel kernel;
  Compiled compiled;
  double relative = 0;  ///< time over that of the anchor, a kernel timed again and again: what else the
                        ///< machine does changes in the course of an exploration
};

/// Derives, lowers and prints. A configuration that is refused has the status impossible and a
/// message.
Candidate prepare(const Space& space, const Configuration& c, const LowerOptions& lowering,
                  Executor& executor);
/// The same from a derivation.
Candidate prepare(const Program& program, const Derivation& d, const LowerOptions& lowering,
                  Executor& executor);

/// Takes over what the compiler said.
void accept(Candidate& candidate, Compiled compiled);

/// One application on fresh scratch copies.
struct FirstRun {
  Difference difference;  ///< of all results together
  double ms = 0;
};
/// UserError: the device cannot run it. KernelFault: see runtime/grid_device.hpp and runtime/worker.hpp.
FirstRun run_and_compare(Executor& executor, const Kernel& kernel, const Compiled& compiled,
                         const std::vector<Expected>& expected);

/// Verifies a compiled candidate and times it; sets status, error, ms. DeviceLost is passed on, when the
/// status has been set. The timed applications continue from the first one's result. `best_ms` is what the
/// fastest so far would take at present: the further behind it, the fewer runs.
void verify_and_time(Candidate& candidate, Executor& executor, const std::vector<Expected>& expected,
                     double best_ms = std::numeric_limits<double>::infinity());

/// Rules and words of a derivation, less its numbers: what distinguishes one derivation from another in kind.
std::string kind_of(const Derivation& d);

}  // namespace lift
