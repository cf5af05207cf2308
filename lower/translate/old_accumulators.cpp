#include "lower/translate/old_accumulators.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

struct Access {
  std::string array;
  std::vector<Nat> position;
  bool store;
  std::vector<const For*> loops;  ///< around it
};

/// In the order in which one iteration of all loops does them.
void collect(const Block& b, std::vector<const For*>& loops, std::vector<Access>& to) {
  for (const Stmt& s : b) {
    visit_accesses(s, [&](const ElementAccess& a) { to.push_back({a.array, a.position, a.store, loops}); });
    const auto* f = std::get_if<For>(&s.v);
    if (f) loops.push_back(f);
    if (const Block* body = body_of(s)) collect(*body, loops, to);
    if (f) loops.pop_back();
  }
}

/// So many loops are around both.
std::size_t shared_loops(const Access& a, const Access& b) {
  std::size_t n = 0;
  while (n < a.loops.size() && n < b.loops.size() && a.loops[n] == b.loops[n]) ++n;
  return n;
}

bool is_of_loops(const Nat& index, const std::vector<const For*>& loops, std::size_t from, std::size_t to) {
  return std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(from),
                     loops.begin() + static_cast<std::ptrdiff_t>(to),
                     [&](const For* f) { return mentions(index, f->var); });
}

/// Whether both are other elements, in the same iteration of the first `same` loops, and different ones of
/// the next if they share it.
bool are_apart(const Access& a, const Access& b, std::size_t same) {
  const std::size_t shared = shared_loops(a, b);
  std::vector<Nat> elsewhere = a.position;
  for (std::size_t l = same; l < shared; ++l) {
    const For& f = *a.loops[l];
    const Nat other = Nat::fresh(f.var.str(), f.lower, f.upper - 1);
    for (Nat& n : elsewhere) n = substitute(n, f.var, other);
  }
  for (std::size_t d = 0; d < b.position.size(); ++d)
    if (Facts().proves(less(elsewhere[d], b.position[d])) ||
        Facts().proves(less(b.position[d], elsewhere[d])))
      return true;
  if (same == shared) return false;
  const Nat& v = a.loops[same]->var;
  for (std::size_t d = 0; d < b.position.size(); ++d) {
    const Nat& n = a.position[d];
    const auto line = affine_in(n, v);
    if (n == b.position[d] && line && line->coefficient.constant().value_or(0) != 0 &&
        !is_of_loops(n, a.loops, same + 1, a.loops.size()))
      return true;
  }
  // Each iteration that stores has an element to itself.
  return a.position == b.position &&
         std::all_of(a.loops.begin() + static_cast<std::ptrdiff_t>(same),
                     a.loops.begin() + static_cast<std::ptrdiff_t>(shared), [&](const For* f) {
                       return Facts().proves(less_equal(f->upper - f->lower, 1)) ||
                              std::any_of(a.position.begin(), a.position.end(),
                                          [&](const Nat& n) { return mentions(n, f->var); });
                     });
}

/// `earlier`: in one iteration of the loops around both, the store is done before the load.
bool may_overwrite(const Access& store, const Access& load, bool earlier) {
  const std::size_t shared = shared_loops(store, load);
  for (std::size_t l = 0; l < shared; ++l) {
    const For& f = *store.loops[l];
    if (!Facts().proves(less_equal(f.upper - f.lower, 1)) && !are_apart(store, load, l)) return true;
  }
  return earlier && !are_apart(store, load, shared);
}

}  // namespace

OldAccumulators::Element OldAccumulators::element(const std::string& array,
                                                  const std::vector<Nat>& position) {
  Element e{array, {}};
  for (const Nat& n : position) e.second.push_back(n.id());
  return e;
}

View OldAccumulators::noted(const View& v, const Type& t) const {
  if (t.is_scalar()) {
    asked_->insert(element(v.term()->name, v.term()->nats));
    return v;
  }
  if (t.is_tuple()) {
    std::vector<View> parts;
    for (std::size_t i = 0; i < t.parts().size(); ++i) parts.push_back(noted(v.parts()[i], t.parts()[i]));
    return {std::move(parts)};
  }
  return {ArrayView{t.length(), [*this, v, t](const Nat& i) { return noted(v[i], t.element()); }}};
}

void OldAccumulators::check(const Block& b) const {
  std::vector<Access> all;
  std::vector<const For*> loops;
  collect(b, loops, all);
  for (std::size_t l = 0; l < all.size(); ++l) {
    if (all[l].store || asked_->count(element(all[l].array, all[l].position)) == 0) continue;
    for (std::size_t s = 0; s < all.size(); ++s)
      if (all[s].store && all[s].array == all[l].array && may_overwrite(all[s], all[l], s < l))
        throw UserError(
            "reduce: an element of its array of accumulators depends on other elements; reduce over scalars "
            "or tuples, or zip the accumulators with the elements");
  }
}

}  // namespace lift
