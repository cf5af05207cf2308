#include "tests/fuzz/programs/guarded.hpp"

#include "tests/fuzz/programs/stored.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace lift::fuzz {
namespace {

constexpr std::size_t kPage = 4096;
constexpr unsigned char kGap = 0x5a;
constexpr unsigned kSeconds = 20;  ///< for a call
constexpr std::size_t kDetail = 300;

/// What a child tells, in memory that both see.
struct Told {
  std::size_t at;
  Verdict verdict;
  char detail[kDetail];
};

/// Bytes between two pages that cannot be touched, at the beginning or at the end.
class Pages {
 public:
  Pages(std::size_t bytes, bool at_end, std::size_t alignment) : bytes_(bytes) {
    room_ = (bytes + kPage - 1) / kPage * kPage;
    if (room_ == 0) room_ = kPage;
    void* all = ::mmap(nullptr, room_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) ::_exit(99);
    mapping_ = static_cast<unsigned char*>(all);
    if (::mprotect(mapping_ + kPage, room_, PROT_READ | PROT_WRITE) != 0) ::_exit(99);
    std::memset(mapping_ + kPage, kGap, room_);
    offset_ = at_end ? (room_ - bytes) / alignment * alignment : 0;
  }
  ~Pages() { ::munmap(mapping_, room_ + 2 * kPage); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  unsigned char* data() const { return mapping_ + kPage + offset_; }
  std::size_t bytes() const { return bytes_; }
  /// Nothing was written beside the array.
  bool intact() const {
    const unsigned char* begin = mapping_ + kPage;
    const auto gap = [](unsigned char c) { return c == kGap; };
    const unsigned char* array = data();
    return std::all_of(begin, array, gap) && std::all_of(array + bytes_, begin + room_, gap);
  }

 private:
  unsigned char* mapping_;
  std::size_t bytes_, room_ = 0, offset_ = 0;
};

/// The arguments of one call, as the kernel stores them.
class Call {
 public:
  Call(const Guarded& g, bool at_end) : job_(*g.job) {
    in_.sizes.insert(job_.sizes.begin(), job_.sizes.end());
    for (const std::string& s : job_.kernel.sizes) sizes_.push_back(job_.sizes.at(s));
    for (std::int64_t& s : sizes_) pointers_.push_back(&s);
    for (const KernelArgument& a : job_.kernel.arguments) {
      const std::size_t alignment = g.aligned || !a.type.is_array() ? 64 : size_of(scalar_of(a));
      pages_.push_back(std::make_unique<Pages>(bytes_of(a, in_), at_end, alignment));
      unsigned char* data = pages_.back()->data();
      Stored{a, in_, data}.fill(*job_.data);
      before_.emplace_back(data, data + pages_.back()->bytes());
      pointers_.push_back(data);
    }
  }
  void** pointers() { return pointers_.data(); }

  /// "" or the first thing that is not as it must be.
  std::string fault() const {
    const auto& arguments = job_.kernel.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!pages_[i]->intact()) return arguments[i].name + ": written beside the array";
      if (!arguments[i].written && std::memcmp(pages_[i]->data(), before_[i].data(), before_[i].size()) != 0)
        return arguments[i].name + ": an argument was written";
    }
    for (std::size_t r = 0; r < job_.kernel.results.size(); ++r)
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].name == job_.kernel.results[r])
          if (std::string f = Stored{arguments[i], in_, pages_[i]->data()}.fault(job_.data->expected.at(r),
                                                                                 job_.tolerance);
              !f.empty())
            return f;
    return "";
  }

 private:
  const Job& job_;
  mutable Interpreter in_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::unique_ptr<Pages>> pages_;
  std::vector<std::vector<unsigned char>> before_;
  std::vector<void*> pointers_;
};

[[noreturn]] void child(const std::filesystem::path& library, const std::vector<Guarded>& calls,
                        std::size_t first, Told* told) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setenv("OMP_NUM_THREADS", "2", 1);
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) ::signal(s, SIG_DFL);
  void* handle = ::dlopen(library.c_str(), RTLD_NOW);
  if (handle == nullptr) {
    std::snprintf(told->detail, kDetail, "%s", ::dlerror());
    ::_exit(98);
  }
  for (std::size_t c = first; c < calls.size(); ++c) {
    told->at = c;
    told[c].verdict = Verdict::right;
    auto* call = reinterpret_cast<void (*)(void**)>(::dlsym(handle, calls[c].entry.c_str()));
    if (call == nullptr) ::_exit(98);
    for (const bool at_end : {false, true}) {
      Call made(calls[c], at_end);
      ::alarm(kSeconds);
      call(made.pointers());
      ::alarm(0);
      const std::string fault = made.fault();
      if (fault.empty()) continue;
      told[c].verdict = Verdict::wrong;
      std::snprintf(told[c].detail, kDetail, "%s", fault.c_str());
      break;
    }
  }
  told->at = calls.size();
  ::_exit(0);
}

}  // namespace

void run_guarded(const std::filesystem::path& library, const std::vector<Guarded>& calls,
                 std::vector<Outcome>& outcomes) {
  if (calls.empty()) return;
  const std::size_t bytes = calls.size() * sizeof(Told);
  void* shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  auto* told = static_cast<Told*>(shared);
  for (std::size_t first = 0; first < calls.size();) {
    told->at = first;
    const pid_t pid = ::fork();
    if (pid < 0) break;
    if (pid == 0) child(library, calls, first, told);
    int status = 0;
    ::waitpid(pid, &status, 0);
    const std::size_t reached = told->at;
    for (std::size_t c = first; c < reached; ++c)
      outcomes[calls[c].outcome] = {told[c].verdict, told[c].detail};
    if (reached >= calls.size()) break;
    Outcome& ended = outcomes[calls[reached].outcome];
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
      ended = {WTERMSIG(status) == SIGALRM ? Verdict::hung : Verdict::crashed, strsignal(WTERMSIG(status))};
    else
      ended = {Verdict::unknown, "a process ended: " + std::string(told->detail)};
    first = reached + 1;
  }
  ::munmap(shared, bytes);
}

}  // namespace lift::fuzz
