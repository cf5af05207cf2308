// The emulated CUDA device, used as any other.
#include <doctest/doctest.h>

#include <numeric>

#include "ir/limit_error.hpp"
#include "runtime/cuda_host.hpp"

using namespace lift;

namespace cuda_host_device_test {
namespace {

const std::string scale =
    "extern \"C\" __global__ void __launch_bounds__(64) scale(const long n, const double *__restrict__ x, "
    "const float f, double *__restrict__ y) {\n"
    "  const long i = (long)blockIdx.x * 64 + threadIdx.x;\n"
    "  if (i < n) y[i] = f * x[i];\n"
    "}\n";

struct Emulated {
  NativeCompiler compiler;
  std::shared_ptr<GridDevice> device = make_cuda_host_device(compiler);
  GridKernel kernel(const std::string& source, const std::string& name) {
    const GridBuild built = device->build(source);
    REQUIRE_MESSAGE(built.program, built.error);
    return built.program->kernel(name);
  }
};

}  // namespace

TEST_CASE("the emulated device runs kernels over its buffers") {
  Emulated e;
  CHECK(e.device->info().emulated);
  CHECK(e.device->info().max_work_group == 1024);
  const GridKernel kernel = e.kernel(scale, "scale");
  CHECK(kernel->info().arguments == 4);
  CHECK(kernel->info().max_work_group == 64);
  std::vector<double> x(100), y(100);
  std::iota(x.begin(), x.end(), 1);
  const GridMemory from = e.device->allocate(800), to = e.device->allocate(800),
                   again = e.device->allocate(800);
  e.device->write(from, x.data(), 800);
  e.device->fill(to, std::uint32_t{0xffffffff});
  GridLaunch launch;
  launch.kernel = kernel, launch.global = {128, 1, 1}, launch.local = {64, 1, 1};
  launch.args = {100L, from, 2.0F, to};
  GridLaunch second = launch;  // the result once more, in the same run
  second.args = {50L, to, 10.0F, again};
  e.device->copy(again, from);
  const GridLaunch both[] = {launch, second};
  CHECK(e.device->run(both) > 0);
  e.device->read(to, y.data(), 800);
  for (std::size_t i = 0; i < 100; ++i) CHECK(y[i] == 2 * x[i]);
  e.device->read(again, y.data(), 800);
  for (std::size_t i = 0; i < 100; ++i) CHECK(y[i] == (i < 50 ? 20 : 1) * x[i]);
}

TEST_CASE("the emulated device says what is wrong with a launch") {
  Emulated e;
  const GridKernel kernel = e.kernel(scale, "scale");
  const GridMemory x = e.device->allocate(800), y = e.device->allocate(800);
  GridLaunch launch;
  launch.kernel = kernel, launch.global = {128, 1, 1}, launch.local = {64, 1, 1};
  launch.args = {100L, x, 2.0F, y};
  CHECK_NOTHROW(e.device->run(launch));
  GridLaunch wrong = launch;
  wrong.local = {128, 1, 1};
  CHECK_THROWS_WITH_AS(e.device->run(wrong),
                       "kernel scale: work-groups of 128 work-items; emulated CUDA device allows 64 for it; "
                       "use smaller tiles, or fewer work-items a group",
                       LimitError);
  wrong = launch, wrong.args[2] = 2.0;
  CHECK_THROWS_WITH_AS(e.device->run(wrong),
                       "CUDA emulation: kernel scale: argument 2 ('f') is not of the parameter's type",
                       InternalError);
  wrong = launch, wrong.args[0] = 101L;
  CHECK_THROWS_WITH_AS(
      e.device->run(wrong),
      "kernel scale: block (1, 0, 0), thread (36, 0, 0): access to element 100 of 'x', which has 100",
      KernelFault);
  CHECK_NOTHROW(e.device->run(launch));  // as good as before
  const GridBuild broken = e.device->build("extern \"C\" __global__ void k() { nothing(); }\n");
  CHECK_FALSE(broken.program);
  CHECK(broken.error.find("kernel.cu:1:") != std::string::npos);
  CHECK_THROWS_WITH_AS(e.kernel(scale, "stale"), "CUDA emulation: the source has no kernel stale",
                       InternalError);
}

TEST_CASE("more shared memory than a block may have") {
  Emulated e;
  const GridKernel kernel = e.kernel(
      "extern \"C\" __global__ void k(double* y) { __shared__ double t[7000]; t[threadIdx.x] = 1; y[0] = "
      "t[threadIdx.x]; }\n",
      "k");
  GridLaunch launch;
  launch.kernel = kernel, launch.local = {1, 1, 1}, launch.args = {e.device->allocate(8)};
  CHECK_THROWS_WITH_AS(e.device->run(launch),
                       "kernel k needs 56000 bytes of local memory; emulated CUDA device has 49152 a "
                       "work-group; use smaller tiles",
                       LimitError);
}

TEST_CASE("shared memory that a launch asks for") {
  Emulated e;
  const GridKernel kernel = e.kernel(
      "extern \"C\" __global__ void k(double* y) {\n"
      "  extern __shared__ __align__(16) unsigned char memory[];\n"
      "  double (&a)[8000] = *(double (*)[8000])&memory[0];\n"
      "  double (&b)[64] = *(double (*)[64])&memory[64000];\n"
      "  a[threadIdx.x + 7900] = threadIdx.x, b[threadIdx.x] = 1;\n"
      "  __syncthreads();\n"
      "  y[threadIdx.x] = a[7963 - threadIdx.x] + b[63 - threadIdx.x];\n"
      "}\n",
      "k");
  CHECK(kernel->info().local_bytes == 0);
  GridLaunch launch;
  launch.kernel = kernel, launch.global = launch.local = {64, 1, 1};
  launch.args = {e.device->allocate(512)}, launch.local_bytes = 64512;
  e.device->run(launch);
  double y[64];
  e.device->read(launch.args[0].memory(), y, 512);
  CHECK(y[0] == 64);
  CHECK(y[63] == 1);
  launch.local_bytes = 0;
  CHECK_THROWS_WITH_AS(e.device->run(launch),
                       "CUDA emulation: kernel k takes shared memory of which its launch asks for none",
                       InternalError);
  launch.local_bytes = 300000;
  CHECK_THROWS_AS(e.device->run(launch), LimitError);
}

}  // namespace cuda_host_device_test
