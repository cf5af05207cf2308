// Many different programs in one process, each read, rewritten, lowered and emitted; nothing is compiled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <vector>

namespace lift::fuzz {

struct ManyOptions {
  std::uint64_t seed = 1;
  int programs = 1000;
  double seconds = 0;   ///< to go on for; 0: any time
  int every = 100;      ///< how often memory is asked for
  bool regions = true;  ///< each program in one
  std::ostream* log = nullptr;
};
struct Many {
  std::vector<std::size_t> bytes = {};  ///< in memory (resident), after every so many programs
  int made = 0, kernels = 0, refused = 0;
  std::uint64_t sources = 0;  ///< a hash of all that was emitted, but for the order of terms
};
Many many_programs(const ManyOptions& options);

}  // namespace lift::fuzz
