// The best beside plain loops, peers and the traffic twin, which were timed in turns with it.
#include <algorithm>

#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {
namespace {

constexpr std::size_t kMostVariants = 15;  ///< rows of the table

struct Bar {
  std::string label, kind, what;
  double ms, gbs;
};

std::vector<Bar> bars(const Result& r) {
  std::vector<Bar> all;
  if (r.best && r.best->ms > 0) all.push_back({"best", "best", r.best->name, r.best->ms, r.best->gbs});
  if (r.best && r.best_caller && r.best_caller->ms > 0 && r.best_caller->name != r.best->name)
    all.push_back(
        {"best, caller's layout", "best", r.best_caller->name, r.best_caller->ms, r.best_caller->gbs});
  for (const bool plain : {true, false})
    for (const Peer& p : r.peers)
      if (p.plain == plain && p.ms > 0 && p.status == "ok")
        all.push_back({p.name, plain ? "plain" : "peer", p.what, p.ms, p.gbs});
  if (r.twin_ms > 0)
    all.push_back(
        {"traffic twin", "twin", "moves the same data, computes next to nothing", r.twin_ms, r.twin_gbs});
  return all;
}

std::string others(const Result& r) {
  Table table{{"variant", "layout", "ms"}, {}, {false, false, true}};
  for (const Variant& v : r.variants) {
    if (!(v.ms > 0) || v.status != "ok" || table.rows.size() == kMostVariants) continue;
    table.rows.push_back({v.name, v.layout, ms_text(v.ms) + (v.final_round ? "" : " *")});
  }
  if (table.rows.size() < 2) return "";
  const bool alone = std::any_of(table.rows.begin(), table.rows.end(),
                                 [](const auto& row) { return row[2].ends_with("*"); });
  return "<h3>The fastest variants</h3>\n" + table.html() +
         (alone ? paragraph("* timed while exploring, and not in turns with the best") : "");
}

}  // namespace

std::string times_section(const Result& r, Charts& charts) {
  const std::vector<Bar> all = bars(r);
  if (all.empty()) return "";
  Table table{{"", "ms", "GB/s", "speed-up", "roofline", "what"}, {}, {false, true, true, true, true, false}};
  Charts data{
      {"kind", "times"}, {"labels", Charts::array()}, {"ms", Charts::array()}, {"of", Charts::array()}};
  for (const Bar& b : all) {
    data["labels"].push_back(b.label), data["ms"].push_back(b.ms), data["of"].push_back(b.kind);
    table.rows.push_back({b.label, ms_text(b.ms), b.gbs > 0 ? plain_number(b.gbs) : "",
                          times_text(r.baseline_ms / b.ms), percent_text(r.twin_ms / b.ms), b.what});
  }
  for (const Peer& p : r.peers)
    if (p.status != "ok" && !p.status.empty())
      table.rows.push_back({p.name, p.status == "wrong" ? "wrong result" : p.status, "", "", "", p.what});
  charts["times"] = data;
  return section(
      "times-section", "Times",
      paragraph("Milliseconds of one application, shorter is better; medians of one round in which all "
                "took turns.") +
          canvas("times", "Times of the best variant, plain loops, peers and the traffic twin") +
          table.html() + others(r));
}

}  // namespace lift::report
