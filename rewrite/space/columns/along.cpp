// Decisions on the loop along columns, where the levels are the inner loop: whether the level before stays in
// registers, elements a trip, and how far ahead levels are asked for. Their steps are those of the scans
// (columns.cpp).
#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace columns {

const ColumnDecision& kcache() {
  static const auto& d =
      *new ColumnDecision(decide<ColumnFacts>(key::kcache)
                              .offers([](const ColumnFacts&) {
                                return std::vector<bool>{false, true};
                              })
                              .admitted([](const ColumnFacts&, const Configuration& c, const bool& on) {
                                return !on || is_by_columns(c);
                              })
                              .said("kept in registers")
                              .is_switch("values kept in registers (K-cache)",
                                         "no element is read again by a later iteration of a loop"));
  return d;
}

const ColumnDecision& unroll() {
  static const auto& d =
      *new ColumnDecision(decide<ColumnFacts>(key::unroll)
                              .offers([](const ColumnFacts&) {
                                return std::vector<std::int64_t>{1, 2, 4};
                              })
                              .admitted([](const ColumnFacts&, const Configuration& c,
                                           const std::int64_t& n) { return n == 1 || is_by_columns(c); })
                              .said("unrolled")
                              .is_switch("unrolling", "no loop is left to a thread or work-item"));
  return d;
}

/// Levels ahead, where they are the inner loop; else elements of a row.
const ColumnDecision& prefetch() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::prefetch)
          .offers([](const ColumnFacts&) { return std::vector<std::int64_t>{0, 1, 2, 4, 16, 64}; })
          .admitted([](const ColumnFacts& f, const Configuration& c, const std::int64_t& ahead) {
            if (ahead == 0) return true;
            return is_by_columns(c) ? ahead <= 4 : ahead >= 16 && points(f, c) > ahead;
          })
          .said("prefetch")
          .is_switch("prefetching", "there is no loop to look ahead in"));
  return d;
}

}  // namespace columns
}  // namespace lift
