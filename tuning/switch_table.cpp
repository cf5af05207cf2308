// Switches as tables: what each one does, then all combinations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "ir/text/wrap.hpp"
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

/// What is said of a switch: beside the numbers, or below where that would be too wide.
std::string with_effect(const std::string& numbers, const std::string& effect, std::size_t columns) {
  if (columns == 0 || numbers.size() + effect.size() <= columns) return numbers + effect + "\n";
  return fitted(numbers.substr(0, numbers.find_last_not_of(' ') + 1), columns) + "\n" +
         fitted("    " + effect, columns) + "\n";
}

std::string effect_lines(const SwitchGrid& g, std::size_t columns) {
  std::size_t title = 6, values = 9;
  for (const Switch& s : g.switches)
    title = std::max(title, s.title.size()),
    values = std::max(values, s.name().size() + s.off_text().size() + s.on_text().size() + 5);
  for (const MissingSwitch& m : g.missing) title = std::max(title, m.title.size());
  std::string t =
      with_effect(fmt::format("  {:<{}}  {:<{}}  {:>22}  ", "switch", title, "off -> on", values, "ms"),
                  "effect", columns);
  for (std::size_t s = 0; s < g.switches.size(); ++s) {
    const Switch& x = g.switches[s];
    const SwitchEffect& e = g.effects[s];
    const std::string from_to = x.name() + " " + x.off_text() + " -> " + x.on_text();
    const std::string effect = e.pairs == 0   ? "not measured both off and on"
                               : e.pairs == 1 ? in_words(e.factor) + " (1 pair)"
                                              : fmt::format("{} (mean of {} pairs, {:.2f}x to {:.2f}x)",
                                                            in_words(e.factor), e.pairs, e.least, e.most);
    t += with_effect(fmt::format("  {:<{}}  {:<{}}  {:>9} -> {:>9}  ", x.title, title, from_to, values,
                                 time_or_dash(e.off_ms), time_or_dash(e.on_ms)),
                     effect, columns);
  }
  for (const MissingSwitch& m : g.missing)
    t += fitted(fmt::format("  {:<{}}  not available: {}", m.title, title, m.why), columns) + "\n";
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

/// The same where columns would be too many: those that are on.
std::string words(const SwitchGrid& g, const SwitchRun& r) {
  std::string t;
  for (std::size_t s = 0; s < g.switches.size(); ++s)
    if (r.on[s]) t += (t.empty() ? "  " : ", ") + g.switches[s].name() + " " + g.switches[s].on_text();
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

std::string switch_table(const SwitchGrid& g, std::size_t columns) {
  constexpr std::size_t kNotes = 26;  ///< "  <- fastest  <- all off"
  std::string head = fmt::format("  {:>9}", "ms");
  for (const Switch& x : g.switches) head += fmt::format("  {:<{}}", x.name(), column(x));
  const bool narrow = columns > 0 && head.size() + kNotes > columns;
  if (narrow) head = fmt::format("  {:>9}  those that are on", "ms");
  std::string t = fitted(surroundings(g), columns) + "\n" + effect_lines(g, columns) + "\n" + head + "\n";
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
    const std::string line =
        fmt::format("  {:>9}", time_or_dash(r.ms)) + (narrow ? words(g, r) : row(g, r)) + note;
    t += fitted(line, columns) + "\n";
  }
  t += fitted(reasons(g), columns);
  t.pop_back();
  return t;
}

}  // namespace lift
