// First guesses that leave most of a GPU without work.
#include "tuning/filling.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;

namespace filling_test {
namespace {

/// The first guesses with the most and the fewest work-items.
std::pair<Kernel, Kernel> extremes() {
  Problem p;
  p.box = 64, p.boxes = 4;
  SpaceOptions options;
  options.target = Target::cuda, options.only_layout = kCallersLayout;
  const Space space(find_pattern("residual3d").build(p), options);
  std::vector<Kernel> all;
  for (const Configuration& c : space.seeds()) try {
      all.push_back(lower(replay(space.program(), space.derive(c)), {.target = Target::cuda}));
    } catch (const UserError&) {  // impossible as asked
    }
  const auto [few, many] = std::minmax_element(
      all.begin(), all.end(), [](const Kernel& a, const Kernel& b) { return work_items(a) < work_items(b); });
  return {*many, *few};
}

}  // namespace

TEST_CASE("filling: kernels with few work-items are left out where others have many") {
  const auto [many, few] = extremes();
  CHECK(work_items(many) >= 4 * 64 * 64 * 64);
  CHECK(work_items(few) <= 64 * 64);
  Filling large(132);
  CHECK(large.will_do(few));  // nothing else is known
  CHECK(large.will_do(many));
  CHECK_FALSE(large.will_do(few));
  Filling small(1);
  CHECK(small.will_do(many));
  CHECK(small.will_do(few) == (4 * work_items(few) >= 2048));
  Filling unknown(0);
  CHECK(unknown.will_do(many));
  CHECK(unknown.will_do(few));
}

}  // namespace filling_test
