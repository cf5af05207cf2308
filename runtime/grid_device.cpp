#include "runtime/grid_device.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <unordered_map>

#include "runtime/affinity.hpp"
#include "runtime/cache.hpp"
#include "runtime/deferred_queue.hpp"
#include "runtime/grid_checks.hpp"
#include "runtime/interrupt.hpp"

namespace lift {
namespace {

constexpr std::size_t kKeptPrograms = 64;

std::string program_key(const std::string& source, const std::string& options) {
  return hash_text(options + '\n' + source);
}

}  // namespace

std::shared_ptr<GridProgram> GridDevice::known(const std::string& source, const std::string& more) {
  const std::string key = program_key(source, build_options(more));
  const std::lock_guard lock(programs_mutex_);
  for (const auto& [hash, program] : programs_)
    if (hash == key) return program;
  return nullptr;
}

void GridDevice::remember(const std::string& source, const std::string& more,
                          const std::shared_ptr<GridProgram>& program) {
  std::string key = program_key(source, build_options(more));
  const std::lock_guard lock(programs_mutex_);
  if (programs_.size() == kKeptPrograms) programs_.pop_front();
  programs_.emplace_back(std::move(key), program);
}

GridBuild GridDevice::build(const std::string& source, const std::string& more) {
  GridBuild result;
  result.program = known(source, more);
  result.cached = result.program != nullptr;
  if (result.cached) return result;
  const auto begin = std::chrono::steady_clock::now();
  result = build_one(source, build_options(more));
  if (!result.cached)
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (result.program) remember(source, more, result.program);
  return result;
}

std::vector<GridBuild> GridDevice::build_all(std::span<const std::string> sources, const std::string& options,
                                             const Progress& on_progress) {
  std::unordered_map<std::string, std::size_t> first;  // of equal sources
  std::vector<std::string> distinct;
  for (const std::string& source : sources)
    if (first.emplace(source, distinct.size()).second) distinct.push_back(source);
  const std::vector<GridBuild> each = build_each(distinct, options, on_progress);
  std::vector<GridBuild> built;
  for (const std::string& source : sources) built.push_back(each[first.at(source)]);
  if (on_progress) (void)on_progress(sources.size());
  return built;
}

std::vector<GridBuild> GridDevice::build_each(const std::vector<std::string>& sources,
                                              const std::string& options, const Progress& on_progress) {
  std::vector<GridBuild> built(sources.size());
  for (GridBuild& b : built) b.stopped = true;
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> go = true;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t n = next++; go && n < sources.size(); n = next++) try {
        built[n] = build(sources[n], options);
        ++done;
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        go = false;
      }
  };
  {
    std::vector<std::jthread> workers;
    const std::size_t count =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(builders(), 1)), sources.size());
    for (std::size_t w = 0; w < count; ++w)
      workers.emplace_back([&] {
        bind_this_thread(allowed_cpus());  // not the mask of a pinned OpenMP master
        work();
      });
    while (go && done < sources.size()) {
      if (interrupted() || (on_progress && !on_progress(done))) go = false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  if (failure) std::rethrow_exception(failure);
  return built;
}

GridMemory GridDevice::allocate(std::size_t bytes) {
  if (bytes > info_.max_allocation && info_.max_allocation > 0)
    throw OutOfDeviceMemory("an array of " + std::to_string(bytes >> 20) + " MB does not fit on " +
                            info_.name + ", which allows " + std::to_string(info_.max_allocation >> 20) +
                            " MB in one; use a smaller --box or fewer --boxes");
  return allocate_bytes(bytes);
}

GridMemory GridDevice::share(const std::shared_ptr<const void>& data, std::size_t bytes) {
  return bytes == 0 ? nullptr : share_bytes(data, bytes);
}

void GridDevice::write_there(const GridMemory& to, const void* from) {
  GridBuffer& buffer = checked(to, "write");
  if (buffer.bytes() > 0) write_all_there(buffer, from);
}

void GridDevice::read_there(const GridMemory& from, void* to) {
  GridBuffer& buffer = checked(from, "read");
  if (buffer.bytes() > 0) read_all_there(buffer, to);
}

const void* GridDevice::contents(const GridMemory& of) { return contents_of(checked(of, "reading")); }

void GridDevice::write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset) {
  GridBuffer& buffer = checked(to, "write");
  check_range("write", bytes, offset, buffer.bytes());
  if (bytes == 0) return;
  count_write(bytes);
  write_bytes(buffer, from, bytes, offset);
}

void GridDevice::read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) {
  GridBuffer& buffer = checked(from, "read");
  check_range("read", bytes, offset, buffer.bytes());
  if (bytes == 0) return;
  count_read(bytes);
  read_bytes(buffer, to, bytes, offset);
}

void GridDevice::copy(const GridMemory& to, const GridMemory& from) {
  GridBuffer &target = checked(to, "copy"), &source = checked(from, "copy");
  check_same_size(target, source);
  if (target.bytes() > 0) copy_bytes(target, source);
}

void GridDevice::fill(const GridMemory& to, const void* pattern, std::size_t pattern_bytes) {
  GridBuffer& buffer = checked(to, "filling");
  const bool known = pattern_bytes == 1 || pattern_bytes == 2 || pattern_bytes == 4 || pattern_bytes == 8;
  if (!known || buffer.bytes() % pattern_bytes != 0)
    throw InternalError("device: filling " + std::to_string(buffer.bytes()) + " bytes by " +
                        std::to_string(pattern_bytes));
  if (buffer.bytes() > 0) fill_bytes(buffer, pattern, pattern_bytes);
}

std::shared_ptr<GridQueue> GridDevice::new_queue() { return make_queue(); }

std::shared_ptr<GridQueue> GridDevice::make_queue() { return std::make_shared<DeferredQueue>(*this); }

GridTransfers GridDevice::transfers() const { return {writes_, written_bytes_, reads_, read_bytes_}; }

double GridDevice::run(std::span<const GridLaunch> launches, int times) {
  for (const GridLaunch& launch : launches) check_fits(launch, info_);
  return launches.empty() || times < 1 ? 0 : run_all(launches, times);
}

double GridDevice::time(std::span<const GridLaunch> launches, int times) {
  for (const GridLaunch& launch : launches) check_fits(launch, info_);
  return launches.empty() || times < 1 ? 0 : time_all(launches, times);
}

double GridDevice::time_from_memory(std::span<const GridLaunch> launches, int times) {
  for (const GridLaunch& launch : launches) check_fits(launch, info_);
  return launches.empty() || times < 1 ? 0 : time_all_from_memory(launches, times);
}

double GridDevice::time_all_from_memory(std::span<const GridLaunch> launches, int times) {
  const std::optional<GridLaunch> flush = cache_flush();
  if (!flush) return time_all(launches, times);
  double ms = 0;
  for (int time = 0; time < times; ++time) {
    run_all({&*flush, 1}, 1);
    ms += time_all(launches, 1);
  }
  return ms;
}

std::optional<GridLaunch> GridDevice::cache_flush() {
  if (info_.cache_bytes == 0 || timing_source().empty()) return std::nullopt;
  const GridBuild built = build(timing_source());
  if (!built.program) throw InternalError("device: its kernels for timing: " + built.error);
  constexpr std::size_t kGroup = 64, kItem = kReads * sizeof(std::uint32_t);
  const std::size_t items = (2 * info_.cache_bytes / kItem + kGroup - 1) / kGroup * kGroup;
  if (!flushed_) try {
      flushed_ = allocate(items * kItem);
      fill(flushed_, std::uint32_t{0});
    } catch (const OutOfDeviceMemory&) {
      return std::nullopt;  // no room: the arrays that leave none exceed the cache
    }
  return GridLaunch{
      built.program->kernel("liftgen_read"), {flushed_, flushed_}, {items, 1, 1}, {kGroup, 1, 1}, 1, 0};
}

double GridDevice::launch_ms() {
  constexpr int kLaunches = 200, kFirst = 20;
  if (timing_source().empty()) return 0;
  const GridBuild built = build(timing_source());
  if (!built.program) throw InternalError("device: its kernels for timing: " + built.error);
  const GridLaunch idle{built.program->kernel("liftgen_idle"), {}, {1, 1, 1}, {1, 1, 1}, 1, 0};
  time({&idle, 1}, kFirst);
  return time({&idle, 1}, kLaunches) / kLaunches;
}

double GridDevice::time_all(std::span<const GridLaunch> launches, int times) {
  if (!info_.cpu) return run_all(launches, times);
  const auto begin = std::chrono::steady_clock::now();
  for (int time = 0; time < times; ++time) run_all(launches, 1);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace lift
