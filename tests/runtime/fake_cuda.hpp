// The CUDA driver and compiler of fake_cuda.c, as a shared library made when it is first asked for.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "runtime/file.hpp"
#include "runtime/native.hpp"

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

/// Sets a variable of the environment for the length of a scope.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() { ::unsetenv(name_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
};

}  // namespace lift::test
