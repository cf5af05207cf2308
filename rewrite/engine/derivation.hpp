// Derivations: how a low-level expression came from a pattern. Data, printed one step a line and replayed
// from that.
//
//   map-nest at 0.1
//   tile 64 8 64 at 0.1
//   map-par at body
#pragma once

#include <string>
#include <vector>

#include "ir/expr/program.hpp"
#include "rewrite/engine/argument.hpp"

namespace lift {

struct Step {
  std::string rule;
  Arguments parameters;
  std::vector<int> place;  ///< child indices from the program's body
  friend bool operator==(const Step&, const Step&) = default;
};
using Derivation = std::vector<Step>;

std::string str(const Step& s);
std::string str(const Derivation& d);                  ///< one step a line
Derivation parse_derivation(const std::string& text);  ///< inverse; UserError with the line on malformed text
/// Applies each step; UserError naming the step that does not apply and why.
Program replay(const Program& start, const Derivation& d);
/// What the step does, as a sentence for people.
std::string prose(const Step& s);
/// All steps, "- ..." one a line; what is done several times over, as to each of several sweeps, is said
/// once.
std::string prose(const Derivation& d);

}  // namespace lift
