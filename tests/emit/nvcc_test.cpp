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

}  // namespace nvcc_test
