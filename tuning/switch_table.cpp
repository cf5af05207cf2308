// Switches as tables: what each one does, then all combinations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tuning/switches.hpp"

namespace lift {
namespace {

std::string time_or_dash(double v) {
  return v > 0 ? fmt::format("{:.{}f}", v, v < 0.1 ? 5 : 3) : std::string("-");
}

std::string in_words(double factor) {
  if (std::abs(factor - 1) < 0.02) return "no effect";
  return factor > 1 ? fmt::format("{:.2f}x faster", factor) : fmt::format("{:.2f}x slower", 1 / factor);
}

std::string surroundings(const SwitchGrid& g) {
  const std::string all = g.around_structure.empty() ? "no other decisions" : g.around_structure;
  if (g.around_fastest) return "around the fastest variant; with all off that is\n  " + all;
  return fmt::format(
      "around the fastest configuration that the most of them go with\n(the fastest variant goes with {} of "
      "{} only); with all off that is\n  {}",
      g.fastest_goes_with, g.all, all);
}

std::string effect_lines(const SwitchGrid& g) {
  std::size_t title = 6, values = 9;
  for (const Switch& s : g.switches)
    title = std::max(title, s.title.size()),
    values = std::max(values, s.name().size() + s.off_text().size() + s.on_text().size() + 5);
  for (const MissingSwitch& m : g.missing) title = std::max(title, m.title.size());
  std::string t =
      fmt::format("  {:<{}}  {:<{}}  {:>22}  {}\n", "switch", title, "off -> on", values, "ms", "effect");
  for (std::size_t s = 0; s < g.switches.size(); ++s) {
    const Switch& x = g.switches[s];
    const SwitchEffect& e = g.effects[s];
    const std::string from_to = x.name() + " " + x.off_text() + " -> " + x.on_text();
    t += fmt::format("  {:<{}}  {:<{}}  {:>9} -> {:>9}  ", x.title, title, from_to, values,
                     time_or_dash(e.off_ms), time_or_dash(e.on_ms));
    if (e.pairs == 0)
      t += "not measured both off and on\n";
    else if (e.pairs == 1)
      t += in_words(e.factor) + " (1 pair)\n";
    else
      t += fmt::format("{} (mean of {} pairs, {:.2f}x to {:.2f}x)\n", in_words(e.factor), e.pairs, e.least,
                       e.most);
  }
  for (const MissingSwitch& m : g.missing)
    t += fmt::format("  {:<{}}  not available: {}\n", m.title, title, m.why);
  return t;
}

/// Its width.
std::size_t column(const Switch& x) {
  return std::max({x.name().size(), x.on_text().size(), x.off_text().size()});
}

/// Values of the switches of one combination, a column each.
std::string row(const SwitchGrid& g, const SwitchRun& r) {
  std::string t;
  for (std::size_t s = 0; s < g.switches.size(); ++s) {
    const Switch& x = g.switches[s];
    t += fmt::format("  {:<{}}", r.on[s] ? x.on_text() : x.off_text(), column(x));
  }
  return t;
}

/// Combinations without a time, counted by reason.
std::string reasons(const SwitchGrid& g) {
  std::map<std::string, int> counts;
  for (const SwitchRun& r : g.runs)
    if (!(r.ms > 0)) ++counts[r.note.empty() ? "not measured" : r.note];
  std::string t;
  for (const auto& [why, n] : counts)
    t += fmt::format("  {:>9}  {} combination{}: {}\n", "-", n, n == 1 ? "" : "s", why);
  return t;
}

}  // namespace

std::string switch_table(const SwitchGrid& g) {
  std::string t = surroundings(g) + "\n" + effect_lines(g) + fmt::format("\n  {:>9}", "ms");
  for (const Switch& x : g.switches) t += fmt::format("  {:<{}}", x.name(), column(x));
  t += "\n";
  std::vector<std::size_t> order(g.runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !(g.runs[i].ms > 0); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return g.runs[a].ms < g.runs[b].ms; });
  bool fastest = true;
  for (const std::size_t i : order) {
    const SwitchRun& r = g.runs[i];
    std::string note = r.verified ? "" : "  not verified";
    if (r.verified && fastest) note = "  <- fastest", fastest = false;
    if (i == 0) note += "  <- all off";
    t += fmt::format("  {:>9}", time_or_dash(r.ms)) + row(g, r) + note + "\n";
  }
  t += reasons(g);
  t.pop_back();
  return t;
}

}  // namespace lift
