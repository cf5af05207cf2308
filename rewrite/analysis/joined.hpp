// Stages whose outermost loops may be one: those that follow one another over the same planes and meet in the
// same plane only.
#pragma once

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

/// By stage: whether it may share the outermost loop of the stage before it, with all that share that one.
std::vector<bool> joined_stages(const Chain& chain, const StageGraph& graph);

}  // namespace lift
