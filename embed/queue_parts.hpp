// What a queue consists of. Private to this folder.
#pragma once

#include <map>
#include <mutex>

#include "embed/queue.hpp"
#include "runtime/grid_queue.hpp"

namespace lift {

/// A queue, and memory that its calls use one after the other.
struct QueueParts {
  std::shared_ptr<GridQueue> grid;
  std::mutex mutex;  ///< a call is asked for as a whole
  /// By number and bytes: calls of several sizes in turn allocate nothing, and nothing piles up until wait().
  std::map<std::pair<std::size_t, std::size_t>, GridMemory> scratch;

  /// For the n-th array of a call that has no memory of its own. With the mutex held.
  GridMemory scratch_of(const Device& device, std::size_t n, std::size_t bytes);
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
