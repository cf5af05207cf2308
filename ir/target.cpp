#include "ir/target.hpp"

#include <array>
#include <cstddef>

namespace lift {
namespace {

constexpr std::array targets = std::to_array<Capabilities>({
    {.name = "openmp",
     .language = "C",
     .extension = ".c",
     .host_extension = ".c",
     .vector_arithmetic = true,
     .thread_local_arrays = true,
     .processors = true,
     .most_unrolled = 64},
    {.name = "opencl",
     .language = "OpenCL C",
     .extension = ".cl",
     .host_extension = ".c",
     .grid_dimensions = 3,
     .vector_arithmetic = true,
     .asynchronous_copies = true,
     .copies_by_groups = true,
     .processors = true},
    {.name = "cuda",
     .language = "CUDA C++",
     .extension = ".cu",
     .host_extension = ".cu",
     .grid_dimensions = 3,
     .asynchronous_copies = true,
     .read_only_loads = true,
     .fixed_group_size = true,
     .declared_local_bytes = std::size_t{48} * 1024,
     .unrolls_unasked = true,
     .emulated = true},
});

}  // namespace

const Capabilities& capabilities(Target t) { return targets.at(static_cast<std::size_t>(t)); }

std::optional<Target> target_named(const std::string& name) {
  for (std::size_t t = 0; t < targets.size(); ++t)
    if (targets[t].name == name) return static_cast<Target>(t);
  return std::nullopt;
}

std::string target_names() {
  std::string s = targets[0].name;
  for (std::size_t t = 1; t < targets.size(); ++t)
    s += (t + 1 < targets.size() ? ", " : " or ") + std::string(targets[t].name);
  return s;
}

}  // namespace lift
