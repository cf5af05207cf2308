// What kernels do in global memory, counted where they run on the host.
//
// A device moves sectors of 32 bytes, from addresses that are multiples of 32; arrays begin at such
// addresses, as device memory does. Four numbers say how much it would move, each for loads and for stores:
//   bytes     distinct bytes, each once a launch: what the program needs;
//   sectors   distinct sectors, each once a launch: memory's traffic behind a cache that holds everything;
//   by_block  distinct sectors of each block, added up: memory's traffic where blocks find nothing of one
//   another's; by_warp   distinct sectors of each instruction that a warp executes, added up: the traffic of
//   the L2 cache,
//             when the first level holds nothing.
// A kernel's memory traffic on a device lies between `sectors` and `by_warp`.
//
// Instructions are those that the host's compiler leaves after optimising the kernel. A warp is 32
// consecutive threads of a block, x fastest. The n-th time that a thread comes to an instruction, counted
// from the last barrier, is taken to be one with the n-th time of its warp's other threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cuda_host/run.hpp"

namespace lift::cuda_host {

inline constexpr std::uint64_t kSectorBytes = 32;
inline constexpr std::size_t kWarp = 32;

/// Numbers of one direction; those of sectors in sectors.
struct Accesses {
  std::uint64_t bytes = 0, sectors = 0, by_block = 0, by_warp = 0;
  Accesses& operator+=(const Accesses& other);
};

struct ArrayTraffic {
  std::string array;  ///< the kernel's parameter
  Accesses loads, stores;
};

/// Of one launch.
struct LaunchTraffic {
  std::string kernel;
  std::vector<ArrayTraffic>
      arrays;  ///< its arguments that are arrays, in order; one passed twice counts once
  std::uint64_t blocks = 0, threads = 0;  ///< of the grid; of a block
  std::uint64_t shared_bytes = 0;         ///< of its module's __shared__ arrays, with what the launch adds
  Accesses loads() const;                 ///< of all arrays
  Accesses stores() const;
};

/// Runs the launches, of modules that were compiled for counting (native_source), once from the same
/// contents, which stay as they are. KernelFault: they did not end, or not all threads came to a barrier, or
/// a signal ended them; what is wrong is for run() to say. EnvironmentError: no memory, no process.
/// UserError: interrupted.
std::vector<LaunchTraffic> count_traffic(const Run& what, double timeout_seconds);

}  // namespace lift::cuda_host
