// Grids have few groups in all but their first dimension: of longer loops items take several iterations.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "lower/launches.hpp"
#include "lower/lower.hpp"
#include "lower/passes/passes.hpp"

using namespace lift;

TEST_CASE("more planes than a grid may have blocks are dealt to those that there are") {
  const Expr x = param("x", array({Nat(200000), Nat(8), Nat(8)}, f32));
  const Expr body = map_with(
      Op::MapGlb, 1,
      fun(x.type().element(),
          [](Expr plane) {
            return map_with(Op::MapGlb, 1,
                            fun(plane.type().element(),
                                [](Expr row) {
                                  return map_with(Op::MapGlb, 1, fun(f32, [](Expr v) { return v + 1.0; }),
                                                  row, {0});
                                }),
                            plane, {1});
          }),
      x, {2});
  LowerOptions o;
  o.target = Target::cuda;
  const std::vector<Launch> all = launches_in(lower({"planes", {x}, body, {}}, o));
  REQUIRE(all.size() == 1);
  const NDRange& r = all[0].range;
  CHECK(r.global[2] / r.local[2] <= 65535);
  CHECK(r.global[2] > 60000);
  CHECK(r.global[0] * r.global[1] >= 64);
}
