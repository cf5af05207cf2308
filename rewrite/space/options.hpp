// What a space is fitted to: the target and the machine.
#pragma once

#include <cstddef>
#include <optional>

#include "ir/expr/layout.hpp"
#include "ir/target.hpp"
#include "rewrite/engine/catalogue.hpp"

namespace lift {

struct SpaceOptions {
  Target target = Target::openmp;
  int threads = 1;
  int vector_bytes = 32;
  std::optional<LayoutRequest> only_layout =
      {};  ///< that all arrays are in; nothing: whichever suits the program
  std::size_t local_bytes = std::size_t{48} * 1024;  ///< local memory that a work-group may use
  std::size_t max_work_group = 1024;                 ///< work-items in a work-group
  int compute_units = 0;                             ///< multiprocessors of the device; 0: not known
  /// Of one's own, each of which is a decision where it applies; null: none.
  OwnRules rules = {};
  bool cpu = false;  ///< a grid's device computes on processors: what suits threads suits it
};

}  // namespace lift
