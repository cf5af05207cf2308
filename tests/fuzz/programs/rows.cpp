// Programs of users' kinds: scans over rows, elimination along columns whose factors are the same for all,
// interleaved and bordered arrays, stages with borders within rows.
#include <algorithm>

#include "ir/error.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {

/// Each row, or plane, from the row before: all of them, some, or what is made of them.
Expr Generator::rows_by_rows() {
  const int rank = number(1, 2);
  const Scalar s = scalar_type();
  const std::vector<Nat> row = shape(rank);
  const Type t = array(row, s);
  const Nat times = chance(50) ? extent(2) : Nat(number(1, 9));
  const bool of_rows = chance(60), pair = !of_rows && chance(15);
  std::vector<Nat> all{times};
  if (of_rows) all.insert(all.end(), row.begin(), row.end());
  const Expr xs = chance(20) ? iota(times) : grown(array(all, scalar_type()), {}, number(0, 1));
  const auto each = [&](const Expr& x) {
    return map_n(
        rank, [&](Expr v) { return bounded(v); }, x);
  };
  const int kind = number(0, rank == 1 && s != boolean ? 5 : 3);
  const bool to_left = chance(20), bordered = chance(40);
  const auto next = [&](const Expr& before, const Expr& x) -> Expr {
    if (kind == 0) return each(windows(t, {x, before}, number(1, 2)));
    if (kind == 1)
      return let(each(windows(t, {x, before}, 1)), [&](Expr y) { return each(windows(t, {before, y}, 1)); });
    if (kind == 2) return each(mapped(t, {x, before}, 1));
    if (kind == 3) return updated(t, {x, before}, 1);
    // A row that is a scan itself, each element of the one beside it and of the row before.
    const Expr best = kind == 4 ? windows(t, {x, before}, number(1, 2)) : mapped(t, {x, before}, 1);
    const Expr cells = bordered ? drop(1, 0)(best) : best, first = literal_of(s);
    const auto along =
        fun({Type(s), Type(s)}, [&](Expr left, Expr b) { return bounded(max(b, left) + left); });
    const Expr line = to_left ? scan_back(along, first, cells) : scan(along, first, cells);
    return bordered ? concat(generate({Nat(1)}, [&](Expr) { return first; }), line) : line;
  };
  const Type acc = pair ? Type::tuple({t, t}) : t;
  const auto f = [&](Expr before, Expr x) -> Expr {
    if (!pair) return kind == 3 ? each(next(before, x)) : next(before, x);
    return tuple({get(1, before), each(windows(t, {get(0, before), get(1, before)}, 1))});
  };
  const Expr start = grown(t, {}, number(0, 1)), init = pair ? tuple({start, grown(t, {}, 0)}) : start;
  const Expr function = fun({acc, xs.type().element()}, f);
  const bool back = chance(50);
  const Expr r = back ? scan_back(function, init, xs) : scan(function, init, xs);
  const auto of_each = [&](const Expr& rows) {
    return map([&](Expr x) { return pair ? each(get(number(0, 1), x)) : array_value(t, {x}, 1); }, rows);
  };
  const auto one = [&](const Expr& rows) -> Expr {
    return back ? drop({Nat(0)}, {times - 1}, rows) : drop({times - 1}, {Nat(0)}, rows);
  };
  switch (number(0, 5)) {
    case 0:
      return pair ? of_each(r) : r;
    case 1:
      return of_each(r);
    case 2:
      return pair ? of_each(one(r)) : join(one(r));
    case 3:
      return pair ? of_each(one(r)) : one(r);
    case 4:
      return pair ? of_each(r) : let(r, [&](Expr rows) { return tuple({join(one(rows)), of_each(rows)}); });
    default:
      if (!proves_at_least(times, 3) || pair) return of_each(r);
      return drop({Nat(number(0, 1))}, {Nat(number(0, 1))}, r);
  }
}

/// Scans of several values along columns, one of which may follow from itself alone, and back again.
Expr Generator::elimination() {
  const Scalar s = chance(70) ? f64 : f32;
  const std::vector<Nat> all = shape(2);
  const Expr xs = grown(array(all, s), {}, number(0, 1));
  const int values = chance(25) ? 3 : 2, own = number(0, values - 1);
  const bool from_scalar = chance(25), shared = chance(40), reads = chance(10), back = chance(30);
  const Expr factor = chance(50) ? argument(s) : Expr();
  const Expr vector = shared ? argument(array({all[1]}, s)) : Expr();
  const int shape_of_step = number(0, 2);
  const auto step = [&](Expr before, Expr x) -> Expr {
    const Expr c = get(own, before), e = part_of(x, s);
    const auto alone = [&]() -> Expr {
      const Expr own_factor = static_cast<bool>(factor) ? bounded(factor) : literal(number(1, 8) / 4.0, s);
      const Expr under = abs(c) + 1.0;
      return reads ? bounded(c * own_factor + e) : chance(50) ? own_factor / under : bounded(c - own_factor);
    };
    const auto parts = [&](const Expr& named) -> Expr {
      std::vector<Expr> r;
      for (int i = 0; i < values; ++i) {
        const Expr d = get(i, before);
        r.push_back(i == own             ? named
                    : shape_of_step == 0 ? bounded((d + e) * (1.0 / (abs(c) + 2.0)))
                    : shape_of_step == 1 ? bounded(grown(Type(s), {x, d, c, named}, 1))
                                         : bounded(d * named + get((i + 1) % values, before)));
      }
      return tuple(r);
    };
    return chance(40) ? let(alone(), parts) : parts(alone());
  };
  std::vector<Expr> starts;
  for (int i = 0; i < values; ++i) starts.push_back(literal_of(s));
  const Type acc = Type::tuple(std::vector<Type>(static_cast<std::size_t>(values), s));
  const bool again = chance(50), named = chance(50);
  const auto column = [&](Expr x) -> Expr {
    std::vector<Expr> own_starts = starts;
    if (from_scalar) own_starts[static_cast<std::size_t>(number(0, values - 1))] = x[Nat(0)];
    const Expr elements = static_cast<bool>(vector) ? zip({x, vector}) : x;
    const Expr f = fun({acc, elements.type().element()}, step);
    const Expr first =
        back ? scan_back(f, tuple(own_starts), elements) : scan(f, tuple(own_starts), elements);
    const auto second = [&](Expr made) -> Expr {
      if (!again) return map([&](Expr e) { return bounded(get(0, e) + get(values - 1, e)); }, made);
      const auto g = [&](Expr d, Expr e) { return bounded(get(values - 1, e) - get(0, e) * d); };
      const Expr function = fun({Type(s), acc}, g);
      return back ? scan(function, literal_of(s), made) : scan_back(function, literal_of(s), made);
    };
    return named ? let(first, second) : second(first);
  };
  const Expr columns = map(column, chance(50) ? xs : map([&](Expr row) { return reverse(row); }, xs));
  return chance(30) ? transpose(columns) : columns;
}

/// Arrays that lie in one another, or border one another, along any dimension; rows of some have names.
Expr Generator::bands() {
  const int rank = number(1, 3);
  const Scalar s = scalar_type();
  const std::vector<Nat> whole = shape(rank);
  const auto part = [&](const std::vector<Nat>& n) {
    const Type t = array(n, s);
    return chance(75) ? windows(t, {}, number(1, 2)) : array_value(t, {}, 1);
  };
  const std::function<Expr(std::vector<Nat>, int)> band = [&](std::vector<Nat> n, int depth) -> Expr {
    if (depth == 0) return part(n);
    const Nat length = n[0];
    const auto rest = [&](const Nat& m) {
      std::vector<Nat> own = n;
      own[0] = m;
      return band(own, depth - 1);
    };
    if (chance(35)) {
      std::vector<Expr> parts;
      for (int k = number(2, 3); k > 0; --k) parts.push_back(rest(length));
      return interleave(parts);
    }
    if (chance(50)) {
      const Nat thin(number(1, 4));
      return chance(50) ? concat(rest(thin), rest(length)) : concat(rest(length), rest(thin));
    }
    if (n.size() >= 2) {  // rows of two bands
      const std::vector<Nat> row(n.begin() + 1, n.end());
      const bool lies_in = chance(50);
      const Expr a = part(n);
      return map(
          [&](Expr r) -> Expr {
            const Type t = r.type();
            const auto own = [&](Expr named) -> Expr {
              const Expr other = map([&](Expr v) { return grown(t.element(), {v}, 1); }, named);
              return lies_in ? interleave({named, other}) : concat(other | take(Nat(1)), named);
            };
            const Expr made = map([&](Expr v) { return grown(t.element(), {v}, 1); }, r);
            return chance(60) ? let(made, own) : own(made);
          },
          a);
    }
    return part(n);
  };
  Expr r = band(whole, number(1, 2));
  if (rank == 2 && chance(30)) r = transpose(r);
  if (chance(30)) r = map([&](Expr x) { return grown(x.type(), {x}, 1); }, r);
  return r;
}

/// Named stages that meet row by row, the last within borders that are copied.
Expr Generator::bordered_stages() {
  const int rank = number(1, 3), stages = number(1, 3);
  const Scalar s = chance(70) ? f64 : f32;
  const std::vector<Nat> all = shape(rank);
  const Type t = array(all, s);
  std::vector<Nat> offsets, block;
  for (const Nat& n : all) {
    const int low = number(0, 2), high = number(0, 2);
    const bool fits = proves_at_least(n - low - high, 1);
    offsets.emplace_back(fits ? low : 0), block.push_back(fits ? n - low - high : n);
  }
  const Expr base = argument(t);
  if (!static_cast<bool>(base)) throw UserError("too many arguments");
  if (chance(30)) overwritable_.push_back(param_name(base));
  const auto next = [&](const Type& of, const Scope& scope) {
    const Expr made = chance(60) ? windows(of, scope, 1) : mapped(of, scope, 1);
    return map_n(
        rank, [&](Expr v) { return bounded(v); }, made);
  };
  const std::function<Expr(Scope, int)> from = [&](Scope scope, int left) -> Expr {
    if (left == 0) {
      const Expr made = update(chance(70) ? base : scope.back(), offsets, next(array(block, s), scope));
      return chance(25) ? tuple({made, next(t, scope)}) : made;
    }
    return let(next(chance(60) ? t : array(block, s), scope), [&](Expr x) {
      Scope inner = scope;
      inner.push_back(x);
      return from(inner, left - 1);
    });
  };
  if (chance(60)) return from({base}, stages);
  const auto f = [&](Expr x) -> Expr {
    return let(next(array(block, s), {x}), [&](Expr y) {
      return chance(50) ? update(x, offsets,
                                 map_n(
                                     rank, [&](Expr v) { return bounded(v * 0.5); }, y))
                        : let(next(array(block, s), {y}), [&](Expr z) { return update(x, offsets, z); });
    });
  };
  return iterate(Nat(number(1, 4)), fun(t, f), base);
}

}  // namespace lift::fuzz
