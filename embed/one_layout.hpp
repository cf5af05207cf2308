// One layout for operators that share arrays: what a solver that applies them in turn converts to once.
#pragma once

#include "embed/explore_expression.hpp"

namespace lift {

/// What a layout costs: the time of every operator's fastest variant in it, times how often that is applied.
struct LayoutCost {
  LayoutRequest layout;
  double ms = 0;             ///< of one round; 0: there is none
  std::string why_not = {};  ///< an operator that has no variant in this layout
};

/// Operators in the layout in which a round of them takes least time.
struct ExploredTogether {
  LayoutRequest layout;
  std::vector<ExploredExpression> operators;  ///< in that layout, in the order given
  std::vector<LayoutCost> costs;  ///< of the caller's layout, and of all others that suit an operator
};

/// `applied`: how often each operator is applied in a round; empty: once. The budget is shared by operators
/// and layouts. UserError: as explore_expression, of an operator in the caller's layout.
ExploredTogether explore_operators(const std::vector<Program>& programs, const ExpressionOptions& options,
                                   const std::vector<double>& applied, std::source_location where);

}  // namespace lift
