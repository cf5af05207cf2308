// The space of variants of a program: decisions in dependency order. A configuration takes each decision and
// leads to one derivation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rewrite/engine/strategy.hpp"
#include "rewrite/space/options.hpp"
#include "rewrite/space/search_space.hpp"

namespace lift {

/// A decision that is on or off for --grid: of any program.
struct SwitchKind {
  const Key* key;
  const char* title;   ///< in words
  const char* absent;  ///< why a program does not have it
};
std::vector<SwitchKind> switch_kinds();

class Variants;

class Space : public SearchSpace {
 public:
  Space(const Program& program, const SpaceOptions& options);
  const std::vector<Parameter>& parameters() const override { return parameters_; }
  /// Decisions whose plain setting is never worse; a configuration may have another to compare with it.
  /// Decided after the parameters.
  const std::vector<Parameter>& comparisons() const { return comparisons_; }
  Settings allowed(const Configuration& chosen, const Key& decision) const override;
  /// The same as they are written.
  std::vector<std::string> allowed_texts(const Configuration& chosen, std::string_view decision) const;
  /// What a programmer writes first: each named value stored, the loops one after the other, shared by
  /// threads and in vectors; no tiles, no steps together, nothing else.
  Configuration as_written() const;
  /// A few of each structure.
  std::vector<Configuration> seeds() const override;
  /// The program of a configuration, and its steps. UserError when a guard refuses.
  Rewriting derived(const Configuration& c) const;
  Derivation derive(const Configuration& c) const;
  /// Names the decisions without their numbers: configurations of one structure differ only in numbers.
  std::string structure(const Configuration& c) const;
  /// "" when every array stays in the caller's layout, else the layout's text.
  std::string layout(const Configuration& c) const;
  const Program& program() const { return program_; }

 private:
  /// Whether the arrays get the layout asked for though it is no decision of this program.
  bool gets_layout() const;

  Program program_;
  std::optional<LayoutRequest> only_layout_;
  bool on_threads_ = true;  ///< for processors, not for a grid
  std::vector<Parameter> parameters_, comparisons_;
  std::shared_ptr<const Variants> variants_;
};

}  // namespace lift
