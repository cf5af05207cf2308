// Emitted C against the plain reference, at odd sizes, for seeds and random configurations of the space.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"
#include "small_problem.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace differential_test {
namespace {

struct Case {
  Problem problem;
  Configuration configuration;
  Kernel kernel;
};

std::vector<Problem> problems() {
  return {small(7, 2, "gsrb"),
          small(5, 3, "gsrb", "ghost", f32, 2),
          small(9, 2, "jacobi"),
          small(6, 2, "gsrb", "periodic"),
          small(7, 1, "gsrb", "dirichlet"),
          small(11, 2, "gsrb", "neumann", f32),
          small(7, 2, "jacobi", "periodic", f32)};
}

std::vector<Case> cases(int& impossible) {
  std::vector<Case> all;
  std::uint64_t seed = 1;
  for (const Problem& p : problems()) {
    const Space space(smooth3d().build(p), {Target::openmp, 2, 32});
    for (const Configuration& c : configurations(space, 6, seed++)) {
      try {
        Case x{p, c, lower(replay(space.program(), space.derive(c)))};
        all.push_back(std::move(x));
      } catch (const UserError&) {
        ++impossible;
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("the plain reference is what the interpreter says the expression means") {
  for (const Problem& p : problems()) {
    if (p.box > 7) continue;
    CAPTURE(p.boundary);
    for (const int color : {0, 1})
      CHECK(SmallProblem(smooth3d(), p, color).interpreter_error() < (p.type == f32 ? 1e-5 : 1e-12));
  }
}

TEST_CASE("emitted kernels give the reference's result: whole arrays, both colours, every kind of decision") {
  configure_openmp(2);
  int impossible = 0;
  const std::vector<Case> all = cases(impossible);
  std::vector<NativeSource> sources;
  for (const Case& c : all)
    sources.push_back({test::openmp_of(c.kernel) + emit_trampoline(c.kernel, c.kernel.name),
                       {"-std=gnu11", "-O1", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror"},
                       "",
                       "c"});
  NativeCompiler compiler;
  const auto compiled = compiler.compile_all(sources);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(test::str(all[i].configuration)
         << "at box " << all[i].problem.box << ", " << all[i].problem.boundary << "\n"
         << sources[i].code);
    REQUIRE_MESSAGE(compiled[i].library, compiled[i].error);
    for (const int color : {0, 1}) {
      const SmallProblem data(smooth3d(), all[i].problem, color);
      auto storage = data.storage(all[i].kernel);
      compiled[i].library->function<void(void**)>("liftgen_call")(storage.pointers.data());
      CHECK(data.error(all[i].kernel, storage) < (all[i].problem.type == f32 ? 1e-5 : 1e-12));
    }
  }
  CHECK(all.size() > 80);
  CHECK(impossible < 10);
}

}  // namespace differential_test
