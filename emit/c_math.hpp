// Functions of numbers and of vectors of them in C: those of math.h, and others that are defined before the
// text that asked for them.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "ir/expr/term.hpp"

namespace lift {

/// The function that is min or max of real numbers on grids, where fmin and fmax treat a NaN otherwise than
/// the language does.
std::string extremum_function(Op op, Scalar s, int width);
/// Those among `helpers`, each after `qualifier`.
std::string extremum_helpers(const std::set<std::string>& helpers, const std::string& qualifier);

class MathFunctions {
 public:
  /// The function that computes min, max, abs, div, mod or an elementary function; width 1: of numbers.
  std::string function(Op op, Scalar s, int width);

  bool calls_library() const;   ///< math.h is needed
  bool passes_vectors() const;  ///< some take vectors
  bool has_intrinsics() const;  ///< some are of the machine's instructions
  std::string definitions() const;

 private:
  std::string vectors_of_library() const;
  std::set<std::tuple<Op, Scalar, int>> used_;
};

}  // namespace lift
