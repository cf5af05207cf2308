// How many iterations of the grid's outermost loop a work-item goes through: fewer items, each with more to
// do once its other indices are known.

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr KeyOf<std::int64_t> kDeal{{"deal", Domain::ordinal, {}, 1}};

/// The outermost loop of the grid, where every item is a work-item of its own and the loop has a dimension of
/// its own.
std::optional<std::size_t> outermost(const LoopNest& loops, const Configuration& c) {
  const Loops& grid = c[key::grid];
  if (grid.by != Loops::By::itself || grid.names.size() > 3) return std::nullopt;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (grid.has(loops[i].name())) return i;
  return std::nullopt;
}

/// Nothing else may run inside the loop that is dealt: copies of a base, further results, stages.
bool admits_deal(const NestFacts& f, const Configuration& c, const std::int64_t& share) {
  if (share == 1) return true;
  if ((f.update && !is_in_place(f, c)) || f.above_others > 0 || !is_fused(c)) return false;
  const LoopNest loops = loops_of(f, c);
  const auto i = outermost(loops, c);
  return i && loops[*i].trips.value_or(0) >= 2 * share && *loops[*i].trips % share == 0;
}

void take_deal(NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
  const std::int64_t share = c[kDeal];
  if (share == 1) return;
  const std::size_t i = *outermost(d, c);
  d.step("items", {*d[i].trips / share}, d.loop(i));
}

}  // namespace

namespace decisions {

const Decision& deal() {
  static const auto& d = *new Decision(
      decide(kDeal)
          .offers([](const NestFacts& f) {
            return f.on_processors() ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{1, 2, 4};
          })
          .admitted(admits_deal)
          .taken(take_deal)
          .said("dealt to fewer items"));
  return d;
}

}  // namespace decisions
}  // namespace lift
