#include "runtime/interrupt.hpp"

#include <csignal>
#include <ctime>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace lift {
namespace {

std::atomic<bool> flag{false};
std::atomic<std::int64_t> first_ms{0};  ///< when the flag was set by a signal
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "both are set inside a signal handler");

/// One request may arrive twice: timeout(1) signals the process and then its group.
constexpr std::int64_t kSameRequestMs = 500;

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

std::mutex scopes_mutex;
int scopes = 0;
struct sigaction before_int;
struct sigaction before_term;

void on_signal(int signal) {
  if (!flag.exchange(true)) {
    first_ms = now_ms();
  } else if (now_ms() - first_ms > kSameRequestMs) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

InterruptScope::InterruptScope() {
  const std::lock_guard lock(scopes_mutex);
  if (scopes++ > 0) return;
  flag = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_int);
  sigaction(SIGTERM, &action, &before_term);
}

InterruptScope::~InterruptScope() {
  const std::lock_guard lock(scopes_mutex);
  if (--scopes > 0) return;
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
  flag = false;
}

bool interrupted() { return flag.load(std::memory_order_relaxed); }
void request_interrupt() { flag = true; }

}  // namespace lift
