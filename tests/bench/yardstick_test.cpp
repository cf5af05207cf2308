// The hand-written half-sweeps compute what the pattern's reference does, with this machine's vectors and
// without any.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "bench/yardstick/colour_split.h"
#include "patterns/operators.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace yardstick_test {
namespace {

std::shared_ptr<NativeLibrary> yardstick(const std::vector<std::string>& more_flags) {
  const std::string folder = LIFTGEN_SOURCE_DIR "/bench/yardstick/";
  std::ostringstream code;
  for (const char* file : {"colour_split.h", "colour_split.c"}) code << std::ifstream(folder + file).rdbuf();
  NativeSource source{code.str(), default_flags()};
  source.flags.push_back("-I" + folder);
  source.flags.insert(source.flags.end(), more_flags.begin(), more_flags.end());
  const CompileResult compiled = NativeCompiler().compile(source);
  REQUIRE(compiled.error == "");
  return compiled.library;
}

double error(const NativeLibrary& library, const BoxData& data, int n, int boxes, int color, bool split) {
  yardstick_grid grid;
  const std::size_t elements =
      library.function<decltype(yardstick_make_grid)>("yardstick_make_grid")(&grid, n, boxes, split);
  std::vector<std::vector<double>> memory;
  double* arrays[YARDSTICK_ARRAYS];
  for (const char* name : {"phi", "rhs", "alpha", "beta_i", "beta_j", "beta_k", "lambda"}) {
    memory.emplace_back(elements + 128, 0.0);
    arrays[memory.size() - 1] = memory.back().data() + 64;
    library.function<decltype(yardstick_from_caller)>("yardstick_from_caller")(
        &grid, data.values(name).data(), memory.back().data() + 64);
  }
  library.function<decltype(yardstick_plain)>(split ? "yardstick_split" : "yardstick_plain")(
      &grid, arrays, data.values("a")[0], data.values("b_h2inv")[0], color);
  const OwnedArray got = data.result();
  library.function<decltype(yardstick_to_caller)>("yardstick_to_caller")(
      &grid, arrays[0], static_cast<double*>(got.view().data));
  return relative_error(got.view(), data.by_reference().view());
}

}  // namespace

TEST_CASE("hand-written half-sweeps agree with the reference") {
  const Pattern pattern = smooth3d();
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"-march=x86-64"}}) {
#ifndef __x86_64__
    if (!flags.empty()) continue;
#endif
    const auto library = yardstick(flags);
    CAPTURE(std::string(library->function<decltype(yardstick_vectors)>("yardstick_vectors")()));
    for (const int n : {1, 2, 5, 8, 13})
      for (const int color : {0, 1})
        for (const bool split : {false, true}) {
          CAPTURE(n);
          CAPTURE(color);
          CAPTURE(split);
          Problem p;
          p.box = n, p.boxes = 2;
          const BoxData data(pattern, p);
          assign(data.argument("color"), {static_cast<double>(color)});
          CHECK(error(*library, data, n, 2, color, split) <= tolerance(f64));
        }
  }
}

}  // namespace yardstick_test
