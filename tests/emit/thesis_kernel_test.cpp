// The thesis's prolongation as emitted C, OpenCL and CUDA: short, and without division or modulo, like ours.
#include <doctest/doctest.h>

#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "tests/spelled.hpp"

using namespace lift;

namespace thesis_kernel_test {
namespace {

/// The kernel of 256^3 cells without comments and all before its body: on processors a box a loop nest of
/// scalar code, on a grid what a GPU is given first of what computes one coarse cell an item.
std::string body(const std::string& form, int dim, Target target) {
  Problem p;
  p.box = 256, p.boxes = 1, p.choices = {{"form", form}};
  const Space space(prolongation(dim).build(p), {target, 2, 64, kCallersLayout});
  for (const Configuration& c : space.seeds()) {
    const auto is = [&](const char* name, const std::string& value) {
      return !c.contains(name) || c.at(name) == value;
    };
    if (!is_grid(target) && (!is("inner", "seq") || !is("unroll", "1"))) continue;
    if (is_grid(target) && !is("kcache", "no")) continue;  // those go along columns
    std::string code = test::spelled(lower(replay(space.program(), space.derive(c))), target);
    for (std::size_t at; (at = code.find("/*")) != std::string::npos;)
      code.erase(at, code.find("*/", at) + 2 - at);
    return code.substr(code.find(") {\n", code.find("prolongation")));
  }
  return "";
}

}  // namespace

TEST_CASE("both formulations of prolongation give short kernels without division") {
  for (const Target target : {Target::openmp, Target::opencl, Target::cuda})
    for (int dim = 1; dim <= 3; ++dim)
      for (const char* form : {"blocks", "thesis"}) {
        const std::string code = body(form, dim, target);
        INFO(code);
        CHECK(code.size() > 150);
        CHECK(code.size() < (target == Target::cuda ? 2650 : 2500));  // halves of a pair have longer names
        for (const char* divided : {" / ", " % ", " & ", "index_div", "index_mod", ">>"})
          CHECK(code.find(divided) == std::string::npos);
        // One store an element of the block, one load an element of the coarse grid that any of them needs.
        const auto count = [&](const std::string& text) {
          int n = 0;
          for (auto at = code.find(text); at != std::string::npos; at = code.find(text, at + 1)) ++n;
          return n;
        };
        if (is_grid(target)) CHECK(count("fine[") == 1 << dim);
        if (is_grid(target)) CHECK(count("coarse[") == (dim == 1 ? 3 : dim == 2 ? 9 : 27));
      }
}

}  // namespace thesis_kernel_test
