// Which configurations of a space are tried, in which order.
#pragma once

#include <deque>
#include <optional>
#include <random>
#include <set>

#include "rewrite/space/space.hpp"

namespace lift {

/// random      the space's seeds, then uniform choices parameter by parameter (a control for the others)
/// exhaustive  every configuration in order, the seeds first
/// climb       the seeds, then two neighbours of one of the best so far to each random configuration
enum class SearchKind : std::uint8_t { random, exhaustive, climb };
/// UserError for text that names none.
SearchKind parse_search(const std::string& text);

class Search {
 public:
  /// `first`: tried before the seeds, each moved to the closest configuration of the space.
  Search(const Space& space, SearchKind kind, std::uint64_t seed,
         const std::vector<Configuration>& first = {});
  /// A configuration not given before; nothing once the space is exhausted (or nearly so, when random).
  std::optional<Configuration> next();
  /// How fast a configuration that was verified is.
  void report(const Configuration& c, double ms);

 private:
  std::optional<Configuration> enumerate();
  Configuration sample();
  Configuration neighbour();
  const Setting& pick(const Settings& values);

  const Space& space_;
  SearchKind kind_;
  std::mt19937_64 random_;
  std::deque<Configuration> seeds_;
  std::set<Configuration> given_;
  using Ranking = std::vector<std::pair<double, Configuration>>;  ///< fastest first
  static void insert(Ranking& ranking, const Configuration& c, double ms);
  Ranking best_, best_caller_;  ///< of any layout; of the caller's, which is reported too
  std::vector<std::pair<Settings, std::size_t>> odometer_;  ///< enumerate: values and position, a parameter
  bool enumerating_ = false, exhausted_ = false;
  int turn_ = 0;
};

/// The configuration of `space` closest to `c`: each value as it is where allowed, else the next smaller
/// number allowed, else the first. Threads' loops and work-groups of one item are the same decision. For
/// another size, machine or backend.
Configuration project(const Space& space, const Configuration& c);

/// Number of configurations, counted up to `limit`.
std::size_t count_configurations(const Space& space, std::size_t limit);

}  // namespace lift
