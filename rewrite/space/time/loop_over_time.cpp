// Programs whose result is made by a loop over time: what a step of it does is decided as for a program by
// itself, of whatever kind it is; what comes before the loop, and after it, follows.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

int occurrences(const Expr& e, const Expr& x) {
  int n = e == x ? 1 : 0;
  for (const Expr& c : e.children()) n += occurrences(c, x);
  return n;
}

/// Whether a part goes where a result of the program goes, and nowhere else.
bool is_result(const Expr& body, const Place& place) {
  Expr e = body;
  for (const int i : place) {
    if (e.is(Op::Let) ? i != 1 : !(is_identity(e.op()) || e.is(Op::Tuple) || e.is(Op::Lambda))) return false;
    e = e.child(static_cast<std::size_t>(i));
  }
  return true;
}

/// Steps in place begin with a copy of what they are given, unless nobody needs that. Steps before them,
/// which are no whole block, are in place, too.
void copy_start(Deriver& d, Place start, const std::vector<StepPart>& parts) {
  const Place first = start;
  while (d.part(start).is(Op::Iterate)) start.push_back(1);
  const Program& p = d.program();
  const Expr e = d.part(start);
  const auto& free = p.overwritable;
  const auto is_free = [&](const Expr& x) {
    return x.is(Op::Param) && is_result(p.body, Place(first.begin(), first.end() - 1)) &&
           occurrences(p.body, x) == 1 && std::find(free.begin(), free.end(), param_name(x)) != free.end();
  };
  const auto copy = [&](const Expr& x, const Place& at) {
    if (is_free(x)) return;
    d.step("identity-map", {std::int64_t{rank_of(x.type())}}, at);
    d.step("to-global", at);
  };
  if (!e.type().is_tuple()) {
    copy(e, start);
    for (Place at = first; at != start; at.push_back(1)) d.step("update-in-place", step_of(at));
    return;
  }
  if (start != first) return;  // what is computed lies in arrays of the program's own
  if (!e.is(Op::Tuple)) throw UserError("iterate: what the steps overwrite has no name; name its parts");
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i] == StepPart::overwritten && !is_computed(e.child(i)))
      copy(e.child(i), component_of(start, static_cast<int>(i)));
}

/// Whether threads share what a step does: a loop, or tiles of several stages.
bool has_threads(const Derivation& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& s) {
    return s.rule == "map-par" || s.rule == "in-tiles" || s.rule == "in-phases" || s.rule == "doacross";
  });
}

class LoopOverTime : public VariantsOfForms {
 public:
  LoopOverTime(Form form, Place step, std::unique_ptr<Variants> of_step)
      : VariantsOfForms(std::move(form)), step_(std::move(step)), of_step_(std::move(of_step)) {
    for (const BoundDecision& d : of_step_->decisions())
      if (d.key != decisions::readonly().key) add(d);
    add(bound(decisions::readonly())), say(decisions::readonly());
  }

  std::string words(const Configuration& c) const override {
    std::string s = of_step_->words(without_readonly(c)), more = VariantsOfForms::words(c);
    return s + (s.empty() || more.empty() ? "" : ", ") + more;
  }
  /// Stores past the cache come last: the next step reads what this one has stored.
  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> r = of_step_->first_guesses();
    std::stable_partition(r.begin(), r.end(), [](const Wishes& w) { return !w[key::stream]; });
    return r;
  }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    NestDeriver d(start, f);
    const Rewriting of_step = of_step_->derive(without_readonly(c));
    const Place iteration(step_.begin(), step_.end() - 2);
    const auto decided =
        with_step(start.program, step_, [&](const Program&) -> Result<Program> { return of_step.program; });
    const Expr loop = part_at(decided->body, iteration);
    const std::vector<StepPart> parts = loop.is(Op::Iterate) ? parts_of_steps(loop) : std::vector<StepPart>{};
    if (std::find(parts.begin(), parts.end(), StepPart::overwritten) != parts.end())
      copy_start(d, below(iteration, {1}), parts);
    for (const Step& s : of_step.steps) d.step(s.rule, s.parameters, below(step_, s.place));
    const bool alone =
        c.find(key::parallel) != nullptr && c[key::parallel].names.empty() && !has_threads(of_step.steps);
    if (!alone && f.on_processors()) derive_reductions_beside_loops(d, is_vector(c) ? c[key::width] : 1);
    run_other_loops(d, f, {!alone, is_vector(c), is_solo(c), c[key::width]});
    take(decisions::readonly(), d, f, c);
    run_scans(d);
    return d.result();
  }

 private:
  static Configuration without_readonly(Configuration c) {
    c.erase(*decisions::readonly().key);
    return c;
  }

  Place step_;
  std::unique_ptr<Variants> of_step_;
};

}  // namespace

std::unique_ptr<Variants> variants_over_time(Rewriting start, const Place& step,
                                             const SpaceOptions& options) {
  SpaceOptions within = options;
  within.only_layout = kCallersLayout;  // arrays of the program keep theirs while the steps take turns
  auto of_step = variants_of_step(step_program(start.program, step), within);
  NestFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(start.program, options);
  return std::make_unique<LoopOverTime>(LoopOverTime::Form{std::move(start), std::move(f)}, step,
                                        std::move(of_step));
}

}  // namespace lift
