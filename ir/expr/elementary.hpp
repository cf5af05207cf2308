// Elementary functions of real numbers, as the C library has them: one row is all that the interpreter, the
// emitters and the bounds of rounding errors know of a function.
#pragma once

#include <span>

#include "ir/expr/expr.hpp"

namespace lift {

struct Elementary {
  Op op;  ///< its text is the name in math.h; for f32 an f follows there
  double (*of_f64)(double, double);
  float (*of_f32)(float, float);
  /// What implementations may be off, in units in the last place: the most that OpenCL C allows in single
  /// precision (OpenCL C 1.2, table 7.4), where CUDA and glibc's vectors stay below it.
  double ulps;
  bool in_libmvec;  ///< glibc computes it for vectors
  bool is_periodic = false;
};

/// nullptr for other ops. A function of one argument ignores the second.
const Elementary* elementary(Op op);
std::span<const Elementary> all_elementary();

}  // namespace lift
