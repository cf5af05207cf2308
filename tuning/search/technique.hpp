// Search techniques: which configurations are tried when those worth trying first have been. A technique is a
// file: it proposes, and learns how fast what was tried is. search.cpp sees to the rest: the first guesses,
// no configuration twice, small spaces enumerated.
#pragma once

#include <memory>
#include <optional>
#include <random>

#include "rewrite/space/search_space.hpp"

namespace lift {

class Technique {
 public:
  virtual ~Technique() = default;
  /// A configuration of the space, which may have been tried before. Nothing: there is none any more.
  virtual std::optional<Configuration> propose() = 0;
  /// The time of a configuration that was verified: of a first guess, or of one that was proposed.
  virtual void learn(const Configuration&, double /*ms*/) {}
  /// A configuration that led to no kernel, to one that does not compile, or to a wrong one.
  virtual void refuse(const Configuration&) {}
};

/// The source of chance of one search: one seed, one order.
using Chance = std::mt19937_64;

/// One for --search.
struct TechniqueRow {
  const char* name;
  const char* words;
  std::unique_ptr<Technique> (*make)(const SearchSpace& space, std::uint64_t seed);
};
const std::vector<TechniqueRow>& techniques();
/// UserError for a name that none has.
const TechniqueRow& find_technique(const std::string& name);
std::string technique_names();  ///< "climb, random or ..."

// ---- what techniques have in common

/// A number from 0 to n - 1.
std::size_t below(std::size_t n, Chance& chance);
const Setting& any_of(const Settings& some, Chance& chance);
/// Uniform choices, decision by decision.
Configuration sample(const SearchSpace& space, Chance& chance);
/// One decision goes to a neighbouring setting (see neighbours); those after it stay where that is allowed.
Configuration step_from(const SearchSpace& space, const Configuration& here, Chance& chance);

/// The fastest configurations of those learnt.
class Ranking {
 public:
  using Entry = std::pair<double, Configuration>;  ///< time
  explicit Ranking(std::size_t most) : most_(most) {}
  void add(const Configuration& c, double ms);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Configuration& operator[](std::size_t i) const { return entries_[i].second; }  ///< fastest first

 private:
  std::size_t most_;
  std::vector<Entry> entries_;
};

}  // namespace lift
