// The CUDA driver and compiler of fake_cuda.c, as a shared library made when it is first asked for.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::test {

inline std::string shared_library(const std::string& code, const std::vector<std::string>& flags) {
  static NativeCompiler compiler;
  const CompileResult built = compiler.compile({.code = code, .flags = flags});
  REQUIRE_MESSAGE(built.library, built.error);
  return built.library->path().string();
}

inline std::string fake_cuda_library() {
  static const std::string path =
      shared_library(read_file(LIFTGEN_SOURCE_DIR "/tests/runtime/fake_cuda.c"), {"-O1", "-std=gnu11"});
  return path;
}

/// For FAKE_CUDA_RUNS.
inline std::string emulated_kernels_library() { return LIFTGEN_BINARY_DIR "/libliftgen_emulated_kernels.so"; }

/// The fake driver and the fake compiler, an empty cache, and what was called.
struct FakeCuda {
  Variable driver{"LIFTGEN_CUDA_LIBRARY", fake_cuda_library()},
      compiler{"LIFTGEN_NVRTC_LIBRARY", fake_cuda_library()};
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("liftgen-cuda-test-" + std::to_string(::getpid()));
  Variable log{"FAKE_CUDA_LOG", (folder / "log").string()};
  FakeCuda() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~FakeCuda() { std::filesystem::remove_all(folder); }
  std::string calls() {
    const std::string text = std::filesystem::exists(folder / "log") ? read_file(folder / "log") : "";
    std::filesystem::remove(folder / "log");
    return text;
  }
  std::filesystem::path cache() const { return folder / "cache"; }
};

}  // namespace lift::test
