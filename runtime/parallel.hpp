// Threads for our own loops over data, and the settings of the OpenMP run time that kernels bring with them.
//
// liftgen itself is not built with OpenMP: the kernels' OpenMP run time reads its environment once, when the
// first kernel is opened, so that `configure_openmp` can still set it.
#pragma once

#include <cstddef>
#include <functional>

namespace lift {

/// Calls f(begin, end) once for each of `threads` contiguous chunks of [0, n), each on a thread of its own
/// that sits where the OpenMP thread of that number would (static schedule), so that pages are first touched
/// by who uses them. `threads` <= 0: default_threads(). Empty chunks are left out. The first exception is
/// rethrown after all have ended.
void parallel_for_chunks(std::size_t n, int threads, const std::function<void(std::size_t, std::size_t)>& f);

/// Sets OMP_NUM_THREADS for kernels, and OMP_PROC_BIND=true with OMP_PLACES=cores where pinning makes sense
/// and the user has not set them. Call it before the first kernel is opened; called later it changes the
/// number of threads only, for the calling thread. `threads` <= 0: default_threads(). Returns the number of
/// threads.
int configure_openmp(int threads);

}  // namespace lift
