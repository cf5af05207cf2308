// Whether programs are verified after every step of a derivation, and loops after every pass. Tests and debug
// builds always do; others on request, LIFTGEN_VERIFY=1. LIFTGEN_VERIFY=0 asks none to.
#pragma once

namespace lift {

/// What LIFTGEN_VERIFY says, else what set_verify_steps has said last, else whether this is a debug build.
bool verify_steps();
/// For tests, which verify always.
void set_verify_steps(bool on);

}  // namespace lift
