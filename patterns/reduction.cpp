#include "patterns/reduction.hpp"

namespace lift {
namespace {

/// Rows are reduced, then planes of rows' results, and so on: each level starts from the unit of `f`.
Expr reduce_nested(int rank, const Expr& f, const Expr& unit, const Expr& xs) {
  if (rank == 1) return reduce(f, unit, xs);
  return reduce(f, unit, xs | map([&](Expr x) { return reduce_nested(rank - 1, f, unit, x); }));
}

Expr widened(const Expr& x) { return x.type() == Type(f64) ? x : cast(f64, x); }

/// {sum, error} of two such pairs: a + b = s + e exactly, where e is what rounding a + b to s loses.
Expr two_sum(const Expr& x, const Expr& y) {
  const Expr a = get(0, x), b = get(0, y), s = a + b, part = s - a;
  const Expr lost = (a - (s - part)) + (b - part);
  return tuple({s, get(1, x) + get(1, y) + lost});
}

}  // namespace

Expr largest_magnitude(int rank, const Expr& xs) {
  const Expr f = fun({f64, f64}, [](Expr largest, Expr x) { return max(largest, x); });
  return reduce_nested(rank, f, literal(0, f64), xs | map_n(rank, [](Expr x) { return abs(widened(x)); }));
}

Expr sum_of_elements(int rank, const Expr& xs, bool compensated) {
  if (!compensated) {
    const Expr f = fun({f64, f64}, [](Expr sum, Expr x) { return sum + x; });
    return reduce_nested(rank, f, literal(0, f64), xs | map_n(rank, widened));
  }
  const Expr zero = literal(0, f64);
  const Type pair = Type::tuple({f64, f64});
  const Expr total = reduce_nested(rank, fun({pair, pair}, two_sum), tuple({zero, zero}), xs | map_n(rank, [=](Expr x) { return tuple({widened(x), zero}); }));
  return let(total, [](Expr t) { return get(0, t) + get(1, t); });
}

Expr euclidean_norm(int rank, const Expr& xs, bool compensated) {
  return sqrt(sum_of_elements(rank, xs | map_n(rank, [](Expr x) { return widened(x) * widened(x); }), compensated));
}

Expr inner_product(int rank, const Expr& xs, const Expr& ys, bool compensated) {
  const auto product = [](Expr x, Expr y) { return widened(x) * widened(y); };
  return sum_of_elements(rank, zip_n(rank, {xs, ys}) | map_n(rank, product), compensated);
}

}  // namespace lift
