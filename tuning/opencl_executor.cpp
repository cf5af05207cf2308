// Kernels as OpenCL C on a device: arrays are written to it once, in each layout that a kernel wants.
#include <cstring>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/opencl.hpp"
#include "tuning/executor.hpp"

namespace lift {
namespace {

class OpenclExecutor : public Executor {
 public:
  OpenclExecutor(std::shared_ptr<opencl::Device> device, NativeCompiler& compiler, const ProblemData& arguments, int threads)
      : device_(std::move(device)), store_(compiler, arguments, threads) {}

  std::string source(const Kernel& kernel) override { return emit_opencl(kernel); }

  /// One after the other: drivers build in this process, most of them under a lock.
  std::vector<Compiled> compile(std::span<const Job> jobs, const std::function<bool(std::size_t)>& on_progress) override {
    std::vector<Compiled> compiled(jobs.size());
    bool go = true;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      go = go && !interrupted() && (!on_progress || on_progress(i));
      compiled[i].source = jobs[i].code.empty() ? source(jobs[i].kernel) : jobs[i].code;
      compiled[i].stopped = !go;
      if (!go) continue;
      const opencl::BuildResult built = device_->build(compiled[i].source, "-cl-std=CL1.2 -w");
      compiled[i].program = built.program;
      compiled[i].seconds = built.seconds;
      compiled[i].error = built.program || !built.error.empty() ? built.error : "the driver refused it and said nothing";
    }
    if (on_progress) on_progress(jobs.size());
    return compiled;
  }

  std::function<void()> bind(const Kernel& kernel, const Compiled& compiled) override {
    const auto program = std::static_pointer_cast<opencl::Program>(compiled.program);
    const NDRange range = nd_range(kernel);
    opencl::Launch launch{.kernel = program->kernel(kernel.name), .global = range.global, .local = range.local, .dims = range.dims};
    for (const KernelArgument& a : kernel.arguments) launch.args.push_back(argument(a));
    return [device = device_, program, launch] { device->launch(launch); };
  }

  void restore(const Kernel& kernel) override {
    for (const KernelArgument& a : kernel.arguments) {
      if (!a.type.is_array() || !a.written) continue;
      const opencl::Memory scratch = memory(a);
      if (store_.find(a.name) != nullptr)
        device_->copy(scratch, pristine(a));
      else
        device_->fill(scratch, std::uint32_t{0xffffffff});  // NaN as f32 and f64
    }
  }

  HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) override {
    const KernelArgument& result = result_argument(kernel, n);
    const opencl::Memory stored = memory(result);
    if (is_caller_layout(result.layout)) {
      device_->read(stored, staging.data, bytes_of(staging.type));
      return staging;
    }
    Buffer copy(stored.bytes(), BufferOptions{store_.threads(), -1});
    device_->read(stored, copy.data(), copy.bytes());
    store_.to_caller(result, copy.data(), staging);
    return staging;
  }

  double convert_ms(const Kernel& kernel) const override { return store_.convert_ms(kernel); }

 private:
  opencl::Arg argument(const KernelArgument& a) {
    if (a.type.is_array()) return memory(a);
    const std::shared_ptr<const void> value = store_.in_layout(a);
    switch (a.type.scalar()) {
      case Scalar::f32: return *static_cast<const float*>(value.get());
      case Scalar::f64: return *static_cast<const double*>(value.get());
      case Scalar::i32: return *static_cast<const std::int32_t*>(value.get());
      case Scalar::boolean: break;
    }
    throw InternalError("tuning: argument '" + a.name + "' of type " + a.type.str() + " cannot be passed to OpenCL");
  }

  opencl::Memory pristine(const KernelArgument& a) {
    const auto [at, is_new] = pristine_.try_emplace(storage_key(a));
    if (is_new) {
      const std::size_t bytes = bytes_of(a.layout, element_of(a.type).scalar());
      try {
        at->second = device_->allocate(bytes);
        device_->write(at->second, store_.in_layout(a).get(), bytes);
      } catch (...) {
        pristine_.erase(at);
        throw;
      }
    }
    return at->second;
  }
  opencl::Memory memory(const KernelArgument& a) {
    if (!a.written) return pristine(a);
    const auto at = scratch_.find(storage_key(a));
    if (at != scratch_.end()) return at->second;
    return scratch_[storage_key(a)] = device_->allocate(bytes_of(a.layout, element_of(a.type).scalar()));
  }

  std::shared_ptr<opencl::Device> device_;
  LayoutStore store_;
  std::map<std::string, opencl::Memory> pristine_, scratch_;  ///< by name and layout
};

}  // namespace

std::unique_ptr<Executor> make_opencl_executor(std::shared_ptr<opencl::Device> device, NativeCompiler& compiler,
                                               const ProblemData& arguments, int threads) {
  return std::make_unique<OpenclExecutor>(std::move(device), compiler, arguments, threads);
}

}  // namespace lift
