// Programs in which decisions have been taken already, by whoever wrote them.
#pragma once

#include "ir/expr/program.hpp"

namespace lift {

/// The first decision in a program, as printed ("map_par", "to_local", ...), or "" when there is none.
std::string decision_in(const Program& program);

/// The same program with every decision taken back: map_par becomes map, update_in_place update; to_local,
/// layout, ... vanish. It computes the same.
Program undecided(const Program& program);

}  // namespace lift
