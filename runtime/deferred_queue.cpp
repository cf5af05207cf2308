#include "runtime/deferred_queue.hpp"

#include <utility>

namespace lift {
namespace {

/// Requests of one queue may run those of another: one lock for all.
std::recursive_mutex& requests_mutex() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

}  // namespace

void DeferredQueue::later(std::function<void()> request) {
  const std::lock_guard lock(requests_mutex());
  requests_.push_back(std::move(request));
  ++issued_;
}

void DeferredQueue::run_until(std::uint64_t count) {
  const std::lock_guard lock(requests_mutex());
  while (done_ < count && !requests_.empty()) {
    const std::function<void()> request = std::move(requests_.front());
    requests_.pop_front();
    ++done_;
    if (failure_) continue;
    try {
      request();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
}

// What is written and read was counted when it was asked for.

void DeferredQueue::queue_write(const GridMemory& to, const void* from, std::size_t bytes,
                                std::size_t offset) {
  later([=, this] { device().write_bytes(*to, from, bytes, offset); });
}

void DeferredQueue::queue_read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) {
  later([=, this] { device().read_bytes(*from, to, bytes, offset); });
}

void DeferredQueue::queue_copy(const GridMemory& to, const GridMemory& from) {
  later([=, this] { device().copy(to, from); });
}

void DeferredQueue::queue_run(std::span<const GridLaunch> launches) {
  later([this, all = std::vector<GridLaunch>(launches.begin(), launches.end())] { device().run(all); });
}

void DeferredQueue::queue_follow(const std::shared_ptr<GridQueue>& other) {
  const auto before = std::static_pointer_cast<DeferredQueue>(other);
  const std::lock_guard lock(requests_mutex());
  later([before, count = before->issued_] { before->run_until(count); });
}

void DeferredQueue::wait_for_all() {
  const std::lock_guard lock(requests_mutex());
  run_until(issued_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace lift
