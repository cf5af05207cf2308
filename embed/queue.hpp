// Queues of a device: calls that go on while the program does other things.
#pragma once

#include <memory>

#include "embed/device.hpp"

namespace lift {

struct QueueParts;

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
  Queue(Queue&&) noexcept;
  Queue& operator=(Queue&& other) noexcept;

  const Device& device() const { return device_; }
  /// Returns when all is done. Throws what went wrong first since it was called last: DeviceLost and other
  /// EnvironmentErrors, KernelFault where kernels are emulated. What that call and those after it were to
  /// write is undefined then.
  void wait();

  QueueParts& parts() { return *parts_; }

 private:
  Device device_;
  std::unique_ptr<QueueParts> parts_;
};

}  // namespace lift
