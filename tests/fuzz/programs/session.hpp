// A session: random programs, of each some variants, run and compared; what is found, as small as it gets.
#pragma once

#include <functional>
#include <map>
#include <ostream>

#include "tests/fuzz/programs/batch.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {

struct Options {
  std::uint64_t seed = 1;
  int programs = 100;         ///< to be made, of this slice; 0: any number
  double seconds = 0;         ///< to go on for; 0: any time
  int configurations = 4;     ///< random ones of each program, beside the fixed ones
  int cuda_every = 25;        ///< of so many programs one goes through the emulated CUDA; 0: none
  int opencl_every = 0;       ///< the same through an OpenCL device
  int stand_alone_every = 0;  ///< the same through the caller that is emitted, under sanitizers
  bool interpreted = false;   ///< kernels for processors are not compiled: their loops are interpreted
  bool shrinking = true;
  int most_finds = 20;               ///< then it ends
  std::filesystem::path finds = {};  ///< folder to write them to; empty: none
  std::ostream* log = nullptr;
  /// Where the last slice ended, and this one does: a run in slices is the same as one run. Empty: from the
  /// seed on.
  std::filesystem::path resume = {};
  std::size_t most_bytes =
      0;  ///< of this process: then it ends early, as expressions are kept; 0: any number
};

struct Find {
  Case smallest;
  Outcome outcome;
};
struct Report {
  int before = 0;                         ///< programs of earlier slices
  std::map<Target, int> on_devices = {};  ///< programs that went through a device, of earlier slices too
  bool is_full = false;                   ///< ended by most_bytes
  int programs = 0, ill_typed = 0, variants = 0, refused = 0, unknown = 0;
  double seconds = 0;
  std::map<std::string, int> refusals = {};  ///< by message
  std::vector<Find> finds = {};
};
Report run(const Options& options);
std::string str(const Report& r);

/// A case by itself, on whatever it is for. Without data also whether its text is read as it was printed.
Outcome outcome_of(const Case& c, const std::filesystem::path& folder, std::shared_ptr<const Data> data = {});
/// The smallest that fails in the same way.
Case shrunk(const Case& c, const Outcome& outcome, const std::filesystem::path& folder);

}  // namespace lift::fuzz
