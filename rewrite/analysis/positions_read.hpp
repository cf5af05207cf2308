// Which part of a stage's array the stages after it read: what they do not read need not be computed.
#pragma once

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

struct PositionsRead {
  Nat first, end;
};
/// Along an axis, of a stage whose array is nobody's base; nothing where it is not known. Stages on other
/// grids, and those that read from any distance, read all that there may be.
std::optional<PositionsRead> positions_read(const Chain& chain, const StageGraph& graph, std::size_t stage,
                                            std::size_t axis);

}  // namespace lift
