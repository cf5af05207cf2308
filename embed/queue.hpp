// Queues of a device: calls that go on while the program does other things.
#pragma once

#include <memory>
#include <utility>

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
  /// Does what `calls` asks of the queue as one chain, which is handed to the device when it returns. A chain
  /// that was asked for before, of the same kernels, sizes, arrays and numbers, is replayed where the device
  /// can: on CUDA from the third time on by one call of the driver (a graph), however many calls it has.
  /// Other arrays or numbers make another chain; some of the last ones are remembered. Transfers within it,
  /// and calls of other queues that use its arrays, divide a chain. Launches that the device refuses are said
  /// here.
  template <class F>
  void together(const F& calls) {
    const Held held(*this);
    calls();
    held.hand_over();
  }
  /// The same for what is asked between the two; they may be nested.
  void begin_together();
  void end_together();

  /// UserError: it was moved from; all that is asked of a queue needs them.
  QueueParts& parts();

 private:
  class Held {
   public:
    explicit Held(Queue& queue) : queue_(queue) { queue_.begin_together(); }
    /// Where `calls` threw: what it has asked for is done.
    ~Held() {
      try {
        hand_over();
      } catch (...) {
      }
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    void hand_over() const {
      if (std::exchange(held_, false)) queue_.end_together();
    }

   private:
    Queue& queue_;
    mutable bool held_ = true;
  };

  Device device_;
  std::unique_ptr<QueueParts> parts_;
};

}  // namespace lift
