// What PPCG's host code launches: as its versions write it for CUDA and for OpenCL.
#include "compare/ppcg_host.hpp"

#include <doctest/doctest.h>

#include "compare/contest.hpp"
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "tests/message.hpp"
#include "tuning/untransformed.hpp"

namespace lift::ppcg_host_test {
namespace {

Kernel axpy() {
  Problem p;
  p.box = 16, p.boxes = 1;
  return untransformed_loops(find_pattern("axpy2d").build(p));
}

const std::string kCuda =
    "    {\n      dim3 k0_dimBlock(8, 4);\n      dim3 k0_dimGrid(2, 4);\n"
    "      kernel0 <<<k0_dimGrid, k0_dimBlock>>> (dev_x, dev_y, a);\n      cudaCheckKernel();\n    }\n    {\n"
    "      dim3 k1_dimBlock(16);\n      dim3 k1_dimGrid(1);\n"
    "      kernel1 <<<k1_dimGrid, k1_dimBlock>>> (dev_y);\n    }\n";
const std::string kOpenCl =
    "      size_t global_work_size[2] = {(2) * 8, (4) * 4};\n      size_t block_size[2] = {8, 4};\n"
    "      cl_kernel kernel0 = clCreateKernel(program, \"kernel0\", &err);\n"
    "      openclCheckReturn(clSetKernelArg(kernel0, 0, sizeof(cl_mem), (void *) &dev_x));\n"
    "      openclCheckReturn(clSetKernelArg(kernel0, 1, sizeof(cl_mem), (void *) &dev_y));\n"
    "      openclCheckReturn(clSetKernelArg(kernel0, 2, sizeof(a), &a));\n"
    "      openclCheckReturn(clEnqueueNDRangeKernel(queue, kernel0, 2, NULL, global_work_size, block_size, "
    "0, "
    "NULL, NULL));\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
std::string refusal(const std::string& host) {
  return test::message<UserError>([&] { (void)launches_of_ppcg(host, axpy(), Target::cuda); });
}

}  // namespace

TEST_CASE("compare: the launches of PPCG's host code, their sizes and arguments") {
  const std::vector<OwnLaunch> two = launches_of_ppcg(kCuda, axpy(), Target::cuda);
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "kernel0");
  CHECK(two[0].groups == std::array<std::size_t, 3>{2, 4, 1});
  CHECK(two[0].local == std::array<std::size_t, 3>{8, 4, 1});
  CHECK(two[0].arguments == std::vector<std::string>{"x", "y", "a"});
  CHECK(two[1].name == "kernel1");
  CHECK(two[1].groups == std::array<std::size_t, 3>{1, 1, 1});
  CHECK(two[1].local == std::array<std::size_t, 3>{16, 1, 1});
  CHECK(two[1].arguments == std::vector<std::string>{"y"});
  const std::vector<OwnLaunch> one = launches_of_ppcg(kOpenCl, axpy(), Target::opencl);
  REQUIRE(one.size() == 1);
  CHECK(one[0].groups == two[0].groups);
  CHECK(one[0].local == two[0].local);
  CHECK(one[0].arguments == two[0].arguments);
}

TEST_CASE("compare: sizes in three dimensions, of products, and those that were said last") {
  const auto first = [](const std::string& host) {
    return launches_of_ppcg(host, axpy(), Target::cuda).at(0);
  };
  CHECK(first(with(kCuda, "(2, 4)", "(2, (3) * 4, 5)")).groups == std::array<std::size_t, 3>{2, 12, 5});
  CHECK(
      first(with(kCuda, "dim3 k0_dimGrid(2, 4);", "dim3 k0_dimGrid(7, 7); dim3 k0_dimGrid(2, 4);")).groups ==
      std::array<std::size_t, 3>{2, 4, 1});
  // What is said behind the launch is of another one.
  CHECK(first(kCuda + "dim3 k0_dimGrid(7, 7);").groups == std::array<std::size_t, 3>{2, 4, 1});
}

TEST_CASE("compare: what cannot be read of PPCG's host code is refused by name") {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(refusal(with(kCuda, "(2, 4)", "(n, 4)")), "a size that is no number: n"));
  CHECK(has(refusal(with(kCuda, "(2, 4)", "(2, 4, 1, 1)")), "has sizes '2, 4, 1, 1'"));
  CHECK(has(refusal(with(kCuda, "(2, 4)", "( )")), "a size that is no number: "));
  for (const char* unsaid : {"k0_dimBlock(8, 4)", "k0_dimGrid(2, 4)"})
    CHECK(has(refusal(with(kCuda, unsaid, "other(8, 4)")), "does not say the sizes of a launch"));
  CHECK(has(refusal(with(kCuda, "(2, 4)", "()")), "does not say the sizes of a launch"));
  CHECK(has(refusal(with(kCuda, "dev_x", "dev_z")), "'dev_z', which is no argument of axpy2d"));
  CHECK(has(refusal("for (int c0 = 0; c0 < 4; c0 += 1) " + kCuda), "in a loop"));
  CHECK(has(refusal("{ y[0] = x[0]; }"), "launches nothing"));
}

}  // namespace lift::ppcg_host_test
