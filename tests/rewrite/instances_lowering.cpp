// Instances of rules that take decisions.
#include "tests/rewrite/instances.hpp"

#include "ir/expr/ops.hpp"

namespace lift::test {
namespace {

Instance plain_map(Gen& g, Arguments arguments, bool scalar_result = false) {
  const Type t = g.element();
  return {map(g.fun(t, scalar_result ? Type(f64) : g.element()), g.array(g.n(1, 5), t)),
          std::move(arguments),
          {}};
}
Expr low_map(Gen& g, Op op, int number) {
  return map_with(op, 1, g.fun(f64, f64), g.array(g.n(1, 9), f64), {number, 1, 0, 0});
}
/// Every second element of an array replaced in place.
Instance every_second(Gen& g) {
  const int n = g.n(2, 6);
  const Expr base = g.array(n + 2, f64), f = g.fun(f64, f64);
  const auto cell = [&](Expr i, Expr x) {
    return select(eq((i + param("color", i32)) % 2, 0), apply(f, {x}), x);
  };
  const Expr block = map(cell, zip({iota(n), base | drop(1, 1)}));
  const Op op = std::vector{Op::MapSeq, Op::MapVec, Op::MapGlb, Op::Map}[static_cast<std::size_t>(g.n(0, 3))];
  const std::int64_t first = op == Op::MapGlb ? 0 : 2;  // a dimension; a width
  const Expr low = op == Op::Map ? block : map_with(op, 1, block.child(0), block.child(1), {first, 1, 0, 0});
  Attr offset;
  offset.nats = {1};
  return {
      make(g.n(0, 4) ? Op::UpdateInPlace : Op::Update, {base, low}, offset), {g.n(0, 4) ? "2" : "3"}, {1}};
}

/// Every second element of a new array, then the others.
Instance one_after_the_other(Gen& g) {
  const Op op =
      std::vector{Op::MapSeq, Op::MapVec, Op::MapUnroll, Op::MapPar}[static_cast<std::size_t>(g.n(0, 3))];
  return {low_map(g, op, op == Op::MapUnroll || op == Op::MapVec ? 2 : 1), {g.n(0, 4) ? "2" : "3"}, {}};
}

}  // namespace

Generators lowering_generators() {
  const auto marked = [](Gen& g) -> Instance {
    return {map(g.fun(f64, f64), g.array(g.n(1, 4), f64)), {}, {}};
  };
  const auto reduction = [](Gen& g) -> Instance {
    const Type t = g.element();
    return {reduce(g.fun2(f64, t), literal(g.real(), f64), g.array(g.n(1, 6), t)), {}, {}};
  };
  const auto grid = [](Gen& g) { return plain_map(g, {std::to_string(g.n(0, 3))}); };
  const auto vector = [](Gen& g, Arguments a) -> Instance {
    return {low_map(g, g.n(0, 4) ? Op::MapVec : Op::MapSeq, 4), std::move(a), {}};
  };
  return {
      {"map-seq", [](Gen& g) { return plain_map(g, {}); }},
      {"map-unroll", [](Gen& g) { return plain_map(g, {std::to_string(g.n(1, 5))}); }},
      {"map-par", [](Gen& g) { return plain_map(g, {}); }},
      {"map-vec", [](Gen& g) { return plain_map(g, {std::to_string(1 << g.n(0, 4))}, g.n(0, 4) > 0); }},
      {"map-glb", grid},
      {"map-wrg", grid},
      {"map-lcl",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun(t, g.element());
         const Expr inner = map_each(f, g.array(g.shape(2), t));
         return {map_with(Op::MapWrg, 1, inner.child(0), inner.child(1), {g.n(0, 1), 1, 0, 0}),
                 {std::to_string(g.n(0, 1))},
                 {0, 0}};
       }},
      {"unroll",
       [](Gen& g) -> Instance {
         return {low_map(g, Op::MapSeq, 1), {std::to_string(g.n(1, 5))}, {}};
       }},
      {"rotate",
       [](Gen& g) -> Instance {
         return {
             low_map(g,
                     std::vector{Op::MapSeq, Op::MapUnroll, Op::MapPar}[static_cast<std::size_t>(g.n(0, 2))],
                     2),
             {},
             {}};
       }},
      {"strided", [](Gen& g) { return g.n(0, 1) == 0 ? every_second(g) : one_after_the_other(g); }},
      {"dynamic",
       [](Gen& g) -> Instance {
         return {low_map(g, g.n(0, 4) ? Op::MapPar : Op::MapSeq, 1), {std::to_string(g.n(0, 3))}, {}};
       }},
      {"late-store", [=](Gen& g) { return vector(g, {}); }},
      {"prefetch",
       [](Gen& g) -> Instance {
         return {low_map(g,
                         std::vector{Op::MapVec, Op::MapSeq, Op::MapUnroll,
                                     Op::MapPar}[static_cast<std::size_t>(g.n(0, 3))],
                         4),
                 {"2"},
                 {}};
       }},
      {"reduce-seq", reduction},
      {"reduce-unroll", reduction},
      {"to-private", marked},
      {"to-local", marked},
      {"to-global", marked},
      {"in-layout",
       [](Gen& g) -> Instance {
         const int rank = g.n(1, 3);
         const Type t = g.element();
         const Expr x = map_n(rank, g.fun(t, g.element()), g.array(g.shape(rank), t));
         if (g.coin()) return {x, {"rows", std::to_string(g.n(1, 8)), std::to_string(g.n(0, 3))}, {}};
         return {x, {"split", std::to_string(g.n(1, 3)), std::to_string(g.n(1, 4))}, {}};
       }},
      {"async", marked},
      {"stream", marked},
  };
}

}  // namespace lift::test
