// What kernels do in global memory, counted on the host: exact numbers of kernels whose traffic is known by
// hand.
#include <doctest/doctest.h>

#include "runtime/cuda_host.hpp"
#include "runtime/process.hpp"

using namespace lift;
using cuda_host::Accesses;
using cuda_host::LaunchTraffic;

namespace counting_test {
namespace {

constexpr std::size_t kElements = 1024;

std::vector<std::string> compilers() {
  std::vector<std::string> all;
  for (const char* c : {"g++", "clang++", "clang++-15"})
    if (!find_program(c).empty()) all.emplace_back(c);
  return all;
}

/// Of `kernel`, k(const double* x, double* y) over arrays of 1024 doubles each, in blocks of 128 threads.
LaunchTraffic counted(const std::string& kernel, const std::string& compiler,
                      std::size_t threads = kElements) {
  NativeCompiler native;
  std::vector<LaunchTraffic> found;
  CudaHostOptions options;
  options.traffic = &found, options.compiler = compiler;
  const auto device = make_cuda_host_device(native, options);
  const GridBuild built = device->build(kernel);
  INFO(compiler << "\n" << kernel);
  REQUIRE_MESSAGE(built.program, built.error);
  GridLaunch launch;
  launch.kernel = built.program->kernel("k");
  launch.global = {threads, 1, 1}, launch.local = {128, 1, 1};
  const GridMemory x = device->allocate(8 * kElements), y = device->allocate(8 * kElements);
  device->fill(x, 1.0), device->fill(y, 2.0);
  launch.args = {x, y};
  device->run(launch);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].arrays.size() == 2);
  std::vector<double> after(kElements);
  device->read(y, after.data(), 8 * kElements);
  CHECK(after == std::vector<double>(kElements, 2.0));
  return found[0];
}

std::string with_body(const std::string& body) {
  return "extern \"C\" __global__ void __launch_bounds__(128) k(const double *__restrict__ x, double "
         "*__restrict__ y) {\n  const int i = (int)(blockIdx.x * 128 + threadIdx.x), t = "
         "(int)threadIdx.x;\n" +
         body + "}\n";
}

void check(const Accesses& found, std::uint64_t bytes, std::uint64_t sectors, std::uint64_t by_block,
           std::uint64_t by_warp) {
  CHECK(found.bytes == bytes);
  CHECK(found.sectors == sectors);
  CHECK(found.by_block == by_block);
  CHECK(found.by_warp == by_warp);
}

}  // namespace

TEST_CASE("counting: a copy loads and stores each byte once, 16 bytes an element") {
  for (const std::string& c : compilers()) {
    const LaunchTraffic t = counted(with_body("  y[i] = x[i];\n"), c);
    CHECK(t.kernel == "k");
    CHECK(t.arrays[0].array == "x");
    CHECK(t.blocks == 8);
    CHECK(t.threads == 128);
    CHECK(t.shared_bytes == 0);
    check(t.arrays[0].loads, 8192, 256, 256, 256);
    check(t.arrays[1].stores, 8192, 256, 256, 256);
    check(t.arrays[0].stores, 0, 0, 0, 0);
    CHECK(t.loads().bytes + t.stores().bytes == 16 * kElements);
  }
}

TEST_CASE(
    "counting: sectors are moved whole, and what neighbours share is told apart by launch, block and warp") {
  for (const std::string& c : compilers()) {
    // Every second element: half of the bytes of all sectors.
    check(counted(with_body("  y[2 * i] = x[2 * i];\n"), c, kElements / 2).arrays[0].loads, 4096, 256, 256,
          256);
    // A window of three: blocks share one sector with each neighbour; a warp's loads to both sides touch one
    // more.
    const LaunchTraffic window =
        counted(with_body("  if (i > 0 && i < 1023) y[i] = x[i - 1] + x[i] + x[i + 1];\n"), c);
    check(window.arrays[0].loads, 8192, 256, 256 + 2 * 7, 32 * 8 + 31 * 9 + 8 + 31 * 9 + 8);
    check(window.arrays[1].stores, 8192 - 16, 256, 256, 256);
    // The transposed order: each lane another sector.
    check(counted(with_body("  y[i] = x[8 * t + i / 128];\n"), c).arrays[0].loads, 8192, 256, 8 * 128,
          32 * 32);
    // One element for all.
    check(counted(with_body("  y[i] = x[5];\n"), c).arrays[0].loads, 8, 1, 8, 32);
  }
}

TEST_CASE("counting: vectors are one access, loads are counted again after a barrier") {
  for (const std::string& c : compilers()) {
    const LaunchTraffic pairs =
        counted(with_body("  const double2 v = *(const double2 *)&x[2 * i];\n  *(double2 *)&y[2 * i] = v;\n"),
                c, kElements / 2);
    check(pairs.arrays[0].loads, 8192, 256, 256, 256);
    check(pairs.arrays[1].stores, 8192, 256, 256, 256);
    const LaunchTraffic twice = counted(with_body("  __shared__ double s[128];\n  s[t] = x[i];\n  "
                                                  "__syncthreads();\n  y[i] = s[127 - t] + x[i ^ 3];\n"),
                                        c);
    check(twice.arrays[0].loads, 8192, 256, 256, 512);
    CHECK(twice.shared_bytes == 1024);
  }
}

TEST_CASE("counting: a loop's iterations are instructions of their own, for lanes that leave it early, too") {
  for (const std::string& c : compilers()) {
    // Lane t of each warp adds up t + 1 elements of one column each: iteration n has 31 - n lanes of one row.
    const std::string body =
        "  double s = 0;\n#pragma unroll 1\n  for (int n = 0; n <= t % 32; ++n) s += x[32 * n + t % 32];\n  "
        "y[i] = s;\n";
    std::uint64_t sectors = 0, bytes = 0;
    for (std::uint64_t n = 0; n < 32; ++n) sectors += 8 - n / 4, bytes += 8 * (32 - n);
    check(counted(with_body(body), c).arrays[0].loads, bytes, sectors, 8 * sectors, 32 * sectors);
  }
}

TEST_CASE("counting: copies to shared memory and loads through the read-only cache are loads") {
  const std::string helper =
      "#ifndef copy_async\ntemplate <class T> static __device__ void copy_async(T *to, const T *from) { *to "
      "= *from; }\n"
      "static __device__ void wait_for_copies() {}\n#endif\n";
  for (const std::string& c : compilers()) {
    const LaunchTraffic t = counted(
        helper + with_body("  __shared__ double s[128];\n  copy_async(&s[t], &x[i]);\n  wait_for_copies();\n"
                           "  __syncthreads();\n  y[i] = s[127 - t];\n"),
        c);
    check(t.arrays[0].loads, 8192, 256, 256, 256);
    check(counted(with_body("  y[i] = __ldg(&x[i]) + __ldg(&x[i]);\n"), c).arrays[0].loads, 8192, 256, 256,
          256);
  }
}

TEST_CASE("counting: a kernel at fault is refused") {
  CHECK_THROWS_WITH_AS(counted(with_body("  y[i + (1 << 20)] = x[i];\n"), ""),
                       doctest::Contains("not counted to the end: a signal ended it"), KernelFault);
  CHECK_THROWS_WITH_AS(counted(with_body("  if (t < 5) __syncthreads();\n  y[i] = x[i];\n"), ""),
                       doctest::Contains("not all threads of a block came to a barrier"), KernelFault);
}

}  // namespace counting_test
