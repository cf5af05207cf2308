// Loops that all threads could go through together, in one parallel region.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// A loop whose iterations threads share.
bool is_shared_loop(const Stmt& s);

/// Whether each thread may go through a sequential loop by itself, waiting for the others after each loop
/// that they share: all that an iteration stores is stored in shared loops, and what it computes beside them,
/// which each thread does, reads nothing that the loop stores.
bool may_go_together(const For& f);

}  // namespace lift
