// A as a program over whole arrays, as .lift files have them: what its result is in one cell becomes an
// Equation.
//
//   size nk, nj, ni
//   param u : nk.nj.ni.f64
//   param c : nk.nj.ni.f64              // at cells
//   param beta_i : nk.nj.(ni + 1).f64   // on faces: one more along their axis
//   param per_h_i, a : f64              // 1 / h of an axis; any other number
//   result ... : nk.nj.ni.f64 = ... u |> pad3(1, 1, odd) |> slide3(3, 1) ...
//
// u is of the result's shape, and pads say what lies beyond the faces (wrap: periodic; odd: Dirichlet, odd
// (g) with a value; mirror: Neumann), or it is given with as many cells more on each side as A reads, and the
// domain's conditions say it.
#pragma once

#include "gmg/equation.hpp"
#include "ir/expr/program.hpp"

namespace lift::gmg {

/// Whether pads of u say what lies beyond faces.
bool pads_unknown(const Program& program);
/// The domain with the conditions that these pads are. UserError: pads that are no condition, or differ.
Domain with_conditions_of(const Program& program, Domain domain);
/// A on `domain`, whose cells are the shape of the program's result; lengths are numbers. `numbers`: those of
/// the scalar arguments but 1 / h. UserError, beginning with `where`: another result or argument, a number
/// without a value, an A that is not the same formula in all cells, and what Equation refuses.
Equation equation_of(const Program& program, const Domain& domain,
                     const std::map<std::string, double>& numbers, const std::string& where);

}  // namespace lift::gmg
