// CUDA source, compiled for the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda_host/module.h"
#include "runtime/cuda_host/source.hpp"
#include "runtime/native.hpp"

namespace lift::cuda_host {

/// What NativeCompiler compiles for `cuda`, with `flags` beside those below; `compiler` as in NativeSource.
/// Undefined behaviour traps, products and sums are rounded one by one. UserError as kernels_of.
/// `counts`: accesses are told to LiftgenHostState::access, and nothing is checked.
NativeSource native_source(const std::string& cuda, const std::vector<std::string>& flags = {},
                           const std::string& compiler = {}, bool counts = false);

struct CompiledKernel {
  KernelText text;
  const LiftgenHostKernel* entry = nullptr;
};

/// A compiled source, loaded.
class Compiled {
 public:
  Compiled(const std::string& cuda, std::shared_ptr<NativeLibrary> library);
  /// Null when there is none of that name.
  const CompiledKernel* find(const std::string& name) const;
  LiftgenHostState* state() const { return state_; }
  /// Bytes of all __shared__ arrays together, but for those whose size a launch says.
  std::size_t declared_shared_bytes() const {
    return static_cast<std::size_t>(state_->shared_end - state_->shared_begin) - dynamic_bytes_;
  }
  bool reads_only() const { return reads_only_; }       ///< it mentions loads through the read-only cache
  std::size_t alignment() const { return alignment_; }  ///< of arrays, see vector_alignment
  const std::vector<CompiledKernel>& kernels() const { return kernels_; }

 private:
  std::shared_ptr<NativeLibrary> library_;
  LiftgenHostState* state_;
  std::vector<CompiledKernel> kernels_;
  bool reads_only_;
  std::size_t dynamic_bytes_;
  std::size_t alignment_;
};

}  // namespace lift::cuda_host
