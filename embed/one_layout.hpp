// Expressions of a C++ program that share arrays, explored in one layout.
#pragma once

#include "embed/explore_expression.hpp"
#include "tuning/one_layout.hpp"

namespace lift {

/// Operators that share arrays, in the layout in which a round of them takes least time: see
/// lift::stored_array.
struct TunedTogether {
  LayoutRequest layout;
  std::vector<Tuned> operators;   ///< in that layout, in the order given
  std::vector<LayoutCost> costs;  ///< of the caller's layout, and of all others that suit an operator
};

/// `applied`: how often each operator is applied in a round; empty: once. The budget is shared by operators
/// and layouts, see choose_layout. UserError: as `explore`, of an operator in the caller's layout.
TunedTogether explore_together(const std::vector<Program>& programs, const ExpressionOptions& options,
                               const std::vector<double>& applied = {},
                               std::source_location where = std::source_location::current());

}  // namespace lift
