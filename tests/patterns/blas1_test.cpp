// Vector operations and reductions over grids: expression, reference and plain loops agree; compensation
// compensates.
#include <doctest/doctest.h>

#include "patterns/operators.hpp"
#include "patterns/reduction.hpp"
#include "tests/patterns/box_case.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace blas1_test {
namespace {

std::vector<Case> cases(const std::vector<Scalar>& types) {
  struct Kind {
    Pattern (*make)(int);
    std::map<std::string, std::string> choices;
  };
  const std::vector<Kind> kinds{{axpy, {}},
                                {scale, {}},
                                {shift, {}},
                                {dot, {}},
                                {dot, {{"compensated", "yes"}}},
                                {norm, {{"kind", "max"}}},
                                {norm, {{"kind", "l2"}}},
                                {norm, {{"kind", "l2"}, {"compensated", "yes"}}}};
  std::vector<Case> all;
  for (const Kind& k : kinds)
    for (int dim = 1; dim <= 3; ++dim)
      for (const char* boundary : {"ghost", "neumann"})
        for (const Scalar type : types) {
          Problem p;
          p.box = 5, p.boxes = 3, p.ghost = dim == 2 ? 2 : 1, p.boundary = boundary, p.type = type,
          p.choices = k.choices;
          all.push_back({k.make(dim), p});
        }
  return all;
}

double value(const Expr& e, const std::vector<double>& xs) {
  return interpret(e, {{"x", make_array(xs, array({Nat(static_cast<std::int64_t>(xs.size()))}, f64))}})
      .number();
}

}  // namespace

TEST_CASE("blas1: the expression means what the reference computes") {
  for (const Case& c : cases({f32, f64})) {
    CAPTURE(describe(c));
    const BoxData data(c.pattern, c.p);
    const OwnedArray expected = data.by_reference();
    CHECK(relative_error(data.by_interpreter().view(), expected.view()) <= tolerance(c.p.type));
  }
}

TEST_CASE("blas1: the plain loops compute the reference") {
  NativeCompiler compiler;
  for (const Case& c : cases({f32})) {
    if (c.p.choices.count("compensated") || (c.p.boundary == "neumann" && c.pattern.name.back() == '1'))
      continue;
    CAPTURE(describe(c));
    const BoxData data(c.pattern, c.p);
    const OwnedArray expected = data.by_reference();
    for (const OwnedArray& got : data.by_plain_loops(compiler))
      CHECK(relative_error(got.view(), expected.view()) <= tolerance(c.p.type));
  }
}

TEST_CASE("blas1: known values, on the interior alone") {
  Problem p;
  p.box = 2, p.boxes = 1, p.ghost = 1;
  const auto run = [&](const Pattern& pattern, const std::map<std::string, std::string>& choices) {
    p.choices = choices;
    const BoxData data(pattern, p);
    for (const char* name : {"x", "y", "a"})
      if (std::any_of(data.program.arguments.begin(), data.program.arguments.end(),
                      [&](const Expr& a) { return param_name(a) == name; }))
        assign(data.argument(name), name[0] == 'x'   ? std::vector<double>{100, 3, -4, 100}
                                    : name[0] == 'y' ? std::vector<double>{50, 1, 2, 50}
                                                     : std::vector<double>{0.5});
    const auto got = numbers(data.by_interpreter().view());
    CHECK(got == numbers(data.by_reference().view()));
    return got;
  };
  CHECK(run(axpy(1), {}) == std::vector<double>{50, 2.5, 0, 50});
  CHECK(run(scale(1), {}) == std::vector<double>{100, 1.5, -2, 100});
  CHECK(run(shift(1), {}) == std::vector<double>{100, 3.5, -3.5, 100});
  CHECK(run(norm(1), {}) == std::vector<double>{4});
  CHECK(run(norm(1), {{"kind", "l2"}}) == std::vector<double>{5});
  CHECK(run(dot(1), {{"compensated", "yes"}}) == std::vector<double>{-5});
}

TEST_CASE("compensated sums keep what plain ones lose") {
  const std::vector<double> xs{1e16, 1, 1, -1e16, 1, 1e-3};
  const Expr x = param("x", array({Nat(6)}, f64));
  CHECK(value(sum_of_elements(1, x, false), xs) != 3.001);
  CHECK(value(sum_of_elements(1, x, true), xs) == 3.001);
  // in two levels the partial sums' errors are kept too
  CHECK(value(sum_of_elements(2, split({Nat(3)}, x), true), xs) == 3.001);
}

TEST_CASE("blas1: a compensated maximum is refused") {
  Problem p;
  p.choices = {{"kind", "max"}, {"compensated", "yes"}};
  CHECK(user_error([&] { norm(3).build(p); }) ==
        "--compensated yes: the largest magnitude is exact already; use --kind l2");
}

}  // namespace blas1_test
