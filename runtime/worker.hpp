// A child process in which kernels run: what they do to memory, how they end and how long they take is not
// this process's concern.
//
// The child is a copy of this process (fork) at the moment of the first call. It sees all arrays that exist
// then, without a copy, as long as neither side writes them; what it writes is its own. Work is sent to it as
// a function of this program and bytes, and comes back as bytes. It ends with this process.
//
// A process in which an OpenMP run time has been opened cannot be copied safely (the copy has no threads but
// believes it has). There, and with LIFTGEN_IN_PROCESS=1 (for debuggers), calls run in this process.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/grid_device.hpp"

namespace lift {

/// What became of a worker: the kernel crashed (a signal, or it ended the process), or did not end in time.
struct WorkerLost : KernelFault {
  enum class Kind { crashed, hung } kind;
  WorkerLost(Kind k, const std::string& what) : KernelFault(what), kind(k) {}
};

class Worker {
 public:
  using Task = std::string (*)(std::string_view);

  /// Without `apart`, calls run in this process. Without `limited`, the child may have any memory that the
  /// system gives it until limit_child() is called there.
  explicit Worker(bool apart = true, bool limited = true) : apart_(apart), limited_(limited) {}
  /// Whether a child could be made now.
  static bool is_possible();
  ~Worker() { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// task(input) in the child, which is made if there is none. What the task throws is thrown here, as
  /// UserError, EnvironmentError or InternalError. WorkerLost when the child is gone or was ended after
  /// `limit_seconds` (0: no limit); the next call gets a new one. EnvironmentError when interrupted() became
  /// true and the task did not end soon after.
  /// `who` is what the message says was at work.
  std::string call(Task task, std::string_view input, double limit_seconds = 0,
                   const char* who = "the kernel");

  /// Counts the children, beginning with 1; makes one if there is none. What was made in an earlier one (its
  /// memory, its libraries) is gone.
  unsigned generation();
  bool is_running() const { return pid_ >= 0 || here_; }
  bool is_here() const { return here_; }  ///< calls run in this process
  /// Ends the child; the next call makes one that sees this process as it is then.
  void stop();
  /// Memory that later children cannot write: a kernel that tries crashes. Of each owner, what it said last.
  void guard(const void* owner, std::vector<std::pair<const void*, std::size_t>> ranges);
  /// In memory that is shared with the children: as long as it is true, a call's limit has not begun (for a
  /// minute at most, then it is lost as one that did not begin). Null: limits begin with their calls.
  void hold(const std::atomic<bool>* not_yet) { not_yet_ = not_yet; }

 private:
  void start();
  std::string receive(double limit_seconds, const char* who);
  [[noreturn]] void lost(bool hung, double limit_seconds, const char* who);

  std::recursive_mutex mutex_;
  bool apart_, limited_;
  pid_t pid_ = -1;
  int socket_ = -1;
  bool here_ = false;  ///< calls run in this process
  unsigned generation_ = 0;
  std::map<const void*, std::vector<std::pair<const void*, std::size_t>>> guarded_;
  const std::atomic<bool>* not_yet_ = nullptr;
};

/// For tasks that have opened libraries; they do nothing where a task runs in the caller's process. exit(),
/// called by a kernel, ends a child at once, without what the libraries do at the end of a process (they may
/// wait for the thread that called it):
void end_child_at_exit();
/// The child has a share of the memory that is available, beside what it has already.
void limit_child();

/// The text that `f` returns, computed in a child of its own; errors and `who` as Worker::call.
std::string run_apart(const std::function<std::string()>& f, double limit_seconds = 0,
                      const char* who = "the kernel");

}  // namespace lift
