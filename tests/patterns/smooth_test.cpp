// smooth3d: expression, reference and plain loops agree, and the reference agrees with results known
// beforehand.
#include <doctest/doctest.h>

#include "patterns/box_problem.hpp"
#include "patterns/operators.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace smooth_test {
namespace {

Problem problem(const std::string& smoother, const std::string& boundary, std::int64_t box,
                std::int64_t boxes, std::int64_t ghost, Scalar type) {
  Problem p;
  p.box = box, p.boxes = boxes, p.ghost = ghost, p.boundary = boundary, p.type = type;
  p.choices = {{"smoother", smoother}};
  return p;
}

struct Case {
  Problem p;
  int color;
};
/// Every boundary condition, smoother, colour and type at sizes where remainders and corners matter.
std::vector<Case> cases(const std::vector<std::int64_t>& boxes_of) {
  std::vector<Case> r;
  for (const char* boundary : {"ghost", "periodic", "dirichlet", "neumann"})
    for (const char* smoother : {"gsrb", "jacobi"})
      for (std::int64_t box : boxes_of)
        for (const Scalar type : {f32, f64})
          for (const int color : {0, 1}) {
            const bool gsrb = smoother == std::string("gsrb");
            if (!gsrb && color == 1) continue;
            if (gsrb && boundary == std::string("periodic")) box += box % 2;
            const std::int64_t ghost = boundary == std::string("ghost") && color == 1 ? 2 : 1;
            r.push_back({problem(smoother, boundary, box, 1 + color, ghost, type), color});
          }
  r.push_back({problem("jacobi", "ghost", 3, 2, 2, f64), 0});
  r.push_back({problem("gsrb", "ghost", 3, 1, 2, f64), 0});
  r.push_back({problem("gsrb", "ghost", 4, 2, 3, f64), 1});
  return r;
}

std::string describe(const Case& c) {
  return c.p.choices.at("smoother") + " " + c.p.boundary + ", box " + std::to_string(c.p.box) + ", boxes " +
         std::to_string(c.p.boxes) + ", ghost " + std::to_string(c.p.ghost) + ", " + text(c.p.type) +
         ", color " + std::to_string(c.color);
}

void set_color(const BoxData& data, const Case& c) {
  if (c.p.choices.at("smoother") == "gsrb") assign(data.argument("color"), {static_cast<double>(c.color)});
}

/// Cells of `result` that differ from the array that the sweep starts from.
std::size_t changed(const BoxData& data, const OwnedArray& result, const char* written) {
  const auto before = data.values(written), after = numbers(result.view());
  std::size_t n = 0;
  for (std::size_t i = 0; i < before.size(); ++i) n += before[i] != after[i];
  return n;
}

}  // namespace

TEST_CASE("the expression means what the reference computes") {
  const Pattern pattern = smooth3d();
  for (const Case& c : cases({3, 5})) {
    CAPTURE(describe(c));
    const BoxData data(pattern, c.p);
    set_color(data, c);
    const OwnedArray expected = data.by_reference();
    CHECK(relative_error(data.by_interpreter().view(), expected.view()) <= tolerance(c.p.type));
  }
}

TEST_CASE(
    "a sweep changes every interior cell, a half-sweep those of its colour, and none changes ghost cells") {
  const Pattern pattern = smooth3d();
  for (const Case& c : cases({3})) {
    CAPTURE(describe(c));
    const BoxData data(pattern, c.p);
    set_color(data, c);
    const bool gsrb = c.p.choices.at("smoother") == "gsrb";
    const auto cells = c.p.box * c.p.box * c.p.box;
    const auto expected = !gsrb ? cells : c.color == 0 ? (cells + 1) / 2 : cells / 2;
    CHECK(changed(data, data.by_reference(), gsrb ? "phi" : "next") ==
          static_cast<std::size_t>(expected * c.p.boxes));
  }
}

TEST_CASE("the plain loops compute the reference") {
  const Pattern pattern = smooth3d();
  NativeCompiler compiler;
  // 1: a row that is nothing but boundary
  std::vector<Case> all = cases({5});
  for (const Case& c : cases({1}))
    if (c.p.type == f64) all.push_back(c);
  for (const Case& c : all) {
    CAPTURE(describe(c));
    const BoxData data(pattern, c.p);
    set_color(data, c);
    const OwnedArray expected = data.by_reference();
    const auto plain = data.by_plain_loops(compiler);
    REQUIRE(plain.size() == 2);
    for (const OwnedArray& got : plain)
      CHECK(relative_error(got.view(), expected.view()) <= tolerance(c.p.type));
  }
}

TEST_CASE("one cell by hand") {
  // alpha = 2, beta: west 1, east 2, south 3, north 4, down 5, up 6, phi: centre 1, neighbours 2 .. 7, rhs =
  // 100, lambda = 10
  const Pattern pattern = smooth3d();
  const Problem p = problem("gsrb", "ghost", 1, 1, 1, f64);
  const BoxData data(pattern, p);
  const auto at = [](int k, int j, int i) { return static_cast<std::size_t>((k * 3 + j) * 3 + i); };
  std::vector<double> phi(27, 1000), alpha(27, 1000), beta_i(27, 1000), beta_j(27, 1000), beta_k(27, 1000),
      rhs(27, 1000), lambda(27, 1000);
  phi[at(1, 1, 1)] = 1, alpha[at(1, 1, 1)] = 2, rhs[at(1, 1, 1)] = 100, lambda[at(1, 1, 1)] = 10;
  phi[at(1, 1, 0)] = 2, phi[at(1, 1, 2)] = 3, phi[at(1, 0, 1)] = 4, phi[at(1, 2, 1)] = 5,
               phi[at(0, 1, 1)] = 6, phi[at(2, 1, 1)] = 7;
  beta_i[at(1, 1, 1)] = 1, beta_i[at(1, 1, 2)] = 2, beta_j[at(1, 1, 1)] = 3, beta_j[at(1, 2, 1)] = 4,
                  beta_k[at(1, 1, 1)] = 5, beta_k[at(2, 1, 1)] = 6;
  for (const auto& [name, values] : std::map<std::string, std::vector<double>>{{"phi", phi},
                                                                               {"alpha", alpha},
                                                                               {"beta_i", beta_i},
                                                                               {"beta_j", beta_j},
                                                                               {"beta_k", beta_k},
                                                                               {"rhs", rhs},
                                                                               {"lambda", lambda},
                                                                               {"a", {3}},
                                                                               {"b_h2inv", {0.5}}})
    assign(data.argument(name), values);
  // fluxes: 2*2 - 1*(-1) + 4*4 - 3*(-3) + 6*6 - 5*(-5) = 91; L = 3*2*1 - 91/2 = -39.5; phi + 10*(100 + 39.5)
  // = 1396
  phi[at(1, 1, 1)] = 1396;
  CHECK(numbers(data.by_reference().view()) == phi);
  CHECK(numbers(data.by_interpreter().view()) == phi);
}

TEST_CASE("what is outside a box without ghost zone, in one cell of constant coefficients") {
  // Neumann: all differences vanish; Dirichlet: each of the six is 2 phi; so phi + lambda (rhs - a alpha phi
  // - b/h^2 6 beta 2 phi).
  const Pattern pattern = smooth3d();
  for (const auto& [boundary, expected] : std::map<std::string, double>{
           {"neumann", 3 + 2 * (7 - 3.0)}, {"dirichlet", 3 + 2 * (7 - 3.0 - 12 * 3)}}) {
    const BoxData data(pattern, problem("gsrb", boundary, 1, 1, 1, f64));
    for (const auto& [name, value] : std::map<std::string, double>{{"phi", 3},
                                                                   {"rhs", 7},
                                                                   {"lambda", 2},
                                                                   {"alpha", 1},
                                                                   {"beta_i", 1},
                                                                   {"beta_j", 1},
                                                                   {"beta_k", 1},
                                                                   {"a", 1},
                                                                   {"b_h2inv", 1}})
      assign(data.argument(name),
             std::vector<double>(static_cast<std::size_t>(host::count(data.argument(name).type)), value));
    CHECK(numbers(data.by_reference().view()) == std::vector{expected});
    CHECK(numbers(data.by_interpreter().view()) == std::vector{expected});
  }
}

TEST_CASE("problems that cannot be built say why and what to use instead") {
  const Pattern pattern = smooth3d();
  const auto message = [&](const std::function<void(Problem&)>& spoil) {
    Problem p;
    p.box = 4, p.boxes = 1;
    spoil(p);
    const std::string built = user_error([&] { pattern.build(p); });
    CHECK(user_error([&] { pattern.plain_c(p); }) == built);
    return built;
  };
  CHECK(message([](Problem&) {}) == "");
  CHECK(message([](Problem& p) { p.box = 0; }) ==
        "--box 0: there must be at least one cell a dimension; use --box 1 or more");
  CHECK(message([](Problem& p) { p.boxes = -2; }) ==
        "--boxes -2: there must be at least one box; use --boxes 1 or more");
  CHECK(message([](Problem& p) { p.box = 20000, p.boxes = 1; }) ==
        "--box 20000 --boxes 1: more than 10^12 cells in 3D fit into no memory; use fewer");
  Problem row;
  row.box = 20'000'000, row.boxes = 1;
  CHECK_NOTHROW(find_pattern("dot1d").build(row));
  CHECK(message([](Problem& p) { p.ghost = 0; }) ==
        "--ghost 0: ghost too thin for the stencil: radius 1 needs --ghost 1 or more");
  CHECK(message([](Problem& p) { p.boundary = "open"; }) ==
        "--bc open: unknown boundary condition; use ghost, periodic, dirichlet, dirichlet-value, neumann, "
        "clamp, mirror or constant");
  CHECK(message([](Problem& p) { p.type = i32; }) ==
        "--type i32: operators need floating point; use f32 or f64");
  CHECK(message([](Problem& p) { p.choices["smoother"] = "sor"; }) ==
        "--smoother sor: unknown value; use one of: gsrb, jacobi, chebyshev, symmetric-gsrb");
  CHECK(message([](Problem& p) { p.choices["order"] = "4"; }) ==
        "--order: no such choice here; there are: --coefficients, --degree, --form, --smoother, --stencil");
  CHECK(message([](Problem& p) { p.choices["degree"] = "4"; }) ==
        "--degree 4: only a polynomial has a degree; use --smoother chebyshev, or leave it out");
  CHECK(message([](Problem& p) { p.choices["stencil"] = "box"; }) ==
        "--stencil box: variable coefficients are on faces, which only the star has; use --stencil star or "
        "--coefficients constant");
  CHECK(message([](Problem& p) { p.choices["stencil"] = "box", p.choices["coefficients"] = "constant"; }) ==
        "--stencil box: cells of one colour are neighbours in it, and red-black sweeps are in place; use "
        "--stencil star or --smoother jacobi");
  const auto wide = [](Problem& p) {
    p.choices = {{"stencil", "wide"}, {"coefficients", "constant"}, {"smoother", "jacobi"}};
  };
  CHECK(message(wide) == "--ghost 1: ghost too thin for the stencil: radius 2 needs --ghost 2 or more");
  CHECK(message([&](Problem& p) { wide(p), p.boundary = "mirror", p.box = 1; }) ==
        "--box 1: a stencil of radius 2 reflects past the box; use --box 2 or more");
  CHECK(message([](Problem& p) {
          p.box = 5, p.boundary = "periodic";
        }).starts_with("--box 5: red-black colouring of a periodic box needs an even side"));
  CHECK(message([](Problem& p) { p.box = 5, p.boundary = "periodic", p.choices["smoother"] = "jacobi"; }) ==
        "");
}

TEST_CASE("operators are found by name, and near misses are suggested") {
  CHECK(find_pattern("smooth3d").name == "smooth3d");
  CHECK(user_error([] { find_pattern("smoth3d"); }) ==
        "unknown operator 'smoth3d'; did you mean 'smooth3d'? `liftgen list` shows all");
  CHECK(user_error([] { find_pattern("advection"); }) ==
        "unknown operator 'advection'; `liftgen list` shows all");
  for (const auto& p : all_patterns()) {
    CHECK(&find_pattern(p->name) == p.get());
    CHECK(!p->summary.empty());
    CHECK((p->build && p->fill && p->reference));
  }
}

}  // namespace smooth_test
