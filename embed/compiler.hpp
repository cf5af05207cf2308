// The compiler and the machine that all embedded kernels of a process share.
#pragma once

#include "runtime/machine.hpp"
#include "runtime/native.hpp"

namespace lift {

/// EnvironmentError when there is no C compiler. Safe from several threads.
NativeCompiler& shared_compiler();
/// Without the memory's speed, which is not measured.
const Machine& this_machine();

}  // namespace lift
