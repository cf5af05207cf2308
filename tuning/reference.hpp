// The results that a program's own kernel, as it is written, computes, and how far right ones may be off.
#pragma once

#include "lower/lower.hpp"
#include "runtime/native.hpp"
#include "tuning/expected.hpp"

namespace lift {

struct ReferenceOptions {
  bool values = true;        ///< into the results; else only bounds are wanted
  double limit_seconds = 0;  ///< 0: none
  int threads = 1;
};

/// Runs the kernel of `program` that takes no decision, apart where that is possible. Bounds
/// (error_bounds.hpp) are left out where the kernel is not understood. EnvironmentError when the compiler is
/// at fault, UserError when the kernel crashes or does not end.
void compute_reference(const Program& program, const LowerOptions& lowering, NativeCompiler& compiler,
                       const ProblemData& arguments, ExpectedResults& into, const ReferenceOptions& options);

/// Who may be at fault when a kernel crashes, to be put behind a message; empty where there is nobody.
std::string functions_called(const Program& program);

}  // namespace lift
