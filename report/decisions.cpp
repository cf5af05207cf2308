// What the values of each decision cost: all variants timed, by the value that they have.
#include <algorithm>
#include <map>
#include <set>

#include "report/escape.hpp"
#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {
namespace {

constexpr std::size_t kMostValues = 12, kMostStructures = 8;  ///< drawn; the latter are long

struct Spread {
  std::string value;
  std::size_t count = 0;
  double least = 0, lower = 0, median = 0, upper = 0, most = 0;
};

/// Of sorted values, between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  const double above = sorted[std::min(i + 1, sorted.size() - 1)];
  return sorted[i] + (at - static_cast<double>(i)) * (above - sorted[i]);
}

double ms_of(const Variant& v) { return v.explored_ms > 0 ? v.explored_ms : v.ms; }
bool timed(const Variant& v) { return (v.status == "ok" || v.status == "aborted") && ms_of(v) > 0; }

std::vector<Spread> spreads(std::map<std::string, std::vector<double>> by_value) {
  std::vector<Spread> all;
  for (auto& [value, times] : by_value) {
    std::sort(times.begin(), times.end());
    all.push_back({value, times.size(), times.front(), quantile(times, 0.25), quantile(times, 0.5),
                   quantile(times, 0.75), times.back()});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Spread& a, const Spread& b) { return a.least < b.least; });
  return all;
}

/// By decision, what its values cost; those of which more than one value was timed. The structure is the
/// first.
std::vector<std::pair<std::string, std::vector<Spread>>> decisions(const Result& r) {
  std::set<std::string> names;
  for (const Variant& v : r.variants)
    for (const auto& [name, value] : v.params) names.insert(name);
  std::map<std::string, std::vector<double>> structures;
  std::map<std::string, std::map<std::string, std::vector<double>>> by_name;
  for (const Variant& v : r.variants) {
    if (!timed(v)) continue;
    if (!v.structure.empty()) structures[v.structure].push_back(ms_of(v));
    for (const std::string& name : names) {
      const auto at = v.params.find(name);
      by_name[name][at == v.params.end() ? "(none)" : at->second].push_back(ms_of(v));
    }
  }
  std::vector<std::pair<std::string, std::vector<Spread>>> all;
  if (structures.size() > 1) all.emplace_back("structure", spreads(structures));
  for (const auto& [name, values] : by_name)
    if (values.size() > 1) all.emplace_back(name, spreads(values));
  // Those first whose values differ the most: by the best times with each.
  const auto matters = [](const auto& decision) {
    return decision.second.back().least / decision.second.front().least;
  };
  std::stable_sort(all.begin() + (structures.size() > 1 ? 1 : 0), all.end(),
                   [&](const auto& a, const auto& b) { return matters(a) > matters(b); });
  return all;
}

std::string best_value(const Result& r, const std::string& decision) {
  for (const Variant& v : r.variants)
    if (r.best && v.name == r.best->name && v.status == "ok" && v.layout == r.best->layout) {
      const auto at = v.params.find(decision);
      return decision == "structure" ? v.structure : at == v.params.end() ? "(none)" : at->second;
    }
  return "";
}

}  // namespace

std::string decisions_section(const Result& r, Charts& charts) {
  const auto all = decisions(r);
  if (all.empty()) return "";
  std::string html = paragraph(
      "Milliseconds of all variants timed, by the value of one decision: from the fastest to the slowest, "
      "the middle "
      "half thicker, the median a line, the number of variants in brackets, the best variant's value in its "
      "colour. "
      "The search tries more of what is fast, so that these are no fair samples; and a variant far behind is "
      "not "
      "timed to the end.");
  Table table{{"decision", "value", "variants", "fastest", "median", "slowest"},
              {},
              {false, false, true, true, true, true}};
  std::size_t number = 0;
  for (const auto& [name, values] : all) {
    const std::string id = "decision-" + std::to_string(++number), best = best_value(r, name);
    Charts data{{"kind", "spread"}, {"values", Charts::array()}};
    const std::size_t most = std::min(values.size(), name == "structure" ? kMostStructures : kMostValues);
    for (std::size_t i = 0; i < most; ++i) {
      const Spread& s = values[i];
      data["values"].push_back({{"value", s.value},
                                {"count", s.count},
                                {"least", s.least},
                                {"lower", s.lower},
                                {"median", s.median},
                                {"upper", s.upper},
                                {"most", s.most},
                                {"best", s.value == best}});
    }
    for (const Spread& s : values)
      table.rows.push_back(
          {name, s.value, std::to_string(s.count), ms_text(s.least), ms_text(s.median), ms_text(s.most)});
    charts[id] = data;
    html += "<figure>\n<figcaption>" + escaped(name) + "</figcaption>\n" +
            canvas(id, "Times by the value of " + name) + "</figure>\n";
    if (values.size() > most)
      html +=
          paragraph("and " + std::to_string(values.size() - most) + " more, slower at best: see the table");
  }
  return section("decisions", "What each decision costs",
                 html + "<details><summary>The same as a table</summary>\n" + table.html() + "</details>\n");
}

}  // namespace lift::report
