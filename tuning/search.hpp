// Which configurations of a space are tried, in which order: what was fast elsewhere, the space's seeds, then
// what a technique proposes (search/technique.hpp).
#pragma once

#include <deque>
#include <unordered_set>

#include "tuning/search/technique.hpp"

namespace lift {

class Search {
 public:
  /// Spaces of less than 256 configurations: all of them in order, or as others.
  enum class Small : std::uint8_t { enumerated, as_others };
  /// `technique`: one of technique_names(). `first`: tried before the seeds, `known`: after the first seed,
  /// which is the default; each moved to the closest configuration of the space.
  Search(const SearchSpace& space, const std::string& technique, std::uint64_t seed,
         const std::vector<Configuration>& first = {}, const std::vector<Configuration>& known = {},
         Small small = Small::enumerated);
  /// A configuration not given before; nothing once the space is exhausted (or nearly so, when random).
  std::optional<Configuration> next();
  /// Whether the next one is a first guess of the space, but for the default.
  bool is_guessing() const { return !seeds_.empty() && seeds_.size() < guesses_; }
  /// How fast a configuration that was verified is.
  void report(const Configuration& c, double ms) { technique_->learn(c, ms); }
  /// One that led to no kernel, or to none that is right.
  void refuse(const Configuration& c) { technique_->refuse(c); }

 private:
  std::deque<Configuration> seeds_;
  std::size_t guesses_ = 0;  ///< of the space
  std::unordered_set<Configuration> given_;
  std::unique_ptr<Technique> technique_;
};

/// The configuration of `space` closest to `c`: each setting as it is where allowed, else the next smaller
/// number allowed, else one of the same kind ("rows"), else the first. Threads' loops and work-groups of one
/// item are the same decision. For another size, machine or backend.
Configuration project(const SearchSpace& space, const Configuration& c);

/// Number of configurations, counted up to `limit`.
std::size_t count_configurations(const SearchSpace& space, std::size_t limit);

}  // namespace lift
