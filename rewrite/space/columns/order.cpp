// Whether the levels are the inner loop, or go around the points of a row.
#include "rewrite/space/columns/columns.hpp"

namespace lift {

std::vector<Loops> columns::orders(const ColumnFacts& f) {
  if (f.axes.size() > 1) return {"j i k"_loops, "j k i"_loops};
  return {"i k"_loops, "k i"_loops};
}

bool columns::is_by_columns(const Configuration& c) {
  const Loops& order = c[key::order];
  return order.names.empty() || order.names.back() == "k";
}

namespace columns {

const ColumnDecision& order() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::order)
          .offers(orders)
          .taken([](Deriver& deriver, const ColumnFacts&, const Configuration& c, const Place& loop) {
            if (!is_by_columns(c)) levels_outside(deriver, loop);
          })
          .said([](const ColumnFacts&, const Configuration& c) -> std::string {
            return is_by_columns(c) ? "" : "levels outside points";
          })
          .is_switch("loop order", "there is one order of the loops only"));
  return d;
}

}  // namespace columns
}  // namespace lift
