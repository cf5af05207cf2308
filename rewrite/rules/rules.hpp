// The rules of the library: laws of the primitives, and the decisions that lead from an expression to a
// low-level one.
#pragma once

#include "rewrite/engine/catalogue.hpp"

namespace lift {

std::vector<Rule> map_rules();        ///< maps
std::vector<Rule> reduce_rules();     ///< reductions
std::vector<Rule> scan_rules();       ///< scans, values with a name
std::vector<Rule> fission_rules();    ///< scans of several values in two
std::vector<Rule> iterate_rules();    ///< iterations
std::vector<Rule> stage_rules();      ///< stages that follow one another
std::vector<Rule> time_rules();       ///< where stages of chains are stored, loops that they share
std::vector<Rule> band_rules();       ///< how stages of chains go along axes together
std::vector<Rule> wrap_rules();       ///< periodic boundaries of chains
std::vector<Rule> overwrite_rules();  ///< arrays that nothing reads afterwards
std::vector<Rule> load_rules();       ///< what chains are handed
std::vector<Rule> structure_rules();  ///< split, join, transpose, drop, pad, zip
std::vector<Rule> slide_rules();      ///< windows
std::vector<Rule> rank_rules();       ///< rank-D primitives by those of lower rank; tiles
std::vector<Rule> block_rules();      ///< arrays made of blocks
std::vector<Rule> lowering_rules();   ///< how loops run and where values live
std::vector<Rule> grid_rules();       ///< tiles in local memory, loops shared by work-items
std::vector<Rule> program_rules();    ///< in-place update, layouts

}  // namespace lift
