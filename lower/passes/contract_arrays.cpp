// Array contraction: of an intermediate array whose elements are made and used in one iteration of a shared
// loop, as between stages that share a loop over rows, a thread keeps what its iteration needs: a row that
// stays in a cache, or a value, instead of the whole array in memory.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/nat/nat.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

using Loops = std::vector<const For*>;

/// Where an array is accessed, and the loops around all of that, outermost first.
struct Uses {
  std::vector<std::vector<Nat>> positions;
  Loops around;
  bool simple = true;  ///< in no other statement that has statements than loops and guards
};

class Collector {
 public:
  explicit Collector(const std::set<std::string>& arrays) : arrays_(arrays) {}

  void block(const Block& b) {
    for (const Stmt& s : b) {
      visit_accesses(s, [&](const ElementAccess& a) { add(a.array, a.position); });
      const Block* body = body_of(s);
      if (!body) continue;
      const auto* f = std::get_if<For>(&s.v);
      const bool other = !f && !std::holds_alternative<If>(s.v);
      if (f) loops_.push_back(f);
      others_ += other;
      block(*body);
      others_ -= other;
      if (f) loops_.pop_back();
    }
  }
  std::map<std::string, Uses> found;

 private:
  void add(const std::string& array, const std::vector<Nat>& position) {
    if (arrays_.count(array) == 0) return;
    const auto [it, first] = found.try_emplace(array);
    Uses& u = it->second;
    u.simple = u.simple && others_ == 0;
    u.positions.push_back(position);
    if (first) u.around = loops_;
    const auto apart = std::mismatch(u.around.begin(), u.around.end(), loops_.begin(), loops_.end());
    u.around.erase(apart.first, u.around.end());
  }
  const std::set<std::string>& arrays_;
  Loops loops_;
  int others_ = 0;
};

/// What an iteration of a loop accesses along a dimension: `length` elements from each*i + first on, and no
/// other iteration does.
struct Window {
  const For* loop = nullptr;
  std::int64_t each = 0, first = 0, length = 1;
  Nat within(const Nat& index) const { return length == 1 ? Nat(0) : index - each * loop->var - first; }
};
using Windows = std::vector<std::optional<Window>>;  ///< a dimension

/// Whether all accesses have the same index, which no other iteration has.
std::optional<Window> one_element(const Uses& u, std::size_t d, const For& f, const Kernel& k) {
  const Nat& index = u.positions[0][d];
  if (!std::all_of(u.positions.begin(), u.positions.end(), [&](const auto& p) { return p[d] == index; }))
    return std::nullopt;
  const auto line = affine_in(index, f.var);
  if (!line || !line->coefficient.is_constant() || line->coefficient == Nat(0)) return std::nullopt;
  const std::vector<const NatAtom*> others = variables(line->rest);
  const bool fixed = std::all_of(others.begin(), others.end(), [&](const NatAtom* v) {
    return std::find(k.sizes.begin(), k.sizes.end(), v->name) != k.sizes.end();
  });
  return fixed ? std::optional(Window{&f, *line->coefficient.constant(), 0, 1}) : std::nullopt;
}

/// A tile's elements: what is added to each*i lies between the same numbers, less than `each` apart.
std::optional<Window> tile_of(const Uses& u, std::size_t d, const For& f) {
  Window w{&f, 0, 0, 0};
  std::optional<std::int64_t> first, last;
  for (const auto& p : u.positions) {
    const auto line = affine_in(p[d], f.var);
    const auto each = line ? line->coefficient.constant() : std::nullopt;
    if (!each || *each < 2 || (w.each != 0 && w.each != *each)) return std::nullopt;
    const Facts::Interval rest = Facts().bounds(line->rest);
    if (!rest.lower || !rest.upper) return std::nullopt;
    w.each = *each;
    first = std::min(first.value_or(*rest.lower), *rest.lower);
    last = std::max(last.value_or(*rest.upper), *rest.upper);
  }
  w.first = *first, w.length = *last - *first + 1;
  return w.length <= w.each ? std::optional(w) : std::nullopt;
}

/// Of each dimension along which iterations of one of the loops have elements of their own.
Windows windows_of(const Uses& u, const Loops& loops, const Kernel& k) {
  Windows of(u.positions.at(0).size());
  for (std::size_t d = 0; d < of.size(); ++d)
    for (const For* f : loops) {
      if (!of[d]) of[d] = one_element(u, d, *f, k);
      if (!of[d]) of[d] = tile_of(u, d, *f);
    }
  return of;
}

/// Whether s stores all that an iteration has of an array, whatever happens.
bool stores_all(const Stmt& s, const std::string& array, const std::vector<Nat>& shape, const Windows& of,
                Loops within = {}) {
  const auto* f = std::get_if<For>(&s.v);
  if (!f) {
    const auto* x = std::get_if<Store>(&s.v);
    if (!x || x->array != array) return false;
    for (std::size_t d = 0; d < shape.size(); ++d) {  // a loop goes over one dimension only
      if (of[d] && of[d]->length == 1) continue;
      const Nat index = of[d] ? of[d]->within(x->position[d]) : x->position[d];
      const Nat length = of[d] ? Nat(of[d]->length) : shape[d];
      const auto loop =
          std::find_if(within.begin(), within.end(), [&](const For* g) { return g->var == index; });
      if (loop == within.end() || !((*loop)->upper == length)) return false;
      within.erase(loop);
    }
    return true;
  }
  if (!(f->step == Nat(1)) || f->stride != 1 || !(f->lower == Nat(0))) return false;
  within.push_back(f);
  return std::any_of(f->body.begin(), f->body.end(),
                     [&](const Stmt& inner) { return stores_all(inner, array, shape, of, within); });
}

bool accesses(const Stmt& s, const std::string& array, bool stores_too) {
  bool found = false;
  visit({s}, [&](const Stmt& x) {
    visit_accesses(x, [&](const ElementAccess& a) { found |= a.array == array && (stores_too || !a.store); });
  });
  return found;
}

/// Whether an iteration of the innermost loop, which accesses an array, stores what it loads, before it does.
bool begins_with_all(const Block& body, const std::string& array, const std::vector<Nat>& shape,
                     const Windows& of) {
  const auto first =
      std::find_if(body.begin(), body.end(), [&](const Stmt& s) { return accesses(s, array, true); });
  return !accesses(*first, array, false) && stores_all(*first, array, shape, of);
}

/// An intermediate array: a work array, or one that the kernel allocates before all loops.
struct OwnArray {
  std::string name;
  Type type;
  LayoutRequest layout;
};
std::vector<OwnArray> own_arrays(const Kernel& k) {
  std::vector<OwnArray> all;
  for (const KernelArgument& a : k.arguments)
    if (a.work) all.push_back({a.name, a.type, a.layout.request()});
  for (const Stmt& s : k.body)
    if (const auto* a = std::get_if<Allocate>(&s.v); a && a->space != AddressSpace::Local)
      all.push_back({a->name, a->type, a->layout});
  return all;
}

/// What is kept of an array, by each iteration of `owner`.
struct Contracted {
  const For* owner;
  Windows windows;
  Type type;
};

std::optional<Contracted> contracted(const OwnArray& a, const Uses& u, const Kernel& k) {
  Loops loops = u.around;
  while (!loops.empty() && loops.back()->kind != LoopKind::Par) loops.pop_back();
  if (loops.empty() || !u.simple || !(a.layout == LayoutRequest{})) return {};
  const std::vector<Nat> shape = shape_of(a.type);
  const Windows of = windows_of(u, loops, k);
  bool flows = false;  // an iteration may find what another one stored
  for (const For* f : loops) {
    if (f->is_scheduled()) return {};
    if (f->kind != LoopKind::Par && f->kind != LoopKind::Seq) return {};
    if (std::any_of(of.begin(), of.end(), [&](const auto& w) { return w && w->loop == f; })) continue;
    if (f->kind == LoopKind::Par) return {};
    flows = true;
  }
  if (flows && !begins_with_all(loops.back()->body, a.name, shape, of)) return {};
  Contracted c{loops.back(), of, {}};
  std::vector<Nat> left;
  for (std::size_t d = 0; d < shape.size(); ++d) left.push_back(of[d] ? Nat(of[d]->length) : shape[d]);
  c.type = array(left, element_of(a.type));
  return c;
}

bool are_equal(const std::vector<std::vector<Nat>>& positions) {
  return std::all_of(positions.begin(), positions.end(), [&](const auto& p) { return p == positions[0]; });
}

/// Whether one thread, or one work-item, makes all accesses to an element.
bool in_one_iteration(const Uses& u) {
  return std::any_of(u.around.begin(), u.around.end(), [](const For* f) {
    return f->kind == LoopKind::Par || f->kind == LoopKind::Vec || f->kind == LoopKind::Glb;
  });
}

/// Arrays with one store, and no load but in later statements of the body that it stands in.
std::set<std::string> stored_before_use(const Block& b) {
  std::map<std::string, int> stores, loads, later;
  const auto of_body = [&](const Block& body) {
    std::set<std::string> stored;
    for (const Stmt& s : body) {
      visit({s}, [&](const Stmt& x) {
        visit_accesses(x,
                       [&](const ElementAccess& a) { later[a.array] += !a.store && stored.count(a.array); });
      });
      if (const auto* x = std::get_if<Store>(&s.v)) stored.insert(x->array);
    }
  };
  of_body(b);
  visit(b, [&](const Stmt& s) {
    if (const Block* body = body_of(s)) of_body(*body);
    visit_accesses(s, [&](const ElementAccess& a) { ++(a.store ? stores : loads)[a.array]; });
  });
  std::set<std::string> all;
  for (const auto& [array, n] : stores)
    if (n == 1 && loads[array] == later[array]) all.insert(array);
  return all;
}

/// Stores of these arrays name values, which loads use.
Block with_values(const Block& b, const std::set<std::string>& arrays) {
  if (arrays.empty()) return b;
  const Block loaded = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      return x->kind == TermKind::Load && arrays.count(x->name) ? local_term(x->name, x->type) : x;
    });
  });
  return rebuild(loaded, [&](Stmt s) -> Block {
    const auto* x = std::get_if<Store>(&s.v);
    if (!x || arrays.count(x->array) == 0) return {std::move(s)};
    return {{Let{local_term(x->array, x->value->type), x->value}}};
  });
}

/// Allocations at the beginning of their owners' iterations.
Block with_allocations(const Block& b, const std::map<const For*, Block>& allocations) {
  Block r = b;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Block* body = body_of(r[i]);
    if (!body) continue;
    *body = with_allocations(*body_of(b[i]), allocations);
    const auto* f = std::get_if<For>(&b[i].v);
    if (const auto own = allocations.find(f); f && own != allocations.end())
      body->insert(body->begin(), own->second.begin(), own->second.end());
  }
  return r;
}

std::vector<Nat> within(std::vector<Nat> position, const Windows& windows) {
  for (std::size_t d = 0; d < windows.size(); ++d)
    if (windows[d]) position[d] = windows[d]->within(position[d]);
  return position;
}

Block with_positions(const Block& b, const std::map<std::string, Contracted>& arrays) {
  const Block loaded = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      if (x->kind != TermKind::Load) return x;
      const auto a = arrays.find(x->name);
      return a == arrays.end() ? x
                               : load_term(x->name, within(x->nats, a->second.windows), x->type, x->width);
    });
  });
  return rebuild(loaded, [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v))
      if (const auto a = arrays.find(x->array); a != arrays.end())
        x->position = within(x->position, a->second.windows), x->stream = false;
    return {std::move(s)};
  });
}

}  // namespace

void contract_arrays(Kernel& k) {
  const std::vector<OwnArray> own = own_arrays(k);
  std::set<std::string> names, values;
  for (const OwnArray& a : own) names.insert(a.name);
  Collector uses(names);
  uses.block(k.body);
  const std::set<std::string> before_use = stored_before_use(k.body);
  std::map<std::string, Contracted> arrays;
  std::map<const For*, Block> allocations;
  for (const OwnArray& a : own) {
    const auto found = uses.found.find(a.name);
    if (found == uses.found.end()) continue;
    const Uses& u = found->second;
    if (before_use.count(a.name) && are_equal(u.positions) && in_one_iteration(u)) {
      values.insert(a.name);
    } else if (auto c = contracted(a, u, k)) {
      allocations[c->owner].push_back({Allocate{a.name, c->type, AddressSpace::Private}});
      arrays.emplace(a.name, std::move(*c));
    }
  }
  if (values.empty() && arrays.empty()) return;
  const auto gone = [&](const std::string& name) { return arrays.count(name) || values.count(name); };
  Block body = with_values(with_positions(with_allocations(k.body, allocations), arrays), values);
  std::erase_if(body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    return a && gone(a->name);
  });
  std::erase_if(k.arguments, [&](const KernelArgument& a) { return gone(a.name); });
  k.body = std::move(body);
}

}  // namespace lift
