#include "lower/translate/in_step.hpp"

#include "ir/error.hpp"

namespace lift {
namespace {

/// The loop `depth` levels within `f`; nothing when something else is beside it.
const For* loop_at(const For& f, int depth) {
  const For* at = &f;
  for (; depth > 0; --depth) {
    if (at->body.size() != 1) return nullptr;
    at = std::get_if<For>(&at->body[0].v);
    if (at == nullptr) return nullptr;
  }
  return at;
}

/// `f` with the loop `depth` levels within it cut to [lower, upper).
For cut(For f, int depth, const Nat& lower, const Nat& upper) {
  if (depth > 0) {
    f.body = {{cut(std::get<For>(f.body[0].v), depth - 1, lower, upper)}};
    return f;
  }
  const Nat first = max(f.lower, lower), past = min(f.upper, upper);
  const Nat v = Nat::fresh(f.var.str(), first, past - 1);
  f.body = substitute(f.body, f.var, v);
  f.var = v, f.lower = first, f.upper = past;
  return f;
}

void check(const std::vector<For>& stages, const StepAxis& axis) {
  for (const For& f : stages) {
    const For* l = loop_at(f, axis.depth);
    if (l == nullptr)
      throw UserError("in_step: a stage has no loop of its own at depth " + std::to_string(axis.depth) +
                      "; leave out that axis");
    if (l->kind != LoopKind::Seq || !(l->step == Nat(1)))
      throw UserError("in_step: the stages' loops along a stepped axis are sequential, found a " +
                      std::string(text(l->kind)) + " loop over " + l->var.str());
  }
}

}  // namespace

Block in_step(const std::vector<For>& stages, const std::vector<StepAxis>& axes) {
  std::vector<For> cut_stages = stages, steps;
  for (const StepAxis& axis : axes) {
    check(stages, axis);
    const auto place = [&](std::size_t i) { return loop_at(stages[i], axis.depth); };
    Nat first = place(0)->lower + axis.shift.at(0), past = place(0)->upper + axis.shift.at(0);
    for (std::size_t i = 1; i < stages.size(); ++i) {
      first = min(first, place(i)->lower + axis.shift.at(i));
      past = max(past, place(i)->upper + axis.shift.at(i));
    }
    For step;
    const Nat number = ceildiv(past - first, axis.width);
    step.var = Nat::fresh(place(0)->var.str() + place(0)->var.str(), 0, number - 1);
    step.lower = 0, step.upper = number;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const Nat begin = first + axis.width * step.var - axis.shift.at(i);
      cut_stages[i] = cut(std::move(cut_stages[i]), axis.depth, begin, begin + axis.width);
    }
    steps.push_back(std::move(step));
  }
  Block body;
  for (For& f : cut_stages) body.push_back({std::move(f)});
  for (std::size_t a = steps.size(); a-- > 0;) {
    steps[a].body = std::move(body);
    body = {{std::move(steps[a])}};
  }
  return body;
}

}  // namespace lift
