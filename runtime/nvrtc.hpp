// CUDA C++ -> machine code for a device, by NVIDIA's run-time compiler (NVRTC), found at run time. Needs no
// device.
//
// The library is $LIFTGEN_NVRTC_LIBRARY, else the newest libnvrtc.so of the system, of a toolkit in
// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda* or /opt/cuda, or of Python's packages (cuda_places.hpp) that is
// not newer than the driver.
#pragma once

#include <string>
#include <vector>

#include "runtime/cache.hpp"

namespace lift::cuda {

struct CompiledSource {
  std::string binary;  ///< machine code, or PTX as text; empty on failure
  bool ptx = false;    ///< for an architecture that the compiler does not know: the driver translates
  std::string key;     ///< in the cache
  std::string error;   ///< the first lines of the diagnostics on failure
  std::string log;  ///< what the compiler said all the same, such as warnings; nothing where the cache had it
  bool cached = false;
};

struct CompilerInfo {
  int version = 0;  ///< 1000 * major + 10 * minor
  std::vector<int>
      architectures;  ///< compute capabilities that it compiles for, 10 * major + minor, ascending
  std::string path;
};

/// The compiler that goes with a driver of this version (0: any), as in CompilerInfo::version.
/// EnvironmentError, with the remedy, when there is none.
CompilerInfo compiler_info(int driver = 0);

/// `architecture` as 10 * major + minor. EnvironmentError when the compiler knows no architecture that old,
/// or none at all of that name. `options` are separated by blanks.
CompiledSource compile(const std::string& source, int architecture, const std::string& options,
                       const BinaryCache& cache, int driver = 0);

/// "sm_90" or "90" -> 90; UserError for what is no architecture.
int parse_architecture(const std::string& text);

}  // namespace lift::cuda
