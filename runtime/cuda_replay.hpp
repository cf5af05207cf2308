// Inside the runtime: chains of launches that a stream of CUDA is asked for again and again. The second time,
// the driver captures a chain as a graph; from then on asking for it is one call, however many launches it
// has.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "runtime/cuda_api.hpp"

namespace lift::cuda {

/// What the driver is told of a launch. Parameters are the bytes of a number, or an address.
struct CudaLaunch {
  GridKernel kernel;  ///< keeps the function
  Function function = nullptr;
  std::array<unsigned, 3> groups{1, 1, 1}, items{1, 1, 1};
  unsigned local_bytes = 0;
  std::vector<std::uint64_t> parameters;
  friend bool operator==(const CudaLaunch&, const CudaLaunch&) = default;
};

Status submit(Stream to, const CudaLaunch& launch);

/// Of one stream. With the context current, by one thread at a time.
class Replay {
 public:
  /// Asks for all launches, one after the other: those of a chain that was asked for before, with the same
  /// parameters and sizes, as a graph. The first status that is none of success.
  Status run(Stream stream, std::vector<CudaLaunch> chain);
  /// Forgets all chains; the stream has been waited for.
  void clear();

 private:
  struct Chain {
    std::vector<CudaLaunch> launches;
    GraphExec graph = nullptr;
    bool refused = false;  ///< by the driver, to capture it
  };
  static bool capture(Stream stream, Chain& chain);
  std::list<Chain> chains_;  ///< the last used first
};

}  // namespace lift::cuda
