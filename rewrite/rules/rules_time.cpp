// Rules about time: how the stages of a chain follow one another.
#include "ir/expr/attributes.hpp"
#include "rewrite/analysis/lags.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// Directly around the chain: of several, the one applied first is the outermost loop.
Result<Program> in_step(const Program& p, const Arguments& a) {
  const std::int64_t axis = number(a, 0), width = number(a, 1);
  if (width < 1) return Failure{"a step of no iterations; use a width of 1 or more"};
  const Chain chain = chain_of(p);
  for (const Expr& s : chain.steps)
    if (step_axis(s) == axis)
      return Failure{"the chain goes in step along axis " + std::to_string(axis) + " already"};
  const Lags lags = least_lags(chain, stage_graph(chain), static_cast<std::size_t>(axis));
  if (!lags.obstacle.empty()) return Failure{lags.obstacle};
  Place at = chain.stages[0].place;  // of the first value: the chain is the let around it
  at.pop_back();
  Program q = p;
  q.body = replaced_at(
      p.body, at, make(Op::InStep, {part_at(p.body, at)}, attributes::steps(axis, width, lags.by_stage)));
  return q;
}

}  // namespace

std::vector<Rule> time_rules() {
  return {
      program_rule("in-step", "let x1 = S1 x0 in ... Sn = in_step axis width lags (let x1 = S1 x0 in ... Sn)",
                   in_step)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "iterations of each stage in a step")
          .says("the stages go along axis %1 together, %2 iterations of each a step, each stage as far "
                "behind as "
                "its dependences ask"),
  };
}

}  // namespace lift
