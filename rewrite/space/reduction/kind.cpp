// Reductions as a kind of program, and programs without loops over cells: their decisions in dependency
// order, how a configuration is derived, and what would be tried first.
#include "rewrite/space/kind.hpp"
#include "ir/error.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

class Reductions : public KindWith<ReductionFacts> {
 public:
  Reductions(Form fused, std::optional<Form> staged) : KindWith(std::move(fused), std::move(staged)) {
    if (has_stages()) add(bound_common(common::stages()));
    for (const ReductionDecision* d : reduction_decisions()) add(bound(*d));
    add(bound_common(common::readonly()));

    say(bound_common(common::stages()));
    say({.key = nullptr, .settings = {}, .allowed = {}, .suits = {}, .words = [this](const Configuration& c) {
           const ReductionFacts& f = form(c).facts;
           return std::string(f.update ? "two buffers" : "") + (f.update && f.on_grid() ? ", " : "") +
                  (f.on_grid() ? "grid none" : "");
         }});
    for (const ReductionDecision* d : reduction_decisions()) say(bound(*d));
    say({.key = nullptr, .settings = {}, .allowed = {}, .suits = {}, .words = [](const Configuration&) {
           return std::string("seq");
         }});
    say(bound_common(common::readonly()));
  }

  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> r = reduction::first_guesses(facts());
    r.emplace_back();
    return r;
  }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    Deriver d(start);
    derive_reductions(d, f, c);
    for (const Place& sweep : sweeps_of(d.part({}))) {
      d.start_at(sweep);
      if (const Nest n = d.nest(); f.on_grid() && n.update) d.try_step("copy-base", *n.update);
    }
    run_other_loops(d, f, {.width = f.lanes});
    take(common::readonly(), d, f, c);
    run_scans(d);
    take(common::stages(), d, f, c);
    return d.result();
  }

  static Form form_of(Rewriting start, const SpaceOptions& options) {
    ReductionFacts f;
    f.options = options;
    if (have_one_nest(start.program)) {  // else nothing can be decided for all sweeps together
      const Program program = single_sweep(start.program, 0);
      f = reduction_facts(program, options);
      f.update = main_nest(program.body).update.has_value();
      if (sweeps_of(start.program.body).size() > 1) f.places.clear();
    }
    return {std::move(start), std::move(f)};
  }
};

}  // namespace

/// A thread hides latencies by accumulators; work-items, of which there are many, have few registers each,
/// and share parts.
std::vector<Wishes> reduction::first_guesses(const ReductionFacts& f) {
  std::vector<Wishes> r;
  if (f.places.empty()) return r;
  if (f.on_processors()) {
    for (const std::int64_t n : {2 * f.lanes, f.lanes, 4 * f.lanes, std::int64_t{1}})
      r.push_back({{key::lanes, n}});
    return r;
  }
  for (const std::int64_t lanes : {4, 1, 8})
    for (const std::int64_t items : {256, 128, 512, 64})
      r.push_back({{key::group, items}, {key::lanes, lanes}});
  for (const std::int64_t n : {2, 1}) r.push_back({{key::lanes, n}});
  return r;
}

const std::vector<const ReductionDecision*>& reduction_decisions() {
  static const auto& all = *new std::vector<const ReductionDecision*>{
      &reduction::parts(), &reduction::group(), &reduction::lanes()};
  return all;
}

std::unique_ptr<Kind> reductions(Rewriting fused, std::optional<Rewriting> staged,
                                 const SpaceOptions& options) {
  std::optional<Reductions::Form> stored;
  if (staged) stored = Reductions::form_of(std::move(*staged), options);
  return std::make_unique<Reductions>(Reductions::form_of(std::move(fused), options), std::move(stored));
}

std::vector<RegisteredDecision> registered_reduction_decisions() {
  std::vector<RegisteredDecision> r;
  for (const ReductionDecision* d : reduction_decisions()) r.push_back({d->key, d->switched});
  return r;
}

}  // namespace lift
