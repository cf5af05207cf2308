// Elements that have a name and are read once are computed where they are read, not stored: those of each row
// within a function, those that a scan goes over, and those that one map alone reads one by one.
#pragma once

#include "rewrite/engine/strategy.hpp"

namespace lift {

Rewriting with_read_once_inlined(Rewriting r);

}  // namespace lift
