#include "tuning/switches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "rewrite/space/values.hpp"

namespace lift {
namespace {

struct Kind {
  const char *name, *title, *absent;
};
constexpr Kind kKinds[] = {
    {"order", "loop order", "there is one order of the loops only"},
    {"tile", "block size", "no loop of a known length can be cut into blocks"},
    {"unroll", "unrolling", "no loop is left to a thread or work-item"},
    {"kcache", "values kept in registers (K-cache)",
     "no element is read again by a later iteration of a loop"},
    {"prefetch", "prefetching", "there is no loop to look ahead in"},
    {"readonly", "read-only path", "every array argument may be overwritten"},
};

bool is_paired(const SwitchRun& a, const SwitchRun& b) { return a.possible && b.possible; }

std::vector<Parameter> decisions_of(const Space& space) {
  std::vector<Parameter> all = space.parameters();
  all.insert(all.end(), space.comparisons().begin(), space.comparisons().end());
  return all;
}
bool is_comparison(const Space& space, const std::string& name) {
  return std::any_of(space.comparisons().begin(), space.comparisons().end(),
                     [&](const Parameter& p) { return p.name == name; });
}

/// Which one choice made before is in the way of a value.
std::string obstacle(const Space& space, const Configuration& before, const Parameter& p,
                     const std::string& wish) {
  for (const Parameter& q : decisions_of(space)) {
    if (before.count(q.name) == 0) continue;
    Configuration c = before;
    for (const std::string& other : q.values)
      if (c[q.name] = other; other != before.at(q.name) && contains(space.allowed(c, p.name), wish))
        return q.name + " '" + before.at(q.name) + "'";
  }
  return "the others";
}

/// The configuration with the values asked for; nothing where one of the switches cannot have its value; then
/// `why` says so.
std::optional<Configuration> configuration(const Space& space, const Configuration& switched,
                                           const Configuration& base, std::string* why) {
  Configuration c;
  for (const Parameter& p : decisions_of(space)) {
    const std::vector<std::string> allowed = space.allowed(c, p.name);
    if (const auto wish = switched.find(p.name); wish != switched.end()) {
      if (!contains(allowed, wish->second)) {
        if (why)
          *why = p.name + " '" + wish->second + "' does not go with " + obstacle(space, c, p, wish->second);
        return std::nullopt;
      }
      c[p.name] = wish->second;
      continue;
    }
    const auto kept = base.find(p.name);
    c[p.name] = kept != base.end() && contains(allowed, kept->second) ? kept->second : allowed.front();
  }
  return c;
}

Configuration switched(const std::vector<Switch>& switches, const std::vector<bool>& on) {
  Configuration c;
  for (std::size_t s = 0; s < switches.size(); ++s)
    c[switches[s].name] = on[s] ? switches[s].on : switches[s].off;
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
bool differ_in(const std::string& name, const Configuration& a, const Configuration& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& x) {
    const auto y = b.find(x.first);
    return x.first == name || x.first == "grid" || x.first == "parallel" ||
           (y != b.end() && y->second == x.second);
  });
}

/// How many switches can be turned on and off: all else the same, and in any way.
std::pair<int, int> score(const std::vector<Switch>& switches, const std::vector<SwitchRun>& runs) {
  std::pair<int, int> r{0, 0};
  for (std::size_t s = 0; s < switches.size(); ++s) {
    bool clean = false, any = false;
    for_pairs(runs, s, [&](const SwitchRun& off, const SwitchRun& on) {
      any = any || is_paired(off, on);
      clean = clean || (is_paired(off, on) && differ_in(switches[s].name, off.params, on.params));
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
    const Parameter& p =
        *std::find_if(all.begin(), all.end(), [&](const Parameter& x) { return x.name == s.name; });
    Values values;
    if (const auto own = base.find(s.name); own != base.end() && own->second != s.off)
      values.push_back(own->second);
    add_new(values, s.on);
    for (const std::string& v : p.values)
      if (v != s.off && values.size() < most_values) add_new(values, v);
    if (values.size() < 2) continue;
    const auto goes_with = [&](const std::string& value) {
      int n = 0;
      for (const Switch& other : switches) {
        Configuration c;
        for (const Switch& x : switches)
          c[x.name] = x.name == s.name ? value : x.name == other.name ? x.on : x.off;
        n += configuration(space, c, base, nullptr).has_value();
      }
      return n;
    };
    int best = -1;
    for (const std::string& v : values)
      if (const int n = goes_with(v); n > best) best = n, s.on = v;
  }
  return switches;
}

/// The decisions of a configuration that are no switches.
Configuration without(const std::vector<Switch>& switches, Configuration c) {
  for (const Switch& s : switches) c.erase(s.name);
  return c;
}

std::vector<MissingSwitch> missing_from(const Space& space) {
  std::vector<MissingSwitch> r;
  const auto all = decisions_of(space);
  for (const Kind& k : kKinds)
    if (std::none_of(all.begin(), all.end(), [&](const Parameter& p) { return p.name == k.name; }))
      r.push_back({k.name, k.title, k.absent});
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
          {x.name, x.title, why.empty() ? x.name + " '" + x.off + "' is not possible here" : why});
  }
  if (kept.size() == g.switches.size() || kept.empty()) return;
  g.switches = std::move(kept);
  g.runs = combinations(space, g.switches, g.around);
}

}  // namespace

std::vector<Switch> switches_of(const Space& space, const std::vector<Configuration>& good) {
  std::vector<Switch> r;
  std::string names;
  for (const Kind& k : kKinds) names += (names.empty() ? "" : ", ") + std::string(k.name);
  for (const Parameter& p : decisions_of(space)) {
    const auto kind =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.name == p.name; });
    if (kind == std::end(kKinds)) continue;
    Switch s{p.name, p.values.front(), p.values.at(1), kind->title};
    if (is_comparison(space, p.name))
      std::swap(s.off, s.on);  // the plain value is the one that is never worse
    const auto other = [&](const Configuration& c) {
      const auto at = c.find(p.name);
      return at != c.end() && at->second != s.off;
    };
    if (const auto c = std::find_if(good.begin(), good.end(), other); c != good.end()) s.on = c->at(p.name);
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
