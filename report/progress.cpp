// How the best became better in the course of the exploration.
#include <algorithm>

#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {

std::string progress_section(const Result& r, Charts& charts) {
  std::vector<const Variant*> tried;
  for (const Variant& v : r.variants)
    if (v.explored_s > 0 && v.explored_ms > 0 && (v.status == "ok" || v.status == "aborted"))
      tried.push_back(&v);
  if (tried.size() < 2) return "";
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Variant* a, const Variant* b) { return a->explored_s < b->explored_s; });
  Charts data{{"kind", "progress"}, {"tried", Charts::array()}, {"best", Charts::array()}};
  double best = 0;
  for (const Variant* v : tried) {
    data["tried"].push_back(
        {{"s", v->explored_s}, {"ms", v->explored_ms}, {"name", v->name}, {"ok", v->status == "ok"}});
    if (v->status == "ok" && (best == 0 || v->explored_ms < best)) {
      best = v->explored_ms;
      data["best"].push_back({{"s", v->explored_s}, {"ms", best}, {"name", v->name}});
    }
  }
  if (!data["best"].empty())
    data["best"].push_back({{"s", tried.back()->explored_s}, {"ms", best}, {"name", ""}});
  charts["progress"] = data;
  return section(
      "progress-section", "Best so far",
      paragraph("Each variant by when it was tried, and the best until then. These are times measured one "
                "by one, while what else the machine did may have changed.") +
          canvas("progress", "Best time so far over the time of the exploration"));
}

}  // namespace lift::report
