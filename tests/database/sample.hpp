// Records to store, and this test program as another process.
#pragma once

#include <unistd.h>

#include <string>

#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/database/database.hpp"

namespace lift::test {

/// Number `n` of many different programs.
inline Record sample(int n = 0, double ms = 2) {
  Record r;
  std::string digits = std::to_string(n);
  r.program = {std::string(32 - digits.size(), 'a') + digits, {64, 8}, {"n", "boxes"}};
  r.platform = {"openmp", "A Processor", "avx2", "gcc 12.2.0 -O3", "0123456789ab", 2};
  r.type = "f64", r.name = "smooth3d", r.text = "program smooth3d\n", r.variant = "in place";
  r.parameters = "parallel=k\nwidth=4\n", r.derivation = "map-nest at body\nmap-par at 0.1\n";
  r.ms = ms, r.speedup = 1.5, r.roofline = 1 / ms, r.when = 1764000000;
  return r;
}

/// Runs a test case of this program that is otherwise left out, with `variables` in its environment.
inline Process helper(const std::string& test_case, std::vector<std::string> variables) {
  char self[4096] = "";
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
  ProcessOptions options;
  options.timeout_seconds = 300, options.variables = std::move(variables);
  return {{std::string(self, static_cast<std::size_t>(length)), "--no-skip", "-m", "-tc=" + test_case},
          options};
}

inline std::string finished(Process& p) {
  while (!p.poll()) wait_for_any({&p}, 100);
  return p.output();
}

}  // namespace lift::test
