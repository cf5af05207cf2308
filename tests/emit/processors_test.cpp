// Emitted C compiles for other processors than this one, too.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "rewrite/engine/derivation.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"
#include "tests/spelled.hpp"

namespace lift::processors_test {

TEST_CASE("emitted C: bytes that are loaded where a condition holds, on x86-64 of several generations") {
  const Program p = parse_program(
      "program bytes\nparam a, b : 2.8.u8\n"
      "result = zip2(a, b) |> map2(\\(x, y). f32(select(i32(x) < 2, i32(y), 1)))\n",
      "bytes.lift");
  const Kernel k = lower(replay(p, parse_derivation("map-nest at body\nmap-vec 8 at 0.0")));
  const std::string source = test::openmp_of(k);
  REQUIRE(source.find("_mm256_cvtepu8_epi32") != std::string::npos);
  const test::Scratch folder;
  const std::string file = (folder.path() / "bytes.c").string();
  write_file_atomically(file, source);
  for (const char* processor : {"x86-64", "haswell", "znver3", "skylake-avx512", "icelake-server"})
    for (const char* level : {"-O1", "-O3"}) {
      CAPTURE(processor);
      const ProcessResult r =
          run_process({"gcc", "-std=gnu11", level, std::string("-march=") + processor, "-fopenmp", "-Wall",
                       "-Wextra", "-Werror", "-c", file, "-o", (folder.path() / "bytes.o").string()});
      if (r.output.find("bad value") != std::string::npos) continue;  // not a compiler for x86-64
      CHECK_MESSAGE(r.status == 0, r.output);
    }
}

}  // namespace lift::processors_test
