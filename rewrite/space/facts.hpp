// Facts about a program that decisions of every kind of program ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/options.hpp"

namespace lift {

/// One dimension of the loops that are decided about.
struct Axis {
  std::string name;
  std::optional<std::int64_t> extent = {};  ///< known lengths
};
/// Names of loops from the innermost (0): i, j, k, box, c, d, e, ee, ...
std::string loop_axis(std::size_t from_inside);

constexpr std::int64_t kOfCaches = std::int64_t{8} << 20;  ///< bytes; less is found there by who reads it

struct ProgramFacts {
  SpaceOptions options;
  std::vector<Axis> axes;          ///< outer to inner
  std::int64_t lanes = 1;          ///< scalars in a vector
  std::int64_t element_bytes = 8;  ///< of the result's scalars
  bool gathers = false;            ///< elements are taken at positions that are computed
  bool joins_stages = false;       ///< stages that follow one another may share loops
  std::vector<Place> in_scalars;   ///< parts whose loops load no vectors
  bool reads_only = false;         ///< there are array arguments that may not be overwritten
  std::optional<std::int64_t>
      stage_elements;  ///< scalars in stages, of one iteration of the loops around; see stages.hpp

  const Capabilities& target() const { return capabilities(options.target); }
  bool on_grid() const { return is_grid(options.target); }
  bool on_processors() const { return !on_grid() || options.cpu; }
};

/// Options, lanes of the result's vectors, stages, and whether there are arrays only read.
ProgramFacts program_facts(const Program& program, const SpaceOptions& options);

}  // namespace lift
