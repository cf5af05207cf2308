// All decisions, each a file of this folder, and what they ask of one another; list.cpp says in which order
// they are taken.
#pragma once

#include "rewrite/space/variants.hpp"

namespace lift {
namespace decisions {

const Decision& in_place();
const Decision& layout();
const Decision& block();
const Decision& buffer();
const Decision& tile();
const Decision& order();
const Decision& time();
const Decision& rings();
const Decision& loads();
const Decision& strips();
const Decision& phases();
const Decision& one_group();
const Decision& grid();
const Decision& parallel();
const Decision& team();
const Decision& dynamic();
const Decision& deal();
const Decision& local();
const Decision& copy();
const Decision& items();
const Decision& inner();
const Decision& width();
const Decision& late();
const Decision& stream();
const Decision& unroll();
const Decision& kcache();
const Decision& prefetch();
const Decision& keep();
const Decision& parts();
const Decision& group();
const Decision& lanes();
const Decision& stages();
const Decision& joined();
const Decision& rows();
const Decision& columns();
const Decision& readonly();

/// The shape of the loops: what the moves of a configuration are.
void shape_tiles(LoopNest& loops, const Configuration& c);
void shape_blocks(LoopNest& loops, const Configuration& c);
void shape_order(LoopNest& loops, const NestFacts& f, const Configuration& c);

}  // namespace decisions

// ---- loops around scans and folds, whose levels or elements are the loop k

/// The levels of columns, or the elements that cells reduce, are the inner loop; else they go around the
/// points of a row.
bool is_by_levels(const Configuration& c);
/// Points of a row that are together: all, or those of a tile.
std::int64_t points(const NestFacts& f, const Configuration& c);
/// A tile of about so many points; none where there are no more of them.
AxisSizes tile_of_points(const NestFacts& f, std::int64_t about);
/// Rows of accumulators that stay in the nearest cache, a part or more for each thread.
std::int64_t part_of_row(const NestFacts& f);
/// Loops around the levels, outer to inner; `single`: those that run once, too.
std::vector<std::string> loops_around(const NestFacts& f, const Configuration& c, bool single = false);
/// Settings of a decision on them, of all orders, with and without tiles.
std::vector<Loops> of_all_shapes(const NestFacts& f,
                                 std::vector<Loops> (*loops)(const NestFacts&, const Configuration&));
/// How they run: on threads, on work-items, or on work-groups with an item for each column of a tile.
void run_around(Deriver& d, const NestFacts& f, const Configuration& c);
/// Elements of the parts that threads reduce, each for all cells of a row; 0: no thread has a part of them.
std::int64_t part_of_elements(const Configuration& c);
/// Elements of one of n parts: whole blocks of them, as other loops take of the same rows, where what is left
/// over, which no thread shares, is next to nothing.
std::int64_t elements_of_parts(std::int64_t elements, std::int64_t n);

/// What reductions of the cells at a place are made of, before loops change places: elements joined last,
/// several at a time, accumulators side by side.
void prepare_reductions(Deriver& d, const NestFacts& f, const Configuration& c, const Place& cells);

// ---- by what loops are around: how a configuration is derived, and what is tried first

namespace cells {
Rewriting derive(const Rewriting& start, const NestFacts& f, const Configuration& c);
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);
}  // namespace cells
namespace scans {
Rewriting derive(const Rewriting& start, const NestFacts& f, const Configuration& c);
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);
}  // namespace scans
namespace folds {
Rewriting derive(const Rewriting& start, const NestFacts& f, const Configuration& c);
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);
}  // namespace folds
namespace numbers {
Rewriting derive(const Rewriting& start, const NestFacts& f, const Configuration& c);
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);
}  // namespace numbers
namespace groups {
Rewriting derive(const Rewriting& start, const NestFacts& f, const Configuration& c);
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);
}  // namespace groups
namespace chain {
Rewriting derive(const Rewriting& start, const NestFacts& f, const Configuration& c);
std::vector<Wishes> first_guesses(const NestFacts& f, const NestFacts* stored);
}  // namespace chain

// ---- reductions in no loop

std::vector<Wishes> guesses_of_reductions(const NestFacts& f);

constexpr std::int64_t kFewForGroups = 4096;  ///< elements that one group reduces as fast as several
/// Elements of a part: of all axes within those that the parts are named after, or the size of a chunk.
std::int64_t part_length(const NestFacts& f, const AxisSizes& parts);
/// Axes but one whose iterations together are the parts.
std::size_t joined_axes(const NestFacts& f, const AxisSizes& parts);
/// Whether reductions over so many axes, and one more, can be made one.
bool can_be_joined(const NestFacts& f, std::size_t axes);
/// Elements of the chunks that parts are; nothing: they are of whole axes.
std::optional<std::int64_t> chunk_of(const AxisSizes& parts);

// ---- layouts

/// What the rule `layout` is told; nothing for the caller's.
Arguments layout_arguments(const Configuration& c);

// ---- loops over cells

/// Tiles that work-groups take, of sweeps in step on a grid; none elsewhere. All, or where arrays that so
/// many stages read are copied by stages of their own.
std::vector<AxisSizes> group_tiles(const NestFacts& f);
std::vector<AxisSizes> group_tiles(const NestFacts& f, std::int64_t readers);
/// And where a step has one barrier, or one after each stage, the best first.
std::vector<AxisSizes> group_tiles(const NestFacts& f, std::int64_t readers, bool wait_once);
/// Whether a tile's rings fit into local memory.
bool fits_in_groups(const NestFacts& f, const Configuration& c, bool wait_once);
/// Whether sweeps go in step in such tiles.
bool goes_in_groups(const NestFacts& f, const Configuration& c);
/// Whether a work-group does all sweeps over a box, one after the other; and whether that is what to try
/// first: boxes are small, and few.
bool goes_in_one_group(const NestFacts& f, const Configuration& c);
bool is_worth_one_group(const NestFacts& f);
void derive_in_one_group(NestDeriver& d, const NestFacts& f, const Configuration& c);
/// The sweeps below a place move into the loops that are around each of them.
void share_loops(NestDeriver& d, const Place& at);

bool is_in_place(const NestFacts& f, const Configuration& c);
/// What the innermost index steps by in a loop that is strided: one colour at a time where there is no guard.
inline std::int64_t inner_stride(const NestFacts& f) { return std::max<std::int64_t>(f.modulus, 2); }
inline bool is_split(const Configuration& c) { return c[key::layout].index == kSplitLayout; }
inline bool is_by_rows(const Configuration& c) {
  return c[key::block] == Blocks::rows || c[key::block] == Blocks::rows_unrolled;
}
/// The inner loop goes along columns: along the outer of the axes that can be interchanged.
bool is_by_columns(const NestFacts& f, const Configuration& c);
/// Orders of the loops that can be interchanged, the plain one first.
std::vector<Loops> orders(const NestFacts& f);
bool admits_order(const NestFacts& f, const Configuration& c, const Loops& order);

/// AxisSizes of a tile along all axes that can be cut; those not named are not cut. Of no tile: none.
std::vector<std::int64_t> tile_sizes(const NestFacts& f, const AxisSizes& tile);
/// The tile cuts columns only: each chunk of one is a loop by itself.
bool is_chunk(const NestFacts& f, const AxisSizes& tile);
/// Cells of a tile along the axes that it cuts; and without the outer of the axes that can be tiled.
std::int64_t group_items(const NestFacts& f, const AxisSizes& tile);
std::int64_t plane_items(const NestFacts& f, const AxisSizes& tile);
/// Whether a work-group can be as large as its tile, or goes along its chunk of planes together.
bool is_group(const NestFacts& f, const Configuration& c);
std::vector<AxisSizes> tiles(const NestFacts& f);

/// Whether the loops around updates, over boxes, or around stages keep all threads busy.
bool has_loops_for_threads(const NestFacts& f);
/// Of stages whose loops differ, which have no loops around and no tiles to give each thread its own: a
/// stage's planes of a step are what is shared.
bool shares_steps(const NestFacts& f);
/// And strips of their result, so many a thread.
AxisSizes strips_a_thread(const NestFacts& f, std::int64_t each);
/// Whether sweeps go in skewed tiles that threads take in turns: where there are no loops for all threads
/// around them.
bool goes_doacross(const NestFacts& f, const Configuration& c);
/// Sizes of strips of the result, of which each thread has one, or some: along the outermost axis where there
/// are no boxes for all threads; along the next one, so that what rings hold stays in a cache.
std::vector<AxisSizes> strips_of(const NestFacts& f);
/// Widths of tiles in two phases, where there are too few loops around for all threads.
std::vector<AxisSizes> tiles_of_phases(const NestFacts& f);
/// Loops that may be parallel together, on threads or on work-groups of one item.
std::vector<Loops> parallel_loops(const NestFacts& f, const Configuration& c);
/// All of them for all tiles; first, the shortest that gives every thread enough iterations to balance.
std::vector<Loops> all_parallel_loops(const NestFacts& f);
/// How each loop but the inner one runs on threads, or on work-groups of one item.
struct LoopRun {
  const char* rule = "map-seq";
  Arguments arguments = {};
};
std::vector<LoopRun> shared_runs(const LoopNest& loops, const Configuration& c);
void run_shared(NestDeriver& d, const Configuration& c);
/// Loops within a block.
void run_blocks(NestDeriver& d, const Configuration& c, const std::vector<bool>& parallel);
/// The innermost loop at a place, and how it meets memory.
void run_inner(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& place);

/// Whether the innermost loop is left to a work-item or a thread.
bool inner_is_loop(const NestFacts& f, const Configuration& c);
/// Iterations of the innermost loop; `unknown` where that is not known.
std::int64_t inner_trips(const NestFacts& f, const Configuration& c, std::int64_t unknown);

/// Those that a configuration with tiles in local memory copies there.
std::vector<WindowArray> staged_arrays(const NestFacts& f, const Configuration& c);
/// Whether a group may go along its chunk of planes, a few of which are in local memory.
bool planes_fit(const NestFacts& f, const Configuration& c);
/// Elements of those arrays that can be copied to local memory at once.
std::int64_t copy_width(const NestFacts& f, const Configuration& c);

/// The axis of which a work-item computes several cells (decision items), and cells of a tile along it; 0:
/// not cut.
std::string shared_axis(const NestFacts& f);
std::int64_t shared_length(const NestFacts& f, const Configuration& c);
/// Cells that a work-item computes along that axis: every n-th, or n neighbours (sizes that name the axis).
struct SharedCells {
  std::int64_t number = 1;
  bool neighbours = false;
};
SharedCells shared_cells(const AxisSizes& items);
inline SharedCells shared_cells(const Configuration& c) { return shared_cells(c[key::items]); }

}  // namespace lift
