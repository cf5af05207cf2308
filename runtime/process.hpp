// Child processes, started without a shell.
//
// A child gets a process group of its own (so that it and what it started can be ended together, and Ctrl-C
// reaches only us), /dev/null as input, the process's original processor mask, LC_ALL=C, and one pipe for
// output and errors.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <string>
#include <vector>

namespace lift {

/// The absolute path of `name` on PATH (or of the file `name` when it has a slash); empty when
/// not found.
std::string find_program(const std::string& name);

struct ProcessOptions {
  double timeout_seconds = 0;               ///< wall time; 0: none
  double processor_seconds = 0;             ///< of each process of the child; 0: no limit
  std::string directory = {};               ///< to run in; empty: ours
  std::vector<std::string> variables = {};  ///< "NAME=value", added to the environment
  std::size_t max_output = 1 << 20;         ///< bytes kept; the rest is read and dropped
};

/// A running child. Move-only; destroying a running one ends it.
class Process {
 public:
  /// argv[0] is a path or a name on PATH. Throws EnvironmentError when it cannot be started.
  Process(const std::vector<std::string>& argv, const ProcessOptions& options);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  /// Reads what has come and returns whether the child has ended; past its timeout, ends it.
  bool poll();
  /// Ends the child and its group: SIGTERM, so that it can remove its temporary files, then SIGKILL.
  void stop();

  int output_fd() const { return fd_; }  ///< readable when poll() has something to do; -1 once closed
  bool timed_out() const { return timed_out_; }
  /// Ended by the limit of its processor time, it or one that it has started.
  bool used_up() const { return used_up_; }
  int status() const { return status_; }  ///< exit status, or 128 + signal; meaningful once ended
  const std::string& output() const { return output_; }
  double seconds() const;  ///< wall time so far, or in all once ended

 private:
  void drain();
  bool reap();
  void close_output();

  using Clock = std::chrono::steady_clock;
  pid_t pid_ = -1;  ///< -1 once ended
  int fd_ = -1;
  int status_ = -1;
  bool timed_out_ = false, used_up_ = false;
  std::string output_;
  std::size_t max_output_ = 0;
  double timeout_seconds_ = 0, processor_seconds_ = 0;
  Clock::time_point started_;
  Clock::time_point ended_;
};

/// Sleeps until one of these has something to say, at most `milliseconds`.
void wait_for_any(const std::vector<const Process*>& processes, int milliseconds);

struct ProcessResult {
  int status = -1;  ///< exit status, or 128 + signal
  bool timed_out = false;
  bool stopped = false;  ///< ended because interrupted() became true
  std::string output;
  double seconds = 0;
};

/// Runs to the end, the timeout or an interruption.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

}  // namespace lift
