// Folds: programs of cells each of which reduces many elements, as products of a matrix and a vector, norms
// of rows and large windows do. Facts, and what decisions ask of one another; folds.cpp lists these. As of
// columns, k is the loop over the elements and i the one over cells.
#pragma once

#include "rewrite/space/kind.hpp"

namespace lift {

/// Axes are those of the loops around the reductions: the last is over cells.
struct FoldFacts : ProgramFacts {
  Nest nest;
  std::int64_t elements = 0;  ///< of the shortest of the reductions
  bool any_order = false;     ///< the elements of each may be taken in any order
  bool along = false;         ///< vectors of elements are neighbours in memory, as far as is known
  bool across = false;        ///< vectors of cells read neighbours, as far as is known
  bool outside = false;       ///< the loop over elements can go around the one over cells
  bool joined = false;        ///< elements are those of joined rows, as of a window
  bool numbers = false;       ///< a cell makes numbers, no array
};
FoldFacts fold_facts(const Program& program, const SpaceOptions& options);

namespace folds {

using FoldDecision = Decision<FoldFacts>;

std::vector<Wishes> first_guesses(const FoldFacts& f);

// ---- what decisions ask of one another

/// The elements are the inner loop; else they go around the cells of a row or tile.
bool is_by_cells(const Configuration& c);
/// Cells that are together: all of a row, or those of a tile.
std::int64_t cells(const FoldFacts& f, const Configuration& c);
/// Rows of accumulators that stay in the nearest cache, a part or more for each thread.
std::int64_t part_of_row(const FoldFacts& f);
/// Elements of the parts that threads reduce, each for all cells of a row; 0: no thread has a part of them.
std::int64_t part_of_elements(const Configuration& c);
/// Elements of one of n parts: whole blocks of them, as other loops take of the same rows, where what is left
/// over, which no thread shares, is next to nothing.
std::int64_t elements_of_parts(std::int64_t elements, std::int64_t n);
/// Loops around the reductions that threads may share, outer to inner.
std::vector<std::string> loops_around(const FoldFacts& f, const Configuration& c);

// ---- steps

/// What reductions of the cells at a place are made of, before loops change places: elements joined last,
/// several at a time, accumulators side by side.
void prepare_reductions(Deriver& d, const FoldFacts& f, const Configuration& c, const Place& cells);

}  // namespace folds
}  // namespace lift
