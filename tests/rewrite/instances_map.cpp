// Instances of rules about maps, split, join and transpose.
#include "tests/rewrite/instances.hpp"

#include <algorithm>
#include <numeric>

#include "ir/expr/ops.hpp"

namespace lift::test {

Type scalar_or_pair(Gen& g) { return g.coin() ? Type(f64) : Type::tuple({f64, f64}); }
Boundary choosing(Gen& g) {
  return std::vector{Boundary::clamp, Boundary::wrap, Boundary::mirror,
                     Boundary::reflect}[static_cast<std::size_t>(g.n(0, 3))];
}
Expr first_of(int rank, const Expr& e) {
  return map_n(
      rank, [](Expr p) { return get(0, p); }, e);
}
Expr map_each(const Expr& f, const Expr& xs) {
  return map([&](Expr x) { return map(f, x); }, xs);
}
std::vector<Nat> widths(Gen& g, const std::vector<Nat>& shape, int highest, Boundary b) {
  std::vector<Nat> w;
  for (const Nat& n : shape) {
    const std::int64_t most = *n.constant() - (b == Boundary::reflect ? 1 : 0);
    w.emplace_back(g.n(0, static_cast<int>(std::min<std::int64_t>(highest, most))));
  }
  return w;
}

Generators map_generators() {
  return {
      {"map-fusion",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const Type a = g.element(), b = g.element(), c = g.element();
         const Expr xs = g.array(g.shape(d, 1, 3), a);
         return {map_n(d, g.fun(b, c), map_n(d, g.fun(a, b), xs)), {}, {}};
       }},
      {"at-of-map",
       [](Gen& g) -> Instance {
         const int n = g.n(1, 4);
         const Expr x = at({Nat(g.n(0, n - 1))}, g.array(n, f64));
         switch (g.n(0, 3)) {
           case 0:
             return {sqrt(abs(x)), {}, {}};  // not of an element itself
           case 1:
             return {abs(x), {}, {}};
           case 2:
             return {g.coin() ? x - at({Nat(1)}, g.array(3, f64)) : literal(g.real(), f64) * x, {}, {}};
           default:
             return {let(x, [](Expr v) { return v * v; }), {}, {}};
         }
       }},
      {"map-identity",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         return {map_n(
                     d, [](Expr x) { return x; }, g.array(g.shape(d, 1, 3), g.element())),
                 {},
                 {}};
       }},
      {"map-through-tuple",
       [](Gen& g) -> Instance {
         const int n = g.n(1, 5);
         const Type a = g.element(), b = g.element(), u = g.element(), v = g.element();
         return {map(g.fun(Type::tuple({u, v}), g.element()),
                     zip({map(g.fun(a, u), g.array(n, a)), map(g.fun(b, v), g.array(n, b))})),
                 {},
                 {}};
       }},
      {"interleave-of-maps",
       [](Gen& g) -> Instance {
         const Type a = g.element(), b = g.element(), c = g.element();
         const int n = g.n(1, 4);
         return {interleave({map(g.fun(a, c), g.array(n, a)), map(g.fun(b, c), g.array(n, b))}), {}, {}};
       }},
      {"interchange",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         return {map_each(g.fun(a, g.element()), g.array(g.shape(2), a)), {}, {}};
       }},
      {"map-of-interleave",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         const int n = g.n(1, 4);
         return {map(g.fun(a, g.element()), interleave({g.array(n, a), g.array(n, a)})), {}, {}};
       }},
      {"map-of-rows",
       [](Gen& g) -> Instance {
         const int rank = g.n(2, 3);
         const Type a = g.element(), b = g.element(), c = g.element();
         const auto shape = g.shape(rank);
         const std::vector<Nat> row(shape.begin() + 1, shape.end());
         const auto rows = [&](const Type& from, const Type& to) {
           const Expr f = g.fun(from, to);
           return map([&](Expr r) { return map_n(rank - 1, f, r); }, g.array(shape, from));
         };
         if (g.coin()) return {map_n(rank, g.fun(b, c), rows(a, b)), {}, {}};
         return {map_n(rank, g.fun(Type::tuple({b, a, c}), g.element()),
                       zip_n(rank, {rows(a, b), g.array(shape, a), rows(b, c)})),
                 {},
                 {}};
       }},
      {"map-rest",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         return {map(g.fun(a, g.element()), g.array(g.n(1, 6), a)), {std::to_string(g.n(0, 7))}, {}};
       }},
      {"map-of-concat",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         return {map(g.fun(a, g.element()), concat(g.array(g.n(1, 4), a), g.array(g.n(1, 4), a))), {}, {}};
       }},
  };
}

Generators split_generators() {
  return {
      {"split-join",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         const int k = g.n(1, 4);
         return {map(g.fun(a, g.element()), g.array(k * g.n(1, 4) + (g.n(0, 4) == 0), a)),
                 {std::to_string(k)},
                 {}};
       }},
      {"join-of-split",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const auto k = g.shape(d, 1, 3);
         auto n = g.shape(d, 1, 3);
         for (std::size_t i = 0; i < n.size(); ++i) n[i] = n[i] * k[i];
         return {join_n(d, split(k, g.array(n, g.element()))), {}, {}};
       }},
      {"split-of-join",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const auto outer = g.shape(d, 1, 4 - d / 2), inner = g.shape(d, 1, 4 - d / 2);
         auto all = outer, k = inner;
         all.insert(all.end(), inner.begin(), inner.end());
         if (g.n(0, 4) == 0) k[0] = outer[0];
         return {split(k, join_n(d, g.array(all, g.element()))), {}, {}};
       }},
      {"split-of-rows",
       [](Gen& g) -> Instance {
         const int k = g.n(1, 3), rows = g.n(1, 3), row = k * g.n(1, 3);
         const int each = g.n(0, 3) == 0 ? rows * row : k;
         return {split({Nat(each)}, join(g.array({Nat(rows), Nat(row)}, g.element()))), {}, {}};
       }},
      {"transpose-of-transpose",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         std::vector<int> p(static_cast<std::size_t>(d)), q(static_cast<std::size_t>(g.n(2, d)));
         std::iota(p.begin(), p.end(), 0);
         std::iota(q.begin(), q.end(), 0);
         for (auto* v : {&p, &q})
           for (std::size_t i = v->size(); i-- > 1;)
             std::swap((*v)[i], (*v)[static_cast<std::size_t>(g.n(0, static_cast<int>(i)))]);
         const Expr xs = g.array(g.shape(d, 1, 3), f64);
         return {g.coin() ? transpose(p, transpose(q, xs)) : transpose(q, transpose(p, xs)), {}, {}};
       }},
      {"split-of-map",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         const int k = g.n(1, 4);
         return {split({Nat(k)}, map(g.fun(a, g.element()), g.array(k * g.n(1, 4), a))), {}, {}};
       }},
      {"map-of-join",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         const int d = g.n(1, 3);
         return {map_n(d, g.fun(a, g.element()), join_n(d, g.array(g.shape(2 * d, 1, d < 3 ? 4 : 2), a))),
                 {},
                 {}};
       }},
      {"join-of-map",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         return {join(map_each(g.fun(a, g.element()), g.array(g.shape(2), a))), {}, {}};
       }},
      {"transpose-of-map",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         return {transpose(map_each(g.fun(a, g.element()), g.array(g.shape(2), a))), {}, {}};
       }},
      {"transpose-of-joined",
       [](Gen& g) -> Instance {
         const Type a = g.element();
         const Expr f = g.fun(a, g.element());
         const bool mapped = g.coin();
         return {transpose(map([&](Expr x) { return join(mapped ? map_n(2, f, x) : x); },
                               g.array(g.shape(3, 1, 3), a))),
                 {},
                 {}};
       }},
  };
}

}  // namespace lift::test
