// Every program derived from A on one grid against a dense matrix: random A, faces of all kinds mixed.
#include <doctest/doctest.h>

#include "gmg/operators.hpp"
#include "tests/gmg/random_equation.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;
using lift::test::message;

namespace gmg_operators_test {
namespace {

struct Case {
  std::vector<std::int64_t> cells;
  int radius;
  bool corners;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{{5, 6, 7}, 1, false}, {{5, 6, 7}, 1, true}, {{4, 3, 6}, 2, false},
                                     {{7, 6}, 1, true},     {{6, 9}, 2, false},   {{8}, 1, false},
                                     {{2, 2, 3}, 1, true},  {{9}, 3, false}};
  return all;
}

void for_random_equations(
    const std::function<void(std::mt19937&, const gmg::Domain&, const RandomEquation&)>& f) {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (const Case& c : cases()) {
      std::mt19937 random(seed * 100 + static_cast<unsigned>(c.cells.size()));
      const gmg::Domain domain = random_domain(random, c.cells, c.radius == 1);
      CAPTURE(seed);
      CAPTURE(c.cells.size());
      CAPTURE(c.radius);
      f(random, domain, random_equation(random, domain, c.radius, c.corners));
    }
}

Fields with(Fields fields, const std::string& name, const Field& f) {
  fields[name] = f;
  return fields;
}

}  // namespace

TEST_CASE("A, the residual and its norms are those of a dense matrix") {
  for_random_equations([](std::mt19937& random, const gmg::Domain& domain, const RandomEquation& e) {
    const gmg::Grid g(e.equation, domain);
    const Dense a = dense(domain, e.stencil);
    Fields fields = with(e.coefficients, "u", random_field(random, domain.count()));
    fields["f"] = random_field(random, domain.count());
    const Field au = a.times(fields["u"]);
    CHECK(largest_difference(interpreted(gmg::apply_program(g), g, fields), au) < 1e-12);
    Field r = fields["f"];
    double largest = 0, squares = 0;
    for (std::size_t i = 0; i < r.size(); ++i)
      r[i] -= au[i], largest = std::max(largest, std::abs(r[i])), squares += r[i] * r[i];
    CHECK(largest_difference(interpreted(gmg::residual_program(g), g, fields), r) < 1e-12);
    CHECK(largest_difference(interpreted(gmg::residual_norm_program(g, gmg::Norm::max), g, fields),
                             {largest}) < 1e-12);
    CHECK(largest_difference(interpreted(gmg::residual_norm_program(g, gmg::Norm::rms), g, fields),
                             {squares}) < 1e-12);
  });
}

TEST_CASE("lambda is the weight over the diagonal, with what the faces add to it") {
  for_random_equations([](std::mt19937&, const gmg::Domain& domain, const RandomEquation& e) {
    const gmg::Grid g(e.equation, domain);
    const Dense a = dense(domain, e.stencil);
    Field expected(a.n);
    for (std::size_t i = 0; i < a.n; ++i) expected[i] = 1.2 / a(i, i);
    CHECK(largest_difference(interpreted(gmg::lambda_program(g), g, e.coefficients, {{"weight", 1.2}}),
                             expected) < 1e-12);
  });
}

TEST_CASE("what the conditions' values add is A of the cells beyond the faces") {
  for_random_equations([](std::mt19937&, const gmg::Domain& domain, const RandomEquation& e) {
    const gmg::Grid g(e.equation, domain);
    const Dense a = dense(domain, e.stencil);
    const int r = e.equation.radius();
    Position larger = domain.cells();
    for (auto& n : larger) n += 2 * r;
    Field around(static_cast<std::size_t>(count(larger)));
    for_positions(larger, [&](const Position& at) {
      Position x = at;
      for (auto& c : x) c -= r;
      around[flat(larger, at)] = image(domain, x).shift;
    });
    CHECK(largest_difference(interpreted(gmg::boundary_program(g), g, with(e.coefficients, "around", around)),
                             a.shift) < 1e-12);
  });
}

TEST_CASE("relaxation of a colour is Gauss-Seidel among its cells; colours are independent in the matrix") {
  int coloured = 0;
  for_random_equations([&](std::mt19937& random, const gmg::Domain& domain, const RandomEquation& e) {
    const gmg::Grid g(e.equation, domain);
    const std::optional<gmg::Colours> colours = gmg::colours_of(e.equation, domain);
    if (!colours) return;
    ++coloured;
    const Dense a = dense(domain, e.stencil);
    const auto colour_of = [&](const Position& x) {
      std::vector<std::int64_t> all;
      for (const auto& row : colours->rows) {
        std::int64_t sum = 0;
        for (std::size_t d = 0; d < row.size(); ++d)
          if (row[d]) sum += x[d];
        all.push_back(sum % colours->modulus);
      }
      return all;
    };
    std::vector<std::vector<std::int64_t>> of;
    for_positions(domain.cells(), [&](const Position& x) { of.push_back(colour_of(x)); });
    int related = 0;
    for (std::size_t r = 0; r < a.n; ++r)
      for (std::size_t c = 0; c < a.n; ++c) related += r != c && of[r] == of[c] && a(r, c) != 0;
    CHECK(related == 0);

    Fields fields = with(e.coefficients, "u", random_field(random, domain.count()));
    fields["f"] = random_field(random, domain.count());
    fields["lambda"] = interpreted(gmg::lambda_program(g), g, e.coefficients, {{"weight", 1.1}});
    Field expected = fields["u"];
    const Program relaxation = gmg::relaxation_program(g, *colours);
    for (std::size_t c = 0; c < colours->count(); ++c) {
      std::map<std::string, double> numbers;
      const auto of_colour = colours->numbers(c);
      for (std::size_t r = 0; r < of_colour.size(); ++r)
        numbers["color" + std::to_string(r)] = static_cast<double>(of_colour[r]);
      fields["u"] = interpreted(relaxation, g, fields, numbers);
      for (std::size_t x = 0; x < a.n; ++x) {
        bool mine = true;
        for (std::size_t r = 0; r < of_colour.size(); ++r)
          mine = mine && (of[x][r] + of_colour[r]) % colours->modulus == 0;
        if (!mine) continue;
        double residual = fields["f"][x];
        for (std::size_t y = 0; y < a.n; ++y) residual -= a(x, y) * expected[y];
        expected[x] += 1.1 / a(x, x) * residual;
      }
      CHECK(largest_difference(fields["u"], expected) < 1e-11);
    }
  });
  CHECK(coloured > 15);
}

TEST_CASE("a step of a polynomial smoother") {
  for_random_equations([](std::mt19937& random, const gmg::Domain& domain, const RandomEquation& e) {
    const gmg::Grid g(e.equation, domain);
    const Dense a = dense(domain, e.stencil);
    Fields fields = e.coefficients;
    for (const char* name : {"u", "f", "lambda", "previous"})
      fields[name] = random_field(random, domain.count());
    const Field au = a.times(fields["u"]);
    Field expected(a.n);
    for (std::size_t i = 0; i < a.n; ++i)
      expected[i] = fields["u"][i] + 0.3 * (fields["u"][i] - fields["previous"][i]) +
                    0.7 * fields["lambda"][i] * (fields["f"][i] - au[i]);
    CHECK(largest_difference(
              interpreted(gmg::polynomial_program(g), g, fields, {{"first", 0.3}, {"second", 0.7}}),
              expected) < 1e-12);
  });
}

TEST_CASE("as few colours as the footprint asks for") {
  const auto colours = [](const std::vector<std::int64_t>& cells, int radius, bool corners, bool periodic) {
    gmg::Domain domain(cells, {.spacing = 1});
    if (periodic) domain.periodic(gmg::Axis::i);
    const gmg::Equation e = gmg::equation(domain, [&](const gmg::Point& at) {
      Expr sum = 100.0 * at.u();
      for_positions(Position(cells.size(), 2 * radius + 1), [&](const Position& x) {
        gmg::Offset o;
        int away = 0;
        for (const auto c : x) o.push_back(static_cast<int>(c) - radius), away += o.back() != 0;
        if (away == 1 || corners) sum = sum - at.u(o);
      });
      return sum;
    });
    const auto c = gmg::colours_of(e, domain);
    return c ? gmg::str(*c) : "none";
  };
  CHECK(colours({8, 8, 8}, 1, false, true) == "red-black");
  CHECK(colours({8, 8, 8}, 1, true, true) == "8 colours");
  CHECK(colours({8, 8}, 1, true, false) == "4 colours");
  CHECK(colours({8, 8, 8}, 2, false, false) == "3 colours");
  CHECK(colours({8, 8, 9}, 1, false, true) == "3 colours");  // not red-black around an odd number of cells
  CHECK(colours({8, 8, 7}, 1, false, true) == "none");
}

TEST_CASE("colours hold across faces: a reflection ends in another cell than the offset says") {
  // Only cells that differ in all three indices: of the other colour, unless one of them is reflected.
  const auto colours = [](bool periodic) {
    gmg::Domain domain({8, 8, 8}, {.spacing = 1});
    for (const gmg::Axis axis : {gmg::Axis::i, gmg::Axis::j, gmg::Axis::k})
      if (periodic) domain.periodic(axis);
    const gmg::Equation e = gmg::equation(domain, [](const gmg::Point& at) {
      return 9.0 * at.u() - at.u({1, 1, 1}) - at.u({-1, 1, -1});
    });
    return gmg::str(gmg::colours_of(e, domain).value());
  };
  CHECK(colours(true) == "red-black");
  CHECK(colours(false) == "8 colours");
}

TEST_CASE("what cannot be an equation is said in a sentence") {
  const gmg::Domain box({8, 8}, {.spacing = 1});
  const auto said = [&](gmg::Equation::Operator a, const gmg::Domain& d) {
    return message([&] { (void)gmg::equation(d, {gmg::cells("c")}, a); });
  };
  CHECK(said([](const gmg::Point& at) { return at.u() * at.u(); }, box).find("is not linear in u") !=
        std::string::npos);
  CHECK(said([](const gmg::Point& at) { return at.u() + 1; }, box).find("is not linear in u") !=
        std::string::npos);
  CHECK(said([](const gmg::Point& at) { return at.cell("c") + 0.0; }, box).find("does not read u") !=
        std::string::npos);
  CHECK(said([](const gmg::Point& at) { return at.cell("d") * at.u(); }, box)
            .find("no coefficient 'd'; it has c") != std::string::npos);
  CHECK(said(
            [](const gmg::Point& at) {
              return at.u({1, 0, 0});
            },
            box)
            .find("2 dimensions") != std::string::npos);
  gmg::Domain half = box;
  half.face({gmg::Axis::i, true}) = {gmg::Condition::Kind::periodic};
  CHECK(said([](const gmg::Point& at) { return at.u(); }, half).find("periodic at one face only") !=
        std::string::npos);
  gmg::Domain robin = box;
  robin.face({gmg::Axis::j, false}) = gmg::robin(1, 1);
  CHECK(said(
            [](const gmg::Point& at) {
              return at.u({0, 2}) + at.u();
            },
            robin)
            .find("Robin condition") != std::string::npos);
  gmg::Domain values = box;
  values.face({gmg::Axis::j, false}) = gmg::dirichlet(std::vector<double>(7));
  CHECK(said([](const gmg::Point& at) { return at.u(); }, values).find("has 8 cells, but 7 values") !=
        std::string::npos);
}

}  // namespace gmg_operators_test
