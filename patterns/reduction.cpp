#include "patterns/reduction.hpp"

#include "ir/expr/reduction.hpp"

namespace lift {
namespace {

/// The elements of `rank` dimensions as one array, in order.
Expr flat(int rank, Expr xs) {
  for (; rank > 1; --rank) xs = join(xs);
  return xs;
}

/// The sum of a flat array of f64. Compensated, each number goes into the sum with an error of 0 beside it.
Expr total(const Expr& numbers, bool compensated) {
  if (!compensated) return numbers | sum();
  const Expr zero = literal(0, f64);
  const Expr pairs = numbers | map([=](Expr x) { return tuple({x, zero}); });
  return let(reduce(two_sum(f64), tuple({zero, zero}), pairs), [](Expr t) { return get(0, t) + get(1, t); });
}

}  // namespace

Expr widened(const Expr& x) { return x.type() == Type(f64) ? x : cast(f64, x); }

Expr sum_of_squares(int rank, const Expr& xs) {
  return total(flat(rank, xs) | map([](Expr x) { return widened(x) * widened(x); }), false);
}

Expr largest_magnitude(int rank, const Expr& xs) {
  return flat(rank, xs) | map([](Expr x) { return abs(widened(x)); }) |
         reduce([](Expr largest, Expr x) { return max(largest, x); }, literal(0, f64));
}

Expr sum_of_elements(int rank, const Expr& xs, bool compensated) {
  return total(flat(rank, xs) | map(widened), compensated);
}

Expr euclidean_norm(int rank, const Expr& xs, bool compensated) {
  return sqrt(total(flat(rank, xs) | map([](Expr x) { return widened(x) * widened(x); }), compensated));
}

Expr inner_product(int rank, const Expr& xs, const Expr& ys, bool compensated) {
  return total(
      zip({flat(rank, xs), flat(rank, ys)}) | map([](Expr x, Expr y) { return widened(x) * widened(y); }),
      compensated);
}

}  // namespace lift
