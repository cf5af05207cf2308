// Instances of rules about scans and values with a name.
#include "ir/expr/attributes.hpp"
#include "tests/rewrite/instances.hpp"

#include "ir/expr/ops.hpp"

namespace lift::test {
namespace {

Expr scan_any(Gen& g, const Expr& f, const Expr& z, const Expr& xs) {
  return g.coin() ? scan(f, z, xs) : scan_back(f, z, xs);
}

/// (accumulator, element) -> accumulator, of a number or a pair.
Expr step(Gen& g, const Type& acc, const Type& element) {
  if (acc.is_scalar()) return g.fun2(acc, element);
  const Expr f = g.fun2(f64, element), h = g.fun2(f64, element);
  return fun({acc, element}, [&](Expr p, Expr x) {
    return tuple({apply(f, {get(1, p), x}), apply(h, {get(0, p), x})});
  });
}
Expr start(Gen& g, const Type& acc) {
  if (acc.is_scalar()) return literal(g.real(), f64);
  return tuple({literal(g.real(), f64), literal(g.real(), f64)});
}
Expr any_scan(Gen& g) {
  const Type t = g.element(), acc = scalar_or_pair(g);
  return scan_any(g, step(g, acc, t), start(g, acc), g.array(g.n(1, 6), t));
}
Instance of_columns(Gen& g, const std::function<Expr(const Expr& column)>& f) {
  const Expr columns = g.array({Nat(g.n(1, 4)), Nat(g.n(2, 4))}, f64);
  return {map([&](Expr x) { return f(x); }, columns), {}, {}};
}
Expr row_of(Gen& g, const Expr& column, const Type& out) {
  const Expr f = g.fun(f64, out);
  return map(f, column);
}
Expr low_scan(Gen& g) {
  const Expr e = any_scan(g);
  const Op low = e.is(Op::Scan) ? Op::ScanSeq : Op::ScanBackSeq;
  const Expr scan = make(low, {e.child(0), e.child(1), e.child(2)}, attributes::scan(low));
  return with_option(scan, LoopOption::Stored, g.n(0, 1));
}
/// Rows, each of the one before, and of neighbours there.
Expr low_scan_of_rows(Gen& g) {
  const Nat n = g.n(1, 5), m = g.n(3, 6);
  const std::int64_t before = g.n(0, 2), after = g.n(0, 2);
  const Boundary b = g.n(0, 4) ? Boundary::clamp : Boundary::wrap;
  const Expr line = fun({array({m}, f64), array({m}, f64)}, [&](Expr above, Expr row) {
    const Expr near = above | pad(before, after, b) | slide(before + after + 1, 1);
    const Expr sums = zip({near, row}) | map([&](Expr t) { return get(0, t)[after] + get(1, t); });
    if (g.coin()) return sums;
    const Expr f = fun({f64, f64}, [](Expr left, Expr x) { return left * 0.5 + x; });
    return g.n(0, 4) ? scan(f, literal(1, f64), sums) : scan_back(f, literal(1, f64), sums);
  });
  const Expr e = scan_any(g, line, g.array({m}, f64), g.array({n, m}, f64));
  const Op low = e.is(Op::Scan) ? Op::ScanSeq : Op::ScanBackSeq;
  return make(low, {e.child(0), e.child(1), e.child(2)}, attributes::scan(low));
}

}  // namespace

Generators scan_generators() {
  return {
      {"scan-back-as-scan",
       [](Gen& g) -> Instance {
         const Type t = g.element(), acc = scalar_or_pair(g);
         return {scan_back(step(g, acc, t), start(g, acc), g.array(g.n(1, 6), t)), {}, {}};
       }},
      {"scan-map",
       [](Gen& g) -> Instance {
         const Type t = g.element(), u = g.element(), acc = scalar_or_pair(g);
         return {
             scan_any(g, step(g, acc, u), start(g, acc), map(g.fun(t, u), g.array(g.n(1, 6), t))), {}, {}};
       }},
      {"map-of-scan",
       [](Gen& g) -> Instance {
         const Type acc = scalar_or_pair(g), t = g.coin() ? Type(f64) : g.element();
         const Expr f = step(g, acc, t), z = start(g, acc);
         const int kind = g.n(0, 3);
         return of_columns(g, [&](const Expr& x) {
           const Expr row = t == Type(f64) && kind == 0 ? x : row_of(g, x, t);
           return scan_any(g, f, kind == 1 && acc.is_scalar() ? Expr(x[0]) : z, row);
         });
       }},
      {"map-of-scans",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun2(f64, t), start = literal(g.real(), f64);
         const bool back = g.coin(), uses = g.n(0, 4) > 0;
         return of_columns(g, [&](const Expr& x) {
           const Expr step = fun({Type(f64), t}, [&](Expr acc, Expr e) {
             return uses ? apply(f, {acc, e}) + x[0] : apply(f, {acc, e});
           });
           return back ? scan_back(step, start, row_of(g, x, t)) : scan(step, start, row_of(g, x, t));
         });
       }},
      {"map-of-mapped",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun(t, g.element());
         return of_columns(g, [&](const Expr& x) { return map(f, row_of(g, x, t)); });
       }},
      {"map-of-maps",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun2(f64, t);
         const bool first = g.coin();
         return of_columns(g, [&](const Expr& x) {
           return map([&](Expr y) { return apply(f, {first ? Expr(x[0]) : x | sum(), y}); }, row_of(g, x, t));
         });
       }},
      {"map-of-transpose",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun(t, g.element());
         const auto shape = g.shape(3, 1, 3);
         const bool both = g.coin();
         return {
             map([&](Expr x) { return transpose(map_each(f, both ? transpose(x) : x)); }, g.array(shape, t)),
             {},
             {}};
       }},
      {"map-of-let",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const Expr f = g.fun(Type::tuple({f64, t}), g.element()), whole = g.fun(t, g.element());
         const bool uses = g.coin();
         return of_columns(g, [&](const Expr& x) {
           return let(row_of(g, x, t), [&](Expr v) { return uses ? map(f, zip({x, v})) : map(whole, v); });
         });
       }},
      {"map-of-zip",
       [](Gen& g) -> Instance {
         const Type t = g.element(), u = g.element();
         const bool three = g.coin();
         return of_columns(g, [&](const Expr& x) {
           return three ? zip({row_of(g, x, t), x, row_of(g, x, u)})
                        : zip({row_of(g, x, t), row_of(g, x, u)});
         });
       }},
      {"transpose-of-zip",
       [](Gen& g) -> Instance {
         const std::vector<Nat> s = g.shape(2);
         std::vector<Expr> parts{g.array(s, g.element()), g.array(s, g.element())};
         if (g.coin()) parts.push_back(g.array(s, g.element()));
         return {transpose(zip_n(2, parts)), {}, {}};
       }},
      {"scan-fission",
       [](Gen& g) -> Instance {
         // Of two or three values the first or the last, which may follow from itself alone.
         const bool back = g.coin(), reads = g.n(0, 5) == 0;
         const std::size_t values = g.n(0, 3) == 0 ? 3 : 2, own = g.coin() ? 0 : values - 1;
         const Expr f = g.fun(f64, f64), h = g.fun(f64, f64);
         // What differs from column to column: a start, or the factor of the value that would stand alone.
         const int differs = g.n(0, 7);
         Expr factor = literal(g.real(), f64);
         const auto step = [&](Expr before, Expr x) {
           const Expr alone = get(static_cast<int>(own), before);
           std::vector<Expr> all;
           for (std::size_t i = 0; i < values; ++i) {
             const Expr at = get(static_cast<int>(i), before);
             all.push_back(i == own ? apply(f, {at}) * (reads ? x : factor)
                                    : at * apply(h, {alone}) + x * alone);
           }
           return tuple(all);
         };
         const Type acc = Type::tuple(std::vector<Type>(values, f64));
         std::vector<Expr> starts;
         for (std::size_t i = 0; i < values; ++i) starts.push_back(literal(g.real(), f64));
         return of_columns(g, [&](const Expr& x) {
           if (differs == 0) factor = x[0];
           const Expr row = row_of(g, x, f64), s = fun({acc, Type(f64)}, step);
           std::vector<Expr> own_starts = starts;
           if (differs == 1 || differs == 2) own_starts[differs == 1 ? own : 1 - own / (values - 1)] = x[0];
           return back ? scan_back(s, tuple(own_starts), row) : scan(s, tuple(own_starts), row);
         });
       }},
      {"let-of-transpose",
       [](Gen& g) -> Instance {
         const Expr f = g.fun(f64, f64);
         return {let(transpose(map_each(f, g.array(g.shape(2), f64))),
                     [&](Expr v) {
                       return zip_n(2, {v, map_each(f, v)});
                     }),
                 {},
                 {}};
       }},
      {"let-exchange",
       [](Gen& g) -> Instance {
         const Type t = g.element(), u = g.element();
         const Expr f = g.fun(t, u), h = g.fun(t, g.element()), xs = g.array(g.n(1, 5), t);
         return {
             let(map(f, xs), [&](Expr v) { return let(map(h, xs), [&](Expr w) {
                                             return zip({v, w, v});
                                           }); }),
             {},
             {}};
       }},
      {"let-inline",
       [](Gen& g) -> Instance {
         const Type t = g.element(), u = g.element();
         const Expr f = g.fun(t, u), h = g.fun(u, g.element());
         return {let(map(f, g.array(g.n(1, 5), t)), [&](Expr v) { return zip({v, map(h, v)}); }), {}, {}};
       }},
      {"let-base",
       [](Gen& g) -> Instance {
         const Type t = g.element();
         const int n = g.n(2, 6);
         const auto part = [&](const Expr& u) {
           const int low = g.n(0, n - 1), high = g.n(0, n - 1 - low), to = g.n(0, low + high);
           const Expr block = u | drop(low, high);
           if (g.coin()) return update(u, {to}, block);
           return update(
               u, {to},
               map([&](Expr x) { return g.coin() ? at({g.n(0, n - 1)}, u) : apply(g.fun(t, t), {x}); },
                   block));
         };
         Expr e = part(part(g.array(n, t)));
         if (g.coin()) e = part(e);
         if (g.coin()) e = let(e, [&](Expr v) { return zip({v, map(g.fun(t, t), v)}); });
         return {e, {}, {}};
       }},
      {"scan-seq",
       [](Gen& g) -> Instance {
         return {g.n(0, 4) ? any_scan(g) : low_scan(g), {}, {}};
       }},
      {"scan-stored",
       [](Gen& g) -> Instance {
         return {g.n(0, 4) ? low_scan(g) : any_scan(g), {}, {}};
       }},
      {"scan-prefetch",
       [](Gen& g) -> Instance {
         return {g.n(0, 4) ? low_scan(g) : any_scan(g), {std::to_string(g.n(0, 5))}, {}};
       }},
      {"rows-abreast",
       [](Gen& g) -> Instance {
         return {g.n(0, 6) ? low_scan_of_rows(g) : any_scan(g),
                 {std::to_string(g.n(0, 5)), std::to_string(g.n(0, 4))},
                 {}};
       }},
      {"rows-in-turns",
       [](Gen& g) -> Instance {
         Expr e = low_scan_of_rows(g);
         if (g.n(0, 4))
           e = with_option(with_option(e, LoopOption::Rows, g.n(1, 5)), LoopOption::Columns, g.n(3, 5));
         return {e, {std::to_string(g.n(2, 6))}, {}};
       }},
      {"scan-unroll",
       [](Gen& g) -> Instance {
         return {low_scan(g), {std::to_string(g.n(1, 5))}, {}};
       }},
  };
}

}  // namespace lift::test
