// A loop over rows that threads share, and one over parts of these rows, in which a loop goes over the rows
// of a part, as a sum over rows is made: one loop over parts, which has a row, or a few, of both in a cache.
#pragma once

#include <functional>
#include <optional>

#include "lower/loops/loop.hpp"

namespace lift {

/// The loop over parts with rows in it, and iterations over rows that are left over: before it or after it.
struct JoinedRows {
  Block before;
  For parts;
  Block after;
};
/// Statements, and others after them, of one iteration.
using Together = std::function<Block(Block, const Block&)>;

/// What two loops that threads share become, the second of which stands after the first: the one over rows is
/// part of the loop within the other that goes over the same rows of an array. Nothing where they do not go
/// over the same rows, or have to do with other ones. Names may be there twice then.
std::optional<JoinedRows> join_rows(const For& first, const For& second, const Together& together);

/// The same of a loop over the elements of a row in vectors, and one that takes up so many of them at a time:
/// the first is part of the second.
std::optional<JoinedRows> join_elements(const For& first, const For& second, const Together& together);

}  // namespace lift
