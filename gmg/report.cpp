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

namespace {

double factor(const Report& r, std::size_t from, std::size_t to) {
  if (r.history[from] == 0 || r.cycles_at[to] == r.cycles_at[from]) return 0;
  return std::pow(r.history[to] / r.history[from], 1.0 / (r.cycles_at[to] - r.cycles_at[from]));
}

}  // namespace

double Report::last_factor() const {
  const std::size_t n = history.size();
  return n < 2 ? 0 : factor(*this, n - 2, n - 1);
}

double Report::mean_factor() const {
  const std::size_t n = history.size();
  return n < 2 ? 0 : factor(*this, n > 2 ? 1 : 0, n - 1);
}

std::string Report::text() const {
  std::string s = reason + "\n";
  for (const std::string& n : notes) s += n + "\n";
  s += fmt::format("  cycle  residual ({})    factor\n", gmg::text(norm));
  for (std::size_t c = 0; c < history.size(); ++c) {
    s += fmt::format("{:7}  {:14.6e}", cycles_at[c], history[c]);
    if (c > 0 && history[c - 1] > 0) s += fmt::format("  {:8.4f}", factor(*this, c - 1, c));
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
