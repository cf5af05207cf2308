// Programs of scans along columns: facts, and what decisions ask of one another; columns.cpp lists these.
// Columns are what scans go along; levels are the elements of a column, points those of a row of columns.
#pragma once

#include "rewrite/space/kind.hpp"

namespace lift {

/// Axes are those of the loops around the scans: the last is over the points of a row.
struct ColumnFacts : ProgramFacts {
  Nest nest;
  std::int64_t named_columns = 0;  ///< scalars in values with a name that are made of a column by scans; 0:
                                   ///< none, or not known
  bool along_memory = false;       ///< the elements of a column are neighbours in memory, as far as is known
};
ColumnFacts column_facts(const Program& program, const SpaceOptions& options);

namespace columns {

using ColumnDecision = Decision<ColumnFacts>;

std::vector<Wishes> first_guesses(const ColumnFacts& f);

// ---- what decisions ask of one another

/// The levels are the inner loop; else they go around the points of a row.
bool is_by_columns(const Configuration& c);
/// Points of a row that are together: all, or those of a tile.
std::int64_t points(const ColumnFacts& f, const Configuration& c);
std::vector<Loops> orders(const ColumnFacts& f);
/// A tile of about so many points; none where there are no more of them.
AxisSizes tile_of(const ColumnFacts& f, std::int64_t about);
/// Loops around the scans, outer to inner.
std::vector<std::string> loops_around(const ColumnFacts& f, const Configuration& c);
/// Settings of a decision on loops, of all orders, with and without tiles.
std::vector<Loops> of_all_shapes(const ColumnFacts& f,
                                 std::vector<Loops> (*loops)(const ColumnFacts&, const Configuration&));
/// How the loops around the scans run: on threads, on work-items, or on work-groups with an item for each
/// column of a tile.
void run_around(Deriver& d, const ColumnFacts& f, const Configuration& c);

}  // namespace columns
}  // namespace lift
