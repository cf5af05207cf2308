#include "runtime/cuda_host/fibers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ir/error.hpp"

namespace lift::cuda_host {
namespace {

constexpr std::size_t kGuard = 4096, kStack = 16 * kGuard;  // a guard page below each stack

}  // namespace

Fibers* Fibers::current = nullptr;

Fibers::Fibers(std::size_t threads, std::function<void()> on_interval)
    : fibers_(threads),
      fiber_of_(threads),
      waits_at_(threads),
      copies_(threads),
      on_interval_(std::move(on_interval)) {
  mapped_ = threads * (kStack + kGuard);
  stacks_ =
      ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks_ == MAP_FAILED) {
    stacks_ = nullptr;
    throw InternalError("CUDA emulation: no memory for the stacks of " + std::to_string(threads) +
                        " threads");
  }
  for (std::size_t t = 0; t < threads; ++t)
    (void)::mprotect(static_cast<char*>(stacks_) + t * (kStack + kGuard), kGuard, PROT_NONE);
}

Fibers::~Fibers() {
  if (stacks_ != nullptr) ::munmap(stacks_, mapped_);
}

void Fibers::prepare(std::size_t fiber) {
  ucontext_t& context = fibers_[fiber].context;
  ::getcontext(&context);
  context.uc_stack.ss_sp = static_cast<char*>(stacks_) + fiber * (kStack + kGuard) + kGuard;
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  ::makecontext(&context, &Fibers::enter, 0);
}

LiftgenHostIndex Fibers::index_of(std::size_t thread) const {
  const auto t = static_cast<unsigned>(thread);
  const unsigned x = state_->block_size.x, y = state_->block_size.y;
  return {t % x, t / x % y, t / x / y};
}

void Fibers::enter() {
  for (;;) {
    current->take_threads();
    ::swapcontext(&current->fibers_[current->running_].context, &current->scheduler_);
  }
}

/// Runs threads that have not begun, one after the other: a fiber that meets no barrier serves them all.
void Fibers::take_threads() {
  const std::size_t fiber = running_;
  while (next_ < order_.size()) {
    const std::size_t thread = order_[next_++];
    fibers_[fiber].thread = thread, fiber_of_[thread] = fiber;
    state_->thread = index_of(thread);
    call_(arguments_);
    hide_copies();
    waits_at_[fibers_[fiber].thread] = kEnded;
  }
}

void Fibers::wait(int line) {
  Fibers& self = *current;
  Fiber& fiber = self.fibers_[self.running_];
  self.waits_at_[fiber.thread] = line;
  self.hide_copies();
  ::swapcontext(&fiber.context, &self.scheduler_);
}

void Fibers::begin_copy(void* to, const void* from, unsigned long bytes) {
  Fibers& self = *current;
  if (self.is_early()) {
    std::memmove(to, from, bytes);
    return;
  }
  Copy copy{to, from, bytes, {}};
  std::memcpy(copy.value, from, bytes);
  std::memset(to, self.poison_, bytes);
  self.copies_[self.fibers_[self.running_].thread].push_back(copy);
}

/// A device may read the source at any time until now: what has changed since is nothing to rely on.
void Fibers::finish_copies() {
  Fibers& self = *current;
  std::vector<Copy>& copies = self.copies_[self.fibers_[self.running_].thread];
  for (const Copy& c : copies)
    if (std::memcmp(c.value, c.from, c.bytes) == 0) {
      std::memcpy(c.to, c.value, c.bytes);
      self.own_.push_back(c);
    }
  copies.clear();
}

/// Before another thread goes on.
void Fibers::hide_copies() {
  for (Copy& c : own_) {
    std::memcpy(c.value, c.to, c.bytes);
    std::memset(c.to, poison_, c.bytes);
  }
  hidden_.insert(hidden_.end(), own_.begin(), own_.end());
  own_.clear();
}

/// After a barrier. Backwards: of two to one place, the first has the value.
void Fibers::show_copies() {
  for (auto c = hidden_.rbegin(); c != hidden_.rend(); ++c) std::memcpy(c->to, c->value, c->bytes);
  hidden_.clear();
}

void Fibers::switch_to(std::size_t fiber) {
  running_ = fiber;
  ::swapcontext(&scheduler_, &fibers_[fiber].context);
}

void Fibers::arrange(std::vector<std::size_t>& order, const Schedule& schedule) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (schedule.order == Schedule::Order::backward) std::reverse(order.begin(), order.end());
  if (schedule.order == Schedule::Order::shuffled) std::shuffle(order.begin(), order.end(), random_);
}

bool Fibers::all_at_one_barrier(Divergence& found) const {
  const std::size_t threads = order_.size();
  const auto begin = waits_at_.begin(), end = begin + static_cast<std::ptrdiff_t>(threads);
  const auto waiting = std::find_if(begin, end, [](int line) { return line != kEnded; });
  const auto other = std::find_if(begin, end, [&](int line) { return line != *waiting; });
  if (other == end) return true;
  found = {index_of(static_cast<std::size_t>(waiting - begin)),
           index_of(static_cast<std::size_t>(other - begin)), *waiting, *other};
  return false;
}

bool Fibers::run_block(const Schedule& schedule, Divergence& found) {
  const std::size_t threads = order_.size();
  if (state_->shared_begin != state_->shared_end)
    std::memset(state_->shared_begin, schedule.poison,
                static_cast<std::size_t>(state_->shared_end - state_->shared_begin));
  for (std::vector<Copy>& copies : copies_) copies.clear();
  own_.clear(), hidden_.clear();
  poison_ = schedule.poison, early_ = schedule.order == Schedule::Order::shuffled;
  arrange(order_, schedule);
  next_ = 0;
  for (std::size_t fiber = 0; next_ < threads; ++fiber) {
    if (fiber == prepared_) prepare(prepared_++);
    switch_to(fiber);
  }
  if (on_interval_) on_interval_();
  const auto waits = [&](std::size_t thread) { return waits_at_[thread] != kEnded; };
  while (std::any_of(order_.begin(), order_.end(), waits)) {
    if (!all_at_one_barrier(found)) {
      prepared_ = 0;  // they are left where they wait
      return false;
    }
    show_copies();
    arrange(order_, schedule);
    for (const std::size_t thread : order_) {
      state_->thread = index_of(thread);
      switch_to(fiber_of_[thread]);
    }
    if (on_interval_) on_interval_();
  }
  return true;
}

bool Fibers::run_grid(LiftgenHostState& state, void (*call)(void**), void** arguments,
                      const Schedule& schedule, Divergence& found) {
  const std::size_t threads = std::size_t{state.block_size.x} * state.block_size.y * state.block_size.z;
  const std::size_t blocks = std::size_t{state.grid_size.x} * state.grid_size.y * state.grid_size.z;
  if (threads > fibers_.size())
    throw InternalError("CUDA emulation: a block of " + std::to_string(threads) +
                        " threads; there are stacks for " + std::to_string(fibers_.size()));
  current = this;
  state_ = &state, call_ = call, arguments_ = arguments;
  state.barrier = &Fibers::wait, state.copy_async = &Fibers::begin_copy,
  state.wait_for_copies = &Fibers::finish_copies;
  random_.seed(schedule.seed);
  order_.resize(threads);
  std::vector<std::size_t> order(blocks);
  arrange(order, schedule);
  for (const std::size_t b : order) {
    const auto block = static_cast<unsigned>(b);
    state.block = {block % state.grid_size.x, block / state.grid_size.x % state.grid_size.y,
                   block / state.grid_size.x / state.grid_size.y};
    if (!run_block(schedule, found)) return false;
  }
  return true;
}

}  // namespace lift::cuda_host
