// Transfer between grids as expressions over one box: known values, linear functions, transposes, the
// thesis's forms. Data are small integers and weights powers of two, so that sums are exact and equality is
// equality.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/expr/interpret.hpp"
#include "patterns/thesis_forms.hpp"
#include "patterns/transfer.hpp"

using namespace lift;

namespace transfer_test {
namespace {

Type grid(int dim, std::int64_t n, Scalar t = f64) {
  return array(std::vector<Nat>(static_cast<std::size_t>(dim), n), t);
}
std::int64_t power(std::int64_t n, int dim) { return dim == 0 ? 1 : n * power(n, dim - 1); }

/// Small integers without pattern.
std::vector<double> some(std::int64_t n, std::int64_t seed = 1) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < n; ++i)
    v.push_back(static_cast<double>((i * i * 7 + i * 13 + seed * 29) % 101 - 50));
  return v;
}

std::vector<double> apply_to(const Type& t, const std::vector<double>& data,
                             const std::function<Expr(const Expr&)>& f) {
  const Value v = interpret(f(param("x", t)), {{"x", make_array(data, t)}});
  REQUIRE(!contains_poison(v));
  return flatten(v);
}

/// The transpose of a linear map of grids as the map of inner products: <y, A x> for all unit vectors.
std::vector<std::vector<double>> matrix(const Type& from, const std::function<Expr(const Expr&)>& f) {
  const auto n = static_cast<std::size_t>(
      flatten(interpret(param("x", from),
                        {{"x", make_array(std::vector<double>(static_cast<std::size_t>(power(
                                                                  *from.length().constant(), rank_of(from))),
                                                              0),
                                          from)}}))
          .size());
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<double> unit(n, 0);
    unit[c] = 1;
    columns.push_back(apply_to(from, unit, f));
  }
  return columns;
}

}  // namespace

TEST_CASE("restriction of known values") {
  CHECK(apply_to(grid(1, 6), {1, 3, 5, 9, -2, 4}, [](Expr x) { return restrict_average(1, x); }) ==
        std::vector<double>{2, 7, 1});
  CHECK(apply_to(grid(2, 2), {1, 2, 3, 6}, [](Expr x) { return restrict_average(2, x); }) ==
        std::vector<double>{3});
  CHECK(apply_to(grid(3, 2), {1, 2, 3, 4, 5, 6, 7, 12}, [](Expr x) { return restrict_average(3, x); }) ==
        std::vector<double>{5});
  // (1 2 1) / 4 about elements 0, 2, 4; the pad gives the one before the first
  CHECK(apply_to(grid(1, 6), {4, 8, 12, 4, 0, 4}, [](Expr x) {
          return restrict_full_weighting(1, pad({1}, {0}, wrap, x));
        }) == std::vector<double>{5, 9, 2});
  // (1 3 3 1) / 8
  CHECK(apply_to(grid(1, 4), {8, 16, 24, 40}, [](Expr x) {
          return restrict_linear(1, x | pad(1, 1, clamp));
        }) == std::vector<double>{1 + 3 + 6 + 3, 2 + 9 + 15 + 5});
  // 3 faces of the low half and 3 of the high half across, every second one along: in 2D along the outer
  // dimension
  CHECK(apply_to(array({3, 4}, f64), {1, 3, 5, 7, 9, 9, 9, 9, 2, 4, 6, 10},
                 [](Expr x) { return restrict_faces(2, 0, x); }) == std::vector<double>{2, 6, 3, 8});
  CHECK(apply_to(array({2, 3}, f64), {1, 9, 3, 5, 9, 7}, [](Expr x) { return restrict_faces(2, 1, x); }) ==
        std::vector<double>{3, 5});
}

TEST_CASE("prolongation of known values") {
  CHECK(apply_to(grid(1, 3), {1, 2, 3}, [](Expr x) { return prolong_constant(1, x); }) ==
        std::vector<double>{1, 1, 2, 2, 3, 3});
  CHECK(apply_to(grid(2, 2), {1, 2, 3, 4}, [](Expr x) { return prolong_constant(2, x); }) ==
        std::vector<double>{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4});
  CHECK(apply_to(grid(1, 3), {4, 8, 16}, [](Expr x) { return prolong_linear(1, x | pad(1, 1, clamp)); }) ==
        std::vector<double>{4, 5, 7, 10, 14, 16});
  // one coarse cell of 64 among zeros: 27, 9, 3, 1 in the 8 children of each coarse cell about it
  std::vector<double> middle(27, 0);
  middle[13] = 64;
  const auto fine =
      apply_to(grid(3, 3), middle, [](Expr x) { return prolong_linear(3, x | pad3(1, 1, wrap)); });
  std::map<double, int> count;
  for (const double x : fine) ++count[x];
  CHECK(count == std::map<double, int>{{27, 8}, {9, 24}, {3, 24}, {1, 8}, {0, 216 - 64}});
}

TEST_CASE("linear prolongation is exact on linear functions, and full weightings keep constants") {
  for (int dim = 1; dim <= 3; ++dim) {
    CAPTURE(dim);
    const std::int64_t m = 3;
    std::vector<double> coarse, fine;  // padded coarse centres lie at 4 (c - 1) + 2, fine ones at 2 c + 1
    const auto value = [&](std::int64_t flat, std::int64_t n, double first, double step) {
      double v = 7;
      for (int d = 0; d < dim; ++d, flat /= n) v += (d + 2) * (first + step * static_cast<double>(flat % n));
      return v;
    };
    for (std::int64_t x = 0; x < power(m + 2, dim); ++x) coarse.push_back(value(x, m + 2, -2, 4));
    for (std::int64_t x = 0; x < power(2 * m, dim); ++x) fine.push_back(value(x, 2 * m, 1, 2));
    CHECK(apply_to(grid(dim, m + 2), coarse, [=](Expr x) { return prolong_linear(dim, x); }) == fine);
    const std::vector<double> ones(static_cast<std::size_t>(power(2 * m, dim)), 1),
        less(static_cast<std::size_t>(power(m, dim)), 1);
    CHECK(apply_to(grid(dim, 2 * m), ones,
                   [=](Expr x) { return restrict_linear(dim, x | pad_n(dim, 1, 1, clamp)); }) == less);
    CHECK(apply_to(grid(dim, 2 * m), ones, [=](Expr x) {
            return restrict_full_weighting(dim, x | pad_n(dim, 1, 0, clamp));
          }) == less);
    CHECK(apply_to(grid(dim, 2 * m), ones, [=](Expr x) { return restrict_average(dim, x); }) == less);
  }
}

TEST_CASE("restriction is the transpose of prolongation, scaled by 2^-dim") {
  const auto check = [](int dim, std::int64_t m, const std::function<Expr(const Expr&)>& prolong,
                        const std::function<Expr(const Expr&)>& restricted) {
    const auto p = matrix(grid(dim, m), prolong), r = matrix(grid(dim, 2 * m), restricted);
    REQUIRE(r.size() == p.at(0).size());
    std::size_t wrong = 0;
    for (std::size_t c = 0; c < p.size(); ++c)
      for (std::size_t f = 0; f < r.size(); ++f) wrong += r[f][c] != std::ldexp(p[c][f], -dim);
    CHECK(wrong == 0);
  };
  for (int dim = 1; dim <= 3; ++dim) {
    CAPTURE(dim);
    const std::int64_t m = dim == 3 ? 2 : 3;
    check(
        dim, m, [=](Expr x) { return prolong_constant(dim, x); },
        [=](Expr x) { return restrict_average(dim, x); });
    for (const Boundary b : {wrap, mirror, odd}) {
      CAPTURE(text(b));
      check(
          dim, m, [=](Expr x) { return prolong_linear(dim, x | pad_n(dim, 1, 1, b)); },
          [=](Expr x) { return restrict_linear(dim, x | pad_n(dim, 1, 1, b)); });
    }
  }
}

TEST_CASE("increments add what is set") {
  for (int dim = 1; dim <= 3; ++dim) {
    const std::int64_t m = 3;
    const Type coarse = grid(dim, m), fine = grid(dim, 2 * m);
    const Expr x = param("x", coarse), y = param("y", fine);
    const auto xs = some(power(m, dim)), ys = some(power(2 * m, dim), 5);
    const auto value = [&](const Expr& e) {
      return flatten(interpret(e, {{"x", make_array(xs, coarse)}, {"y", make_array(ys, fine)}}));
    };
    const auto plus = [&](std::vector<double> v) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += ys[i];
      return v;
    };
    CHECK(value(add_prolonged_constant(dim, x, y)) == plus(value(prolong_constant(dim, x))));
    const Expr padded = x | pad_n(dim, 1, 1, odd);
    CHECK(value(add_prolonged_linear(dim, padded, y)) == plus(value(prolong_linear(dim, padded))));
  }
}

TEST_CASE("the thesis's restriction and prolongation are ours, in one to three dimensions and both types") {
  for (int dim = 1; dim <= 3; ++dim)
    for (const Scalar t : {f32, f64}) {
      CAPTURE(dim);
      const std::int64_t m = 3;
      const Type coarse = grid(dim, m, t), fine = grid(dim, 2 * m, t), two = grid(dim, 2, t);
      const Expr x = param("x", coarse), y = param("y", fine), w = param("w", two);
      const auto value = [&](const Expr& e) {
        return interpret(e, {{"x", make_array(some(power(m, dim)), coarse)},
                             {"y", make_array(some(power(2 * m, dim)), fine)},
                             {"w", make_array(thesis::linear_weights(dim), two)}});
      };
      CHECK(identical(value(thesis::restriction(dim, y)), value(restrict_average(dim, y))));
      for (const Boundary b : {clamp, wrap, odd}) {
        const Expr padded = x | pad_n(dim, 1, 1, b);
        const Value ours = value(prolong_linear(dim, padded));
        CHECK(identical(value(thesis::prolongation(dim, padded, w)), ours));
        CHECK(identical(value(thesis::prolongation_with_transposes(dim, padded, w)), ours));
      }
    }
}

TEST_CASE("listing 2.4 with the weights that the thesis draws") {
  // weights 1/3 and 2/3 times 3: the left output of a pair takes twice its left neighbour
  const Type two = grid(1, 2), three = grid(1, 3);
  const Value v = interpret(thesis::prolongation(1, param("x", three) | pad(1, 1, clamp), param("w", two)),
                            {{"x", make_array(std::vector<double>{1, 4, 9}, three)},
                             {"w", make_array(std::vector<double>{1, 2}, two)}});
  CHECK(flatten(v) == std::vector<double>{3, 6, 9, 17, 22, 27});
}

TEST_CASE("listing 2.7 sums both neighbourhoods") {
  const Type t = grid(1, 3);
  const Value v = interpret(thesis::two_inputs(param("a", t), param("b", t)),
                            {{"a", make_array(std::vector<double>{1, 2, 4}, t)},
                             {"b", make_array(std::vector<double>{10, 20, 40}, t)}});
  CHECK(flatten(v) == std::vector<double>{44, 77, 110});
}

}  // namespace transfer_test
