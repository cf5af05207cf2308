// Emitted CUDA through nvcc, for each architecture: no warnings, and for the variants that are tried first no
// spills and no arrays in local memory.
#include <doctest/doctest.h>

#include "grid_cases.hpp"
#include "tests/emit/nvcc.hpp"
#include "tests/emit/staged_cases.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace nvcc_test {
namespace {

std::vector<Kernel> kernels_of(const std::vector<GridCase>& cases) {
  std::vector<Kernel> kernels;
  for (const GridCase& c : cases) kernels.push_back(c.kernel);
  return kernels;
}

bool available() {
  if (nvcc().empty()) MESSAGE("nvcc is not installed, not tested");
  return !nvcc().empty();
}

}  // namespace

TEST_CASE(
    "nvcc compiles kernels of every operator without a warning, and varied ones at a large size need no "
    "local memory") {
  if (!available()) return;
  std::vector<GridCase> best, varied;
  bool single = false;
  for (const auto& pattern : all_patterns()) {
    single = !single;
    for (GridCase& c : grid_cases(*pattern, {Target::cuda, {{{256}, {256}, {256}}}, 1, {1, 2, 4}, 0},
                                  single ? f32 : f64, pattern->name))
      best.push_back(std::move(c));
    for (GridCase& c : grid_cases(*pattern, {Target::cuda, {{{96}, {48}, {48}}}, 2, {1, 2, 4}, 40},
                                  single ? f64 : f32, pattern->name + "_varied"))
      varied.push_back(std::move(c));
  }
  for (GridCase& c : staged_cases(Target::cuda)) varied.push_back(std::move(c));
  for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
    const auto found = compiled_by_nvcc(kernels_of(best), architecture);
    for (const GridCase& c : best) {
      INFO(architecture << ": " << test::describe(c) << "\n" << test::cuda_of(c.kernel));
      check_in_registers(c.kernel, found);
    }
    compiled_by_nvcc(kernels_of(varied), architecture);
  }
}

TEST_CASE("nvcc: the first variants of every operator, f32 and f64, need no local memory") {
  if (!available()) return;
  std::vector<Kernel> all;
  for (const auto& pattern : all_patterns())
    for (const Scalar type : {f32, f64})
      for (const char* smoother : {"gsrb", "jacobi"}) {
        const bool smooths = pattern->choices.contains("smoother");
        if (!smooths && smoother != std::string("gsrb")) continue;
        std::map<std::string, std::string> choices;
        if (smooths) choices["smoother"] = smoother;
        const auto first = first_variants(*pattern, choices, type, 3,
                                          pattern->name + "_" + (smooths ? smoother : "") + text(type));
        REQUIRE(!first.empty());
        all.insert(all.end(), first.begin(), first.end());
      }
  const auto found = compiled_by_nvcc(all, "sm_80");
  for (const Kernel& k : all) {
    INFO(test::cuda_of(k));
    check_in_registers(k, found);
  }
}

}  // namespace nvcc_test
