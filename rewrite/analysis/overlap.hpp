// Overlapped tiles: the whole chain once a tile of its result (in_tiles). Each tile computes of every stage
// what its own part of the result needs, so that tiles wait for nothing; what lies beyond the tile is
// computed by its neighbours, too.
#pragma once

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

struct Margins {
  std::vector<std::int64_t> by_stage;  ///< planes of the finest grid, on both sides of a tile
  std::string obstacle;                ///< why there are none; else empty
};

/// The least margins with which a chain can be computed a tile of its result at a time along `axis`, or what
/// forbids it.
Margins least_margins(const Chain& chain, const StageGraph& graph, std::size_t axis);

/// UserError when in_tiles of a program is not around its chain, or its margins are too small for a
/// dependence.
void check_in_tiles(const Program& program);

}  // namespace lift
