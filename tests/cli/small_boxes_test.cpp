// Kernels for grids of boxes so small that their values between launches would fit on a stack.
#include <doctest/doctest.h>

#include <filesystem>

#include "command.hpp"
#include "patterns/pattern.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using namespace cli_test;
using lift::test::Scratch;

namespace small_boxes_test {
namespace {

bool has(const ProcessResult& r, const std::string& part) { return r.output.find(part) != std::string::npos; }

const std::vector<std::string> kLeg{"--half-sweeps", "2", "--ghost", "3"};

}  // namespace

TEST_CASE("small boxes: every operator is spelled for grids, one box or two of 2 to 20 cells") {
  const Scratch scratch;
  int n = 0, emitted = 0;
  const auto emit = [&](const std::string& what, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"emit", what, "--no-db", "--out", "."});
    for (const std::string backend : {"cuda", "opencl"}) {
      arguments.insert(arguments.end(), {"--backend", backend});
      std::string shown;
      for (const std::string& a : arguments) shown += a + " ";
      CAPTURE(shown);
      const ProcessResult r = liftgen(arguments, scratch.path().string());
      CHECK_MESSAGE((r.status == 0 || (r.status == 2 && has(r, "--box "))),
                    r.output);  // an odd one, too thin
      CHECK_MESSAGE(!has(r, "no variant can be lowered"), r.output);
      emitted += r.status == 0;
      arguments.resize(arguments.size() - 2);
    }
  };
  for (const auto& pattern : all_patterns())
    for (const char* boxes : {"1", "2"}) {
      const std::string box = std::to_string(2 + 2 * (n++ * 7 % 10));
      emit(pattern->name, {"--box", box, "--boxes", boxes});
      if (pattern->name.ends_with("restriction3d") || pattern->name.ends_with("norm3d"))
        emit(pattern->name, {"--box", "8", "--boxes", boxes});
    }
  for (const auto& entry : std::filesystem::directory_iterator(LIFTGEN_SOURCE_DIR "/examples/gallery"))
    if (entry.path().extension() == ".lift")
      emit(entry.path().string(), {"--size", "n=" + std::to_string(9 + 2 * (n++ % 6))});
  CHECK(emitted > 2 * n - 20);
}

TEST_CASE("small boxes: legs of a cycle are right on grids") {
  const Scratch scratch;
  for (const char* what : {"residual_restriction3d", "residual_norm3d", "prolongation_correction2d"})
    for (const char* boxes : {"1", "2"}) {
      std::vector<std::string> arguments{"run",     what,    "--box", "8",         "--boxes", boxes,
                                         "--no-db", "--out", ".",     "--backend", "cuda",    "--emulate"};
      arguments.insert(arguments.end(), kLeg.begin(), kLeg.end());
      CAPTURE(what);
      const ProcessResult r = liftgen(arguments, scratch.path().string());
      CHECK_MESSAGE(r.status == 0, r.output);
      CHECK(has(r, "verified"));
    }
}

}  // namespace small_boxes_test
