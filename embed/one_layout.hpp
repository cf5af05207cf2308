// Expressions of a C++ program that share arrays, explored in one layout.
#pragma once

#include "embed/explore_expression.hpp"
#include "tuning/one_layout.hpp"

namespace lift {

/// Operators in the layout in which a round of them takes least time.
struct ExploredTogether {
  LayoutRequest layout;
  std::vector<ExploredExpression> operators;  ///< in that layout, in the order given
  std::vector<LayoutCost> costs;  ///< of the caller's layout, and of all others that suit an operator
};

/// `applied`: how often each operator is applied in a round; empty: once. The budget is shared by operators
/// and layouts, see choose_layout. UserError: as explore_expression, of an operator in the caller's layout.
ExploredTogether explore_operators(const std::vector<Program>& programs, const ExpressionOptions& options,
                                   const std::vector<double>& applied, std::source_location where);

}  // namespace lift
