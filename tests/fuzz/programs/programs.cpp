// Whole programs: any expression, and those of the kinds that rewriting knows.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/view.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {
namespace {

constexpr std::int64_t kElements = 1500;  ///< of an argument: the interpreter is slow

}  // namespace

/// let x = e in f(x)
Expr Generator::named(const Type& t, const Scope& scope, int fuel) {
  const Type of = chance(70)   ? Type::array(t.length(), element_type())
                  : chance(50) ? Type(scalar_type())
                               : array(shape(number(1, 2)), scalar_type());
  return let(grown(of, scope, fuel), [&](Expr x) {
    Scope inner = scope;
    inner.push_back(x);
    return array_value(t, inner, fuel);
  });
}

Expr Generator::anything() {
  const auto result = [&](int fuel) {
    const int k = number(0, 9);
    if (k == 0) return grown(Type(scalar_type()), {}, fuel);
    if (k == 1) return grown(array(shape(1), Type::tuple({scalar_type(), scalar_type()})), {}, fuel);
    return grown(array(shape(number(1, 3)), scalar_type()), {}, fuel);
  };
  if (chance(60)) return result(number(2, 6));
  std::vector<Expr> parts;
  for (int n = number(2, 3); n > 0; --n) parts.push_back(result(number(1, 4)));
  return tuple(parts);
}

/// An array that is overwritten: red-black or not, in place or not.
Expr Generator::sweep() {
  const int rank = number(1, 3), ghost = number(0, 2);
  const Scalar s = scalar_type();
  std::vector<Nat> inner = shape(rank), whole = inner;
  for (Nat& n : whole) n = n + 2 * ghost;
  const Expr phi = argument(array(whole, s));
  overwritable_.push_back(param_name(phi));
  const std::vector<Nat> low(static_cast<std::size_t>(rank), Nat(ghost)), ones(low.size(), Nat(1));
  const std::vector<Nat> size(low.size(), Nat(2 * ghost + 1));
  std::vector<Expr> all{slide(size, ones, phi), positions(inner)};
  for (int n = number(0, 2); n > 0; --n) all.push_back(grown(array(inner, scalar_type()), {}, number(0, 2)));
  const int fuel = number(1, 4), colors = number(0, 2);
  const Expr color = index_param("color", 0, 1);
  const auto cell = [&](Expr x) -> Expr {
    const Expr window = get(0, x), at = get(1, x);
    Scope scope;
    for (std::size_t i = 2; i < all.size(); ++i) scope.push_back(get(static_cast<int>(i), x));
    const Expr centre = lift::at(low, window);
    scope.push_back(colors == 2 ? centre : window);
    const Expr value = grown(Type(s), scope, fuel);
    if (colors == 2) return value;
    Expr sum;
    for (int d = 0; d < rank; ++d) sum = sum ? sum + get(d, at) : get(d, at);
    const Expr parity = colors == 1 ? sum + color : sum;
    return select(eq(parity % 2, number(0, 1)), value, centre);
  };
  if (colors == 1) arguments_.push_back(color);
  if (chance(20)) {  // several sweeps
    const auto once = [&](Expr x) {
      const Expr block = map_n(rank, cell, zip_n(rank, [&] {
                                 std::vector<Expr> now = all;
                                 now[0] = slide(size, ones, x);
                                 return now;
                               }()));
      return update(x, low,
                    map_n(
                        rank, [&](Expr v) { return bounded(v); }, block));
    };
    return iterate(Nat(number(1, 3)), fun(phi.type(), once), phi);
  }
  const Expr next = update(phi, low, map_n(rank, cell, zip_n(rank, all)));
  if (chance(25)) return tuple({next, grown(array(shape(1), scalar_type()), {}, 2)});
  return next;
}

Expr Generator::reduction() {
  const int rank = number(1, 3);
  const Scalar s = scalar_type();
  Expr xs = grown(array(shape(rank), s), {}, number(1, 4));
  for (int d = 1; d < rank; ++d) xs = join(xs);
  const auto f = [&](Expr acc, Expr x) -> Expr {
    if (s == boolean) return acc || x;
    const int k = number(0, 2);
    return k == 0 ? min(acc, x) : k == 1 ? max(acc, x) : acc + (is_integer(s) ? bounded(x) : x);
  };
  const Expr r = reduce(fun({Type(promoted(s)), Type(s)}, f), literal(0, promoted(s)), xs);
  if (chance(25)) return tuple({r, grown(Type(scalar_type()), {}, 2)});
  return r;
}

/// Scans along columns, one after the other.
Expr Generator::columns() {
  const Scalar s = chance(80) ? (chance(60) ? f64 : f32) : chance(60) ? i32 : i64;
  const std::vector<Nat> all = shape(2);
  std::vector<Expr> arrays{grown(array(all, s), {}, 1)};
  for (int n = number(0, 2); n > 0; --n) arrays.push_back(grown(array(all, scalar_type()), {}, 1));
  const bool twice = chance(50), pairs = chance(30);
  const int fuel = number(1, 3);
  const Type u = pairs ? Type::tuple({s, s}) : Type(s);
  const auto scanned_from = [&](const Expr& xs, const Type& of, bool back) {
    const auto f = [&](Expr acc, Expr x) -> Expr {
      if (of.is_scalar()) return bounded(grown(of, {x, acc}, fuel));
      return tuple({bounded(grown(Type(s), {x, acc}, fuel)), bounded(grown(Type(s), {x, acc}, fuel))});
    };
    const Expr init = of.is_scalar() ? literal_of(s) : tuple({literal_of(s), literal_of(s)});
    const Expr function = fun({of, xs.type().element()}, f);
    return back ? scan_back(function, init, xs) : scan(function, init, xs);
  };
  const auto column = [&](Expr x) -> Expr {
    Expr xs = x;
    if (arrays.size() > 1) {
      std::vector<Expr> parts;
      for (std::size_t i = 0; i < arrays.size(); ++i) parts.push_back(get(static_cast<int>(i), x));
      xs = zip(parts);
    }
    const Expr first = scanned_from(xs, u, chance(30));
    if (!twice)
      return pairs && chance(50) ? first : map([&](Expr e) { return grown(Type(s), {e}, 1); }, first);
    return let(first, [&](Expr kept) { return scanned_from(kept, Type(s), chance(70)); });
  };
  if (arrays.size() == 1) return map(column, arrays[0]);
  return map(column, zip(arrays));
}

/// Cells each of which reduces many elements: of a row, of a column, of a large window.
Expr Generator::folds() {
  const Scalar s = chance(80) ? (chance(60) ? f64 : f32) : chance(60) ? i32 : i64;
  const Nat cells = extent(0), elements = chance(70) ? Nat(number(33, 70)) : sizes_[0];
  const bool columns = chance(50), rows_of_result = chance(25), twice = chance(30);
  const int fuel = number(0, 2), kind = number(0, 3);
  const auto reduced_by = [&](const Expr& xs, const Expr& more) {
    const auto f = [&](Expr acc, Expr x) -> Expr {
      const Expr e = static_cast<bool>(more) ? bounded(x * more) : is_integer(s) ? bounded(x) : x;
      return kind == 0 ? max(acc, e) : kind == 1 ? bounded(acc - e) : acc + e;
    };
    return reduce(fun({Type(s), Type(s)}, f), literal(kind == 1 ? 1 : 0, s), xs);
  };
  const auto cell = [&](const Expr& row, const Expr& weights) -> Expr {
    const Expr xs = static_cast<bool>(weights)
                        ? map([&](Expr p) { return bounded(get(0, p) * get(1, p)); }, zip({row, weights}))
                        : map([&](Expr x) { return bounded(grown(Type(s), {x}, fuel)); }, row);
    const auto with = [&](Expr sum) -> Expr {
      if (rows_of_result) return map([&](Expr x) { return bounded(grown(Type(s), {x, sum}, fuel)); }, row);
      return chance(50) ? sum : bounded(grown(Type(s), {sum}, 1));
    };
    const Expr sum = reduced_by(xs, {});
    if (!twice) return chance(50) ? let(sum, with) : with(sum);
    return let(sum, [&](Expr first) { return let(reduced_by(row, chance(50) ? first : Expr()), with); });
  };
  if (chance(25)) {  // windows
    const bool plane = chance(50);
    const std::vector<Nat> size = plane ? std::vector<Nat>{Nat(number(5, 7)), Nat(7)}
                                        : std::vector<Nat>{elements},
                           ones(size.size(), Nat(1));
    std::vector<Nat> all;
    for (const Nat& n : size) all.push_back(n + cells - 1);
    return map_n(
        static_cast<int>(size.size()), [&](Expr w) { return reduced_by(plane ? join(w) : w, {}); },
        slide(size, ones, grown(array(all, s), {}, 1)));
  }
  const Expr weights = chance(50) ? argument(array({elements}, s)) : Expr();
  const Expr xs = columns ? transpose(grown(array({elements, cells}, s), {}, 1))
                          : grown(array({cells, elements}, s), {}, 1);
  const Expr result = map([&](Expr row) { return cell(row, weights); }, xs);
  return columns && rows_of_result && chance(70) ? transpose(result) : result;
}

/// Named arrays, each made from those before.
Expr Generator::stages() {
  const int rank = number(1, 3);
  const std::vector<Nat> all = shape(rank);
  const std::function<Expr(Scope, int)> rest = [&](Scope scope, int left) -> Expr {
    if (left == 0) {
      const Expr last = array_value(array(all, scalar_type()), scope, 2);
      if (chance(30)) return tuple({last, array_value(array(all, scalar_type()), scope, 1)});
      return last;
    }
    const Type t = array(all, chance(90) ? Type(scalar_type()) : element_type());
    return let(windows(t, scope, number(1, 2)), [&](Expr x) {
      Scope inner = scope;
      inner.push_back(x);
      return rest(inner, left - 1);
    });
  };
  return rest({}, number(1, 3));
}

/// Steps of arrays or pairs of arrays, few or many: stencils with borders of any kind, updates of a block and
/// then of its border, stages with names; of an array that may be overwritten, or of a computed one.
Expr Generator::iteration() {
  const int rank = number(1, 3);
  const Scalar s = scalar_type();
  const std::vector<Nat> all = shape(rank);
  const Type t = array(all, s);
  const auto each = [&](const Expr& x) {
    return map_n(
        rank, [&](Expr v) { return bounded(v); }, x);
  };
  const auto stencil = [&](const Scope& scope) { return each(windows(t, scope, number(1, 2))); };
  const auto inner = [&](const Expr& x, const Scope& scope) {
    std::vector<Nat> low, size(static_cast<std::size_t>(rank), Nat(1));
    for (const Nat& n : all) low.emplace_back(proves_at_least(n, 3) ? 1 : 0);
    for (std::size_t d = 0; d < low.size(); ++d) size[d] = 2 * low[d] + 1;
    const std::vector<Nat> ones(low.size(), Nat(1));
    const Expr block = map_n(
        rank,
        [&](Expr w) {
          Scope now = scope;
          now.push_back(w);
          return bounded(grown(Type(s), now, 2));
        },
        slide(size, ones, x));
    return update(x, low, block);
  };
  /// A row or a column becomes another one.
  const auto border = [&](const Expr& x) -> Expr {
    const auto d = static_cast<std::size_t>(number(0, rank - 1));
    if (!proves_at_least(all[d], 3)) return x;
    std::vector<Nat> low(all.size(), Nat(0)), high = low, to = low;
    const bool first = chance(50);
    low[d] = first ? Nat(1) : all[d] - 2, high[d] = first ? all[d] - 2 : Nat(1),
    to[d] = first ? Nat(0) : all[d] - 1;
    return update(x, to, drop(low, high, x));
  };
  const Expr steps = index_param("steps", 0, 6);
  const bool counted = chance(25);  // when the kernel runs
  const Nat times = counted ? index_variable(steps) : Nat(chance(60) ? number(1, 4) : number(5, 40));
  const bool numbered = chance(30);
  Expr start = argument(t);
  if (!static_cast<bool>(start)) return anything();
  if (chance(50)) overwritable_.push_back(param_name(start));
  if (chance(25)) start = stencil({start});
  const int kind = number(0, counted ? 3 : 4);
  if (kind == 4) {
    const Type pair = Type::tuple({t, t});
    const Expr other = argument(t);
    const bool levels = chance(50);
    return iterate(
        times,
        fun(pair,
            [&](Expr x) {
              const Expr a = get(0, x), b = get(1, x);
              return levels ? tuple({b, stencil({a, b})}) : tuple({stencil({a, b}), stencil({b, a})});
            }),
        tuple({start, other ? other : start}));
  }
  const auto once = [&](const Expr& x, const Scope& more) -> Expr {
    Scope scope = more;
    scope.push_back(x);
    if (kind == 0) return stencil(scope);
    if (kind == 1) return let(stencil(scope), [&](Expr y) { return stencil({y, x}); });
    if (kind == 2) return inner(x, more);
    return let(inner(x, more), [&](Expr y) { return border(y); });
  };
  const Expr f = numbered ? fun({Type(i32), t}, [&](Expr n, Expr x) { return once(x, {n}); })
                          : fun(t, [&](Expr x) { return once(x, {}); });
  const Expr r = iterate(times, f, start);
  if (counted)  // an argument of which something else is made, too
    return map_n(
        rank, [&](Expr v) { return v + cast(s, steps); }, r);
  if (chance(20)) return tuple({r, each(r)});
  return chance(20) ? each(r) : r;
}

Made Generator::make() {
  sizes_.clear(), values_.clear(), arguments_.clear(), overwritable_.clear(), nodes_ = 0;
  const std::vector<int> inner{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 37, 40, 64, 65},
      outer{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17};
  for (const char* name : {"n", "m", "l"}) {
    int value = one_of(sizes_.empty() ? inner : outer);
    if (sizes_.size() == 2) value = std::min(value, 9);
    const int modulus = value % 4 == 0 && chance(50) ? 4 : value % 2 == 0 && chance(50) ? 2 : 1;
    const int least = value >= 5 && chance(40) ? 5 : modulus;
    sizes_.push_back(Nat::size(name, modulus == 1 ? least : modulus, modulus, 0));
    values_[name] = value;
  }
  Expr body;
  const int k = number(0, 21);
  body = k < 4    ? anything()
         : k < 6  ? sweep()
         : k < 7  ? reduction()
         : k < 8  ? columns()
         : k < 10 ? stages()
         : k < 12 ? iteration()
         : k < 13 ? folds()
         : k < 14 ? rows_by_rows()
         : k < 15 ? elimination()
         : k < 17 ? bands()
         : k < 18 ? bordered_stages()
         : k < 19 ? integrals()
         : k < 20 ? records()
                  : leg();
  // A copy is no program: something is to be computed.
  Made made{{"made", params_of(body), body, {}}, {}};
  for (const Expr& a : made.program.arguments) {
    if (a.type().is_array() &&
        (chance(15) || std::count(overwritable_.begin(), overwritable_.end(), param_name(a))))
      made.program.overwritable.push_back(param_name(a));
    std::int64_t elements = 1;
    for (const Nat& n : shape_of(a.type())) elements *= value_of(n);
    if (elements > kElements) throw UserError("too large");
  }
  for (const NatAtom* v : size_variables(made.program)) made.sizes[v->name] = values_.at(v->name);
  return made;
}

}  // namespace lift::fuzz
