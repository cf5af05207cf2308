// The configurations of a space one after the other: a wheel each parameter, whose settings depend on the
// wheels before it.
#pragma once

#include "rewrite/space/search_space.hpp"

namespace lift {

class Odometer {
 public:
  explicit Odometer(const SearchSpace& space) : space_(&space) { complete(); }
  Configuration configuration() const;
  /// To the next one; false when it has run over.
  bool step();

 private:
  void complete();

  const SearchSpace* space_;
  std::vector<std::pair<Settings, std::size_t>> wheels_;  ///< settings and position
};

}  // namespace lift
