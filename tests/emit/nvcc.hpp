// Emitted CUDA through nvcc, and what ptxas says of it.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "lower/launches.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/emit/together.hpp"
#include "tests/runtime/scratch.hpp"
#include "tests/spelled.hpp"

namespace lift::test {

inline std::string nvcc() {
  for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (const std::string found = find_program(name); !found.empty()) return found;
  return "";
}

/// What ptxas says of a kernel.
struct Resources {
  int stack = -1, spill_stores = -1, spill_loads = -1, registers = -1;
};
inline std::map<std::string, Resources> resources(const std::string& output) {
  static const std::regex entry("Compiling entry function '(\\w+)'"),
      memory("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads"),
      used("Used (\\d+) registers");
  std::map<std::string, Resources> all;
  std::istringstream in(output);
  std::string line, kernel;
  std::smatch m;
  while (std::getline(in, line)) {
    if (std::regex_search(line, m, entry)) kernel = m[1];
    if (std::regex_search(line, m, memory))
      all[kernel].stack = std::stoi(m[1]), all[kernel].spill_stores = std::stoi(m[2]),
      all[kernel].spill_loads = std::stoi(m[3]);
    if (std::regex_search(line, m, used)) all[kernel].registers = std::stoi(m[1]);
  }
  return all;
}

/// Compiles all of them for `architecture`; nothing but what ptxas reports must be said.
inline std::map<std::string, Resources> compiled_by_nvcc(const std::vector<Kernel>& kernels,
                                                         const std::string& architecture) {
  const Scratch scratch;
  Together source;
  for (const Kernel& k : kernels) source.add(test::cuda_of(k));
  const auto file = scratch.path() / "kernels.cu";
  write_file_atomically(file, source.code());
  ProcessOptions options;
  options.timeout_seconds = 1000;
  const ProcessResult r =
      run_process({nvcc(), "-arch=" + architecture, "-cubin", "-Xptxas", "-v", "--Werror", "all-warnings",
                   "-o", (scratch.path() / "kernels.cubin").string(), file.string()},
                  options);
  INFO(architecture);
  REQUIRE_MESSAGE(r.status == 0, r.output.substr(0, 4000));
  CHECK_MESSAGE(r.output.find("warning") == std::string::npos, r.output.substr(0, 4000));
  return resources(r.output);
}

/// The first variants that a GPU would be given of an operator at 256^3 cells or so, as NAME_0, NAME_1, ...;
/// impossible ones are passed over.
inline std::vector<Kernel> first_variants(const Pattern& pattern, std::map<std::string, std::string> choices,
                                          Scalar type, std::size_t most, const std::string& name) {
  Problem p;
  p.box = 256, p.boxes = 1, p.type = type, p.choices = std::move(choices);
  SpaceOptions options;
  options.target = Target::cuda, options.only_layout = kCallersLayout;
  const Space space(pattern.build(p), options);
  std::vector<Kernel> kernels;
  for (const Configuration& c : space.seeds()) {
    if (kernels.size() == most) break;
    try {
      Kernel k = lower(replay(space.program(), space.derive(c)));
      k.name = name + "_" + std::to_string(kernels.size());
      (void)test::cuda_of(k);  // which may refuse it, too
      kernels.push_back(std::move(k));
    } catch (const UserError&) {
    }
  }
  return kernels;
}

/// No launch of the kernel needs memory of a thread's own: no spilled registers, no stack, so no array that
/// is indexed.
inline void check_in_registers(const Kernel& kernel, const std::map<std::string, Resources>& found) {
  for (const Kernel& launch : launches(kernel)) {
    INFO(launch.name);
    REQUIRE(found.contains(launch.name));
    CHECK(found.at(launch.name).stack == 0);
    CHECK(found.at(launch.name).spill_stores == 0);
    CHECK(found.at(launch.name).spill_loads == 0);
  }
}

}  // namespace lift::test
