// Calls of compiled kernels in child processes, their arrays between pages that cannot be touched.
#pragma once

#include <filesystem>

#include "tests/fuzz/programs/batch.hpp"

namespace lift::fuzz {

struct Guarded {
  const Job* job;
  std::string entry;    ///< the symbol to call, as emit_trampoline has it
  bool aligned;         ///< arrays begin at a multiple of 64 bytes, even at the end of their pages
  std::size_t outcome;  ///< to be set
};

/// Calls each twice: arrays at the beginning of their pages, and at the end. A call that ends its process is
/// recorded, and those after it are made in a new one.
void run_guarded(const std::filesystem::path& library, const std::vector<Guarded>& calls,
                 std::vector<Outcome>& outcomes);

}  // namespace lift::fuzz
