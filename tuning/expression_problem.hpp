// A bare expression as something to explore: a pattern made of a program, numbers for its sizes, and a
// description of its data.
//
// It has no reference of its own. What variants are held against at full size is the kernel that takes no
// decision; that kernel and one variant of each structure are compared with the interpreter at small sizes
// (tuning/small_check.hpp).
#pragma once

#include "ir/expr/sizes.hpp"
#include "patterns/pattern.hpp"

namespace lift {

/// How the elements of an argument are made.
///   uniform   pseudo-random in [low, high); the same for the same seed, wherever it runs
///   smooth    a sum of waves along the dimensions, within [low, high]
///   constant  low
///   file, npy raw elements or an array of numpy's, see data_files.hpp; a small problem takes the first ones
///   given     by the caller's function, also at small sizes (see the array's type)
/// Where low and high are the same, a float argument lies in [0.5, 1.5), an i32 one in [0, 10), an index
/// param has its least value.
struct ArgumentData {
  enum class Kind : std::uint8_t { uniform, smooth, constant, file, npy, given } kind = Kind::uniform;
  double low = 0, high = 0;
  std::uint64_t seed = 1;
  std::string path = {};
  std::function<void(const HostArray&)> fill = {};
};

/// Fills an argument; not `whole`: with the first elements of what a file holds. UserError: see
/// data_files.hpp.
void fill_argument(const HostArray& a, const Expr& param, ArgumentData d, bool whole);

struct ExpressionProblem {
  Program program;                                ///< lengths may be symbolic
  Sizes sizes = {};                               ///< a number for each symbolic length
  std::map<std::string, ArgumentData> data = {};  ///< by argument; uniform for those not named
  std::string summary = {};
  std::string why_not_symbolic = {};  ///< why its lengths are numbers, where that is an error
};

/// What `explore` takes. Problem::box is the largest size; built for another box, the pattern takes small
/// numbers for its sizes, or throws UserError when it has none and is too large for the interpreter. With
/// Problem::symbolic it is the program as it stands, over its sizes.
/// UserError: sizes, names in `data`, or a file that does not fit the program.
struct PatternProblem {
  Pattern pattern;
  Problem problem;
};
PatternProblem pattern_of(const ExpressionProblem& p);

}  // namespace lift
