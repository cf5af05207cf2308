// The space of iterations: the loops of a step run as other loops do.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_iterate_test {
namespace {

Program sweeps(std::int64_t n, std::int64_t m, std::int64_t times) {
  const Expr u = param("u", array({Nat(n), Nat(m)}, f64));
  return {"sweeps",
          {u},
          iterate(times,
                  fun(u.type(),
                      [](Expr x) {
                        return x | pad2(1, 1, clamp) | slide2(3, 1) |
                               map2([](Expr w) { return w[0][1] + w[1][0] - w[1][2] + w[2][1]; });
                      }),
                  u),
          {}};
}

}  // namespace

TEST_CASE("space: the steps of an iteration are shared by threads") {
  const Program p = sweeps(20, 30, 6);
  const Space s(p, options());
  const Derivation d = s.derive(s.seeds().at(0));
  CHECK(count(d, "map-par") == 1);
  check_space(sweeps(5, 7, 3), options(), 3, 1);
  check_space(sweeps(1, 9, 2), options(), 3, 1);
}

TEST_CASE("space: on a grid they stay one work-item's, as steps would be launches") {
  const Space s(sweeps(20, 30, 6), options(Target::opencl));
  const Derivation d = s.derive(s.seeds().at(0));
  CHECK(count(d, "map-glb") + count(d, "map-wrg") + count(d, "map-par") == 0);
}

}  // namespace space_iterate_test
