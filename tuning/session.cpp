#include "tuning/session.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "runtime/affinity.hpp"
#include "runtime/apart_device.hpp"
#include "runtime/cuda.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/environment.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/opencl.hpp"
#include "runtime/parallel.hpp"
#include "tuning/reference.hpp"

namespace lift {
namespace {

constexpr double kLeastLimitSeconds = 5;  ///< for one call of a kernel, whatever its size
constexpr double kSlower = 20;            ///< times the reference's time more: then it hangs

/// Threads of OpenMP run times spin after each parallel region, on the processors of whatever is measured
/// next: LLVM's for 200 ms, GNU's for some; now for about 1 ms, longer than the gaps between calls.
int configure(const ExploreOptions& options) {
  set_in_workers("KMP_BLOCKTIME", "1");
  set_in_workers("GOMP_SPINCOUNT", "100000");
  return configure_openmp(options.threads);
}

/// Where kernels over a grid are launched.
std::shared_ptr<GridDevice> device_of(const ExploreOptions& options, NativeCompiler& compiler, int threads) {
  const OriginalAffinity affinity;  // for the driver's workers
  switch (options.target) {
    case Target::openmp:  // has no grid
      break;
    case Target::opencl:
      opencl::configure_pocl(threads);
      return open_apart([index = options.device] { return std::make_unique<opencl::Device>(index); },
                        opencl::is_open());
    case Target::cuda:
      if (options.emulate) return make_cuda_host_device(compiler);
      return open_apart([index = options.device] { return std::make_unique<cuda::Device>(index); },
                        cuda::is_open());
  }
  return nullptr;
}

/// What the arrays of a program need, before any is made: nothing but the results on processors, which share
/// the others.
void check_arrays(const Program& program, const GridDeviceInfo& device) {
  constexpr const char* kRemedy =
      "; use a smaller --box or fewer --boxes (of a .lift file: a smaller --size)";
  constexpr std::size_t kEmulated = std::size_t{1} << 22;
  std::size_t largest = 0, all = 0, elements = 0;
  const auto count = [&](const Type& t) {
    const std::size_t bytes = bytes_of(t);
    largest = std::max(largest, bytes), all += bytes,
    elements = std::max(elements, static_cast<std::size_t>(host::count(t)));
  };
  for (const ProgramResult& r : results_of(program)) count(r.type);
  if (!device.cpu || device.emulated)
    for (const Expr& a : program.arguments) count(a.type());
  const auto shown = [](std::size_t bytes) {
    return bytes < 4 << 20 ? std::to_string(bytes >> 10) + " KB" : std::to_string(bytes >> 20) + " MB";
  };
  if (device.emulated && elements > kEmulated)
    throw UserError(
        "--emulate: " + program.name + " has an array of " + std::to_string(elements) +
        " elements; threads run one after the other on the processor, which takes minutes a kernel beyond " +
        std::to_string(kEmulated) + kRemedy);
  if (device.max_allocation > 0 && largest > device.max_allocation)
    throw OutOfDeviceMemory(program.name + ": an array of " + shown(largest) + " does not fit on " +
                            device.name + ", which allows " + shown(device.max_allocation) + " in one" +
                            kRemedy);
  if (device.global_bytes > 0 && all > device.global_bytes)
    throw OutOfDeviceMemory(program.name + ": arrays of " + shown(all) + " together do not fit on " +
                            device.name + ", which has " + shown(device.global_bytes) + kRemedy);
}

/// Before anything is allocated: the arguments, and the results three times (expected, computed, and another
/// layout's or the bounds); once more where a device's process copies them from the device to compare them.
const Program& fitting(const Program& program, const GridDevice* device) {
  const bool copied = device != nullptr && device->worker() && !device->info().cpu;
  double bytes = 0;
  const auto count = [&](const Type& t, double times) {
    double all = times * static_cast<double>(size_of(element_of(t).scalar()));
    for (const std::int64_t length : host::lengths(t)) all *= static_cast<double>(length);
    bytes += all;
  };
  for (const Expr& a : program.arguments) count(a.type(), 1);
  for (const ProgramResult& r : results_of(program)) count(r.type, copied ? 4.5 : 3.5);
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return program;
  const auto megabytes = [](double n) {
    return std::to_string(static_cast<long long>(n / (1 << 20))) + " MB";
  };
  throw UserError(
      program.name + ": its arrays and what they are compared with need " + megabytes(bytes) + ", and " +
      megabytes(available) +
      " of memory are available; use a smaller --box or fewer --boxes (of a .lift file: a smaller --size)");
}

std::shared_ptr<GridDevice> open_device(const ExploreOptions& options, const Problem& problem,
                                        const Program& program, NativeCompiler& compiler, int threads) {
  if (!is_grid(options.target)) return nullptr;
  auto device = device_of(options, compiler, threads);
  if (problem.type == f64 && !device->info().f64)
    throw UserError("--type f64: the device " + device->info().name +
                    " has no f64; use --type f32, or another --device");
  check_arrays(program, device->info());
  return device;
}

Problem one_sweep(Problem p) {
  p.sweeps = 1;
  return p;
}

NativeCompiler open_compiler() {
  NativeCompilerOptions options;
  options.timeout_seconds = 15;
  return NativeCompiler(options);
}

/// Measured once a process, by number of threads: the triad goes through several times the caches. It says
/// nothing of a GPU, which needs neither it nor a compiler of the host.
Machine probe_machine(NativeCompiler& compiler, int threads, const GridDevice* device) {
  if (device != nullptr && device->info().gpu && !device->info().emulated)
    return probe(compiler, threads, false);
  static std::mutex mutex;
  static auto& known = *new std::map<int, Machine>;
  compiler.require_working();
  const std::lock_guard lock(mutex);
  if (const auto at = known.find(threads); at != known.end()) return at->second;
  Machine machine = probe(compiler, threads, true);
  if (!interrupted()) known.emplace(threads, machine);
  return machine;
}

}  // namespace

Session::Session(const Pattern& p, const Problem& q, const ExploreOptions& options)
    : pattern(p),
      problem(q),
      program(p.build(q)),
      single(p.build(one_sweep(q))),
      threads(configure(options)),
      compiler(open_compiler()),
      device(open_device(options, q, program, compiler, threads)),
      machine([this] {
        const Stopwatch probing(probing_seconds);
        return probe_machine(compiler, threads, device.get());
      }()),
      arguments(p, q, fitting(program, device.get()), threads),
      native(make_native_executor(compiler, arguments, threads)) {
  device_name = device ? device->info().name + (device->info().emulated ? ", whose times mean nothing" : "")
                       : machine.device;
  if (machine.vector_bytes > 0) lowering.vector_bytes = machine.vector_bytes;
  lowering.target = options.target, lowering.least_shared = kLeastShared;
  if (device) other_ = executor_for(arguments);
  reference_ = ExpectedResults(program, threads);
  compute_expected(options);
}

std::unique_ptr<Executor> Session::executor_for(const ProblemData& others) {
  return device ? make_grid_executor(device, compiler, others, threads)
                : make_native_executor(compiler, others, threads);
}

bool Session::twin_applies() const { return !device || device->info().cpu; }

/// Without a reference of the pattern's own, results are held against the kernel that takes no decision,
/// which runs as it is written. The small problem's comparison with the interpreter stands behind it.
void Session::compute_expected(const ExploreOptions& given) {
  const auto began = std::chrono::steady_clock::now();
  if (pattern.reference) pattern.reference(problem, arguments.all(), reference_.results());
  ReferenceOptions options;
  options.values = !pattern.reference, options.threads = threads;
  options.limit_seconds = std::max(kLeastLimitSeconds, 2 * given.budget_seconds);
  if (options.values || given.host_compiler)
    compute_reference(program, lowering, compiler, arguments, reference_, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  reference_.measure_magnitudes();
  for (Executor* each : {native.get(), other_.get()}) {
    if (each == nullptr) continue;
    each->guard(expected());
    each->set_limit(kLeastLimitSeconds + kSlower * took.count());
  }
}

}  // namespace lift
