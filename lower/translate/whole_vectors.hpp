// Stages that copy asynchronously copy vectors (passes/widen_copies.cpp) where rows of what they copy begin
// and end with whole ones: such a stage copies a few more elements of a row, which lie in the sectors that
// are read anyway.
#pragma once

#include "lower/translate/translator.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {

/// Of a stage that copies asynchronously into a ring: how many elements of a row are copied at once, 16 bytes
/// or less, as rows of the array are so many or a multiple; what is read of it becomes whole vectors.
void read_whole_vectors(const ChainStage& stage, StageGrid& grid);

/// The margins of a tile along the innermost axis: those of such stages become whole vectors where the tile
/// consists of them and rings have the room, as rows of all rings are as long as the longest.
void make_margins_whole_vectors(const std::vector<StageGrid>& grids, TileOfStages& tile);

}  // namespace lift
