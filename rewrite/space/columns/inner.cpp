// Whether loops over the points of a level are over vectors.
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace {

/// Loops that are left: rows of points, and what is made of columns.
void take_inner(Deriver& d, const ColumnFacts& f, const Configuration& c, const Place&) {
  const auto undecided = [&]() -> std::optional<Place> {
    for (const Place& p : loop_places(d.program().body))
      if (d.part(p).is(Op::Map)) return p;
    return std::nullopt;
  };
  while (const auto p = undecided()) {
    const Expr map = d.part(*p);
    if (op_rank(map) > 1) {
      d.step("map-nest", *p);
      continue;
    }
    constexpr std::int64_t few = 4;  // what a few columns have computed last stays in registers
    const std::int64_t extent = shape_of(map.type(), 1)[0].constant().value_or(1 << 20);
    if (!columns::is_by_columns(c) && !is_vector(c) && extent > 1 && extent <= few) {
      d.step("map-unroll", {extent}, *p);
      continue;
    }
    const bool vectors = is_vector(c) && extent >= f.lanes;
    if (!vectors || columns::is_by_columns(c) || !d.try_step("map-vec", {c[key::width]}, *p))
      d.step("map-seq", *p);
    if (c[key::prefetch] != 0) d.step("prefetch", {c[key::prefetch]}, *p);
  }
}

}  // namespace

namespace columns {

const ColumnDecision& inner() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::inner)
          .offers([](const ColumnFacts& f) {
            return f.lanes > 1 ? std::vector{Inner::seq, Inner::vec} : std::vector{Inner::seq};
          })
          .admitted([](const ColumnFacts& f, const Configuration& c, const Inner& inner) {
            return inner == Inner::seq || (!is_by_columns(c) && points(f, c) >= f.lanes);
          })
          .taken(take_inner)
          .said([](const ColumnFacts&, const Configuration& c) -> std::string {
            return is_vector(c) ? "vec" : "seq";
          }));
  return d;
}

}  // namespace columns
}  // namespace lift
