// A over the cells of one grid, as expressions: its arguments, what lies beyond the faces, and a value for
// each cell.
//
// Conditions are met by pads, one an axis and side where they differ: wrap (periodic), odd reflection
// (Dirichlet), even reflection (Neumann), and even reflection times a factor (Robin). They are the
// homogeneous ones: what a condition's g adds is a right-hand side, computed once (see boundary_program in
// gmg/operators.hpp).
#pragma once

#include <span>

#include "gmg/equation.hpp"
#include "ir/expr/program.hpp"

namespace lift::gmg {

/// What is known in one cell.
struct CellView {
  std::span<const Expr> values;            ///< of the arrays asked for
  std::function<Expr(std::size_t)> index;  ///< of the cell along a dimension, i32
  Expr u;                                  ///< the unknown, where it is an array
  Expr a_of_u;                             ///< A of it
};
using CellFunction = std::function<Expr(const CellView&)>;

class Grid {
 public:
  /// The equation on a domain of its own or of fewer cells; `type`: of all arrays and numbers.
  Grid(Equation equation, Domain domain, Scalar type = f64);

  const Equation& equation() const { return equation_; }
  const Domain& domain() const { return domain_; }
  Scalar type() const { return type_; }
  int rank() const { return static_cast<int>(domain_.dimensions()); }

  std::vector<Nat> shape() const;  ///< cells along each dimension
  std::vector<std::int64_t> shape_of(const Coefficient& c) const;
  Expr cells(const std::string& name) const;  ///< a parameter of the grid's shape
  std::vector<Expr> coefficients() const;     ///< parameters, in the equation's order
  /// The numbers that a value mentions: those of A, 1 / h, and factors of Robin conditions.
  std::vector<Expr> numbers_in(const Expr& value) const;
  /// What these are on this grid, by name.
  std::map<std::string, double> numbers() const;

  /// An array with `width` cells more on each side, as the conditions say.
  Expr surrounded(const Expr& array, int width) const;
  /// f once a cell, over arrays of the grid's shape; `around` is the unknown with as many cells more on each
  /// side as A reads, of which f is given A.
  Expr for_cells(const std::vector<Expr>& arrays, const Expr& around, const CellFunction& f) const;
  /// The same where the unknown's value at an offset is said by a function of the cell.
  Expr for_cells(const std::vector<Expr>& arrays,
                 const std::function<Expr(const CellView&, const Offset&)>& unknown,
                 const CellFunction& f) const;

 private:
  /// The value of A from the parts `views` of a cell, which begin with those of the coefficients.
  Expr a_of(std::span<const Expr> coefficients, const std::function<Expr(const Offset&)>& unknown) const;
  std::vector<Expr> coefficient_views() const;
  Expr robin_scale(std::size_t dimension, bool high) const;
  Expr scaled_beyond_robin(const Expr& padded, int width) const;

  Equation equation_;
  Domain domain_;
  Scalar type_;
};

}  // namespace lift::gmg
