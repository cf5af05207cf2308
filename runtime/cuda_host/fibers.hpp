// The threads of a block take turns: each runs to the barrier before any goes on. What a thread copies
// asynchronously to shared memory is there for itself when it has waited for it, and for the others after the
// barrier that follows; until then poison is.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "runtime/cuda_host/module.h"

namespace lift::cuda_host {

/// In which order the blocks of a grid run, and the threads of a block within each interval between barriers.
/// Asynchronous copies are late, but where the order is shuffled every other one, by chance, is early: there
/// for all threads as soon as it has begun. A program without races gives the same results in all of them.
struct Schedule {
  enum class Order : std::uint8_t { forward, backward, shuffled } order = Order::forward;
  std::uint64_t seed = 0;       ///< of `shuffled`
  unsigned char poison = 0xff;  ///< what shared memory holds when a block starts, and where a copy is under
                                ///< way, byte by byte; 0xff makes NaN
};

/// A barrier that not all threads of a block reach.
struct Divergence {
  LiftgenHostIndex waiting{}, other{};  ///< a thread that waits, and one that does not wait there
  int line = 0, other_line = 0;         ///< of the barriers they wait at; 0: that thread has ended
};

class Fibers {
 public:
  /// For blocks of at most `threads`. InternalError when the system has no memory for their stacks.
  /// `on_interval`, where given, is called when all threads of a block have come to a barrier or ended.
  explicit Fibers(std::size_t threads, std::function<void()> on_interval = {});
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Runs kernel `call` over the grid that `state` says. At the first divergence false; state.block is then
  /// its block. One grid at a time in a process.
  bool run_grid(LiftgenHostState& state, void (*call)(void**), void** arguments, const Schedule& schedule,
                Divergence& found);

 private:
  struct Fiber {
    ucontext_t context;
    std::size_t thread;  ///< that it is running
  };
  /// An asynchronous copy.
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
    unsigned char value[16];  ///< what is there, or will be
  };
  static constexpr std::size_t kEnded = 0;

  static void enter();
  static void wait(int line);
  bool is_early() { return early_ && random_() % 2 == 0; }  ///< the copy that begins
  static void begin_copy(void* to, const void* from, unsigned long bytes);
  static void finish_copies();
  void hide_copies();
  void show_copies();
  void take_threads();
  void switch_to(std::size_t fiber);
  void prepare(std::size_t fiber);
  void arrange(std::vector<std::size_t>& order, const Schedule& schedule);
  LiftgenHostIndex index_of(std::size_t thread) const;
  bool run_block(const Schedule& schedule, Divergence& found);
  bool all_at_one_barrier(Divergence& found) const;

  static Fibers* current;

  void* stacks_ = nullptr;
  std::size_t mapped_ = 0;
  std::vector<Fiber> fibers_;
  std::size_t prepared_ = 0;               ///< fibers whose context exists
  std::vector<std::size_t> fiber_of_;      ///< by thread
  std::vector<int> waits_at_;              ///< by thread: a barrier's line, 0: ended
  std::vector<std::vector<Copy>> copies_;  ///< by thread: begun, not waited for
  std::vector<Copy> own_,
      hidden_;  ///< waited for since the last barrier, by the running thread and by others
  unsigned char poison_ = 0;
  bool early_ = false;              ///< some copies are
  std::vector<std::size_t> order_;  ///< threads of the block
  std::size_t next_ = 0;            ///< of order_: to be started
  std::size_t running_ = 0;         ///< fiber
  ucontext_t scheduler_;
  LiftgenHostState* state_ = nullptr;
  void (*call_)(void**) = nullptr;
  void** arguments_ = nullptr;
  std::mt19937_64 random_;
  std::function<void()> on_interval_;
};

}  // namespace lift::cuda_host
