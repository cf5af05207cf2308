// The compilers of the system: which one, which version, for which processor.
#pragma once

#include <string>
#include <vector>

namespace lift {

struct Toolchain {
  std::vector<std::string> command;  ///< program (absolute path) and leading arguments
  std::string version;               ///< what it says to --version; empty when interrupted before it could
  std::string name;                  ///< e.g. "gcc 12.2.0"
  std::string missing =
      {};  ///< why it cannot be run; what it compiled before can be looked for. "" when it can
};

/// The command for `compiler` (a program, perhaps with arguments), or, when empty, for the system's compiler
/// of `language` ("c" or "c++"): $CC, else cc, gcc or clang on PATH; $CXX, c++, g++, clang++.
/// EnvironmentError when there is none, naming what was looked for.
std::vector<std::string> find_compiler(const std::string& compiler, const std::string& language);

/// Runs `command --version`. EnvironmentError when that fails.
Toolchain ask_version(std::vector<std::string> command);

/// What distinguishes this processor from others, for -march=native: the kernel's description of the first
/// one, less what varies with time.
std::string processor_model();

/// The first lines of a compiler's diagnostics: at most 12 and 3000 bytes.
std::string first_lines(const std::string& text);

}  // namespace lift
