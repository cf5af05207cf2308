// An in-order queue of a device: what is asked of it is done later, while the caller goes on.
//
// Queues of one device do not wait for one another, and the device's own requests (GridDevice::write, run,
// ...) not for them, unless they are told to. What can be seen to be impossible is said at once, as
// GridDevice says it; what goes wrong later is thrown by wait(). Buffers and kernels are kept until then, the
// host's memory is the caller's to keep. The device outlives its queues. Safe to use from several threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "runtime/grid_device.hpp"

namespace lift {

class GridQueue {
 public:
  virtual ~GridQueue() = default;  ///< those who implement it wait; errors are lost then
  GridQueue(const GridQueue&) = delete;
  GridQueue& operator=(const GridQueue&) = delete;

  /// Sizes and offsets in bytes. `from` keeps its contents, `to` is not looked at, until wait().
  void write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset = 0);
  void read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset = 0);
  void copy(const GridMemory& to, const GridMemory& from);  ///< all of it; equal sizes
  void run(std::span<const GridLaunch> launches);
  /// From hold() to the release() that belongs to it, launches are gathered and asked of the device at once:
  /// all then, or those so far where something else is asked of the queue, or what another queue is asked
  /// shall come after them. Devices may know a chain of launches again and do it with less ado.
  void hold();
  void release();
  /// What is asked from now on begins when what `other`, a queue of this device, has been asked so far is
  /// done.
  void follow(const std::shared_ptr<GridQueue>& other);
  /// Returns when all is done. Throws the first thing that went wrong since it was called last; what was to
  /// follow that may not have been done.
  void wait();
  /// Nothing was asked since wait().
  bool is_idle() const { return waited_ == asked_; }

 protected:
  explicit GridQueue(GridDevice& device) : device_(&device) {}
  GridDevice& device() const { return *device_; }

 private:
  // Requests have been checked, as those of GridDevice.
  virtual void queue_write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset) = 0;
  virtual void queue_read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) = 0;
  virtual void queue_copy(const GridMemory& to, const GridMemory& from) = 0;
  virtual void queue_run(std::span<const GridLaunch> launches) = 0;
  virtual void queue_follow(const std::shared_ptr<GridQueue>& other) = 0;
  virtual void wait_for_all() = 0;

  /// One more request, which uses these.
  void asked(const std::vector<std::shared_ptr<const void>>& used);
  /// What is gathered goes to the device.
  void hand_over();

  GridDevice* device_;
  std::atomic<std::uint64_t> asked_ = 0, waited_ = 0;
  std::mutex kept_mutex_;
  std::set<std::shared_ptr<const void>> kept_;  ///< what the requests since wait() use
  std::mutex held_mutex_;
  std::vector<GridLaunch> held_;
  int holds_ = 0;
};

}  // namespace lift
