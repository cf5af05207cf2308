// Rules of the verifier about what may stand inside what.
#include <algorithm>
#include <array>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify_check.hpp"

namespace lift::verifier {

unsigned dimensions(const Expr& map) {
  if (!is_map_on_grid(map.op())) return 0;
  return ((1U << static_cast<unsigned>(op_rank(map))) - 1U)
         << static_cast<unsigned>(loop_option(map, LoopOption::Dimension));
}

namespace {

constexpr std::int64_t kLargestBlock = 16;  ///< elements of a block inside map_vec
constexpr unsigned kAllDimensions = 7;

bool scalars(const Type& t) {
  return t.is_scalar() || (t.is_tuple() && std::all_of(t.parts().begin(), t.parts().end(), scalars));
}
/// A loop that is unrolled to its end.
bool whole_unroll(const Expr& e) {
  return is_of_rank(e, Op::MapUnroll, 1) &&
         shape_of(e.type(), 1)[0] == Nat(loop_option(e, LoopOption::Width));
}
/// The elements are small blocks, computed by loops that are unrolled to their ends.
bool unrolled_block(const Expr& e) {
  Nat elements = 1;
  Type t = element_of(e.type(), op_rank(e));
  for (; t.is_array(); t = t.element()) elements = elements * t.length();
  return contains(e.child(0), whole_unroll) && scalars(t) &&
         elements.constant().value_or(kLargestBlock + 1) <= kLargestBlock;
}

void map_vec(const Check& c, const Expr& e, const Around& a) {
  if (a.vec && is_scan(e.op())) c.broken("inside map_vec there is", e);
  if (a.vec && is_map(e.op()) && is_low_level(e.op()) && !e.is(Op::MapPar) && !whole_unroll(e))
    c.broken("inside map_vec there is", e);
  if (e.is(Op::MapVec) && !scalars(element_of(e.type(), op_rank(e))) && !unrolled_block(e))
    c.broken("not innermost:", e);
}
/// Width 1 is no vector at all.
void vector_width(const Check& c, const Expr& e, const Around&) {
  if (const std::int64_t lanes = loop_option(e, LoopOption::Width);
      e.is(Op::MapVec) && lanes != 1 && !is_vector_width(lanes))
    c.broken("no number of lanes:", e);
}
void map_par(const Check& c, const Expr& e, const Around& a) {
  if (e.is(Op::MapPar) && a.vec) c.broken("inside map_vec there is", e);
}
void map_glb(const Check& c, const Expr& e, const Around& a) {
  if (!e.is(Op::MapGlb)) return;
  if (a.wrg != 0 || a.lcl != 0) c.broken("inside a work-group there is", e);
  if ((a.glb & dimensions(e)) != 0) c.broken("inside map_glb of the same dimension there is", e);
}
void map_wrg(const Check& c, const Expr& e, const Around& a) {
  if (!e.is(Op::MapWrg)) return;
  if (a.glb != 0 || a.lcl != 0) c.broken("inside a work-item there is", e);
  if ((a.wrg & dimensions(e)) != 0) c.broken("inside map_wrg of the same dimension there is", e);
}
void map_lcl(const Check& c, const Expr& e, const Around& a) {
  if (!e.is(Op::MapLcl)) return;
  if (a.wrg == 0)
    c.broken("no map_wrg or band<overlapped> around", e);  // groups are one along other dimensions
  if ((a.lcl & dimensions(e)) != 0) c.broken("inside map_lcl of the same dimension there is", e);
}
/// Between steps, a map around that has no decision yet may become the work-group's.
void need_group(const Check& c, const Expr& e, const Around& a) {
  const bool may_come = a.undecided && !c.after.empty();
  if (a.wrg == 0 && !may_come) c.broken("no work-group around", e);
}
void to_local(const Check& c, const Expr& e, const Around& a) {
  if (e.is(Op::ToLocal)) need_group(c, e, a);
}
void circular_buffer(const Check& c, const Expr& e, const Around& a) {
  if (e.is(Op::CircularBuffer)) need_group(c, e, a);
}

constexpr std::array of_nesting = std::to_array<OfNesting>({
    {{"map_par", "not inside map_vec"}, map_par},
    {{"map_vec",
      "innermost: a scalar function without low-level maps, or a small block by maps unrolled over all of "
      "it"},
     map_vec},
    {{"vector_width", "a vector has 2, 4, 8, 16, 32 or 64 lanes"}, vector_width},
    {{"map_glb", "not inside map_wrg or map_lcl, nor inside map_glb of the same dimension"}, map_glb},
    {{"map_wrg", "not inside map_glb or map_lcl, nor inside map_wrg of the same dimension"}, map_wrg},
    {{"map_lcl", "inside map_wrg or band<overlapped>, not inside map_lcl of the same dimension"}, map_lcl},
    {{"to_local", "inside map_wrg: local memory belongs to a work-group"}, to_local},
    {{"circular_buffer", "inside map_wrg: local memory belongs to a work-group"}, circular_buffer},
});

/// The surroundings of a map's function, of a chain in tiles.
Around inside(const Expr& map, Around a) {
  a.vec = a.vec || map.is(Op::MapVec), a.undecided = a.undecided || map.is(Op::Map);
  if (map.is(Op::MapGlb)) a.glb |= dimensions(map);
  if (map.is(Op::MapWrg)) a.wrg |= dimensions(map);
  if (map.is(Op::MapLcl)) a.lcl |= dimensions(map);
  if (map.is(Op::Band)) a.wrg |= kAllDimensions;  // of work-groups, where there are work-items in it
  return a;
}

/// Whether the rules are about what stands in the first child of e, or another one.
bool is_around(const Expr& e, bool first) {
  return first && (is_map(e.op()) || is_band(e, Band::overlapped));
}

class Nesting {
 public:
  explicit Nesting(Check& c) : c_(c) {}
  void go(const Expr& e, const Around& around) {
    if (!visited_.emplace(e.id(), around.key()).second) return;
    for (const OfNesting& r : of_nesting) c_.rule = r, r.check(c_, e, around);
    for (std::size_t i = 0; i < e.children().size(); ++i)
      go(e.child(i), is_around(e, i == 0) ? inside(e, around) : around);
  }

 private:
  Check& c_;
  std::set<std::pair<std::uint32_t, unsigned>> visited_;
};

}  // namespace

std::span<const OfNesting> rules_of_nesting() { return of_nesting; }
void check_nesting(Check& c, const Expr& part, const Around& around) { Nesting(c).go(part, around); }

Around surroundings(std::span<const Expr> around, const Expr& part) {
  Around a;
  for (std::size_t i = 0; i < around.size(); ++i)
    if (is_around(around[i], around[i].child(0) == (i + 1 < around.size() ? around[i + 1] : part)))
      a = inside(around[i], a);
  return a;
}

}  // namespace lift::verifier
