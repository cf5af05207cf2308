// Kernels as sources, from before the passes that only their target needs: built by hand, or lowered for
// reading.
#pragma once

#include "emit/emit.hpp"
#include "ir/verify_mode.hpp"
#include "lower/lower.hpp"
#include "lower/passes/grids.hpp"

namespace lift::test {

inline std::string spelled(const Kernel& k, Target target) { return emit_source(for_target(k, target)); }
inline std::string openmp_of(const Kernel& k) { return spelled(k, Target::openmp); }
inline std::string opencl_of(const Kernel& k) { return spelled(k, Target::opencl); }
inline std::string cuda_of(const Kernel& k) { return spelled(k, Target::cuda); }

/// While it lives, kernels may be broken: by tests of what else sees that.
struct Unverified {
  Unverified() { set_verify_steps(false); }
  ~Unverified() { set_verify_steps(true); }
  Unverified(const Unverified&) = delete;
  Unverified& operator=(const Unverified&) = delete;
};

}  // namespace lift::test
