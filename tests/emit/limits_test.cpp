// Kernels that no CUDA device can run are refused before a compiler sees them.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "tests/emit/hand_built.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace limits_test {
namespace {

/// Work-items that each load `values` numbers before they add them up.
Kernel holding(int values, std::int64_t items) {
  const Nat i = index_of("i", 0, items - 1);
  Block body;
  Term sum = number(0);
  for (int v = 0; v < values; ++v) {
    const Term local = local_term("t" + std::to_string(v), f64);
    body.push_back({Let{local, at("x", i + v)}});
    sum = binary(Op::Add, sum, local);
  }
  body.push_back(put("y", i, sum));
  return kernel("k", {array_argument("x", f64, 4096), out_argument("y", f64, 1024)}, "y",
                {{grid(i, 0, items, body, LoopKind::Lcl)}});
}

}  // namespace

TEST_CASE("limits: a CUDA block has so many registers, and a thread") {
  CHECK_NOTHROW(nd_range(holding(30, 1024), Target::cuda));
  CHECK_THROWS_WITH_AS(nd_range(holding(40, 1024), Target::cuda),
                       doctest::Contains("blocks of 1024 threads have 64 each"), UserError);
  CHECK_NOTHROW(nd_range(holding(100, 128), Target::cuda));
  CHECK_THROWS_WITH_AS(nd_range(holding(140, 32), Target::cuda), doctest::Contains("have 255 each"),
                       UserError);
  CHECK_NOTHROW(nd_range(holding(140, 32), Target::opencl));  // its devices do not tell
}

TEST_CASE("limits: a CUDA block has 1024 threads at most") {
  CHECK_THROWS_WITH_AS(nd_range(holding(1, 2048), Target::cuda), doctest::Contains("choose a smaller tile"),
                       UserError);
}

}  // namespace limits_test
