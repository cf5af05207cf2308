// liftgen solve: what it prints, its exit status, and what it refuses.
#include "tests/cli/command.hpp"

namespace cli_test {

TEST_CASE("cli: solve prints residuals, a line a level and leg, and the error") {
  const ProcessResult r =
      liftgen({"solve", "poisson", "--size", "24,16", "--bc", "dirichlet:neumann,periodic", "--variable"});
  CAPTURE(r.output);
  CHECK(r.status == 0);
  for (const char* part : {"poisson on 24,16 cells", "Converged after", "residual (rms)", "24x16", "12x8",
                           "down", "bottom", "Fourier analysis", "largest error of u"})
    CHECK(r.output.find(part) != std::string::npos);
  // Not in one cycle: said, and the status.
  const ProcessResult early =
      liftgen({"solve", "helmholtz", "--size", "16,16", "--bc", "robin", "--cycles", "1"});
  CAPTURE(early.output);
  CHECK(early.status == 1);
  CHECK(early.output.find("Not converged after 1 cycle:") != std::string::npos);
}

TEST_CASE("cli: solve refuses what it cannot read") {
  check_refused({"solve", "stokes"}, 2, {"solve stokes", "poisson and helmholtz"});
  check_refused({"solve", "poisson", "--size", "16x16"}, 2, {"--size 16x16", "--size 96,200,256"});
  check_refused({"solve", "poisson", "--size", "8,8", "--bc", "dirichlet,open"}, 2, {"'open'", "LOW:HIGH"});
  check_refused({"solve", "poisson", "--size", "8,8", "--bc", "dirichlet,neumann,robin"}, 2,
                {"3 axes", "has 2"});
  check_refused({"solve", "poisson", "--size", "8,8", "--cycle", "Z"}, 2, {"--cycle Z", "V, W, F"});
  check_refused({"solve", "poisson", "--size", "8,8", "--weight", "3"}, 2, {"between 0 and 2"});
}

}  // namespace cli_test
