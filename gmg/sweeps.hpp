// Sweeps that follow one another as one program: a chain of stages, which rewriting takes through memory
// together (docs/chains.md). Arrays and numbers are those of gmg/operators.hpp; colours are fixed, and begin
// with colour 0.
#pragma once

#include "gmg/operators.hpp"

namespace lift::gmg {

/// What is made of the array that sweeps leave, by its name.
using AfterSweeps = std::function<Expr(const Expr& u)>;
/// `u` after so many sweeps, each of all colours in turn, or what `then` makes of that; without it, one at
/// least.
Expr swept(const Grid& g, const Colours& colours, const Expr& u, int sweeps, const AfterSweeps& then = {});
/// u, f, coefficients, lambda.
std::vector<Expr> arrays_of_sweeps(const Grid& g);

/// u after so many sweeps (at least one), each of all colours in turn, in place.
Program sweeps_program(const Grid& g, const Colours& colours, int sweeps);

}  // namespace lift::gmg
