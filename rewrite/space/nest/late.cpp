// Whether a vector is stored after the loads of the next. One store a vector can be late; those of a block
// stay where they are.
#include "rewrite/space/nest/decisions.hpp"

namespace lift {

namespace nest {

const NestDecision& late() {
  static const auto& d = *new NestDecision(
      decide<NestFacts>(key::late)
          .offers([](const NestFacts& f) {
            if (!f.on_processors()) return std::vector<bool>{};
            return f.block.empty() ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted(
              [](const NestFacts&, const Configuration& c, const bool& on) { return !on || is_vector(c); })
          .taken([](NestDeriver& deriver, const NestFacts&, const Configuration& c, const Place& loop) {
            if (c[key::late]) deriver.step("late-store", loop);
          })
          .said("late store"));
  return d;
}

}  // namespace nest
}  // namespace lift
