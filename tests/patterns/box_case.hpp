// A problem of an operator, as tests go through many of them.
#pragma once

#include <string>

#include "patterns/pattern.hpp"

namespace lift::testing {

struct Case {
  Pattern pattern;
  Problem p;
};

inline std::string describe(const Case& c) {
  std::string s = c.pattern.name + " " + c.p.boundary + ", " + text(c.p.type);
  for (const auto& [name, value] : c.p.choices) s += ", " + name + " " + value;
  return s;
}

}  // namespace lift::testing
