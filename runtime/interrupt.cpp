#include "runtime/interrupt.hpp"

#include <csignal>

#include <atomic>
#include <mutex>

namespace lift {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the flag is set inside a signal handler");

std::mutex scopes_mutex;
int scopes = 0;
struct sigaction before_int;
struct sigaction before_term;

void on_signal(int signal) {
  if (flag.exchange(true)) {
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
