#include "tuning/session.hpp"

#include <cstdlib>

#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "runtime/affinity.hpp"
#include "runtime/cuda.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "runtime/parallel.hpp"

namespace lift {
namespace {

/// Before any OpenMP run time is opened. Their threads spin after each parallel region, on the processors of whatever is
/// measured next: LLVM's for 200 ms, GNU's for some; now for about 1 ms, longer than the gaps between calls.
int configure(const ExploreOptions& options) {
  ::setenv("KMP_BLOCKTIME", "1", 0);
  ::setenv("GOMP_SPINCOUNT", "100000", 0);
  return configure_openmp(options.threads);
}

std::shared_ptr<GridDevice> open_device(const ExploreOptions& options, const Problem& problem, NativeCompiler& compiler, int threads) {
  if (!is_grid(options.target)) return nullptr;
  const OriginalAffinity affinity;  // for the driver's workers
  if (options.target == Target::cuda) {
    if (options.emulate) return make_cuda_host_device(compiler);
    return std::make_shared<cuda::Device>(options.device);
  }
  opencl::configure_pocl(threads);
  auto device = std::make_shared<opencl::Device>(options.device);
  if (problem.type == f64 && !device->info().f64)
    throw UserError("--type f64: the device " + device->info().name + " has no f64; use --type f32, or another --device");
  return device;
}

NativeCompiler open_compiler() {
  NativeCompilerOptions options;
  options.timeout_seconds = 15;
  return NativeCompiler(options);
}

Machine probe_machine(NativeCompiler& compiler, int threads) {
  compiler.describe();  // EnvironmentError when there is none
  return probe(compiler, threads, true);
}

}  // namespace

Session::Session(const Pattern& p, const Problem& q, const ExploreOptions& options)
    : pattern(p),
      problem(q),
      program(p.build(q)),
      threads(configure(options)),
      compiler(open_compiler()),
      device(open_device(options, q, compiler, threads)),
      machine(probe_machine(compiler, threads)),
      arguments(p, q, program, threads),
      native(make_native_executor(compiler, arguments, threads)),
      target_(options.target) {
  device_name = device ? device->info().name + (device->info().emulated ? ", whose times mean nothing" : "") : machine.device;
  if (machine.vector_bytes > 0) lowering.vector_bytes = machine.vector_bytes;
  if (device) other_ = executor_for(arguments);
  reference_ = ExpectedResults(program, threads);
  compute_reference();
  reference_.measure_magnitudes();
}

std::unique_ptr<Executor> Session::executor_for(const ProblemData& others) {
  return device ? make_grid_executor(device, target_, compiler, others, threads) : make_native_executor(compiler, others, threads);
}

bool Session::twin_applies() const { return !device || device->info().cpu; }

/// Without a reference of the pattern's own: the kernel that takes no decisions, which runs as it is written. The small
/// problem's comparison with the interpreter stands behind it.
void Session::compute_reference() {
  if (pattern.reference) return pattern.reference(problem, arguments.all(), reference_.results());
  const Kernel kernel = lower(program, lowering);
  const Job job{kernel, {}, {}, {}, {}};
  const Compiled compiled = native->compile({&job, 1}, {}).front();
  if (!compiled.program) throw InternalError("the sequential kernel of " + program.name + " was not compiled: " + compiled.error);
  const auto run = native->bind(kernel, compiled);
  native->restore(kernel);
  run();
  const std::vector<HostArray> results = reference_.results();
  for (std::size_t n = 0; n < results.size(); ++n) {
    const HostArray got = native->fetch(kernel, n, results[n]);
    if (got.data != results[n].data) host::copy(got, results[n]);
  }
}

}  // namespace lift
