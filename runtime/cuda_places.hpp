// Inside the runtime: where the libraries of CUDA lie when the system's loader does not know of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lift::cuda {

/// What to open for the driver, in order: $LIFTGEN_CUDA_LIBRARY alone if it is set, else libcuda.so.1 by its
/// name, then where installations, containers and WSL put it. `root` is put before absolute paths.
std::vector<std::string> driver_libraries(const std::filesystem::path& root = {});

/// What to open for NVRTC, the best guess first: $LIFTGEN_NVRTC_LIBRARY alone if it is set; else by name;
/// then toolkits' folders, and those of Python's packages, of $VIRTUAL_ENV and $CONDA_PREFIX first.
std::vector<std::string> compiler_libraries(const std::filesystem::path& root = {});

/// Opens the library that NVRTC of this version opens by its name when it compiles, and would not find beside
/// itself; false when it is not there. `compiler`: an address within NVRTC.
bool open_builtins(const void* compiler, int major, int minor);

}  // namespace lift::cuda
