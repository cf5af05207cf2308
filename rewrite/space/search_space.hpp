// What a search chooses from: decisions in dependency order, and for each the settings that agree with the
// choices made before it.
#pragma once

#include <string>
#include <vector>

#include "rewrite/space/configuration.hpp"

namespace lift {

/// A decision that can be taken in several ways, with its settings, the plain one first.
struct Parameter {
  const Key* key;
  Settings values;
  std::string name() const { return key->name; }
};

class SearchSpace {
 public:
  virtual ~SearchSpace() = default;
  /// In dependency order.
  virtual const std::vector<Parameter>& parameters() const = 0;
  /// The settings of a decision that agree with the choices made for those before it; never empty. UserError:
  /// the space has no such decision.
  virtual Settings allowed(const Configuration& chosen, const Key& decision) const = 0;
  /// Configurations worth trying first, best guess first.
  virtual std::vector<Configuration> seeds() const = 0;

 protected:
  SearchSpace() = default;
  SearchSpace(const SearchSpace&) = default;
  SearchSpace& operator=(const SearchSpace&) = default;
};

}  // namespace lift
