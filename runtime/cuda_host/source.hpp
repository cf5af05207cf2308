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
};

/// The kernels (`__global__` functions) of a source, in order. UserError when one cannot be read.
std::vector<KernelText> kernels_of(const std::string& cuda);

/// Bytes to which arrays must be aligned for the vectors that a source mentions; 1 where it mentions none.
std::size_t vector_alignment(const std::string& cuda);

/// A C++14 translation unit: our declarations, the text unchanged, and the list of its kernels,
/// `liftgen_host_kernels`, see module.h. Lines are counted from the text's first, as of a file kernel.cu.
/// UserError as kernels_of.
std::string as_cpp(const std::string& cuda);

/// What as_cpp puts before the text.
std::string declarations();

}  // namespace lift::cuda_host
