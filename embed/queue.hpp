// Queues of a device: calls that go on while the program does other things.
#pragma once

#include <map>
#include <mutex>

#include "embed/device.hpp"
#include "runtime/grid_queue.hpp"

namespace lift {

/// A queue, and memory that its calls use one after the other. Private to this folder.
struct QueueParts {
  std::shared_ptr<GridQueue> grid;
  std::mutex mutex;  ///< a call is asked for as a whole
  /// By number and bytes: calls of several sizes in turn allocate nothing, and nothing piles up until wait().
  std::map<std::pair<std::size_t, std::size_t>, GridMemory> scratch;

  /// For the n-th array of a call that has no memory of its own. With the mutex held.
  GridMemory scratch_of(const Device& device, std::size_t n, std::size_t bytes);
};

/// Calls (`kernel.async(queue, ...)`) and transfers in the order in which they are asked for, each beginning
/// when those before are done. Calls in different queues go on at the same time, except where they use the
/// same array and one writes it: those are done in the order in which they were asked for, too. Safe to use
/// from several threads.
class Queue {
 public:
  /// Errors as Device.
  explicit Queue(const Device& device);
  /// Waits; an error is lost then.
  ~Queue();
  Queue(Queue&&) noexcept = default;
  Queue& operator=(Queue&& other) noexcept {
    std::swap(device_, other.device_), std::swap(parts_, other.parts_);
    return *this;
  }

  const Device& device() const { return device_; }
  /// Returns when all is done. Throws what went wrong first since it was called last: DeviceLost and other
  /// EnvironmentErrors, KernelFault where kernels are emulated. What that call and those after it were to
  /// write is undefined then.
  void wait() { parts_->grid->wait(); }

  QueueParts& parts() { return *parts_; }

 private:
  Device device_;
  std::unique_ptr<QueueParts> parts_;
};

/// A queue for one call; the device keeps it for the next one.
class QueueLoan {
 public:
  explicit QueueLoan(const Device& device);
  /// Waits, so that nothing uses the caller's memory any more.
  ~QueueLoan();
  QueueLoan(const QueueLoan&) = delete;
  QueueLoan& operator=(const QueueLoan&) = delete;
  QueueParts* operator->() { return parts_.get(); }
  QueueParts& operator*() { return *parts_; }

 private:
  Device device_;
  std::unique_ptr<QueueParts> parts_;
};

}  // namespace lift
