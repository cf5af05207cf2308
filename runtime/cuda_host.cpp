#include "runtime/cuda_host.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <sstream>

#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/buffer.hpp"
#include "runtime/cuda_host/compiled.hpp"

namespace lift {
namespace {

using cuda_host::Compiled;
using cuda_host::CompiledKernel;

struct HostBuffer : GridBuffer {
  explicit HostBuffer(std::size_t n) : GridBuffer(n), data(n) {}
  std::vector<unsigned char> data;
};

struct HostFunction : GridFunction {
  HostFunction(std::shared_ptr<const Compiled> from, const CompiledKernel& k, std::size_t threads)
      : GridFunction(k.text.name), program(std::move(from)), kernel(&k) {
    info_.arguments = static_cast<int>(std::strlen(k.entry->types));
    info_.max_work_group =
        k.text.max_threads > 0 ? std::min(threads, static_cast<std::size_t>(k.text.max_threads)) : threads;
    info_.local_bytes = program->kernels().size() == 1 ? program->declared_shared_bytes() : 0;
  }
  std::shared_ptr<const Compiled> program;
  const CompiledKernel* kernel;
};

class HostProgram : public GridProgram {
 public:
  HostProgram(std::shared_ptr<const Compiled> compiled, std::size_t threads)
      : compiled_(std::move(compiled)), threads_(threads) {}
  GridKernel kernel(const std::string& name) override {
    if (const CompiledKernel* found = compiled_->find(name))
      return std::make_shared<HostFunction>(compiled_, *found, threads_);
    throw InternalError("CUDA emulation: the source has no kernel " + name);
  }

 private:
  std::shared_ptr<const Compiled> compiled_;
  std::size_t threads_;
};

/// Sizes of a grid as CUDA counts them.
LiftgenHostIndex index_of(const std::array<std::size_t, 3>& s) {
  return {static_cast<unsigned>(s[0]), static_cast<unsigned>(s[1]), static_cast<unsigned>(s[2])};
}

/// A launch's argument as the kernel's signature has it: memory for a pointer, a number of the parameter's
/// size.
void check_type(const HostFunction& kernel, std::size_t i, const GridArg& arg) {
  const char letter = kernel.kernel->entry->types[i];
  const bool pointer = letter >= 'A' && letter <= 'Z', memory = arg.kind() == GridArg::Kind::Memory;
  const std::size_t bytes = letter == 'd' || letter == 'l'   ? 8
                            : letter == 'f' || letter == 'i' ? 4
                            : letter == 'u'                  ? 1
                                                             : arg.bytes();
  if (arg.kind() != GridArg::Kind::Local &&
      (letter == '?' || (pointer == memory && (memory || bytes == arg.bytes()))))
    return;
  throw InternalError("CUDA emulation: kernel " + kernel.name() + ": argument " + std::to_string(i) + " ('" +
                      kernel.kernel->text.parameters[i] + "') is not of the parameter's type");
}

class CudaHostDevice : public GridDevice {
 public:
  CudaHostDevice(NativeCompiler& compiler, CudaHostOptions options)
      : compiler_(&compiler), options_(std::move(options)) {
    info_.platform = "CUDA on the host";
    info_.name = "emulated CUDA device";
    info_.version = "emulation";
    info_.driver = compiler.describe("c++");
    info_.gpu = true, info_.emulated = true, info_.f64 = true;
    info_.compute_units = 1;
    info_.warp = 32;
    info_.max_work_group = 1024;
    info_.max_work_items = {1024, 1024, 64};
    info_.max_groups = {0x7fffffff, 65535, 65535};
    info_.local_bytes = std::size_t{48} * 1024, info_.max_local_bytes = cuda_host::kMostDynamicBytes;
    info_.local_is_dedicated = true;
    info_.registers = 64 * 1024;
    info_.global_bytes = info_.max_allocation = available_memory() / 8;  // a run has several copies
  }

  std::string default_options() const override {
    std::string text;
    for (const std::string& flag : cuda_host::native_source("", {}, options_.compiler, counts()).flags)
      text += (text.empty() ? "" : " ") + flag;
    return text;
  }

 private:
  bool counts() const { return options_.traffic != nullptr; }
  NativeSource native(const std::string& source, const std::string& options) const {
    NativeSource made = cuda_host::native_source(source, {}, options_.compiler, counts());
    std::istringstream words(options);  // default_options() are among them
    made.flags.assign(std::istream_iterator<std::string>(words), {});
    return made;
  }
  GridBuild build_one(const std::string& source, const std::string& options) override {
    const CompileResult r = compiler_->compile(native(source, options));
    GridBuild built;
    if (r.library)
      built.program = std::make_shared<HostProgram>(std::make_shared<const Compiled>(source, r.library),
                                                    info_.max_work_group);
    built.error = r.error, built.cached = r.cached, built.stopped = r.stopped;
    return built;
  }
  int builders() const override { return static_cast<int>(allowed_cpus().size()); }

  static std::vector<unsigned char>& data(GridBuffer& b) { return static_cast<HostBuffer&>(b).data; }
  GridMemory allocate_bytes(std::size_t bytes) override { return std::make_shared<HostBuffer>(bytes); }
  void write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) override {
    std::memcpy(data(to).data() + offset, from, bytes);
  }
  void read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) override {
    std::memcpy(to, data(from).data() + offset, bytes);
  }
  void copy_bytes(GridBuffer& to, GridBuffer& from) override { data(to) = data(from); }
  void fill_bytes(GridBuffer& to, const void* pattern, std::size_t n) override {
    for (std::size_t i = 0; i < to.bytes(); i += n) std::memcpy(data(to).data() + i, pattern, n);
  }

  double run_all(std::span<const GridLaunch> launches, int times) override {
    cuda_host::Run run;
    run.alignment = 1;
    std::vector<GridBuffer*> buffers;
    for (const GridLaunch& l : launches) {
      run.launches.push_back(launch(l, buffers));
      run.alignment =
          std::max(run.alignment, static_cast<const HostFunction&>(*l.kernel).program->alignment());
    }
    for (GridBuffer* b : buffers) run.arrays.emplace_back(data(*b));
    const auto start = std::chrono::steady_clock::now();
    if (counts()) *options_.traffic = cuda_host::count_traffic(run, options_.timeout_seconds);
    for (int time = 0; time < (counts() ? 0 : times); ++time)
      cuda_host::run(run, options_.schedules, options_.timeout_seconds);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  static cuda_host::Launch launch(const GridLaunch& l, std::vector<GridBuffer*>& buffers) {
    const auto& function = static_cast<const HostFunction&>(*l.kernel);
    if (function.kernel->text.is_dynamic && l.local_bytes == 0)
      throw InternalError("CUDA emulation: kernel " + function.name() +
                          " takes shared memory of which its launch asks for none");
    std::array<std::size_t, 3> groups{1, 1, 1}, local{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(l.dims); ++d)
      local[d] = l.local[d], groups[d] = l.global[d] / l.local[d];
    cuda_host::Launch made{function.kernel->entry,
                           function.program->state(),
                           function.kernel->text.parameters,
                           function.program->reads_only(),
                           index_of(groups),
                           index_of(local),
                           {},
                           function.program->declared_shared_bytes() + l.local_bytes};
    for (std::size_t i = 0; i < l.args.size(); ++i) {
      const GridArg& arg = l.args[i];
      check_type(function, i, arg);
      cuda_host::Argument a;
      if (arg.kind() == GridArg::Kind::Memory) {
        const auto at = std::find(buffers.begin(), buffers.end(), arg.memory().get());
        a.array = at - buffers.begin();
        if (at == buffers.end()) buffers.push_back(arg.memory().get());
      } else {
        const auto* value = static_cast<const unsigned char*>(arg.value());
        a.value.assign(value, value + arg.bytes());
      }
      made.arguments.push_back(std::move(a));
    }
    return made;
  }

  NativeCompiler* compiler_;
  CudaHostOptions options_;
};

}  // namespace

std::shared_ptr<GridDevice> make_cuda_host_device(NativeCompiler& compiler, CudaHostOptions options) {
  return std::make_shared<CudaHostDevice>(compiler, std::move(options));
}

}  // namespace lift
