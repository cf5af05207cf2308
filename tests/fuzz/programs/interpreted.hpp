// Kernels whose loops are interpreted: many more in the same time than are compiled, elements that nobody has
// stored are seen, and so are races.
#pragma once

#include "tests/fuzz/programs/batch.hpp"

namespace lift::fuzz {

Outcome interpreted(const Job& job);

}  // namespace lift::fuzz
