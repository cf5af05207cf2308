// What goes from brick to brick: parts of arrays, as messages. Nothing else does, so that bricks may lie in
// memory of their own.
#pragma once

#include <span>

#include "gmg/partition.hpp"

namespace lift::gmg {

std::int64_t count(const Box& box);
/// With one more at the end along a dimension: the faces of these cells.
Box with_faces(Box box, std::optional<std::size_t> dimension);

/// The part `part` of an array that covers `whole`, row-major; and back.
std::vector<double> packed(std::span<const double> array, const Box& whole, const Box& part);
void unpack(std::span<const double> message, std::span<double> array, const Box& whole, const Box& part);

/// Ghost zones, up to `width` cells from what a brick owns, get what their owners have: two border updates a
/// dimension, one dimension after another, so that corners come right. `arrays`: one a brick, of the cells
/// around it, or of the faces of these along a dimension.
void refresh_seams(const Partition& partition, std::size_t level,
                   const std::vector<std::span<double>>& arrays, std::optional<std::size_t> faces,
                   std::int64_t width);

}  // namespace lift::gmg
