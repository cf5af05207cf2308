// Which loops run on threads; the same loops may run on work-groups of one item (grid.cpp).
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Names of the first loops of [begin, end) that do not run once, one more at a time: box, box k, ...
std::vector<Loops> prefixes(const LoopNest& loops, std::size_t begin, std::size_t end) {
  std::vector<Loops> r;
  Loops names;
  for (std::size_t i = begin; i < end && r.size() < 3; ++i)
    if (!loops[i].single() && !loops[i].block) {
      names.names.push_back(loops[i].name());
      r.push_back(names);
    }
  return r;
}

std::int64_t iterations(const LoopNest& loops, const Loops& some) {
  std::int64_t n = 1;
  for (const Loop& l : loops.loops())
    if (some.has(l.name())) n *= l.trips.value_or(1000);
  return n;
}

/// Outer loops around levels, up to one of them: the shortest with enough iterations comes first.
std::vector<Loops> loops_around_levels(const NestFacts& f, const Configuration& c) {
  Loops now;
  std::vector<Loops> r;
  std::int64_t iterations = 1;
  for (const std::string& name : loops_around(f, c)) {
    if (now.names.size() == 3) break;
    now.names.push_back(name);
    const bool few = iterations < std::int64_t{32} * f.options.threads;
    for (const Axis& a : f.axes)
      if (a.name == name) iterations *= a.extent.value_or(1000);
    r.insert(few ? r.begin() : r.end(), now);
  }
  if (r.empty()) r.emplace_back();
  return r;
}

/// Loops around the steps; where these are too few for all threads, planes or rows of what a stage does in a
/// step. Tiles that threads take in turns are all that is shared.
std::vector<Loops> loops_beside_steps(const NestFacts& f, const Configuration& c, const LoopNest& loops) {
  if (goes_doacross(f, c)) return {};
  std::vector<Loops> r = prefixes(loops, 0, f.above_update);
  std::int64_t around = 1;
  for (std::size_t i = 0; i < f.above_update; ++i) around *= loops[i].trips.value_or(1000);
  const std::vector<AxisSize>& steps = c[key::time].list;
  for (std::size_t i = f.above_update; steps.size() == 1 && around < f.options.threads && i < loops.inner();
       ++i)
    if (loops[i].name() == steps[0].axis) {
      if (steps[0].size > 1)
        r.push_back({Loops::By::itself, {loops[i].name()}});
      else if (i + 1 < loops.inner())
        r.push_back({Loops::By::itself, {loops[i + 1].name()}});
    }
  return r;
}

/// The loops named, with those of one trip between them.
std::vector<bool> covered(const LoopNest& loops, const Loops& names) {
  std::vector<bool> r(loops.size(), false);
  std::size_t first = loops.size(), last = 0;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (names.has(loops[i].name())) first = std::min(first, i), last = i;
  for (std::size_t i = first; i <= last && i < loops.size(); ++i) r[i] = true;
  return r;
}

/// Whether all threads have enough iterations of these loops. Of loops around all stages fewer are enough: a
/// thread then reads what it has stored itself, and waits for no other between stages.
bool are_enough(const NestFacts& f, const LoopNest& loops, const Loops& some) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (some.has(loops[i].name())) last = i;
  const std::int64_t each = last < f.above_others ? 8 : 32;
  return iterations(loops, some) >= each * f.options.threads;
}

/// Loops around stored stages may be too few for all threads to have enough of them: those within, then.
Setting enough_iterations(const NestFacts& f, const Configuration& c, const Settings& allowed) {
  if (f.has_levels() || !c[key::time].empty() || !c[key::phases].empty()) return allowed.front();
  const LoopNest loops = loops_of(f, c);
  for (const Setting& s : allowed)
    if (are_enough(f, loops, value_of<Loops>(s))) return s;
  return allowed.front();
}

}  // namespace

std::vector<std::string> loops_around(const NestFacts& f, const Configuration& c, bool single) {
  std::vector<std::string> r;
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (single || f.axes[a].extent != 1) r.push_back(f.axes[a].name);
  if (!c[key::tile].empty()) r.emplace_back("ii");
  if (is_by_levels(c)) r.emplace_back("i");
  return r;
}

/// Perfectly nested, so not on both sides of an update that first copies its base, nor of a function that has
/// more loops in it.
std::vector<Loops> parallel_loops(const NestFacts& f, const Configuration& c) {
  if (f.has_levels()) return loops_around_levels(f, c);
  const LoopNest loops = loops_of(f, c);
  const std::size_t end = c[key::tile].empty() ? loops.inner()  // never the inner loop
                                               : loops.size() - f.inner_rank - f.block.size();
  if (f.on_grid()) return prefixes(loops, 0, end);  // loops around several nests become several
  if (!c[key::strips].empty() && !has_loops_for_threads(f)) return {};  // threads have strips
  if (!c[key::phases].empty()) return {};                               // and tiles
  if (!c[key::time].empty()) return loops_beside_steps(f, c, loops);
  std::size_t split = 0;
  if (f.update && !is_in_place(f, c))
    while (split < end && !loops[split].below_update) ++split;
  split = std::max(split, std::min(end, f.above_others));
  std::vector<Loops> r = prefixes(loops, 0, split);
  for (const Loops& l : prefixes(loops, split, end)) add_new(r, l);
  return r;
}

std::vector<Loops> all_parallel_loops(const NestFacts& f) {
  if (f.has_levels()) return of_all_shapes(f, parallel_loops);
  std::vector<Loops> all;
  for (const AxisSizes& tile : tiles(f))
    for (const auto& [in_place, order] :
         {std::pair{true, "k j"_loops}, {false, "k j"_loops}, {true, "j k"_loops}, {false, "j k"_loops}}) {
      const Configuration c{{key::tile, tile}, {key::in_place, in_place}, {key::order, order}};
      std::vector<Loops> these = parallel_loops(f, c);
      const LoopNest loops = loops_of(f, c);
      std::stable_sort(these.begin(), these.end(), [&](const Loops& a, const Loops& b) {
        const bool enough = are_enough(f, loops, a);
        if (enough != are_enough(f, loops, b)) return enough;
        return !enough && iterations(loops, a) > iterations(loops, b);
      });
      for (const Loops& l : these) add_new(all, l);
    }
  for (std::size_t a = f.above_update; (f.rings || !f.steps.empty()) && a + 1 < f.axes.size(); ++a)
    if (f.rings || f.axes[a].name == f.steps[0])
      for (const std::size_t loop : {a, a + 1}) add_new(all, Loops{Loops::By::itself, {f.axes[loop].name}});
  all.push_back({});
  return all;
}

std::vector<Loops> of_all_shapes(const NestFacts& f,
                                 std::vector<Loops> (*loops)(const NestFacts&, const Configuration&)) {
  std::vector<Loops> all;
  for (const Loops& order : orders(f))
    for (const AxisSizes& tile : {AxisSizes{}, "i8"_sizes}) {
      const Configuration c{{key::order, order}, {key::tile, tile}};
      if (f.inside == Inside::folds && is_by_levels(c) && !tile.empty()) continue;
      for (const Loops& l : loops(f, c)) add_new(all, l);
    }
  return all;
}

std::vector<LoopRun> shared_runs(const LoopNest& loops, const Configuration& c) {
  const std::vector<bool> shared = covered(loops, shared_loops(c));
  std::vector<LoopRun> r(loops.size());
  int dim = 0;
  for (std::size_t i = loops.inner(); i-- > 0;) {
    if (!shared[i]) continue;
    if (!is_solo(c))
      r[i] = {"map-par"};
    else if (!loops[i].single() && !loops[i].block)
      r[i] = {"map-wrg", {dim++}};
  }
  return r;
}

void run_shared(NestDeriver& d, const Configuration& c) {
  const std::vector<LoopRun> runs = shared_runs(d, c);
  std::vector<bool> parallel;
  for (const LoopRun& r : runs) parallel.push_back(r.rule == std::string_view("map-par"));
  run_blocks(d, c, parallel);
  for (std::size_t i = 0; i < d.inner(); ++i)
    if (!d[i].block) d.step(runs[i].rule, runs[i].arguments, d.loop(i));
}

namespace decisions {

const Decision& parallel() {
  static const auto& d = *new Decision(
      decide(key::parallel)
          .offers(
              [](const NestFacts& f) { return f.on_grid() ? std::vector<Loops>{} : all_parallel_loops(f); })
          .of_stored_stages_too()
          .chosen_among(parallel_loops)
          .suited(enough_iterations)
          .taken([](NestDeriver& deriver, const NestFacts& f, const Configuration& c, const Place&) {
            if (f.on_grid()) return;
            if (f.has_levels())
              run_around(deriver, f, c);
            else
              run_shared(deriver, c);
          }));
  return d;
}

}  // namespace decisions
}  // namespace lift
