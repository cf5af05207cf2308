// A sample of the operators as kernels that take their sizes at run time.
#include "symbolic_operators.hpp"

using namespace lift;
using namespace lift::test;

namespace symbolic_operators_test {

TEST_CASE("operators with sizes at run time give the reference's results") {
  std::vector<SymbolicCase> sample;
  const std::vector<SymbolicCase> all = operator_cases();
  for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 24) sample.push_back(all[i]);
  CHECK(sample.size() > 12);
  check_symbolic(sample);
}

}  // namespace symbolic_operators_test
