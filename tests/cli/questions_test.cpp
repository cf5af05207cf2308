// docs/questions.md: the program for rows with gaps, run and emitted as it stands there.
#include <doctest/doctest.h>

#include "tests/cli/command.hpp"
#include "tests/cli/page.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using namespace cli_test;

TEST_CASE("questions: rows with gaps") {
  const Scratch scratch;
  const std::string program = block_with("docs/questions.md", "size ld");
  REQUIRE(!program.empty());
  write_file_atomically(scratch.path() / "pitched.lift", program);
  const ProcessResult run =
      liftgen({"run", "pitched.lift", "--size", "n=40", "--size", "m=37", "--size", "ld=48"}, scratch.path());
  CHECK_MESSAGE(run.status == 0, run.output);
  const ProcessResult emitted = liftgen({"emit", "pitched.lift", "--symbolic", "--out", "."}, scratch.path());
  CHECK_MESSAGE(emitted.status == 0, emitted.output);
  CHECK(read_file(scratch.path() / "pitched.h")
            .find("void pitched(long n, long m, long ld, const double *u, double *v);") != std::string::npos);
  const ProcessResult called = run_process(
      {"/bin/bash", "-c",
       "cd '" + scratch.path().string() +
           "' && gcc -O1 -fopenmp pitched.c pitched_main.c -lm -o p && ./p 40 37 48 && ! ./p 40 50 48"});
  CHECK_MESSAGE(called.status == 0, called.output);
}
