// Emitted CUDA through nvcc, for each architecture: no warnings, and for the variants that are tried first no spills and no
// arrays in local memory.
#include <doctest/doctest.h>

#include <map>
#include <regex>

#include "emit/emit.hpp"
#include "grid_cases.hpp"
#include "lower/launches.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/emit/staged_cases.hpp"
#include "tests/emit/together.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using namespace lift::test;

namespace {

std::string nvcc() {
  for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (const std::string found = find_program(name); !found.empty()) return found;
  return "";
}

/// What ptxas says of a kernel.
struct Resources {
  int stack = -1, spill_stores = -1, spill_loads = -1, registers = -1;
};
std::map<std::string, Resources> resources(const std::string& output) {
  static const std::regex entry("Compiling entry function '(\\w+)'"), memory("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads"), used("Used (\\d+) registers");
  std::map<std::string, Resources> all;
  std::istringstream in(output);
  std::string line, kernel;
  std::smatch m;
  while (std::getline(in, line)) {
    if (std::regex_search(line, m, entry)) kernel = m[1];
    if (std::regex_search(line, m, memory)) all[kernel].stack = std::stoi(m[1]), all[kernel].spill_stores = std::stoi(m[2]), all[kernel].spill_loads = std::stoi(m[3]);
    if (std::regex_search(line, m, used)) all[kernel].registers = std::stoi(m[1]);
  }
  return all;
}

std::vector<std::string> names(const GridCase& c) {
  std::vector<std::string> all;
  for (const Kernel& k : launches(c.kernel)) all.push_back(k.name);
  return all;
}

/// Compiles all of them for `architecture`; nothing but what ptxas reports must be said.
std::map<std::string, Resources> compiled(const std::vector<GridCase>& cases, const std::string& architecture) {
  const Scratch scratch;
  Together source;
  for (const GridCase& c : cases) source.add(emit_cuda(c.kernel));
  const auto file = scratch.path() / "kernels.cu";
  write_file_atomically(file, source.code());
  ProcessOptions options;
  options.timeout_seconds = 600;
  const ProcessResult r = run_process({nvcc(), "-arch=" + architecture, "-cubin", "-Xptxas", "-v", "--Werror", "all-warnings", "-o", (scratch.path() / "kernels.cubin").string(), file.string()}, options);
  INFO(architecture);
  REQUIRE_MESSAGE(r.status == 0, r.output.substr(0, 4000));
  CHECK_MESSAGE(r.output.find("warning") == std::string::npos, r.output.substr(0, 4000));
  return resources(r.output);
}

}  // namespace

TEST_CASE("nvcc compiles kernels of every operator without a warning, and the first of them need no local memory") {
  if (nvcc().empty()) {
    MESSAGE("nvcc is not installed, not tested");
    return;
  }
  // The first seeds, at a size that is worth it.
  std::vector<GridCase> best, varied;
  bool single = false;
  for (const auto& pattern : all_patterns()) {
    single = !single;
    for (GridCase& c : grid_cases(*pattern, {Target::cuda, {{{256}, {256}, {256}}}, 1, {1, 2, 4}, 0}, single ? f32 : f64, pattern->name)) best.push_back(std::move(c));
    for (GridCase& c : grid_cases(*pattern, {Target::cuda, {{{96}, {48}, {48}}}, 2, {1, 2, 4}, 40}, single ? f64 : f32, pattern->name + "_varied")) varied.push_back(std::move(c));
  }
  for (GridCase& c : staged_cases(Target::cuda)) varied.push_back(std::move(c));
  for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
    const auto found = compiled(best, architecture);
    for (const GridCase& c : best)
      for (const std::string& name : names(c)) {
        INFO(architecture << ": " << test::describe(c) << "\n" << emit_cuda(c.kernel));
        REQUIRE(found.contains(name));
        CHECK(found.at(name).stack == 0);
        CHECK(found.at(name).spill_stores == 0);
        CHECK(found.at(name).spill_loads == 0);
      }
    compiled(varied, architecture);
  }
}
