// liftgen compare and emit --backend scop, as users meet them.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/fake_cuda.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;

namespace compare_command_test {
namespace {

ProcessResult in(const Scratch& scratch, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), LIFTGEN_BINARY_DIR "/liftgen");
  ProcessOptions options;
  options.timeout_seconds = 300, options.directory = scratch.path().string();
  return run_process(arguments, options);
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("compare command: a table, JSON and a page of one run") {
  const Scratch scratch;
  const ProcessResult r = in(scratch, {"compare", "residual2d", "--box", "16", "--boxes", "2", "--with",
                                       "graphite,ppcg", "--configs", "1", "--budget", "3600", "--out", ".",
                                       "--no-db", "--json", "r.json", "--report", "r.html"});
  CAPTURE(r.output);
  REQUIRE(r.status == 0);
  for (const char* part : {"\n  who            with", "\n  liftgen        ", "\n  plain  ", "\n  graphite  ",
                           "\n  traffic twin   ", "kernel: ./residual2d.c\n"})
    CHECK_MESSAGE(has(r.output, part), part);
  CHECK_FALSE(has(r.output, "polly"));
  const auto json = nlohmann::json::parse(read_file(scratch.path() / "r.json"));
  CHECK(json["schema"] == 1);
  std::vector<std::string> names;
  for (const auto& rival : json["rivals"]) {
    names.push_back(rival["name"]);
    if (rival["name"] == "graphite" && rival["status"] == "ok") CHECK(rival["tried"] == 1);
  }
  CHECK(names == std::vector<std::string>{"plain", "plain omp simd", "graphite", "ppcg"});
  CHECK(has(read_file(scratch.path() / "r.html"), "graphite"));
}

namespace {

/// ppcg for devices, as far as axpy2d needs it: kernels of blocks of 8 x 4, or as it is told.
constexpr const char* kPpcg = R"(#!/bin/sh
echo "$@" >> calls
x=8 y=4
case "$2" in *'block[16,16]'*) x=16 y=16 ;; esac
body="  y[18 * (gy * $y + ly + 1) + gx * $x + lx + 1] += a * x[18 * (gy * $y + ly + 1) + gx * $x + lx + 1];"
grep -q '#pragma scop' axpy2d.c || exit 8
case "$1" in
--target=cuda)
  cat > axpy2d_kernel.cu <<END
#include "axpy2d_kernel.hu"
__global__ void kernel0(const double *x, double *y, double a) {
  int gx = blockIdx.x, gy = blockIdx.y, lx = threadIdx.x, ly = threadIdx.y;
$body
}
END
  cat > axpy2d_host.cu <<END
      dim3 k0_dimBlock($x, $y);
      dim3 k0_dimGrid($((16 / x)), $((16 / y)));
      kernel0 <<<k0_dimGrid, k0_dimBlock>>> (dev_x, dev_y, a);
END
  ;;
--target=opencl)
  cat > axpy2d_kernel.cl <<END
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void kernel0(__global const double *x, __global double *y, double a) {
  int gx = get_group_id(0), gy = get_group_id(1), lx = get_local_id(0), ly = get_local_id(1);
$body
}
END
  cat > axpy2d_host.c <<END
      size_t global_work_size[2] = {($((16 / x))) * $x, ($((16 / y))) * $y};
      size_t block_size[2] = {$x, $y};
      openclCheckReturn(clSetKernelArg(kernel0, 0, sizeof(cl_mem), (void *) &dev_x));
      openclCheckReturn(clSetKernelArg(kernel0, 1, sizeof(cl_mem), (void *) &dev_y));
      openclCheckReturn(clSetKernelArg(kernel0, 2, sizeof(a), &a));
      openclCheckReturn(clEnqueueNDRangeKernel(queue, kernel0, 2, NULL, global_work_size, block_size, 0, NULL, NULL));
END
  ;;
*) exit 7 ;;
esac
)";

}  // namespace

TEST_CASE("compare command: ppcg's kernels for devices are searched, verified and timed in the same run") {
  const Scratch scratch;
  const auto ppcg = scratch.path() / "ppcg";
  const test::Variable path("PATH", scratch.path().string() + ":" + ::getenv("PATH")),
      driver("LIFTGEN_CUDA_LIBRARY", test::fake_cuda_library()),
      compiler("LIFTGEN_NVRTC_LIBRARY", test::fake_cuda_library()),
      runs("FAKE_CUDA_RUNS", test::emulated_kernels_library()), ms("FAKE_CUDA_MS", "20");
  const auto compared = [&](const std::string& backend, const std::string& script) {
    std::ofstream(ppcg) << std::regex_replace(script, std::regex("> calls"),
                                              "> " + (scratch.path() / "calls").string());
    std::filesystem::permissions(ppcg, std::filesystem::perms::owner_all);
    std::filesystem::remove(scratch.path() / "calls");
    const ProcessResult r = in(
        scratch, {"compare", "axpy2d", "--box", "16", "--boxes", "1", "--backend", backend, "--with", "ppcg",
                  "--configs", "10", "--budget", "120", "--out", ".", "--no-db", "--json", "r.json"});
    INFO(r.output);
    REQUIRE(std::filesystem::exists(scratch.path() / "r.json"));
    const auto json = nlohmann::json::parse(read_file(scratch.path() / "r.json"));
    for (const auto& rival : json["rivals"])
      if (rival["name"] == "ppcg") return std::pair(r.output, rival);
    FAIL("no ppcg");
    return std::pair(r.output, json);
  };
  for (const std::string backend : {"cuda", "opencl"}) {
    if (backend == "opencl" && !opencl::why_unavailable().empty()) continue;
    const auto [said, rival] = compared(backend, kPpcg);
    INFO(said << rival.dump());
    CHECK(rival["status"] == "ok");
    CHECK(rival["tried"] == 2);  // the stand-in knows two sizes of blocks
    CHECK(rival["ms"].get<double>() > 0);
    CHECK(has(said, "\n  ppcg  "));
    const std::string calls = read_file(scratch.path() / "calls");
    CHECK(has(calls, "--target=" + backend + " axpy2d.c\n"));
    CHECK(has(calls, "--target=" + backend + " --sizes={kernel[i]->tile["));
    CHECK(has(calls, " --sizes={kernel[i]->block[16,16]} axpy2d.c\n"));
  }
  const auto [said, wrong] = compared("cuda", std::regex_replace(kPpcg, std::regex("\\+= a"), "= a"));
  INFO(said << wrong.dump());
  CHECK(wrong["status"] == "wrong");
}

TEST_CASE("compare command: names that nobody has, and options that belong elsewhere, are refused") {
  const Scratch scratch;
  const auto check = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const ProcessResult r = in(scratch, arguments);
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(r.output.starts_with("liftgen: "));
    CHECK(has(r.output, part));
  };
  check({"compare", "residual2d", "--with", "plain,poly"},
        "--with poly: nobody of that name; did you mean polly?");
  check({"compare", "residual2d", "--backend", "opencl", "--with", "polly"},
        "--with polly --backend opencl: polly makes loops for processors; for devices there is ppcg");
  check({"compare", "smooth2d", "--sweeps", "auto"},
        "--sweeps auto: only explore looks for how many are fastest");
  check({"run", "residual2d", "--backend", "scop"}, "--backend scop: no such backend here");
}

TEST_CASE("emit --backend scop: the loops as they are, for sizes that are known or not") {
  const Scratch scratch;
  for (const bool symbolic : {false, true}) {
    std::vector<std::string> arguments{"emit",  "residual2d", "--backend", "scop",
                                       "--box", "16",         "--out",     "."};
    if (symbolic) arguments.emplace_back("--symbolic");
    const ProcessResult r = in(scratch, arguments);
    CAPTURE(r.output);
    REQUIRE(r.status == 0);
    CHECK(has(r.output, "loops: ./residual2d.scop.c\n"));
    const std::string text = read_file(scratch.path() / "residual2d.scop.c");
    CHECK(has(text, "#pragma scop\n  for (int "));
    CHECK(has(text, symbolic ? " < boxes; ++" : " < 64; ++"));
    CHECK(has(text, "#pragma endscop\n"));
  }
}

}  // namespace compare_command_test
