// How many sweeps in one call.
#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {

std::string depths_section(const Result& r) {
  if (r.depths.empty()) return "";
  Table table{{"sweeps", "ms each", "speed-up", "roofline", "memory", "computed", "best variant"},
              {},
              {true, true, true, true, true, true, false}};
  for (const Depth& d : r.depths)
    table.rows.push_back({std::to_string(d.sweeps), d.ms > 0 ? ms_text(d.ms) : "none", times_text(d.speedup),
                          percent_text(d.roofline), times_text(d.memory), times_text(d.computed),
                          d.ms > 0 ? d.name : d.why_not});
  std::string text =
      "Several sweeps in one call read and write memory once, and need deeper ghost zones, whose cells they "
      "compute "
      "and keep: memory and computed are against one sweep, and against the boxes' own cells.";
  if (r.depths_boxes > 0 && r.depths_boxes < r.boxes)
    text += " Timed over " + plain_number(r.depths_boxes) + " of " + plain_number(r.boxes) + " boxes.";
  return section("depths", "Sweeps in a call", paragraph(text) + table.html());
}

}  // namespace lift::report
