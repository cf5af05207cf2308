// What a work-item has to hold at once.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// 32-bit registers that the named values of one work-item take where most of them are alive together, with
/// what the widest expression there holds while it is computed: a lower bound, as addresses and loads issued
/// early come on top.
int least_registers(const Kernel& k);

}  // namespace lift
