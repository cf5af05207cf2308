#include "rewrite/space/variants.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/space/block_form.hpp"
#include "rewrite/space/chain_form.hpp"
#include "rewrite/space/class_keys.hpp"
#include "rewrite/space/flat_form.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/rule_keys.hpp"
#include "rewrite/space/stage_form.hpp"
#include "rewrite/space/update_form.hpp"

namespace lift {
namespace {

/// Known extents may differ, as those of regions that shrink do; not as those of a border and of what it
/// surrounds.
bool same_extents(const std::vector<Nat>& a, const std::vector<Nat>& b) {
  constexpr std::int64_t margins = 16;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Nat& x, const Nat& y) {
    if (x == y) return true;
    if (!x.is_constant() || !y.is_constant()) return false;
    const std::int64_t least = std::min(*x.constant(), *y.constant()),
                       most = std::max(*x.constant(), *y.constant());
    return most - least <= margins || most <= 2 * least;
  });
}
bool same_nest(const Nest& a, const Nest& b) {
  return a.update == b.update && std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(),
                                            b.levels.end(), [](const NestLevel& x, const NestLevel& y) {
                                              return x.place == y.place && same_extents(x.extents, y.extents);
                                            });
}

Inside which(const Program& program, const SpaceOptions& options) {
  if (!have_one_nest(program)) return Inside::numbers;
  const Program first = single_sweep(program, 0);
  const Nest nest = main_nest(first.body);
  if (levels_around_scans(first.body, nest) > 0) return Inside::scans;
  if (are_folds(program, options)) return Inside::folds;
  return nest.levels.empty() ? Inside::numbers : Inside::cells;
}

}  // namespace

bool have_one_nest(const Program& program) {
  const std::size_t sweeps = sweeps_of(program.body).size();
  if (sweeps == 1) return true;
  const Nest first = main_nest(single_sweep(program, 0).body);
  for (std::size_t s = 1; s < sweeps; ++s)
    if (!same_nest(first, main_nest(single_sweep(program, s).body))) return false;
  return true;
}

namespace {

/// Whether the loops of a program's parts are around different things, or each has decisions of its own.
bool are_mixed(const Program& program, const std::vector<Place>& parts, const SpaceOptions& options) {
  if (parts.size() < 2 || contains(program.body, [](const Expr& e) { return e.is(Op::Iterate); }))
    return false;
  std::vector<Inside> all;
  for (const Place& p : parts) {
    const Program part = step_program(program, p);
    const Inside inside = which(part, options);
    const bool reduces = contains(part.body, [](const Expr& e) { return is_reduce(e.op()); });
    add_new(all, inside == Inside::numbers && !reduces ? Inside::cells : inside);
  }
  const Inside first = all.front();
  const bool apart = first == Inside::cells && !have_one_nest(program);
  return all.size() > 1 || first == Inside::scans || first == Inside::folds || apart;
}

bool updates_border(const ChainStage& s) {
  constexpr std::int64_t thin = 4;
  Expr e = s.value;
  while (is_identity(e.op())) e = e.child(0);
  if (!is_update(e.op())) return false;
  const int rank = static_cast<int>(update_offsets(e).size());
  const std::vector<Nat> whole = shape_of(e.type(), rank), block = shape_of(e.child(1).type(), rank);
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (const auto n = whole[d].constant(), b = block[d].constant(); n && b && *b * thin <= *n) return true;
  return false;
}

/// Whether some of several stages update borders: a row, or a column, of an array. No schedule of all stages
/// together is worth what it copies for these; each has loops of its own.
bool has_borders(const Program& program) {
  const Chain chain = chain_of(program);
  return chain.stages.size() > 1 && std::any_of(chain.stages.begin(), chain.stages.end(), updates_border);
}

std::unique_ptr<Variants> variants_of_prepared(Rewriting start, const SpaceOptions& options);

/// Each part with loops of its own; on a grid, where groups can compute all of them in step, also that.
std::unique_ptr<Variants> variants_apart(const Rewriting& whole, const std::vector<Place>& parts,
                                         const SpaceOptions& options) {
  auto apart = variants_of_parts(
      whole, parts,
      [](const Program& part, const SpaceOptions& o) {
        return variants_of_prepared({part, {}}, o);
      },
      options);
  if (!is_grid(options.target)) return apart;
  NestFacts in_step = group_facts(whole.program, options);
  if (in_step.in_groups.empty()) return apart;
  std::vector<VariantsOfForm> forms;
  forms.push_back({true, "", variants_of_loops({whole, std::move(in_step)})});
  forms.push_back({false, "", std::move(apart)});
  // Tiles that overlap leave what others still read: no result may be in the place of an argument.
  const bool overwrites = !whole.program.overwritable.empty();
  if (overwrites) std::swap(forms[0], forms[1]);
  return by_form(key::together, std::move(forms));
}

/// Of a program in the form in which loops are decided about.
std::unique_ptr<Variants> variants_of_form(Rewriting start, const SpaceOptions& options) {
  const bool borders = !is_grid(options.target) && has_borders(start.program);
  if (!borders)
    if (auto f = chain_in_step(start.program, options))
      return variants_of_loops({std::move(start), *std::move(f)});
  if (const auto parts = parts_of(start.program.body); borders || are_mixed(start.program, parts, options))
    return variants_apart(start, parts, options);
  std::optional<Rewriting> staged;
  if (!stages_of(start.program.body).empty()) {
    staged = start;
    start = with_stages_fused(std::move(start));
  }
  const Inside inside = which(start.program, options);
  const auto form = [&](Rewriting r) {
    NestFacts f = decisions_of(inside).facts(r.program, options);
    f.inside = inside;
    return VariantsOfForms::Form{std::move(r), std::move(f)};
  };
  const bool may_be_stored = inside == Inside::cells || inside == Inside::numbers;
  if (!staged || !may_be_stored || which(staged->program, options) != inside) {  // other decisions
    VariantsOfForms::Form only = form(std::move(start));
    only.facts.may_be_fused = false;
    return variants_of_loops(std::move(only));
  }
  return variants_of_loops(form(std::move(start)), form(*std::move(staged)));
}

/// Whether several stages, or steps of an iteration, could share a pass over memory: else a step at a time is
/// as fast, and less text.
bool gains_from_time(const Variants& variants) {
  return std::any_of(variants.decisions().begin(), variants.decisions().end(), [](const BoundDecision& d) {
    const bool shares =
        d.key == &key::time || d.key == &key::stages || d.key == &key::phases || d.key == &key::together;
    return shares && d.settings.size() > 1;
  });
}

/// Stages that wrap around a period compute what lies beyond it: along the outermost axis; on a grid, where
/// tiles have ends along all of them, along each.
std::optional<Rewriting> with_periods_once(const Rewriting& start, bool on_grid) {
  constexpr std::int64_t kAxes = 3;
  std::optional<Rewriting> r;
  for (std::int64_t axis = 0; axis < (on_grid ? kAxes : 1); ++axis) {
    const Strategy once = axis == 0 ? use("wrap-once") : use("wrap-once-along", {axis});
    if (const auto next = once(r ? *r : start, {})) r = *next;
  }
  return r;
}

/// Where the stages of a chain cannot share a pass as each wraps around a period, they can when only what
/// comes before them does.
std::unique_ptr<Variants> variants_of_prepared(Rewriting start, const SpaceOptions& options) {
  start = in_flat_form(std::move(start));
  if (const auto step = step_over_time(start.program.body, is_grid(options.target)))
    return variants_over_time(std::move(start), *step, options);
  start = in_stage_form(in_update_form(in_block_form(start), is_grid(options.target)));
  auto each = variants_of_form(start, options);
  if (gains_from_time(*each)) return each;
  const std::optional<Rewriting> wrapped = with_periods_once(start, is_grid(options.target));
  if (!wrapped) return each;
  auto once = variants_of_form(in_stage_form(*wrapped), options);
  if (!gains_from_time(*once)) return each;
  std::vector<VariantsOfForm> forms;
  forms.push_back({true, "wrapped once", std::move(once)});
  forms.push_back({false, "", std::move(each)});
  return by_form(key::wraps, std::move(forms));
}

}  // namespace

namespace {

/// What a definition names, and what it is given and reads several times, are stages where it is used.
Rewriting in_let_form(const Program& program) {
  Rewriting r{program, {}};
  for (const char* rule : {"component-views", "shared-stages", "lets-outside"})
    if (const auto next = use(rule)(r, {})) r = *next;
  return r;
}

/// How many steps of iterations go together is a decision.
std::unique_ptr<Variants> variants_at_depths(const Program& program, const SpaceOptions& options) {
  std::vector<VariantsOfForm> forms;
  const Rewriting start = in_let_form(program);
  const std::vector<std::int64_t> depths = depths_of(start.program);
  const std::size_t parts = parts_of(start.program.body).size();
  for (const std::int64_t depth : depths) {
    const Rewriting form = in_chain_form(start, depth);
    auto variants = variants_of_prepared(form, options);
    // Steps beside other stages are such themselves where all of them are written out.
    const bool stages =
        parts > 1 && !contains(form.program.body, [](const Expr& e) { return e.is(Op::Iterate); });
    if (depth != depths.back() && !stages && !gains_from_time(*variants)) continue;
    const std::string words = depth == 1 ? "" : std::to_string(depth) + " steps together";
    forms.push_back({depth, words, std::move(variants)});
  }
  if (forms.empty()) return variants_of_prepared(start, options);
  return forms.size() == 1 ? std::move(forms.front().variants) : by_form(key::depth, std::move(forms));
}

}  // namespace

std::unique_ptr<Variants> variants_of(const Program& program, const SpaceOptions& options) {
  if (!options.rules || options.rules->empty()) return variants_at_depths(program, options);
  return variants_by_rules(program, options, variants_at_depths);
}

std::unique_ptr<Variants> variants_of_step(const Program& step, const SpaceOptions& options) {
  const Rewriting start = in_let_form(step);
  const std::vector<std::int64_t> depths = depths_of(start.program);
  return variants_of_prepared(depths.empty() ? start : in_chain_form(start, depths.front()), options);
}

Settings allowed(const Decision& d, const Settings& all, const NestFacts& f, const Configuration& c) {
  Settings r;
  const Settings some = d.among ? d.among(f, c) : Settings{};
  for (const Setting& s : all)
    if (d.among ? contains(some, s) : !d.admits || d.admits(f, c, s)) r.push_back(s);
  return r;
}

std::string VariantsOfForms::words(const Configuration& c) const {
  std::string s;
  for (const Decision* d : said_)
    if (const std::string w = d->words ? d->words(form(c).facts, c) : ""; !w.empty())
      s += (s.empty() ? "" : ", ") + w;
  return s;
}

BoundDecision VariantsOfForms::bound(const Decision& d) const {
  BoundDecision b;
  b.key = d.key;
  // What is stored is a question about the form in which it is.
  b.settings = d.settings((d.key == &key::stages && staged_ ? *staged_ : fused_).facts);
  if (d.about_stages && staged_)
    for (const Setting& s : d.settings(staged_->facts)) add_new(b.settings, s);
  b.allowed = [this, &d, all = b.settings](const Configuration& c) {
    return allowed(d, all, form(c).facts, c);
  };
  b.suits = [this, &d](const Configuration& c, const Settings& allowed) {
    return d.suits ? d.suits(form(c).facts, c, allowed) : allowed.front();
  };
  b.searched = !d.searched || d.searched(fused_.facts);
  return b;
}

namespace {

/// Loops that are around one thing.
class VariantsOfLoops : public VariantsOfForms {
 public:
  VariantsOfLoops(Form fused, std::optional<Form> staged)
      : VariantsOfForms(std::move(fused), std::move(staged)), all_(decisions_of(facts().inside)) {
    for (const Decision* d : all_.decisions)
      if (d->key != &key::stages || stored_facts() != nullptr) add(bound(*d));
    for (const Decision* d : all_.said) say(*d);
  }
  std::vector<Wishes> first_guesses() const override { return all_.first_guesses(facts(), stored_facts()); }
  Rewriting derive(const Configuration& c) const override {
    return all_.derive(form(c).start, form(c).facts, c);
  }

 private:
  const LoopDecisions& all_;
};

}  // namespace

std::unique_ptr<Variants> variants_of_loops(VariantsOfForms::Form fused,
                                            std::optional<VariantsOfForms::Form> staged) {
  return std::make_unique<VariantsOfLoops>(std::move(fused), std::move(staged));
}

std::optional<Configuration> granted(const Variants& variants, const Wishes& wishes,
                                     bool (*may_differ)(const Key&)) {
  Configuration c;
  for (const BoundDecision& d : variants.decisions()) {
    const Settings allowed = d.allowed(c);
    const Setting* wish = wishes.find(*d.key);
    auto at = allowed.end();
    if (wish != nullptr) {
      at = std::find(allowed.begin(), allowed.end(), *wish);
      if (at == allowed.end())
        at = std::find_if(allowed.begin(), allowed.end(), [&](const Setting& s) { return begins(s, *wish); });
      if (at == allowed.end() && (may_differ == nullptr || !may_differ(*d.key))) return std::nullopt;
    }
    c.set(*d.key, at != allowed.end() ? *at : d.suits(c, allowed));
  }
  return c;
}

BoundDecision united(const Key& key, const std::vector<const BoundDecision*>& all) {
  BoundDecision d;
  d.key = &key, d.searched = false;
  for (const BoundDecision* own : all) {
    for (const Setting& s : own->settings) add_new(d.settings, s);
    d.searched = d.searched || own->searched;
  }
  return d;
}

const Key* find_key(std::string_view name) {
  for (const Decision* d : all_decisions())
    if (d->key->name == name) return d->key;
  if (const Key* of_rule = find_rule_key(name, find_key)) return of_rule;
  const auto [of_first, number] = class_of(name);
  const Key* key = number > 1 ? find_key(of_first) : nullptr;
  return key != nullptr ? &key_of_class(*key, number) : nullptr;
}

}  // namespace lift
