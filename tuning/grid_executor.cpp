// Kernels on a device with a grid: arrays are written to it once, in each layout that a kernel wants, and
// stay there. Where the device is in a process of its own, so are the arrays in other layouts, and results
// are compared there: as a copy of this process it sees the arguments and what is expected, and nothing large
// is sent.

#include <cstring>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "tuning/device_comparison.hpp"
#include "tuning/executor.hpp"
#include "tuning/grid_launches.hpp"

namespace lift {
namespace {

/// A cache of which arrays need less than so many times its size keeps some of them from run to run.
constexpr double kNearly = 4;

std::size_t bytes_of_arrays(const Kernel& kernel) {
  std::size_t bytes = 0;
  for (const KernelArgument& a : kernel.arguments)
    if (a.type.is_array()) bytes += bytes_of(a.layout, element_of(a.type).scalar());
  return bytes;
}

class GridExecutor : public Executor {
 public:
  GridExecutor(std::shared_ptr<GridDevice> device, NativeCompiler& compiler, const ProblemData& arguments,
               int threads)
      : device_(std::move(device)),
        comparison_(*device_),
        host_(host_of(*device_, threads)),
        store_(compiler, arguments, host_) {
    if (device_->worker()) guard({});
  }

  std::string source(const Kernel& kernel) override { return emit_source(kernel); }

  std::vector<Compiled> compile(std::span<const Job> jobs,
                                const std::function<bool(std::size_t)>& on_progress) override {
    std::vector<std::string> sources;
    for (const Job& job : jobs) sources.push_back(job.code.empty() ? source(job.kernel) : job.code);
    std::vector<GridBuild> built = device_->build_all(sources, "", on_progress);
    std::vector<Compiled> compiled(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      Compiled& c = compiled[i];
      c.launches = jobs[i].launches;
      c.source = std::move(sources[i]), c.seconds = built[i].seconds, c.stopped = built[i].stopped;
      c.program = built[i].program, c.error = std::move(built[i].error);
      if (!c.program && !c.stopped && c.error.empty())
        c.error = "the device's compiler refused it and said nothing";
    }
    return compiled;
  }

  TimedRun bind(const Kernel& kernel, const Compiled& compiled) override {
    const auto program = std::static_pointer_cast<GridProgram>(compiled.program);
    auto bound = std::make_shared<Bound>();
    bound->kernel = signature_of(kernel);
    for (const OwnLaunch& own : compiled.launches) {
      GridLaunch launch;
      launch.kernel = program->kernel(own.name);
      launch.local = own.local, launch.dims = 3;
      for (std::size_t d = 0; d < 3; ++d) launch.global[d] = own.groups[d] * own.local[d];
      bound->queue.push_back(std::move(launch));
      bound->arguments.push_back(own.arguments);
    }
    if (compiled.launches.empty()) bound->own = grid_launches(kernel, *program), bound->text = kernel;
    bound->from_memory = is_flushed_for(bound->kernel);
    collect(*bound);
    return TimedRun([this, bound](int times) {
      if (refresh() != bound->generation) {  // what it was bound to is gone with its process
        collect(*bound);
        restore(bound->kernel);
      }
      device_->set_limit(limit_seconds_);
      return bound->from_memory ? device_->time_from_memory(bound->queue, times)
                                : device_->time(bound->queue, times);
    });
  }

  void restore(const Kernel& kernel) override {
    refresh();
    for (const KernelArgument& a : kernel.arguments) {
      if (!a.type.is_array() || !a.written) continue;
      const GridMemory scratch = memory(a);
      if (store_.find(a.name) != nullptr)
        device_->copy(scratch, pristine(a));
      else
        poison(scratch, bytes_of(a.layout, element_of(a.type).scalar()));
    }
  }

  HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) override {
    const KernelArgument& result = result_argument(kernel, n);
    if (is_caller_layout(result.layout)) {
      refresh();
      device_->read(memory(result), staging.data, bytes_of(staging.type));
      return staging;
    }
    const std::string bytes = host_->read(in_callers_layout(result).get(), bytes_of(staging.type));
    std::memcpy(staging.data, bytes.data(), bytes.size());
    return staging;
  }

  Difference compare(const Kernel& kernel, std::size_t n, const Expected& expected) override {
    const KernelArgument& result = result_argument(kernel, n);
    if (const Scalar type = element_of(expected.result.type).scalar();
        kernel.target && is_caller_layout(result.layout) && comparison_.applies(type)) {
      refresh();
      if (const auto found = comparison_.compare(*kernel.target, memory(result), expected, tolerance(type)))
        return *found;
    }
    const std::shared_ptr<const void> got = in_callers_layout(result_argument(kernel, n));
    const Scalar type = element_of(expected.result.type).scalar();
    return host_->compare(type, got.get(), expected.result.data, expected.bounds,
                          host::count(expected.result.type), expected.mean, tolerance(type));
  }

  double convert_ms(const Kernel& kernel) const override { return store_.convert_ms(kernel); }
  bool is_timed() const override { return !device_->info().emulated; }
  bool is_flushed_for(const Kernel& kernel) const override {
    const GridDeviceInfo& info = device_->info();
    return info.gpu && !info.emulated &&
           static_cast<double>(bytes_of_arrays(kernel)) < kNearly * static_cast<double>(info.cache_bytes);
  }
  double launch_ms() override { return is_timed() ? device_->launch_ms() : 0; }

  void guard(const std::vector<Expected>& expected) override {
    comparison_.forget();
    if (device_->worker()) guard_arrays(*host_, store_.arguments(), expected);
  }
  void set_limit(double seconds) override {
    limit_seconds_ = seconds;
    host_->set_limit(seconds);
  }

 private:
  struct Bound {
    Kernel kernel;
    Kernel text;                  ///< the same, with its launches; for others' code nothing
    std::vector<GridLaunch> own;  ///< see grid_launches
    std::vector<GridLaunch> queue;
    std::vector<std::vector<std::string>> arguments;  ///< of each launch of others' code, by name
    unsigned generation = 0;
    bool from_memory = false;
  };
  static std::shared_ptr<KernelHost> host_of(const GridDevice& device, int threads) {
    const std::shared_ptr<Worker> worker = device.worker();
    return worker ? std::make_shared<KernelHost>(threads, worker)
                  : std::make_shared<KernelHost>(threads, false);
  }
  /// The generation of the device's process; what an earlier one had is forgotten.
  unsigned refresh() {
    const unsigned now = device_->generation();
    if (now == generation_) return now;
    pristine_.clear(), scratch_.clear(), staging_.clear(), store_.forget(), comparison_.forget();
    return generation_ = now;
  }
  void collect(Bound& bound) {
    bound.generation = refresh();
    if (bound.arguments.empty()) {
      std::vector<GridArg> args;
      for (const KernelArgument& a : bound.kernel.arguments) args.push_back(argument(a));
      bound.queue = called(bound.text, bound.own, args);
    }
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      bound.queue[i].args.clear();
      for (const std::string& name : bound.arguments[i])
        bound.queue[i].args.push_back(argument(named(bound.kernel, name)));
    }
  }
  /// A result as the caller would have it, in the device's process; until it is asked for the next one, or
  /// the device is used.
  std::shared_ptr<const void> in_callers_layout(const KernelArgument& result) {
    refresh();
    const GridMemory stored = memory(result);
    std::shared_ptr<const void> at(std::shared_ptr<void>(), device_->contents(stored));
    if (at == nullptr) {
      std::shared_ptr<void>& copy = staging_[storage_key(result)];
      if (!copy) copy = host_->allocate(stored->bytes());
      device_->read_there(stored, copy.get());
      at = copy;
    }
    if (is_caller_layout(result.layout)) return at;
    std::shared_ptr<void>& callers = staging_[result.name + " : " + result.type.str()];
    if (!callers) callers = host_->allocate(bytes_of(result.type));
    store_.to_caller(result, at.get(), callers.get());
    return callers;
  }

  static const KernelArgument& named(const Kernel& kernel, const std::string& name) {
    for (const KernelArgument& a : kernel.arguments)
      if (a.name == name) return a;
    throw InternalError("tuning: a launch has an argument '" + name + "' that its kernel has not");
  }
  GridArg argument(const KernelArgument& a) {
    if (a.type.is_array()) return memory(a);
    const std::shared_ptr<const void> value = store_.in_layout(a);
    if (a.type.scalar() == boolean)
      throw InternalError("tuning: argument '" + a.name + "' of type " + a.type.str() +
                          " cannot be passed to a device");
    return with_scalar(a.type.scalar(),
                       [&]<class T>(T) -> GridArg { return *static_cast<const T*>(value.get()); });
  }

  /// Memory for an argument. Where there is none left, what no run is bound to in other layouts is given up;
  /// where that does not help, this layout is one too many, but the caller's has to fit.
  GridMemory allocate(const KernelArgument& a) {
    const std::size_t bytes = bytes_of(a.layout, element_of(a.type).scalar());
    try {
      return device_->allocate(bytes);
    } catch (const OutOfDeviceMemory&) {
      give_up_spare();
    }
    try {
      return device_->allocate(bytes);
    } catch (const OutOfDeviceMemory& error) {
      if (is_caller_layout(a.layout)) throw;
      throw UserError(error.what());
    }
  }
  /// Truth values may end within a word.
  void poison(const GridMemory& to, std::size_t bytes) {
    if (bytes % sizeof kPoison == 0) return device_->fill(to, kPoison);
    const std::shared_ptr<void> on_host = host_->allocate(bytes);
    host_->poison(on_host.get(), bytes);
    device_->write_there(to, on_host.get());
  }
  void give_up_spare() {
    const auto is_spare = [](const auto& kept) {
      return !kept.second.callers && kept.second.memory.use_count() == 1;
    };
    std::erase_if(pristine_, is_spare);
    std::erase_if(scratch_, is_spare);
    staging_.clear();
  }
  std::shared_ptr<const void> stored(const KernelArgument& a) {
    try {
      return store_.in_layout(a);
    } catch (const UserError&) {  // the device may share memory with the host
      give_up_spare();
    }
    return store_.in_layout(a);
  }
  GridMemory pristine(const KernelArgument& a) {
    const auto at = pristine_.find(storage_key(a));
    if (at != pristine_.end()) return at->second.memory;
    const std::shared_ptr<const void> on_host = stored(a);
    GridMemory memory = device_->share(on_host, bytes_of(a.layout, element_of(a.type).scalar()));
    if (!memory) {
      memory = allocate(a);
      device_->write_there(memory, on_host.get());
    }
    pristine_[storage_key(a)] = {memory, is_caller_layout(a.layout)};
    return memory;
  }
  GridMemory memory(const KernelArgument& a) {
    if (!a.written) return pristine(a);
    const auto at = scratch_.find(storage_key(a));
    if (at != scratch_.end()) return at->second.memory;
    GridMemory memory = allocate(a);
    scratch_[storage_key(a)] = {memory, is_caller_layout(a.layout)};
    return memory;
  }

  struct Kept {
    GridMemory memory;
    bool callers = false;  ///< in the caller's layout
  };
  std::shared_ptr<GridDevice> device_;
  DeviceComparison comparison_;
  std::shared_ptr<KernelHost> host_;
  LayoutStore store_;
  unsigned generation_ = 0;
  double limit_seconds_ = 0;
  std::map<std::string, std::shared_ptr<void>>
      staging_;                                     ///< results, as they are stored and as callers have them
  std::map<std::string, Kept> pristine_, scratch_;  ///< by name and layout
};

}  // namespace

std::unique_ptr<Executor> make_grid_executor(std::shared_ptr<GridDevice> device, NativeCompiler& compiler,
                                             const ProblemData& arguments, int threads) {
  return std::make_unique<GridExecutor>(std::move(device), compiler, arguments, threads);
}

}  // namespace lift
