// Where columns with a name live: in work arrays, or in arrays of the thread or work-item.
#include "ir/expr/ops.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

bool admits_keep(const NestFacts& f, const Configuration& c, const Keep& keep) {
  if (keep == Keep::work) return true;
  if (!f.on_processors()) return false;  // a work-item's own array is in global memory anyway
  const std::int64_t bytes = 8 * f.scans.named * (is_by_levels(c) ? 1 : points(f, c));
  const bool many = f.on_grid() && !is_solo(c);  // items of a group, which have one stack
  return bytes <= std::int64_t{many ? 16 : 512} * 1024;
}

void take_keep(NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
  if (c[key::keep] == Keep::work) return;
  const auto named = [](const Expr& e) {
    return e.is(Op::Let) && has_scan(e.child(0)) && !e.child(0).is(Op::ToPrivate);
  };
  for (Place p; find_place(d.part({}), named, p); p.clear()) d.step("to-private", let_value(p));
}

}  // namespace

namespace decisions {

const Decision& keep() {
  static const auto& d = *new Decision(
      decide(key::keep)
          .offers([](const NestFacts& f) {
            return f.scans.named > 0 ? std::vector{Keep::work, Keep::privately} : std::vector<Keep>{};
          })
          .admitted(admits_keep)
          .taken(take_keep)
          .said("columns of its own"));
  return d;
}

}  // namespace decisions
}  // namespace lift
