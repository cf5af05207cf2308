// Programs whose result is written by a nest of loops over cells: facts, loops, and what their decisions ask
// of one another.
#pragma once

#include "rewrite/space/decision.hpp"
#include "rewrite/space/facts.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {

/// An array of windows that cells read, worth a place in local memory.
struct WindowArray {
  std::size_t array = 0;                 ///< among those zipped for the cells
  std::vector<std::int64_t> size, step;  ///< of the windows, outer to inner
  std::size_t bytes = 0;                 ///< of an element
  bool overwritten = false;              ///< where the update is in place
  std::int64_t row = 0;  ///< elements of a row, when it is an array as it lies in memory; 0: not known to be
};

/// Axes are those of the main nest. Where each cell makes a small block of elements (prolongation), they are
/// those of the cells, and i2, j2, k2 those within a block.
struct NestFacts : ProgramFacts {
  std::size_t sweeps = 1;  ///< updates one after another; what follows is said of the smallest of them
  /// Of several sweeps, the loops of each: those of deep ghost zones are over regions that shrink.
  struct SweepLoops {
    Nest nest;
    std::vector<Axis> axes;
  };
  std::vector<SweepLoops> each;
  std::vector<std::string> steps;  ///< axes along which the sweeps may go in step, outer to inner
  bool two_arrays = false;         ///< and then take turns in two arrays, since they are not in place
  bool lines = false;  ///< stages over one axis: a tile of all of them at a time, one stage after the other
  bool stages_go_in_step = false;  ///< these are the axes of stages that are stored, not of sweeps
  bool may_be_fused = false;       ///< these stages can be computed where they are read instead
  bool no_tiles = false;           ///< nor can they be computed a tile of the result at a time
  std::size_t in_time = 1;         ///< sweeps or stages that can go in step
  bool rings = false;              ///< or keep rings of planes along the outermost of these axes
  /// Along which they can go in tiles of two phases, each at least so wide.
  struct PhaseAxis {
    std::string name;
    std::int64_t least;
    std::optional<std::int64_t> extent;
  };
  std::vector<PhaseAxis> phases;
  bool phases_in_place = false;   ///< in place; else in two arrays that take turns
  bool stages_in_phases = false;  ///< of stages that are stored, not of sweeps
  /// On a grid, where sweeps can go in step along that axis in rings: what work-groups keep and compute then.
  struct InGroups {
    std::int64_t readers =
        0;  ///< arrays that so many stages read are copied by stages of their own; 0: none are
    bool wait_once = false;
    std::size_t loads = 0;  ///< stages that are such copies; they come first
    /// By stage: planes of its ring, none of the last; and for each axis from that one on, cells computed
    /// beyond a tile.
    std::vector<std::int64_t> planes;
    std::vector<std::vector<std::int64_t>> margins;
  };
  std::vector<InGroups> in_groups;
  std::vector<std::optional<std::int64_t>> lengths;  ///< and of the result along these axes, borders included
  Nest nest;
  std::vector<Axis> block;           ///< outer to inner; empty: a cell makes one element
  std::vector<std::int64_t> buffer;  ///< blocks of a computed array: blocks in a tile of rows; empty: no such
  bool rows = false;                 ///< the blocks can be written row by row (join-map-nest)
  std::size_t inner_rank = 0;        ///< the last so many axes are one map: they can be tiled, interchanged
  bool array = true;                 ///< the result is one array, be it of tuples
  bool update = false;               ///< the result is a block in a base array
  bool few = false;              ///< of which the smallest sweep replaces but few elements: its border, say
  std::size_t above_update = 0;  ///< axes outside the update
  std::size_t above_others = 0;  ///< axes whose loops are around other loops than the main nest's, too
  bool in_place = false;         ///< the base may be overwritten
  bool overwrites = false;       ///< the base is overwritten: that was decided before
  bool reads_target = false;     ///< the array overwritten in place is read for other elements
  std::int64_t modulus = 0;      ///< of the guard on the innermost index; 0: none
  std::int64_t parity_axes = 0;  ///< a guard modulo 2 over the sum of so many innermost indices; 0: none
  std::int64_t lead = 0;         ///< first written element of a row
  bool vectors = true;           ///< no load is known to have a stride that vectors do not support
  std::vector<std::vector<std::int64_t>>
      repeats;  ///< an axis: after how many iterations along it an element is read again
  std::vector<WindowArray> windows;
  ReductionFacts reduction;  ///< of results that are reductions

  const NestLevel& cells() const { return nest.levels.at(nest.levels.size() - (block.empty() ? 1 : 2)); }
  std::size_t first_inner() const { return axes.size() - inner_rank; }
  const Axis& outer_inner() const { return axes[first_inner()]; }
  /// The same with the loops of one sweep.
  NestFacts of_sweep(std::size_t n) const;
};
/// Of a program with a main nest, and no scans in it.
NestFacts nest_facts(const Program& program, const SpaceOptions& options);
std::vector<WindowArray> window_arrays(const Program& program, const NestFacts& f);

/// A loop of the nest.
struct Loop {
  std::string axis;
  std::optional<std::int64_t> trips;
  bool below_update = false;
  bool tiles = false;  ///< over tiles of the axis
  bool block = false;  ///< within a block
  std::string name() const { return tiles ? axis + axis : axis; }
  bool single() const { return trips == 1; }
};

/// The loops, outer to inner, as the decisions on their shape leave them. Decisions make moves; of a program
/// under derivation each move is also made by rules (NestDeriver).
class LoopNest {
 public:
  explicit LoopNest(const NestFacts& f) : facts_(&f) { reset(f); }
  virtual ~LoopNest() = default;
  const std::vector<Loop>& loops() const { return loops_; }
  const Loop& operator[](std::size_t i) const { return loops_[i]; }
  std::size_t size() const { return loops_.size(); }
  std::size_t inner() const;  ///< the inner loop: the last that is not within a block

  /// Loops over tiles around those over the cells of a tile.
  void cut(const AxisSizes& tile);
  /// The loops within a block go directly into those over its cells, axis by axis.
  void write_by_rows();
  /// A loop and the next one within it change places.
  void interchange(std::size_t outer);

 protected:
  void reset(const NestFacts& f);
  const NestFacts& facts() const { return *facts_; }

 private:
  virtual void on_cut(const std::vector<std::int64_t>&) {}
  virtual void on_write_by_rows() {}
  virtual void on_interchange(std::size_t) {}

  const NestFacts* facts_;
  std::vector<Loop> loops_;
};
/// As a configuration shapes them.
LoopNest loops_of(const NestFacts& f, const Configuration& c);

/// A program under derivation whose main nest's loops are known by their axes.
class NestDeriver : public Deriver, public LoopNest {
 public:
  NestDeriver(Rewriting start, const NestFacts& f) : Deriver(std::move(start)), LoopNest(f) {}
  /// The nest is now that of the sweep at `place`, of which `f` is said.
  void begin(const Place& place, const NestFacts& f);
  /// Maps of several dimensions become the loops that the moves have made.
  void nest_loops();
  Place cells() const;  ///< the map over cells, before it is nested
  Place loop(std::size_t i) const { return level(i); }

  /// Dimension of the grid and work-items of a group, by axis.
  std::map<std::string, std::pair<int, std::int64_t>> group;
  bool inner_is_item = false;  ///< the inner loop runs on work-items: nothing is left to decide about it

 private:
  void on_cut(const std::vector<std::int64_t>& tile) override;
  void on_write_by_rows() override;
  void on_interchange(std::size_t outer) override { step("interchange", loop(outer)); }
  Place join_;  ///< that puts the blocks together which cells make
};
template <>
struct DeriverFor<NestFacts> {
  using type = NestDeriver;
};

// ---- what decisions ask of one another

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
void derive_in_groups(NestDeriver& d, const NestFacts& f, const Configuration& c);
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

/// Whether the loops around updates, over boxes, keep all threads busy.
bool has_loops_for_threads(const NestFacts& f);
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
