#include "runtime/cuda_host/run.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/cuda_host/sandbox.hpp"
#include "runtime/interrupt.hpp"

namespace lift::cuda_host {
namespace {

/// What the child tells us, in memory shared with it.
struct Progress {
  std::size_t launch = 0;
  LiftgenHostIndex block{}, thread{};  ///< where a signal came
  bool diverged = false;
  Divergence divergence;
  std::ptrdiff_t stale =
      -1;  ///< an array that was read through the read-only cache and written in one launch
};

/// What the callbacks of a module see; of the child.
struct Child {
  const Run* run = nullptr;
  const Arena* arena = nullptr;
  Progress* progress = nullptr;
  std::vector<bool> read_only;  ///< by array
};
Child& child() {
  static auto& c = *new Child;
  return c;
}

void note_place() {
  const LiftgenHostState& state = *child().run->launches[child().progress->launch].state;
  child().progress->block = state.block, child().progress->thread = state.thread;
}

void note_read_only(const void* address) {
  const auto at = static_cast<const unsigned char*>(address);
  for (std::size_t a = 0; a < child().read_only.size(); ++a) {
    const auto* begin = static_cast<const unsigned char*>(child().arena->data(a));
    if (at >= begin && at < begin + child().arena->bytes(a)) child().read_only[a] = true;
  }
}

using Contents = std::vector<std::vector<unsigned char>>;

Contents contents(const Arena& arena, std::size_t arrays) {
  Contents all;
  for (std::size_t a = 0; a < arrays; ++a) {
    const auto* begin = static_cast<const unsigned char*>(arena.data(a));
    all.emplace_back(begin, begin + arena.bytes(a));
  }
  return all;
}

/// In the child: all launches, up to the first fault.
void run_launches(Fibers& fibers, const Schedule& schedule) {
  const Run& run = *child().run;
  for (std::size_t l = 0; l < run.launches.size(); ++l) {
    const Launch& launch = run.launches[l];
    child().progress->launch = l;
    child().read_only.assign(run.arrays.size(), false);
    const Contents before = launch.reads_only ? contents(*child().arena, run.arrays.size()) : Contents();
    LiftgenHostState& state = *launch.state;
    state.grid_size = launch.grid, state.block_size = launch.block, state.read_only = note_read_only;
    Addresses arguments(launch, *child().arena);
    if (!fibers.run_grid(state, launch.kernel->call, arguments.data(), schedule,
                         child().progress->divergence)) {
      child().progress->diverged = true, child().progress->block = state.block;
      return;
    }
    for (std::size_t a = 0; a < before.size(); ++a)
      if (child().read_only[a] &&
          std::memcmp(before[a].data(), child().arena->data(a), before[a].size()) != 0) {
        child().progress->stale = static_cast<std::ptrdiff_t>(a);
        return;
      }
  }
}

// ---- messages

std::string str(const LiftgenHostIndex& i) {
  return "(" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " + std::to_string(i.z) + ")";
}

/// The parameter of a launch that is an array, and its type's letter.
struct Parameter {
  std::string name;
  char letter = '?';
};
std::optional<Parameter> parameter(const Launch& launch, std::size_t array) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    if (launch.arguments[i].array == static_cast<std::ptrdiff_t>(array))
      return Parameter{i < launch.parameters.size() ? launch.parameters[i] : "argument " + std::to_string(i),
                       launch.kernel->types[i]};
  return std::nullopt;
}
/// Of the first launch that has it.
Parameter parameter(const Run& run, std::size_t array) {
  for (const Launch& l : run.launches)
    if (const auto found = parameter(l, array)) return *found;
  return {"array " + std::to_string(array), '?'};
}

std::ptrdiff_t size_of(char letter) {
  switch (letter) {
    case 'D':
    case 'L':
      return 8;
    case 'F':
    case 'I':
      return 4;
    default:
      return 1;
  }
}

std::string value(char letter, const unsigned char* at) {
  const auto read = [&]<class T>(T v) {
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  switch (letter) {
    case 'D':
      return fmt::format("{:.10g}", read(double{}));
    case 'F':
      return fmt::format("{:.10g}", read(float{}));
    case 'I':
      return std::to_string(read(std::int32_t{}));
    case 'L':
      return std::to_string(read(std::int64_t{}));
    default:
      return std::to_string(*at);
  }
}

std::string element(const Run& run, const Arena::Place& place) {
  const Parameter p = parameter(run, place.array);
  const std::ptrdiff_t each = size_of(p.letter),
                       index = place.offset >= 0 ? place.offset / each : -((-place.offset + each - 1) / each);
  return "element " + std::to_string(index) + " of '" + p.name + "', which has " +
         std::to_string(static_cast<std::ptrdiff_t>(run.arrays[place.array].size()) / each);
}

std::string names(const Run& run) {
  std::string s = run.launches.size() > 1 ? "kernels " : "kernel ";
  for (const Launch& l : run.launches)
    s += (&l == run.launches.data() ? "" : ", ") + std::string(l.kernel->name);
  return s;
}

std::string describe(const Divergence& d, const LiftgenHostIndex& block) {
  return "block " + str(block) + ": the barrier in line " + std::to_string(d.line) +
         " is not reached by all threads: thread " + str(d.waiting) + " waits there, thread " + str(d.other) +
         (d.other_line == 0 ? " has ended" : " waits in line " + std::to_string(d.other_line));
}

std::string describe(const Ending& ending, const Run& run, const Arena& arena, const Progress& progress) {
  if (ending.kind == Ending::Kind::timeout) return "did not end in the time allowed";
  const std::string where = "block " + str(progress.block) + ", thread " + str(progress.thread) + ": ";
  const Arena::Place place = arena.find(ending.address);
  if ((ending.signal == SIGSEGV || ending.signal == SIGBUS) && place.known)
    return where + "access to " + element(run, place);
  if (ending.signal == SIGILL || ending.signal == SIGTRAP)
    return where +
           "undefined: an index beyond an array of the kernel's own, a misaligned vector, or an overflow";
  return where + "ended by signal " + std::to_string(ending.signal) + " (" + ::strsignal(ending.signal) + ")";
}

/// What is wrong after the child's end; empty when nothing is.
std::string fault(const Ending& ending, const Run& run, const Arena& arena, const Progress& progress) {
  const Launch& launch = run.launches[progress.launch];
  const std::string kernel = std::string("kernel ") + launch.kernel->name + ": ";
  if (ending.kind != Ending::Kind::done) return kernel + describe(ending, run, arena, progress);
  if (progress.diverged) return kernel + describe(progress.divergence, progress.block);
  if (progress.stale >= 0)
    return kernel + "'" + parameter(launch, static_cast<std::size_t>(progress.stale))->name +
           "' is read through the read-only cache and written";
  if (const Arena::Place place = arena.overwritten(); place.known)
    return names(run) + ": stores to " + element(run, place);
  return "";
}

/// How the results of two schedules differ; empty when they do not.
std::string difference(const Run& run, const Contents& first, const Contents& second) {
  for (std::size_t a = 0; a < first.size(); ++a) {
    const auto at =
        std::mismatch(first[a].begin(), first[a].end(), second[a].begin()).first - first[a].begin();
    if (at == static_cast<std::ptrdiff_t>(first[a].size())) continue;
    const Parameter p = parameter(run, a);
    const std::ptrdiff_t index = at / size_of(p.letter), begin = index * size_of(p.letter);
    return names(run) + ": element " + std::to_string(index) + " of '" + p.name + "' is " +
           value(p.letter, &first[a][static_cast<std::size_t>(begin)]) + " or " +
           value(p.letter, &second[a][static_cast<std::size_t>(begin)]) +
           " as the order of threads goes: a race, or a read of what was never written or is still being "
           "copied";
  }
  return "";
}

}  // namespace

Addresses::Addresses(const Launch& launch, const Arena& arena)
    : values_(launch.arguments.size()), addresses_(launch.arguments.size()) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& a = launch.arguments[i];
    if (a.array >= 0) values_[i] = arena.data(static_cast<std::size_t>(a.array));
    addresses_[i] =
        a.array >= 0 ? static_cast<void*>(&values_[i]) : const_cast<unsigned char*>(a.value.data());
  }
}

std::size_t largest_block(const Run& run) {
  std::size_t most = 1;
  for (const Launch& l : run.launches) most = std::max(most, std::size_t{l.block.x} * l.block.y * l.block.z);
  return most;
}

std::vector<Schedule> checking_schedules() {
  return {{Schedule::Order::forward, 0, 0xff},
          {Schedule::Order::backward, 0, 0x7e},
          {Schedule::Order::shuffled, 1, 0x01}};
}

void run(const Run& what, std::span<const Schedule> schedules, double timeout_seconds) {
  std::vector<std::size_t> bytes;
  for (const auto& a : what.arrays) bytes.push_back(a.size());
  Fibers fibers(largest_block(what));
  Contents results;
  for (std::size_t s = 0; s < schedules.size(); ++s) {
    const Arena arena(bytes, what.alignment, s % 2 == 0, schedules[s].poison);
    for (std::size_t a = 0; a < bytes.size(); ++a)
      std::memcpy(arena.data(a), what.arrays[a].data(), bytes[a]);
    Shared<Progress> progress;
    const auto work = [&] {
      child() = {&what, &arena, &*progress, {}};
      run_launches(fibers, schedules[s]);
    };
    const Ending ending = run_in_child(work, note_place, timeout_seconds);
    if (ending.kind == Ending::Kind::interrupted) throw UserError("CUDA emulation: interrupted");
    if (const std::string wrong = fault(ending, what, arena, *progress); !wrong.empty())
      throw KernelFault(wrong);
    Contents now = contents(arena, bytes.size());
    if (s == 0)
      results = std::move(now);
    else if (const std::string wrong = difference(what, results, now); !wrong.empty())
      throw KernelFault(wrong);
  }
  for (std::size_t a = 0; a < results.size(); ++a)
    std::copy(results[a].begin(), results[a].end(), what.arrays[a].begin());
}

}  // namespace lift::cuda_host
