// Programs whose result is made by a loop over time: what a step of it does is decided as for a program by
// itself, of whatever kind it is; what comes before the loop, and after it, follows.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/analysis/rows.hpp"
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
  if (start != first) return;
  if (!e.is(Op::Tuple)) throw UserError("iterate: what the steps overwrite has no name; name its parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != StepPart::overwritten) continue;
    const Expr& x = e.child(i);
    const Place at = component_of(start, static_cast<int>(i));
    if (!is_computed(x))
      copy(x, at);
    else if (!x.is(Op::ToGlobal))  // it lies in an array of the program's own
      d.step("to-global", at);
  }
}

/// Whether threads share what a step does: a loop, or tiles of several stages.
bool has_threads(const Derivation& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& s) {
    return s.rule == "map-par" || s.rule == "in-tiles" || s.rule == "in-phases" || s.rule == "doacross";
  });
}

/// Whether a value goes where a result of the program goes, or has a name.
bool is_stored(const Expr& body, const Place& place) {
  Expr e = body;
  for (const int i : place) {
    if (!(is_identity(e.op()) || e.is(Op::Tuple) || e.is(Op::Unzip) || e.is(Op::Lambda) || e.is(Op::Let)))
      return false;
    e = e.child(static_cast<std::size_t>(i));
  }
  return true;
}

/// Of a loop over time that makes rows, each of the one before.
RowFacts row_facts(const Program& p, const Place& loop) {
  const Expr scan = part_at(p.body, loop);
  RowFacts r;
  if (!is_scan(scan.op()) || !is_stored(p.body, loop)) return r;
  std::vector<Expr> around;
  for (std::size_t n = 0; n < loop.size(); ++n)
    around.push_back(part_at(p.body, Place(loop.begin(), loop.begin() + static_cast<std::ptrdiff_t>(n))));
  const RowsBefore before = rows_before(scan, around);
  const Type& element = scan.child(1).type();
  const Type row = element.is_tuple() ? Type(element.parts()[0]) : element;
  constexpr std::int64_t most = 256;  // columns of a step
  r.abreast = before.obstacle.empty() && before.right <= most;
  r.chains = contains(scan.child(0), [](const Expr& x) { return is_scan(x.op()); });
  r.right = before.right;
  if (row.is_array()) r.columns = row.length().constant().value_or(0);
  if (const auto each = row.is_array() ? scalars_in(row.element()) : std::nullopt)
    r.arrays = *each * (element.is_tuple() ? static_cast<std::int64_t>(element.parts().size()) : 1);
  return r;
}

class LoopOverTime : public VariantsOfForms {
 public:
  LoopOverTime(Form form, Place step, std::unique_ptr<Variants> of_step)
      : VariantsOfForms(std::move(form)), step_(std::move(step)), of_step_(std::move(of_step)) {
    for (const BoundDecision& d : of_step_->decisions())
      if (d.key != decisions::readonly().key) add(d);
    if (std::none_of(decisions().begin(), decisions().end(),
                     [](const BoundDecision& d) { return d.key == &key::rows; }))
      for (const Decision* d : {&decisions::rows(), &decisions::columns()})
        if (BoundDecision b = bound(*d); !b.settings.empty()) add(std::move(b)), say(*d), rows_.push_back(d);
    add(bound(decisions::readonly())), say(decisions::readonly());
  }

  std::string words(const Configuration& c) const override {
    std::string s = of_step_->words(of_the_step(c)), more = VariantsOfForms::words(c);
    return s + (s.empty() || more.empty() ? "" : ", ") + more;
  }
  /// Stores past the cache come last: the next step reads what this one has stored.
  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> r = of_step_->first_guesses();
    std::stable_partition(r.begin(), r.end(), [](const Wishes& w) { return !w[key::stream]; });
    if (rows_.empty() || !facts().made_rows.chains) return r;
    std::vector<Wishes> abreast;
    for (Wishes w : r) {
      if (w.find(key::parallel) != nullptr) w.set(key::parallel, Loops{});
      for (const Decision* d : rows_) w.set(*d->key, d->settings(facts()).at(1));  // after the plain one
      abreast.push_back(std::move(w));
    }
    r.insert(r.begin(), abreast.begin(), abreast.end());
    return r;
  }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    NestDeriver d(start, f);
    const Rewriting of_step = of_step_->derive(of_the_step(c));
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
    if (!alone && !f.on_grid()) derive_reductions_beside_loops(d, is_vector(c) ? c[key::width] : 1);
    if (!f.on_processors())
      derive_reductions_by_groups(d, static_cast<std::int64_t>(f.options.max_work_group));
    run_other_loops(d, f, {!alone, is_vector(c), is_solo(c), c[key::width]});
    take(decisions::readonly(), d, f, c);
    run_scans(d);
    for (const Decision* rows : rows_) take(*rows, d, f, c, iteration);
    return d.result();
  }

 private:
  Configuration of_the_step(Configuration c) const {
    c.erase(*decisions::readonly().key);
    for (const Decision* d : rows_) c.erase(*d->key);
    return c;
  }

  Place step_;
  std::unique_ptr<Variants> of_step_;
  std::vector<const Decision*> rows_;  ///< about rows that the loop makes, where there is something to decide
};

}  // namespace

std::unique_ptr<Variants> variants_over_time(Rewriting start, const Place& step,
                                             const SpaceOptions& options) {
  SpaceOptions within = options;
  within.only_layout = kCallersLayout;  // arrays of the program keep theirs while the steps take turns
  auto of_step = variants_of_step(step_program(start.program, step), within);
  NestFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(start.program, options);
  if (!f.on_grid()) f.made_rows = row_facts(start.program, Place(step.begin(), step.end() - 2));
  return std::make_unique<LoopOverTime>(LoopOverTime::Form{std::move(start), std::move(f)}, step,
                                        std::move(of_step));
}

}  // namespace lift
