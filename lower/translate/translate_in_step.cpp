// Chains whose stages go along an axis together: the stages' nests are translated each by itself, then put
// into one loop over steps. In step s a stage does those of its iterations p for which (p + lag) / width is
// s; within a step the stages follow one another. That the lags respect all dependences has been checked
// (rewrite/analysis/lags.hpp).
#include <algorithm>
#include <list>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/translator.hpp"

namespace lift {
namespace {

struct Step {
  std::size_t axis;
  std::int64_t width;
  std::vector<std::int64_t> lags;
};

[[noreturn]] void refuse(const std::string& what) { throw UserError("in_step: " + what); }

/// So many loops down a nest in which each is the only statement of the one around; null where there is none.
For* nested_loop(Block& nest, std::size_t depth) {
  For* f = nest.size() == 1 ? std::get_if<For>(&nest[0].v) : nullptr;
  for (std::size_t d = 0; f && d < depth; ++d)
    f = f->body.size() == 1 ? std::get_if<For>(&f->body[0].v) : nullptr;
  return f;
}
/// The loop around that along an axis.
For& outer_loop(Block& nest, std::size_t axis) { return *nested_loop(nest, axis - 1); }

/// The loop of a stage's nest along an axis.
For& loop_along(Block& nest, std::size_t axis) {
  For* f = nested_loop(nest, axis);
  if (!f) refuse("a stage is no nest of loops, one an axis, down to axis " + std::to_string(axis));
  if (!(f->step == Nat(1)) || f->stride != 1 || f->rotate || f->kind == LoopKind::Vec ||
      f->kind >= LoopKind::Glb)
    refuse("along axis " + std::to_string(axis) +
           " the stages' loops must be plain: no vectors, strides, rotation or work-items");
  return *f;
}

/// Steps until the last iteration of a stage of n iterations is done.
Nat steps_of(const Nat& n, std::int64_t lag, std::int64_t width) { return ceildiv(n + lag, width); }

/// What is left of a stage's nest in step s along one axis; adds the conditions under which anything is.
Block in_one_step(Block nest, const Step& step, std::int64_t lag, const Nat& s,
                  std::vector<Term>& conditions) {
  For& f = loop_along(nest, step.axis);
  const Nat first = step.width * s - lag;
  if (step.width > 1) {
    const Nat lower = max(f.lower, first), upper = min(f.upper, first + step.width);
    const Nat v = Nat::fresh(f.var.str(), f.lower, f.upper - 1);
    f.body = substitute(f.body, f.var, v);
    f.var = v, f.lower = lower, f.upper = upper;
    return nest;
  }
  for (const NatCond& c : {less_equal(f.lower, first), less(first, f.upper)})
    if (!Facts().proves(c)) conditions.push_back(compare_term(c));
  Block body = substitute(f.body, f.var, first);
  if (step.axis == 0) return body;
  outer_loop(nest, step.axis).body = std::move(body);
  return nest;
}

}  // namespace

void Translator::write_in_step(const Expr& e, const ScopePtr& given, const Place& to) {
  std::vector<Step> steps;  // outermost first
  Expr chain = e;
  bool team = false;
  for (; is_in_step(chain.op()); team = chain.is(Op::InStepTeam), chain = chain.child(0))
    steps.push_back({static_cast<std::size_t>(step_axis(chain)), step_width(chain), step_lags(chain)});

  Block* outer = block;
  std::list<Block> stages;
  ScopePtr scope = given;
  const auto in_own_block = [&](const std::function<void()>& write_stage) {
    block = &stages.emplace_back();
    write_stage();
    block = outer;
    // Arrays outlive the step; what a stage copies of a base that no stage writes is there before all steps.
    for (Block& stage = stages.back(); stage.size() > 1; stage.erase(stage.begin()))
      outer->push_back(std::move(stage.front()));
  };
  for (; chain.is(Op::Let); chain = chain.child(1).child(0)) {
    const Expr& value = chain.child(0);
    View stored;
    in_own_block([&] {
      if (overwrites_base(value)) {
        const auto base = base_of(value, scope);
        const auto place = base ? place_of(*base, value.type()) : std::nullopt;
        if (!place) refuse("a stage overwrites what is not stored; the base must be an argument");
        write(value, scope, *place);
        stored = *base;
      } else if (value.is(Op::ToGlobal)) {
        stored = eval(value, scope);
      } else {
        refuse("a stage is not stored: update in place, or to_global");
      }
    });
    scope = std::make_shared<Scope>(Scope{{stored}, scope});
  }
  in_own_block([&] { write(chain, scope, to); });

  // Loops that steps take the place of vanish: inner ones first, so that outer ones stay where they are.
  std::vector<std::size_t> order(steps.size());
  for (std::size_t d = 0; d < steps.size(); ++d) order[d] = d;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return steps[a].axis > steps[b].axis; });
  for (std::size_t d = 1; d < order.size(); ++d)
    if (steps[order[d]].axis == steps[order[d - 1]].axis)
      refuse("axis " + std::to_string(steps[order[d]].axis) + " is gone along twice");

  std::vector<For> loops;
  for (std::size_t d = 0; d < steps.size(); ++d) {
    Nat count = 0;
    std::size_t i = 0;
    for (Block& nest : stages)
      count =
          max(count, steps_of(loop_along(nest, steps[d].axis).upper, steps[d].lags.at(i++), steps[d].width));
    loops.push_back(new_loop("s", count));
  }
  loops.back().team = team;
  Block together;
  std::size_t i = 0;
  for (Block nest : stages) {
    std::vector<Term> conditions;
    for (const std::size_t d : order)
      nest = in_one_step(std::move(nest), steps[d], steps[d].lags.at(i), loops[d].var, conditions);
    if (!conditions.empty()) nest = {{If{std::move(conditions), std::move(nest)}}};
    together.insert(together.end(), nest.begin(), nest.end());
    ++i;
  }
  for (std::size_t d = loops.size(); d-- > 0;) {
    loops[d].body = std::move(together);
    together = {{std::move(loops[d])}};
  }
  block->insert(block->end(), together.begin(), together.end());
}

}  // namespace lift
