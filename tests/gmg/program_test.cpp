// A from programs over whole arrays: the same values as the program's own, and what is refused.
#include <doctest/doctest.h>

#include "gmg/from_program.hpp"
#include "gmg/operators.hpp"
#include "ir/expr/sizes.hpp"
#include "ir/text/parse.hpp"
#include "runtime/file.hpp"
#include "tests/gmg/random_equation.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;
using lift::test::message;

namespace gmg_program_test {
namespace {

Program program_of(const std::string& text, const Sizes& sizes = {}) {
  return LiftFile(text, "own.lift").program(sizes);
}

std::string refusal(const std::string& text, const std::vector<std::int64_t>& cells) {
  return message([&] { (void)gmg::equation_of(program_of(text), gmg::Domain(cells), {}, "own.lift"); });
}

}  // namespace

TEST_CASE("A of a file is A of its program in every cell, at faces too") {
  const std::string path = LIFTGEN_SOURCE_DIR "/examples/diffusion.lift";
  const Program p = LiftFile(read_file(path), path).program({{"n", 5}, {"m", 6}});
  std::mt19937 random(5);
  REQUIRE(gmg::pads_unknown(p));
  const gmg::Domain domain = gmg::with_conditions_of(p, gmg::Domain({5, 6}, {.spacings = {0.25, 0.5}}));
  CHECK(domain.condition(0, false).kind == gmg::Condition::Kind::dirichlet);
  CHECK(domain.condition(0, true).kind == gmg::Condition::Kind::neumann);
  CHECK(domain.is_periodic(1));
  const gmg::Equation e = gmg::equation_of(p, domain, {{"c", 1.5}}, path);
  CHECK(e.footprint().size() == 5);
  CHECK(e.coefficient("beta_j").faces == gmg::Axis::j);
  const gmg::Grid g(e, domain);
  const Fields fields{{"u", random_field(random, 30)},
                      {"beta_j", random_field(random, 36, 0.5, 1.5)},
                      {"beta_i", random_field(random, 35, 0.5, 1.5)}};
  const Field expected = interpreted(p, g, fields), got = interpreted(gmg::apply_program(g), g, fields);
  CHECK(largest_difference(got, expected) < 1e-12);
}

TEST_CASE("windows that reach further to one side keep their place") {
  const Program p = program_of(
      "param u : 6.f64 result r = zip(u, u |> pad(2, 0, odd) |> slide(3, 1), u |> pad(0, 1, mirror) |> "
      "slide(2, 1)) "
      "|> map(\\(x, v, w). 5 * x - v[0] - 2 * w[1])");
  const gmg::Domain domain = gmg::with_conditions_of(p, gmg::Domain({6}));
  const gmg::Equation e = gmg::equation_of(p, domain, {}, "own.lift");
  std::mt19937 random(9);
  const gmg::Grid g(e, domain);
  const Fields fields{{"u", random_field(random, 6)}};
  CHECK(e.radius() == 2);
  CHECK(largest_difference(interpreted(gmg::apply_program(g), g, fields), interpreted(p, g, fields)) < 1e-12);
}

TEST_CASE("u with its surroundings: the domain says what lies there, numbers keep the grid's type") {
  const Program p = program_of(
      "param u : 8.7.f64 param alpha : 4.3.f64\n"
      "result r = zip2(u |> slide2(5, 1), alpha) |> map2(\\(w, a). "
      "a * (20 * w[2, 2] - 2 * w[0, 2] - w[2, 4] - w[1, 3]))");
  std::mt19937 random(2);
  gmg::Domain domain({4, 3});
  domain.face({gmg::Axis::j, true}) = gmg::neumann();
  const gmg::Equation e = gmg::equation_of(p, domain, {}, "own.lift");
  CHECK(e.radius() == 2);
  const Stencil stencil = [&](const Position&) {
    return std::vector<std::pair<gmg::Offset, double>>{
        {{0, 0}, 20}, {{-2, 0}, -2}, {{0, 2}, -1}, {{-1, 1}, -1}};
  };
  const gmg::Grid g(e, domain);
  const Field u = random_field(random, 12);
  CHECK(largest_difference(interpreted(gmg::apply_program(g), g, {{"u", u}, {"alpha", Field(12, 1)}}),
                           dense(domain, stencil).times(u)) < 1e-12);
  CHECK(gmg::apply_program(gmg::Grid(e, domain, f32)).body.type() == array({4, 3}, f32));
}

TEST_CASE("programs that are no A of a solver are refused with what to write") {
  const std::string u = "param u : 8.f64 ";
  const auto says = [&](const std::string& text, const std::string& part) {
    const std::string got = refusal(text, {8});
    CAPTURE(got);
    CHECK(got.find("own.lift: ") == 0);
    CHECK(got.find(part) != std::string::npos);
  };
  const auto padded = [&](const std::string& boundary) {
    return u + "result r = u |> pad(1, 1, " + boundary +
           ") |> slide(3, 1) |> map(\\w. 2 * w[1] - w[0] - w[2])";
  };
  CHECK(refusal(padded("odd"), {8}).empty());
  CHECK(refusal(padded("odd (3.0)"), {8}).empty());
  CHECK(refusal(padded("clamp"), {8}).empty());
  says(padded("reflect"), "odd is Dirichlet");
  says(padded("constant 0"), "odd is Dirichlet");
  says(u + "result r = u |> pad(2, 2, clamp) |> slide(5, 1) |> map(\\w. 2 * w[2] - w[0])",
       "more than a cell");
  says(u + "result r = zip(u |> pad(1, 1, odd) |> slide(3, 1), u |> pad(1, 1, mirror) |> slide(3, 1)) |> "
           "map(\\(v, w). 2 * v[1] - w[0])",
       "two ways");
  // The border is another formula: it must not be lost.
  says(u + "result r = update(u, 1, u |> slide(3, 1) |> map(\\w. 2 * w[1] - w[0]))", "one formula for all");
  says(u + "result r = zip(u, iota(8)) |> map(\\(x, i). f64(i + 1) * x)", "depends on where its cell is");
  says(u + "result r = reverse(u)", "in other places for other cells");
  says(u + "result r = u |> map(\\x. x * x)", "not linear");
  says(u + "param a : 5.f64 result r = u |> map(\\x. x * a[0])", "of another shape");
  const std::string beside =
      u + "param a : 8.f64 result r = zip(u, a |> pad(1, 1, clamp) |> slide(3, 1)) |> map(\\(x, w). ";
  CHECK(refusal(beside + "x * w[1])", {8}).empty());
  says(beside + "x * w[2])", "in other places for other cells");
  says(beside + "x * w[2])", "read without pads, and what lies between two cells is one on faces");
  CHECK(refusal(u + "param a : 9.f64 result r = zip(u, a |> slide(2, 1)) |> map(\\(x, w). x * (w[0] + w[1]))",
                {8})
            .empty());
  says(u + "param a : f64 result r = u |> map(\\x. a * x)", "declare one");
  says(u + "param per_h_k : f64 result r = u |> map(\\x. per_h_k * x)", "per_h_i");
  says("param v : 8.f64 result r = v", "param u : 8.f64");
  says(u + "result r = u |> sum", "for each cell");
  says("param u : 8.f32 result r = u", "for each cell");
  says(u + "user g(x : f64) : f64 = \"return x;\" result r = u |> map(g)", "C function g");
}

}  // namespace gmg_program_test
