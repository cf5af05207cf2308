// The CUDA runtime on a driver in host memory (fake_cuda.c), and the real compiler where a toolkit is
// installed.
#include "runtime/cuda.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include <unistd.h>

#include "ir/limit_error.hpp"
#include "runtime/file.hpp"
#include "runtime/nvrtc.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/fake_cuda.hpp"

using namespace lift;
using lift::test::fake_cuda_library;
using Fake = lift::test::FakeCuda;
using lift::test::Variable;

namespace cuda_test {
namespace cuda_test {

namespace fs = std::filesystem;

namespace {

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

constexpr const char* kSource = "add twice shared";

/// Runs one of the cases marked `skip` in a process of its own, as a driver is opened once.
void in_child(const std::string& name, const std::vector<std::string>& variables) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const ProcessResult r = run_process({self, "--no-skip", "--test-case=" + name},
                                      {.timeout_seconds = 60, .variables = variables});
  CHECK_MESSAGE(r.status == 0, r.output);
  CHECK(has(r.output, " 1 passed"));
}

}  // namespace

TEST_CASE("cuda: buffers, arguments and launches in order") {
  Fake fake;
  cuda::Device device(-1, fake.cache());
  CHECK(device.info().name == "Fake 0");
  CHECK(device.info().version == "sm_90");
  CHECK(device.info().driver == "CUDA 12.4");
  CHECK(device.info().warp == 32);
  CHECK(device.info().local_bytes == 49152);
  CHECK(device.info().max_local_bytes == 232448);
  const GridBuild built = device.build(kSource, "-DX");
  REQUIRE_MESSAGE(built.program, built.error);
  CHECK_FALSE(built.cached);
  CHECK(has(fake.calls(), "--gpu-architecture=sm_90\n--std=c++17\n-DX\n"));
  const GridKernel add = built.program->kernel("add"), twice = built.program->kernel("twice");
  CHECK(add->info().arguments == 4);
  CHECK(add->info().max_work_group == 512);
  CHECK(add->info().registers == 40);
  CHECK(add->info().private_bytes == 16);

  constexpr std::size_t n = 64;
  std::vector<float> a(n), c(n);
  std::iota(a.begin(), a.end(), 1.0f);
  const auto da = device.allocate(4 * n), db = device.allocate(4 * n), dc = device.allocate(4 * n);
  device.write(da, a.data(), 4 * n);
  device.fill(db, 10.0f);
  const std::vector<GridLaunch> launches = {{add, {da, db, dc, 0.5f}, {n, 1, 1}, {32, 0, 0}, 1, 0},
                                            {twice, {dc}, {n, 1, 1}, {64, 1, 1}, 3, 0}};
  fake.calls();
  CHECK(device.run(launches) == 0.25);
  CHECK(fake.calls() ==
        "cuEventRecord\nlaunch add 2x1x1 of 32x1x1, 0 bytes\ncuLaunchKernel\nlaunch twice 1x1x1 of 64x1x1, 0 "
        "bytes\ncuLaunchKernel\ncuEventRecord\n"
        "cuStreamSynchronize\ncuEventElapsedTime\n");
  device.read(dc, c.data(), 4 * n);
  CHECK(c[0] == 2 * (1 + 5));
  CHECK(c[63] == 2 * (64 + 5));
  CHECK(device.run(launches, 3) == 0.25);
  CHECK(count(fake.calls(), "cuLaunchKernel") == 6);

  device.copy(da, dc);
  float one = 0;
  device.read(da, &one, 4, 4 * 63);
  CHECK(one == c[63]);
  device.fill(da, 1.5);
  double number = 0;
  device.read(da, &number, 8, 8);
  CHECK(number == 1.5);
  CHECK_THROWS_AS(device.read(da, c.data(), 4 * n, 4), InternalError);
}

TEST_CASE("cuda: what a kernel is given is what it takes") {
  Fake fake;
  cuda::Device device(0, fake.cache());
  const auto program = device.build(kSource).program;
  const GridKernel add = program->kernel("add"), shared = program->kernel("shared");
  const auto m = device.allocate(256);
  CHECK_THROWS_WITH_AS(device.run({add, {m, m, m, 0.5}, {64, 1, 1}, {64, 1, 1}, 1, 0}),
                       "kernel add, argument 3: 8 bytes are given, it takes 4", InternalError);
  CHECK_THROWS_WITH_AS(device.run({add, {m, m}, {64, 1, 1}, {64, 1, 1}, 1, 0}),
                       "kernel add takes 4 arguments, not 2", InternalError);
  CHECK_THROWS_WITH_AS(device.run({add, {m, m, m, 1.0f}, {1024, 1, 1}, {1024, 1, 1}, 1, 0}),
                       "kernel add: work-groups of 1024 work-items; Fake 0 allows 512 for it; use smaller "
                       "tiles, or fewer work-items a group",
                       LimitError);
  CHECK_THROWS_WITH_AS(device.run({add, {m, m, m, 1.0f}, {1, 70000, 1}, {1, 1, 1}, 2, 0}),
                       "kernel add: 70000 work-groups in dimension 1; Fake 0 allows 65535; use larger tiles, "
                       "or another dimension",
                       LimitError);
  CHECK_THROWS_AS(device.run({add, {m, m, m, 1.0f}, {64, 1, 1}, {0, 0, 0}, 1, 0}), InternalError);
  CHECK_THROWS_AS(program->kernel("nothing"), InternalError);
  // Beyond 48 KB a kernel has to be told.
  fake.calls();
  device.run({shared, {m}, {64, 1, 1}, {64, 1, 1}, 1, 8192});
  CHECK_FALSE(has(fake.calls(), "attribute"));
  device.run({shared, {m}, {64, 1, 1}, {64, 1, 1}, 1, 100000});
  CHECK(has(fake.calls(), "attribute 8 = 100000\n"));
  CHECK_THROWS_WITH_AS(
      device.run({shared, {m}, {64, 1, 1}, {64, 1, 1}, 1, 200000}),
      "kernel shared needs 240000 bytes of local memory; Fake 0 has 232448 a work-group; use smaller tiles",
      LimitError);
}

TEST_CASE("cuda: times from memory are of launches that are queued behind a flush of the cache") {
  Fake fake;
  cuda::Device device(0, fake.cache());
  CHECK(device.info().cache_bytes == 1 << 20);
  const auto m = device.allocate(256);
  const GridLaunch twice{device.build(kSource).program->kernel("twice"), {m}, {64, 1, 1}, {64, 1, 1}, 1, 0};
  fake.calls();
  CHECK(device.time_from_memory({&twice, 1}, 3) == 0.75);
  std::string calls = fake.calls();
  const std::string read = "launch liftgen_read 1024x1x1 of 64x1x1, 0 bytes\ncuLaunchKernel\n",
                    once = read +
                           "cuEventRecord\nlaunch twice 1x1x1 of 64x1x1, 0 bytes\ncuLaunchKernel\n"
                           "cuEventRecord\n";
  CHECK_MESSAGE(has(calls, once + once + once + "cuStreamSynchronize\ncuEventElapsedTime\n"), calls);
  CHECK(device.time_from_memory({&twice, 1}, 100) == 25);
  calls = fake.calls();
  CHECK(count(calls, "launch liftgen_read") == 100);
  CHECK(count(calls, "cuEventCreate") == 2 * (64 - 3));  // 64 pairs serve all
  CHECK(device.launch_ms() == 0.25 / 200);
  CHECK(count(fake.calls(), "launch liftgen_idle") == 220);
}

TEST_CASE("cuda: programs are kept, in the process and on disk") {
  Fake fake;
  {
    cuda::Device device(0, fake.cache());
    CHECK_FALSE(device.build(kSource).cached);
    CHECK(device.build(kSource).cached);
    CHECK_FALSE(device.build(kSource, "-DX").cached);
    CHECK(count(fake.calls(), "nvrtcCompileProgram") == 2);
    const std::vector<std::string> sources = {kSource, "add", "add", "twice"};
    const auto built = device.build_all(sources);
    CHECK(built[0].cached);
    CHECK(built[1].program == built[2].program);
    CHECK(count(fake.calls(), "nvrtcCompileProgram") == 2);
    const GridBuild failed = device.build("add #error");
    CHECK(failed.error == "kernel.cu(1): error: as asked");
    CHECK_FALSE(failed.program);
    for (const GridBuild& b :
         device.build_all(std::vector<std::string>{"a", "b"}, "", [](std::size_t) { return false; }))
      CHECK((b.stopped || b.program));
  }
  fake.calls();
  cuda::Device device(0, fake.cache());
  CHECK(device.build(kSource).cached);
  CHECK_FALSE(has(fake.calls(), "nvrtcCompileProgram"));
  // Damaged, or of another time: compiled again.
  for (const auto& file : fs::recursive_directory_iterator(fake.cache()))
    if (file.path().extension() == ".bin") std::ofstream(file.path(), std::ios::app) << "x";
  CHECK_FALSE(device.build("twice").cached);
  cuda::Device later(0, fake.cache());
  const Variable refused("FAKE_CUDA_FAIL", "cuModuleLoadDataEx:1:200");
  const GridBuild again = later.build("twice");
  CHECK(again.program);
  CHECK_FALSE(again.cached);
}

TEST_CASE("cuda: an architecture that the compiler does not know") {
  Fake fake;
  cuda::Device device(0, fake.cache());
  {
    const Variable newer("FAKE_CUDA_COMPUTE", "100");
    cuda::Device later(0, fake.cache());
    fake.calls();
    CHECK(later.build(kSource).program);
    CHECK(has(fake.calls(), "--gpu-architecture=compute_90\n"));
    const Variable refused("FAKE_CUDA_FAIL", "cuModuleLoadDataEx:0:222");
    CHECK(message([&] { later.build("add"); }) ==
          "the CUDA driver does not take what the compiler makes (CUDA_ERROR_UNSUPPORTED_PTX_VERSION (of the "
          "fake)): the driver knows CUDA 12.4, NVRTC is of "
          "CUDA 12.0; update the driver, or let $LIFTGEN_NVRTC_LIBRARY name an NVRTC that is not newer");
    CHECK_THROWS_AS(later.build("add"), EnvironmentError);
  }
  {
    CHECK_FALSE(device.build("of two architectures").cached);
    CHECK(cuda::Device(0, fake.cache()).build("of two architectures").cached);
    const Variable other("FAKE_CUDA_COMPUTE", "80");
    CHECK_FALSE(cuda::Device(0, fake.cache()).build("of two architectures").cached);
  }
  const Variable older("FAKE_CUDA_COMPUTE", "61");
  cuda::Device earlier(0, fake.cache());
  CHECK(message([&] { earlier.build(kSource); }) ==
        "NVRTC 12.0 does not compile for sm_61, only for sm_75, sm_80, sm_90; let $LIFTGEN_NVRTC_LIBRARY "
        "name the NVRTC of a toolkit that does");
  CHECK(cuda::parse_architecture("sm_80") == 80);
  CHECK_THROWS_WITH_AS(cuda::parse_architecture("sm_x"), "sm_x: no CUDA architecture; write sm_80, say",
                       UserError);
}

TEST_CASE("cuda: memory that is not there") {
  Fake fake;
  cuda::Device device(0, fake.cache());
  const auto half = device.allocate(std::size_t{512} << 20);
  CHECK(message([&] { device.allocate(std::size_t{600} << 20); }) ==
        "an array of 600 MB does not fit on Fake 0, where 512 MB of 1024 MB are free; use a smaller --box or "
        "fewer --boxes, or end what else uses the device");
  CHECK_THROWS_AS(device.allocate(std::size_t{600} << 20), OutOfDeviceMemory);
  CHECK_THROWS_AS(device.allocate(std::size_t{2} << 30), OutOfDeviceMemory);
  CHECK(device.allocate(1 << 20)->bytes() == 1 << 20);
}

TEST_CASE("cuda: launches that fail") {
  Fake fake;
  {
    cuda::Device device(0, fake.cache());
    const auto program = device.build(kSource).program;
    const auto m = device.allocate(256);
    const GridLaunch launch{program->kernel("twice"), {m}, {64, 1, 1}, {64, 1, 1}, 1, 0};
    {
      const Variable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:1:701");
      CHECK_THROWS_AS(device.run(launch), LimitError);
      CHECK(device.run(launch) == 0.25);  // the device is well
    }
    const Variable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:1:700");
    const std::string lost =
        "kernel twice on Fake 0: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); the "
        "device is of no use to this process any more, start it again";
    CHECK(message([&] { device.run(launch); }) == lost);
    CHECK_THROWS_AS(device.run(launch), DeviceLost);
    CHECK(message([&] { device.allocate(16); }) == lost);
    CHECK(message([&] { device.build("add"); }) == lost);
  }
  CHECK(has(fake.calls(), "cuDevicePrimaryCtxReset_v2\ncuDevicePrimaryCtxRelease_v2\n"));
  cuda::Device device(0, fake.cache());
  CHECK(device.run({device.build(kSource).program->kernel("twice"),
                    {device.allocate(256)},
                    {64, 1, 1},
                    {64, 1, 1},
                    1,
                    0}) == 0.25);
}

TEST_CASE("cuda: what is missing is named, with the remedy") {
  Fake fake;
  CHECK(message([] { cuda::Device(3); }) ==
        "there is no CUDA device 3; choose with --device from 0 (Fake 0)");
  CHECK_THROWS_AS(cuda::Device(3), EnvironmentError);
  const std::string driver = "LIFTGEN_CUDA_LIBRARY=" + fake_cuda_library(),
                    compiler = "LIFTGEN_NVRTC_LIBRARY=" + fake_cuda_library();
  in_child("cuda child: no driver", {"LIFTGEN_CUDA_LIBRARY=libNoSuchDriver.so.1", compiler});
  in_child("cuda child: no compiler", {driver, "LIFTGEN_NVRTC_LIBRARY=/nonexistent/libnvrtc.so"});
  in_child("cuda child: no device", {driver, compiler, "FAKE_CUDA_FAIL=cuInit:0:100"});
  in_child("cuda child: no device", {driver, compiler, "FAKE_CUDA_DEVICES=0"});
  in_child("cuda child: the driver does not start", {driver, compiler, "FAKE_CUDA_FAIL=cuInit:0:999"});
}

TEST_CASE("cuda child: no driver" * doctest::skip()) {
  const std::string why = cuda::why_unavailable();
  CHECK_MESSAGE(has(why, "no CUDA driver: libNoSuchDriver.so.1 cannot be opened; install NVIDIA's driver"),
                why);
  CHECK_MESSAGE(has(why, "--emulate"), why);
  CHECK_THROWS_AS(cuda::devices(), EnvironmentError);
  CHECK_THROWS_AS(cuda::Device(0), EnvironmentError);
}
TEST_CASE("cuda child: no compiler" * doctest::skip()) {
  const std::string why = cuda::why_unavailable();
  CHECK_MESSAGE(has(why,
                    "no CUDA compiler: /nonexistent/libnvrtc.so ($LIFTGEN_NVRTC_LIBRARY) cannot be opened; "
                    "install NVRTC"),
                why);
  CHECK_THROWS_AS(cuda::Device(0), EnvironmentError);
  CHECK(cuda::devices().size() == 1);
}
TEST_CASE("cuda child: no device" * doctest::skip()) {
  const std::string why = cuda::why_unavailable();
  CHECK_MESSAGE(has(why, "no CUDA device: "), why);
  CHECK_THROWS_AS(cuda::Device(0), EnvironmentError);
}
TEST_CASE("cuda child: the driver does not start" * doctest::skip()) {
  const std::string why = cuda::why_unavailable();
  CHECK_MESSAGE(has(why, "the CUDA driver does not start: CUDA status 999; does nvidia-smi list the device"),
                why);
}

TEST_CASE("nvrtc: the toolkit's compiler makes machine code without a device") {
  in_child("nvrtc child: the toolkit's compiler", {"LIFTGEN_NVRTC_LIBRARY="});
}
TEST_CASE("nvrtc child: the toolkit's compiler" * doctest::skip()) {
  cuda::CompilerInfo info;
  try {
    info = cuda::compiler_info();
  } catch (const EnvironmentError& error) {
    MESSAGE("no NVRTC here, not tested: " << std::string(error.what()));
    return;
  }
  CHECK(info.version >= 11020);
  const fs::path folder = fs::temp_directory_path() / ("liftgen-nvrtc-test-" + std::to_string(::getpid()));
  const BinaryCache cache(folder);
  const std::string source =
      "extern \"C\" __global__ void __launch_bounds__(128) scale(long n, const double *__restrict__ in, "
      "double *__restrict__ out, double s) {\n"
      "  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n  if (i < n) out[i] = s * "
      "__ldg(&in[i]);\n}\n";
  for (const int architecture : {75, 80, 90}) {
    CAPTURE(architecture);
    const cuda::CompiledSource made = cuda::compile(source, architecture, "--std=c++17", cache);
    CHECK_MESSAGE(made.binary.starts_with("\177ELF"), made.error);
    CHECK_FALSE(made.cached);
    CHECK_FALSE(made.ptx);
    CHECK(made.log.empty());
    const cuda::CompiledSource again = cuda::compile(source, architecture, "--std=c++17", cache);
    CHECK(again.cached);
    CHECK(again.binary == made.binary);
  }
  {
    const Variable driver("LIFTGEN_CUDA_LIBRARY", fake_cuda_library());
    const cuda::CompiledSource timing =
        cuda::compile(cuda::Device(0, folder).timing_source(), 80, "--std=c++17", cache);
    CHECK_MESSAGE((timing.error.empty() && timing.log.empty()), (timing.error + timing.log));
  }
  const cuda::CompiledSource ptx = cuda::compile(source, info.architectures.back() + 5, "", cache);
  CHECK(ptx.ptx);
  CHECK(has(ptx.binary, ".target sm_"));
  CHECK_THROWS_AS(cuda::compile(source, 10, "", cache), EnvironmentError);
  const cuda::CompiledSource warned =
      cuda::compile("__global__ void f(int *a) { int never_used; a[0] = 1; }", 80, "", cache);
  CHECK_FALSE(warned.binary.empty());
  CHECK_MESSAGE((has(warned.log, "warning") && has(warned.log, "never_used")), warned.log);
  const cuda::CompiledSource wrong =
      cuda::compile("__global__ void f(int *a) { a[0] = undeclared_thing; }", 80, "", cache);
  CHECK(wrong.binary.empty());
  CHECK_MESSAGE(has(wrong.error, "undeclared_thing"), wrong.error);
  fs::remove_all(folder);
}

}  // namespace cuda_test

}  // namespace cuda_test
