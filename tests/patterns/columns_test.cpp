// Programs over the columns of an atmosphere: expression, reference and plain loops agree, and have the
// properties of what they stand for.
#include <doctest/doctest.h>

#include "patterns/operators.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace columns_test {
namespace {

struct Case {
  Pattern pattern;
  Problem p;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto make : {thomas, vertical_advection, fillz, horizontal_diffusion})
    for (const auto& [box, type] : {std::pair{1, f64}, {2, f64}, {3, f32}, {5, f64}}) {
      Problem p;
      p.box = box, p.boxes = 2, p.type = type;
      all.push_back({make(), p});
    }
  for (const auto make : {thomas, vertical_advection, fillz, horizontal_diffusion}) {
    Problem p;
    p.box = 3, p.sides = {5, 3, 4}, p.boxes = 2;
    all.push_back({make(), p});
  }
  for (const char* boundary : {"periodic", "dirichlet", "dirichlet-value", "neumann", "clamp", "constant"}) {
    Problem p;
    p.box = 5, p.boxes = 2, p.boundary = boundary;
    all.push_back({horizontal_diffusion(), p});
    p.box = 3, p.sides = {5, 3, 4};
    all.push_back({horizontal_diffusion(), p});
  }
  return all;
}
Problem single(std::int64_t box) {
  Problem p;
  p.box = box, p.boxes = 1;
  return p;
}

}  // namespace

TEST_CASE("columns: the expression means what the reference computes") {
  for (const Case& c : cases()) {
    INFO(c.pattern.name << " of " << box_text(c.p) << " " << c.p.boundary);
    const BoxData data(c.pattern, c.p);
    const OwnedArray expected = data.by_reference();
    CHECK(relative_error(data.by_interpreter().view(), expected.view()) <= tolerance(c.p.type));
  }
}

TEST_CASE("columns: the plain loops compute the reference") {
  NativeCompiler compiler;
  for (const Case& c : cases()) {
    if (c.p.boundary != "ghost" || c.p.box == 2) continue;
    INFO(c.pattern.name << " of " << box_text(c.p));
    const BoxData data(c.pattern, c.p);
    const OwnedArray expected = data.by_reference();
    for (const OwnedArray& got : data.by_plain_loops(compiler))
      CHECK(relative_error(got.view(), expected.view()) <= tolerance(c.p.type));
  }
}

TEST_CASE("thomas: what it returns solves the systems") {
  const BoxData data(thomas(), single(6));
  const auto a = data.values("a"), b = data.values("b"), c = data.values("c"), d = data.values("d"),
             x = numbers(data.by_interpreter().view());
  const std::size_t plane = 36;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double left = b[i] * x[i];
    if (i >= plane) left += a[i] * x[i - plane];
    if (i + plane < x.size()) left += c[i] * x[i + plane];
    CHECK(left == doctest::Approx(d[i]));
  }
}

TEST_CASE("fillz: a column keeps its mass, and lacks nothing where its neighbours can help") {
  const Problem p = single(5);
  const BoxData data(fillz(), p);
  std::vector<double> q(125, 1.0);
  for (std::size_t column = 0; column < 25; ++column) {
    q[column] = -0.25;                                    // the first level hands down
    q[2 * 25 + column] = -0.5;                            // takes from above
    q[3 * 25 + column] = column % 2 == 0 ? 1.0 : -0.125;  // two levels that lack mass
    q[4 * 25 + column] = -0.0625;
  }
  assign(data.argument("q"), q);
  const auto dp = data.values("dp"), filled = numbers(data.by_interpreter().view());
  CHECK(relative_error(data.by_interpreter().view(), data.by_reference().view()) <= tolerance(f64));
  for (std::size_t column = 0; column < 25; ++column) {
    double before = 0, after = 0, least = 1;
    for (std::size_t k = 0; k < 5; ++k) {
      const std::size_t at = 25 * k + column;
      before += q[at] * dp[at], after += filled[at] * dp[at], least = std::min(least, filled[at]);
    }
    CHECK(after == doctest::Approx(before));
    if (column % 2 == 0) CHECK(least > -1e-12);
  }
}

TEST_CASE("horizontal diffusion: what is constant or linear stays as it is") {
  const BoxData data(horizontal_diffusion(), single(4));
  std::vector<double> u(4 * 8 * 8);
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = 3.0 + 0.5 * static_cast<double>(i % 8) + 2.0 * static_cast<double>(i / 8 % 8);
  assign(data.argument("u"), u);
  const auto got = numbers(data.by_interpreter().view());
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t i = 0; i < 4; ++i) CHECK(got[(k * 4 + j) * 4 + i] == u[(k * 8 + j + 2) * 8 + i + 2]);
}

}  // namespace columns_test
