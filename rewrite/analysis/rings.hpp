// Rings: stages that store no more planes along their outermost axis than later ones still read.
#pragma once

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

/// Whether a stage stores planes in turn: its value is a ring.
bool is_ring(const ChainStage& stage);

/// How many planes along the outermost axis each stage has to keep: all of them, unless the chain goes in
/// step along it (what lies between a stage's plane and those that later ones read), or in tiles (those of a
/// tile and beyond). At most its extent.
std::vector<Nat> planes_of_rings(const Chain& chain, const StageGraph& graph);

/// UserError when a ring is no stage of a chain in step or in tiles along its outermost axis alone, or has
/// too few planes.
void check_rings(const Program& program);

}  // namespace lift
