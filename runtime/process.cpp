#include "runtime/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>
#include <utility>

#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/environment.hpp"
#include "runtime/interrupt.hpp"

namespace lift {
namespace {

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSettings(int output, const std::string& directory) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());

    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ})
      sigaddset(&defaults, signal);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

constexpr const char* kShell = "/bin/sh";

/// A command whose processes may each use so much processor time: what sets the limit of a process that has
/// begun comes too late for what that has started.
std::vector<std::string> under_limit(const std::string& program, const std::vector<std::string>& argv,
                                     double seconds) {
  std::vector<std::string> all = {"sh", "-c", "ulimit -t \"$0\"; exec \"$@\"",
                                  std::to_string(static_cast<long>(std::ceil(seconds))), program};
  all.insert(all.end(), argv.begin() + 1, argv.end());
  return all;
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty()) return "";
  // Absolute, as a child may be started in another directory.
  const auto absolute = [](const std::string& path) { return std::filesystem::absolute(path).string(); };
  if (name.find('/') != std::string::npos) return is_executable_file(name) ? absolute(name) : "";
  const char* path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : kDefaultPath);
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (is_executable_file(candidate)) return absolute(candidate);
  }
  return "";
}

Process::Process(const std::vector<std::string>& argv, const ProcessOptions& options)
    : max_output_(options.max_output),
      timeout_seconds_(options.timeout_seconds),
      processor_seconds_(options.processor_seconds),
      started_(Clock::now()),
      ended_(started_) {
  if (argv.empty()) throw InternalError("process: no program named");
  const std::string program = find_program(argv[0]);
  if (program.empty()) throw EnvironmentError("cannot find the program " + argv[0] + " on PATH");

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw EnvironmentError(std::string("cannot open a pipe: ") + std::strerror(errno));
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::vector<std::string> arguments = argv;
  const bool limited = processor_seconds_ > 0;
  if (limited) arguments = under_limit(program, argv, processor_seconds_);
  std::vector<std::string> changes = {"LC_ALL=C"};
  changes.insert(changes.end(), options.variables.begin(), options.variables.end());
  std::vector<std::string> variables = environment_with(changes);

  int error = 0;
  {
    const SpawnSettings settings(ends[1], options.directory);
    const OriginalAffinity unpinned;
    error = ::posix_spawn(&pid_, limited ? kShell : program.c_str(), &settings.actions, &settings.attributes,
                          pointers_to(arguments).data(), pointers_to(variables).data());
  }
  ::close(ends[1]);
  fd_ = ends[0];
  if (error != 0) {
    pid_ = -1;
    close_output();
    throw EnvironmentError("cannot start " + program + ": " + std::strerror(error));
  }
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  stop();
  close_output();
  pid_ = std::exchange(other.pid_, -1);
  fd_ = std::exchange(other.fd_, -1);
  status_ = other.status_;
  timed_out_ = other.timed_out_, used_up_ = other.used_up_;
  output_ = std::move(other.output_);
  max_output_ = other.max_output_;
  timeout_seconds_ = other.timeout_seconds_, processor_seconds_ = other.processor_seconds_;
  started_ = other.started_;
  ended_ = other.ended_;
  return *this;
}

Process::~Process() {
  stop();
  close_output();
}

void Process::close_output() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void Process::drain() {
  char block[4096];
  while (fd_ >= 0) {
    const ssize_t count = ::read(fd_, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close_output();
    output_.append(block, std::min(static_cast<std::size_t>(count), max_output_ - output_.size()));
  }
}

bool Process::reap() {
  if (pid_ < 0) return true;
  int status = 0;
  rusage used{};
  const pid_t ended = ::wait4(pid_, &status, WNOHANG, &used);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  ended_ = Clock::now();
  pid_ = -1;
  if (ended > 0) status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  drain();
  // Limits count whole ticks, which are more than the time used where other processes run between them.
  const bool ended_by_signal = status_ == 128 + SIGKILL || status_ == 128 + SIGXCPU ||
                               output_.find("Killed") != std::string::npos ||
                               output_.find("CPU time limit exceeded") != std::string::npos;
  used_up_ = status_ != 0 && processor_seconds_ > 0 &&
             seconds_of(used.ru_utime) + seconds_of(used.ru_stime) >=
                 (ended_by_signal ? 0.4 : 0.9) * processor_seconds_;
  return true;
}

bool Process::poll() {
  drain();
  if (reap()) {
    drain();
    close_output();
    return true;
  }
  if (timeout_seconds_ > 0 && seconds() > timeout_seconds_) {
    timed_out_ = true;
    stop();
    return true;
  }
  return false;
}

void Process::stop() {
  if (pid_ < 0) return;
  const pid_t group = pid_;
  ::kill(-group, SIGTERM);
  for (int tries = 0; tries < 100 && !reap(); ++tries) {
    drain();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ::kill(-group, SIGKILL);  // also what outlived its parent
  if (pid_ >= 0) {
    while (!reap()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  drain();
  close_output();
}

double Process::seconds() const {
  return std::chrono::duration<double>((pid_ < 0 ? ended_ : Clock::now()) - started_).count();
}

void wait_for_any(const std::vector<const Process*>& processes, int milliseconds) {
  std::vector<pollfd> waiting;
  for (const Process* process : processes) {
    // A child that has closed its output is about to end, without a further sign of it.
    if (process->output_fd() < 0) milliseconds = std::min(milliseconds, 1);
    waiting.push_back({process->output_fd(), POLLIN, 0});
  }
  (void)::poll(waiting.data(), waiting.size(), milliseconds);
}

ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  Process process(argv, options);
  ProcessResult result;
  while (!process.poll()) {
    if (interrupted()) {
      process.stop();
      result.stopped = true;
      break;
    }
    wait_for_any({&process}, 20);
  }
  result.status = process.status();
  result.timed_out = process.timed_out();
  result.output = process.output();
  result.seconds = process.seconds();
  return result;
}

}  // namespace lift
