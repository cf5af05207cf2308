// The thesis's prolongation as emitted C: short, and without division or modulo, like ours.
#include <doctest/doctest.h>

#include "emit/emit.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space.hpp"

using namespace lift;

namespace {

/// The kernel of 256^3 cells, a box a loop nest of scalar code, without comments.
std::string kernel(const std::string& form, int dim) {
  Problem p;
  p.box = 256, p.boxes = 1, p.choices = {{"form", form}};
  const Space space(prolongation(dim).build(p), {Target::openmp, 2, 64, 512 * 1024, true});
  for (const Configuration& c : space.seeds()) {
    if (c.at("inner") != "seq" || c.at("unroll") != "1") continue;
    std::string code = emit_openmp(lower(replay(space.program(), space.derive(c))));
    for (std::size_t at; (at = code.find("/*")) != std::string::npos;) code.erase(at, code.find("*/", at) + 2 - at);
    return code;
  }
  return "";
}

}  // namespace

TEST_CASE("both formulations of prolongation give short kernels without division") {
  for (int dim = 1; dim <= 3; ++dim)
    for (const char* form : {"blocks", "thesis"}) {
      const std::string code = kernel(form, dim);
      INFO(code);
      CHECK(code.size() > 200);
      CHECK(code.size() < 2500);
      for (const char* divided : {" / ", " % ", " & ", "index_div", "index_mod"}) CHECK(code.find(divided) == std::string::npos);
    }
}
