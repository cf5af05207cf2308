// Emitted OpenCL C on a device, and under oclgrind, which sees races and accesses out of bounds.
#include <doctest/doctest.h>

#include <set>

#include "grid_run.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "small_problem.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace opencl_test {
namespace {

struct Case {
  Problem problem;
  Configuration configuration;
  Kernel kernel;
};

/// One kernel of each structure of the space, and some random ones.
std::vector<Case> cases(const std::vector<Problem>& problems, int random) {
  std::vector<Case> all;
  for (const Problem& p : problems) {
    const Space space(smooth3d().build(p), {Target::opencl, 2, 32});
    std::set<std::string> structures;
    for (const Configuration& c : configurations(space, random, 3)) {
      if (!structures.insert(space.structure(c)).second) continue;
      try {
        all.push_back({p, c, lower(replay(space.program(), space.derive(c)))});
      } catch (const UserError&) {  // impossible as asked
      }
    }
  }
  return all;
}

/// Runs a kernel's source on fresh data and compares the result.
double error_on(opencl::Device& device, const Case& c, const std::string& source, int color,
                const std::string& options = "") {
  const SmallProblem data(smooth3d(), c.problem, color);
  auto storage = data.storage(c.kernel);
  const GridBuild built = device.build(source, options);
  REQUIRE_MESSAGE(built.program, built.error);
  run_on(device, *built.program, c.kernel, Target::opencl, storage.pointers);
  return data.error(c.kernel, storage);
}

bool available() {
  const std::string why = opencl::why_unavailable();
  if (!why.empty()) MESSAGE("no OpenCL device, not tested: " << why);
  return why.empty();
}

/// This program's test case `name` under oclgrind: what it printed.
std::string under_oclgrind(const std::string& option, const std::string& name) {
  ProcessOptions options;
  options.timeout_seconds = 1000;
  const ProcessResult r = run_process(
      {find_program("oclgrind"), option, LIFTGEN_BINARY_DIR "/test_emit", "-tc=" + name, "--no-skip"},
      options);
  INFO(r.output.substr(0, 4000));
  REQUIRE(r.output.find("Status: SUCCESS") != std::string::npos);
  REQUIRE(r.output.find(" 1 passed |") != std::string::npos);  // a filter that selects nothing succeeds too
  return r.output;
}

std::vector<Case> tiny() { return cases({small(5, 2, "gsrb"), small(4, 1, "jacobi", "ghost", f32)}, 0); }

}  // namespace

TEST_CASE("OpenCL kernels give the reference's result") {
  if (!available()) return;
  opencl::configure_pocl(2);
  opencl::Device device;
  const std::vector<Case> all =
      cases({small(7, 2, "gsrb"), small(5, 3, "gsrb", "ghost", f32, 2), small(9, 2, "jacobi"),
             small(6, 1, "gsrb", "periodic"), small(7, 1, "gsrb", "dirichlet")},
            6);
  CHECK(all.size() > 30);
  for (const Case& c : all) {
    const std::string source = test::opencl_of(c.kernel);
    for (const int color : {0, 1}) {
      INFO(test::str(c.configuration) << "at box " << c.problem.box << ", " << c.problem.boundary << "\n"
                                      << source);
      CHECK(error_on(device, c, source, color) < (c.problem.type == f32 ? 1e-5 : 1e-12));
    }
  }
}

bool masked(const std::string& source) { return source.find("select(") != std::string::npos; }

TEST_CASE("oclgrind runs one kernel of each structure" * doctest::skip()) {
  opencl::Device device;
  for (const Case& c : tiny()) CHECK(error_on(device, c, test::opencl_of(c.kernel), 1) < 1e-5);
}

/// Not optimised: its check of what is not initialised does not know LLVM's freeze.
TEST_CASE("oclgrind runs one kernel of each structure as it is written" * doctest::skip()) {
  opencl::Device device;
  for (const Case& c : tiny())
    CHECK(error_on(device, c, test::opencl_of(c.kernel), 1, "-cl-opt-disable") < 1e-5);
}

// A masked vector store writes back the old value of elements that neighbours may be reading: the value does
// not change (tests/lower/run_loops.hpp checks that no element which changes is touched by two iterations),
// but oclgrind cannot know.
TEST_CASE("oclgrind runs one kernel of each structure without masks" * doctest::skip()) {
  opencl::Device device;
  for (const Case& c : tiny())
    if (const std::string source = test::opencl_of(c.kernel); !masked(source))
      CHECK(error_on(device, c, source, 1) < 1e-5);
}

TEST_CASE("oclgrind runs a kernel one element too long" * doctest::skip()) {
  opencl::Device device;
  for (const Case& c : tiny()) {
    std::string source = test::opencl_of(c.kernel);
    const std::size_t at = source.find("i < 5;");
    if (at == std::string::npos) continue;
    source.replace(at, 6, "i < 700;");
    error_on(device, c, source, 1);
    return;
  }
  FAIL("no kernel with that loop");
}

TEST_CASE("oclgrind sees no race and no access out of bounds, and would see one") {
  if (find_program("oclgrind").empty()) {
    MESSAGE("oclgrind is not installed, not tested");
    return;
  }
  const std::string sound =
      under_oclgrind("--uninitialized", "oclgrind runs one kernel of each structure as it is written");
  CHECK(sound.find("Invalid") == std::string::npos);
  CHECK(sound.find("Uninitialized") == std::string::npos);
  const std::string raceless =
      under_oclgrind("--data-races", "oclgrind runs one kernel of each structure without masks");
  CHECK(raceless.find("race") == std::string::npos);
  CHECK(under_oclgrind("--data-races", "oclgrind runs one kernel of each structure").find("data race") !=
        std::string::npos);  // the masks: it looks
  CHECK(under_oclgrind("--check-api", "oclgrind runs a kernel one element too long").find("Invalid") !=
        std::string::npos);
}

}  // namespace opencl_test
