// Scans whose elements are rows, each of which is a scan itself, or any loops: what a row reads of the row
// before it, along the row.
#pragma once

#include <span>

#include "ir/expr/expr.hpp"

namespace lift {

struct RowsBefore {
  std::int64_t right = 0;  ///< at most so far to the right of what is computed, 0 or more
  std::string obstacle;    ///< why that is not known, or is the whole row; else empty
};
/// `around`: what encloses the scan, outermost first.
RowsBefore rows_before(const Expr& scan, std::span<const Expr> around);

}  // namespace lift
