// Whether the result overwrites the array that it replaces a block of.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {

bool is_in_place(const NestFacts& f, const Configuration& c) {
  return f.overwrites || (f.in_place && c[key::in_place]);
}

namespace decisions {

const Decision& in_place() {
  static const auto& d = *new Decision(
      decide(key::in_place)
          .offers([](const NestFacts& f) {
            if (f.inside == Inside::stages) return std::vector<bool>{f.in_place};
            return f.in_place ? std::vector<bool>{true, false} : std::vector<bool>{false};
          })
          .taken([](NestDeriver& deriver, const NestFacts& f, const Configuration& c, const Place& at) {
            if (!f.overwrites && is_in_place(f, c)) deriver.step("update-in-place", at);
          })
          .said([](const NestFacts& f, const Configuration& c) -> std::string {
            return is_in_place(f, c) ? "in place" : f.update ? "two buffers" : "";
          }));
  return d;
}

}  // namespace decisions
}  // namespace lift
