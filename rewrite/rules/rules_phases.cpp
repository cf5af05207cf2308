// Chains in tiles of two phases.
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/lags.hpp"
#include "rewrite/analysis/phases.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

Result<Program> in_phases(const Program& p, const Arguments& a) {
  const std::int64_t axis = number(a, 0), width = number(a, 1);
  const Chain chain = chain_of(p);
  if (!chain.phases.empty()) return Failure{"the chain goes in phases already"};
  if (!chain.tiles.empty()) return Failure{"the chain goes in tiles that overlap already"};
  if (!chain.steps.empty()) return Failure{"the chain goes in step already: use this rule before in-step"};
  const StageGraph graph = stage_graph(chain);
  const Shifts shifts = least_shifts(chain, graph, static_cast<std::size_t>(axis));
  if (!shifts.obstacle.empty()) return Failure{shifts.obstacle};
  if (const std::string why = why_copies_are_late(chain, graph); !why.empty()) return Failure{why};
  if (width < shifts.least_width())
    return Failure{"tiles of " + std::to_string(width) +
                   " are too narrow: what is left around their seams meets; use " +
                   std::to_string(shifts.least_width()) + " or more, or fewer stages"};
  Place at = chain.stages[0].place;  // of the first value: the chain is the let around it
  at.pop_back();
  Program q = p;
  q.body = replaced_at(
      p.body, at, make(Op::InPhases, {part_at(p.body, at)}, attributes::steps(axis, width, shifts.by_stage)));
  return q;
}

}  // namespace

std::vector<Rule> phase_rules() {
  return {
      program_rule("in-phases",
                   "let x1 = S1 x0 in ... Sn = in_phases axis width shifts (let x1 = S1 x0 in ... Sn)",
                   in_phases)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "planes of the finest grid in a tile")
          .says("the chain goes along axis %1 in tiles of %2 planes, in parallel, of each stage so much less "
                "that no "
                "tile reads another one; then, in parallel, in what is left around the seams"),
  };
}

}  // namespace lift
