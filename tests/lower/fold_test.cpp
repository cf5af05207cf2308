// Loops over a fourth dimension of a grid.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/loops/verify.hpp"
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

namespace {

For over(const Nat& n, int dim, const std::function<Block(const Nat&)>& body) {
  For f;
  f.var = Nat::fresh("g", 0, n - 1), f.upper = n, f.kind = LoopKind::Glb, f.dim = dim;
  f.body = body(f.var);
  return f;
}

}  // namespace

TEST_CASE("loops over the third dimension of several lengths share it with the fourth") {
  const Type planes = array({3, 5, 2}, f64);
  const auto store = [](const Nat& b, const Nat& p, const Nat& which) {
    const std::vector<Nat> at{b, p, which};
    return Block{
        {Store{"out", at, apply_term(Op::Add, f64, {load_term("a", at, f64), constant_term(1, f64)})}}};
  };
  for (const std::int64_t other : {1, 2, 4, 5}) {
    Kernel k;
    k.name = "k", k.results = {"out"};
    k.arguments = {{"a", planes, Layout({}, planes), false, true, {}},
                   {"out", planes, Layout({}, planes), true, false, {}}};
    k.body = {{over(3, 3, [&](const Nat& b) {
      return Block{{over(4, 2, [&](const Nat& p) { return store(b, p, 0); })},
                   {over(other, 2, [&](const Nat& p) { return store(b, p, 1); })}};
    })}};
    const auto out = [](Kernel of) {
      test::LoopRunner loops;
      linearise(of);
      for (double i = 0; i < 30; ++i) loops.arrays["a"].push_back(i), loops.arrays["out"].push_back(-1);
      loops.run(of);
      CHECK(loops.races.empty());
      return loops.arrays.at("out");
    };
    Kernel folded = k;
    folded.body = fold_dimensions(k.body);
    INFO(str(folded));
    verify(folded, Form::Positions, "fold-dimensions");
    CHECK(out(folded) == out(k));
    CHECK(dimensions(folded.body) == std::vector<int>{2});
    const auto& f = std::get<For>(folded.body.at(0).v);
    CHECK(f.upper == Nat(3 * std::max<std::int64_t>(4, other)));
    CHECK(test::count<If>(folded.body) == (other == 4 ? 0 : 1));  // the shorter loop asks
    // Iterations of the fourth dimension are not dealt, either.
    std::get<For>(k.body[0].v).items = 2;
    CHECK_THROWS_WITH_AS(fold_dimensions(k.body), doctest::Contains("leave out the items of the loop over g"),
                         UserError);
  }
}

}  // namespace lift::fold_test
