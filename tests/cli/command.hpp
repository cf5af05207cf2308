// The command as tests call it.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/process.hpp"

namespace cli_test {

using lift::ProcessOptions;
using lift::ProcessResult;
using lift::run_process;

inline const std::string kLiftgen = LIFTGEN_BINARY_DIR "/liftgen";

inline ProcessResult liftgen(std::vector<std::string> arguments, const std::string& directory = "",
                             std::vector<std::string> variables = {}) {
  arguments.insert(arguments.begin(), kLiftgen);
  ProcessOptions options;
  options.timeout_seconds = 1000;
  options.directory = directory;
  variables.emplace_back("LIFTGEN_VERIFY=1");  // every step of a derivation, as in this process
  options.variables = std::move(variables);
  return run_process(arguments, options);
}

inline ProcessResult liftgen_shell(const std::string& script) {
  return run_process({"/bin/bash", "-c", script});
}

/// Fails with one line that starts with "liftgen: " and holds all the parts.
inline void check_refused(const std::vector<std::string>& arguments, int status,
                          const std::vector<std::string>& parts,
                          const std::vector<std::string>& variables = {}) {
  const ProcessResult result = liftgen(arguments, "", variables);
  std::string shown;
  for (const auto& a : arguments) shown += a + " ";
  CAPTURE(shown);
  CAPTURE(result.output);
  CHECK(result.status == status);
  CHECK(result.output.starts_with("liftgen: "));
  CHECK(result.output.find('\n') == result.output.size() - 1);
  for (const auto& part : parts) {
    CAPTURE(part);
    CHECK(result.output.find(part) != std::string::npos);
  }
}

}  // namespace cli_test
