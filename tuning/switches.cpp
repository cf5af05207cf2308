#include "tuning/switches.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <range/v3/view/zip.hpp>
#include <set>

#include "ir/error.hpp"
#include "rewrite/space/keys.hpp"

namespace lift {
namespace {

bool is_paired(const SwitchRun& a, const SwitchRun& b) { return a.possible && b.possible; }

std::vector<Parameter> decisions_of(const Space& space) {
  std::vector<Parameter> all = space.parameters();
  all.insert(all.end(), space.comparisons().begin(), space.comparisons().end());
  return all;
}
const Parameter* find(const std::vector<Parameter>& all, const Key& key) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.key == &key; });
  return at == all.end() ? nullptr : &*at;
}

/// Which one choice made before is in the way of a setting.
std::string obstacle(const Space& space, const Configuration& before, const Parameter& p,
                     const Setting& wish) {
  for (const Parameter& q : decisions_of(space)) {
    const Setting* here = before.find(*q.key);
    if (here == nullptr) continue;
    Configuration c = before;
    for (const Setting& other : q.values) {
      c.set(*q.key, other);
      if (other != *here && contains(space.allowed(c, *p.key), wish))
        return q.name() + " '" + q.key->text(*here) + "'";
    }
  }
  return "the others";
}

/// The configuration with the settings asked for; nothing where one of the switches cannot have its; then
/// `why` says so.
std::optional<Configuration> configuration(const Space& space, const Configuration& switched,
                                           const Configuration& base, std::string* why) {
  Configuration c;
  for (const Parameter& p : decisions_of(space)) {
    const Settings allowed = space.allowed(c, *p.key);
    if (const Setting* wish = switched.find(*p.key)) {
      if (!contains(allowed, *wish)) {
        if (why)
          *why = p.name() + " '" + p.key->text(*wish) + "' does not go with " + obstacle(space, c, p, *wish);
        return std::nullopt;
      }
      c.set(*p.key, *wish);
      continue;
    }
    const Setting* kept = base.find(*p.key);
    c.set(*p.key, kept != nullptr && contains(allowed, *kept) ? *kept : allowed.front());
  }
  return c;
}

Configuration switched(const std::vector<Switch>& switches, const std::vector<bool>& on) {
  Configuration c;
  for (const auto& [s, is_on] : ranges::views::zip(switches, on)) c.set(*s.key, is_on ? s.on : s.off);
  return c;
}

std::vector<SwitchRun> all_runs(const Space& space, const std::vector<Switch>& switches,
                                const Configuration& base, bool reasons) {
  std::vector<SwitchRun> runs;
  const std::size_t n = switches.size();
  for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
    SwitchRun run;
    for (std::size_t s = 0; s < n; ++s) run.on.push_back((bits >> (n - 1 - s)) % 2 != 0);
    if (auto c = configuration(space, switched(switches, run.on), base, reasons ? &run.note : nullptr))
      run.params = std::move(*c);
    else
      run.possible = false;
    runs.push_back(std::move(run));
  }
  return runs;
}

/// Calls f with each run that has switch s off and the one that differs from it in s alone.
template <class F>
void for_pairs(const std::vector<SwitchRun>& runs, std::size_t s, const F& f) {
  if (runs.empty()) return;
  const std::size_t bit = std::size_t{1} << (runs.front().on.size() - 1 - s);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if ((i & bit) == 0 && (i | bit) < runs.size()) f(runs[i], runs[i | bit]);
}

/// Both have the same decisions but this one; which loops are shared may be another: they have other names.
bool differ_in(const Key& switched, const Configuration& a, const Configuration& b) {
  return std::all_of(a.begin(), a.end(), [&](const Configuration::Entry& x) {
    const Setting* y = b.find(*x.key);
    return x.key == &switched || x.key == &key::grid || x.key == &key::parallel ||
           (y != nullptr && *y == x.setting);
  });
}

/// How many switches can be turned on and off: all else the same, and in any way.
std::pair<int, int> score(const std::vector<Switch>& switches, const std::vector<SwitchRun>& runs) {
  std::pair<int, int> r{0, 0};
  for (std::size_t s = 0; s < switches.size(); ++s) {
    bool clean = false, any = false;
    for_pairs(runs, s, [&](const SwitchRun& off, const SwitchRun& on) {
      any = any || is_paired(off, on);
      clean = clean || (is_paired(off, on) && differ_in(*switches[s].key, off.params, on.params));
    });
    r.first += clean, r.second += any;
  }
  return r;
}

/// The switches with values that go well with a base: its own, else of those tried the one that goes with the
/// most others.
std::vector<Switch> fitted(const Space& space, std::vector<Switch> switches, const Configuration& base) {
  constexpr std::size_t most_values = 8;
  const auto all = decisions_of(space);
  for (Switch& s : switches) {
    Settings values;
    if (const Setting* own = base.find(*s.key); own != nullptr && *own != s.off) values.push_back(*own);
    add_new(values, s.on);
    for (const Setting& v : find(all, *s.key)->values)
      if (v != s.off && values.size() < most_values) add_new(values, v);
    if (values.size() < 2) continue;
    const auto goes_with = [&](const Setting& value) {
      int n = 0;
      for (const Switch& other : switches) {
        Configuration c;
        for (const Switch& x : switches)
          c.set(*x.key, x.key == s.key ? value : x.key == other.key ? x.on : x.off);
        n += configuration(space, c, base, nullptr).has_value();
      }
      return n;
    };
    int best = -1;
    for (const Setting& v : values)
      if (const int n = goes_with(v); n > best) best = n, s.on = v;
  }
  return switches;
}

/// The decisions of a configuration that are no switches.
Configuration without(const std::vector<Switch>& switches, Configuration c) {
  for (const Switch& s : switches) c.erase(*s.key);
  return c;
}

std::vector<MissingSwitch> missing_from(const Space& space) {
  std::vector<MissingSwitch> r;
  const auto all = decisions_of(space);
  for (const SwitchKind& k : switch_kinds())
    if (find(all, *k.key) == nullptr) r.push_back({k.key->name, k.title, k.absent});
  return r;
}

/// Switches that are off in all combinations, or on in all, leave the grid.
void drop_unpaired(const Space& space, SwitchGrid& g) {
  std::vector<Switch> kept;
  for (std::size_t s = 0; s < g.switches.size(); ++s) {
    bool paired = false;
    std::string why;
    for_pairs(g.runs, s, [&](const SwitchRun& off, const SwitchRun& on) {
      paired = paired || is_paired(off, on);
      if (off.possible && why.empty()) why = on.note;
    });
    const Switch& x = g.switches[s];
    if (paired)
      kept.push_back(x);
    else
      g.missing.push_back(
          {x.name(), x.title, why.empty() ? x.name() + " '" + x.off_text() + "' is not possible here" : why});
  }
  if (kept.size() == g.switches.size() || kept.empty()) return;
  g.switches = std::move(kept);
  g.runs = combinations(space, g.switches, g.around);
}

}  // namespace

std::vector<Switch> switches_of(const Space& space, const std::vector<Configuration>& good) {
  const std::vector<SwitchKind> kinds = switch_kinds();
  std::vector<Switch> r;
  std::string names;
  for (const SwitchKind& k : kinds) names += (names.empty() ? "" : ", ") + std::string(k.key->name);
  for (const Parameter& p : decisions_of(space)) {
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const SwitchKind& k) { return k.key == p.key; });
    if (kind == kinds.end()) continue;
    Switch s{p.key, p.values.front(), p.values.at(1), kind->title};
    if (find(space.comparisons(), *p.key) != nullptr)
      std::swap(s.off, s.on);  // the plain setting is the one that is never worse
    const auto other = [&](const Configuration& c) {
      const Setting* at = c.find(*p.key);
      return at != nullptr && *at != s.off;
    };
    if (const auto c = std::find_if(good.begin(), good.end(), other); c != good.end())
      s.on = *c->find(*p.key);
    r.push_back(std::move(s));
  }
  if (!r.empty()) return r;
  throw UserError("--grid: the space of " + space.program().name + " has no switches (" + names +
                  "); explore it without --grid");
}

std::vector<SwitchRun> combinations(const Space& space, const std::vector<Switch>& switches,
                                    const Configuration& base) {
  return all_runs(space, switches, base, true);
}

SwitchGrid switch_grid(const Space& space, const std::vector<Configuration>& good) {
  constexpr std::size_t most_bases = 12;
  SwitchGrid g;
  const std::vector<Switch> plain = switches_of(space, good);
  g.all = static_cast<int>(plain.size());
  std::vector<Configuration> bases;
  std::set<Configuration> seen;
  const auto consider = [&](const std::vector<Configuration>& some) {
    std::size_t n = 0;
    for (const Configuration& c : some)
      if (n < most_bases && seen.insert(without(plain, c)).second) bases.push_back(c), ++n;
  };
  consider(good);
  const std::size_t measured = bases.size();
  consider(space.seeds());
  std::pair<int, int> best{-1, -1};
  for (std::size_t b = 0; b < bases.size() && best.first < g.all; ++b) {
    const std::vector<Switch> switches = fitted(space, plain, bases[b]);
    const auto n = score(switches, all_runs(space, switches, bases[b], false));
    if (b == 0) g.fastest_goes_with = n.first;
    if (n <= best) continue;
    best = n, g.switches = switches, g.around = bases[b], g.around_fastest = b == 0 && measured > 0;
  }
  g.runs = combinations(space, g.switches, g.around);
  g.missing = missing_from(space);
  drop_unpaired(space, g);
  const auto first =
      std::find_if(g.runs.begin(), g.runs.end(), [](const SwitchRun& r) { return r.possible; });
  if (first != g.runs.end())
    g.around_structure = space.structure(first->params), g.around = without(g.switches, first->params);
  return g;
}

std::vector<std::size_t> measuring_order(const std::vector<SwitchRun>& runs) {
  std::vector<std::size_t> r;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].possible) r.push_back(i);
  const auto on = [&](std::size_t i) { return std::count(runs[i].on.begin(), runs[i].on.end(), true); };
  std::stable_sort(r.begin(), r.end(), [&](std::size_t a, std::size_t b) { return on(a) < on(b); });
  return r;
}

std::vector<SwitchEffect> effects(const std::vector<Switch>& switches, const std::vector<SwitchRun>& runs) {
  const auto timed = [](const SwitchRun& r) { return r.verified && r.ms > 0; };
  const auto faster = [](double& best, double ms) { best = best == 0 ? ms : std::min(best, ms); };
  std::vector<SwitchEffect> all(switches.size());
  for (std::size_t s = 0; s < switches.size(); ++s) {
    SwitchEffect& e = all[s];
    double off_logs = 0, on_logs = 0;
    for (const SwitchRun& run : runs)
      if (timed(run)) faster(run.on[s] ? e.best_on : e.best_off, run.ms);
    for_pairs(runs, s, [&](const SwitchRun& off, const SwitchRun& on) {
      if (!timed(off) || !timed(on)) return;
      const double factor = off.ms / on.ms;
      e.least = e.pairs == 0 ? factor : std::min(e.least, factor), e.most = std::max(e.most, factor);
      off_logs += std::log(off.ms), on_logs += std::log(on.ms), ++e.pairs;
    });
    if (e.pairs == 0) continue;
    e.off_ms = std::exp(off_logs / e.pairs), e.on_ms = std::exp(on_logs / e.pairs),
    e.factor = e.off_ms / e.on_ms;
  }
  return all;
}

}  // namespace lift
