// Where the libraries of CUDA are found, and that NVRTC outside the loader's folders finds its other half.
#include "runtime/cuda_places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "ir/error.hpp"
#include "runtime/cuda.hpp"
#include "runtime/nvrtc.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/fake_cuda.hpp"

using namespace lift;
using lift::test::fake_cuda_library;
using lift::test::Variable;

namespace cuda_places_test {

namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("liftgen-cuda-places-" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, const std::string& copied = "") const {
    fs::create_directories((path / name).parent_path());
    if (copied.empty())
      std::ofstream(path / name) << "x";
    else
      fs::copy_file(copied, path / name);
    return (path / name).string();
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("cuda places: the driver where installations, containers and WSL put it") {
  const Folder root;
  const Variable not_chosen("LIFTGEN_CUDA_LIBRARY", "");
  CHECK(cuda::driver_libraries(root.path) == Names{"libcuda.so.1"});
  const std::string wsl = root.file("usr/lib/wsl/lib/libcuda.so.1"),
                    debian = root.file("usr/lib/x86_64-linux-gnu/libcuda.so.1"),
                    container = root.file("usr/local/nvidia/lib64/libcuda.so.1");
  CHECK(cuda::driver_libraries(root.path) == Names{"libcuda.so.1", container, wsl, debian});
  const Variable chosen("LIFTGEN_CUDA_LIBRARY", "/a/driver");
  CHECK(cuda::driver_libraries(root.path) == Names{"/a/driver"});
}

TEST_CASE("cuda places: NVRTC in toolkits and among Python's packages") {
  const Folder root;
  const Variable not_chosen("LIFTGEN_NVRTC_LIBRARY", ""), no_toolkit("CUDA_HOME", ""),
      none_either("CUDA_PATH", ""), no_conda("CONDA_PREFIX", ""),
      environment("VIRTUAL_ENV", (root.path / "venv").string());
  const auto beyond_names = [&] {
    Names found = cuda::compiler_libraries(root.path);
    const auto path = std::find_if(found.begin(), found.end(), [](const auto& n) { return n[0] == '/'; });
    CHECK(path - found.begin() == 4);
    found.erase(found.begin(), path);
    std::erase_if(found, [&](const auto& n) { return !n.starts_with(root.path.string()); });
    return found;
  };
  const std::string of_12 =
      root.file("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  CHECK(beyond_names() == Names{of_12});
  const std::string of_13 = root.file("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13"),
                    systems = root.file(
                        "usr/local/lib/python3.12/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
                    toolkit = root.file("usr/local/cuda-12.4/lib64/libnvrtc.so.12");
  CHECK(beyond_names() == Names{toolkit, of_12, of_13, systems});
}

TEST_CASE("cuda places: NVRTC's builtins are opened from its folder") {
  const Folder root;
  const std::string builtins =
      test::shared_library("int liftgen_no_builtins;\n", {"-Wl,-soname,libnvrtc-builtins.so.12.0"});
  const std::string whole = root.file("whole/libnvrtc.so.12", fake_cuda_library()),
                    half = root.file("half/libnvrtc.so.12", fake_cuda_library());
  root.file("whole/libnvrtc-builtins.so.12.0", builtins);
  fs::create_directories(root.path / "linked");
  const fs::path link = root.path / "linked/libnvrtc.so.12";
  fs::create_symlink(whole, link);
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const auto run = [&](const std::string& name, const std::string& library) {
    const ProcessResult r = run_process(
        {self, "--no-skip", "--test-case=" + name},
        {.timeout_seconds = 60,
         .variables = {"LIFTGEN_NVRTC_LIBRARY=" + library, "FAKE_NVRTC_OPENS=libnvrtc-builtins.so.12.0",
                       "XDG_CACHE_HOME=" + (root.path / "cache").string()}});
    CHECK_MESSAGE(r.status == 0, r.output);
    CHECK(r.output.find(" 1 passed") != std::string::npos);
  };
  run("cuda places child: it compiles", whole);
  run("cuda places child: it compiles", link.string());
  run("cuda places child: it says what is missing", half);
}
TEST_CASE("cuda places child: it compiles" * doctest::skip()) {
  const Folder folder;
  const BinaryCache cache(folder.path);
  const cuda::CompiledSource made = cuda::compile("add", 80, "", cache);
  CHECK_MESSAGE(!made.binary.empty(), made.error);
}
TEST_CASE("cuda places child: it says what is missing" * doctest::skip()) {
  const Folder folder;
  const BinaryCache cache(folder.path);
  std::string said;
  try {
    (void)cuda::compile("add", 80, "", cache);
  } catch (const EnvironmentError& error) {
    said = error.what();
  }
  CHECK_MESSAGE(
      said.find("libnvrtc-builtins.so of the same version is not in its folder") != std::string::npos, said);
}

}  // namespace cuda_places_test
