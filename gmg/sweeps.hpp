// Sweeps that follow one another as one program: a chain of stages, which rewriting takes through memory
// together (docs/chains.md). Arrays and numbers are those of gmg/operators.hpp; colours are fixed, and begin
// with colour 0.
#pragma once

#include "gmg/operators.hpp"

namespace lift::gmg {

/// u after so many sweeps (at least one), each of all colours in turn, in place.
Program sweeps_program(const Grid& g, const Colours& colours, int sweeps);

}  // namespace lift::gmg
