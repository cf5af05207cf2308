// Exploring on a CUDA device: a driver in host memory whose kernels do nothing (tests/runtime/fake_cuda.c),
// and the emulation.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/cuda.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "runtime/worker.hpp"
#include "tests/runtime/fake_cuda.hpp"
#include "tuning/explore.hpp"
#include "tuning/report.hpp"

using namespace lift;
using lift::test::Variable;

namespace cuda_device_test {
namespace {

Problem tiny() {
  Problem p;
  p.box = 8, p.boxes = 2;
  return p;
}

ExploreOptions on_cuda() {
  ExploreOptions o;
  o.target = Target::cuda, o.threads = 2, o.budget_seconds = 3600, o.configurations = 2, o.rivals = false;
  return o;
}

struct Fake {
  Variable driver{"LIFTGEN_CUDA_LIBRARY", test::fake_cuda_library()},
      compiler{"LIFTGEN_NVRTC_LIBRARY", test::fake_cuda_library()};
};

}  // namespace

TEST_CASE("explore: on a CUDA device whose kernels do nothing, nothing is verified") {
  const Fake fake;
  const ExploreResult r = explore(find_pattern("smooth3d"), tiny(), on_cuda());
  CHECK(r.device == "Fake 0");
  CHECK(r.counts.wrong > 0);
  CHECK(r.counts.timed == 0);
  CHECK_FALSE(r.best);
}

TEST_CASE("explore: a CUDA device needs no compiler of the host") {
  const Fake fake;
  const Variable none("CC", "/nonexistent/cc"), neither("CXX", "/nonexistent/c++");
  ExploreOptions o = on_cuda();
  o.rivals = true, o.configurations = 30;
  const ExploreResult r = explore(find_pattern("smooth3d"), tiny(), o);
  CHECK(r.counts.wrong > 0);  // as the kernels of the fake do nothing
  CHECK(r.counts.compile_failed == 0);
  CHECK(r.rivals.empty());
  CHECK(r.no_host_compiler.find("/nonexistent/cc") != std::string::npos);
  CHECK(r.machine.triad_gbs == 0);
  for (const Variant& v : r.variants) CHECK(v.layout.empty());
  o.target = Target::openmp;
  CHECK_THROWS_AS(explore(find_pattern("smooth3d"), tiny(), o), EnvironmentError);
}

TEST_CASE("explore: the cache of a CUDA device is flushed for arrays that nearly fit into it") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("liftgen-cuda-flush-test-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const Fake fake;
  const auto launches = [&](const std::string& cache_bytes) {
    const Variable cache("FAKE_CUDA_CACHE", cache_bytes),
        log("FAKE_CUDA_LOG", (folder / cache_bytes).string());
    ExploreOptions o = on_cuda();
    o.check_small = false;
    explore(find_pattern("smooth3d"), tiny(), o);
    const std::string calls = read_file(folder / cache_bytes);
    CHECK(calls.find("launch another") != std::string::npos);
    return calls.find("launch liftgen_read") != std::string::npos;
  };
  CHECK(launches("65536"));  // 9 arrays of 2 boxes of 10^3 elements of 8 bytes, 144 kB
  CHECK_FALSE(launches("16384"));
  std::filesystem::remove_all(folder);
}

TEST_CASE(
    "explore: a kernel that the CUDA device fails at is recorded, and a new device takes the next one") {
  const std::string name = "explore: a kernel that the CUDA device fails at*";
  if (!Worker::is_possible() || cuda::is_open()) {
    const ProcessResult elsewhere = run_process({"/proc/self/exe", "-tc=" + name}, {.timeout_seconds = 300});
    CHECK_MESSAGE(elsewhere.status == 0, elsewhere.output);
    return;
  }
  const Fake fake;
  const Variable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:1:700");  // in each process
  ExploreOptions o = on_cuda();
  o.check_small = false;
  ExploreResult r = explore(find_pattern("smooth3d"), tiny(), o);
  CHECK(r.counts.crashed == 2);
  CHECK(r.variants.at(0).message.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  CHECK(r.variants.at(0).message.find("start it again") == std::string::npos);
  CHECK_FALSE(r.best);
  // A device that does nothing but fail ends the search, not the program.
  o.configurations = 30;
  r = explore(find_pattern("smooth3d"), tiny(), o);
  CHECK(r.counts.crashed == 4);
  CHECK(r.counts.wrong == 1);
}

TEST_CASE("explore: a problem that does not fit on the CUDA device") {
  const Fake fake;
  const Variable little("FAKE_CUDA_MEMORY", "20000");
  CHECK_THROWS_AS(explore(find_pattern("smooth3d"), tiny(), on_cuda()), OutOfDeviceMemory);
}

TEST_CASE(
    "explore: a layout whose arrays do not fit beside the caller's is impossible, and the others go on") {
  const Fake fake;
  const Variable little("FAKE_CUDA_MEMORY", "200000");
  ExploreOptions o = on_cuda();
  o.first = {{{"layout", "caller"}}, {{"layout", "split 3 1"}, {"inner", "strided vec"}}},
  o.check_small = false;
  const ExploreResult r = explore(find_pattern("smooth3d"), tiny(), o);
  int callers = 0, others = 0;
  for (const Variant& v : r.variants) {
    callers += v.layout.empty() && v.status == Status::wrong;
    if (v.layout.empty() || v.status != Status::impossible ||
        v.message.find("does not fit on Fake 0") == std::string::npos)
      continue;
    ++others;
  }
  CHECK(callers > 0);
  CHECK(others > 0);
}

TEST_CASE("explore: CUDA kernels on the emulation are verified, and not timed") {
  ExploreOptions o = on_cuda();
  o.emulate = true;
  Problem p = tiny();
  p.box = 5, p.boxes = 1;
  const ExploreResult r = explore(find_pattern("smooth3d"), p, o);
  CHECK(r.device == "emulated CUDA device, whose times mean nothing");
  CHECK(r.counts.wrong == 0);
  REQUIRE(r.best);
  CHECK(r.variants[*r.best].verified);
  CHECK(r.variants[*r.best].source.find("__global__") != std::string::npos);
  CHECK(r.variants[*r.best].speedup == 0);
  CHECK(json_report(r, "").find("\"emulated\"") != std::string::npos);
}

}  // namespace cuda_device_test
