#include "runtime/cuda_host/sandbox.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "ir/error.hpp"
#include "runtime/interrupt.hpp"

namespace lift::cuda_host {
namespace {

constexpr std::size_t kPage = 4096;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

struct Caught {
  int signal = 0;
  std::uintptr_t address = 0;
};

// Of the child: a handler has no other way to them.
Caught* caught = nullptr;
void (*tell)() = nullptr;

void handle(int signal, siginfo_t* info, void*) {
  caught->signal = signal;
  caught->address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (tell != nullptr) tell();
  ::_exit(1);
}

void install_handlers() {
  static unsigned char stack[16 * kPage];  // the thread's own may be what overflowed
  stack_t alternate{};
  alternate.ss_sp = stack, alternate.ss_size = sizeof stack;
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

/// Waits for the child's end; false when it had to be ended.
Ending::Kind wait_for(pid_t child, double timeout_seconds, int& status) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (auto pause = std::chrono::microseconds(50);;
       pause = std::min(2 * pause, std::chrono::microseconds(20000))) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return Ending::Kind::done;
    const bool late = std::chrono::duration<double>(Clock::now() - start).count() > timeout_seconds;
    if (late || interrupted()) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return late ? Ending::Kind::timeout : Ending::Kind::interrupted;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

Arena::Arena(std::span<const std::size_t> bytes, std::size_t alignment, bool at_end, unsigned char filler)
    : filler_(filler) {
  for (const std::size_t n : bytes) mapped_ += round_up(n, kPage) + kPage;
  mapped_ += kPage;
  mapping_ =
      ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw EnvironmentError("CUDA emulation: the system refused " + std::to_string(mapped_ >> 20) +
                           " MB of memory; use a smaller --box or fewer --boxes");
  }
  auto* at = static_cast<unsigned char*>(mapping_);
  (void)::mprotect(at, kPage, PROT_NONE);
  for (const std::size_t n : bytes) {
    at += kPage;
    const std::size_t room = round_up(n, kPage);
    unsigned char* data = at_end ? at + (room - round_up(n, alignment)) : at;
    std::memset(at, filler, room);
    arrays_.push_back({data, at, at + room, n});
    at += room;
    (void)::mprotect(at, kPage, PROT_NONE);
  }
}

Arena::~Arena() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

Arena::Place Arena::find(std::uintptr_t address) const {
  const auto distance = [&](const Array& a) {
    const auto begin = reinterpret_cast<std::uintptr_t>(a.data), end = begin + a.bytes;
    return address < begin ? begin - address : address >= end ? address - end + 1 : 0;
  };
  const auto near = std::min_element(arrays_.begin(), arrays_.end(), [&](const Array& a, const Array& b) {
    return distance(a) < distance(b);
  });
  if (near == arrays_.end() || distance(*near) > mapped_) return {};
  return {static_cast<std::size_t>(near - arrays_.begin()),
          static_cast<std::ptrdiff_t>(address - reinterpret_cast<std::uintptr_t>(near->data)), true};
}

Arena::Place Arena::overwritten() const {
  const auto changed = [this](unsigned char c) { return c != filler_; };
  for (const Array& a : arrays_)
    for (const auto& [from, to] : {std::pair{a.begin, a.data}, {a.data + a.bytes, a.end}})
      if (const unsigned char* at = std::find_if(from, to, changed); at != to)
        return find(reinterpret_cast<std::uintptr_t>(at));
  return {};
}

Ending run_in_child(const std::function<void()>& work, void (*on_signal)(), double timeout_seconds) {
  Shared<Caught> report;
  const pid_t child = ::fork();
  if (child < 0)
    throw EnvironmentError(std::string("CUDA emulation: no process can be started: ") + std::strerror(errno));
  if (child == 0) {
    caught = &*report, tell = on_signal;
    install_handlers();
    work();
    ::_exit(0);
  }
  int status = 0;
  const Ending::Kind kind = wait_for(child, timeout_seconds, status);
  if (kind != Ending::Kind::done) return {kind, 0, 0};
  if (WIFSIGNALED(status)) return {Ending::Kind::signal, WTERMSIG(status), 0};
  if (WEXITSTATUS(status) != 0) return {Ending::Kind::signal, report->signal, report->address};
  return {};
}

}  // namespace lift::cuda_host
