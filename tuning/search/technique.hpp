// Search techniques: which configurations are tried when those worth trying first have been. A technique is a
// file: it proposes, and learns how fast what was tried is. search.cpp sees to the rest: the first guesses,
// no configuration twice, small spaces enumerated.
#pragma once

#include <memory>
#include <optional>
#include <random>

#include "rewrite/space/space.hpp"

namespace lift {

class Technique {
 public:
  virtual ~Technique() = default;
  /// A configuration of the space, which may have been tried before. Nothing: there is none any more.
  virtual std::optional<Configuration> propose() = 0;
  /// The time of a configuration that was verified: of a first guess, or of one that was proposed.
  virtual void learn(const Configuration&, double /*ms*/) {}
};

/// The source of chance of one search: one seed, one order.
using Chance = std::mt19937_64;

/// One for --search.
struct TechniqueRow {
  const char* name;
  const char* words;
  std::unique_ptr<Technique> (*make)(const Space& space, std::uint64_t seed);
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
Configuration sample(const Space& space, Chance& chance);

}  // namespace lift
