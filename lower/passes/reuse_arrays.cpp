// A stage whose elements are each made of the same element of the stage before it, and of what it made
// itself, as sums along columns of sums along rows are, overwrites that stage: nothing reads the element
// afterwards. One array is loaded and stored where there were two.
#include <algorithm>
#include <map>
#include <optional>

#include "ir/nat/nat.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

using Loops = std::vector<const For*>;

struct StoreTo {
  const Store* store;
  Loops around;
};
/// How an array is used: its stores, and in which of the body's statements it is loaded and stored.
struct Use {
  std::vector<StoreTo> stores;
  std::size_t first = 0, last_store = 0, last = 0;
  bool any = false;
};

class Uses {
 public:
  explicit Uses(const Block& body) {
    for (at_ = 0; at_ < body.size(); ++at_) statement(body[at_]);
  }
  std::map<std::string, Use> found;
  bool plain = true;  ///< all loops are ordinary, or threads share them one after the other

 private:
  Use& used(const std::string& array) {
    Use& u = found[array];
    if (!u.any) u.any = true, u.first = at_;
    u.last = at_;
    return u;
  }
  void statement(const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) {
      Use& u = used(a.array);
      if (a.store) u.last_store = at_;
    });
    if (const auto* x = std::get_if<Store>(&s.v)) found[x->array].stores.push_back({x, loops_});
    const auto* f = std::get_if<For>(&s.v);
    const Block* body = body_of(s);
    if (f != nullptr) {
      plain = plain && !f->is_scheduled() && !f->rotate;
      loops_.push_back(f);
    } else if (body != nullptr && !std::holds_alternative<If>(s.v)) {
      plain = false;
    }
    if (body != nullptr)
      for (const Stmt& inner : *body) statement(inner);
    if (f != nullptr) loops_.pop_back();
  }

  std::size_t at_ = 0;
  Loops loops_;
};

/// Made of variables of these loops and of sizes alone.
bool is_of_loops(const Nat& index, const Loops& around, const Kernel& k) {
  const std::vector<const NatAtom*> all = variables(index);
  return !is_computed(index) && std::all_of(all.begin(), all.end(), [&](const NatAtom* v) {
    return std::find(k.sizes.begin(), k.sizes.end(), v->name) != k.sizes.end() ||
           std::any_of(around.begin(), around.end(),
                       [&](const For* f) { return variables(f->var).at(0) == v; });
  });
}

/// Whether no two iterations of the loops around have one position: along each dimension variables count as
/// the digits of a number do.
bool is_of_one_iteration(const std::vector<Nat>& position, const Loops& around, const Kernel& k) {
  std::vector<const For*> told;
  for (const Nat& index : position) {
    if (!is_of_loops(index, around, k)) return false;
    struct Digit {
      const For* loop;
      std::int64_t weight, most;  ///< most: the largest difference of two values
    };
    std::vector<Digit> digits;
    for (const For* f : around) {
      if (!mentions(index, f->var)) continue;
      const auto line = affine_in(index, f->var);
      const auto weight = line ? line->coefficient.constant() : std::nullopt;
      // In all runs of the loop: where it begins may differ.
      const auto first = Facts().bounds(f->lower).lower, end = Facts().bounds(f->upper).upper;
      if (!weight || *weight == 0 || !first || !end) return false;
      digits.push_back({f, std::abs(*weight), *end - *first - 1});
    }
    std::sort(digits.begin(), digits.end(),
              [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
    std::int64_t below = 0;
    for (const Digit& d : digits) {
      if (d.weight <= below) return false;
      below += d.weight * std::max<std::int64_t>(d.most, 0);
      told.push_back(d.loop);
    }
  }
  return std::all_of(around.begin(), around.end(), [&](const For* f) {
    return std::find(told.begin(), told.end(), f) != told.end() ||
           Facts().bounds(f->upper - f->lower).upper.value_or(2) <= 1;
  });
}

/// Whether two stores have no element in common, whatever iterations of their loops they are in.
bool are_apart(const Store& a, const Store& b) {
  for (std::size_t d = 0; d < a.position.size(); ++d) {
    const Facts::Interval x = Facts().bounds(a.position[d]), y = Facts().bounds(b.position[d]);
    if ((x.upper && y.lower && *x.upper < *y.lower) || (y.upper && x.lower && *y.upper < *x.lower))
      return true;
  }
  return false;
}

/// Each element is stored once.
bool is_stored_once(const Use& u, const Kernel& k) {
  for (std::size_t i = 0; i < u.stores.size(); ++i) {
    const Store& s = *u.stores[i].store;
    if (!is_of_one_iteration(s.position, u.stores[i].around, k)) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (!are_apart(s, *u.stores[j].store)) return false;
  }
  return true;
}

std::size_t count_loads(const Block& b, const std::string& array) {
  std::size_t n = 0;
  visit(b, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) { n += !a.store && a.array == array; });
  });
  return n;
}

/// Whether from its first statement on the stages of `next` load nothing of `array` but the element that they
/// store.
bool load_what_they_store(const Block& body, const Use& next, const std::string& array) {
  const Block rest(body.begin() + static_cast<std::ptrdiff_t>(next.first), body.end());
  std::size_t own = 0;
  for (const StoreTo& s : next.stores) {
    bool same = true;
    visit_accesses({*s.store}, [&](const ElementAccess& a) {
      if (a.store || a.array != array) return;
      ++own, same = same && a.position == s.store->position;
    });
    if (!same || s.store->stream || s.store->async) return false;
  }
  return own > 0 && own == count_loads(rest, array);
}

bool is_plain(const KernelArgument& a) {
  return a.work && a.type.is_array() && a.layout.request() == LayoutRequest{};
}

/// The first pair of arrays of which the second may lie in the first.
std::optional<std::pair<std::string, std::string>> pair_of(const Kernel& k) {
  Uses uses(k.body);
  if (!uses.plain) return std::nullopt;
  for (const KernelArgument& a : k.arguments)
    for (const KernelArgument& b : k.arguments) {
      if (&a == &b || !is_plain(a) || !is_plain(b) || !(a.type == b.type)) continue;
      const Use &before = uses.found[a.name], &next = uses.found[b.name];
      if (!before.any || !next.any || before.last_store >= next.first || before.last < next.first) continue;
      if (load_what_they_store(k.body, next, a.name) && is_stored_once(next, k))
        return std::pair(a.name, b.name);
    }
  return std::nullopt;
}

}  // namespace

void reuse_arrays(Kernel& k) {
  while (const auto pair = pair_of(k)) {
    const std::string &array = pair->first, &gone = pair->second;
    const Block loaded = map_terms(k.body, [&](const Term& t) {
      return rewrite(t, [&](const Term& x) {
        return x->kind == TermKind::Load && x->name == gone ? load_term(array, x->nats, x->type, x->width)
                                                            : x;
      });
    });
    k.body = rebuild(loaded, [&](Stmt s) -> Block {
      if (auto* x = std::get_if<Store>(&s.v); x != nullptr && x->array == gone) x->array = array;
      return {std::move(s)};
    });
    for (KernelArgument& a : k.arguments) {
      const auto lost = std::find_if(k.arguments.begin(), k.arguments.end(),
                                     [&](const KernelArgument& x) { return x.name == gone; });
      if (a.name == array) a.read |= lost->read, a.written |= lost->written;
    }
    std::erase_if(k.arguments, [&](const KernelArgument& a) { return a.name == gone; });
  }
}

}  // namespace lift
