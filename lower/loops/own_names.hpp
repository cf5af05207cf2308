// Copies of statements with names of their own for all that they declare.
#pragma once

#include <map>
#include <set>

#include "lower/loops/loop.hpp"

namespace lift {

class OwnNames {
 public:
  /// For copy number `copy` of b: x becomes x_1; none that is taken, and taken then.
  OwnNames(const Block& b, int copy, std::set<std::string>& taken);
  const std::string& of(const std::string& name) const;
  Term of(const Term& t) const;
  Block of(const Block& b) const;

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace lift
