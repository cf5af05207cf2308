// Nests: their decisions in dependency order, how a configuration is derived, and what is said of it.
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace nest {

const NestDecision& in_place();
const NestDecision& layout();
const NestDecision& block();
const NestDecision& buffer();
const NestDecision& tile();
const NestDecision& order();
const NestDecision& time();
const NestDecision& rings();
const NestDecision& loads();
const NestDecision& strips();
const NestDecision& phases();
const NestDecision& one_group();
const NestDecision& grid();
const NestDecision& parallel();
const NestDecision& team();
const NestDecision& dynamic();
const NestDecision& local();
const NestDecision& copy();
const NestDecision& items();
const NestDecision& inner();
const NestDecision& width();
const NestDecision& late();
const NestDecision& stream();
const NestDecision& unroll();
const NestDecision& kcache();
const NestDecision& prefetch();
const NestDecision& deal();

}  // namespace nest

namespace {

using nest::NestDecision;
using List = std::vector<const NestDecision*>;

/// In dependency order: a decision asks only for those before it.
const List& all_decisions() {
  static const auto& all =
      *new List{&nest::in_place(), &nest::layout(),    &nest::block(), &nest::buffer(),   &nest::tile(),
                &nest::order(),    &nest::time(),      &nest::rings(), &nest::loads(),    &nest::strips(),
                &nest::phases(),   &nest::one_group(), &nest::grid(),  &nest::parallel(), &nest::team(),
                &nest::dynamic(),  &nest::deal(),      &nest::local(), &nest::copy(),     &nest::items(),
                &nest::inner(),    &nest::width(),     &nest::late(),  &nest::stream(),   &nest::unroll(),
                &nest::kcache(),   &nest::prefetch()};
  return all;
}

/// In words: what a variant is like, from the data it works on to its innermost loop.
const List& said_before_reductions() {
  static const auto& said =
      *new List{&nest::in_place(), &nest::layout(),    &nest::block(), &nest::buffer(), &nest::tile(),
                &nest::order(),    &nest::time(),      &nest::rings(), &nest::loads(),  &nest::strips(),
                &nest::phases(),   &nest::one_group(), &nest::team(),  &nest::grid(),   &nest::dynamic(),
                &nest::deal(),     &nest::local(),     &nest::copy(),  &nest::items()};
  return said;
}
const List& said_of_the_inner_loop() {
  static const auto& said = *new List{&nest::inner(), &nest::unroll(), &nest::kcache()};
  return said;
}
const List& said_of_stores() {
  static const auto& said = *new List{&nest::late(), &nest::prefetch(), &nest::stream()};
  return said;
}

/// The steps of a sweep: the shape of its nest, how its loops run, then its inner loop.
void derive_sweep(NestDeriver& d, const NestFacts& f, const Configuration& c) {
  if (c[key::buffer]) {
    take(nest::buffer(), d, f, c);
  } else {
    for (const NestDecision* shape : {&nest::tile(), &nest::local(), &nest::block()}) take(*shape, d, f, c);
    d.nest_loops();
    for (const NestDecision* run :
         {&nest::order(), &nest::items(), &nest::grid(), &nest::parallel(), &nest::deal(), &nest::copy()})
      take(*run, d, f, c);
    if (!d.inner_is_item) run_inner(d, f, c, d.loop(d.inner()));
  }
  take(nest::dynamic(), d, f, c);
}

class Nests : public KindWith<NestFacts> {
 public:
  Nests(Form fused, std::optional<Form> staged) : KindWith(std::move(fused), std::move(staged)) {
    const auto reduction = [](const NestFacts& f) -> const ReductionFacts& { return f.reduction; };
    if (has_stages()) add(bound_common(common::stages()));
    for (const NestDecision* d : all_decisions()) add(bound(*d));
    for (const ReductionDecision* d : reduction_decisions()) add(bound(*d, reduction));
    add(bound_common(common::joined())), add(bound_common(common::readonly()));

    say(bound_common(common::stages())), say(bound_common(common::joined()));
    for (const NestDecision* d : said_before_reductions()) say(bound(*d));
    for (const ReductionDecision* d : reduction_decisions()) say(bound(*d, reduction));
    for (const NestDecision* d : said_of_the_inner_loop()) say(bound(*d));
    say(bound_common(common::readonly()));
    for (const NestDecision* d : said_of_stores()) say(bound(*d));
  }

  std::vector<Wishes> first_guesses() const override { return nest::first_guesses(facts(), stored_facts()); }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    NestDeriver d(start, f);
    if (goes_in_one_group(f, c)) return derive_in_one_group(d, f, c), d.result();
    if (goes_in_groups(f, c)) return derive_in_groups(d, f, c), d.result();
    derive_reductions(d, f.reduction, c);  // first: it has the places in the program as it was
    if (f.on_processors()) derive_reductions_beside_loops(d, is_vector(c) ? c[key::width] : 1);
    take(nest::in_place(), d, f, c);
    const std::vector<Place> sweeps = sweeps_of(d.part({}));
    for (std::size_t s = 0; s < sweeps.size(); ++s) {
      const NestFacts here = f.of_sweep(s);
      d.begin(sweeps[s], here);
      derive_sweep(d, here, c);
      const bool is_read_soon = (c[key::rings] || !c[key::phases].empty()) && s + 1 < sweeps.size();
      if (!is_read_soon) take(nest::stream(), d, here, c);
      if (const Nest n = d.nest(); f.on_grid() && n.update) d.try_step("copy-base", *n.update);
    }
    run_other_loops(d, f, {!c[key::parallel].names.empty(), is_vector(c), is_solo(c), c[key::width]});
    take(common::joined(), d, f, c);
    take(common::readonly(), d, f, c);
    take(nest::time(), d, f, c);  // before layouts, by which arguments have other names
    take(nest::team(), d, f, c);
    take(nest::layout(), d, f, c);
    run_scans(d);
    take(common::stages(), d, f, c);
    return d.result();
  }

  static Form form_of(Rewriting start, const SpaceOptions& options) {
    NestFacts f = nest_facts(start.program, options);
    f.joins_stages =
        f.sweeps == 1 && (have_joined_stages(start.program) || !stages_of(start.program.body).empty());
    return {std::move(start), std::move(f)};
  }
};

}  // namespace

void run_inner(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& place) {
  for (const NestDecision* x :
       {&nest::inner(), &nest::unroll(), &nest::kcache(), &nest::late(), &nest::prefetch()})
    take(*x, d, f, c, place);
}

std::unique_ptr<Kind> nests(Rewriting fused, std::optional<Rewriting> staged, const SpaceOptions& options) {
  std::optional<Nests::Form> stored;
  if (staged) stored = Nests::form_of(std::move(*staged), options);
  return std::make_unique<Nests>(Nests::form_of(std::move(fused), options), std::move(stored));
}

std::vector<RegisteredDecision> registered_nest_decisions() {
  std::vector<RegisteredDecision> r;
  for (const NestDecision* d : all_decisions()) r.push_back({d->key, d->switched});
  return r;
}

}  // namespace lift
