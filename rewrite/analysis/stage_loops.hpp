// How the loops of a stage go over the array that it makes.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/expr/expr.hpp"

namespace lift {

/// How many positions of a stage's array an iteration of its loop along an axis makes: one of a map, two of a
/// prolongation, whose loop goes over coarse cells of two fine ones each. Iteration p makes those from p
/// times so many on, counted from the first. Nothing: the stage is no nest of loops over what it writes.
std::optional<std::int64_t> positions_an_iteration(const Expr& stage, std::size_t axis);

}  // namespace lift
