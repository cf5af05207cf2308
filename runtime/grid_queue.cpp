#include "runtime/grid_queue.hpp"

#include <utility>

#include "runtime/grid_checks.hpp"

namespace lift {

void GridQueue::asked(const std::vector<std::shared_ptr<const void>>& used) {
  const std::lock_guard lock(kept_mutex_);
  kept_.insert(used.begin(), used.end());
  ++asked_;
}

void GridQueue::write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset) {
  check_range("write", bytes, offset, checked(to, "write").bytes());
  if (bytes == 0) return;
  asked({to});
  device_->count_write(bytes);
  hand_over();
  queue_write(to, from, bytes, offset);
}

void GridQueue::read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) {
  check_range("read", bytes, offset, checked(from, "read").bytes());
  if (bytes == 0) return;
  asked({from});
  device_->count_read(bytes);
  hand_over();
  queue_read(from, to, bytes, offset);
}

void GridQueue::copy(const GridMemory& to, const GridMemory& from) {
  check_same_size(checked(to, "copy"), checked(from, "copy"));
  if (to->bytes() == 0) return;
  asked({to, from});
  hand_over();
  queue_copy(to, from);
}

void GridQueue::run(std::span<const GridLaunch> launches) {
  std::vector<std::shared_ptr<const void>> used;
  for (const GridLaunch& launch : launches) {
    check_fits(launch, device_->info());
    used.push_back(launch.kernel);
    for (const GridArg& arg : launch.args)
      if (arg.kind() == GridArg::Kind::Memory) used.push_back(arg.memory());
  }
  if (launches.empty()) return;
  asked(used);
  const std::lock_guard lock(held_mutex_);
  if (holds_ == 0) return queue_run(launches);
  held_.insert(held_.end(), launches.begin(), launches.end());
}

void GridQueue::hold() {
  const std::lock_guard lock(held_mutex_);
  ++holds_;
}

void GridQueue::release() {
  {
    const std::lock_guard lock(held_mutex_);
    if (holds_ == 0) throw InternalError("device: a queue is released that is not held");
    if (--holds_ > 0) return;
  }
  hand_over();
}

void GridQueue::hand_over() {
  const std::lock_guard lock(held_mutex_);
  if (const std::vector<GridLaunch> launches = std::exchange(held_, {}); !launches.empty())
    queue_run(launches);
}

void GridQueue::follow(const std::shared_ptr<GridQueue>& other) {
  if (other->device_ != device_) throw InternalError("device: a queue cannot follow one of another device");
  if (other.get() == this || other->is_idle()) return;
  asked({});
  hand_over(), other->hand_over();
  queue_follow(other);
}

void GridQueue::wait() {
  std::set<std::shared_ptr<const void>> done;
  const std::uint64_t before = asked_;
  struct Done {
    GridQueue& queue;
    std::set<std::shared_ptr<const void>>& done;
    std::uint64_t before;
    ~Done() {
      const std::lock_guard lock(queue.kept_mutex_);
      if (queue.asked_ == before) std::swap(done, queue.kept_);
      queue.waited_ = before;
    }
  } const at_end{*this, done, before};
  hand_over();
  wait_for_all();
}

}  // namespace lift
