// Emitted CUDA through NVRTC, which compiles it at run time: one kernel and more of each structure, without a
// warning, for the architectures of several generations. Needs the toolkit, no device.
#include <doctest/doctest.h>

#include <algorithm>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/nvrtc.hpp"
#include "tests/emit/together.hpp"
#include "tests/runtime/scratch.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace nvrtc_test {
namespace {

struct Source {
  std::string pattern;
  std::map<std::string, std::string> choices;
  std::vector<Configuration> configurations;  ///< the space must allow each
};

std::vector<Source> sources() {
  const Configuration tile{{"tile", "k4 j4 i16"}, {"local", "tile"}},
      planes{{"tile", "j8 i16"}, {"local", "planes"}}, columns{{"tile", "j8 i16"}, {"order", "j i k"}};
  const auto with = [](Configuration c, const std::string& name, const std::string& value) {
    c.set(name, value);
    return c;
  };
  std::vector<Configuration> staged{
      {},     {{"readonly", "yes"}},          {{"tile", "j8 i16"}, {"items", "j4"}}, tile,
      planes, with(columns, "kcache", "yes"), with(columns, "prefetch", "2")};
  for (const char* copy : {"vec", "async", "async vec"})
    for (const Configuration& c : {tile, planes}) staged.push_back(with(c, "copy", copy));
  return {{"smooth3d", {{"smoother", "jacobi"}}, staged},
          {"smooth3d", {{"smoother", "gsrb"}}, {{}, {{"in_place", "no"}}, columns}},
          {"restriction3d", {}, {{}}},
          {"prolongation3d", {}, {{}}},
          {"norm3d", {}, {{}, {{"group", "128"}}, {{"lanes", "4"}}}},
          {"thomas",
           {},
           {{{"order", "j i k"}},
            {{"order", "j i k"}, {"kcache", "yes"}},
            {{"order", "j i k"}, {"kcache", "yes"}, {"prefetch", "2"}}}}};
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (const Scalar type : {f64, f32})
    for (const Source& s : sources()) {
      Problem problem;
      problem.box = 64, problem.boxes = 1, problem.type = type, problem.choices = s.choices;
      SpaceOptions options;
      options.target = Target::cuda, options.only_layout = kCallersLayout;
      const Space space(find_pattern(s.pattern).build(problem), options);
      for (const Configuration& c : s.configurations) {
        kernels.push_back(lower(replay(space.program(), space.derive(c))));
        kernels.back().name = s.pattern + "_" + text(type) + "_" + std::to_string(kernels.size());
      }
    }
  return kernels;
}

}  // namespace

TEST_CASE("nvrtc: kernels of every structure compile without a warning") {
  cuda::CompilerInfo info;
  try {
    info = cuda::compiler_info();
  } catch (const EnvironmentError& error) {
    MESSAGE("no NVRTC here, not tested: " << std::string(error.what()));
    return;
  }
  const Scratch scratch;
  const BinaryCache cache(scratch.path());
  Together source;
  for (const Kernel& k : all_kernels()) source.add(test::cuda_of(k));
  for (const char* part :
       {"), (const double2 *)&", "), (const float2 *)&", "__ldg(", "__shared__", "prefetch(&"})
    CHECK_MESSAGE(source.code().find(part) != std::string::npos, std::string(part));
  for (const int architecture : {75, 80, 90}) {
    if (std::find(info.architectures.begin(), info.architectures.end(), architecture) ==
        info.architectures.end()) {
      MESSAGE("NVRTC " << info.version << " does not know sm_" << architecture << ", not tested");
      continue;
    }
    CAPTURE(architecture);
    const cuda::CompiledSource made = cuda::compile(source.code(), architecture, "--std=c++17", cache);
    CHECK_MESSAGE(made.binary.starts_with("\177ELF"), made.error);
    CHECK_MESSAGE(made.log.empty(), made.log.substr(0, 4000));
  }
}

}  // namespace nvrtc_test
