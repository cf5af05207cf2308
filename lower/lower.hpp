// From a program in which decisions have been taken to a kernel in the loop language.
#pragma once

#include <optional>

#include "ir/expr/program.hpp"
#include "ir/target.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

struct LowerOptions {
  int vector_bytes = 32;  ///< alignment that streaming vector stores need
  /// That the kernel is to be spelled for. Without one, what only one target needs is left out: for reading,
  /// and for `for_target`.
  std::optional<Target> target = std::nullopt;
  std::int64_t least_shared = 0;  ///< see Kernel; 0: all loops that are to be shared are
  bool contract = true;  ///< false: arrays of the kernel's own stay whole, as where memory is what is timed
  bool linear = true;    ///< false: stop before memory layout and vectorisation, for reading
};

/// Lowers by acceptors: the expression is given the place its value goes to, structural primitives rewrite
/// that place, maps become loops, scalars become stores. A primitive without a decision (map) is lowered as
/// its sequential form.
///
/// Throws UserError when the decisions taken cannot be met (a vector map whose loads are not of unit stride,
/// say): one line that says which and why. A tuner counts it as an impossible configuration.
Kernel lower(const Program& program, const LowerOptions& options = {});
/// The passes that a target needs after those of all targets. A kernel is for one target: InternalError for
/// another one.
Kernel for_target(Kernel k, Target target);

/// Copies an array between layouts on processors: arguments `from` (in layout a), `to` (in layout b).
Kernel lower_conversion(const std::string& name, const Type& array, const Layout& from, const Layout& to);

/// The loops of a program, its decisions taken back, on logical positions: updates of overwritable arguments
/// are in place, loops have exact bounds. What is to be known of its traffic can be read off them.
Kernel lower_undecided(const Program& program);
/// The same with nothing kept in between: named values are computed where they are used, an element of a scan
/// from its own input alone. The same arguments are read and written, in loops over the results and in the
/// order in which those lie in memory. What a reduction inside of such a value reads is loaded at the
/// variable of its loop, which is not there any more: it stands for all values in its range.
Kernel lower_without_steps(const Program& program);

/// Kernels for processors that move the compulsory traffic of `program` and compute next to nothing: every
/// array element that the program reads is read once and every element it writes is written (or updated)
/// once, over the same arguments in the caller's layout. Several schedules of the same traffic; the fastest
/// one that runs is the roofline. See docs/TESTING.md.
std::vector<Kernel> lower_traffic_twins(const Program& program, const LowerOptions& options = {});

}  // namespace lift
