// A clock that jumps an hour ahead when a program that was started says so: what waits for it need not.
// The one file of a test program that needs it has LIFT_TEST_CLOCK beside its includes.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace lift::test {

/// While one exists, the clock jumps once, as soon as the file is there. It never goes back.
class JumpingClock {
 public:
  explicit JumpingClock(std::string file) : file_(std::move(file)) { awaited_ = file_.c_str(); }
  ~JumpingClock() { awaited_ = nullptr; }
  JumpingClock(const JumpingClock&) = delete;
  JumpingClock& operator=(const JumpingClock&) = delete;

  static int read(clockid_t which, timespec* now) {
    const int status = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
    if (which != CLOCK_MONOTONIC || status != 0) return status;
    if (const char* file = awaited_; file != nullptr && ::access(file, F_OK) == 0) {
      awaited_ = nullptr;
      ahead_ += 3600;
    }
    now->tv_sec += ahead_;
    return status;
  }

 private:
  static inline std::atomic<const char*> awaited_ = nullptr;
  static inline std::atomic<time_t> ahead_ = 0;
  const std::string file_;
};

}  // namespace lift::test

/// In place of the C library's: the C++ library's clocks ask it.
#define LIFT_TEST_CLOCK                                                   \
  extern "C" int clock_gettime(clockid_t which, timespec* now) noexcept { \
    return lift::test::JumpingClock::read(which, now);                    \
  }
