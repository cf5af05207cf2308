// What files of decisions on nests include; nest.cpp lists the decisions.
#pragma once

#include "rewrite/space/kind.hpp"
#include "rewrite/space/nest/nest.hpp"

namespace lift::nest {

using NestDecision = Decision<NestFacts>;

/// The shape of the loops: what the moves of a configuration are.
void shape_tiles(LoopNest& loops, const Configuration& c);
void shape_blocks(LoopNest& loops, const Configuration& c);
void shape_order(LoopNest& loops, const NestFacts& f, const Configuration& c);

/// What is worth trying first; `stored`: of the program with its stages stored, where it has such.
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);

}  // namespace lift::nest
