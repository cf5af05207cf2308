// Programs whose meaning is at the edge of numbers, or which rivals once could not be printed for: `run` says
// that every kernel is right.
#include <doctest/doctest.h>

#include <algorithm>

#include "command.hpp"
#include "runtime/file.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using namespace cli_test;
using lift::test::Scratch;

namespace meanings_test {
namespace {

bool has(const ProcessResult& r, const std::string& part) { return r.output.find(part) != std::string::npos; }

ProcessResult run(const Scratch& scratch, const std::string& text,
                  const std::vector<std::string>& more = {}) {
  write_file_atomically(scratch.path() / "p.lift", "program p\n" + text);
  std::vector<std::string> all{"run", "p.lift", "--no-db", "--out", "."};
  all.insert(all.end(), more.begin(), more.end());
  return liftgen(all, scratch.path().string(), {"OMP_NUM_THREADS=2"});
}
void check_right(const ProcessResult& r) {
  CHECK_MESSAGE(r.status == 0, r.output);
  CHECK_MESSAGE(has(r, "verified"), r.output);
}

}  // namespace

TEST_CASE("meanings: min and max of what is no number are the same everywhere") {
  const Scratch scratch;
  const std::string nan = "size n = 1000\nparam x, y : n.f32 = wave\ndef root(v) = sqrt(v)\n";
  for (const std::string backend : {"openmp", "cuda", "opencl"}) {
    CAPTURE(backend);
    std::vector<std::string> more{"--backend", backend};
    if (backend == "cuda") more.emplace_back("--emulate");
    for (const char* result : {"result lo, hi, up, down : {n.f32, n.f32, n.f32, n.f32} = zip(x, y) |> "
                               "map(\\(x, y). {min(root(x), y), "
                               "max(root(x), y), min(y, root(x)), max(y, root(x))}) |> unzip\n",
                               "result least : f32 = x |> map(root) |> reduce(\\a v. min(a, v), 9.0)\n",
                               "result most : f32 = x |> map(root) |> reduce(\\a v. max(v, a), 0.25)\n"}) {
      const ProcessResult r = run(scratch, nan + result, more);
      if (backend == "opencl" && r.status == 3) continue;  // no device here
      CHECK_MESSAGE(r.status == 0, r.output);
    }
  }
}

TEST_CASE("meanings: comparisons near a tie are within what rounding may do") {
  const Scratch scratch;
  check_right(run(scratch,
                  "size n = 4096 where n >= 64\nparam x : n.f32 = wave\n"
                  "result r : (n - 2).f32 = x |> slide(3, 1) |> map(\\w. let a = w[0] * w[1] + w[2] in "
                  "select(a * 7 - a * 3 <= a * 4, f32(1), f32(2)))\n"));
}

TEST_CASE("meanings: values that are shared many times have loops beside them, as short as the program") {
  const Scratch scratch;
  std::string squares = "size n = 1000\nparam x : n.f64 = random(3, 0.5, 1)\nresult y = x |> map(\\a0. ";
  for (int i = 0; i < 40; ++i) {
    const std::string a = "a" + std::to_string(i);
    squares += "let a" + std::to_string(i + 1) + " = " + a + " * " + a + " in ";
  }
  for (const std::string& text :
       {squares + "a40)\n",
        std::string("size n = 1000\nparam x : n.f64 = random(3, 1, 2)\nresult y = x |> map(\\v. "
                    "iterate(10, \\u. u - (u * u - v) / (2 * u), v))\n")}) {
    const ProcessResult r = run(scratch, text);
    check_right(r);
    CHECK_MESSAGE(has(r, "plain"), r.output);
  }
}

TEST_CASE("meanings: overwritten arrays that are read beside what is written are copied by the plain loops") {
  const Scratch scratch;
  const std::string half =
      "size n = 60 where n >= 3\nparam A : n.n.f64 = wave\noverwrite A\n"
      "def half(a) = update2(a, 1, a |> slide2(3, 1) |> map2(\\w. 0.25 * (w[0, 1] + w[1, 0] + w[1, 2] + w[2, "
      "1])))\n";
  for (const char* result : {"result out = half(A)\n", "result out = let a = half(A) in half(a)\n",
                             "result out, b = let a = update2(A, 1, A |> drop2(1, 1) |> map2(\\v. 2 * v)) in "
                             "{a, A |> map2(\\v. v + 1)}\n"}) {
    CAPTURE(result);
    const ProcessResult r = run(scratch, half + result);
    check_right(r);
    CHECK_MESSAGE(!has(r, "WRONG"), r.output);
  }
}

TEST_CASE("meanings: functions have names, and arguments may be called as functions are") {
  const Scratch scratch;
  check_right(run(
      scratch,
      "size n = 16\nparam x : n.f64 = wave\nresult y : n.f64 =\n"
      "  let f = \\(v : n.f64). v |> map(\\a. 2 * a) in\n  let g = \\(v : f64). v + 1 in f(x) |> map(g)\n"));
  for (const std::string backend : {"openmp", "cuda"}) {
    std::vector<std::string> more{"--backend", backend};
    if (backend == "cuda") more.emplace_back("--emulate");
    check_right(run(scratch,
                    "size n = 64\nparam `exp` : n.f64 = wave\nparam `sqrt` : f64 = 2\n"
                    "result `min_f64` = `exp` |> map(\\v. exp(v) + sqrt(abs(v) * `sqrt`) + min(v, 1.0))\n",
                    more));
    CHECK(read_file(scratch.path() / "p.h").find("double *exp") != std::string::npos);
  }
}

TEST_CASE("meanings: whole numbers that do not fit are refused, and not called an error of liftgen's") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text, const std::string& part) {
    const ProcessResult r = run(scratch, text);
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(has(r, part));
    CHECK(!has(r, "internal error"));
  };
  refused("size n = 8\nparam x : n.i32 = 3\nresult z = x |> map(\\v. v * 2000000000)\n",
          "more than an i32 holds");
  refused("size n = 65536\nparam x : 4.i32 = 1\nresult z = x |> map(\\v. v * 0 + nat(n * n))\n",
          "4294967296 is more than an i32 holds");
  refused("size n = 3000000000\nparam x : 4.i32 = 1\nresult z = x |> map(\\v. v * 0 + nat(n))\n",
          "3000000000 is more than an i32 holds");
  refused("size n = 3000000000\nresult z = generate(n, \\i. i) |> reduce(\\a i. a + i, 0)\n",
          "more than an i32 holds");
}

TEST_CASE("meanings: the emitted caller says that a kernel is wrong, whatever it is wrong by") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "p.lift",
                        "program p\nsize n = 100\nparam x : n.f64\nresult y = x |> map(\\v. 2 * v)\n");
  REQUIRE(liftgen({"emit", "p.lift", "--out", "."}, scratch.path().string()).status == 0);
  const auto status = [&](const std::string& last) {
    write_file_atomically(
        scratch.path() / "other.c",
        "#include <math.h>\nvoid p(const double *x, double *y) { for (int i = 0; i < 100; ++i) y[i] "
        "= 2 * x[i]; y[99] = " +
            last + "; }\n");
    ProcessOptions options;
    options.directory = scratch.path().string();
    return run_process({"/bin/bash", "-c", "gcc -O1 other.c p_main.c -lm -o p && ./p"}, options).status;
  };
  CHECK(status("2 * x[99]") == 0);
  CHECK(status("2.1 * x[99]") == 1);
  CHECK(status("NAN") == 1);
  CHECK(status("-INFINITY") == 1);
}

}  // namespace meanings_test
