// Arrays: each production makes one of a given type from others.
#include "ir/error.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {
namespace {

/// n / k where that is proved to be whole.
std::optional<Nat> part_of_length(const Nat& n, std::int64_t k) {
  if (simplify(mod(n, Nat(k))) != Nat(0)) return std::nullopt;
  return simplify(floordiv(n, Nat(k)));
}
Expr nth(const std::vector<Expr>& scope, const Type& t) {
  for (std::size_t i = scope.size(); i-- > 0;)
    if (scope[i].type() == t) return scope[i];
  return {};
}

}  // namespace

bool proves_at_least(const Nat& n, std::int64_t least) { return Facts().proves(less_equal(Nat(least), n)); }

Type Generator::element_type() {
  const int k = number(0, 11);
  if (k == 0) return Type::tuple({scalar_type(), scalar_type()});
  if (k == 1) return Type::array(Nat(number(1, 4)), scalar_type());
  return scalar_type();
}

/// A variable of the type, an argument, or numbers.
Expr Generator::array_leaf(const Type& t, const Scope& scope) {
  const Expr known = nth(scope, t);
  if (known && chance(70)) return known;
  const Type e = element_of(t);
  if (e.is_scalar())
    if (const Expr a = argument(t)) return a;
  if (known) return known;
  if (t.element().is_array() || t.element().is_tuple())
    return map([&](Expr i) { return grown(t.element(), {i}, 0); }, iota(t.length()));
  // Of another type, in an argument of the same shape.
  for (const Expr& a : arguments_)
    if (a.type().is_array() && a.type().length() == t.length())
      return map([&](Expr x) { return grown(t.element(), {x}, 0); }, a);
  return generate({t.length()}, [&](Expr i) { return grown(t.element(), {i}, 0); });
}

Expr Generator::array_value(const Type& t, const Scope& scope, int fuel) {
  if (fuel <= 0 || chance(10)) return array_leaf(t, scope);
  switch (number(0, 16)) {
    case 0:
    case 1:
      return padded(t, scope, fuel - 1);
    case 2:
      return regrouped(t, scope, fuel - 1);
    case 3:
      return scanned(t, scope, fuel - 1);
    case 4:
      return assembled(t, scope, fuel - 1);
    case 5:
      return generated(t, scope, fuel - 1);
    case 6:
      return updated(t, scope, fuel - 1);
    case 7:
    case 8:
    case 9:
      return windows(t, scope, fuel - 1);
    case 10:
      return named(t, scope, fuel - 1);
    case 11:
      return chance(50) ? iterated(t, scope, fuel - 1) : mapped(t, scope, fuel - 1);
    default:
      return mapped(t, scope, fuel - 1);
  }
}

/// A function of the elements of one or several arrays, over one dimension or several.
Expr Generator::mapped(const Type& t, const Scope& scope, int fuel) {
  const int rank = chance(60) ? rank_of(t) : number(1, rank_of(t));
  const std::vector<Nat> shape = shape_of(t, rank);
  std::vector<Expr> arrays;
  for (int n = number(1, 3); n > 0; --n)
    arrays.push_back(grown(array(shape, element_type()), scope, fuel / static_cast<int>(arrays.size() + 1)));
  if (chance(15)) arrays.push_back(positions(shape));
  const Expr xs = arrays.size() == 1 ? arrays[0] : zip_n(rank, arrays);
  return map_n(
      rank,
      [&](Expr x) {
        Scope inner = scope;
        if (x.type().is_tuple())
          for (int i = 0; i < static_cast<int>(x.type().parts().size()); ++i) inner.push_back(get(i, x));
        else
          inner.push_back(x);
        return grown(element_of(t, rank), inner, fuel);
      },
      xs);
}

/// A function of neighbourhoods: within an array continued beyond its ends, or larger.
Expr Generator::windows(const Type& t, const Scope& scope, int fuel) {
  const int rank = chance(60) ? std::min(3, rank_of(t)) : 1;
  const std::vector<Nat> shape = shape_of(t, rank);
  const int size = number(1, 4), low = number(0, size - 1), step = chance(15) ? number(2, 3) : 1;
  std::vector<Nat> wanted, sizes, steps;
  for (const Nat& n : shape) {
    wanted.push_back(step * (n - 1) + size);
    sizes.emplace_back(size), steps.emplace_back(step);
  }
  Expr xs;
  const Type e = chance(85) ? Type(scalar_type()) : element_type();
  if (step == 1 && chance(65)) {
    std::vector<Boundary> all{clamp, wrap};
    if (e.is_scalar()) all.push_back(constant);
    if (e.is_scalar() && is_float(e.scalar())) all.insert(all.end(), {mirror, odd});
    if (std::all_of(shape.begin(), shape.end(), [&](const Nat& n) { return proves_at_least(n, size); }))
      all.push_back(reflect);
    const Boundary b = one_of(all);
    xs = pad(std::vector<Nat>(shape.size(), low), std::vector<Nat>(shape.size(), size - 1 - low), b,
             grown(array(shape, e), scope, fuel - 1),
             b != constant        ? 0
             : e == Type(boolean) ? number(0, 1)
             : e == Type(u8)      ? number(0, 255)
                                  : number(-2, 2));
    if (b == constant && chance(30))
      xs = pad(std::vector<Nat>(shape.size(), low), std::vector<Nat>(shape.size(), size - 1 - low), b,
               grown(array(shape, e), scope, fuel - 1), scalar(e.scalar(), scope, 1));
  } else {
    xs = grown(array(wanted, e), scope, fuel - 1);
  }
  std::vector<Expr> all{slide(sizes, steps, xs)};
  if (chance(30)) all.push_back(grown(array(shape, element_type()), scope, fuel / 2));
  const Expr zipped = all.size() == 1 ? all[0] : zip_n(rank, all);
  return map_n(
      rank,
      [&](Expr x) {
        Scope inner = scope;
        if (x.type().is_tuple())
          inner.push_back(get(1, x)), inner.push_back(get(0, x));
        else
          inner.push_back(x);
        return grown(element_of(t, rank), inner, fuel);
      },
      zipped);
}

/// A part of something longer, or something shorter continued.
Expr Generator::padded(const Type& t, const Scope& scope, int fuel) {
  const Nat& n = t.length();
  const int low = number(0, 2), high = number(0, 2);
  const auto other = [&](const Nat& length) { return grown(Type::array(length, t.element()), scope, fuel); };
  if (chance(25)) return other(n + high) | take(n);
  if (chance(40) || !proves_at_least(n - low - high, 1)) return other(n + low + high) | drop(low, high);
  const Type e = element_of(t);
  const bool numbers = e.is_scalar() && is_float(e.scalar());
  std::vector<Boundary> all{clamp, wrap, mirror};
  if (numbers) all.insert(all.end(), {odd, constant});
  if (proves_at_least(n - low - high, 3)) all.push_back(reflect);
  const Boundary b = one_of(all);
  return pad({Nat(low)}, {Nat(high)}, b, other(n - low - high), b == constant ? 0.5 : 0);
}

/// The same elements in another order or other groups.
Expr Generator::regrouped(const Type& t, const Scope& scope, int fuel) {
  const Nat& n = t.length();
  if (rank_of(t) >= 3 && chance(30)) {
    const std::vector<Nat> s = shape_of(t, 3);
    return chance(50) ? transpose({2, 0, 1}, grown(array({s[1], s[2], s[0]}, element_of(t, 3)), scope, fuel))
                      : transpose({0, 2, 1}, grown(array({s[0], s[2], s[1]}, element_of(t, 3)), scope, fuel));
  }
  if (chance(10)) {
    const Type two = Type::array(n, Type::tuple({t.element(), scalar_type()}));
    return get(0, unzip(grown(two, scope, fuel)));
  }
  if (t.element().is_array() && chance(20)) return reverse_n(2, grown(t, scope, fuel));
  if (t.element().is_array() && chance(50))
    return transpose(grown(array({t.element().length(), n}, t.element().element()), scope, fuel));
  if (chance(30)) return reverse(grown(t, scope, fuel));
  for (const int k : {number(2, 4), 2, 3}) {
    if (const auto m = part_of_length(n, k)) {
      if (chance(50)) return join(grown(array({*m, Nat(k)}, t.element()), scope, fuel));
      return join(map([&](Expr chunk) { return grown(chunk.type(), {chunk}, fuel); },
                      split(Nat(k))(grown(t, scope, fuel))));
    }
  }
  if (t.element().is_array() && t.element().length().is_constant())
    return split(t.element().length())(
        grown(Type::array(n * t.element().length(), t.element().element()), scope, fuel));
  return mapped(t, scope, fuel);
}

Expr Generator::scanned(const Type& t, const Scope& scope, int fuel) {
  const Type u = t.element();
  if (!u.is_scalar() && !u.is_tuple()) return mapped(t, scope, fuel);
  if (u.is_tuple())
    for (const Type& p : u.parts())
      if (!p.is_scalar()) return mapped(t, scope, fuel);
  const Expr xs =
      grown(Type::array(t.length(), chance(70) ? Type(scalar_type()) : element_type()), scope, fuel);
  const auto f = [&](Expr acc, Expr x) -> Expr {
    if (u.is_scalar()) return bounded(grown(u, {x, acc}, fuel - 1));
    std::vector<Expr> parts;
    for (const Type& p : u.parts()) parts.push_back(bounded(grown(p, {x, acc}, fuel - 1)));
    return tuple(parts);
  };
  Expr init;
  if (u.is_scalar()) {
    init = literal_of(u.scalar());
  } else {
    std::vector<Expr> parts;
    for (const Type& p : u.parts()) parts.push_back(literal_of(p.scalar()));
    init = tuple(parts);
  }
  const Expr function = fun({u, xs.type().element()}, f);
  return chance(50) ? scan(function, init, xs) : scan_back(function, init, xs);
}

/// From several arrays.
Expr Generator::assembled(const Type& t, const Scope& scope, int fuel) {
  const Nat& n = t.length();
  const auto other = [&](const Nat& length) { return grown(Type::array(length, t.element()), scope, fuel); };
  if (t.element().is_tuple()) {
    std::vector<Expr> parts;
    for (const Type& p : t.element().parts()) parts.push_back(grown(Type::array(n, p), scope, fuel - 1));
    return zip(parts);
  }
  if (const auto half = part_of_length(n, 2); half && chance(60))
    return interleave({other(*half), other(*half)});
  const int k = number(1, 3);
  if (!proves_at_least(n - k, 1)) return mapped(t, scope, fuel);
  return chance(50) ? concat(other(Nat(k)), other(n - k)) : concat(other(n - k), other(Nat(k)));
}

Expr Generator::generated(const Type& t, const Scope& scope, int fuel) {
  const auto with = [&](std::vector<Expr> indices) {
    Scope inner = scope;
    inner.insert(inner.end(), indices.begin(), indices.end());
    return inner;
  };
  if (t.element().is_array() && chance(60))
    return generate({t.length(), t.element().length()}, [&](Expr j, Expr i) {
      return grown(t.element().element(), with({j, i}), fuel);
    });
  return generate({t.length()}, [&](Expr i) { return grown(t.element(), with({i}), fuel); });
}

/// The same function several times, of values that stay small.
Expr Generator::iterated(const Type& t, const Scope& scope, int fuel) {
  const Type e = element_of(t);
  if (!e.is_scalar()) return mapped(t, scope, fuel);
  const auto next = [&](const Expr& x, const Scope& inner) {
    Scope all = inner;
    all.push_back(x);
    const Expr y = chance(60) ? windows(t, all, fuel / 2) : mapped(t, all, fuel / 2);
    return map_n(
        rank_of(t), [&](Expr v) { return bounded(v); }, y);
  };
  const Expr f = chance(70) ? fun(t, [&](Expr x) { return next(x, {}); })
                            : fun({Type(i32), t}, [&](Expr step, Expr x) { return next(x, {step}); });
  return iterate(Nat(number(1, 3)), f, grown(t, scope, fuel));
}

Expr Generator::updated(const Type& t, const Scope& scope, int fuel) {
  const int rank = number(1, rank_of(t));
  std::vector<Nat> offsets, block;
  for (const Nat& n : shape_of(t, rank)) {
    const int low = number(0, 2), high = number(0, 2);
    const bool fits = proves_at_least(n - low - high, 1);
    offsets.emplace_back(fits ? low : 0), block.push_back(fits ? n - low - high : n);
  }
  return update(grown(t, scope, fuel - 1), offsets, grown(array(block, element_of(t, rank)), scope, fuel));
}

}  // namespace lift::fuzz
