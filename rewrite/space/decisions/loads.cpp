// Where sweeps in step on a grid find the arrays that they read: in global memory, each sweep by itself, or
// in rings in local memory, which stages of their own fill a plane a step, asynchronously where the target
// can: then a group asks for each element once, a step before it is needed.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift::decisions {

const Decision& loads() {
  static const auto& d = *new Decision(
      decide(key::loads)
          .offers([](const NestFacts& f) {
            if (f.in_groups.empty()) return std::vector<std::int64_t>{};
            std::vector<std::int64_t> r{0};
            for (const NestFacts::InGroups& g : f.in_groups)
              if (r.back() != g.readers) r.push_back(g.readers);
            return r;
          })
          .of_stored_stages_too()
          .admitted([](const NestFacts& f, const Configuration& c, const std::int64_t& readers) {
            return goes_in_groups(f, c) ? !group_tiles(f, readers).empty() : readers == 0;
          })
          .said([](const NestFacts& f, const Configuration& c) -> std::string {
            if (c[key::loads] == 0) return "";
            return std::string(c[key::loads] == 1 ? "arrays" : "arrays that several read") +
                   (f.target().copies_by_groups ? " loaded" : " loaded ahead");
          }));
  return d;
}

}  // namespace lift::decisions
