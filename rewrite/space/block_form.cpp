#include "rewrite/space/block_form.hpp"

#include "rewrite/analysis/nest.hpp"

namespace lift {

Rewriting in_block_form(const Rewriting& start) {
  const Nest nest = main_nest(start.program.body);
  if (nest.levels.empty()) return start;
  const Place map = nest.levels.back().place;
  const auto blocks = seq({at({1}, use("drop-of-join")), use("map-of-join"), at({0}, use("map-fusion"))});
  const Result<Rewriting> r = blocks(start, map);
  return r ? *r : start;
}

}  // namespace lift
