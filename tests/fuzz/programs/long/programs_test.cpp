// More random programs, on every backend that is here.
#include <doctest/doctest.h>

#include <sstream>

#include "tests/fuzz/programs/session.hpp"

namespace long_programs_test {

TEST_CASE("random programs: more of them") {
  std::ostringstream log;
  lift::fuzz::Options o;
  o.seed = 2, o.programs = 160, o.stand_alone_every = 100, o.cuda_every = 60, o.opencl_every = 60,
  o.log = &log;
  const lift::fuzz::Report r = lift::fuzz::run(o);
  CHECK_MESSAGE(r.finds.empty(), log.str());
  CHECK(r.programs >= 160);
}

}  // namespace long_programs_test
