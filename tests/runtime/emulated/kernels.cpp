// What the driver of fake_cuda.c computes kernels with: the emulation, in one order of threads, over the
// arrays as they lie in the driver's "device memory". A library of its own, opened by the driver.
#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "runtime/cuda_host/compiled.hpp"
#include "runtime/cuda_host/run.hpp"

namespace {

using namespace lift;

/// Compiled once in a process, kept for ever.
const cuda_host::Compiled& compiled(const std::string& source) {
  static NativeCompiler compiler;
  static std::map<std::string, cuda_host::Compiled> known;
  if (const auto at = known.find(source); at != known.end()) return at->second;
  const CompileResult made = compiler.compile(cuda_host::native_source(source));
  if (!made.library) throw std::runtime_error(made.error);
  return known.try_emplace(source, source, made.library).first->second;
}

/// Of a number; '?' is of a type that has no letter.
std::size_t bytes_of(char type) {
  return type == 'd' || type == 'l' || type == '?' ? 8 : type == 'u' ? 1 : 4;
}

}  // namespace

/// A launch of kernel `name`; arguments as cuLaunchKernel takes them; `bytes_at` says how long the array is
/// that begins at an address, 0 where none does.
/// 0, or 700 (an illegal address) for what the emulation finds wrong.
extern "C" int liftgen_run_kernel(const char* source, const char* name, const unsigned* grid,
                                  const unsigned* block, std::size_t local_bytes, void** arguments,
                                  std::size_t (*bytes_at)(const void*)) try {
  const cuda_host::Compiled& program = compiled(source);
  const cuda_host::CompiledKernel* kernel = program.find(name);
  if (kernel == nullptr) return 500;
  cuda_host::Run run;
  run.alignment = program.alignment();
  cuda_host::Launch launch{kernel->entry,
                           program.state(),
                           kernel->text.parameters,
                           program.reads_only(),
                           {grid[0], grid[1], grid[2]},
                           {block[0], block[1], block[2]},
                           {},
                           program.declared_shared_bytes() + local_bytes};
  std::map<void*, std::ptrdiff_t> known;
  for (std::size_t i = 0; kernel->entry->types[i] != 0; ++i) {
    const char type = kernel->entry->types[i];
    cuda_host::Argument a;
    const bool maybe = (type >= 'A' && type <= 'Z') || type == '?';
    void* array = maybe ? *static_cast<void**>(arguments[i]) : nullptr;
    if (const std::size_t bytes = maybe ? bytes_at(array) : 0; bytes > 0) {
      const auto [at, is_new] = known.try_emplace(array, std::ssize(run.arrays));
      if (is_new) run.arrays.emplace_back(static_cast<unsigned char*>(array), bytes);
      a.array = at->second;
    } else {
      const auto* value = static_cast<const unsigned char*>(arguments[i]);
      a.value.assign(value, value + bytes_of(type));
    }
    launch.arguments.push_back(std::move(a));
  }
  run.launches.push_back(std::move(launch));
  const std::vector<cuda_host::Schedule> one(1);
  cuda_host::run(run, one, 60);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "emulated kernel {}: {}\n", name, e.what());
  return 700;
}
