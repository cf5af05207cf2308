// The search for a peer's fastest settings: the first ones, then climbing from the best so far, then what is
// left, in a fixed order.
#pragma once

#include <map>
#include <optional>
#include <random>

#include "compare/peer.hpp"

namespace lift {

class SettingsSearch {
 public:
  explicit SettingsSearch(std::vector<PeerChoice> choices);
  /// PeerSettings that were not given before; nothing when all have been.
  std::optional<PeerSettings> next();
  /// The time with these; infinite: none, or a wrong result.
  void learn(const PeerSettings& settings, double ms);

 private:
  using Point = std::vector<std::size_t>;
  PeerSettings at(const Point& p) const;
  std::optional<Point> neighbour();
  std::optional<Point> other();

  std::vector<PeerChoice> choices_;
  std::map<Point, bool> given_;
  std::map<PeerSettings, Point> points_;
  std::optional<Point> best_;
  double best_ms_ = 0;
  std::mt19937 chance_{1};
};

}  // namespace lift
