#include "embed/one_layout.hpp"

#include <algorithm>

#include "embed/compiler.hpp"
#include "embed/plan.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/keys.hpp"

namespace lift {
namespace {

/// Those of `sizes` that the program has.
Sizes sizes_for(const Program& p, const Sizes& sizes) {
  Sizes r;
  for (const NatAtom* v : size_variables(p))
    if (const auto it = sizes.find(v->name); it != sizes.end()) r.insert(*it);
  return r;
}

/// The caller's, and those that suit one of the operators.
std::vector<LayoutRequest> layouts_for(const std::vector<Program>& programs, const Sizes& sizes) {
  std::vector<LayoutRequest> r{kCallersLayout};
  for (const Program& p : programs) {
    const Space space =
        make_space(with_sizes(p, sizes_for(p, sizes)), Target::openmp, this_machine(), std::nullopt);
    for (const Parameter& parameter : space.parameters())
      if (parameter.key->name == key::layout.name)
        for (const Setting& s : parameter.values) {
          const LayoutRequest layout = parse_layout(parameter.key->text(s));
          if (std::find(r.begin(), r.end(), layout) == r.end()) r.push_back(layout);
        }
  }
  return r;
}

}  // namespace

ExploredTogether explore_operators(const std::vector<Program>& programs, const ExpressionOptions& options,
                                   const std::vector<double>& applied, std::source_location where) {
  if (programs.empty())
    throw UserError("no operators to explore together; pass at least one" + line_of(where));
  if (!applied.empty() && applied.size() != programs.size())
    throw UserError(std::to_string(programs.size()) +
                    " operators, but how often each is applied is said of " + std::to_string(applied.size()) +
                    line_of(where));
  const std::vector<LayoutRequest> layouts = layouts_for(programs, options.sizes);
  ExploredTogether best;
  double least = 0;
  for (const LayoutRequest& layout : layouts) {
    LayoutCost cost{layout};
    std::vector<ExploredExpression> operators;
    for (std::size_t i = 0; i < programs.size() && cost.why_not.empty(); ++i) {
      ExpressionOptions one = options;
      one.layout = layout;
      one.budget = options.budget / static_cast<double>(layouts.size() * programs.size());
      one.sizes = sizes_for(programs[i], options.sizes);
      try {
        operators.push_back(explore_expression(programs[i], one, where));
        cost.ms += operators.back().ms * (applied.empty() ? 1 : applied[i]);
      } catch (const UserError& e) {
        if (layout == kCallersLayout) throw;
        cost.why_not = e.what(), cost.ms = 0;
      }
    }
    if (cost.why_not.empty() && (best.operators.empty() || cost.ms < least))
      best.layout = layout, best.operators = std::move(operators), least = cost.ms;
    best.costs.push_back(std::move(cost));
  }
  return best;
}

}  // namespace lift
