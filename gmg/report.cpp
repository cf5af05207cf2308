#include "gmg/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lift::gmg {

const char* text(Report::Status s) {
  switch (s) {
    case Report::Status::converged:
      return "converged";
    case Report::Status::cycles_used_up:
      return "cycles used up";
    case Report::Status::stagnated:
      return "stagnated";
    case Report::Status::diverged:
      return "diverged";
    case Report::Status::not_finite:
      return "not finite";
    case Report::Status::interrupted:
      return "interrupted";
  }
  return "";
}

double Report::last_factor() const {
  const std::size_t n = history.size();
  return n < 2 || history[n - 2] == 0 ? 0 : history[n - 1] / history[n - 2];
}

double Report::mean_factor() const {
  if (history.size() < 2) return 0;
  const std::size_t first = history.size() > 2 ? 1 : 0;
  if (history[first] == 0) return 0;
  return std::pow(history.back() / history[first], 1.0 / static_cast<double>(history.size() - 1 - first));
}

std::string Report::text() const {
  std::string s = reason + "\n";
  for (const std::string& n : notes) s += n + "\n";
  s += fmt::format("  cycle  residual ({})    factor\n", gmg::text(norm));
  for (std::size_t c = 0; c < history.size(); ++c) {
    s += fmt::format("{:7}  {:14.6e}", c, history[c]);
    if (c > 0 && history[c - 1] > 0) s += fmt::format("  {:8.4f}", history[c] / history[c - 1]);
    s += "\n";
  }
  return s;
}

std::string Report::table() const {
  const int n = std::max(1, cycles());
  double all = 0;
  for (const LegTime& t : times) all += t.ms;
  std::string s = "  level  cells         smoother       leg           ms a cycle    GB/s   share\n";
  std::vector<LegTime> sorted = times;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LegTime& a, const LegTime& b) { return a.level < b.level; });
  for (const LegTime& t : sorted) {
    const double ms = t.ms / n, gbs = t.bytes * t.calls / (t.ms * 1e6);
    const std::string rate = t.bytes > 0 && t.ms > 0 ? fmt::format("{:8.1f}", gbs) : "       -";
    s += fmt::format("  {:5}  {:<27}  {:<12} {:11.3f}{}  {:5.1f} %\n", t.level,
                     t.level < grids.size() ? grids[t.level] : "", gmg::text(t.leg), ms, rate,
                     all > 0 ? 100 * t.ms / all : 0);
  }
  return s;
}

}  // namespace lift::gmg
