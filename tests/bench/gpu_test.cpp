// What measures on a GPU, without one: on the emulation, and on a driver in host memory whose kernels do
// nothing, or fault.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/fake_cuda.hpp"

using lift::test::Variable;
using Json = nlohmann::json;

namespace gpu_bench_test {
namespace {

struct Run {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("liftgen-gpu-bench-test-" + std::to_string(::getpid()));
  std::filesystem::path json = folder / "gpu.json";
  Run() { std::filesystem::create_directories(folder); }
  ~Run() { std::filesystem::remove_all(folder); }

  lift::ProcessResult operator()(std::vector<std::string> more) const {
    std::vector<std::string> command{LIFTGEN_BINARY_DIR "/bench_gpu", "--json", json.string()};
    command.insert(command.end(), more.begin(), more.end());
    return lift::run_process(command, {.timeout_seconds = 300});
  }
  Json results() const { return Json::parse(lift::read_file(json)); }
  /// A program in place of the yardsticks.
  std::string yardstick(const std::string& text) const {
    const auto file = folder / "yardstick";
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }
};

/// Says so where the benchmarks are not built.
bool is_built() {
  const bool built = std::filesystem::exists(LIFTGEN_BINARY_DIR "/bench_gpu");
  if (!built) MESSAGE("bench_gpu is not built, not tested");
  return built;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("bench_gpu on the emulation: sweeps in one pass, yardsticks that fail half-way, going on") {
  if (!is_built()) return;
  const Run run;
  const std::string yardstick = run.yardstick(
      "printf '%s\\n' '{\"smoother\": \"gsrb\", \"kernel\": \"untiled\", \"ms\": 2}' '{\"cut' >\"$2\"; exit "
      "3");
  const std::vector<std::string> options{"--dry-run",        "--budget",    "200",    "--only",
                                         "gsrb f64 2x8 T=2", "--yardstick", yardstick};
  const lift::ProcessResult first = run(options);
  INFO(first.output);
  CHECK(first.status == 0);
  CHECK(has(first.output, "yardsticks: 1 kernels; "));
  CHECK(has(first.output, "ended with status 3"));
  CHECK(has(first.output, "1 measurements have a verified kernel, 0 have none; 0 wrong results"));
  const Json r = run.results();
  CHECK(r.at("yardsticks").size() == 1);
  REQUIRE(r.at("results").size() == 1);
  const Json& two = r.at("results").at("cuda smooth3d smoother=gsrb f64 2x8 T=2");
  CHECK(two.at("verified") == true);
  CHECK(two.at("ms").is_null());
  CHECK(has(two.at("source"), "copy_async"));
  const lift::ProcessResult again = run(options);
  CHECK(has(again.output, "0 measurements to do (1 are known from before)"));
  CHECK_FALSE(has(again.output, "ended with status 3"));
}

TEST_CASE("bench_gpu on a device that faults in the middle: what comes after is measured, and all is kept") {
  if (!is_built()) return;
  const Variable driver("LIFTGEN_CUDA_LIBRARY", lift::test::fake_cuda_library()),
      compiler("LIFTGEN_NVRTC_LIBRARY", lift::test::fake_cuda_library()),
      none("LIFTGEN_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so");
  const Variable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:2:700");  // in each process
  const Run run;
  const lift::ProcessResult r =
      run({"--tiny", "--budget", "200", "--only", "gsrb f64 1x8 T=1,gsrb f64 1x8 T=2"});
  INFO(r.output);
  CHECK(r.status == 1);
  CHECK(has(r.output, "cuda: Fake 0"));
  CHECK_FALSE(has(r.output, " 0 kernels crashed or hung"));
  CHECK(run.results().at("results").size() == 2);
}

}  // namespace gpu_bench_test
