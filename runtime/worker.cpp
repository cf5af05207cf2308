#include "runtime/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "ir/limit_error.hpp"
#include "ir/number_text.hpp"
#include "runtime/buffer.hpp"
#include "runtime/environment.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/parallel.hpp"

namespace lift {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGraceSeconds = 1;       ///< for the task at hand, after an interruption
constexpr double kMostHeldSeconds = 60;   ///< that a limit may begin after its call
constexpr double kShareOfMemory = 0.9;    ///< of what is available, that a child may take
constexpr std::size_t kSpare = 64 << 20;  ///< and this in any case

enum class Answer : std::uint32_t {
  text,
  limit_error,
  user_error,
  out_of_device_memory,
  device_lost,
  environment_error,
  kernel_fault,
  internal_error
};
struct Request {
  Worker::Task task;
  std::uint64_t bytes;
};
struct Reply {
  Answer kind;
  std::uint64_t bytes;
};

bool send_all(int fd, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::send(fd, at, bytes, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count, bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

/// Blocks; false when the other side is gone.
bool receive_all(int fd, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::recv(fd, at, bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count, bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool cannot_be_copied() {
  if (const char* value = std::getenv("LIFTGEN_IN_PROCESS"); value != nullptr && *value == '1') return true;
  return is_openmp_open();
}

bool is_child = false;

/// Memory for data: what this process has, and a share of what is available.
void limit_memory() {
  std::size_t kilobytes = 0;
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmData:")) kilobytes = read_number<std::size_t>(words_of(line).at(1)).value_or(0);
  const auto more = static_cast<std::size_t>(kShareOfMemory * static_cast<double>(available_memory()));
  rlimit limit{};
  (void)::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kilobytes * 1024 + more + kSpare);
  (void)::setrlimit(RLIMIT_DATA, &limit);
}

void guard_memory(const std::vector<std::pair<const void*, std::size_t>>& ranges) {
  constexpr std::uintptr_t page = 4096;
  for (const auto& [data, bytes] : ranges) {
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page,
                         end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
    if (begin < end) (void)::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ);
  }
}

/// In the child, first of all.
void become_worker(pid_t parent) {
  (void)::setpgid(0, 0);  // a terminal's signals are the parent's business
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  is_child = true;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ, SIGSEGV, SIGBUS,
                           SIGFPE, SIGILL, SIGABRT, SIGALRM})
    std::signal(signal, SIG_DFL);  // what handlers of this program would say is not asked for
  end_child_at_exit();
  if (const int null = ::open("/dev/null", O_RDONLY); null > 0) ::dup2(null, 0), ::close(null);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  std::ofstream("/proc/self/oom_score_adj") << "1000";  // should memory run out all the same
}

template <class F>
std::pair<Answer, std::string> answer_of(const F& f) {
  try {
    return {Answer::text, f()};
  } catch (const LimitError& error) {
    return {Answer::limit_error, error.what()};
  } catch (const UserError& error) {
    return {Answer::user_error, error.what()};
  } catch (const OutOfDeviceMemory& error) {
    return {Answer::out_of_device_memory, error.what()};
  } catch (const DeviceLost& error) {
    return {Answer::device_lost, error.cause};
  } catch (const EnvironmentError& error) {
    return {Answer::environment_error, error.what()};
  } catch (const KernelFault& error) {
    return {Answer::kernel_fault, error.what()};
  } catch (const std::bad_alloc&) {
    return {Answer::user_error, "out of memory"};
  } catch (const std::system_error& error) {  // threads, files, descriptors
    return {Answer::environment_error, std::string("the system refused what was needed: ") + error.what()};
  } catch (const std::exception& error) {
    return {Answer::internal_error, error.what()};
  }
}

[[noreturn]] void throw_answer(Answer kind, const std::string& text) {
  switch (kind) {
    case Answer::limit_error:
      throw LimitError(text);
    case Answer::user_error:
      throw UserError(text);
    case Answer::out_of_device_memory:
      throw OutOfDeviceMemory(text);
    case Answer::device_lost:
      throw DeviceLost(text);
    case Answer::environment_error:
      throw EnvironmentError(text);
    case Answer::kernel_fault:
      throw KernelFault(text);
    case Answer::text:
    case Answer::internal_error:
      break;
  }
  throw InternalError(text);
}

bool send_reply(int fd, const std::pair<Answer, std::string>& answer) {
  const Reply reply{answer.first, answer.second.size()};
  std::fflush(stdout);  // what user functions have printed
  return send_all(fd, &reply, sizeof reply) && send_all(fd, answer.second.data(), answer.second.size());
}

[[noreturn]] void serve(int fd) {
  Request request{};
  std::string input;
  while (receive_all(fd, &request, sizeof request)) {
    input.resize(request.bytes);
    if (!receive_all(fd, input.data(), input.size())) break;
    if (!send_reply(fd, answer_of([&] { return request.task(input); }))) break;
  }
  ::_exit(0);
}

std::string seconds_text(double seconds) { return fmt::format("{:.3g} s", seconds); }

}  // namespace

void end_child_at_exit() {
  if (is_child) (void)::on_exit([](int status, void*) { ::_exit(status); }, nullptr);
}

void limit_child() {
  if (is_child) limit_memory();
}

bool Worker::is_possible() { return !cannot_be_copied(); }

void Worker::guard(const void* owner, std::vector<std::pair<const void*, std::size_t>> ranges) {
  const std::lock_guard lock(mutex_);
  if (ranges.empty())
    guarded_.erase(owner);
  else
    guarded_[owner] = std::move(ranges);
}

void Worker::start() {
  if (pid_ >= 0 || here_) return;
  ++generation_;
  if (!apart_ || cannot_be_copied()) {
    here_ = true;
    return;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw EnvironmentError(std::string("cannot open a socket: ") + std::strerror(errno));
  std::fflush(nullptr);  // else both would print what is waiting
  const pid_t parent = ::getpid();
  std::vector<std::string> variables = environment_of_workers();
  std::vector<char*> entries = pointers_to(variables);
  pid_ = ::fork();
  if (pid_ == 0) {
    environ = entries.data();
    ::close(ends[0]);
    become_worker(parent);
    if (limited_) limit_memory();
    for (const auto& [owner, ranges] : guarded_) guard_memory(ranges);
    serve(ends[1]);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ >= 0) {
    (void)::setpgid(pid_, pid_);
    return;
  }
  const int error = errno;
  ::close(socket_);
  socket_ = -1;
  throw EnvironmentError(std::string("cannot start a process: ") + std::strerror(error));
}

unsigned Worker::generation() {
  const std::lock_guard lock(mutex_);
  start();
  return generation_;
}

void Worker::stop() {
  const std::lock_guard lock(mutex_);
  here_ = false;
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::close(socket_);
  pid_ = socket_ = -1;
}

void Worker::lost(bool hung, double limit_seconds, const char* who) {
  const bool begun = not_yet_ == nullptr || !*not_yet_;
  std::string what = begun
                         ? who + (" did not end within " + seconds_text(limit_seconds))
                         : who + (" did not begin within " + seconds_text(limit_seconds + kMostHeldSeconds));
  if (!hung) {
    int status = 0;
    // It has closed its socket, so that it is about to end.
    for (int tries = 0; ::waitpid(pid_, &status, WNOHANG) == 0; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (tries == 100) ::kill(pid_, SIGKILL);
    }
    ::kill(-pid_, SIGKILL);  // what it has started
    what = WIFSIGNALED(status)
               ? who + (" crashed: " + std::string(::strsignal(WTERMSIG(status))))
               : who + (" ended the process, with status " + std::to_string(WEXITSTATUS(status)));
    ::close(socket_);
    pid_ = socket_ = -1;
  }
  stop();
  throw WorkerLost(hung ? WorkerLost::Kind::hung : WorkerLost::Kind::crashed, what);
}

std::string Worker::receive(double limit_seconds, const char* who) {
  const auto called = Clock::now();
  auto began = called;
  const auto since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  Clock::time_point stopped_at{};
  pollfd waiting{socket_, POLLIN, 0};
  while (::poll(&waiting, 1, 50) <= 0) {
    if (not_yet_ != nullptr && *not_yet_ && since(called) < kMostHeldSeconds) began = Clock::now();
    if (limit_seconds > 0 && since(began) > limit_seconds) lost(true, limit_seconds, who);
    if (!interrupted()) continue;
    if (stopped_at == Clock::time_point{}) stopped_at = Clock::now();
    if (since(stopped_at) < kGraceSeconds) continue;
    stop();
    throw EnvironmentError("interrupted while a kernel was running");
  }
  Reply reply{};
  std::string text;
  if (!receive_all(socket_, &reply, sizeof reply)) lost(false, 0, who);
  text.resize(reply.bytes);
  if (!receive_all(socket_, text.data(), text.size())) lost(false, 0, who);
  if (reply.kind != Answer::text) throw_answer(reply.kind, text);
  return text;
}

std::string Worker::call(Task task, std::string_view input, double limit_seconds, const char* who) {
  std::unique_lock lock(mutex_);
  start();
  if (here_) {
    lock.unlock();
    return task(input);
  }
  const Request request{task, input.size()};
  if (!send_all(socket_, &request, sizeof request) || !send_all(socket_, input.data(), input.size()))
    lost(false, 0, who);
  return receive(limit_seconds, who);
}

std::string run_apart(const std::function<std::string()>& f, double limit_seconds, const char* who) {
  // The child sees the function where it lies here.
  Worker worker;
  const std::function<std::string()>* function = &f;
  return worker.call(
      [](std::string_view input) {
        const std::function<std::string()>* given = nullptr;
        std::memcpy(&given, input.data(), sizeof given);
        return (*given)();
      },
      {reinterpret_cast<const char*>(&function), sizeof function}, limit_seconds, who);
}

}  // namespace lift
