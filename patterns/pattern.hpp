// What the library of operators consists of: each pattern is an expression with its data, an independent
// plain C++ reference written from the formulas alone, and the loops a C programmer would write (the baseline
// in measurements). Nothing outside this folder and the command line knows any operator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/expr/program.hpp"

namespace lift {

/// Sizes and choices a pattern is built for. `box` is the number of interior cells a dimension, `boxes` the
/// number of boxes (leading dimension), `ghost` the depth of each box's ghost zone in cells (arrays are
/// [boxes][box+2 ghost]^dim).
struct Problem {
  std::int64_t box = 64;
  /// Of boxes that are no cubes: interior cells of each dimension, outermost first. `box` is then the least.
  std::vector<std::int64_t> sides = {};
  std::int64_t boxes = 64;
  std::int64_t ghost = 1;
  /// Applications one after the other, each reading what the one before has written: (half-)sweeps of a
  /// smoother. Boxes with a ghost zone exchange it once before all of them, see `grown` in
  /// patterns/box_problem.hpp.
  int sweeps = 1;
  Scalar type = f64;
  std::string boundary = "ghost";  ///< ghost (caller-filled), periodic, dirichlet, dirichlet-value, neumann,
                                   ///< clamp, mirror, constant; see patterns/box_problem.hpp
  std::map<std::string, std::string> choices;  ///< pattern-specific, e.g. {"smoother", "jacobi"}
  /// The expression is built over size variables, which the kernel takes at run time: `box` and `boxes` are
  /// then only the sizes for which a variant is chosen. See BoxProblem in patterns/box_problem.hpp.
  bool symbolic = false;
};

/// One array or scalar of the problem, by argument name. Arrays are row-major, in the caller's layout.
struct HostArray {
  std::string name;
  Type type;             ///< array or scalar type
  void* data = nullptr;  ///< size: product of the lengths times size_of(scalar); scalars: one element
};

struct Pattern {
  std::string name;
  std::string summary;       ///< one line for `liftgen list`
  std::string formula = {};  ///< a line or more for the operator reference; may be empty
  std::map<std::string, std::vector<std::string>> choices =
      {};  ///< allowed values of Problem::choices, default first
  /// The expression. Throws UserError (one line: what, where, remedy) for a problem it cannot be built for.
  std::function<Program(const Problem&)> build;
  /// Fills one argument with the benchmark problem's data (smooth, non-constant), in parallel.
  std::function<void(const Problem&, const HostArray&)> fill;
  /// The results computed by plain C++ loops from the formulas: reads the arguments (in order of
  /// Program::arguments), writes `results` (whole arrays, in the order and of the types of results_of).
  /// Scalars are passed as one-element arrays.
  std::function<void(const Problem&, const std::vector<HostArray>& arguments,
                     const std::vector<HostArray>& results)>
      reference;
  /// C99 source of `void plain(<arguments by pointer (arrays) or value (scalars)>[, T *result...])`: nested
  /// loops as a person would write them, `#pragma omp parallel for` on the outer loop and `SIMD` (a macro,
  /// empty or an omp simd pragma) before the innermost. Same convention as a generated kernel: writes in
  /// place where the operator does so, otherwise into new results (results_of), which come last. Empty when
  /// the pattern has none.
  std::function<std::string(const Problem&)> plain_c;
  /// Called before anything of it is compiled or run, but not to show it; UserError. May be empty.
  std::function<void()> before_running = {};
  int dimensions = 3;           ///< of a box
  bool sweeps = false;          ///< Problem::sweeps may be more than 1
  bool plain_in_place = false;  ///< plain() writes its results into the first overwritable arguments
};

const std::vector<std::shared_ptr<const Pattern>>& all_patterns();
/// Throws UserError listing near matches when there is none of that name.
const Pattern& find_pattern(const std::string& name);

}  // namespace lift
