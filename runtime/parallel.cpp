#include "runtime/parallel.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <atomic>

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/environment.hpp"

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

namespace {

constexpr const char* kRunTimes[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

bool was_open = false, lost_threads = false;
[[maybe_unused]] const int watched =
    ::pthread_atfork([] { was_open = is_openmp_open(); }, nullptr, [] { lost_threads |= was_open; });

}  // namespace

void set_openmp_threads(int threads) {
  for (const char* name : kRunTimes) {
    void* library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* set = ::dlsym(library, "omp_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(threads);
    ::dlclose(library);
  }
}

bool is_openmp_open() {
  return std::any_of(std::begin(kRunTimes), std::end(kRunTimes), [](const char* name) {
    void* library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library != nullptr) ::dlclose(library);
    return library != nullptr;
  });
}

bool has_lost_threads() { return lost_threads; }

static std::atomic<int> configured = 0;  ///< threads; 0: nobody has said how many

int configure_openmp(int threads) {
  if (has_lost_threads())
    throw EnvironmentError(
        "this process is a copy (fork) of one that has run kernels, whose threads it has not: kernels run "
        "here with "
        "one thread, and there is nothing to explore; start it anew (in Python: "
        "multiprocessing.get_context(\"spawn\")), or explore before the first kernel is called");
  if (threads <= 0) threads = default_threads();
  set_in_workers("OMP_NUM_THREADS", std::to_string(threads), true);
  if (should_pin(threads)) {
    set_in_workers("OMP_PROC_BIND", "true");
    set_in_workers("OMP_PLACES", "cores");
  }
  set_openmp_threads(threads);
  configured = threads;
  return threads;
}

int configured_threads() { return configured > 0 ? configured.load() : default_threads(); }

}  // namespace lift
