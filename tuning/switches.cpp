#include "tuning/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ir/error.hpp"

namespace lift {
namespace {

constexpr const char* kNames[] = {"order", "unroll", "kcache", "prefetch", "readonly", "tile", "local"};

bool contains(const std::vector<std::string>& values, const std::string& v) { return std::find(values.begin(), values.end(), v) != values.end(); }

/// The configuration with the values asked for; nothing, and why, where one of the switches cannot have its value.
std::optional<Configuration> configuration(const Space& space, const Configuration& switched, const Configuration& base, std::string& why) {
  Configuration c;
  for (const Parameter& p : space.parameters()) {
    const std::vector<std::string> allowed = space.allowed(c, p.name);
    if (const auto wish = switched.find(p.name); wish != switched.end()) {
      if (!contains(allowed, wish->second)) {
        why = p.name + " " + wish->second + " does not go with the others";
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

std::string text_of(const Switch& s, bool on) { return s.name + " " + (on ? s.on : s.off); }

}  // namespace

std::vector<Switch> switches_of(const Space& space, const std::vector<Configuration>& good) {
  std::vector<Switch> r;
  for (const Parameter& p : space.parameters()) {
    if (std::find(std::begin(kNames), std::end(kNames), p.name) == std::end(kNames)) continue;
    Switch s{p.name, p.values.front(), p.values.at(1)};
    const auto other = [&](const Configuration& c) {
      const auto at = c.find(p.name);
      return at != c.end() && at->second != s.off;
    };
    if (const auto c = std::find_if(good.begin(), good.end(), other); c != good.end()) s.on = c->at(p.name);
    r.push_back(std::move(s));
  }
  if (!r.empty()) return r;
  std::string names;
  for (const char* name : kNames) names += (names.empty() ? "" : ", ") + std::string(name);
  throw UserError("--grid: the space of " + space.program().name + " has no switches (" + names + "); explore it without --grid");
}

std::vector<SwitchRun> combinations(const Space& space, const std::vector<Switch>& switches, const Configuration& base) {
  std::vector<SwitchRun> runs;
  const std::size_t n = switches.size();
  for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
    SwitchRun run;
    Configuration switched;
    for (std::size_t s = 0; s < n; ++s) {
      run.on.push_back((bits >> (n - 1 - s)) % 2 != 0);
      switched[switches[s].name] = run.on[s] ? switches[s].on : switches[s].off;
    }
    if (auto c = configuration(space, switched, base, run.note)) run.params = std::move(*c);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<SwitchEffect> effects(const std::vector<Switch>& switches, const std::vector<SwitchRun>& runs) {
  const auto timed = [](const SwitchRun& r) { return r.verified && r.ms > 0; };
  const auto faster = [](double& best, double ms) { best = best == 0 ? ms : std::min(best, ms); };
  std::vector<SwitchEffect> all(switches.size());
  for (std::size_t s = 0; s < switches.size(); ++s) {
    SwitchEffect& e = all[s];
    double logs = 0;
    for (const SwitchRun& run : runs) {
      if (!timed(run)) continue;
      faster(run.on[s] ? e.best_on : e.best_off, run.ms);
      if (run.on[s]) continue;
      std::vector<bool> partner = run.on;
      partner[s] = true;
      const auto with = std::find_if(runs.begin(), runs.end(), [&](const SwitchRun& r) { return r.on == partner; });
      if (with == runs.end() || !timed(*with)) continue;
      logs += std::log(run.ms / with->ms), ++e.pairs;
    }
    if (e.pairs > 0) e.factor = std::exp(logs / e.pairs);
  }
  return all;
}

std::string switch_table(const SwitchGrid& g) {
  const auto ms = [](double v) { return v > 0 ? fmt::format("{:.{}f}", v, v < 0.1 ? 5 : 3) : std::string("-"); };
  std::size_t width = 6;
  for (const Switch& s : g.switches) width = std::max(width, s.name.size() + s.on.size() + s.off.size() + 6);
  std::string t = fmt::format("  {:<{}} {:>8} {:>6} {:>11} {:>11}\n", "switch", width, "effect", "pairs", "best on ms", "best off ms");
  for (std::size_t s = 0; s < g.switches.size(); ++s) {
    const SwitchEffect& e = g.effects[s];
    t += fmt::format("  {:<{}} {:>8} {:>6} {:>11} {:>11}\n", g.switches[s].name + ": " + g.switches[s].on + " for " + g.switches[s].off, width,
                     e.pairs > 0 ? fmt::format("{:.2f}x", e.factor) : "-", e.pairs, ms(e.best_on), ms(e.best_off));
  }
  t += fmt::format("\n  {:>9}  {:<8}  combination\n", "ms", "verified");
  for (const SwitchRun& r : g.runs) {
    std::string text;
    for (std::size_t s = 0; s < g.switches.size(); ++s) text += (s == 0 ? "" : ", ") + text_of(g.switches[s], r.on[s]);
    t += fmt::format("  {:>9}  {:<8}  {}{}\n", ms(r.ms), r.verified ? "yes" : "no", text, r.note.empty() ? "" : ": " + r.note);
  }
  t.pop_back();
  return t;
}

}  // namespace lift
