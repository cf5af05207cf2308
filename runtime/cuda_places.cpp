#include "runtime/cuda_places.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace lift::cuda {
namespace fs = std::filesystem;
namespace {

using Paths = std::vector<fs::path>;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void append(Paths& to, const Paths& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Folders in `folder` whose names begin so, the greatest name first.
Paths folders_in(const fs::path& folder, const std::string& begin) {
  Paths found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(begin)) found.push_back(it->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// Folders of toolkits, the newest of several first.
Paths toolkits(const fs::path& root) {
  Paths found;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string path = variable(name); !path.empty()) found.emplace_back(path);
  found.push_back(root / "usr/local/cuda");
  append(found, folders_in(root / "usr/local", "cuda-"));
  found.push_back(root / "opt/cuda");
  return found;
}

/// Where Python's packages have libraries: nvidia/cuda_nvrtc/lib up to CUDA 12, nvidia/cu13/lib since.
Paths python_folders(const fs::path& root) {
  Paths prefixes;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string path = variable(name); !path.empty()) prefixes.emplace_back(path);
  if (const std::string home = variable("HOME"); !home.empty()) prefixes.push_back(fs::path(home) / ".local");
  prefixes.push_back(root / "usr/local"), prefixes.push_back(root / "usr");
  Paths found;
  for (const fs::path& prefix : prefixes)
    for (const fs::path& python : folders_in(prefix / "lib", "python3"))
      for (const char* packages : {"site-packages", "dist-packages"})
        for (const fs::path& package : folders_in(python / packages / "nvidia", ""))
          found.push_back(package / "lib");
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty())
    found.push_back(fs::path(conda) / "lib");
  return found;
}

}  // namespace

std::vector<std::string> driver_libraries(const fs::path& root) {
  if (const std::string chosen = variable("LIFTGEN_CUDA_LIBRARY"); !chosen.empty()) return {chosen};
  std::vector<std::string> found = {"libcuda.so.1"};
  std::error_code error;
  for (const char* folder :
       {"usr/local/nvidia/lib64", "usr/local/nvidia/lib", "usr/lib/wsl/lib", "usr/lib/x86_64-linux-gnu",
        "usr/lib/x86_64-linux-gnu/nvidia/current", "usr/lib/aarch64-linux-gnu",
        "usr/lib/aarch64-linux-gnu/nvidia/current", "usr/lib64", "usr/lib64/nvidia", "run/opengl-driver/lib"})
    if (const fs::path path = (root.empty() ? "/" : root) / folder / "libcuda.so.1"; fs::exists(path, error))
      found.push_back(path.string());
  return found;
}

std::vector<std::string> compiler_libraries(const fs::path& given) {
  if (const std::string chosen = variable("LIFTGEN_NVRTC_LIBRARY"); !chosen.empty()) return {chosen};
  const fs::path root = given.empty() ? "/" : given;
  constexpr const char* names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  std::vector<std::string> found(std::begin(names), std::end(names));
  Paths folders;
  for (const fs::path& toolkit : toolkits(root))
    for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      folders.push_back(toolkit / below);
  append(folders, python_folders(root));
  std::error_code error;
  for (const fs::path& folder : folders)
    for (const char* name : names)
      if (const fs::path path = folder / name; fs::exists(path, error)) found.push_back(path.string());
  return found;
}

bool open_builtins(const void* compiler, int major, int minor) {
  const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  Dl_info at = {};
  if (::dladdr(compiler, &at) != 0 && at.dli_fname != nullptr) {
    std::error_code error;
    const fs::path here = at.dli_fname, there = fs::canonical(here, error);  // a link to it, and itself
    for (const fs::path& library : {here, there})
      if (::dlopen((library.parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  }
  return ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
}

}  // namespace lift::cuda
