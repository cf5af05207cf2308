#include "runtime/cuda.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "runtime/affinity.hpp"
#include "runtime/cuda_api.hpp"
#include "runtime/cuda_replay.hpp"
#include "runtime/found_apart.hpp"
#include "runtime/grid_queue.hpp"
#include "runtime/nvrtc.hpp"

namespace lift::cuda {
namespace {

constexpr const char* kDriver = "the CUDA driver";
constexpr int kEvents = 64;  ///< pairs at a time

/// CU_FUNC_ATTRIBUTE_...
enum FunctionAttribute {
  kFunctionThreads = 0,
  kStaticLocalBytes = 1,
  kPrivateBytes = 3,
  kFunctionRegisters = 4,
  kMaxDynamicLocalBytes = 8
};
/// CU_JIT_...
enum JitOption { kErrorLog = 5, kErrorLogBytes = 6 };

/// The device's primary context. Whatever lives on it keeps it; the last one gives it back, and clears it
/// when it was lost.
class SharedContext {
 public:
  explicit SharedContext(const Found& found) : device_(found.device), name_(found.info.name) {
    check(api().context_retain(&context_, device_), "cuda: context on " + name_);
  }
  ~SharedContext() {
    if (lost()) api().context_reset(device_);
    api().context_release(device_);
  }
  SharedContext(const SharedContext&) = delete;
  SharedContext& operator=(const SharedContext&) = delete;

  Context handle() const { return context_; }
  const std::string& name() const { return name_; }
  bool lost() const { return lost_; }
  /// The device and its queue are used by one thread at a time.
  std::mutex& mutex() { return mutex_; }

  /// Throws what `status` means, and remembers what cannot be mended.
  void check_here(Status status, const std::string& what) {
    if (status == kSuccess) return;
    if (is_sticky(status)) {
      const std::lock_guard lock(why_mutex_);
      if (!lost_) why_ = what + " on " + name_ + ": " + describe(api(), status);
      lost_ = true;
      throw DeviceLost(why_);
    }
    fail(status, what + " on " + name_);
  }
  void check_alive() {
    const std::lock_guard lock(why_mutex_);
    if (lost_) throw DeviceLost(why_);
  }

 private:
  Ordinal device_;
  std::string name_;
  Context context_ = nullptr;
  std::mutex mutex_, why_mutex_;
  std::atomic<bool> lost_ = false;
  std::string why_;
};
using ContextPointer = std::shared_ptr<SharedContext>;

/// The context is the calling thread's for the length of a scope.
class Current {
 public:
  explicit Current(SharedContext& context) { good_ = api().context_push(context.handle()) == kSuccess; }
  ~Current() {
    Context before = nullptr;
    if (good_) api().context_pop(&before);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  bool good_ = false;
};

struct Buffer final : GridBuffer {
  Address address;
  ContextPointer context;
  Buffer(Address at, std::size_t bytes, ContextPointer on)
      : GridBuffer(bytes), address(at), context(std::move(on)) {}
  ~Buffer() override {
    const Current current(*context);
    api().release(address);
  }
};
Address address_of(const GridBuffer& buffer) { return static_cast<const Buffer&>(buffer).address; }

/// A loaded module; its kernels keep it.
struct Loaded {
  Module module;
  ContextPointer context;
  Loaded(Module handle, ContextPointer on) : module(handle), context(std::move(on)) {}
  ~Loaded() {
    const Current current(*context);
    api().module_unload(module);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
};

struct CudaKernel final : GridFunction {
  Function function;
  std::vector<std::size_t> parameter_bytes;  ///< where the driver tells
  std::shared_ptr<Loaded> module;
  std::size_t dynamic_local_bytes = 0;  ///< that were asked for

  CudaKernel(Function handle, const std::string& called, std::shared_ptr<Loaded> of)
      : GridFunction(called), function(handle), module(std::move(of)) {
    info_.max_work_group = ask(kFunctionThreads);
    info_.local_bytes = ask(kStaticLocalBytes);
    info_.private_bytes = ask(kPrivateBytes);
    info_.registers = static_cast<int>(ask(kFunctionRegisters));
    if (api().parameter_info == nullptr) return;
    std::size_t offset = 0, bytes = 0;
    Status status = kSuccess;
    while ((status = api().parameter_info(function, parameter_bytes.size(), &offset, &bytes)) == kSuccess)
      parameter_bytes.push_back(bytes);
    if (status == kInvalidValue)
      info_.arguments = static_cast<int>(parameter_bytes.size());  // there is no further one
  }

 private:
  std::size_t ask(FunctionAttribute what) const {
    int value = 0;
    module->context->check_here(api().function_attribute(&value, what, function), "kernel " + name_);
    return static_cast<std::size_t>(std::max(value, 0));
  }
};

struct Program final : GridProgram {
  std::shared_ptr<Loaded> loaded;
  explicit Program(std::shared_ptr<Loaded> of) : loaded(std::move(of)) {}
  GridKernel kernel(const std::string& name) override {
    loaded->context->check_alive();
    const Current current(*loaded->context);
    Function function = nullptr;
    loaded->context->check_here(api().module_function(&function, loaded->module, name.c_str()),
                                "kernel " + name);
    return std::make_shared<CudaKernel>(function, name, loaded);
  }
};

Found choose_device(int index) {
  const std::vector<Found> found = find_devices();
  const std::size_t wanted = index < 0 ? 0 : static_cast<std::size_t>(index);
  if (wanted < found.size()) return found[wanted];
  std::string text = "there is no CUDA device " + std::to_string(index) + "; choose with --device from";
  for (const Found& device : found)
    text += (device.info.index > 0 ? ", " : " ") + std::to_string(device.info.index) + " (" +
            device.info.name + ")";
  throw EnvironmentError(text);
}

std::string megabytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string names_of(std::span<const GridLaunch> launches) {
  std::string names;
  const GridFunction* last = nullptr;  // named once
  for (const GridLaunch& launch : launches)
    if (std::exchange(last, launch.kernel.get()) != launch.kernel.get())
      names += (names.empty() ? "kernel " : ", ") + launch.kernel->name();
  return names;
}

}  // namespace

std::uintptr_t device_address(const GridBuffer& buffer) { return address_of(buffer); }

struct Device::Impl {
  Found found;
  BinaryCache cache;
  ContextPointer context;
  Stream stream = nullptr;
  struct Clock {
    Event begin = nullptr, end = nullptr;
  };
  std::vector<Clock> events;  ///< as many as were needed at once

  static constexpr unsigned kNonBlocking = 1;  ///< nothing here waits for the null stream

  Impl(Found device, const std::filesystem::path& cache_path)
      : found(std::move(device)), cache(cache_path), context(std::make_shared<SharedContext>(found)) {
    const Current current(*context);
    context->check_here(api().stream_create(&stream, kNonBlocking), "cuda: stream");
    add_events(1);
  }
  ~Impl() {
    const Current current(*context);
    for (const Clock& clock : events)
      for (const Event event : {clock.begin, clock.end})
        if (event != nullptr) api().event_destroy(event);
    if (stream != nullptr) api().stream_destroy(stream);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// With the device to itself: queues something, waits for all that is queued, and calls `after`.
  template <class Queue, class After>
  void finish(const std::string& what, const Queue& queue, const After& after) {
    const std::lock_guard lock(context->mutex());
    context->check_alive();
    const Current current(*context);
    Status queued = kSuccess;
    try {
      queued = queue();
    } catch (...) {
      api().stream_wait(stream);  // nothing of ours stays in the queue
      throw;
    }
    const Status finished = api().stream_wait(stream);
    context->check_here(queued != kSuccess ? queued : finished, what);
    after();
  }
  template <class Queue>
  void finish(const std::string& what, const Queue& queue) {
    finish(what, queue, [] {});
  }
  void create_events(std::size_t count) {
    const std::lock_guard lock(context->mutex());
    context->check_alive();
    const Current current(*context);
    add_events(count);
  }
  void add_events(std::size_t count) {
    while (events.size() < count) {
      Clock& clock = events.emplace_back();
      context->check_here(api().event_create(&clock.begin, 0), "cuda: event");
      context->check_here(api().event_create(&clock.end, 0), "cuda: event");
    }
  }
  CudaLaunch prepared(const GridLaunch& launch);
  void enqueue(Stream to, const GridLaunch& launch);
  double run_each(const GridLaunch* before, std::span<const GridLaunch> launches, int times,
                  const std::function<void()>& queued);
  std::shared_ptr<Loaded> load(const CompiledSource& compiled, Status& status, std::string& log);
};

std::vector<GridDeviceInfo> devices() {
  const auto find = [] {
    std::vector<GridDeviceInfo> infos;
    for (Found& found : find_devices()) infos.push_back(std::move(found.info));
    return infos;
  };
  return is_open() ? find() : found_apart(find, kDriver);
}

std::string why_unavailable() {
  try {
    const auto find = [] {
      (void)find_devices();
      (void)compiler_info(api().driver);
      return std::vector<GridDeviceInfo>();
    };
    (void)(is_open() ? find() : found_apart(find, kDriver));
    return "";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

Device::Device(int index, const std::filesystem::path& cache) {
  const OriginalAffinity unpinned;  // for the driver's threads
  Found found = choose_device(index);
  (void)compiler_info(api().driver);
  info_ = found.info;
  impl_ = std::make_unique<Impl>(std::move(found), cache);
}
Device::~Device() = default;

std::string Device::default_options() const { return "--std=c++17"; }
int Device::builders() const { return default_threads(); }

/// Null, with the status and the log, when the driver refuses it.
std::shared_ptr<Loaded> Device::Impl::load(const CompiledSource& compiled, Status& status, std::string& log) {
  const std::lock_guard lock(context->mutex());
  context->check_alive();
  const Current current(*context);
  Module module = nullptr;
  log.assign(4096, '\0');
  int options[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  status = api().module_load(&module, compiled.binary.c_str(), compiled.ptx ? 2 : 0, options, values);
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  return status == kSuccess ? std::make_shared<Loaded>(module, context) : nullptr;
}

GridBuild Device::build_one(const std::string& source, const std::string& options) {
  const int driver = api().driver;
  const auto compiled_now = [&](const BinaryCache& from) {
    return compile(source, impl_->found.compute, options, from, driver);
  };
  CompiledSource compiled = compiled_now(impl_->cache);
  GridBuild result;
  result.cached = compiled.cached;
  if (compiled.binary.empty()) {
    result.error = compiled.error;
    return result;
  }
  Status status = kSuccess;
  std::string log;
  std::shared_ptr<Loaded> loaded = impl_->load(compiled, status, log);
  const bool refused = status == kInvalidImage || status == kNoBinaryForDevice || status == kInvalidPtx ||
                       status == kUnsupportedPtx;
  if (refused && compiled.cached) {  // of another time
    impl_->cache.remove(compiled.key);
    compiled = compiled_now(impl_->cache);
    result.cached = false;
    loaded = impl_->load(compiled, status, log);
  }
  if (loaded) {
    result.program = std::make_shared<Program>(loaded);
    return result;
  }
  if (status == kUnsupportedPtx || status == kInvalidImage || status == kNoBinaryForDevice ||
      status == kNoJitCompiler || status == kJitDisabled)
    throw EnvironmentError(
        "the CUDA driver does not take what the compiler makes (" + describe(api(), status) +
        "): the driver knows CUDA " + version_text(driver) + ", NVRTC is of CUDA " +
        version_text(compiler_info(driver).version) +
        "; update the driver, or let $LIFTGEN_NVRTC_LIBRARY name an NVRTC that is not newer");
  if (status == kInvalidPtx) {
    result.error = log.empty() ? describe(api(), status) : log;
    return result;
  }
  impl_->context->check_here(status, "cuda: program");
  return result;
}

GridMemory Device::allocate_bytes(std::size_t bytes) {
  const std::lock_guard lock(impl_->context->mutex());
  impl_->context->check_alive();
  const Current current(*impl_->context);
  Address address = 0;
  const Status status = api().allocate(&address, std::max<std::size_t>(bytes, 1));
  if (status == kOutOfMemory) {
    std::size_t left = 0, all = 0;
    api().memory_info(&left, &all);
    throw OutOfDeviceMemory(
        "an array of " + megabytes(bytes) + " does not fit on " + info_.name + ", where " + megabytes(left) +
        " of " + megabytes(all) +
        " are free; use a smaller --box or fewer --boxes, or end what else uses the device");
  }
  impl_->context->check_here(status, "an array of " + std::to_string(bytes) + " bytes");
  return std::make_shared<Buffer>(address, bytes, impl_->context);
}

void Device::write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) {
  impl_->finish("write",
                [&] { return api().to_device(address_of(to) + offset, from, bytes, impl_->stream); });
}

void Device::read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) {
  impl_->finish("read", [&] { return api().to_host(to, address_of(from) + offset, bytes, impl_->stream); });
}

void Device::copy_bytes(GridBuffer& to, GridBuffer& from) {
  impl_->finish("copy",
                [&] { return api().on_device(address_of(to), address_of(from), to.bytes(), impl_->stream); });
}

void Device::fill_bytes(GridBuffer& to, const void* pattern, std::size_t pattern_bytes) {
  const Address at = address_of(to);
  const std::size_t n = to.bytes() / pattern_bytes;
  const auto value = [&]<class T>(T number) { return std::memcpy(&number, pattern, sizeof number), number; };
  switch (pattern_bytes) {
    case 1:
      return impl_->finish("fill",
                           [&] { return api().set_bytes(at, value(std::uint8_t{}), n, impl_->stream); });
    case 2:
      return impl_->finish("fill",
                           [&] { return api().set_shorts(at, value(std::uint16_t{}), n, impl_->stream); });
    case 4:
      return impl_->finish("fill",
                           [&] { return api().set_words(at, value(std::uint32_t{}), n, impl_->stream); });
    default: {  // the driver knows no longer ones
      const std::vector<std::uint64_t> all(n, value(std::uint64_t{}));
      write_bytes(to, all.data(), to.bytes(), 0);
    }
  }
}

CudaLaunch Device::Impl::prepared(const GridLaunch& launch) {
  auto& kernel = static_cast<CudaKernel&>(*launch.kernel);
  const std::string what = "kernel " + kernel.name();
  CudaLaunch r;
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const GridArg& arg = launch.args[i];
    if (arg.kind() == GridArg::Kind::Local)
      throw InternalError(what + ", argument " + std::to_string(i) +
                          ": CUDA has no arguments in local memory");
    const bool memory = arg.kind() == GridArg::Kind::Memory;
    const std::size_t bytes = memory ? sizeof(Address) : arg.bytes();
    if (i < kernel.parameter_bytes.size() && kernel.parameter_bytes[i] != bytes)
      throw InternalError(what + ", argument " + std::to_string(i) + ": " + std::to_string(bytes) +
                          " bytes are given, it takes " + std::to_string(kernel.parameter_bytes[i]));
    const Address address = memory ? address_of(*arg.memory()) : 0;
    std::memcpy(&r.parameters.emplace_back(0), memory ? &address : arg.value(), bytes);
  }
  if (launch.local_bytes > kernel.dynamic_local_bytes &&
      kernel.info().local_bytes + launch.local_bytes > found.info.local_bytes) {
    context->check_here(api().set_function_attribute(kernel.function, kMaxDynamicLocalBytes,
                                                     static_cast<int>(launch.local_bytes)),
                        what);
    kernel.dynamic_local_bytes = launch.local_bytes;
  }
  r.kernel = launch.kernel, r.function = kernel.function;
  r.local_bytes = static_cast<unsigned>(launch.local_bytes);
  for (std::size_t d = 0; static_cast<int>(d) < launch.dims; ++d)
    r.items[d] = static_cast<unsigned>(launch.local[d]),
    r.groups[d] = static_cast<unsigned>(launch.global[d] / launch.local[d]);
  return r;
}

void Device::Impl::enqueue(Stream to, const GridLaunch& launch) {
  context->check_here(submit(to, prepared(launch)), "kernel " + launch.kernel->name());
}

double Device::run_all(std::span<const GridLaunch> launches, int times) {
  return impl_->run_each(nullptr, launches, times, [&] { tell_queued(); });
}

double Device::time_all_from_memory(std::span<const GridLaunch> launches, int times) {
  const std::optional<GridLaunch> flush = cache_flush();
  if (!flush) return time_all(launches, times);
  double ms = 0;
  for (int done = 0, some = 0; done < times; done += some) {
    some = std::min(times - done, kEvents);
    ms += impl_->run_each(&*flush, launches, some, [&] { tell_queued(); });
  }
  return ms;
}

std::string Device::timing_source() const {
  return "extern \"C\" __global__ void liftgen_idle() {}\n"
         "extern \"C\" __global__ void liftgen_read(const unsigned *in, unsigned *out) {\n"
         "  const unsigned long items = (unsigned long)gridDim.x * blockDim.x;\n"
         "  const unsigned long item = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  unsigned all = 0;\n"
         "  for (int k = 0; k < " +
         std::to_string(kReads) +
         "; ++k) all |= in[item + k * items];\n"
         "  if (all != 0) out[0] = 0;\n"
         "}\n";
}

/// ms between events at the beginning and at the end; with something `before` each of the times, between two
/// of each: while the device is busy with that, all that follows is queued, so that no launch is timed.
double Device::Impl::run_each(const GridLaunch* before, std::span<const GridLaunch> launches, int times,
                              const std::function<void()>& queued) {
  const std::size_t clocks = before != nullptr ? static_cast<std::size_t>(times) : 1;
  create_events(clocks);
  const auto record = [&](Event event) {
    context->check_here(api().event_record(event, stream), "cuda: event");
  };
  const auto queue = [&] {
    if (before == nullptr) record(events[0].begin);
    for (std::size_t time = 0; time < static_cast<std::size_t>(times); ++time) {
      if (before != nullptr) enqueue(stream, *before), record(events[time].begin);
      for (const GridLaunch& launch : launches) enqueue(stream, launch);
      if (before != nullptr) record(events[time].end);
    }
    if (before == nullptr) record(events[0].end);
    queued();
    return Status{kSuccess};
  };
  double ms = 0;
  finish(names_of(launches), queue, [&] {
    for (std::size_t clock = 0; clock < clocks; ++clock) {
      float one = 0;
      context->check_here(api().event_elapsed(&one, events[clock].begin, events[clock].end),
                          "cuda: time of a kernel");
      ms += static_cast<double>(one);
    }
  });
  return ms;
}

class Device::Queue final : public GridQueue {
 public:
  explicit Queue(Device& of) : GridQueue(of), impl_(*of.impl_), context_(impl_.context) {
    ask("cuda: stream", [&] { return api().stream_create(&stream_, Impl::kNonBlocking); });
  }
  ~Queue() override {
    const Current current(*context_);
    api().stream_wait(stream_);
    replay_.clear();
    api().stream_destroy(stream_);
  }

 private:
  void queue_write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset) override {
    ask("write", [&] { return api().to_device(address_of(*to) + offset, from, bytes, stream_); });
  }
  void queue_read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) override {
    ask("read", [&] { return api().to_host(to, address_of(*from) + offset, bytes, stream_); });
  }
  void queue_copy(const GridMemory& to, const GridMemory& from) override {
    ask("copy", [&] { return api().on_device(address_of(*to), address_of(*from), to->bytes(), stream_); });
  }
  void queue_run(std::span<const GridLaunch> launches) override {
    const std::string names = names_of(launches);
    ask(names, [&] {
      last_ = names;
      std::vector<CudaLaunch> chain;
      for (const GridLaunch& launch : launches) chain.push_back(impl_.prepared(launch));
      return replay_.run(stream_, std::move(chain));
    });
  }
  /// From an event in the other stream on.
  void queue_follow(const std::shared_ptr<GridQueue>& other) override {
    constexpr unsigned kNoTiming = 2;
    Event reached = nullptr;
    ask("cuda: event", [&] { return api().event_create(&reached, kNoTiming); });
    ask("cuda: event", [&] {
      Status status = api().event_record(reached, static_cast<Queue&>(*other).stream_);
      if (status == kSuccess) status = api().stream_follow(stream_, reached, 0);
      api().event_destroy(reached);  // when it was reached
      return status;
    });
  }
  /// Others may go on asking the device meanwhile.
  void wait_for_all() override {
    context_->check_alive();
    const Current current(*context_);
    const Status status = api().stream_wait(stream_);
    const std::lock_guard lock(context_->mutex());
    context_->check_here(status, last_.empty() ? "cuda: stream" : last_);
  }

  template <class Request>
  void ask(const std::string& what, const Request& request) {
    const std::lock_guard lock(context_->mutex());
    context_->check_alive();
    const Current current(*context_);
    context_->check_here(request(), what);
  }

  Impl& impl_;
  ContextPointer context_;
  Stream stream_ = nullptr;
  Replay replay_;
  std::string last_;  ///< kernels that were asked for last, for messages
};

std::shared_ptr<GridQueue> Device::make_queue() { return std::make_shared<Queue>(*this); }

}  // namespace lift::cuda
