#include "ir/target.hpp"

#include <array>
#include <cstddef>

namespace lift {
namespace {

// clang-format off: a table
constexpr std::array targets = std::to_array<Capabilities>({
    // name    language    file   host   grid  vectors thread's async  by groups read-only processors fixed
    {"openmp", "C", ".c", ".c", 0, true, true, false, false, false, true, false},
    {"opencl", "OpenCL C", ".cl", ".c", 3, true, false, true, true, false, true, false},
    {"cuda", "CUDA C++", ".cu", ".cu", 3, false, false, true, false, true, false, true},
});
// clang-format on

}  // namespace

const Capabilities& capabilities(Target t) { return targets.at(static_cast<std::size_t>(t)); }

}  // namespace lift
