// What an iteration stores and loads again it has at hand: loads of the same element become the value.
#include <algorithm>
#include <set>

#include "ir/nat/nat.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Whether two positions differ whatever the indices are.
bool differ(const std::vector<Nat>& a, const std::vector<Nat>& b) {
  for (std::size_t d = 0; d < a.size(); ++d)
    if (Facts().refutes(equal(a[d], b[d]))) return true;
  return false;
}

bool loads(const Term& x, const Store& stored) {
  return x->kind == TermKind::Load && x->width == 1 && x->name == stored.array &&
         x->nats == stored.position && x->type == stored.value->type;
}

/// Up to which statement of a block the element that one stores is what it has stored.
std::size_t end_of(const Block& b, std::size_t store) {
  const auto& stored = std::get<Store>(b[store].v);
  for (std::size_t n = store + 1; n < b.size(); ++n) {
    if (!value_of(b[n])) return n;  // loops, barriers
    const auto* s = std::get_if<Store>(&b[n].v);
    if (s && s->array == stored.array && !differ(s->position, stored.position)) return n + 1;
  }
  return b.size();
}

class Forwarding {
 public:
  explicit Forwarding(const Block& all) : names_(names_in(all)) {}

  /// Statements outside of loops, and in those of the host's, may come to be in launches of their own.
  Block block(Block b, bool in_loop) {
    for (std::size_t n = 0; n < b.size(); ++n) {
      const auto* f = std::get_if<For>(&b[n].v);
      const bool loop = f && f->kind != LoopKind::Host;
      if (Block* body = body_of(b[n])) *body = block(std::move(*body), in_loop || loop);
      if (in_loop && std::holds_alternative<Store>(b[n].v)) n += store(b, n);
    }
    return b;
  }

 private:
  /// Whether a statement more stands before the store: its value has a name.
  bool store(Block& b, std::size_t at) {
    const Store stored = std::get<Store>(b[at].v);
    const std::size_t end = end_of(b, at);
    bool found = false;
    for (std::size_t n = at + 1; n < end; ++n)
      visit(*value_of(b[n]), [&](const Term& x) { found = found || loads(x, stored); });
    if (!found) return false;
    const Term made = local_term(name_of(stored.array), stored.value->type);
    for (std::size_t n = at + 1; n < end; ++n) {
      Term& value = *value_of(b[n]);
      value = rewrite(value, [&](const Term& x) { return loads(x, stored) ? made : x; });
    }
    std::get<Store>(b[at].v).value = made;
    b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), {Let{made, stored.value}});
    return true;
  }

  std::string name_of(const std::string& array) {
    std::string name = "new_" + array;
    for (int n = 2; !names_.insert(name).second; ++n) name = "new_" + array + std::to_string(n);
    return name;
  }
  std::set<std::string> names_;
};

}  // namespace

Block forward_stores(const Block& b) { return Forwarding(b).block(b, false); }

}  // namespace lift
