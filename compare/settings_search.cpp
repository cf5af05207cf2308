#include "compare/settings_search.hpp"

#include <algorithm>
#include <cmath>

namespace lift {

SettingsSearch::SettingsSearch(std::vector<PeerChoice> choices) : choices_(std::move(choices)) {
  for (PeerChoice& c : choices_)
    if (c.values.empty()) c.values.emplace_back("");
}

PeerSettings SettingsSearch::at(const Point& p) const {
  PeerSettings s;
  for (std::size_t i = 0; i < p.size(); ++i) s.push_back(choices_[i].values[p[i]]);
  return s;
}

/// One choice of the best changed: the nearest values first.
std::optional<SettingsSearch::Point> SettingsSearch::neighbour() {
  if (!best_) return std::nullopt;
  std::size_t longest = 0;
  for (const PeerChoice& c : choices_) longest = std::max(longest, c.values.size());
  for (std::size_t step = 1; step < longest; ++step)
    for (std::size_t i = 0; i < choices_.size(); ++i)
      for (const bool up : {true, false}) {
        Point p = *best_;
        if (up ? p[i] + step >= choices_[i].values.size() : p[i] < step) continue;
        p[i] = up ? p[i] + step : p[i] - step;
        if (given_.count(p) == 0) return p;
      }
  return std::nullopt;
}

/// Any, by chance; where that finds none soon, the first.
std::optional<SettingsSearch::Point> SettingsSearch::other() {
  for (int attempt = 0; attempt < 50; ++attempt) {
    Point p;
    for (const PeerChoice& c : choices_) p.push_back(chance_() % c.values.size());
    if (given_.count(p) == 0) return p;
  }
  Point p(choices_.size(), 0);
  for (;;) {
    if (given_.count(p) == 0) return p;
    std::size_t i = 0;
    while (i < p.size() && ++p[i] == choices_[i].values.size()) p[i++] = 0;
    if (i == p.size()) return std::nullopt;
  }
}

std::optional<PeerSettings> SettingsSearch::next() {
  std::optional<Point> p;
  if (given_.empty())
    p = Point(choices_.size(), 0);
  else
    p = neighbour();
  if (!p) p = other();
  if (!p) return std::nullopt;
  given_[*p] = true;
  const PeerSettings s = at(*p);
  points_[s] = *p;
  return s;
}

void SettingsSearch::learn(const PeerSettings& settings, double ms) {
  if (!std::isfinite(ms) || (best_ && ms >= best_ms_)) return;
  best_ = points_.at(settings), best_ms_ = ms;
}

}  // namespace lift
