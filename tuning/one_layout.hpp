// One layout for operators that share arrays: what a solver that applies them in turn converts to once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/expr/layout.hpp"
#include "ir/expr/program.hpp"
#include "ir/target.hpp"
#include "runtime/device_info.hpp"
#include "runtime/machine.hpp"

namespace lift {

/// What a layout costs: the time of every operator's fastest variant in it, times how often that is applied.
struct LayoutCost {
  LayoutRequest layout;
  double ms = 0;             ///< of one round; 0: there is none
  std::string why_not = {};  ///< an operator that has no variant in this layout
};

/// The caller's layout, and those that suit at least one of the programs, which have numbers for their
/// lengths; with the limits of `device` where there is one.
std::vector<LayoutRequest> layouts_for(const std::vector<Program>& programs, const Machine& machine,
                                       Target target = Target::openmp,
                                       const GridDeviceInfo* device = nullptr);

struct LayoutChoice {
  std::vector<LayoutCost> costs;
  std::size_t best = 0;
};

/// An exploration of one operator in one layout, and the seconds that it may take.
struct LayoutTurn {
  std::size_t layout = 0, op = 0;
  double seconds = 0;
};

/// The costs of layouts in their order, and which is least. `ms_of`: the operator's fastest variant in that
/// layout; UserError: it has none, which is passed on for the first layout. `applied`: how often each
/// operator is applied in a round; empty: once. The budget is spent in two rounds: on all layouts, operators
/// that are applied often longer; then, beginning with what was found, on the layouts that may be the best,
/// operators by their part of the cost. What is found then counts.
LayoutChoice choose_layout(const std::vector<LayoutRequest>& layouts, std::size_t operators,
                           const std::vector<double>& applied, double budget_seconds,
                           const std::function<double(const LayoutTurn&)>& ms_of);

}  // namespace lift
