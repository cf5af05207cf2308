// Facts about a program that decisions ask for: of any program, and of loops by what they are around.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/options.hpp"

namespace lift {

/// One dimension of the loops that are decided about.
struct Axis {
  std::string name;
  std::optional<std::int64_t> extent = {};  ///< known lengths
};
/// Names of loops from the innermost (0): i, j, k, box, c, d, e, ee, ...
std::string loop_axis(std::size_t from_inside);

constexpr std::int64_t kOfCaches = std::int64_t{8} << 20;  ///< bytes; less is found there by who reads it

struct ProgramFacts {
  SpaceOptions options;
  std::vector<Axis> axes;          ///< outer to inner
  std::int64_t lanes = 1;          ///< scalars in a vector
  std::int64_t element_bytes = 8;  ///< of the result's scalars
  bool gathers = false;            ///< elements are taken at positions that are computed
  bool joins_stages = false;       ///< stages that follow one another may share loops
  std::vector<Place> in_scalars;   ///< parts whose loops load no vectors
  bool reads_only = false;         ///< there are array arguments that may not be overwritten
  std::optional<std::int64_t>
      stage_elements;  ///< scalars in stages, of one iteration of the loops around; see stages.hpp

  const Capabilities& target() const { return capabilities(options.target); }
  bool on_grid() const { return is_grid(options.target); }
  bool on_processors() const { return !on_grid() || options.cpu; }
};

/// Options, lanes of the result's vectors, stages, and whether there are arrays only read.
ProgramFacts program_facts(const Program& program, const SpaceOptions& options);

/// An array of windows that cells read, worth a place in local memory.
struct WindowArray {
  std::size_t array = 0;                 ///< among those zipped for the cells
  std::vector<std::int64_t> size, step;  ///< of the windows, outer to inner
  std::size_t bytes = 0;                 ///< of an element
  bool overwritten = false;              ///< where the update is in place
  std::int64_t row = 0;  ///< elements of a row, when it is an array as it lies in memory; 0: not known to be
};

/// What the loops of a part of a program are around, which says what is known and decided of it.
enum class Inside : std::uint8_t {
  cells,    ///< whose elements the loops write
  scans,    ///< along columns, whose elements are levels
  folds,    ///< cells each of which reduces many elements
  numbers,  ///< there are no loops: the result is reduced from arrays, or is a few numbers
  stages,   ///< whose loops differ, and which go in step: see ChainFacts
  groups    ///< stages whose loops differ, on a grid, that work-groups go through in step
};

/// Of reductions in no loop, or in programs of nothing else.
struct ReductionFacts {
  std::vector<Place> places;  ///< that the result is computed from; empty: none that may be taken apart
  std::vector<Place> others;  ///< that have other loops: a loop an axis, nothing is decided about them
  std::vector<Axis> over;     ///< of the first: the joined arrays that it goes over, outer to inner; of
                              ///< the others as many, of other lengths
  std::size_t nested = 0;     ///< axes that are reductions within one another, of all of them
  std::size_t joins = 0;      ///< of these, how many can be made one, from the outermost on
  bool fills = false;  ///< the last part can be filled up with elements that change nothing (reduce-pad)
};

/// Of scans: columns are what they go along, points the cells of a row.
struct ScanFacts {
  std::int64_t named = 0;     ///< scalars in values with a name that are made of a column by scans; 0: none,
                              ///< or not known
  bool along_memory = false;  ///< the elements of a column are neighbours in memory, as far as is known
};

/// Of rows that a scan makes, each of the one before.
struct RowFacts {
  bool abreast = false;      ///< several can go along their columns together
  bool chains = false;       ///< within a row, elements wait for the one before them
  std::int64_t right = 0;    ///< columns to the right at which the row before is read
  std::int64_t columns = 0;  ///< of a row, 0: not known
  std::int64_t arrays = 1;   ///< that a row is stored in, one a scalar of its elements
};

/// Of cells that reduce many elements.
struct FoldFacts {
  std::int64_t elements = 0;  ///< of the shortest of the reductions
  bool any_order = false;     ///< the elements of each may be taken in any order
  bool along = false;         ///< vectors of elements are neighbours in memory, as far as is known
  bool across = false;        ///< vectors of cells read neighbours, as far as is known
  bool outside = false;       ///< the loop over elements can go around the one over cells
  bool joined = false;        ///< elements are those of joined rows, as of a window
  bool numbers = false;       ///< a cell makes numbers, no array
};

/// Of a chain of stages that go in step.
struct ChainFacts {
  bool rings = false;                 ///< some stages need arrays of their own
  bool tiles = false;                 ///< the chain can be computed a tile of its result at a time
  bool copies = false;                ///< so it can where results that other stages read are copied
  std::optional<std::string> steps;   ///< the outermost axis of the stages' arrays, if they can go along it
  std::optional<std::string> rows;    ///< the next axis, if threads can take skewed tiles of it in turns
  std::int64_t row_count = 0;         ///< of the finest grid along it; 0: not known
  std::int64_t around = 1;            ///< iterations of the loops around the chain
  std::int64_t last_bytes = 0;        ///< of results that no stage reads
  std::int64_t planes = 0;            ///< of all stages along that axis, of the finest grid; 0: not known
  std::vector<std::string> coloured;  ///< arguments that stages over cells of one colour read or update
  std::vector<std::string> apart;     ///< further arrays, on a coarser grid, say
};

/// Axes are those of the main nest; of scans and folds those around them, whose last is over points, or
/// cells: k is the loop along a column, or over elements. Where each cell makes a small block of elements
/// (prolongation), they are those of the cells, and i2, j2, k2 those within a block.
struct NestFacts : ProgramFacts {
  Inside inside = Inside::cells;
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
    std::vector<std::int64_t> bytes;  ///< and of an element
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
  std::size_t above_sums = 0;    ///< axes whose loops are around sums that loops within them read
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
  ScanFacts scans;
  FoldFacts folds;
  ChainFacts chain;
  RowFacts made_rows;  ///< of a loop over time that is a scan

  /// The loop along a column, or over the elements that a cell reduces, is one of the loops decided about.
  bool has_levels() const { return inside == Inside::scans || inside == Inside::folds; }

  const NestLevel& cells() const { return nest.levels.at(nest.levels.size() - (block.empty() ? 1 : 2)); }
  std::size_t first_inner() const { return axes.size() - inner_rank; }
  const Axis& outer_inner() const { return axes[first_inner()]; }
  /// The same with the loops of one sweep.
  NestFacts of_sweep(std::size_t n) const;
};
/// What is known of the loops of a program, or of a part of one. Of cells: it has a main nest, and no scans
/// in it.
NestFacts cell_facts(const Program& program, const SpaceOptions& options);
/// Of a program for a grid that begins with stages whose loops differ, all of which work-groups go through in
/// step; if they cannot, in_groups is empty. Axes are those of the first stage's array.
NestFacts group_facts(const Program& program, const SpaceOptions& options);
NestFacts scan_facts(const Program& program, const SpaceOptions& options);
NestFacts number_facts(const Program& program, const SpaceOptions& options);
NestFacts fold_facts(const Program& program, const SpaceOptions& options);
NestFacts chain_facts(const Program& program, const SpaceOptions& options);
/// What is not understood is left as it is.
ReductionFacts reduction_facts(const Program& program);
/// The levels of the main nest around scans or reductions, and their axes: i, j, box, ...
void read_axes_around(const Program& program, std::size_t (*levels)(const Expr&, const Nest&), NestFacts& f);
std::vector<WindowArray> window_arrays(const Program& program, const NestFacts& f);

}  // namespace lift
