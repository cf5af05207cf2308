// Solutions that are known are met to second order: for each kind of face, each face having values of its
// own, constant and variable coefficients, three sizes, sides of different lengths and spacings.
#include <doctest/doctest.h>

#include <numbers>

#include "gmg/solver.hpp"
#include "tests/gmg/random_equation.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_order_test {
namespace {

using gmg::Axis;
using At = std::span<const double>;

/// A product over the axes of sin(wave x + phase), plus a constant. An axis with a period has such waves.
struct Waves {
  double constant, amplitude;
  std::vector<double> wave, phase;

  /// The derivative along `d`, once or twice; the function itself for d < 0.
  double operator()(At x, int d = -1, int times = 0) const {
    double all = amplitude;
    for (std::size_t e = 0; e < x.size(); ++e) {
      const double t = wave[e] * x[e] + phase[e];
      const bool here = static_cast<int>(e) == d;
      all *= !here || times == 0 ? std::sin(t)
             : times == 1        ? wave[e] * std::cos(t)
                                 : -wave[e] * wave[e] * std::sin(t);
    }
    return (d < 0 ? constant : 0) + all;
  }
};

std::string kind_of(const std::string& faces, std::size_t d, bool high) {
  if (faces != "mixed") return faces;
  if (d == 2) return "periodic";
  return d == 0 ? (high ? "neumann" : "dirichlet") : high ? "robin" : "neumann";
}

/// The largest error where axis d has `cells` of them, on a region with the sides 1, 1.25, 0.8. Where A is
/// singular (`a` is 0, and no face has a value), u is compared less its mean.
double error(const std::vector<std::int64_t>& cells, const std::string& faces, bool variable, double a) {
  const std::size_t rank = cells.size();
  const std::vector<double> side{1, 1.25, 0.8};
  std::vector<double> spacings;
  for (std::size_t d = 0; d < rank; ++d) spacings.push_back(side[d] / static_cast<double>(cells[d]));
  gmg::Domain box(cells, {.spacings = spacings});
  Waves u{0.2, 1, {}, {}}, beta{1, variable ? 0.4 : 0, {}, {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const bool around = kind_of(faces, d, false) == "periodic";
    const double once_around = 2 * std::numbers::pi / side[d], x = static_cast<double>(d);
    u.wave.push_back(around ? once_around : 1.7 + 0.3 * x), u.phase.push_back(0.5 - 0.2 * x);
    beta.wave.push_back(around ? once_around : 2.3 - 0.4 * x), beta.phase.push_back(0.3 + 0.5 * x);
  }
  const auto position = [&](const Position& at) {
    std::vector<double> x;
    for (std::size_t d = 0; d < rank; ++d) x.push_back((static_cast<double>(at[d]) + 0.5) * spacings[d]);
    return x;
  };
  for (std::size_t d = 0; d < rank; ++d)
    for (const bool high : {false, true}) {
      std::vector<std::int64_t> face = cells;
      face[d] = 1;
      Field values, slopes, robin;
      for_positions(face, [&](const Position& at) {
        std::vector<double> x = position(at);
        x[d] = high ? side[d] : 0;
        const double slope = (high ? 1 : -1) * u(x, static_cast<int>(d), 1);
        values.push_back(u(x)), slopes.push_back(slope), robin.push_back(2 * u(x) + 0.5 * slope);
      });
      const Axis axis = static_cast<Axis>(rank - 1 - d);
      const std::string kind = kind_of(faces, d, high);
      gmg::Condition& c = box.face({axis, high});
      if (kind == "dirichlet") c = gmg::dirichlet(values);
      if (kind == "neumann") c = gmg::neumann(slopes);
      if (kind == "robin") c = gmg::robin(2, 0.5, robin);
      if (kind == "periodic") box.periodic(axis);
    }
  // Few levels, for few kernels: what is found does not depend on them.
  gmg::Solver solver(gmg::helmholtz(box, {.a = a, .variable = variable}), {.bottom_cells = 600});
  for (const gmg::Coefficient& c : solver.equation().coefficients())
    if (c.faces) solver.set(c.name, gmg::Solver::Sampler([&](At x) { return beta(x); }));
  Field f, exact;
  for_positions(cells, [&](const Position& at) {
    const std::vector<double> x = position(at);
    double divergence = 0;
    for (int d = 0; d < static_cast<int>(rank); ++d)
      divergence += beta(x) * u(x, d, 2) + beta(x, d, 1) * u(x, d, 1);
    exact.push_back(u(x)), f.push_back(a * u(x) - divergence);
  });
  Field found(f.size(), 0);
  const gmg::Report r = solver.solve(f, found, {.relative = 1e-10});
  CHECK_MESSAGE(r.converged(), r.text());
  if (solver.hierarchy().singular()) gmg::remove_mean(exact);
  return largest_difference(found, exact);
}

void check_order(const std::vector<std::int64_t>& cells, const std::string& faces, bool variable, double a) {
  CAPTURE(faces);
  CAPTURE(variable);
  CAPTURE(a);
  std::vector<double> errors;
  for (const int finer : {1, 2, 4}) {
    std::vector<std::int64_t> n = cells;
    for (auto& x : n) x *= finer;
    errors.push_back(error(n, faces, variable, a));
  }
  const double first = std::log2(errors[0] / errors[1]), second = std::log2(errors[1] / errors[2]);
  CAPTURE(errors[0]);
  CHECK(first > 1.8);
  CHECK(second > 1.88);
  CHECK(second < 2.15);
  CHECK(errors[2] < 0.01);
}

}  // namespace

TEST_CASE("a manufactured solution is met to second order, each face having a value") {
  for (const char* faces : {"dirichlet", "neumann", "robin", "periodic", "mixed"})
    for (const bool variable : {false, true})
      check_order({10, 14}, faces, variable, std::string(faces) == "neumann" ? 1 : 0);
}

TEST_CASE("second order in 1D and 3D, and where constants are solutions") {
  check_order({12}, "mixed", true, 0);
  check_order({6, 10, 8}, "mixed", true, 0);
  check_order({8, 6, 10}, "periodic", true, 0);
  check_order({6, 10, 8}, "dirichlet", true, 0);
  check_order({6, 10, 8}, "neumann", true, 1);
  check_order({6, 10, 8}, "robin", true, 0);
  check_order({10, 14}, "neumann", true, 0);
}

}  // namespace gmg_order_test
