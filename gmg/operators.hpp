// What a solver computes on one grid, as programs derived from A. Arguments are named: u, f, lambda,
// coefficients by their own names, then the numbers that occur. A program with an overwritable argument
// updates it, the others have one result.
#pragma once

#include "gmg/colours.hpp"
#include "gmg/grid.hpp"

namespace lift::gmg {

Program apply_program(const Grid& g);     ///< A u
Program residual_program(const Grid& g);  ///< f - A u
/// weight / (A's diagonal), boundary conditions counted: A of the cell's own indicator, which its reflections
/// carry, too. `weight` is an argument.
Program lambda_program(const Grid& g);
/// A of an array that is given with its surroundings, `around`: of 0 within and what the conditions' g make
/// of it beyond (scale 0, see Domain::ghost_shift), it is what the right-hand side has to lose.
Program boundary_program(const Grid& g);
/// u + lambda * (f - A u) in the cells of one colour, in place; the colour's numbers are color0, color1, ...
Program relaxation_program(const Grid& g, const Colours& colours);
/// u + first * (u - previous) + second * lambda * (f - A u), written over `previous`: weighted Jacobi with
/// first = 0, second = 1; a step of the Chebyshev iteration.
Program polynomial_program(const Grid& g);

/// Norms are means over the cells, so that they do not depend on the grid: largest, and root mean square.
enum class Norm : std::uint8_t { max, rms };
const char* text(Norm n);
/// Of f - A u, as one number: the largest magnitude, or the sum of squares.
Program residual_norm_program(const Grid& g, Norm norm);

// As expressions, over the grid's own parameters:

Expr residual_of(const Grid& g, const Expr& u);
/// u, in the cells of the colour with these numbers (i32) plus lambda * (f - A u).
Expr relaxed(const Grid& g, const Colours& colours, const Expr& u, const std::vector<Expr>& numbers);
/// Whether a cell, of which `index` is given, is of the colour with these numbers; empty: there are none.
Expr is_of_colour(const Colours& colours, const std::vector<Expr>& numbers,
                  const std::function<Expr(std::size_t)>& index);
/// Where along one dimension a reflection in a face brings an offset back to the cell itself: the factor that
/// it brings along; 0 elsewhere.
Expr own_image(const Grid& g, const CellView& cell, std::size_t dimension, int offset);
/// A program of arrays, then of the numbers that the body mentions.
Program program_of(const Grid& g, const std::string& name, const std::vector<Expr>& arrays, const Expr& body,
                   std::vector<std::string> overwritable = {});

}  // namespace lift::gmg
