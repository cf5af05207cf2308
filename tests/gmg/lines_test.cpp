// Smoothing by lines: against a dense matrix, by cycles for A with axes of unlike strength, and by what is
// said where lines will not do.
#include <doctest/doctest.h>

#include "gmg/fourier.hpp"
#include "gmg/solver.hpp"
#include "tests/gmg/random_equation.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;
using lift::test::message;

namespace gmg_lines_test {
namespace {

constexpr gmg::Smoother kLines[] = {gmg::Smoother::lines_i, gmg::Smoother::lines_j, gmg::Smoother::lines_k};

gmg::Smoother lines_along(const gmg::Domain& domain, std::size_t dimension) {
  return kLines[domain.dimensions() - 1 - dimension];
}

/// M x = b by elimination; small.
Field solved(std::vector<Field> m, Field b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = k + 1; r < n; ++r) {
      const double factor = m[r][k] / m[k][k];
      for (std::size_t c = k; c < n; ++c) m[r][c] -= factor * m[k][c];
      b[r] -= factor * b[k];
    }
  for (std::size_t r = n; r-- > 0;) {
    for (std::size_t c = r + 1; c < n; ++c) b[r] -= m[r][c] * b[c];
    b[r] /= m[r][r];
  }
  return b;
}

struct Lines {
  std::vector<std::vector<std::size_t>> cells;  ///< of each line, from its beginning
  std::vector<std::vector<std::int64_t>> colour;
};

Lines lines_of(const gmg::Domain& domain, const gmg::Colours& colours, std::size_t dimension) {
  Lines all;
  Position first = domain.cells();
  first[dimension] = 1;
  for_positions(first, [&](Position x) {
    std::vector<std::int64_t> of;
    for (const auto& row : colours.rows) {
      std::int64_t sum = 0;
      for (std::size_t d = 0; d < row.size(); ++d)
        if (row[d]) sum += x[d];
      of.push_back(sum % colours.modulus);
    }
    all.colour.push_back(of);
    all.cells.emplace_back();
    for (; x[dimension] < domain.cells()[dimension]; ++x[dimension])
      all.cells.back().push_back(flat(domain.cells(), x));
  });
  return all;
}

/// One sweep: the lines of a colour after those of another, all of a line's cells at once.
void sweep(const Dense& a, const Lines& lines, const gmg::Colours& colours, double weight, const Field& f,
           Field& u) {
  for (std::size_t c = 0; c < colours.count(); ++c) {
    const Field au = a.times(u);
    for (std::size_t l = 0; l < lines.cells.size(); ++l) {
      const auto numbers = colours.numbers(c);
      bool mine = true;
      for (std::size_t r = 0; r < numbers.size(); ++r)
        mine = mine && (lines.colour[l][r] + numbers[r]) % colours.modulus == 0;
      if (!mine) continue;
      const auto& cells = lines.cells[l];
      std::vector<Field> m(cells.size(), Field(cells.size()));
      Field r(cells.size());
      for (std::size_t x = 0; x < cells.size(); ++x) {
        r[x] = f[cells[x]] - au[cells[x]];
        for (std::size_t y = 0; y < cells.size(); ++y) m[x][y] = a(cells[x], cells[y]);
      }
      const Field e = solved(m, r);
      for (std::size_t x = 0; x < cells.size(); ++x) u[cells[x]] += weight * e[x];
    }
  }
}

/// With lines along each axis that may have them; `by_kernels`: a level's own, else the interpreter's.
int check_sweeps(unsigned seed, const std::vector<std::int64_t>& cells, bool corners, bool by_kernels) {
  CAPTURE(seed);
  CAPTURE(corners);
  std::mt19937 random(seed);
  const gmg::Domain domain = random_domain(random, cells);
  const RandomEquation e = random_equation(random, domain, 1, corners);
  const gmg::Grid g(e.equation, domain);
  const Dense a = dense(domain, e.stencil);
  int checked = 0;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (domain.is_periodic(d)) continue;
    CAPTURE(d);
    const gmg::Colours colours = gmg::line_colours(e.equation, domain, d);
    const Lines lines = lines_of(domain, colours, d);
    for (std::size_t l = 0; l < lines.cells.size() && colours.count() > 1; ++l)
      for (std::size_t m = 0; m < lines.cells.size(); ++m)
        for (const std::size_t x : lines.cells[l])
          for (const std::size_t y : lines.cells[m])
            if (l != m && lines.colour[l] == lines.colour[m]) REQUIRE(a(x, y) == 0);
    Fields fields = e.coefficients;
    fields["u"] = random_field(random, domain.count()), fields["f"] = random_field(random, domain.count());
    Field expected = fields["u"], found;
    const double weight = 0.9;
    sweep(a, lines, colours, weight, fields["f"], expected);
    if (by_kernels) {
      gmg::Level level(g, {.smoother = lines_along(domain, d), .weight = weight}, {});
      for (const auto& [name, x] : fields) std::copy(x.begin(), x.end(), level.array(name).begin());
      level.refresh();
      level.smooth(1);
      found.assign(level.array("u").begin(), level.array("u").end());
    } else {
      const char* const names[] = {"below", "at", "above"};
      for (int side = -1; side <= 1; ++side)
        fields[names[side + 1]] = interpreted(gmg::line_matrix_program(g, d, side), g, fields);
      for (std::size_t c = 0; c < colours.count(); ++c) {
        fields["r"] = interpreted(gmg::residual_program(g), g, fields);
        fields["e"] = interpreted(gmg::line_solution_program(g, d), g, fields);
        std::map<std::string, double> numbers{{"weight", weight}};
        const auto of_colour = colours.numbers(c);
        for (std::size_t r = 0; r < of_colour.size(); ++r)
          numbers["color" + std::to_string(r)] = static_cast<double>(of_colour[r]);
        fields["u"] = interpreted(gmg::line_update_program(g, colours), g, fields, numbers);
      }
      found = fields["u"];
    }
    CHECK(largest_difference(found, expected) < 1e-11);
    ++checked;
  }
  return checked;
}

/// -div grad u on so many cells, the coupling along the last axis `ratio` times that along the others.
gmg::Report solved_by(gmg::Smoother smoother, const std::vector<std::int64_t>& cells, double ratio,
                      std::vector<gmg::Ratios> ratios = {}) {
  std::vector<double> spacings(cells.size(), std::sqrt(ratio));
  spacings.back() = 1;
  const gmg::Equation a = gmg::helmholtz(gmg::Domain(cells, {.spacings = spacings}), {.variable = false});
  gmg::Solver solver(a, {.smoother = smoother, .ratios = std::move(ratios)});
  std::mt19937 random(5);
  const Field f = random_field(random, a.domain().count());
  Field u(f.size(), 0);
  return solver.solve(f, u, {.relative = 1e-8});
}

}  // namespace

TEST_CASE("sweeps by lines are those of a dense matrix") {
  int checked = 0;
  for (unsigned seed = 0; seed < 6; ++seed)
    for (const bool corners : {false, true}) {
      checked += check_sweeps(seed, {5, 6, 7}, corners, false);
      checked += check_sweeps(seed, {6, 9}, corners, false);
    }
  CHECK(checked > 30);
}

TEST_CASE("sweeps by lines: a level's kernels") {
  CHECK(check_sweeps(1, {5, 6, 7}, false, true) + check_sweeps(2, {5, 6, 7}, true, true) +
            check_sweeps(3, {6, 9}, true, true) >
        3);
}

TEST_CASE("with lines along the strong axis, 1:100 takes about as many cycles as 1:1 by cells") {
  using gmg::Smoother;
  for (const std::vector<std::int64_t>& cells : {std::vector<std::int64_t>{64, 48}, {20, 24, 32}}) {
    CAPTURE(cells.size());
    const gmg::Report isotropic = solved_by(Smoother::gauss_seidel, cells, 1),
                      lines = solved_by(Smoother::lines_i, cells, 100),
                      across = solved_by(Smoother::lines_j, cells, 100);
    CHECK(isotropic.converged());
    CHECK_MESSAGE(lines.converged(), lines.text());
    CHECK(lines.cycles() <= isotropic.cycles() + 2);
    CHECK(across.cycles() > 2 * lines.cycles());  // along a weak one, they do not help
    CHECK(lines.grids[0].find("lines-i") != std::string::npos);
  }
}

TEST_CASE("Fourier factors of lines: the textbook's, and what cycles do") {
  const gmg::Domain box({32, 32});
  const gmg::Equation a = gmg::helmholtz(box, {.variable = false});
  // Zebra: 1/4 for Poisson's equation (Trottenberg, Oosterlee, Schueller, Multigrid, table 5.1).
  const gmg::Plan one{.smoother = gmg::Smoother::lines_i, .down = 1, .up = 0};
  CHECK(std::abs(gmg::fourier_factors(a, one, {}, 64).smoothing - 0.25) < 0.01);
  const gmg::Equation strong =
      gmg::helmholtz(gmg::Domain({32, 32}, {.spacings = {10, 1}}), {.variable = false});
  const double predicted =
      gmg::fourier_factors(strong, {.smoother = gmg::Smoother::lines_i, .down = 1, .up = 1}).two_grid;
  CHECK(predicted < 0.2);
  gmg::Solver solver(strong,
                     {.cycle = gmg::CycleKind::W, .smoother = gmg::Smoother::lines_i, .down = 1, .up = 1});
  std::mt19937 random(6);
  const Field f = random_field(random, 1024);
  Field u(f.size(), 0);
  const gmg::Report r = solver.solve(f, u, {.relative = 1e-11});
  CHECK(r.converged());
  CHECK(r.mean_factor() < 1.15 * predicted);
}

TEST_CASE("lines that will not do are refused with what will") {
  const auto said = [](const gmg::Equation& a, gmg::Smoother smoother) {
    return message([&] { gmg::Solver(a, {.smoother = smoother}); });
  };
  gmg::Domain box({12, 10});
  box.periodic(gmg::Axis::i);
  CHECK(said(gmg::helmholtz(box), gmg::Smoother::lines_i).find("lines-i needs faces") != std::string::npos);
  CHECK(said(gmg::helmholtz(box), gmg::Smoother::lines_k).find("no axis k") != std::string::npos);
  CHECK(said(gmg::helmholtz(gmg::Domain({12})), gmg::Smoother::lines_i).find("one dimension") !=
        std::string::npos);
  const gmg::Equation wide = gmg::equation(gmg::Domain({12, 10}), [](const gmg::Point& p) {
    return 9.0 * p.u() - p.u({0, 1}) - p.u({0, -1}) - p.u({2, 0}) - p.u({-2, 0});
  });
  const std::string text = said(wide, gmg::Smoother::lines_j);
  CHECK(text.find("lines-j") != std::string::npos);
  CHECK(text.find("2 cells away") != std::string::npos);
  CHECK(said(wide, gmg::Smoother::lines_i).empty());
}

}  // namespace gmg_lines_test
