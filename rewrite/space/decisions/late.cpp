// Whether a vector is stored after the loads of the next, which of arrays in place overlap it. One store a
// vector can be late; those of a block stay where they are.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift::decisions {

const Decision& late() {
  static const auto& d = *new Decision(
      decide(key::late)
          .offers([](const NestFacts& f) {
            if (!f.on_processors()) return std::vector<bool>{};
            const bool stages = f.inside == Inside::stages && (!f.in_place || f.lanes == 1);
            return f.block.empty() && !stages ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted(
              [](const NestFacts&, const Configuration& c, const bool& on) { return !on || is_vector(c); })
          .taken_by("late-store")
          .said("late store"));
  return d;
}

}  // namespace lift::decisions
