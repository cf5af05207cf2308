// What this machine is and how fast its memory can be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lift {

class NativeCompiler;

struct CacheLevel {
  int level = 0;          ///< 1 is nearest; data or unified caches only
  std::size_t bytes = 0;  ///< of one
  int shared_by = 0;      ///< allowed cores that use one
  int count = 0;          ///< how many there are
};

struct Machine {
  std::string device;              ///< the processor's name
  int threads = 0;                 ///< that kernels are to use
  int cores = 0;                   ///< allowed to this process
  int memories = 1;                ///< NUMA nodes with allowed cores
  std::vector<CacheLevel> caches;  ///< ascending; empty when the system does not tell
  std::size_t memory_bytes = 0;    ///< installed
  std::string compiler;            ///< e.g. "gcc 12.2.0"; empty when there is none
  std::string simd;                ///< "sse2", "avx", "avx2", "avx512", "neon", "sve", or "none"
  int vector_bytes = 0;            ///< of the widest of these; 8 for "none"

  /// STREAM triad a[i] = b[i] + s*c[i] on `threads` threads, f64, arrays far beyond the caches, in 10^9 bytes
  /// moved a second: the faster of the two below; 0 when not measured.
  double triad_gbs = 0;
  double triad_ordinary_gbs = 0;  ///< ordinary stores: 4 words an element, as the line written is read first
  double triad_streaming_gbs =
      0;                    ///< stores past the cache: 3 words an element; 0 where the compiler offers none
  std::string triad_error;  ///< why it could not be measured

  /// Bytes of the last-level caches together; 0 when unknown.
  std::size_t last_level_bytes() const;
};

/// `threads` <= 0: default_threads(). The triad takes about half a second; call configure_openmp(threads)
/// before.
Machine probe(NativeCompiler& compiler, int threads = 0, bool measure_triad = true);

}  // namespace lift
