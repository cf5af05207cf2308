// Kernels over a grid on a device, a real one or the emulated one; oclgrind.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "runtime/grid_device.hpp"
#include "runtime/process.hpp"
#include "tests/spelled.hpp"
#include "tuning/grid_launches.hpp"

namespace lift::test {

/// For the emulation of CUDA: kernels of so few elements take much longer to compile than to run.
constexpr const char* kCompiledSoon = "-O0";

/// The number that an argument points to, as the kernel takes it.
inline GridArg number_argument(const KernelArgument& a, const void* value) {
  const auto as = [&]<class T>(T v) {
    std::memcpy(&v, value, sizeof v);
    return GridArg(v);
  };
  switch (a.type.scalar()) {
    case Scalar::f32:
      return as(float{});
    case Scalar::f64:
      return as(double{});
    default:
      return as(std::int32_t{});
  }
}

/// Runs a kernel's launches from a built program over host storage, one pointer an argument; arrays are
/// written to the device and read back.
inline void run_on(GridDevice& device, GridProgram& program, const Kernel& k, Target target,
                   std::span<void* const> storage) {
  std::vector<GridArg> args;
  for (std::size_t i = 0; i < k.arguments.size(); ++i) {
    const KernelArgument& a = k.arguments[i];
    if (!a.type.is_array()) {
      args.push_back(number_argument(a, storage[i]));
      continue;
    }
    const GridMemory memory = device.allocate(static_cast<std::size_t>(*a.layout.size().constant()) *
                                              size_of(element_of(a.type).scalar()));
    device.write(memory, storage[i], memory->bytes());
    args.emplace_back(memory);
  }
  const Kernel lowered = for_target(k, target);
  device.run(called(lowered, grid_launches(lowered, program), args));
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i].kind() == GridArg::Kind::Memory)
      device.read(args[i].memory(), storage[i], args[i].memory()->bytes());
}

/// The same from source.
inline void run_on(GridDevice& device, const Kernel& k, Target target, std::span<void* const> storage) {
  const std::string source = test::spelled(k, target);
  const GridBuild built = device.build(source);
  INFO(source);
  REQUIRE_MESSAGE(built.program, built.error);
  run_on(device, *built.program, k, target, storage);
}

/// The test cases `name` of the program `binary` (of the build directory), which are skipped otherwise, under
/// oclgrind: what it printed. They must pass.
inline std::string under_oclgrind(const std::vector<std::string>& options, const std::string& name,
                                  const std::string& binary = "test_emit", double timeout_seconds = 1000) {
  std::vector<std::string> command{find_program("oclgrind")};
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string& word : {LIFTGEN_BINARY_DIR "/" + binary, "-tc=" + name, std::string("--no-skip")})
    command.push_back(word);
  ProcessOptions process;
  process.timeout_seconds = timeout_seconds;
  const ProcessResult r = run_process(command, process);
  INFO(r.output.substr(0, 4000));
  REQUIRE(r.output.find("Status: SUCCESS") != std::string::npos);
  REQUIRE(r.output.find(" 1 passed |") != std::string::npos);  // a filter that selects nothing succeeds too
  return r.output;
}

inline bool has_oclgrind() {
  const bool found = !find_program("oclgrind").empty();
  if (!found) MESSAGE("oclgrind is not installed, not tested");
  return found;
}

}  // namespace lift::test
