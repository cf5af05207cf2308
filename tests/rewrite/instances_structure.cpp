// Instances of rules about drop, pad, zip, windows and rank.
#include "tests/rewrite/instances.hpp"

#include "ir/expr/ops.hpp"

namespace lift::test {
namespace {

/// An array large enough to lose `low` and `high`.
Expr droppable(Gen& g, const std::vector<Nat>& low, const std::vector<Nat>& high, const Type& element) {
  std::vector<Nat> n;
  for (std::size_t d = 0; d < low.size(); ++d) n.push_back(low[d] + high[d] + g.n(1, 2));
  return g.array(n, element);
}

Instance dropped_pad(Gen& g, bool more) {
  const int d = g.n(1, 3);
  const int kind = g.n(0, 6);
  const bool valued = kind >= 5;
  const Boundary b = kind == 0 || kind == 5 ? Boundary::odd
                     : kind == 6            ? Boundary::constant
                     : kind == 1            ? Boundary::undefined
                                            : choosing(g);
  const auto n = g.shape(d, 2, 4), l = widths(g, n, 2, b), r = widths(g, n, 2, b);
  std::vector<Nat> a, c;
  for (std::size_t i = 0; i < n.size(); ++i) {
    a.emplace_back(more ? l[i] + (g.n(0, 1)) : Nat(g.n(0, static_cast<int>(*l[i].constant()))));
    c.emplace_back(more ? r[i] + (g.n(0, 1)) : Nat(g.n(0, static_cast<int>(*r[i].constant()))));
  }
  if (g.n(0, 5) == 0) std::swap(a, c);
  const Expr xs = g.array(n, kind == 0 || valued ? Type(f64) : g.element());
  return {drop(a, c, valued ? pad(l, r, b, xs, literal(1.5, f64)) : pad(l, r, b, xs)), {}, {}};
}

}  // namespace

Generators drop_and_pad_generators() {
  return {
      {"copy-base",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Type t = g.element();
         const auto low = g.shape(d, 0, 2), high = g.shape(d, 0, 2);
         const Expr base = droppable(g, low, high, t);
         const Expr block = map_n(d, g.fun(t, t), drop(low, high, base));
         return {update(g.n(0, 9) == 0 ? map_n(d, g.fun(t, t), base) : base, low, block), {}, {}};
       }},
      {"drop-of-drop",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const auto a = g.shape(d, 0, 2), b = g.shape(d, 0, 2), l = g.shape(d, 0, 2), r = g.shape(d, 0, 2);
         std::vector<Nat> low, high;
         for (std::size_t i = 0; i < a.size(); ++i) low.push_back(a[i] + l[i]), high.push_back(b[i] + r[i]);
         return {drop(a, b, drop(l, r, droppable(g, low, high, f64))), {}, {}};
       }},
      {"drop-of-map",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const Type t = g.element();
         const auto l = g.shape(d, 0, 2), r = g.shape(d, 0, 2);
         const Expr xs = droppable(g, l, r, t);
         return {drop(l, r, map_n(d, g.fun(t, g.element()), xs)), {}, {}};
       }},
      {"map-of-drop",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const Type t = g.element();
         const auto l = g.shape(d, 0, 2), r = g.shape(d, 0, 2);
         const Expr xs = droppable(g, l, r, t);
         return {map_n(d, g.fun(t, g.element()), drop(l, r, xs)), {}, {}};
       }},
      {"drop-of-zip",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const auto l = g.shape(d, 0, 2), r = g.shape(d, 0, 2);
         const Expr xs = droppable(g, l, r, g.element());
         return {drop(l, r, zip_n(d, {xs, g.array(shape_of(xs.type(), d), g.element())})), {}, {}};
       }},
      {"drop-of-pad", [](Gen& g) { return dropped_pad(g, false); }},
      {"drop-past-pad", [](Gen& g) { return dropped_pad(g, true); }},
      {"pad-of-map",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Type t = g.element();
         const auto n = g.shape(d, 1, 3);
         const Boundary b = choosing(g);
         return {
             pad(widths(g, n, 2, b), widths(g, n, 2, b), b, map_n(d, g.fun(t, g.element()), g.array(n, t))),
             {},
             {}};
       }},
      {"pad-of-zip",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const auto n = g.shape(d, 1, 3);
         const Boundary b = choosing(g);
         return {pad(widths(g, n, 2, b), widths(g, n, 2, b), b,
                     zip_n(d, {g.array(n, g.element()), g.array(n, g.element())})),
                 {},
                 {}};
       }},
      {"get-of-pad",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const auto n = g.shape(d, 1, 3);
         const Boundary b = choosing(g);
         return {first_of(d, pad(widths(g, n, 2, b), widths(g, n, 2, b), b,
                                 zip_n(d, {g.array(n, g.element()), g.array(n, g.element())}))),
                 {},
                 {}};
       }},
      {"get-of-zip",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const auto n = g.shape(d, 1, 3);
         return {first_of(d, zip_n(d, {g.array(n, g.element()), g.array(n, g.element())})), {}, {}};
       }},
      {"unzip-of-zip",
       [](Gen& g) -> Instance {
         const auto n = g.shape(1);
         return {unzip(zip({g.array(n, g.element()), g.array(n, g.element())})), {}, {}};
       }},
      {"zip-of-maps",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const auto n = g.shape(d, 1, 3);
         const Type t = g.element();
         return {zip_n(d, {map_n(d, g.fun(t, g.element()), g.array(n, t)), g.array(n, g.element())}), {}, {}};
       }},
  };
}

namespace {

/// Sizes, steps and the lengths that hold 1 to 3 windows a dimension.
struct Windows {
  std::vector<Nat> n, s, length;
  Windows(Gen& g, int rank) : n(g.shape(rank, 1, 3)), s(g.shape(rank, 1, 3)) {
    for (std::size_t d = 0; d < n.size(); ++d) length.push_back(n[d] + s[d] * (g.n(0, 2)));
  }
};

}  // namespace

Generators slide_generators() {
  return {
      {"slide-tiling",
       [](Gen& g) -> Instance {
         const int n = g.n(1, 4), s = g.n(1, 3), t = g.n(1, 3), tiles = g.n(1, 3),
                   count = t * tiles + (g.n(0, 4) == 0);
         return {slide({Nat(n)}, {Nat(s)}, g.array((count - 1) * s + n, g.element())),
                 {std::to_string(t * s)},
                 {}};
       }},
      {"slide-of-slides",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3), most = d < 3 ? 3 : 2;
         std::vector<Nat> n, s, u, v, whole;
         for (int i = 0; i < d; ++i) {
           const int a = g.n(1, most), b = g.n(1, most), c = g.n(1, most), e = g.n(1, most),
                     outer = g.n(1, most), inner = (outer - 1) * e + c;
           n.emplace_back(a), s.emplace_back(b), u.emplace_back(c), v.emplace_back(e),
               whole.emplace_back((inner - 1) * b + a);
         }
         const Type t = scalar_or_pair(g);
         return {
             slide(u, v, map_n(d, g.fun(array(n, t), g.element()), slide(n, s, g.array(whole, t)))), {}, {}};
       }},
      {"split-of-slide",
       [](Gen& g) -> Instance {
         const int n = g.n(1, 4), s = g.n(1, 3), u = g.n(1, 3), count = u * g.n(1, 3);
         return {
             split({Nat(u)}, slide({Nat(n)}, {Nat(s)}, g.array((count - 1) * s + n, g.element()))), {}, {}};
       }},
      {"slide-of-map",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Windows w(g, d);
         const Type t = scalar_or_pair(g);
         return {slide(w.n, w.s, map_n(d, g.fun(t, f64), g.array(w.length, t))), {}, {}};
       }},
      {"slide-of-zip",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Windows w(g, d);
         return {slide(w.n, w.s, zip_n(d, {g.array(w.length, f64), g.array(w.length, f64)})), {}, {}};
       }},
      {"slide-of-get",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Windows w(g, d);
         return {slide(w.n, w.s, first_of(d, zip_n(d, {g.array(w.length, f64), g.array(w.length, f64)}))),
                 {},
                 {}};
       }},
      {"split-is-slide",
       [](Gen& g) -> Instance {
         const int k = g.n(1, 4);
         return {split({Nat(k)}, g.array(k * g.n(1, 4), g.element())), {}, {}};
       }},
      {"slide-is-split",
       [](Gen& g) -> Instance {
         const int k = g.n(1, 4);
         return {slide({Nat(k)}, {Nat(g.n(0, 4) ? k : k + 1)}, g.array(k * 1, g.element())), {}, {}};
       }},
      {"join-of-slide",
       [](Gen& g) -> Instance {
         return {join(slide({Nat(1)}, {Nat(1)}, g.array(g.n(1, 6), g.element()))), {}, {}};
       }},
  };
}

Generators rank_generators() {
  return {
      {"map-nest",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         const Type t = g.element();
         return {map_n(d, g.fun(t, g.element()), g.array(g.shape(d, 1, 3), t)), {}, {}};
       }},
      {"map-flatten",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         const Type t = g.element();
         const Expr f = g.fun(t, g.element());
         return {map([&](Expr x) { return map_n(d - 1, f, x); }, g.array(g.shape(d, 1, 3), t)), {}, {}};
       }},
      {"drop-nest",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         const auto l = g.shape(d, 0, 1), r = g.shape(d, 0, 1);
         return {drop(l, r, droppable(g, l, r, g.element())), {}, {}};
       }},
      {"slide-nest",
       [](Gen& g) -> Instance {
         const Windows w(g, g.n(2, 4));
         return {slide(w.n, w.s, g.array(w.length, f64)), {}, {}};
       }},
      {"split-nest",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         const auto k = g.shape(d, 1, 3);
         auto n = g.shape(d, 1, 3);
         for (std::size_t i = 0; i < n.size(); ++i) n[i] = n[i] * k[i];
         return {split(k, g.array(n, f64)), {}, {}};
       }},
      {"join-nest",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         return {join_n(d, g.array(g.shape(2 * d, 1, d < 4 ? 3 : 2), f64)), {}, {}};
       }},
      {"reverse-nest",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         return {reverse_n(d, g.array(g.shape(d, 1, 3), g.element())), {}, {}};
       }},
      {"reverse-of-reverse",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         return {reverse_n(d, reverse_n(d, g.array(g.shape(d, 1, 3), g.element()))), {}, {}};
       }},
      {"reverse-of-map",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Type t = g.element();
         return {reverse_n(d, map_n(d, g.fun(t, g.element()), g.array(g.shape(d, 1, 3), t))), {}, {}};
       }},
      {"map-of-reverse",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const Type t = g.element();
         return {map_n(d, g.fun(t, g.element()), reverse_n(d, g.array(g.shape(d, 1, 3), t))), {}, {}};
       }},
      {"reverse-of-zip",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const auto n = g.shape(d, 1, 3);
         return {reverse_n(d, zip_n(d, {g.array(n, g.element()), g.array(n, g.element())})), {}, {}};
       }},
      {"reverse-of-join",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 2);
         return {reverse_n(d, join_n(d, g.array(g.shape(2 * d, 1, 3), g.element()))), {}, {}};
       }},
      {"zip-nest",
       [](Gen& g) -> Instance {
         const int d = g.n(2, 4);
         const auto n = g.shape(d, 1, 3);
         return {zip_n(d, {g.array(n, g.element()), g.array(n, g.element())}), {}, {}};
       }},
      {"pad-nest",
       [](Gen& g) -> Instance {
         const auto n = g.shape(g.n(2, 3), 1, 3);
         const Boundary b = g.n(0, 3) ? choosing(g) : Boundary::undefined;
         return {pad(widths(g, n, 2, b), widths(g, n, 2, b), b, g.array(n, g.element())), {}, {}};
       }},
      {"tile",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 4);
         const Type t = g.element();
         const auto n = g.shape(d, 1, 5);
         Arguments k;
         for (const Nat& length : n)
           k.push_back(std::to_string(g.n(g.n(0, 5) ? 1 : 0, static_cast<int>(*length.constant()))));
         return {map_n(d, g.fun(t, g.element()), g.array(n, t)), k, {}};
       }},
  };
}

}  // namespace lift::test
