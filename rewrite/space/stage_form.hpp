// Programs brought into a form in which everything that is stored is made by loops about which can be
// decided.
#pragma once

#include "rewrite/engine/strategy.hpp"

namespace lift {

/// Columns made by scans that another part reads other than element by element, through a pad, say, get a
/// name, and are a part by themselves (let-part, let-of-let). A result that is but a way of looking at
/// others, or is generated, gets a map that leaves its elements as they are (identity-map). Other programs
/// stay as they are, without a step.
Rewriting in_stage_form(Rewriting start);

}  // namespace lift
