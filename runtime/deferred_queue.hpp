// A queue for devices that have none: what it is asked for is done, in order, when it is waited for. A caller
// that looks at a result before that sees, always, what another device would show only sometimes.
#pragma once

#include <deque>
#include <exception>
#include <functional>

#include "runtime/grid_queue.hpp"

namespace lift {

class DeferredQueue final : public GridQueue {
 public:
  explicit DeferredQueue(GridDevice& device) : GridQueue(device) {}
  ~DeferredQueue() override { run_until(issued_); }

 private:
  void queue_write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset) override;
  void queue_read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) override;
  void queue_copy(const GridMemory& to, const GridMemory& from) override;
  void queue_run(std::span<const GridLaunch> launches) override;
  void queue_follow(const std::shared_ptr<GridQueue>& other) override;
  void wait_for_all() override;

  void later(std::function<void()> request);
  /// Does what is left of the first `count` requests. After one that failed the others are dropped.
  void run_until(std::uint64_t count);

  std::deque<std::function<void()>> requests_;
  std::uint64_t issued_ = 0, done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace lift
