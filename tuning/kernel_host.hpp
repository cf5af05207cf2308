// Where compiled kernels run on the host: memory for them, and their calls, in a worker process or in this
// one (runtime/worker.hpp). Addresses of memory are the worker's; arrays of this process that were filled
// before the worker began can be read there under their own addresses.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "runtime/worker.hpp"
#include "tuning/difference.hpp"

namespace lift {

class KernelHost {
 public:
  /// `apart`: in a worker, where that is possible.
  KernelHost(int threads, bool apart);
  /// In a worker that others use, too.
  KernelHost(int threads, std::shared_ptr<Worker> worker);
  ~KernelHost();
  KernelHost(const KernelHost&) = delete;
  KernelHost& operator=(const KernelHost&) = delete;

  /// Zeroed. UserError when there is no memory left. Kept until the pointer, or the worker, is gone.
  std::shared_ptr<void> allocate(std::size_t bytes);
  /// Calls `liftgen_call` of a compiled object so many times; milliseconds of all. WorkerLost, see Worker.
  double call(const std::filesystem::path& object, std::span<void* const> arguments, int times = 1);
  void copy(void* to, const void* from, std::size_t bytes);
  /// See difference.hpp.
  void poison(void* to, std::size_t bytes);
  std::string read(const void* from, std::size_t bytes);
  Difference compare(Scalar type, const void* a, const void* b, const float* bounds, std::int64_t n,
                     double mean, double tolerance);

  /// See Worker.
  unsigned generation() { return worker_->generation(); }
  void restart() { worker_->stop(); }
  void guard(std::vector<std::pair<const void*, std::size_t>> ranges) {
    worker_->guard(this, std::move(ranges));
  }
  /// For calls from now on; 0: none.
  void set_limit(double seconds) { limit_seconds_ = seconds; }
  int threads() const { return threads_; }

 private:
  template <class Result, class... Arguments>
  Result ask(Worker::Task task, const Arguments&... arguments);

  std::shared_ptr<Worker> worker_;
  int threads_;
  double limit_seconds_ = 0;
};

}  // namespace lift
