#include "runtime/cuda_host/counting.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "ir/error.hpp"
#include "runtime/cuda_host/sandbox.hpp"

namespace lift::cuda_host {
namespace {

/// Where an array was accessed so far, in one direction.
class Touched {
 public:
  explicit Touched(std::size_t bytes)
      : bytes_(bytes), sectors_(bytes / kSectorBytes + 1), blocks_(sectors_.size()) {}

  void access(std::size_t begin, std::size_t bytes, std::uint32_t block, Accesses& counts) {
    const std::size_t end = std::min(begin + bytes, bytes_.size());
    for (std::size_t at = begin; at < end; ++at)
      if (!bytes_[at]) bytes_[at] = 1, ++counts.bytes;
    for (std::size_t s = begin / kSectorBytes; s <= (end - 1) / kSectorBytes; ++s) {
      if (!sectors_[s]) sectors_[s] = 1, ++counts.sectors;
      if (blocks_[s] != block) blocks_[s] = block, ++counts.by_block;
    }
  }

 private:
  std::vector<unsigned char> bytes_, sectors_;  ///< whether each has been accessed
  std::vector<std::uint32_t> blocks_;           ///< the last block that accessed a sector
};

/// Counts of one launch, as the module tells of its accesses.
class Counter {
 public:
  Counter(const LiftgenHostState& state, const Arena& arena, std::size_t arrays, Accesses* counts)
      : state_(&state), counts_(counts) {
    for (std::size_t a = 0; a < arrays; ++a) {
      begins_.push_back(static_cast<const unsigned char*>(arena.data(a)));
      ends_.push_back(begins_.back() + arena.bytes(a));
      for (int direction = 0; direction < 2; ++direction) touched_.emplace_back(arena.bytes(a));
    }
  }

  void access(const void* address, std::size_t bytes, bool stores, const void* instruction) {
    const auto* at = static_cast<const unsigned char*>(address);
    std::size_t array = 0;
    while (array < begins_.size() && (at < begins_[array] || at >= ends_[array])) ++array;
    if (array == begins_.size() || bytes == 0) return;  // shared memory, a thread's own, its index
    const std::size_t kind = 2 * array + (stores ? 1 : 0),
                      begin = static_cast<std::size_t>(at - begins_[array]);
    touched_[kind].access(begin, bytes, block(), counts_[kind]);
    const std::uint32_t thread = this_thread(), number = number_of(instruction);
    if (thread != thread_) {
      if (thread / kWarp != thread_ / kWarp) end_warp();
      thread_ = thread;
      std::fill(times_.begin(), times_.end(), 0);
    }
    const std::uint64_t time = times_[number]++;
    for (std::size_t s = begin / kSectorBytes; s <= (begin + bytes - 1) / kSectorBytes; ++s)
      requests_.push_back({std::uint64_t{number} << 40U | time, s, kind});
  }

  /// All threads of the block have come to a barrier, or ended.
  void end_interval() {
    end_warp();
    std::fill(times_.begin(), times_.end(), 0);
  }

 private:
  struct Request {
    std::uint64_t instruction;  ///< and at which time
    std::size_t sector, kind;
    auto operator<=>(const Request&) const = default;
  };

  std::uint32_t block() const {
    return 1 + state_->block.x +
           state_->grid_size.x * (state_->block.y + state_->grid_size.y * state_->block.z);
  }
  std::uint32_t this_thread() const {
    return state_->thread.x +
           state_->block_size.x * (state_->thread.y + state_->block_size.y * state_->thread.z);
  }
  std::uint32_t number_of(const void* instruction) {
    if (instruction == last_) return last_number_;
    last_ = instruction;
    last_number_ =
        numbers_.try_emplace(instruction, static_cast<std::uint32_t>(numbers_.size())).first->second;
    if (times_.size() < numbers_.size()) times_.resize(numbers_.size());
    return last_number_;
  }
  void end_warp() {
    std::sort(requests_.begin(), requests_.end());
    const auto end = std::unique(requests_.begin(), requests_.end());
    for (auto r = requests_.begin(); r != end; ++r) ++counts_[r->kind].by_warp;
    requests_.clear();
  }

  const LiftgenHostState* state_;
  Accesses* counts_;  ///< loads and stores of each array
  std::vector<const unsigned char*> begins_, ends_;
  std::vector<Touched> touched_;
  std::unordered_map<const void*, std::uint32_t> numbers_;
  const void* last_ = nullptr;
  std::uint32_t last_number_ = 0;
  std::uint32_t thread_ = 0;
  std::vector<std::uint64_t>
      times_;                      ///< by instruction: how often the thread has come to it in this interval
  std::vector<Request> requests_;  ///< of the warp, in this interval
};

Counter* counter = nullptr;  // of the child, whose module tells it

void tell_counter(const void* address, unsigned long bytes, bool stores, const void* instruction) {
  counter->access(address, bytes, stores, instruction);
}

/// In the child.
bool run_counted(const Run& what, const Arena& arena, Accesses* counts) {
  Fibers fibers(largest_block(what), [] { counter->end_interval(); });
  for (const Launch& launch : what.launches) {
    LiftgenHostState& state = *launch.state;
    state.grid_size = launch.grid, state.block_size = launch.block;
    state.read_only = [](const void*) {};
    Counter own(state, arena, what.arrays.size(), counts);
    counter = &own, state.access = &tell_counter;
    Addresses arguments(launch, arena);
    Divergence divergence;
    if (!fibers.run_grid(state, launch.kernel->call, arguments.data(), {}, divergence)) return false;
    counts += 2 * what.arrays.size();
  }
  return true;
}

LaunchTraffic traffic_of(const Launch& launch, const Accesses* counts) {
  LaunchTraffic t;
  t.kernel = launch.kernel->name;
  t.blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  t.threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  t.shared_bytes = launch.shared_bytes;
  std::vector<std::ptrdiff_t> seen;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::ptrdiff_t array = launch.arguments[i].array;
    if (array < 0 || std::find(seen.begin(), seen.end(), array) != seen.end()) continue;
    seen.push_back(array);
    t.arrays.push_back({launch.parameters.at(i), counts[2 * array], counts[2 * array + 1]});
  }
  return t;
}

}  // namespace

Accesses& Accesses::operator+=(const Accesses& o) {
  bytes += o.bytes, sectors += o.sectors, by_block += o.by_block, by_warp += o.by_warp;
  return *this;
}
Accesses LaunchTraffic::loads() const {
  Accesses all;
  for (const ArrayTraffic& a : arrays) all += a.loads;
  return all;
}
Accesses LaunchTraffic::stores() const {
  Accesses all;
  for (const ArrayTraffic& a : arrays) all += a.stores;
  return all;
}

std::vector<LaunchTraffic> count_traffic(const Run& what, double timeout_seconds) {
  std::vector<std::size_t> bytes;
  for (const auto& a : what.arrays) bytes.push_back(a.size());
  const Arena arena(bytes, what.alignment, true, 0);
  for (std::size_t a = 0; a < bytes.size(); ++a) std::memcpy(arena.data(a), what.arrays[a].data(), bytes[a]);
  const std::size_t rows = 2 * bytes.size() * what.launches.size();
  const Arena table(std::vector<std::size_t>{(rows + 1) * sizeof(Accesses)}, alignof(Accesses), false, 0);
  auto* const counts = static_cast<Accesses*>(table.data(0));
  const Ending ending = run_in_child([&] { counts[rows].bytes = run_counted(what, arena, counts) ? 1 : 0; },
                                     nullptr, timeout_seconds);
  if (ending.kind == Ending::Kind::interrupted) throw UserError("CUDA emulation: interrupted");
  if (ending.kind != Ending::Kind::done || counts[rows].bytes == 0)
    throw KernelFault(std::string("kernel ") + what.launches.at(0).kernel->name +
                      ": its accesses were not counted to the end: " +
                      (ending.kind == Ending::Kind::timeout ? "it did not end in the time allowed"
                       : ending.kind == Ending::Kind::signal
                           ? "a signal ended it"
                           : "not all threads of a block came to a barrier") +
                      "; run it without counting, to see what is wrong");
  std::vector<LaunchTraffic> r;
  for (std::size_t l = 0; l < what.launches.size(); ++l)
    r.push_back(traffic_of(what.launches[l], counts + 2 * bytes.size() * l));
  return r;
}

}  // namespace lift::cuda_host
