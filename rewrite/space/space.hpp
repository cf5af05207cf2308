// The space of variants of a program: macro decisions with parameters. A decision is a strategy over rules; a
// configuration gives every parameter a value and leads to one derivation.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/target.hpp"
#include "rewrite/engine/derivation.hpp"

namespace lift {

/// What the space is fitted to.
struct SpaceOptions {
  Target target = Target::openmp;
  int threads = 1;
  int vector_bytes = 32;
  std::size_t cache_bytes = 512 * 1024;  ///< of one core's own cache
  bool caller_layout_only = false;
  std::size_t local_bytes = 48 * 1024;  ///< local memory that a work-group may use
  std::size_t max_work_group = 1024;    ///< work-items in a work-group
  bool cpu = false;  ///< a grid's device computes on processors: what suits threads suits it
};

using Configuration = std::map<std::string, std::string>;

/// A tuning parameter with its possible values, the plain one first.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

struct SpaceContext;

class Space {
 public:
  Space(const Program& program, const SpaceOptions& options);
  /// In dependency order.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Decisions whose plain value is never worse; a configuration may have another to compare with it. Decided
  /// after the parameters.
  const std::vector<Parameter>& comparisons() const { return comparisons_; }
  /// The values of parameter or comparison `name` that agree with the choices made for those before it; never
  /// empty.
  std::vector<std::string> allowed(const Configuration& chosen, const std::string& name) const;
  /// Configurations worth trying first, best guess first: a few of each structure.
  std::vector<Configuration> seeds() const;
  /// The whole configuration as one step list. UserError when a guard refuses.
  Derivation derive(const Configuration& c) const;
  /// Names the decisions without their numbers: configurations of one structure differ only in numbers.
  std::string structure(const Configuration& c) const;
  /// "" when every array stays in the caller's layout, else the layout's text.
  std::string layout(const Configuration& c) const;
  const Program& program() const { return program_; }

 private:
  Program program_;
  SpaceOptions options_;
  std::vector<Parameter> parameters_, comparisons_;
  std::shared_ptr<const SpaceContext> context_;
};

}  // namespace lift
