#include "report/solve_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/escape.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace lift::report {
namespace {

constexpr double kWidth = 640, kLeft = 70, kRight = 20, kTop = 15;

std::string drawing(double height, const std::string& name, const std::string& inside) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" width=\"100%\" role=\"img\" aria-label=\"{}\" font-size=\"12\" "
      "fill=\"currentColor\">{}</svg>\n",
      kWidth, height, escaped(name), inside);
}

std::string line(double x0, double y0, double x1, double y1, double opacity = 1) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"currentColor\" "
      "opacity=\"{}\"/>",
      x0, y0, x1, y1, opacity);
}

std::string label(double x, double y, const std::string& text, const char* anchor = "middle") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     escaped(text));
}

std::string point(double x, double y, const std::string& title) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>", x, y,
                     escaped(title));
}

/// Residuals over cycles, a power of ten a line.
std::string convergence(const gmg::Report& r) {
  std::vector<std::size_t> seen;
  for (std::size_t k = 0; k < r.history.size(); ++k)
    if (r.history[k] > 0 && std::isfinite(r.history[k])) seen.push_back(k);
  if (seen.size() < 2) return "";
  double least = HUGE_VAL, most = 0;
  for (const std::size_t k : seen) least = std::min(least, r.history[k]), most = std::max(most, r.history[k]);
  const double low = std::floor(std::log10(least)), high = std::max(low + 1, std::ceil(std::log10(most)));
  const double height = 300, bottom = height - 40;
  const int cycles = std::max(1, r.cycles());
  const auto x_of = [&](int cycle) { return kLeft + (kWidth - kLeft - kRight) * cycle / cycles; };
  const auto y_of = [&](double power) { return kTop + (bottom - kTop) * (high - power) / (high - low); };
  std::string s;
  const int each_power = std::max(1, static_cast<int>(high - low) / 10),
            each_cycle = std::max(1, cycles / 12);
  for (int p = static_cast<int>(low); p <= static_cast<int>(high); p += each_power)
    s += line(kLeft, y_of(p), kWidth - kRight, y_of(p), 0.2) +
         label(kLeft - 8, y_of(p) + 4, fmt::format("1e{}", p), "end");
  for (int c = 0; c <= cycles; c += each_cycle) s += label(x_of(c), bottom + 18, std::to_string(c));
  s += label((kLeft + kWidth - kRight) / 2, height - 4, "cycle");
  for (std::size_t n = 0; n < seen.size(); ++n) {
    const std::size_t k = seen[n];
    const double x = x_of(r.cycles_at[k]), y = y_of(std::log10(r.history[k]));
    if (n > 0) s += line(x_of(r.cycles_at[seen[n - 1]]), y_of(std::log10(r.history[seen[n - 1]])), x, y);
    s += point(x, y, fmt::format("cycle {}: {:.4e}", r.cycles_at[k], r.history[k]));
  }
  return section("convergence", "Convergence",
                 paragraph(fmt::format("The residual's norm ({}), after each cycle.", gmg::text(r.norm))) +
                     drawing(height, "The residual over cycles", s));
}

/// A cycle's way through the levels, a step a point.
std::string cycle(const gmg::Report& r, const gmg::CycleSteps& steps) {
  const std::size_t levels = r.grids.size();
  const double height = kTop + 40 * static_cast<double>(levels) + 10;
  const auto x_of = [&](std::size_t step) {
    return kLeft + 80 +
           (kWidth - kLeft - 80 - kRight) * (static_cast<double>(step) + 0.5) /
               static_cast<double>(steps.size());
  };
  const auto y_of = [&](std::size_t level) { return kTop + 15 + 40 * static_cast<double>(level); };
  std::string s;
  for (std::size_t l = 0; l < levels; ++l)
    s += line(kLeft + 80, y_of(l), kWidth - kRight, y_of(l), 0.2) +
         label(0, y_of(l) + 4, r.grids[l].substr(0, r.grids[l].find(' ')), "start");
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (n > 0) s += line(x_of(n - 1), y_of(steps[n - 1].level), x_of(n), y_of(steps[n].level));
    s += point(x_of(n), y_of(steps[n].level), fmt::format("{} {}", gmg::text(steps[n].leg), steps[n].level));
  }
  return section("cycle", "The cycle",
                 paragraph("Levels by their cells; a point is a leg: " + str(steps) + ".") +
                     drawing(height, "The cycle through the levels", s));
}

std::string times(const gmg::Report& r) {
  double all = 0;
  for (const gmg::LegTime& t : r.times) all += t.ms;
  Table table{{"level", "cells, smoother", "leg", "calls", "ms", "GB/s", "share"},
              {},
              {true, false, false, true, true, true, true}};
  for (const gmg::LegTime& t : r.times)
    table.rows.push_back(
        {std::to_string(t.level), t.level < r.grids.size() ? r.grids[t.level] : "", gmg::text(t.leg),
         std::to_string(t.calls), ms_text(t.ms),
         t.bytes > 0 && t.ms > 0 ? fmt::format("{:.1f}", t.bytes * t.calls / (t.ms * 1e6)) : "",
         all > 0 ? percent_text(t.ms / all) : ""});
  return section(
      "times", "Where the time went",
      paragraph("All calls together. GB/s are of the bytes that a leg has to move, sweep by sweep.") +
          table.html());
}

}  // namespace

std::string solve_page(const gmg::Report& r, const std::string& problem, const gmg::CycleSteps& steps,
                       const std::vector<std::string>& lines) {
  std::string text = paragraph(r.reason);
  for (const std::string& note : r.notes) text += paragraph(note);
  for (const std::string& each : lines)
    if (!each.empty()) text += paragraph(each);
  text += paragraph(fmt::format("Plan: {}. Set-up {:.0f} ms (of that, kernels {:.0f} ms), cycles {:.1f} ms.",
                                r.plan, r.setup_ms, r.kernels_ms, r.ms));
  return whole_page(problem, section("result", "Result", text) + convergence(r) + cycle(r, steps) + times(r),
                    "{}");
}

}  // namespace lift::report
