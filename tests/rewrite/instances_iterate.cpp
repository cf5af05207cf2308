// Instances of rules about iterations and stages.
#include "tests/rewrite/instances.hpp"

#include "ir/expr/ops.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift::test {
namespace {

/// Stages of which some read others around a period.
Expr periodic_chain(Gen& g, int rank) {
  std::vector<Nat> shape;
  for (int d = 0; d < rank; ++d) shape.emplace_back(g.n(2, rank < 3 ? 5 : 3));
  const Expr u = g.array(shape, f64), v = g.array(shape, f64);
  // Windows of any width around each element, by pads of any widths that are periodic.
  const auto windows = [&](const Expr& x) {
    std::vector<Nat> low, high, size;
    for (int d = 0; d < rank; ++d) {
      const int l = g.n(0, 2), h = g.n(0, 2);
      low.emplace_back(l), high.emplace_back(h), size.emplace_back(l + h + 1);
    }
    return slide(size, std::vector<Nat>(static_cast<std::size_t>(rank), 1), pad(low, high, wrap, x));
  };
  const auto first = [&](const Expr& w) {
    return at(std::vector<Nat>(static_cast<std::size_t>(rank), 0), w);
  };
  const auto last = [&](const Expr& w) {
    std::vector<Nat> p = shape_of(w.type());
    for (Nat& x : p) x = x - 1;
    return at(p, w);
  };
  const auto step = [&](const Expr& x) {
    return map_n(
        rank, [&](Expr w) { return 0.5 * first(w) - last(w); }, windows(x));
  };
  const auto pairs = [&](const Expr& x, const Expr& y) {
    return map_n(
        rank,
        [&](Expr p) {
          return tuple({first(get(0, p)) + last(get(1, p)), last(get(0, p))});
        },
        zip_n(rank, {windows(x), windows(y)}));
  };
  const auto add = [&](const Expr& x, const Expr& y) {
    return map_n(
        rank, [](Expr p) { return get(0, p) + get(1, p); }, zip_n(rank, {x, y}));
  };
  switch (g.n(0, 7)) {
    case 6:  // of which planes are cut off: another period
      return let(step(u), [&](Expr a) {
        std::vector<Nat> low(static_cast<std::size_t>(rank), 0), high = low;
        (g.coin() ? low : high)[static_cast<std::size_t>(g.n(0, rank - 1))] = 1;
        return let(step(a), [&](Expr b) { return step(drop(low, high, b)); });
      });
    case 7:  // by maps of rank 1, within which the other axes are
      return let(step(u), [&](Expr a) {
        const Expr rows = map([&](Expr r) { return rank == 1 ? r * 2.0 : reverse(r); }, a);
        return let(rows, [&](Expr b) { return step(b); });
      });
    case 0:
      return let(step(u), [&](Expr a) { return let(step(a), [&](Expr b) { return step(b); }); });
    case 1:  // read at two distances; whole, by what is no window
      return let(step(u), [&](Expr a) {
        return let(step(step(a)), [&](Expr b) { return add(step(b), g.coin() ? a : add(reverse(a), v)); });
      });
    case 4:  // more windows than planes: another period
      return let(step(u), [&](Expr a) {
        const Expr longer = slide_n(rank, 2, 1)(pad_n(rank, 1, 1, wrap)(a));
        return let(map_n(
                       rank, [&](Expr w) { return first(w) - 2.0 * last(w); }, longer),
                   [&](Expr b) { return step(b); });
      });
    case 3:  // a function that knows a stage
      return let(step(u), [&](Expr a) {
        return let(map_n(
                       rank, [&](Expr x) { return x * first(a) - last(a); }, step(a)),
                   [&](Expr b) { return step(b); });
      });
    case 2:
      return let(pairs(u, v), [&](Expr a) {
        const Expr x = unzip_n(rank, a);
        return let(pairs(get(0, x), get(1, x)), [&](Expr b) {
          const Expr y = unzip_n(rank, b);
          return tuple({step(get(1, y)), add(get(0, y), v)});
        });
      });
    default:  // a result is read again
      return let(step(u), [&](Expr a) { return tuple({a, add(step(a), v)}); });
  }
}

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
      {"scan-iterate",
       [](Gen& g) -> Instance {
         const int rows = g.n(1, 5), columns = g.n(1, 4);
         const Expr xs = g.array({Nat(rows), Nat(columns)}, f64), f = g.fun(f64, f64);
         const bool back = g.coin();
         const auto step = fun({array({Nat(columns)}, f64), array({Nat(columns)}, f64)}, [&](Expr x, Expr r) {
           return zip({x | pad(1, 0, wrap) | drop(0, 1), r}) |
                  map([&](Expr v) { return apply(f, {get(0, v)}) * 0.5 - get(1, v); });
         });
         const Expr start = g.array(columns, f64);
         const Expr all = back ? scan_back(step, start, xs) : scan(step, start, xs);
         if (g.coin()) return {at({Nat(back ? 0 : rows - 1)}, all), {}, {}};
         return {back ? all | drop(0, rows - 1) | join() : all | drop(rows - 1, 0) | join(), {}, {}};
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
      {"let-of-unzip",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(1, 5), f64);
         const Expr f = g.fun(f64, f64), h = g.fun(f64, f64);
         const Expr pairs = map([&](Expr v) { return tuple({apply(f, {v}), apply(h, {v}) * v}); }, xs);
         return {let(unzip(pairs),
                     [&](Expr p) {
                       return g.coin() ? zip({get(1, p), map(f, get(0, p))}) : p;
                     }),
                 {},
                 {}};
       }},
      {"unzip-of-let",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(1, 5), f64);
         const Expr f = g.fun(f64, f64), h = g.fun(f64, f64);
         return {unzip(let(map(f, xs), [&](Expr y) { return zip({map(h, y), g.coin() ? y : xs}); })), {}, {}};
       }},
      {"wrap-once",
       [](Gen& g) -> Instance {
         return {periodic_chain(g, g.n(1, 2)), {}, {}};
       }},
      {"wrap-once-along",
       [](Gen& g) -> Instance {
         const int rank = g.n(2, 3);
         const Expr chain = periodic_chain(g, rank);
         const auto outermost = g.coin() ? apply(find_rule("wrap-once"), {chain, {}}) : Result<Expr>(chain);
         return {outermost ? *outermost : chain, {g.n(1, rank - 1)}, {}};
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
      {"lets-outside",
       [](Gen& g) -> Instance {
         const int n = g.n(33, 36);  // more than a few numbers
         const Expr xs = g.array(n, f64), ys = g.array(n, f64);
         const Expr f = g.fun(f64, f64), h = g.fun(f64, f64);
         const auto named = [&](const Expr& of) {
           return let(map(f, of), [&](Expr y) {
             return zip({y, map(h, y)}) | map([](Expr v) { return get(0, v) - get(1, v); });
           });
         };
         const auto sum = [](Expr v) { return get(0, v) + get(1, v); };
         if (g.coin()) return {map(sum, zip({named(xs), ys})), {}, {}};
         if (g.coin()) return {map(sum, zip({xs, named(named(ys))})), {}, {}};
         return {let(named(xs), [&](Expr a) { return map(sum, zip({named(a), named(ys)})); }), {}, {}};
       }},
      {"component-views",
       [](Gen& g) -> Instance {
         const int rank = g.n(1, 2);
         const auto shape = g.shape(rank);
         const Type inner = Type::tuple({f64, i32}), t = Type::tuple({inner, f64});
         const Expr xs = g.array(shape, t);
         const auto taken = [&](const Expr& of, bool deep) {
           return map_n(
               rank, [&](Expr x) { return deep ? get(0, get(0, x)) : get(1, x); }, of);
         };
         if (g.coin()) return {taken(xs, g.coin()), {}, {}};
         return {let(map_n(rank, g.fun(t, t), xs),
                     [&](Expr y) {
                       return let(taken(y, true), [&](Expr a) {
                         return map_n(rank, g.fun(Type::tuple({f64, f64}), f64),
                                      zip_n(rank, {a, taken(y, false)}));
                       });
                     }),
                 {},
                 {}};
       }},
      {"shared-stages",
       [](Gen& g) -> Instance {
         const int n = g.n(33, 36);  // more than a few numbers
         const Expr xs = g.array(n, f64), ys = g.array(n, f64);
         const Expr f = g.fun(Type::tuple({f64, f64}), f64);
         const auto add = fun({f64, f64}, [](Expr a, Expr x) { return a + x; });
         const auto sum = [&](const Expr& of) { return reduce(add, literal(0.0, f64), of); };
         const Expr long_one =
             scan(fun({f64, f64}, [](Expr a, Expr x) { return a * 0.5 + x; }), literal(0.0, f64), xs);
         switch (g.n(0, 3)) {
           case 0:
             return {map(f, zip({long_one, reverse(long_one)})), {}, {}};
           case 1:
             return {map([&](Expr y) { return y - sum(xs); }, ys), {}, {}};
           case 2:
             return {
                 map([&](Expr y) { return sum(map([&](Expr x) { return x * y; }, long_one)); }, ys), {}, {}};
           default:
             return {let(map(f, zip({xs, ys})),
                         [&](Expr a) { return map([&](Expr y) { return y * sum(a) + sum(ys); }, a); }),
                     {},
                     {}};
         }
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
         const int kind = g.n(0, 8);
         const int low = g.coin() ? 1 : 0;
         return {let(map_n(d, g.fun(t, u), xs),
                     [&](Expr p) {
                       if (kind == 0) return map_n(d, g.fun(u, f64), p);
                       if (kind == 6) {  // what a drop leaves
                         const auto left = [&](const Expr& x) { return x | drop_n(d, low, 0); };
                         return map_n(d, g.fun(Type::tuple({u, v}), f64), zip_n(d, {left(p), left(ys)}));
                       }
                       if (kind == 7)  // by a stage that comes later
                         return let(map_n(d, g.fun(v, f64), ys), [&](Expr q) {
                           return let(map_n(d, g.fun(Type::tuple({f64, u}), f64), zip_n(d, {q, p})),
                                      [&](Expr r) {
                                        return zip_n(d, {q, r});
                                      });
                         });
                       if (kind == 8)  // beside another result
                         return tuple({ys, map_n(d, g.fun(u, f64), p) | drop_n(d, low, 0)});
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
