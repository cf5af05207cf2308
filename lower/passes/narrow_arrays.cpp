#include "lower/passes/narrow_arrays.hpp"

#include <set>
#include <string>

#include "ir/expr/layout.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

Block narrow_arrays(const Block& b, const ValueRanges& ranges) {
  constexpr std::int64_t kShort = 1024;
  std::set<std::string> narrow, whole;
  visit(b, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a) return;
    const auto n = Layout({}, a->type).size().constant();
    const auto r = ranges.of_array(a->name);
    const bool bytes = a->space == AddressSpace::Private && element_of(a->type) == Type(i32) && n &&
                       *n <= kShort && r && r->within(range_of(u8));
    (bytes ? narrow : whole).insert(a->name);
  });
  for (const std::string& name : whole) narrow.erase(name);
  if (narrow.empty()) return b;
  const Block r = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      return x->kind == TermKind::Load && narrow.count(x->name) > 0
                 ? apply_term(Op::Cast, i32, {load_term(x->name, x->nats, u8)})
                 : x;
    });
  });
  return rebuild(r, [&](Stmt s) -> Block {
    if (auto* a = std::get_if<Allocate>(&s.v); a && narrow.count(a->name) > 0)
      a->type = array(shape_of(a->type), u8);
    if (auto* x = std::get_if<Store>(&s.v); x && narrow.count(x->array) > 0)
      x->value = apply_term(Op::Cast, u8, {x->value});
    return {std::move(s)};
  });
}

}  // namespace lift
