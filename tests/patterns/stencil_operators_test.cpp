// Smoothers, L, residual and lambda: expression, reference and plain loops agree for every dimension, type,
// boundary condition and choice, at odd sizes.
#include <doctest/doctest.h>

#include "tests/patterns/box_data.hpp"
#include "tests/patterns/operator_cases.hpp"
#include "tests/patterns/plain_kernels.hpp"

using namespace lift;
using namespace lift::testing;

namespace stencil_operators_test {

TEST_CASE("stencil operators: the expression means what the reference computes") {
  std::size_t checked = 0;
  for (const OperatorCase& c : operator_cases(stencil_families(), true)) {
    CAPTURE(describe(c));
    const BoxData data(*c.pattern, c.problem);
    if (data.has("color") && checked % 3 == 0) assign(data.argument("color"), {1});
    const OwnedArray expected = data.by_reference();
    CHECK(relative_error(data.by_interpreter().view(), expected.view()) <= tolerance(c.problem.type));
    ++checked;
  }
  CHECK(checked == 3 * 8 * 2 * (16 + 4 + 4 + 1) + 2 * 2);  // and the thesis's forms, in f32 and f64
}

TEST_CASE("stencil operators: the plain loops compute the reference") {
  std::vector<OperatorCase> cases = operator_cases(stencil_families(), false);
  for (std::size_t i = 0, n = cases.size(); i < n; i += 3)  // rows that are nothing but boundary
    if (cases[i].problem.boundary != "periodic") {
      cases.push_back(cases[i]);
      cases.back().problem.sides.clear();
      cases.back().problem.box = cases[i].problem.choices.contains("stencil") ? 2 : 1;
    }
  PlainKernels plain(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(describe(cases[i]));
    INFO(plain.source(i));
    const BoxData data(*cases[i].pattern, cases[i].problem);
    if (data.has("color")) assign(data.argument("color"), {static_cast<double>(i % 2)});
    const OwnedArray expected = data.by_reference(), got = plain.run(i, data);
    CHECK(relative_error(got.view(), expected.view()) <= tolerance(cases[i].problem.type));
  }
}

TEST_CASE("Jacobi with w = 1 solves each cell's equation for itself") {
  for (const int dim : {1, 2, 3}) {
    CAPTURE(dim);
    Problem p;
    p.box = 4, p.boxes = 1, p.boundary = "periodic", p.choices = {{"smoother", "jacobi"}};
    const Pattern pattern = smooth(dim);
    const BoxData data(pattern, p);
    assign(data.argument("w"), {1});
    // L(phi) with the cell's own value replaced by the new one: L(phi) + (new - phi) / lambda = rhs
    const Pattern l_pattern = apply_operator(dim);
    p.choices.clear();
    const BoxData l_data(l_pattern, p);
    const auto l = numbers(l_data.by_reference().view()), next = numbers(data.by_reference().view());
    const auto phi = data.values("phi"), rhs = data.values("rhs"), lambda = data.values("lambda");
    for (std::size_t x = 0; x < phi.size(); ++x)
      CHECK(l[x] + (next[x] - phi[x]) / lambda[x] == doctest::Approx(rhs[x]));
  }
}

TEST_CASE("lambda is what the benchmark's data says it is") {
  for (const int dim : {1, 2, 3})
    for (const char* boundary : {"ghost", "dirichlet"}) {
      CAPTURE(dim);
      Problem p;
      p.box = 5, p.boxes = 2, p.boundary = boundary;
      const Pattern pattern = lambda_operator(dim), smoother = smooth(dim);
      const BoxData data(pattern, p), smoothed(smoother, p);
      const auto computed = numbers(data.by_reference().view()), before = data.values("lambda"),
                 expected = smoothed.values("lambda");
      std::int64_t cells = 0;
      for (std::size_t x = 0; x < computed.size(); ++x) {
        if (computed[x] == before[x]) continue;  // in a ghost zone
        CHECK(computed[x] == doctest::Approx(expected[x]).epsilon(1e-14));
        ++cells;
      }
      CHECK(cells == 2 * (dim == 1 ? 5 : dim == 2 ? 25 : 125));
    }
}

TEST_CASE("symmetric red-black is four half-sweeps") {
  for (const int dim : {1, 2, 3}) {
    Problem p;
    p.box = 5, p.boxes = 2, p.boundary = "dirichlet-value";
    const Pattern pattern = smooth(dim);
    const BoxData one(pattern, p);
    p.choices = {{"smoother", "symmetric-gsrb"}};
    const BoxData all(pattern, p);
    const OwnedArray expected = all.by_reference();
    for (const double color : {0.0, 1.0, 1.0, 0.0}) {
      assign(one.argument("color"), {color});
      const OwnedArray swept = one.by_reference();
      assign(one.argument("phi"), numbers(swept.view()));
    }
    CHECK(one.values("phi") == numbers(expected.view()));
  }
}

TEST_CASE("Chebyshev steps are single steps, one after the other") {
  Problem p;
  p.box = 5, p.boxes = 1, p.ghost = 2, p.choices = {{"smoother", "chebyshev"}};
  const Pattern pattern = smooth(2);
  const BoxData one(pattern, p);
  p.choices["degree"] = "3";
  const BoxData all(pattern, p);
  for (int m = 0; m < 3; ++m) {
    for (const std::string name : {"c1", "c2"})
      assign(one.argument(name), all.values(name + "_" + std::to_string(m)));
    const auto step = numbers(one.by_reference().view()), phi = one.values("phi");
    assign(one.argument("prev"), phi);
    assign(one.argument("phi"), step);
  }
  CHECK(one.values("phi") == numbers(all.by_reference().view()));
}

}  // namespace stencil_operators_test
