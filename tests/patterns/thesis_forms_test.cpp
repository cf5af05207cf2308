// The thesis's residual and smoother: equal to plain loops over the formula of listing 2.6, and to the
// library's smoother.
#include <doctest/doctest.h>

#include <functional>

#include "patterns/operators.hpp"
#include "patterns/thesis_forms.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace thesis_forms_test {
namespace {

constexpr int n = 5, side = n + 2;

/// One box with a ghost zone of one cell and the benchmark's data.
Problem problem(Scalar type) {
  Problem p;
  p.box = n, p.boxes = 1, p.ghost = 1, p.type = type;
  return p;
}

std::size_t at(int k, int j, int i) {
  return static_cast<std::size_t>(((k + 1) * side + j + 1) * side + i + 1);
}

using Data = std::map<std::string, std::vector<double>>;
Data data_of(const BoxData& box) {
  Data d;
  for (const char* name : {"phi", "rhs", "alpha", "beta_i", "beta_j", "beta_k", "lambda", "a", "b_h2inv"})
    d[name] = box.values(name);
  return d;
}

double helmholtz(const Data& d, int k, int j, int i) {
  const auto& phi = d.at("phi");
  const auto &bi = d.at("beta_i"), &bj = d.at("beta_j"), &bk = d.at("beta_k");
  const double c = phi[at(k, j, i)];
  return d.at("a")[0] * d.at("alpha")[at(k, j, i)] * c -
         d.at("b_h2inv")[0] * (bi[at(k, j, i + 1)] * (phi[at(k, j, i + 1)] - c) -
                               bi[at(k, j, i)] * (c - phi[at(k, j, i - 1)]) +
                               bj[at(k, j + 1, i)] * (phi[at(k, j + 1, i)] - c) -
                               bj[at(k, j, i)] * (c - phi[at(k, j - 1, i)]) +
                               bk[at(k + 1, j, i)] * (phi[at(k + 1, j, i)] - c) -
                               bk[at(k, j, i)] * (c - phi[at(k - 1, j, i)]));
}

/// Value of one of the thesis's expressions, n^3 numbers; h2inv is 1, and b stands for b / h^2.
std::vector<double> value(
    const Data& d, Scalar t, int color,
    const std::function<Expr(const Expr&, const Expr&, const Expr&, const thesis::Arrays&)>& f) {
  const std::vector<Nat> shape(3, side);
  const Type cells = array(shape, t), colors = array(shape, i32);
  const Expr e = f(param("a", t), param("b_h2inv", t), literal(1, t),
                   {.alpha = param("alpha", cells),
                    .beta_i = param("beta_i", cells),
                    .beta_j = param("beta_j", cells),
                    .beta_k = param("beta_k", cells),
                    .input = param("phi", cells),
                    .lambda = param("lambda", cells),
                    .rhs = param("rhs", cells),
                    .color = param("color", colors)});
  std::map<std::string, Value> values;
  for (const auto& [name, x] : d) values[name] = x.size() == 1 ? Value{x[0]} : make_array(x, cells);
  std::vector<double> prepopulated(side * side * side);
  for (int k = -1; k <= n; ++k)
    for (int j = -1; j <= n; ++j)
      for (int i = -1; i <= n; ++i) prepopulated[at(k, j, i)] = (i + j + k + color + 4) % 2 == 0;
  values["color"] = make_array(prepopulated, colors);
  const Value v = interpret(e, values);
  REQUIRE(!contains_poison(v));
  return flatten(v);
}

}  // namespace

TEST_CASE("listing 2.8, with its parentheses back, is the residual of listing 2.6") {
  for (const Scalar t : {f32, f64}) {
    const Pattern pattern = smooth3d();
    const BoxData box(pattern, problem(t));
    const Data d = data_of(box);
    const auto got = value(d, t, 0, thesis::residual);
    REQUIRE(got.size() == n * n * n);
    std::size_t x = 0;
    double worst = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          worst = std::max(worst, std::abs(got[x++] - (d.at("rhs")[at(k, j, i)] - helmholtz(d, k, j, i))));
    CHECK(worst <= tolerance(t));
  }
}

TEST_CASE("listing 2.10 is the library's red-black half-sweep, for both colours") {
  for (const Scalar t : {f32, f64})
    for (const int color : {0, 1}) {
      const Pattern pattern = smooth3d();
      const BoxData box(pattern, problem(t));
      assign(box.argument("color"), {static_cast<double>(color)});
      const auto ours = numbers(box.by_interpreter().view());
      const auto got = value(data_of(box), t, color, thesis::smooth);
      REQUIRE(got.size() == n * n * n);
      std::size_t x = 0;
      double worst = 0;
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(got[x++] - ours[at(k, j, i)]));
      CHECK(worst <= tolerance(t));
    }
}

}  // namespace thesis_forms_test
