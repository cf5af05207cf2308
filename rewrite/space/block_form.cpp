#include "rewrite/space/block_form.hpp"

#include "rewrite/analysis/nest.hpp"

namespace lift {

Rewriting in_block_form(const Program& program) {
  const Rewriting as_it_is{program, {}};
  const Nest nest = main_nest(program.body);
  if (nest.levels.empty()) return as_it_is;
  const Place map = nest.levels.back().place;
  const auto blocks = seq({at({1}, use("drop-of-join")), use("map-of-join"), at({0}, use("map-fusion"))});
  const Result<Rewriting> r = blocks(as_it_is, map);
  return r ? *r : as_it_is;
}

}  // namespace lift
