#include "compare/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lift {
namespace {

constexpr std::size_t kWidth = 80, kName = 14, kWith = 35;

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

std::string line(const std::string& text) { return text.substr(0, text.find_last_not_of(' ') + 1) + "\n"; }

/// With as many digits as there is room for, at most so many behind the point.
std::string number(double value, int digits, std::size_t width) {
  if (!(value > 0)) return "-";
  std::string text = fmt::format("{:.{}f}", value, digits);
  while (text.size() > width && digits > 0) text = fmt::format("{:.{}f}", value, --digits);
  return text.size() > width ? fmt::format("{:.0e}", value) : text;
}

/// Words over several lines, each indented.
std::string paragraph(const std::string& text, std::size_t indent) {
  std::string all, row(indent, ' ');
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (row.size() > indent && row.size() + 1 + end - at > kWidth)
      all += row + "\n", row = std::string(indent, ' ');
    row += (row.size() > indent ? " " : "") + text.substr(at, end - at);
    at = end + 1;
  }
  return all + row;
}

std::string row(const std::string& who, const std::string& with, double ms, double gbs, double base,
                const std::string& tried) {
  return line(fmt::format("  {:<{}} {:<{}} {:>8} {:>5} {:>6} {:>5}", cut(who, kName), kName, cut(with, kWith),
                          kWith, number(ms, ms < 0.1 ? 5 : 3, 8), number(gbs, 1, 5),
                          ms > 0 && base > 0 ? number(ms / base, 2, 5) + "x" : "-", tried));
}

std::string trial_count(const Rival& r) { return r.tried > 0 ? std::to_string(r.tried) : ""; }

/// Why there is no time.
std::string failure(const Rival& r) {
  std::string text = r.message.substr(0, r.message.find('\n'));
  if (r.status == Status::wrong)
    text = r.wrong > 0 ? fmt::format("wrong (error {:.1e}): {}, with {} of the {} settings tried", r.error,
                                     text, r.wrong, r.tried)
                       : fmt::format("wrong (error {:.1e}): {}", r.error, text);
  else if (r.status != Status::impossible)
    text = fmt::format("{}: {}", lift::text(r.status), text);
  return text;
}

}  // namespace

std::string comparison_table(const ExploreResult& r) {
  const auto best = [&](const std::optional<std::size_t>& at) { return at ? r.variants[*at].ms : 0; };
  const double base = r.best_caller ? best(r.best_caller) : best(r.best);
  std::string t = fmt::format("  {:<{}} {:<{}} {:>8} {:>5} {:>6} {:>5}\n", "who", kName, "with", kWith, "ms",
                              "GB/s", "ours", "tried");
  const std::string ours = std::to_string(r.counts.timed);
  if (r.best_caller) {
    const Variant& v = r.variants[*r.best_caller];
    t += row("liftgen", v.name, v.ms, v.gbs, base, ours);
  }
  if (r.best && r.best != r.best_caller) {
    const Variant& v = r.variants[*r.best];
    t += row("liftgen", fmt::format("layout {}: {}", v.layout, v.name), v.ms, v.gbs, base, ours);
  }
  std::vector<const Rival*> ran, others;
  for (const Rival& o : r.rivals) (o.status == Status::ok && o.ms > 0 ? ran : others).push_back(&o);
  std::stable_sort(ran.begin(), ran.end(), [](const Rival* a, const Rival* b) { return a->ms < b->ms; });
  for (const Rival* o : ran)
    t += row(o->name, o->settings.empty() && o->tried > 0 ? "its own defaults" : o->settings, o->ms, o->gbs,
             base, trial_count(*o));
  if (r.twin_ms > 0)
    t += row("traffic twin", "the same data, nothing computed", r.twin_ms, r.twin_gbs, base, "");
  for (const Rival* o : others) {
    const std::string text = paragraph(failure(*o), 3 + kName);
    t += fmt::format("  {:<{}} ", cut(o->name, kName), kName) + text.substr(3 + kName) + "\n";
  }
  for (const Rival* o : ran)
    if (o->wrong > 0)
      t += paragraph(fmt::format("{}: a wrong result with {} of the {} settings tried", o->name, o->wrong,
                                 o->tried),
                     2) +
           "\n";
  t.pop_back();
  return t;
}

}  // namespace lift
