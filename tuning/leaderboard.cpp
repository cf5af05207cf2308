// The table of what an exploration found, for people.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "ir/text/wrap.hpp"
#include "tuning/report.hpp"

namespace lift {
namespace {

/// "12.3", or a dash where nothing was measured.
std::string cell(double value, int digits) { return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-"; }
/// Three digits or more of what short kernels take, too.
std::string milliseconds(double ms) { return cell(ms, ms < 0.1 ? 5 : 3); }

struct Row {
  std::string name, layout;
  double ms, gbs, roofline, speedup;
  std::string note;
};

constexpr std::size_t kNumbers = 46;    ///< columns of a row beside its name
constexpr std::size_t kLeastName = 16;  ///< columns of a name, however narrow the terminal

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// A row, whose name may need several lines; a note that does not fit beside the numbers stands below.
std::string lines_of(const Row& x, std::size_t width, std::size_t columns) {
  std::istringstream names(wrapped(x.name, width, 2));
  std::string name;
  std::getline(names, name);
  std::string first = fmt::format("  {:<{}}  {:<10} {:>8} {:>7} {:>6} {:>7}", name, width, x.layout,
                                  milliseconds(x.ms), cell(x.gbs, 1), cell(x.roofline, 2),
                                  x.speedup > 0 ? fmt::format("{:.2f}x", x.speedup) : "-");
  const bool beside = columns == 0 || x.note.empty() || first.size() + 2 + x.note.size() <= columns;
  if (beside) first += "  " + x.note;
  std::string all = trimmed(first);
  while (std::getline(names, name)) all += "  " + name + "\n";
  if (!beside) all += fitted("    " + x.note, columns) + "\n";
  return all;
}

}  // namespace

std::string leaderboard(const ExploreResult& r, std::size_t rows, std::size_t columns) {
  std::vector<Row> table;
  std::size_t together = 0, shown = 0;
  for (std::size_t i = 0; i < r.variants.size(); ++i) {
    const Variant& v = r.variants[i];
    if (v.status != Status::ok || (i != r.best_caller && shown >= rows)) continue;
    ++shown;
    table.push_back(
        {v.name, v.layout.empty() ? "caller" : v.layout, v.ms, v.gbs, v.roofline, v.speedup,
         v.convert_ms > 0 ? fmt::format("converting there and back {:.0f} ms", v.convert_ms) : ""});
    if (v.final_round) together = table.size();
  }
  std::vector<Row> others;
  const double base = r.baseline ? r.rivals[*r.baseline].ms : 0;
  for (const Rival& o : r.rivals) {
    const bool timed = o.status == Status::ok && o.ms > 0;
    const std::string note = o.status == Status::ok      ? ""
                             : o.status == Status::wrong ? fmt::format("WRONG RESULT (error {:.1e})", o.error)
                             : o.status == Status::aborted ? "not timed: the budget is too short"
                             : o.status == Status::hung    ? "did not end in time"
                             : o.status == Status::crashed ? "crashed"
                                                           : "did not compile";
    others.push_back(
        {o.name, "caller", o.ms, o.gbs, timed ? r.twin_ms / o.ms : 0, timed ? base / o.ms : 0, note});
  }
  if (r.twin_ms > 0)
    others.push_back({"traffic twin", "caller", r.twin_ms, r.twin_gbs, 1, base > 0 ? base / r.twin_ms : 0,
                      "moves the same data, computes next to nothing"});
  table.insert(table.begin() + static_cast<std::ptrdiff_t>(together), others.begin(), others.end());
  together += others.size();
  std::size_t width = 8;
  for (const Row& row : table) width = std::max(width, row.name.size());
  if (columns > 0) width = std::min(width, std::max(columns, kNumbers + kLeastName) - kNumbers);

  std::string lines = trimmed(fmt::format("  {:<{}}  {:<10} {:>8} {:>7} {:>6} {:>7}", "variant", width,
                                          "layout", "ms", "GB/s", "roof", "speedup"));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i == together) lines += "  timed one by one while exploring:\n";
    lines += lines_of(table[i], width, columns);
  }
  lines.pop_back();
  return lines;
}

}  // namespace lift
