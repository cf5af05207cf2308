// Loops over a fourth dimension of a grid.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::fold_test {
namespace {

Expr low(Op op, int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int items = 0) {
  return map_with(op, 1, function_of(element_of(xs.type(), 1), f), xs, {dim, 1, 0, 0, items});
}
/// Dimensions of the grid's loops, in order.
std::vector<int> dimensions(const Block& b) {
  std::vector<int> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v); f && f->kind >= LoopKind::Glb) all.push_back(f->dim);
  });
  return all;
}
const Expr boxes = param("boxes", array({3, 4, 5, 6}, f64));

}  // namespace

TEST_CASE("four loops over the grid take three dimensions") {
  const auto box = [](Expr b) {
    return low(
        Op::MapGlb, 2,
        [](Expr p) {
          return low(
              Op::MapGlb, 1,
              [](Expr r) {
                return low(
                    Op::MapGlb, 0, [](Expr x) { return x * 2.0; }, r);
              },
              p);
        },
        b);
  };
  const Kernel k = test::run(test::program({boxes}, low(Op::MapGlb, 3, box, boxes)));
  CHECK(dimensions(k.body) == std::vector<int>{2, 1, 0});
}

TEST_CASE("a fourth dimension alone is the third") {
  const Kernel k = test::run(test::program({boxes}, low(
                                                        Op::MapGlb, 3,
                                                        [](Expr b) {
                                                          return map_n(
                                                              3, [](Expr x) { return x + 1.0; }, b);
                                                        },
                                                        boxes)));
  CHECK(dimensions(k.body) == std::vector<int>{2});
}

TEST_CASE("iterations of loops that share a dimension are not dealt") {
  const Expr e = low(
      Op::MapGlb, 3,
      [](Expr b) {
        return low(
            Op::MapGlb, 2,
            [](Expr p) {
              return map_n(
                  2, [](Expr x) { return x + 1.0; }, p);
            },
            b, 2);
      },
      boxes);
  CHECK_THROWS_WITH_AS(lower(test::program({boxes}, e)), doctest::Contains("leave out the items"), UserError);
}

}  // namespace lift::fold_test
