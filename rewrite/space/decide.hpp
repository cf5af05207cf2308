// What the space of variants is made of: facts about the program, and decisions in dependency order. Each
// decision says which of its values agree with the choices made before it, so that no choice ever has to be
// taken back.
#pragma once

#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/space.hpp"
#include "rewrite/space/values.hpp"

namespace lift {

/// One dimension of the main nest, named by loop_axis. Where each cell makes a small block of
/// elements (prolongation), the axes are those of the cells and i2, j2, k2 those within a block.
struct NestAxis {
  std::string name;
  std::optional<std::int64_t> extent;  ///< known lengths
};

/// Names of loops from the innermost (0): i, j, k, box, c, d, e, ee, ...
std::string loop_axis(std::size_t from_inside);

/// Reductions that the program's result is computed from.
struct ReductionFacts {
  std::vector<Place> places;   ///< empty: none that may be taken apart
  std::vector<NestAxis> axes;  ///< of the first: the joined arrays that it goes over, outer to inner
  bool fills = false;  ///< the last part can be filled up with elements that change nothing (reduce-pad)
};
/// UserError never: what is not understood is left as it is.
ReductionFacts reductions_of(const Program& program);

/// An array of windows that cells read, worth a place in local memory.
struct WindowArray {
  std::size_t array = 0;                 ///< among those zipped for the cells
  std::vector<std::int64_t> size, step;  ///< of the windows, outer to inner
  std::size_t bytes = 0;                 ///< of an element
  bool overwritten = false;              ///< where the update is in place
  std::int64_t row = 0;  ///< elements of a row, when it is an array as it lies in memory; 0: not known to be
};

struct SpaceFacts {
  SpaceOptions options;
  std::size_t sweeps = 1;  ///< updates one after another (sweeps.hpp); what follows is said of the first
  Nest nest;
  std::vector<NestAxis> axes;  ///< outer to inner, all levels but that of a block
  std::vector<NestAxis>
      block;  ///< of the block that each cell makes, outer to inner; empty: it makes one element
  std::vector<std::string>
      buffer;         ///< blocks of a computed array: blocks in a tile of rows (tile-blocks); empty: no such
  bool rows = false;  ///< the blocks can be written row by row (join-map-nest)
  std::size_t inner_rank =
      0;                ///< the last so many axes are one rank-D map: these can be tiled and interchanged
  bool update = false;  ///< the result is a block in a base array
  std::size_t above_update = 0;  ///< axes outside the update
  std::size_t above_others = 0;  ///< axes whose loops are around other loops than the main nest's, too
  bool in_place = false;         ///< the base may be overwritten
  bool reads_target = false;     ///< the array overwritten in place is read for other elements
  std::int64_t modulus = 0;      ///< of the guard on the innermost index; 0: none
  std::int64_t parity_axes = 0;  ///< a guard modulo 2 over the sum of this many innermost indices; 0: none
  std::int64_t lanes = 1;        ///< scalars in a vector
  std::int64_t lead = 0;         ///< first written element of a row
  bool vectors = true;           ///< no load is known to have a stride that vectors do not support

  std::vector<std::vector<std::int64_t>>
      repeats;  ///< an axis: after how many iterations along it an element is read again

  std::vector<WindowArray> windows;
  bool reads_only = false;  ///< there are array arguments that may not be overwritten

  ReductionFacts reduction;
  std::int64_t named_columns =
      0;  ///< scalars in values with a name that are made of a column by scans; 0: none, or not known
  std::optional<std::int64_t>
      stage_elements;  ///< scalars in stages, of one iteration of the loops around; see stages.hpp
  bool columns =
      false;  ///< the axes are those around scans, the last of them is over columns; then nothing else holds

  const NestLevel& cells() const { return nest.levels.at(nest.levels.size() - (block.empty() ? 1 : 2)); }
};
SpaceFacts facts_of(const Program& program, const SpaceOptions& options);

struct Decision {
  std::string name;
  Values values;  ///< all, the plain one first
  std::function<bool(const SpaceFacts&, const Configuration&, const std::string&)> admits;
  bool searched = true;  ///< false: the plain value is never worse; others are there to be compared with it
};
/// What admits every value.
bool always(const SpaceFacts&, const Configuration&, const std::string&);
std::vector<Decision> data_decisions(const SpaceFacts& f);  ///< in_place, layout
Decision stage_decision(const SpaceFacts& f);               ///< stages, of the facts where they are stored
std::vector<Decision> nest_decisions(const SpaceFacts& f);  ///< block, tile, order, parallel or grid
std::vector<Decision> grid_decisions(const SpaceFacts& f);  ///< local, items
std::vector<Decision> reduction_decisions(const SpaceFacts& f);  ///< parts, lanes
std::vector<Decision> column_decisions(
    const SpaceFacts& f);  ///< order, tile, parallel or grid, inner, width, kcache, unroll, prefetch, keep
Decision access_decision(const SpaceFacts& f);               ///< readonly
std::vector<Decision> inner_decisions(const SpaceFacts& f);  ///< inner, width, late, prefetch, stream, unroll
std::vector<Decision> stream_decisions(const SpaceFacts& f);  ///< kcache, prefetch

/// Whether the innermost loop is left to a work-item or a thread.
bool inner_is_loop(const SpaceFacts& f, const Configuration& c);
/// Shapes of work-groups, in cells; k chunks are too long for a group: they are gone along.
std::vector<std::string> group_shapes();
std::vector<WindowArray> window_arrays(const Program& program, const SpaceFacts& f);
/// Those that a configuration with tiles in local memory copies there.
std::vector<WindowArray> staged_arrays(const SpaceFacts& f, const Configuration& c);
/// Whether a group may go along its chunk of planes, a few of which are in local memory.
bool planes_fit(const SpaceFacts& f, const Configuration& c);
/// Planes of a circular buffer for these windows.
std::int64_t ring_planes(const WindowArray& w);
/// Cells of a tile along the axes that it cuts; and without the outer of the axes that can be tiled.
std::int64_t group_items(const SpaceFacts& f, const std::string& tile);
std::int64_t plane_items(const SpaceFacts& f, const std::string& tile);
/// Elements of those arrays that can be copied to local memory at once.
std::int64_t copy_width(const SpaceFacts& f, const Configuration& c);
/// The axis of which a work-item computes several cells (decision items), and cells of a tile along it; 0:
/// not cut.
std::string shared_axis(const SpaceFacts& f);
std::int64_t shared_length(const SpaceFacts& f, const Configuration& c);
/// Cells that a work-item computes along that axis: every n-th, or n neighbours (values named by the axis).
struct SharedCells {
  std::int64_t number = 1;
  bool neighbours = false;
};
SharedCells shared_cells(const SpaceFacts& f, const std::string& items);

/// The value chosen, or `otherwise`.
std::string chosen(const Configuration& c, const std::string& name, const std::string& otherwise);
bool is_in_place(const SpaceFacts& f, const Configuration& c);
bool is_vector(const Configuration& c);
bool is_split(const Configuration& c);
bool is_fused(const Configuration& c);    ///< stages are computed where they are used
bool is_by_rows(const Configuration& c);  ///< blocks are written row by row
/// The order of the loops, of nests and of programs of scans: the plain one first.
Values order_values(const SpaceFacts& f);
/// The inner loop goes along columns: along the outer of the axes that can be interchanged, or it is the loop
/// of a scan.
bool is_by_columns(const SpaceFacts& f, const Configuration& c);
/// Programs of scans: the scans go around the points of a row.
bool is_by_levels(const SpaceFacts& f, const Configuration& c);
/// The tile cuts columns only: each chunk of one is a loop by itself.
bool is_chunk(const SpaceFacts& f, const std::string& tile);
bool is_solo(
    const Configuration& c);  ///< work-groups of one item, each with a chunk of the nest, as threads have
/// The loops that are shared among threads, or among work-groups of one item.
std::string shared_loops(const Configuration& c);
/// Processors compute: threads, or those of a grid's device.
inline bool on_processors(const SpaceOptions& o) { return !is_grid(o.target) || o.cpu; }

/// Tile sizes of the inner axes ("none": empty); axes not named are not cut.
std::vector<std::int64_t> tile_sizes(const SpaceFacts& f, const std::string& tile);

/// The loops of a configuration, outer to inner, as they stand before they are lowered.
struct PlannedLoop {
  std::string name;  ///< of the axis; doubled ("jj") for the loop over tiles
  std::optional<std::int64_t> trips;
  bool tiles = false;
  bool below_update = false;
  bool block = false;  ///< within a block
  bool single() const { return trips == 1; }
};
std::vector<PlannedLoop> planned_loops(const SpaceFacts& f, const Configuration& c);
/// The inner loop: the last that is not within a block.
std::size_t inner_loop(const std::vector<PlannedLoop>& loops);

/// The loops named in `names` among `loops`, with those of one trip between and (when first) before them.
std::vector<bool> covered(const std::vector<PlannedLoop>& loops, const std::string& names);

}  // namespace lift
