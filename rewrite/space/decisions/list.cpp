// Which decisions there are about loops, by what these are around: in which order they are taken, and in
// which order they are said.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace decisions {
namespace {

using List = std::vector<const Decision*>;

/// Words that no decision has.
template <class Words>
const Decision* words(Words w) {
  auto& d = *new Decision;
  d.words = std::move(w);
  return &d;
}

LoopDecisions about_cells() {
  return {{&stages(),   &in_place(), &layout(),  &block(),  &buffer(),  &tile(),      &order(),
           &time(),     &rings(),    &loads(),   &strips(), &phases(),  &one_group(), &grid(),
           &parallel(), &team(),     &dynamic(), &deal(),   &local(),   &copy(),      &items(),
           &inner(),    &width(),    &late(),    &stream(), &unroll(),  &kcache(),    &prefetch(),
           &parts(),    &group(),    &lanes(),   &joined(), &readonly()},
          {&stages(),  &joined(), &in_place(), &layout(),   &block(),  &buffer(),    &tile(),  &order(),
           &time(),    &rings(),  &loads(),    &strips(),   &phases(), &one_group(), &team(),  &grid(),
           &dynamic(), &deal(),   &local(),    &copy(),     &items(),  &parts(),     &group(), &lanes(),
           &inner(),   &unroll(), &kcache(),   &readonly(), &late(),   &prefetch(),  &stream()},
          cell_facts,
          cells::derive,
          cells::first_guesses};
}

LoopDecisions about_scans() {
  const Decision* along = words([](const NestFacts&, const Configuration& c) -> std::string {
    return is_by_levels(c) ? "columns" : "";
  });
  return {
      {&order(), &tile(), &grid(), &parallel(), &inner(), &width(), &kcache(), &unroll(), &prefetch(),
       &keep(), &readonly()},
      {&order(), &keep(), &tile(), along, &grid(), &inner(), &unroll(), &kcache(), &readonly(), &prefetch()},
      scan_facts,
      scans::derive,
      scans::first_guesses};
}

LoopDecisions about_folds() {
  return {{&order(), &inner(), &lanes(), &parts(), &tile(), &parallel(), &width(), &unroll(), &readonly()},
          {&order(), &parts(), &tile(), &lanes(), &inner(), &unroll(), &readonly()},
          fold_facts,
          folds::derive,
          folds::first_guesses};
}

LoopDecisions about_numbers() {
  const Decision* without = words([](const NestFacts& f, const Configuration&) {
    return std::string(f.update ? "two buffers" : "") + (f.update && f.on_grid() ? ", " : "") +
           (f.on_grid() ? "grid none" : "");
  });
  const Decision* seq = words([](const NestFacts&, const Configuration&) { return std::string("seq"); });
  return {{&stages(), &parts(), &group(), &lanes(), &readonly()},
          {&stages(), without, &parts(), &group(), &lanes(), seq, &readonly()},
          number_facts,
          numbers::derive,
          numbers::first_guesses};
}

LoopDecisions about_stages() {
  const List all{&in_place(), &layout(), &time(),   &strips(), &team(),    &inner(),
                 &width(),    &late(),   &stream(), &joined(), &readonly()};
  return {all, all, chain_facts, chain::derive, chain::first_guesses};
}

LoopDecisions about_groups() {
  const Decision* step = words([](const NestFacts& f, const Configuration&) {
    return "in step along " + f.axes.front().name + ", rings of planes";
  });
  return {{&loads(), &strips(), &team(), &readonly()},
          {step, &loads(), &strips(), &team(), &readonly()},
          group_facts,
          groups::derive,
          groups::first_guesses};
}

/// A decision without steps and settings of its own: one of the forms of a program, or of several parts.
template <class T>
const Decision* only_key(const KeyOf<T>& key) {
  return new Decision(decide(key));
}

}  // namespace
}  // namespace decisions

const LoopDecisions& decisions_of(Inside inside) {
  static const auto& all = *new std::vector<LoopDecisions>{
      decisions::about_cells(),   decisions::about_scans(),  decisions::about_folds(),
      decisions::about_numbers(), decisions::about_stages(), decisions::about_groups()};
  return all[static_cast<std::size_t>(inside)];
}

const std::vector<const Decision*>& all_decisions() {
  using decisions::only_key;
  static const auto& all = *new std::vector<const Decision*>([] {
    std::vector<const Decision*> r{only_key(key::depth), only_key(key::wraps), only_key(key::follows),
                                   only_key(key::together)};
    for (const Inside inside :
         {Inside::cells, Inside::scans, Inside::folds, Inside::numbers, Inside::stages, Inside::groups})
      for (const Decision* d : decisions_of(inside).decisions)
        if (std::none_of(r.begin(), r.end(), [&](const Decision* x) { return x->key == d->key; }))
          r.push_back(d);
    for (const Decision* d : {&decisions::rows(), &decisions::columns()}) r.push_back(d);
    return r;
  }());
  return all;
}

}  // namespace lift
