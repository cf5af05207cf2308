// Kernels on a device with a grid: arrays are written to it once, in each layout that a kernel wants, and
// stay there.

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "lower/launches.hpp"
#include "patterns/host_data.hpp"
#include "tuning/executor.hpp"

namespace lift {
namespace {

class GridExecutor : public Executor {
 public:
  GridExecutor(std::shared_ptr<GridDevice> device, NativeCompiler& compiler, const ProblemData& arguments,
               int threads)
      : device_(std::move(device)),
        store_(compiler, arguments, std::make_shared<KernelHost>(threads, false)) {}

  std::string source(const Kernel& kernel) override { return emit_source(kernel); }

  std::vector<Compiled> compile(std::span<const Job> jobs,
                                const std::function<bool(std::size_t)>& on_progress) override {
    std::vector<std::string> sources;
    for (const Job& job : jobs) sources.push_back(job.code.empty() ? source(job.kernel) : job.code);
    std::vector<GridBuild> built = device_->build_all(sources, "", on_progress);
    std::vector<Compiled> compiled(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      Compiled& c = compiled[i];
      c.source = std::move(sources[i]), c.seconds = built[i].seconds, c.stopped = built[i].stopped;
      c.program = built[i].program, c.error = std::move(built[i].error);
      if (!c.program && !c.stopped && c.error.empty())
        c.error = "the device's compiler refused it and said nothing";
    }
    return compiled;
  }

  TimedRun bind(const Kernel& kernel, const Compiled& compiled) override {
    const auto program = std::static_pointer_cast<GridProgram>(compiled.program);
    std::vector<GridLaunch> queue;
    for (const Launch& part : launches_in(kernel)) {
      GridLaunch launch;
      launch.kernel = program->kernel(part.name);
      launch.global = part.range.global, launch.local = part.range.local, launch.dims = part.range.dims;
      for (const KernelArgument& a : kernel.arguments) launch.args.push_back(argument(a));
      queue.push_back(std::move(launch));
    }
    // On processors the host's work for a launch is part of what is compared with other kernels there.
    if (device_->info().cpu) return [device = device_, queue] { device->run(queue); };
    return [device = device_, queue](int times) { return device->run(queue, times); };
  }

  void restore(const Kernel& kernel) override {
    for (const KernelArgument& a : kernel.arguments) {
      if (!a.type.is_array() || !a.written) continue;
      const GridMemory scratch = memory(a);
      if (store_.find(a.name) != nullptr)
        device_->copy(scratch, pristine(a));
      else
        device_->fill(scratch, kPoison);
    }
  }

  HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) override {
    const KernelArgument& result = result_argument(kernel, n);
    const GridMemory stored = memory(result);
    if (is_caller_layout(result.layout)) {
      device_->read(stored, staging.data, bytes_of(staging.type));
      return staging;
    }
    Buffer copy(stored->bytes(), BufferOptions{store_.threads(), -1});
    device_->read(stored, copy.data(), copy.bytes());
    store_.to_caller(result, copy.data(), staging.data);
    return staging;
  }

  double convert_ms(const Kernel& kernel) const override { return store_.convert_ms(kernel); }
  bool is_timed() const override { return !device_->info().emulated; }

 private:
  GridArg argument(const KernelArgument& a) {
    if (a.type.is_array()) return memory(a);
    const std::shared_ptr<const void> value = store_.in_layout(a);
    switch (a.type.scalar()) {
      case Scalar::f32:
        return *static_cast<const float*>(value.get());
      case Scalar::f64:
        return *static_cast<const double*>(value.get());
      case Scalar::i32:
        return *static_cast<const std::int32_t*>(value.get());
      case Scalar::boolean:
        break;
    }
    throw InternalError("tuning: argument '" + a.name + "' of type " + a.type.str() +
                        " cannot be passed to a device");
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
  void give_up_spare() {
    const auto is_spare = [](const auto& kept) {
      return !kept.second.callers && kept.second.memory.use_count() == 1;
    };
    std::erase_if(pristine_, is_spare);
    std::erase_if(scratch_, is_spare);
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
      device_->write(memory, on_host.get(), memory->bytes());
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
  LayoutStore store_;
  std::map<std::string, Kept> pristine_, scratch_;  ///< by name and layout
};

}  // namespace

std::unique_ptr<Executor> make_grid_executor(std::shared_ptr<GridDevice> device, NativeCompiler& compiler,
                                             const ProblemData& arguments, int threads) {
  return std::make_unique<GridExecutor>(std::move(device), compiler, arguments, threads);
}

}  // namespace lift
