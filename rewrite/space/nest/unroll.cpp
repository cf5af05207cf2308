// Elements a trip of a scalar inner loop.
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

bool admits_unroll(const NestFacts& f, const Configuration& c, const std::int64_t& n) {
  if (n == 1) return true;
  const Inner inner = c[key::inner];
  return (inner == Inner::seq || (inner == Inner::strided && f.on_grid())) && inner_is_loop(f, c) &&
         inner_trips(f, c, 1 << 30) >= n;
}

}  // namespace

namespace nest {

const NestDecision& unroll() {
  static const auto& d = *new NestDecision(
      decide<NestFacts>(key::unroll)
          .offers([](const NestFacts&) {
            return std::vector<std::int64_t>{1, 2, 4};
          })
          .admitted(admits_unroll)
          .taken([](NestDeriver& deriver, const NestFacts&, const Configuration& c, const Place& loop) {
            if (c[key::unroll] != 1) deriver.step("unroll", {c[key::unroll]}, loop);
          })
          .said("unrolled")
          .is_switch("unrolling", "no loop is left to a thread or work-item"));
  return d;
}

}  // namespace nest
}  // namespace lift
