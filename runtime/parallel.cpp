#include "runtime/parallel.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/affinity.hpp"

namespace lift {

void parallel_for_chunks(std::size_t n, int threads, const std::function<void(std::size_t, std::size_t)>& f) {
  if (n == 0) return;
  if (threads <= 0) threads = default_threads();
  const auto count = static_cast<std::size_t>(threads);
  if (count == 1) return f(0, n);

  const bool pin = should_pin(threads);
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t thread) {
    // Inherited masks may be those of a pinned OpenMP master.
    bind_this_thread(pin ? place_of_thread(static_cast<int>(thread), threads) : allowed_cpus());
    const std::size_t extra = n % count;
    const std::size_t begin = thread * (n / count) + std::min(thread, extra);
    const std::size_t end = begin + n / count + (thread < extra ? 1 : 0);
    try {
      if (begin < end) f(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t thread = 0; thread < std::min(count, n); ++thread) workers.emplace_back(work, thread);
  workers.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

int configure_openmp(int threads) {
  if (threads <= 0) threads = default_threads();
  ::setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  if (should_pin(threads)) {
    ::setenv("OMP_PROC_BIND", "true", 0);
    ::setenv("OMP_PLACES", "cores", 0);
  }
  for (const char* name : {"libgomp.so.1", "libomp.so.5", "libomp.so"}) {
    void* library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* set = ::dlsym(library, "omp_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(threads);
    ::dlclose(library);
  }
  return threads;
}

}  // namespace lift
