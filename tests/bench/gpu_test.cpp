// What measures on a GPU, without one: on the emulation, and on a driver in host memory whose kernels the
// emulation computes, or that fault, or do not end.
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
    return start(LIFTGEN_BINARY_DIR "/bench_gpu", more);
  }
  /// By the script, as where there is nothing but it and a bundle.
  lift::ProcessResult by_script(const std::vector<std::string>& more) const {
    namespace fs = std::filesystem;
    const fs::path script = folder / "bench/gpu", bundle = folder / "build/gpu-bundle";
    fs::create_directories(script.parent_path()), fs::create_directories(bundle);
    fs::copy_file(LIFTGEN_SOURCE_DIR "/bench/gpu", script, fs::copy_options::overwrite_existing);
    fs::copy_file(LIFTGEN_BINARY_DIR "/bench_gpu", bundle / "bench_gpu",
                  fs::copy_options::overwrite_existing);
    return start(script, more);
  }
  lift::ProcessResult start(const std::string& program, const std::vector<std::string>& more) const {
    std::vector<std::string> command{program, "--json", json.string()};
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

TEST_CASE("bench_gpu on a device, from one end to the other, with kernels that fault and that do not end") {
  if (!is_built()) return;
  const Variable driver("LIFTGEN_CUDA_LIBRARY", lift::test::fake_cuda_library()),
      compiler("LIFTGEN_NVRTC_LIBRARY", lift::test::fake_cuda_library()),
      none("LIFTGEN_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so");
  const Variable runs("FAKE_CUDA_RUNS", lift::test::emulated_kernels_library()), ms("FAKE_CUDA_MS", "20");
  const Variable fail("FAKE_CUDA_FAIL",
                      "residual3d:2:700,restriction3d:2:-1");  // when timed, not when verified
  const Run run;
  const std::vector<std::string> options{
      "--tiny", "--budget", "200", "--only",
      "cuda smooth3d smoother=gsrb f64 2x8 T=1,cuda smooth3d smoother=gsrb f64 2x8 T=2,cuda residual3d f64,"
      "cuda restriction3d f64,cuda prolongation3d f64"};
  const lift::ProcessResult r = run.by_script(options);
  INFO(r.output);
  CHECK(r.status == 1);
  CHECK(has(r.output, "runs the bundle of "));
  CHECK(has(r.output, "cuda: Fake 0"));
  const Json all = run.results().at("results");
  CHECK(all.size() == 5);
  // What comes before and after is measured, and right.
  for (const char* key : {"cuda smooth3d smoother=gsrb f64 2x8 T=1",
                          "cuda smooth3d smoother=gsrb f64 2x8 T=2", "cuda prolongation3d f64 1x8 T=1"}) {
    REQUIRE(all.contains(key));
    REQUIRE(all.at(key).at("status") == "ok");
    CHECK(all.at(key).at("verified") == true);
    CHECK(all.at(key).at("ms").get<double>() > 0);
  }
  CHECK(has(r.output,
            "3 measurements have a verified kernel, 2 have none; 0 wrong results, 0 failures; 2 "
            "kernels crashed or hung"));
  CHECK(has(all.at("cuda residual3d f64 1x8 T=1").at("message"), "crashed: "));
  CHECK(has(all.at("cuda restriction3d f64 1x8 T=1").at("message"), "hung: "));
  CHECK(has(r.output, "sweeps in one pass"));  // the summary of what was timed
  // The same command does what has no kernel yet, and no more.
  ::unsetenv("FAKE_CUDA_FAIL");
  const lift::ProcessResult again = run.by_script(options);
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(has(again.output, "2 measurements to do (3 are known from before)"));
  CHECK(has(again.output, "5 measurements have a verified kernel, 0 have none"));
}

}  // namespace gpu_bench_test
