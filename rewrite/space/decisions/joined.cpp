// Whether stages that follow one another row by row share one loop over rows.
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {

/// Lowering sees which of the loops can be one; here, that there are two of one length, or reductions, whose
/// parts may be of any.
bool have_joined_stages(const Program& program) {
  const std::vector<Place> parts = parts_of(program.body);
  if (parts.size() < 2) return false;
  std::vector<Nat> lengths;
  for (const Place& p : parts) {
    if (contains(part_at(program.body, p), [](const Expr& e) { return is_reduce(e.op()); })) return true;
    const Nest nest = main_nest(program.body, p);
    if (nest.levels.empty()) continue;
    const Nat& length = nest.levels[0].extents[0];
    if (!lengths.empty() && lengths.back() == length) return true;
    lengths.push_back(length);
  }
  return false;
}

namespace decisions {

const Decision& joined() {
  static const auto& d = *new Decision(
      decide(key::joined)
          .offers([](const NestFacts& f) {
            return f.joins_stages && !f.on_grid()
                       ? std::vector<Joined>{Joined::elements, Joined::rows, Joined::no}
                       : std::vector<Joined>{};
          })
          .of_stored_stages_too()
          .admitted([](const NestFacts& f, const Configuration& c, const Joined& joined) {
            return joined == Joined::no || (f.joins_stages && c[key::time].empty() && c[key::phases].empty());
          })
          .taken([](Deriver& d, const NestFacts&, const Configuration& c, const Place&) {
            if (c[key::joined] != Joined::no)
              d.try_step("join-loops", {static_cast<std::int64_t>(c[key::joined])}, {});
          })
          .said([](const NestFacts&, const Configuration& c) -> std::string {
            return c[key::joined] == Joined::no     ? ""
                   : c[key::joined] == Joined::rows ? "stages joined by rows"
                                                    : "stages joined";
          }));
  return d;
}

}  // namespace decisions
}  // namespace lift
