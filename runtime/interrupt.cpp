#include "runtime/interrupt.hpp"

#include <unistd.h>

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

constexpr unsigned kHurrySeconds = 2;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
constexpr int kCount = sizeof kSignals / sizeof *kSignals;

std::mutex scopes_mutex;
int scopes = 0;
std::atomic<int> patient{0};  ///< scopes that do not hurry
std::atomic<int> came{0};     ///< the signal that set the flag
struct sigaction before[kCount], before_xfsz;

void on_signal(int signal) {
  if (!flag.exchange(true)) {
    first_ms = now_ms();
    came = signal;
    if (patient == 0) ::alarm(kHurrySeconds);  // whose default action ends the process
  } else if (signal != SIGPIPE && signal != SIGXCPU && now_ms() - first_ms > kSameRequestMs) {
    for (int i = 0; i < kCount; ++i)
      if (kSignals[i] == signal) sigaction(signal, &before[i], nullptr);
    std::raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

InterruptScope::InterruptScope(bool hurry) : hurry_(hurry) {
  const std::lock_guard lock(scopes_mutex);
  if (!hurry_) ++patient;
  if (scopes++ > 0) return;
  flag = false;
  came = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < kCount; ++i) sigaction(kSignals[i], &action, &before[i]);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &before_xfsz);
}

InterruptScope::~InterruptScope() {
  const std::lock_guard lock(scopes_mutex);
  if (!hurry_) --patient;
  if (--scopes > 0) return;
  for (int i = 0; i < kCount; ++i) sigaction(kSignals[i], &before[i], nullptr);
  sigaction(SIGXFSZ, &before_xfsz, nullptr);
  flag = false;
  came = 0;
}

bool interrupted() { return flag.load(std::memory_order_relaxed); }
int interrupting_signal() { return came; }
void request_interrupt() { flag = true; }

}  // namespace lift
