// Threads for our own loops over data, and the settings of the OpenMP run time that kernels bring with them.
//
// liftgen itself is not built with OpenMP: the kernels' OpenMP run time reads its environment once, when the
// first kernel is opened in a process.
#pragma once

#include <cstddef>
#include <functional>

namespace lift {

/// Calls f(begin, end) once for each of `threads` contiguous chunks of [0, n), each on a thread of its own
/// that sits where the OpenMP thread of that number would (static schedule), so that pages are first touched
/// by who uses them. `threads` <= 0: default_threads(). Empty chunks are left out. The first exception is
/// rethrown after all have ended.
void parallel_for_chunks(std::size_t n, int threads, const std::function<void(std::size_t, std::size_t)>& f);

/// Sets the number of threads of kernels: in workers made from now on, where they are also pinned if that
/// makes sense and the user has not said otherwise; and in this process, for the calling thread, once the run
/// time is open. `threads` <= 0: default_threads(). Returns the number of threads. EnvironmentError where
/// has_lost_threads().
int configure_openmp(int threads);
/// The threads of kernels: those of the last configure_openmp, else default_threads().
int configured_threads();

bool is_openmp_open();
/// Of kernels that the calling thread calls from now on.
void set_openmp_threads(int threads);

/// Whether this process is a copy (fork) of one in which an OpenMP run time was open. That counts on threads
/// which the copy has not, and would wait for them forever: there, kernels need set_openmp_threads(1).
bool has_lost_threads();

}  // namespace lift
