// Kernels as source text. Placement has been decided in lower/; a backend only spells.
#pragma once

#include <array>

#include "lower/loop.hpp"

namespace lift {

/// C11 with OpenMP and GCC vector extensions (gcc and clang): one self-contained translation unit that defines
///   void NAME(<arguments: arrays by pointer, f32/f64 by value, index params as int>)
/// with the kernel's header as a comment and how to compile it alone.
std::string emit_openmp(const Kernel& kernel);

/// For calling without knowing the signature: `void liftgen_call(void **args)`, args[i] being the pointer of array i or the
/// address of scalar i. Appended to the C source of a kernel (or of a plain `void plain(...)` of the same arguments).
std::string emit_trampoline(const Kernel& kernel, const std::string& function);

/// OpenCL C 1.2: `__kernel void NAME(...)`, arguments as above.
std::string emit_opencl(const Kernel& kernel);

/// The grid an OpenCL kernel is launched over, from its map_glb, map_wrg and map_lcl loops. Local all zero: free choice.
struct NDRange {
  int dims = 1;
  std::array<std::size_t, 3> global{1, 1, 1}, local{0, 0, 0};
};
NDRange nd_range(const Kernel& kernel);

/// A C header that declares the kernel, and a caller with a main() that allocates, fills, runs and times it (no liftgen).
std::string emit_c_header(const Kernel& kernel);
std::string emit_c_caller(const Kernel& kernel);

}  // namespace lift
