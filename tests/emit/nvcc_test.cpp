// Emitted CUDA through nvcc: the first variants of what a multigrid cycle spends its time in need no memory
// of a thread's own. All operators, types and architectures are in long/nvcc_test.cpp.
#include "tests/emit/nvcc.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace nvcc_test {

TEST_CASE("nvcc: the first variants of a cycle's operators neither spill nor have a stack frame") {
  if (nvcc().empty()) {
    MESSAGE("nvcc is not installed, not tested");
    return;
  }
  std::vector<Kernel> all;
  const auto add = [&](const char* name, std::map<std::string, std::string> choices, Scalar type,
                       const std::string& as) {
    for (Kernel& k : first_variants(find_pattern(name), std::move(choices), type, 2, as))
      all.push_back(std::move(k));
  };
  add("smooth3d", {{"smoother", "gsrb"}}, f64, "gsrb"),
      add("smooth3d", {{"smoother", "jacobi"}}, f32, "jacobi");
  for (const char* name : {"residual3d", "restriction3d", "prolongation3d", "thomas", "norm3d"})
    add(name, {}, f64, name);
  const auto found = compiled_by_nvcc(all, "sm_80");
  CHECK(all.size() >= 12);
  for (const Kernel& k : all) {
    INFO(test::cuda_of(k));
    check_in_registers(k, found);
  }
}

TEST_CASE("nvcc: half-sweeps in step keep their sums in registers") {
  if (nvcc().empty()) return;
  std::vector<Kernel> all;
  for (const Scalar type : {f64, f32})
    for (const int sweeps : {2, 4}) {
      Problem p;
      p.box = 64, p.boxes = 4, p.type = type, p.sweeps = sweeps, p.ghost = sweeps;
      SpaceOptions options;
      options.target = Target::cuda;
      const Space space(find_pattern("smooth3d").build(p), options);
      const std::vector<Configuration> seeds = space.seeds();
      for (std::size_t n = 0; n < 2; ++n) {
        CHECK(space.structure(seeds.at(n)).find("in step along k") != std::string::npos);
        all.push_back(lower(replay(space.program(), space.derive(seeds.at(n)))));
        all.back().name =
            "smooth_" + std::string(text(type)) + "_" + std::to_string(sweeps) + "_" + std::to_string(n);
      }
    }
  for (const char* architecture : {"sm_80", "sm_90"}) {
    const auto found = compiled_by_nvcc(all, architecture);
    for (const Kernel& k : all) {
      INFO(architecture);
      INFO(test::cuda_of(k));
      check_in_registers(k, found);
    }
  }
}

TEST_CASE("nvcc: tiles that take all the local memory of a multiprocessor keep their sums in registers") {
  if (nvcc().empty()) return;
  for (const auto& [architecture, kilobytes] : {std::pair("sm_80", 163), std::pair("sm_90", 227)}) {
    std::vector<Kernel> all;
    for (const auto& [smoother, coefficients, sweeps] :
         {std::tuple{"jacobi", "constant", 4}, std::tuple{"gsrb", "variable", 2},
          std::tuple{"gsrb", "variable", 4}}) {
      Problem p;
      p.box = 64, p.boxes = 512, p.sweeps = sweeps, p.ghost = sweeps;
      p.choices = {{"smoother", smoother}, {"coefficients", coefficients}};
      SpaceOptions options;
      options.target = Target::cuda, options.local_bytes = static_cast<std::size_t>(kilobytes) * 1024;
      const Space space(find_pattern("smooth3d").build(p), options);
      all.push_back(lower(replay(space.program(), space.derive(space.seeds().at(0)))));
      all.back().name = std::string(smoother) + "_" + std::to_string(sweeps);
    }
    CHECK(launches_in(for_target(all.back(), Target::cuda)).at(0).range.local_bytes > 100 * 1024);
    const auto found = compiled_by_nvcc(all, architecture);
    for (const Kernel& k : all) {
      INFO(architecture << test::cuda_of(k));
      check_in_registers(k, found);
    }
  }
}

}  // namespace nvcc_test
