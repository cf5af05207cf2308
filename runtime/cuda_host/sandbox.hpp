// Code that may do anything, in a child process: arrays that it shares with us lie between pages that cannot
// be touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lift::cuda_host {

/// Arrays in memory shared with child processes, each with an inaccessible page before and behind it.
class Arena {
 public:
  /// `at_end`: an array ends where the page behind it begins (as near as its alignment, in bytes, allows),
  /// else it begins where the page before it ends. What is left of its pages holds `filler`. EnvironmentError
  /// when there is no memory.
  Arena(std::span<const std::size_t> bytes, std::size_t alignment, bool at_end, unsigned char filler);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* data(std::size_t array) const { return arrays_[array].data; }
  std::size_t bytes(std::size_t array) const { return arrays_[array].bytes; }

  struct Place {
    std::size_t array = 0;
    std::ptrdiff_t offset = 0;  ///< from its beginning, in bytes
    bool known = false;
  };
  /// The array at or nearest to an address within its pages.
  Place find(std::uintptr_t address) const;
  /// The first byte beside an array that no longer holds what was put there.
  Place overwritten() const;

 private:
  struct Array {
    unsigned char *data, *begin, *end;  ///< begin, end: of the pages that can be touched
    std::size_t bytes;
  };
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  unsigned char filler_;
  std::vector<Array> arrays_;
};

/// How a child ended.
struct Ending {
  enum class Kind : std::uint8_t { done, signal, timeout, interrupted } kind = Kind::done;
  int signal = 0;
  std::uintptr_t address = 0;  ///< of the access, for SIGSEGV and SIGBUS
};

/// Runs `work` in a child process with a time limit. What it leaves in shared memory is what it gives back;
/// it must not throw. When a signal ends it, `on_signal` is called first, in the child.
Ending run_in_child(const std::function<void()>& work, void (*on_signal)(), double timeout_seconds);

/// Memory shared with child processes, for one T.
template <class T>
class Shared {
 public:
  Shared() : arena_(std::vector<std::size_t>{sizeof(T)}, alignof(T), false, 0) { new (arena_.data(0)) T(); }
  T* operator->() { return static_cast<T*>(arena_.data(0)); }
  T& operator*() { return *static_cast<T*>(arena_.data(0)); }

 private:
  Arena arena_;
};

}  // namespace lift::cuda_host
