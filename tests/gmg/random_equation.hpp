// Random domains and random A, each with the same A as a stencil of plain numbers.
#pragma once

#include "tests/gmg/dense.hpp"

namespace lift::testing {

/// Cells as given, each axis periodic or with two conditions of any kind.
inline gmg::Domain random_domain(std::mt19937& random, const std::vector<std::int64_t>& cells,
                                 bool robin = true) {
  std::uniform_real_distribution<double> number(0.5, 2);
  std::vector<double> spacings;
  for (std::size_t d = 0; d < cells.size(); ++d) spacings.push_back(number(random));
  gmg::Domain domain(cells, {.spacings = spacings});
  for (std::size_t a = 0; a < cells.size(); ++a) {
    const auto axis = static_cast<gmg::Axis>(a);
    if (random() % 4 == 0) {
      domain.periodic(axis);
      continue;
    }
    for (const bool high : {false, true}) {
      gmg::Condition& c = domain.face({axis, high});
      const double g = number(random);
      switch (random() % (robin ? 3 : 2)) {
        case 0:
          c = gmg::dirichlet(g);
          break;
        case 1:
          c = gmg::neumann(g);
          break;
        default:
          c = gmg::robin(number(random), number(random), g);
      }
    }
  }
  return domain;
}

struct RandomEquation {
  gmg::Equation equation;
  Fields coefficients;
  Stencil stencil;  ///< over the coefficients of this very object
};

/// One term of A: number * cell[which] * face(side) of an axis / h of it, times u at an offset.
struct RandomTerm {
  gmg::Offset offset;
  double number;
  int side;
  std::size_t axis;  ///< as a dimension
};

/// `radius` cells away at most; `corners`: also those away along several axes.
inline RandomEquation random_equation(std::mt19937& random, const gmg::Domain& domain, int radius,
                                      bool corners) {
  const std::size_t rank = domain.dimensions();
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<RandomTerm> terms;
  terms.push_back({gmg::Offset(rank, 0), 40, 0, 0});  // diagonally dominant
  Position box(rank, 2 * radius + 1);
  for_positions(box, [&](const Position& at) {
    gmg::Offset o;
    int away = 0;
    for (const auto x : at) o.push_back(static_cast<int>(x) - radius), away += o.back() != 0;
    if (away > 0 && (corners || away == 1) && random() % 3 != 0)
      terms.push_back({o, number(random), static_cast<int>(random() % 2), random() % rank});
  });
  std::vector<gmg::Coefficient> coefficients{gmg::cells("alpha")};
  const auto axis_of = [rank](std::size_t d) { return static_cast<gmg::Axis>(rank - 1 - d); };
  const auto beta = [&domain](std::size_t d) { return "beta_" + domain.name_of(d); };
  for (std::size_t d = 0; d < rank; ++d) coefficients.push_back(gmg::faces(beta(d), axis_of(d)));
  const gmg::Domain d0 = domain;
  gmg::Equation equation(domain, coefficients, {{"a", 1.25}}, [=](const gmg::Point& at) {
    Expr sum;
    for (const RandomTerm& t : terms) {
      const Expr x =
          at.number("a") * (t.number * at.cell("alpha") * at.face("beta_" + d0.name_of(t.axis), t.side) *
                            at.per_spacing(axis_of(t.axis)) * at.u(t.offset));
      sum = sum ? sum + x : x;
    }
    return sum;
  });
  Fields fields;
  const gmg::Grid grid(equation, domain);
  for (const gmg::Coefficient& c : coefficients)
    fields[c.name] = random_field(random, count(grid.shape_of(c)), 0.5, 1.5);
  const Stencil stencil = [=](const Position& x) {
    std::vector<std::pair<gmg::Offset, double>> all;
    for (const RandomTerm& t : terms) {
      Position shape = d0.cells(), at = x;
      ++shape[t.axis], at[t.axis] += t.side;
      all.emplace_back(t.offset, 1.25 * t.number * fields.at("alpha")[flat(d0.cells(), x)] *
                                     fields.at("beta_" + d0.name_of(t.axis))[flat(shape, at)] /
                                     d0.spacing(t.axis));
    }
    return all;
  };
  return {equation, fields, stencil};
}

}  // namespace lift::testing
