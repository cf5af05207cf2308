// Instances of rules about iterations and stages.
#include "tests/rewrite/instances.hpp"

#include "ir/expr/ops.hpp"

namespace lift::test {
namespace {

/// Steps that need their number, or not; some of arrays, some of numbers.
Expr any_iteration(Gen& g, int lowest) {
  const bool numbers = g.n(0, 3) == 0;
  const Expr xs = numbers ? literal(g.real(), f64) : g.array(g.n(1, 5), f64);
  const Expr f = g.fun(f64, f64);
  const auto all = [&](const Expr& x, const std::function<Expr(Expr)>& h) {
    return numbers ? h(x) : map([&](Expr v) { return h(v); }, x);
  };
  const Nat times = g.n(lowest, 5);
  if (g.coin())
    return iterate(times,
                   fun(xs.type(), [&](Expr x) { return all(x, [&](Expr v) { return apply(f, {v}); }); }), xs);
  return iterate(times,
                 fun({i32, xs.type()},
                     [&](Expr t, Expr x) {
                       const Expr y = numbers ? x : x | pad(1, 0, wrap) | drop(0, 1);
                       return all(y, [&](Expr v) { return apply(f, {v}) + cast(f64, t * t); });
                     }),
                 xs);
}

}  // namespace

Generators iterate_generators() {
  return {
      {"iterate-chain",
       [](Gen& g) -> Instance {
         return {any_iteration(g, 0), {}, {}};
       }},
      {"chain-iterate",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(1, 5), f64);
         const Expr f = g.fun(f64, f64), h = g.fun(f64, f64);
         const int times = g.n(2, 4);
         const bool ends = g.coin();
         const std::function<Expr(Expr, int)> rest = [&](const Expr& x, int left) -> Expr {
           if (left == 0) return ends ? map(f, x) : zip({map(h, x), x});
           return let(map(f, x), [&](Expr y) { return rest(y, left - 1); });
         };
         return {let(map(h, xs), [&](Expr x) { return rest(x, times); }), {}, {}};
       }},
      {"iterate-blocks",
       [](Gen& g) -> Instance {
         return {any_iteration(g, 2), {std::to_string(g.n(0, 3))}, {}};
       }},
      {"iterate-of-blocks",
       [](Gen& g) -> Instance {
         return {any_iteration(g, 1), {std::to_string(g.n(1, 5))}, {}};
       }},
      {"let-of-tuple",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(1, 5), f64), ys = g.array(g.n(1, 5), f64);
         const auto part = [&](const Expr& a) { return g.coin() ? a : map(g.fun(f64, f64), a); };
         const Expr f = g.fun(f64, f64);
         return {let(tuple({part(xs), part(ys)}),
                     [&](Expr p) {
                       return g.coin() ? tuple({get(1, p), map(f, get(0, p))}) : p;
                     }),
                 {},
                 {}};
       }},
      {"let-of-let",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(1, 5), f64);
         const Expr f = g.fun(f64, f64), h = g.fun(f64, f64);
         const Expr inner = let(map(f, xs), [&](Expr y) { return zip({map(h, y), y, xs}); });
         return {
             let(inner,
                 [&](Expr x) { return map([](Expr v) { return get(0, v) + get(1, v) * get(2, v); }, x); }),
             {},
             {}};
       }},
      {"let-part",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(3, 6), f64);
         const Expr inner = map(g.fun(f64, f64), xs);
         if (g.coin()) return {map(g.fun(f64, f64), inner), {"1"}, {}};
         return {map([](Expr w) { return w[0] + w[1]; }, inner | slide(2, 1)), {"1", "0"}, {}};
       }},
      {"let-of-maps",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 2);
         const Type t = g.element(), u = g.element(), v = g.element();
         const auto shape = g.shape(d);
         const Expr xs = g.array(shape, t), ys = g.array(shape, v);
         const int kind = g.n(0, 5);
         return {let(map_n(d, g.fun(t, u), xs),
                     [&](Expr p) {
                       if (kind == 0) return map_n(d, g.fun(u, f64), p);
                       if (kind == 1)  // the value is read in another order
                         return map_n(d, g.fun(Type::tuple({u, u}), f64), zip_n(d, {p, p | drop_n(d, 0, 0)}));
                       std::vector<Expr> arrays{ys, p};
                       if (kind == 2) arrays = {p, ys};
                       if (kind == 3) arrays = {p, p, ys};
                       std::vector<Type> types;
                       for (const Expr& a : arrays) types.push_back(element_of(a.type(), d));
                       return map_n(d, g.fun(Type::tuple(types), g.element()), zip_n(d, arrays));
                     }),
                 {},
                 {}};
       }},
  };
}

}  // namespace lift::test
