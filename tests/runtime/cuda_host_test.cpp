// CUDA source on the host: what a device gives, and the faults that a device hides.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "runtime/cuda_host/compiled.hpp"
#include "runtime/cuda_host/run.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/process.hpp"

using namespace lift;
using namespace lift::cuda_host;

namespace cuda_host_test {
namespace {

std::vector<std::string> compilers() {
  std::vector<std::string> all;
  for (const char* c : {"g++", "clang++-15"})
    if (!find_program(c).empty()) all.emplace_back(c);
  return all;
}

Compiled compiled(const std::string& cuda, const std::string& compiler) {
  static NativeCompiler native;
  const CompileResult r = native.compile(native_source(cuda, {}, compiler));
  INFO(compiler << "\n" << cuda);
  REQUIRE_MESSAGE(r.library, r.error);
  return {cuda, r.library};
}

template <class T>
std::span<unsigned char> bytes(std::vector<T>& v) {
  return {reinterpret_cast<unsigned char*>(v.data()), v.size() * sizeof(T)};
}
template <class T>
Argument number(T v) {
  Argument a;
  a.value.resize(sizeof v);
  std::memcpy(a.value.data(), &v, sizeof v);
  return a;
}
Argument array(std::ptrdiff_t n) { return {n, {}}; }

Launch launch(const Compiled& module, const std::string& kernel, LiftgenHostIndex grid,
              LiftgenHostIndex block, std::vector<Argument> arguments) {
  const CompiledKernel* found = module.find(kernel);
  REQUIRE(found);
  return {found->entry, module.state(), found->text.parameters, module.reads_only(),
          grid,         block,          std::move(arguments)};
}

/// What goes wrong when `cuda`'s kernel k(const double* x, double* y) runs in 2 blocks of 8 threads over 16
/// doubles each; empty when nothing does.
std::string fault(const std::string& cuda, const std::string& compiler, double timeout = 10) {
  const Compiled module = compiled(cuda, compiler);
  std::vector<double> x(16), y(16, -1);
  std::iota(x.begin(), x.end(), 1);
  const std::vector<double> untouched = y;
  try {
    run({{launch(module, "k", {2, 1, 1}, {8, 1, 1}, {array(0), array(1)})},
         {bytes(x), bytes(y)},
         module.alignment()},
        checking_schedules(), timeout);
  } catch (const KernelFault& wrong) {
    CHECK(y == untouched);
    return wrong.what();
  }
  CHECK(y != untouched);
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string with_body(const std::string& body) {
  return "extern \"C\" __global__ void k(const double* x, double* y) {\n" + body + "}\n";
}

}  // namespace

TEST_CASE("kernels are found in a source") {
  const auto found = kernels_of(
      "// __global__ void not_this(int)\n/* nor __global__ void that() */\n"
      "__device__ static double twice(double x) { return 2 * x; }\n"
      "extern \"C\" __global__ void __launch_bounds__(128, 2) first(const long n, const double *__restrict__ "
      "x, double *y) { y[0] = twice(x[n]); }\n"
      "__global__ void second() {}\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "first");
  CHECK(found[0].max_threads == 128);
  CHECK(found[0].parameters == std::vector<std::string>{"n", "x", "y"});
  CHECK(found[1].name == "second");
  CHECK(found[1].max_threads == 0);
  CHECK(found[1].parameters.empty());
  CHECK_THROWS_WITH_AS(kernels_of("__global__ int x;"), "CUDA source: no function follows __global__",
                       UserError);
}

TEST_CASE("arrays are aligned for the vectors that a source mentions") {
  CHECK(vector_alignment("__global__ void k(double* y) { y[0] = 1; } // double2") == 1);
  CHECK(vector_alignment("__global__ void k(double* y) { *(double2*)y = make_double2(1, 2); }") == 32);
}

TEST_CASE("threads know where they are, in three dimensions, with every kind of argument") {
  const std::string cuda =
      "extern \"C\" __global__ void where(long n, float f, double d, int i, const float* __restrict__ x, "
      "unsigned char* b, double* y) {\n"
      "  const long at = ((long)blockIdx.z * blockDim.z + threadIdx.z) * n + (blockIdx.y * blockDim.y + "
      "threadIdx.y) * (gridDim.x * blockDim.x) + blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  y[at] = at + f + d + i + __ldg(&x[0]);\n"
      "  b[at] = at % 2 == 0;\n"
      "}\n";
  for (const std::string& c : compilers()) {
    const Compiled module = compiled(cuda, c);
    std::vector<float> x{0.5F};
    std::vector<unsigned char> b(96, 7);
    std::vector<double> y(96, -1);
    run({{launch(module, "where", {2, 1, 4}, {3, 4, 1},
                 {number(24L), number(0.25F), number(2.0), number(3), array(0), array(1), array(2)})},
         {bytes(x), bytes(b), bytes(y)},
         1},
        checking_schedules(), 10);
    for (std::size_t i = 0; i < y.size(); ++i) {
      CHECK(y[i] == static_cast<double>(i) + 5.75);
      CHECK(b[i] == (i % 2 == 0 ? 1 : 0));
    }
  }
}

TEST_CASE("all threads reach a barrier before any goes on") {
  // Twice, so that the tile is written again; the second read of one and the write of the other are kept
  // apart.
  const std::string sound = with_body(
      "  __shared__ double tile[8];\n  double s = 0;\n"
      "  for (int t = 0; t < 2; ++t) {\n"
      "    tile[threadIdx.x] = x[8 * blockIdx.x + threadIdx.x] + t;\n"
      "    __syncthreads();\n"
      "    s += tile[7 - threadIdx.x];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  y[8 * blockIdx.x + threadIdx.x] = s;\n");
  const auto without = [&](int n) {
    std::string text = sound;
    const std::string barrier = "    __syncthreads();\n";
    std::size_t at = text.find(barrier);
    if (n == 2) at = text.find(barrier, at + 1);
    return text.erase(at, barrier.size());
  };
  for (const std::string& c : compilers()) {
    CHECK(fault(sound, c).empty());
    for (const int n : {1, 2}) {
      const std::string why = fault(without(n), c);
      CHECK_MESSAGE(contains(why, "kernel k: element "), why);
      CHECK_MESSAGE(contains(why, "of 'y' is "), why);
      CHECK_MESSAGE(contains(why, "as the order of threads goes"), why);
    }
  }
}

TEST_CASE("shared memory does not live from block to block") {
  const std::string cuda = with_body(
      "  __shared__ double tile[8];\n"
      "  if (blockIdx.x == 0) tile[threadIdx.x] = 1;\n  __syncthreads();\n"
      "  y[8 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];\n");
  const std::string never_written =
      with_body("  __shared__ double tile[8];\n  y[8 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];\n");
  for (const std::string& c : compilers()) {
    CHECK(contains(fault(cuda, c), "a read of what was never written"));
    CHECK(contains(fault(never_written, c), "a read of what was never written"));
  }
}

TEST_CASE(
    "an asynchronous copy is there for its thread when it has waited, for the others after a barrier more") {
  const std::string begin = "  const int i = 8 * blockIdx.x + threadIdx.x;\n  __shared__ double tile[8];\n",
                    copy = "  copy_async(&tile[threadIdx.x], &x[i]);\n", wait = "  wait_for_copies();\n",
                    barrier = "  __syncthreads();\n", own = "  y[i] = tile[threadIdx.x];\n",
                    others = "  y[i] = tile[7 - threadIdx.x];\n";
  const std::string order = "as the order of threads goes";
  for (const std::string& c : compilers()) {
    const auto why = [&](const std::string& body) { return fault(with_body(begin + body), c); };
    CHECK(why(copy + wait + barrier + others).empty());
    CHECK(why(copy + wait + own).empty());
    CHECK(contains(why(copy + own), order));
    CHECK(contains(why(copy + barrier + others), order));
    CHECK(contains(why(copy + barrier + wait + others), order));  // the others have not waited
    CHECK(contains(why(copy + wait + others), order));
    CHECK(contains(why("  if (threadIdx.x == 2) wait_for_copies();\n" + copy + barrier + others), order));
    // It is waited for by the thread that has begun it.
    CHECK(contains(why(copy + barrier + "  if (threadIdx.x == 2) wait_for_copies();\n" + barrier + others),
                   order));
    // Again into the same tile: not before all have read it.
    CHECK(why(copy + wait + barrier + others + barrier + copy + wait + barrier +
              "  y[i] += tile[7 - threadIdx.x];\n")
              .empty());
    CHECK(contains(
        why(copy + wait + barrier + others + copy + wait + barrier + "  y[i] += tile[7 - threadIdx.x];\n"),
        order));
    // The source must stay as it is until then.
    CHECK(contains(
        why("  y[i] = x[i];\n  copy_async(&tile[threadIdx.x], &y[i]);\n  y[i] = 0;\n" + wait + own), order));
    // Whatever else is stored there comes before or after the copy.
    CHECK(contains(why(copy + "  tile[threadIdx.x] = 0;\n" + wait + own), order));
    // To shared memory only, and nothing beyond an array.
    CHECK(contains(why("  copy_async(&y[i], &x[i]);\n" + wait), "undefined"));
    CHECK(contains(why("  copy_async(&tile[threadIdx.x], &x[i + 1]);\n" + wait + own),
                   "access to element 16 of 'x'"));
    CHECK(contains(
        why("  copy_async((double2*)&tile[threadIdx.x], (const double2*)&x[i / 2 * 2]);\n" + wait + own),
        "undefined"));
  }
}

TEST_CASE("where an asynchronous copy is under way there is no number") {
  const Compiled module = compiled(
      "extern \"C\" __global__ void k(const float* x, float* y) { __shared__ float t[4]; "
      "copy_async(&t[threadIdx.x], &x[threadIdx.x]); y[threadIdx.x] = t[threadIdx.x]; }\n",
      "");
  std::vector<float> x{1, 2, 3, 4}, y(4);
  const std::vector<Schedule> one{checking_schedules().front()};
  run({{launch(module, "k", {1, 1, 1}, {4, 1, 1}, {array(0), array(1)})}, {bytes(x), bytes(y)}, 1}, one, 10);
  for (const float v : y) CHECK(std::isnan(v));
}

TEST_CASE("a barrier that not all threads reach is reported") {
  for (const std::string& c : compilers()) {
    CHECK(fault(with_body("  y[8 * blockIdx.x + threadIdx.x] = 0;\n  if (threadIdx.x < 5) {\n    "
                          "__syncthreads();\n  }\n"),
                c) ==
          "kernel k: block (0, 0, 0): the barrier in line 4 is not reached by all threads: thread (0, 0, 0) "
          "waits there, thread (5, 0, 0) has ended");
    CHECK(fault(with_body("  if (threadIdx.x == 3 && blockIdx.x == 1) return;\n  __syncthreads();\n"), c) ==
          "kernel k: block (1, 0, 0): the barrier in line 3 is not reached by all threads: thread (0, 0, 0) "
          "waits there, thread (3, 0, 0) has ended");
    CHECK(
        fault(with_body(
                  "  if (threadIdx.x == 0) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }\n"),
              c) ==
        "kernel k: block (0, 0, 0): the barrier in line 3 is not reached by all threads: thread (0, 0, 0) "
        "waits there, thread (1, 0, 0) waits in line 5");
  }
}

TEST_CASE("accesses beyond an array are reported") {
  for (const std::string& c : compilers()) {
    const auto reports = [&](const std::string& body, const std::string& what) {
      const std::string why = fault(with_body(body), c);
      CHECK_MESSAGE(contains(why, what), why);
    };
    const std::string i = "  const int i = 8 * blockIdx.x + threadIdx.x;\n";
    reports(i + "  y[i] = x[i + 1];\n",
            "kernel k: block (1, 0, 0), thread (7, 0, 0): access to element 16 of 'x', which has 16");
    reports(i + "  y[i] = x[i - 1];\n",
            "kernel k: block (0, 0, 0), thread (0, 0, 0): access to element -1 of 'x', which has 16");
    reports(i + "  y[2 * i] = x[i];\n",
            "kernel k: block (1, 0, 0), thread (0, 0, 0): access to element 16 of 'y', which has 16");
    reports(i + "  __shared__ double tile[8];\n  tile[i] = x[i];\n  y[i] = tile[i];\n",
            "block (1, 0, 0), thread (0, 0, 0): undefined");
    // Misaligned. clang does not look at copies of structs, but sees where the last one ends.
    reports(i + "  *(double2*)&y[i] = make_double2(1, 2);\n",
            c == "g++" ? "undefined" : "access to element 16 of 'y'");
  }
}

TEST_CASE("a store into the little that an array leaves of its page is noticed") {
  for (const std::string& c : compilers()) {
    const Compiled module = compiled("extern \"C\" __global__ void k(float* y) { y[3] = 1; }\n", c);
    std::vector<float> y(3);
    CHECK_THROWS_WITH_AS(run({{launch(module, "k", {1, 1, 1}, {1, 1, 1}, {array(0)})}, {bytes(y)}, 32},
                             checking_schedules(), 10),
                         "kernel k: stores to element 3 of 'y', which has 3", KernelFault);
  }
}

TEST_CASE("what is read through the read-only cache must not change") {
  for (const std::string& c : compilers()) {
    CHECK(fault(with_body("  const int i = 8 * blockIdx.x + threadIdx.x;\n  y[i] = __ldg(&x[i]);\n"), c)
              .empty());
    CHECK(fault(with_body("  const int i = 8 * blockIdx.x + threadIdx.x;\n  y[i] = __ldg(&y[i]) + x[i];\n"),
                c) == "kernel k: 'y' is read through the read-only cache and written");
  }
}

TEST_CASE("a kernel that does not end is ended") {
  for (const std::string& c : compilers())
    CHECK(fault(with_body("  while (((volatile double*)y)[0] != 5) {}\n"), c, 0.2) ==
          "kernel k: did not end in the time allowed");
}

TEST_CASE("an interruption ends a run, which then has changed nothing") {
  const Compiled module = compiled(
      "extern \"C\" __global__ void k(double* y) { y[0] = 1; while (((volatile double*)y)[0] != 5) {} }\n",
      "");
  std::vector<double> y{3};
  const InterruptScope scope;
  request_interrupt();
  CHECK_THROWS_WITH_AS(
      run({{launch(module, "k", {1, 1, 1}, {1, 1, 1}, {array(0)})}, {bytes(y)}, 1}, checking_schedules(), 60),
      "CUDA emulation: interrupted", UserError);
  CHECK(y[0] == 3);
}

TEST_CASE("several kernels run in order, in one module, over the same arrays") {
  const std::string cuda =
      "extern \"C\" __global__ void k_1(const double* x, double* y) { y[threadIdx.x] = x[threadIdx.x] + 1; "
      "}\n"
      "extern \"C\" __global__ void k_2(double* y) { __shared__ double t[4]; t[threadIdx.x] = "
      "y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = t[3 - threadIdx.x]; }\n";
  for (const std::string& c : compilers()) {
    const Compiled module = compiled(cuda, c);
    CHECK(module.declared_shared_bytes() == 4 * sizeof(double));
    std::vector<double> x{1, 2, 3, 4}, y(4);
    run({{launch(module, "k_1", {1, 1, 1}, {4, 1, 1}, {array(0), array(1)}),
          launch(module, "k_2", {1, 1, 1}, {4, 1, 1}, {array(1)})},
         {bytes(x), bytes(y)},
         1},
        checking_schedules(), 10);
    CHECK(y == std::vector<double>{5, 4, 3, 2});
  }
}

}  // namespace cuda_host_test
