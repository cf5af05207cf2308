// Small arrays, and stages over them that programs are built of.
#pragma once

#include "ir/expr/build.hpp"

namespace lift::test::small_stages {

inline const Expr x = param("x", array({12}, f64)), y = param("y", array({12}, f64)),
                  m = param("m", array({4, 6}, f64));

inline Expr plus(const Expr& a, const Expr& b) { return a + b; }
inline Expr twice(const Expr& v) { return v * 2.0; }
inline Expr doubled(const Expr& r) { return r | map(twice); }
inline Expr total(const Expr& r) { return reduce(fun({f64, f64}, plus), literal(0, f64), r); }
inline Expr ends(const Expr& w) { return w[0] + w[2]; }
inline Expr smoothed(const Expr& r) { return r | slide(3, 1) | map(ends); }
inline Expr sums_of_two(const Expr& r) {
  return r | slide(2, 1) | map([](Expr w) { return w[0] + w[1]; });
}
/// Of rows of 40 numbers, which are added up.
inline Expr sums_of_columns(const Expr& rows) {
  const Type row = array({40}, f64);
  return reduce(fun({row, row},
                    [](Expr a, Expr r) {
                      return zip({a, r}) | map(plus);
                    }),
                generate({Nat(40)}, [](Expr) { return literal(0, f64); }), rows);
}

}  // namespace lift::test::small_stages
