// What a program must at least move and compute, read off its loops.
#pragma once

#include "ir/expr/program.hpp"

namespace lift {

/// Of one application of a program whose lengths are constants.
struct Traffic {
  std::int64_t cells = 0;  ///< elements of the largest result, with a red-black guard those of both colours;
                           ///< of a program that returns one number, elements that it is accumulated from
  double bytes = 0;  ///< compulsory, with write-allocate: each element read once, written once, and read
                     ///< before it is written where the program does not read its line anyway; halos, which
                     ///< neighbouring elements of the results read, do not count. 002, 000 section 5.2
  double flops = 0;
  double bytes_per_cell() const { return cells > 0 ? bytes / static_cast<double>(cells) : 0; }
  double flops_per_cell() const { return cells > 0 ? flops / static_cast<double>(cells) : 0; }
};
Traffic traffic(const Program& program);

}  // namespace lift
