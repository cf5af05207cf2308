// Rings: stages that store no more planes along their outermost axis than later ones still read.
#pragma once

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

/// Whether a stage stores planes in turn: its value is a ring.
bool is_ring(const ChainStage& stage);

/// Whether what a stage reads of another one is of the same step of width `width` along an axis, whatever the
/// step: then the rows of a step are all that is kept of it. `lags`: with which they go.
bool stays_in_step(const StageGraph& graph, const Dependence& d, std::size_t axis, std::int64_t width,
                   const std::vector<std::int64_t>& lags);
/// Whether it can be so with some lags: a stage that is read no further than each iteration of its readers
/// goes, in tiles of `width` rows.
bool can_stay_in_step(const Chain& chain, const StageGraph& graph, std::size_t stage, std::size_t axis,
                      std::int64_t width);

/// How many planes along the outermost axis each stage has to keep: all of them, unless the chain goes in
/// step along it (what lies between a stage's plane and those that later ones read), or in tiles (those of a
/// tile and beyond). At most its extent.
std::vector<Nat> planes_of_rings(const Chain& chain, const StageGraph& graph);

/// UserError when a ring is no stage of a chain in step or in tiles along its outermost axis, or along the
/// next one, too, and read within each of its steps; or has too few planes.
void check_rings(const Program& program);

}  // namespace lift
