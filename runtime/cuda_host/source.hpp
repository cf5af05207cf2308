// CUDA source text as C++ of the host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lift::cuda_host {

struct KernelText {
  std::string name;
  std::vector<std::string> parameters;  ///< names
  int max_threads = 0;                  ///< __launch_bounds__'s first number; 0: none
  bool is_dynamic = false;              ///< it has an `extern __shared__` array
};

/// The kernels (`__global__` functions) of a source, in order. UserError when one cannot be read.
std::vector<KernelText> kernels_of(const std::string& cuda);

/// Of `extern __shared__` arrays, whose sizes launches say: room for what a block may have on sm_90.
constexpr std::size_t kMostDynamicBytes = std::size_t{227} * 1024;
/// Their names, each once.
std::vector<std::string> dynamic_arrays_of(const std::string& cuda);

/// Bytes to which arrays must be aligned for the vectors that a source mentions; 1 where it mentions none.
std::size_t vector_alignment(const std::string& cuda);

/// A C++14 translation unit: our declarations, the text unchanged but for `extern __shared__` (an array of
/// bytes, in functions that are `extern "C"`), and the list of its kernels,
/// `liftgen_host_kernels`, see module.h. Lines are counted from the text's first, as of a file kernel.cu.
/// UserError as kernels_of.
std::string as_cpp(const std::string& cuda);

/// What as_cpp puts before the text.
std::string declarations();

}  // namespace lift::cuda_host
