// Tiles in two phases (in_phases, split tiling): first each tile by itself, every stage some planes less on
// both sides than the one before, so that nothing is read that another tile computes; then what is left
// around the seams between tiles, every stage some planes more. Both are loops whose iterations do not meet,
// and nothing is computed twice.
#pragma once

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

struct Shifts {
  std::vector<std::int64_t> by_stage;  ///< planes of the finest grid that a tile leaves, on both sides
  std::string obstacle;                ///< why there are none; else empty
  std::int64_t least_width() const;    ///< of tiles whose seams do not meet either
};

/// The least shifts with which a chain can go in two phases along `axis`, or what forbids it.
Shifts least_shifts(const Chain& chain, const StageGraph& graph, std::size_t axis);

/// UserError when in_phases of a program is not around its chain, its shifts are too small for a dependence,
/// or its tiles are too narrow for these.
void check_in_phases(const Program& program);

}  // namespace lift
