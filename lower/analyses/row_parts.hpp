// A loop each of whose iterations makes a row, by loops along its columns: how rows can go along their
// columns together. What all of them do at a column is given a number, so that a row needs of itself nothing
// that lies further to the right, and of the rows before it as little as possible.
#pragma once

#include <map>

#include "lower/loops/loop.hpp"

namespace lift {

/// A loop along the columns of a row, or what is done once.
struct RowPart {
  Stmt statement;
  bool loop = false;       ///< else it is done at the row's first column
  Nat lower, upper;        ///< of such a loop
  std::int64_t shift = 0;  ///< its iteration v is done at column v + shift
  bool chain = false;      ///< an iteration waits for the one before it
  bool again = false;      ///< it computes a value, and may do so again in each tile of the columns
};
/// An array of each row's own, of which what is done at a column accesses one element along a dimension: that
/// at column - shift.
struct ColumnArray {
  std::size_t dimension;
  std::int64_t shift;
};
struct RowParts {
  Block first;                 ///< what has names in a row: values, variables, arrays
  std::vector<RowPart> parts;  ///< in order
  Nat begin, end;              ///< columns
  std::int64_t right = 0;      ///< how far to the right of a column the row before is needed
  std::map<std::string, ColumnArray> column_arrays;
  std::vector<std::string> carried;  ///< variables with which loops go on from column to column
  std::string why_no_tiles;          ///< why a row cannot be done in several tiles of columns; else empty
};
/// UserError, without the loop's name, where rows cannot go together.
RowParts row_parts(const For& rows);

}  // namespace lift
