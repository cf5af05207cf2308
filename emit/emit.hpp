// Kernels as source text. All is decided in lower/; a backend only spells what was lowered for it
// (InternalError for other kernels).
#pragma once

#include <map>
#include <string>

#include "ir/target.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

/// C11 with OpenMP and GCC vector extensions (gcc and clang): one self-contained translation unit that
/// defines
///   void NAME(<sizes as long, arguments: arrays by pointer, f32/f64 by value, index params as int>)
/// with the kernel's header as a comment and how to compile it alone, as C or C++ (then with C linkage).
/// Kernels that allocate memory (Kernel::scratch) are of type int: 0, or 1 where there is not enough of it;
/// then nothing has been computed.
/// Arrays begin anywhere: stores past the caches are ordinary ones where those would fault. UserError for
/// names that are words of C or C++.
std::string emit_openmp(const Kernel& kernel);

/// For calling without knowing the signature: `int liftgen_call(void **args)`, args being addresses of the
/// sizes, then for each argument the pointer of the array or the address of the scalar. Appended to the C
/// source of a kernel (or of a plain `void plain(...)` of the same arguments). Not 0: there was not enough
/// memory for the kernel to begin.
std::string emit_trampoline(const Kernel& kernel, const std::string& function);

/// Untransformed loops on logical positions (lower_undecided) as C99 for compilers that read affine loops:
///   void NAME(<sizes as int, arguments: arrays with all their dimensions, others by value>)
/// with the loops between #pragma scop and #pragma endscop; indices are sums, products with numbers, / and %.
/// Called through the trampoline like other kernels. UserError for what such compilers do not read.
std::string emit_scop(const Kernel& loops);
/// The same as a C programmer has it: parallel loops are shared by OpenMP, vector loops (of width 1) have
/// SIMD before them, a macro that is empty unless it is defined.
std::string emit_plain_loops(const Kernel& loops);
/// The same function with other loops: `body`, in which Sn(a, b, ...) is the n-th store of the text, from 0,
/// at those values of the variables of the loops around it.
std::string emit_rescheduled(const Kernel& loops, const std::string& body);

/// OpenCL C 1.2: `__kernel void NAME(...)`, arguments as above. UserError for names that are words of OpenCL
/// C.
std::string emit_opencl(const Kernel& kernel);

/// CUDA C++ for nvcc and NVRTC: `extern "C" __global__ void __launch_bounds__(threads) NAME(...)`, arguments
/// as above. UserError for names that are words of CUDA C++.
std::string emit_cuda(const Kernel& kernel);

/// One of the three: that which the kernel was lowered for.
std::string emit_source(const Kernel& kernel);

/// A header for C and C++ that declares the kernel and says what its arguments are; for arrays that are not
/// in the caller's layout it defines where an element lies, KERNEL_index_ARRAY(sizes, position).
std::string emit_c_header(const Kernel& kernel);

/// A C (and C++) program without liftgen: allocates and fills the arguments, runs `kernel` and `reference`
/// (the same program in the caller's layout, best without any decision), compares the results, times the
/// kernel; its exit status is 1 when results differ. Sizes come from its command line, else from `sizes` (64
/// where it names none).
std::string emit_c_caller(const Kernel& kernel, const Kernel& reference,
                          const std::map<std::string, std::int64_t>& sizes = {});

/// The same for hosts of kernels over a grid: the source is NAME.cl or NAME.cu.
///   opencl: a C (and C++) header with `cl_int NAME_enqueue(queue, program, arguments...)`, arrays being
///   cl_mem, and a C program
///           that builds NAME.cl for a device of the OpenCL loader;
///   cuda:   a header for nvcc with `void NAME_launch(stream, arguments...)`, and a program NAME_main.cu.
/// Either does all launches of the kernel, in order. For openmp: as emit_c_header and emit_c_caller.
std::string emit_header(const Kernel& kernel);
std::string emit_caller(const Kernel& kernel, const Kernel& reference,
                        const std::map<std::string, std::int64_t>& sizes = {});

}  // namespace lift
