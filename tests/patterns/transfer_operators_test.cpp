// Restriction and prolongation as operators: expression, reference and plain loops agree for every dimension,
// type, boundary condition and choice, at odd coarse sizes.
#include <doctest/doctest.h>

#include "patterns/box_problem.hpp"
#include "patterns/operators.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace transfer_operators_test {
namespace {

struct Case {
  Problem p;
  int dim;
  bool prolong;
};

using Choices = std::vector<std::map<std::string, std::string>>;
Choices restrictions(int dim) {
  Choices c{{{"kind", "average"}},
            {{"kind", "average"}, {"form", "thesis"}},
            {{"kind", "linear"}},
            {{"kind", "full_weighting"}}};
  const char* axes[] = {"i", "j", "k"};
  for (int d = 0; d < dim; ++d) c.push_back({{"kind", "face"}, {"axis", axes[d]}});
  return c;
}
Choices prolongations() {
  return {{{"kind", "linear"}},
          {{"kind", "linear"}, {"mode", "increment"}},
          {{"kind", "constant"}},
          {{"kind", "constant"}, {"mode", "increment"}},
          {{"kind", "linear"}, {"form", "thesis"}}};
}

std::vector<Case> cases(bool prolong, std::int64_t coarse, const std::vector<Scalar>& types) {
  std::vector<Case> all;
  for (int dim = 1; dim <= 3; ++dim)
    for (const std::string& boundary : boundary_names())
      for (const auto& choices : prolong ? prolongations() : restrictions(dim))
        for (const Scalar type : types) {
          Problem p;
          p.box = 2 * coarse, p.boxes = 2, p.boundary = boundary, p.type = type, p.choices = choices;
          p.ghost = type == f32 ? 2 : 1;
          all.push_back({p, dim, prolong});
        }
  return all;
}
Pattern pattern_of(const Case& c) { return c.prolong ? prolongation(c.dim) : restriction(c.dim); }

std::string describe(const Case& c) {
  std::string s =
      pattern_of(c).name + " " + c.p.boundary + ", box " + std::to_string(c.p.box) + ", " + text(c.p.type);
  for (const auto& [name, value] : c.p.choices) s += ", " + name + " " + value;
  return s;
}

}  // namespace

TEST_CASE("transfer: the expression means what the reference computes") {
  std::size_t checked = 0;
  for (const bool prolong : {false, true})
    for (const Case& c : cases(prolong, 3, {f32, f64})) {
      CAPTURE(describe(c));
      const Pattern pattern = pattern_of(c);
      const BoxData data(pattern, c.p);
      const OwnedArray expected = data.by_reference();
      CHECK(relative_error(data.by_interpreter().view(), expected.view()) <= tolerance(c.p.type));
      ++checked;
    }
  CHECK(checked == boundary_names().size() * 2 * ((5 + 6 + 7) + 3 * 5));
}

TEST_CASE("transfer: what is written is the interior") {
  for (const bool prolong : {false, true})
    for (const Case& c : cases(prolong, 3, {f64})) {
      if (c.p.choices.at("kind") == "face") continue;
      CAPTURE(describe(c));
      const Pattern pattern = pattern_of(c);
      const BoxData data(pattern, c.p);
      const auto before = data.values(prolong ? "fine" : "coarse"),
                 after = numbers(data.by_reference().view());
      std::int64_t changed = 0, cells = c.p.boxes;
      for (int d = 0; d < c.dim; ++d) cells *= prolong ? c.p.box : c.p.box / 2;
      for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i];
      CHECK(changed == cells);
    }
}

TEST_CASE("transfer: the plain loops compute the reference") {
  // Boundary conditions matter to those that read outside the box; thesis forms have the loops of the others.
  const auto different = [](const Case& c) {
    if (c.p.choices.count("form")) return false;
    const std::string kind = c.p.choices.at("kind");
    const bool reaches_out = kind == "full_weighting" || (kind == "linear" && c.p.choices.count("mode") == 0);
    return c.p.boundary == "ghost" || (c.dim != 1 && c.p.boundary == "periodic") ||
           (reaches_out && c.dim == 2);
  };
  NativeCompiler compiler;
  const auto check = [&](const Case& c) {
    CAPTURE(describe(c));
    const Pattern pattern = pattern_of(c);
    const BoxData data(pattern, c.p);
    const OwnedArray expected = data.by_reference();
    const auto plain = data.by_plain_loops(compiler);
    REQUIRE(plain.size() == 2);
    for (const OwnedArray& got : plain)
      CHECK(relative_error(got.view(), expected.view()) <= tolerance(c.p.type));
  };
  for (const bool prolong : {false, true}) {
    for (const Case& c : cases(prolong, 3, {f64}))
      if (different(c)) check(c);
    for (const Case& c : cases(prolong, 2, {f32}))
      if (c.dim == 2 && c.p.boundary == "dirichlet" && c.p.choices.at("kind") == "linear" &&
          c.p.choices.size() == 1)
        check(c);
  }
}

TEST_CASE("transfer: problems that cannot be built say why") {
  Problem p;
  p.box = 7, p.boxes = 1;
  CHECK(user_error([&] { prolongation(2).build(p); }) ==
        "--box 7: the coarse grid has half as many cells a dimension; use an even --box");
  p.box = 8, p.choices = {{"form", "thesis"}, {"kind", "constant"}};
  CHECK(user_error([&] { prolongation(2).build(p); }) ==
        "--form thesis: the thesis sets the fine grid by linear interpolation; use --kind linear --mode set");
  p.choices = {{"form", "thesis"}, {"kind", "linear"}};
  CHECK(user_error([&] { restriction(2).build(p); }) ==
        "--form thesis: the thesis restricts by averages only; use --kind average");
  p.choices = {{"kind", "face"}, {"axis", "k"}};
  CHECK(user_error([&] { restriction(2).build(p); }).find("--axis k") == 0);
}

}  // namespace transfer_operators_test
