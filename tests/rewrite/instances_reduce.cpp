// Instances of rules about reductions: sums, products, extrema, compensated sums, two reductions at once, and
// functions that may not be taken apart.
#include "tests/rewrite/instances.hpp"

#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"

namespace lift::test {
namespace {

struct Reduction {
  Expr f, z;
  Type element() const { return z.type(); }
};

Reduction scalar_reduction(Gen& g) {
  const auto with = [](double z, const std::function<Expr(Expr, Expr)>& op) {
    return Reduction{fun({Type(f64), Type(f64)}, op), literal(z, f64)};
  };
  const bool turned = g.coin();
  switch (g.n(0, 3)) {
    case 0:
      return with(0, [=](Expr a, Expr x) { return turned ? x + a : a + x; });
    case 1:
      return with(1, [=](Expr a, Expr x) { return turned ? x * a : a * x; });
    case 2:
      return with(g.real(), [=](Expr a, Expr x) { return turned ? max(x, a) : max(a, x); });
    default:
      return with(g.real(), [=](Expr a, Expr x) { return turned ? min(x, a) : min(a, x); });
  }
}
/// One that may be taken apart, but for one in five.
Reduction reduction(Gen& g) {
  const Type pair = Type::tuple({f64, f64});
  switch (g.n(0, 9)) {
    case 0:
      return {g.fun2(f64, f64), literal(0, f64)};
    case 1:
      return {fun({Type(f64), Type(f64)}, [](Expr a, Expr x) { return a + x; }), literal(1, f64)};
    case 2:
      return {two_sum(f64), tuple({literal(0, f64), literal(0, f64)})};
    case 3: {
      const Reduction p = scalar_reduction(g), q = scalar_reduction(g);
      return {fun({pair, pair},
                  [&](Expr a, Expr x) {
                    return tuple({apply(p.f, {get(0, a), get(0, x)}), apply(q.f, {get(1, a), get(1, x)})});
                  }),
              tuple({p.z, q.z})};
    }
    default:
      return scalar_reduction(g);
  }
}

}  // namespace

Generators reduce_generators() {
  const auto chunked = [](Gen& g) -> Instance {
    const Reduction r = reduction(g);
    const int k = g.n(1, 4);
    return {
        reduce(r.f, r.z, g.array(k * g.n(1, 4) + (g.n(0, 4) == 0), r.element())), {std::to_string(k)}, {}};
  };
  return {
      {"reduce-map",
       [](Gen& g) -> Instance {
         const Type a = g.element(), b = g.element();
         return {
             reduce(g.fun2(f64, b), literal(g.real(), f64), map(g.fun(a, b), g.array(g.n(1, 6), a))), {}, {}};
       }},
      {"reduce-split", chunked},
      {"reduce-lanes", chunked},
      {"reduce-columns", chunked},
      {"reduce-pad",
       [](Gen& g) -> Instance {
         const Reduction r = reduction(g);
         return {reduce(r.f, r.z, g.array(g.n(1, 6), r.element())), {std::to_string(g.n(0, 5))}, {}};
       }},
      {"reduce-one",
       [](Gen& g) -> Instance {
         const Reduction r = reduction(g), other = g.n(0, 4) == 0 ? reduction(g) : r;
         const Expr xs = g.array({Nat(g.n(0, 4) == 0 ? 2 : 1), Nat(g.n(1, 5))}, r.element());
         if (!(other.element() == r.element()))
           return {reduce(r.f, r.z, map([&](Expr x) { return reduce(r.f, r.z, x); }, xs)), {}, {}};
         return {reduce(r.f, r.z, map([&](Expr x) { return reduce(other.f, other.z, x); }, xs)), {}, {}};
       }},
      {"reduce-of-join",
       [](Gen& g) -> Instance {
         const Reduction r = reduction(g);
         return {reduce(r.f, r.z, join(g.array(g.shape(2), r.element()))), {}, {}};
       }},
      {"reduce-joined",
       [](Gen& g) -> Instance {
         const Reduction r = reduction(g);
         const Type t = g.element();
         const Expr xs = g.coin() ? g.array(g.shape(2), r.element()) : g.array(g.shape(2), t);
         const Expr f = g.fun(xs.type().element().element(), r.element());
         const bool given = xs.type().element().element() == r.element() && g.coin();
         return {reduce(r.f, r.z, map([&](Expr x) { return reduce(r.f, r.z, given ? x : map(f, x)); }, xs)),
                 {},
                 {}};
       }},
      {"reduce-rest",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         return {reduce(g.fun2(f64, t), literal(g.real(), f64), g.array(g.n(1, 6), t)),
                 {std::to_string(g.n(0, 7))},
                 {}};
       }},
      {"reduce-blocks",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const int k = g.n(1, 3);
         const int n = k * g.n(1, 3) + (g.n(0, 4) == 0 ? 1 : 0);
         return {reduce(g.fun2(f64, t), literal(g.real(), f64), g.array(n, t)), {std::to_string(k)}, {}};
       }},
      {"map-of-reduce",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun2(f64, t), start = g.fun(f64, f64), made = g.fun(f64, t);
         const bool decided = g.coin(), from_column = g.coin();
         const double z = g.real();
         const auto of_column = [&](Expr x) {
           const Expr init = from_column ? apply(start, {x[0]}) : literal(z, f64), row = map(made, x);
           return decided ? make(Op::ReduceSeq, {f, init, row}, {}, {}) : reduce(f, init, row);
         };
         return {map(of_column, g.array({Nat(g.n(1, 4)), Nat(g.n(1, 5))}, f64)), {}, {}};
       }},
  };
}

}  // namespace lift::test
