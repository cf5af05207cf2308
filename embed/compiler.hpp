// The compiler and the machine that all embedded kernels of a process share.
#pragma once

#include "runtime/machine.hpp"
#include "runtime/native.hpp"
#include "runtime/vault.hpp"

namespace lift {

/// EnvironmentError when there is no C compiler. Safe from several threads.
NativeCompiler& shared_compiler();
/// Where its results are kept, and other things that are to be found again.
const Vault& shared_vault();
/// Without the memory's speed, which is not measured.
const Machine& this_machine();

}  // namespace lift
