// A u = f: the operator A as its user writes it, an expression in what one cell sees.
//
//   gmg::Equation flow = gmg::equation(box, {gmg::faces("beta", gmg::i)}, [](const gmg::Point& at) {
//     const lift::Expr q = at.per_spacing(gmg::i);
//     return q * q * (at.face("beta", 0) * (at.u({0}) - at.u({-1})) - at.face("beta", 1) * (at.u({1}) -
//     at.u({0})));
//   });
//
// All else is derived from that: nothing in this folder knows an operator. A is to be linear in u. Coarse
// grids have the same expression, over their own spacing and restricted coefficients.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "gmg/domain.hpp"
#include "ir/expr/build.hpp"

namespace lift::gmg {

/// A cell relative to another, one number a dimension, outermost first.
using Offset = std::vector<int>;

/// An array that A reads, of the domain's shape, or with one element more along the axis whose faces it is
/// on: element x is the face between the cells x - 1 and x.
struct Coefficient {
  std::string name;
  std::optional<Axis> faces = {};  ///< none: cell-centred
};
Coefficient cells(const std::string& name);
Coefficient faces(const std::string& name, Axis axis);

/// Where the parts of A's expression come from.
struct Reads {
  std::function<Expr(const Offset&)> u;  ///< the unknown at a cell
  std::function<Expr(const Coefficient&, int upper)>
      coefficient;                                         ///< at the cell, or at one of its two faces
  std::function<Expr(const std::string&)> number;          ///< a named number
  std::function<Expr(std::size_t dimension)> per_spacing;  ///< 1 / h
};

class Equation;

/// What A is written with, at one cell.
class Point {
 public:
  Point(const Equation& equation, const Reads& reads) : equation_(equation), reads_(reads) {}
  /// The unknown `offset` away, across faces as their conditions say; UserError: of other dimensions.
  Expr u(const Offset& offset) const;
  Expr u() const;  ///< at the cell itself
  /// u a number of cells away along one axis.
  Expr u(Axis axis, int steps) const;
  /// A coefficient at the cell itself. UserError: no such name, or one on faces.
  Expr cell(const std::string& name) const;
  /// On the lower (0) or upper (1) face of the cell. UserError: no such name, or one at cells.
  Expr face(const std::string& name, int upper) const;
  Expr number(const std::string& name) const;  ///< UserError: none of that name
  Expr per_spacing(Axis axis) const;           ///< 1 / h, on each grid its own

 private:
  const Equation& equation_;
  const Reads& reads_;
};

class Equation {
 public:
  using Operator = std::function<Expr(const Point&)>;
  /// UserError: names that are no words, or twice; conditions that do not go together; an A that does not
  /// read u, is not linear, or reads further than a Robin condition or the cells of an axis admit.
  Equation(Domain domain, std::vector<Coefficient> coefficients, std::map<std::string, double> numbers,
           Operator a);

  const Domain& domain() const { return domain_; }
  const std::vector<Coefficient>& coefficients() const { return coefficients_; }
  const std::map<std::string, double>& numbers() const { return numbers_; }
  const Coefficient& coefficient(const std::string& name) const;  ///< UserError, with those that there are

  /// A at a cell, from the given parts.
  Expr at(const Reads& reads) const { return a_(Point(*this, reads)); }
  /// Where A reads u, the cell itself first.
  const std::vector<Offset>& footprint() const { return footprint_; }
  int radius() const { return radius_; }
  /// The factors of u in A, in the order of the footprint, in a cell whose coefficients all have the values
  /// given by name (1 where there is none) and whose axes have these spacings.
  std::vector<double> weights(const std::map<std::string, double>& coefficients,
                              const std::vector<double>& spacings) const;

 private:
  /// A at a cell, its parts being parameters: what the footprint and weights are found from. `offsets`, if
  /// asked for: those that A reads u at, by the parameters' names.
  Expr symbolic(std::map<std::string, Offset>* offsets = nullptr) const;
  void check_names() const;
  void check_linear() const;
  void check_reach() const;

  Domain domain_;
  std::vector<Coefficient> coefficients_;
  std::map<std::string, double> numbers_;
  Operator a_;
  std::vector<Offset> footprint_;
  int radius_ = 0;
};

/// `lambda`: Expr(const gmg::Point&).
Equation equation(const Domain& domain, std::vector<Coefficient> coefficients, Equation::Operator a);
Equation equation(const Domain& domain, Equation::Operator a);

struct HelmholtzOptions {
  double a = 0, b = 1;
  bool variable = true;  ///< false: alpha = beta = 1, and no arrays
};
/// a * alpha * u - b * div(beta grad u), to second order: alpha at cells (where a is not 0), beta_k, beta_j,
/// beta_i on faces. The numbers a and b, 1/h^2 by axis.
Equation helmholtz(const Domain& domain, HelmholtzOptions options = {});

}  // namespace lift::gmg
