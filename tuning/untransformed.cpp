#include "tuning/untransformed.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "lower/passes/free_reserved_names.hpp"

namespace lift {
namespace {

/// Arrays that a block stores to, and variables that it assigns.
std::set<std::string> changed_in(const Block& b) {
  std::set<std::string> names;
  for (const Stmt& s : b) {
    if (const auto* x = std::get_if<Store>(&s.v)) names.insert(x->array);
    if (const auto* x = std::get_if<Assign>(&s.v)) names.insert(x->local->name);
    if (const Block* body = body_of(s)) names.merge(changed_in(*body));
  }
  return names;
}

bool reads_one_of(const Term& t, const std::set<std::string>& names) {
  bool found = false;
  visit(t, [&](const Term& x) {
    found |= (x->kind == TermKind::Load || x->kind == TermKind::Local) && names.count(x->name) > 0;
  });
  return found;
}

bool uses_local(const Stmt& s, const Term& local) {
  bool found = false;
  visit_terms({s}, [&](const Term& x) { found |= x == local; });
  return found;
}

/// Whether all uses of what `b[at]` names come before anything that it is computed from changes.
bool may_move(const Block& b, std::size_t at, const Let& let) {
  std::size_t last = at;
  for (std::size_t i = at + 1; i < b.size(); ++i)
    if (uses_local(b[i], let.local)) last = i;
  // What the last use itself stores is stored after its value is known, unless it is a loop or a block.
  Block between(b.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                b.begin() + static_cast<std::ptrdiff_t>(last) + (last > at ? 1 : 0));
  if (!between.empty() && std::holds_alternative<Store>(between.back().v)) between.pop_back();
  return !reads_one_of(let.value, changed_in(between));
}

Block with_values(const Block& given) {
  Block b = given;
  for (std::size_t i = 0; i < b.size();) {
    const auto* let = std::get_if<Let>(&b[i].v);
    if (let == nullptr || (let->local->kind != TermKind::Index && !may_move(b, i, *let))) {
      if (Block* body = body_of(b[i])) *body = with_values(*body);
      ++i;
      continue;
    }
    const Let named = *let;
    Block rest(b.begin() + static_cast<std::ptrdiff_t>(i) + 1, b.end());
    rest = named.local->kind == TermKind::Index
               ? substitute(rest, named.local->nats[0], named.value->nats.at(0))
               : map_terms(rest, [&](const Term& t) {
                   return rewrite(t, [&](const Term& x) { return x == named.local ? named.value : x; });
                 });
    b.resize(i);
    b.insert(b.end(), rest.begin(), rest.end());
  }
  return b;
}

/// Innermost loops of two iterations, such as those over a cell's children, written out: what is chosen by
/// their variables is decided then.
Block without_pairs(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    const auto* f = std::get_if<For>(&s.v);
    if (f == nullptr || has_loop(f->body)) return {std::move(s)};
    const auto count = (f->upper - f->lower).constant();
    if (!count || *count > 2) return {std::move(s)};
    Block all;
    for (std::int64_t i = 0; i < *count; ++i)
      for (Stmt& copy : substitute(f->body, f->var, f->lower + i)) all.push_back(std::move(copy));
    return all;
  });
}

/// Arrays that the whole kernel has to itself are arguments: how large they may be is not the stack's matter.
void move_arrays_out(Kernel& k) {
  std::erase_if(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (a == nullptr) return false;
    KernelArgument work{a->name, a->type, Layout(LayoutRequest{}, a->type), true, true, {}};
    work.work = true;
    k.arguments.push_back(std::move(work));
    return true;
  });
}

/// What a loop stores and loads.
struct Accesses {
  std::vector<const Store*> stores;
  std::set<std::string> written, read;
  std::vector<Nat> variables;  ///< of the loops within
};
void collect(const Block& b, Accesses& all) {
  for (const Stmt& s : b) {
    if (const auto* x = std::get_if<Store>(&s.v)) all.stores.push_back(x), all.written.insert(x->array);
    visit_accesses(s, [&](const ElementAccess& a) {
      if (!a.store) all.read.insert(a.array);
    });
    if (const auto* f = std::get_if<For>(&s.v)) all.variables.push_back(f->var);
    if (const Block* body = body_of(s)) collect(*body, all);
  }
}

/// The stride at which a store's element moves along a dimension with the loop alone, and from where; by
/// dimension, absent where others move it too.
std::optional<Affine> moved_by(const Store& s, std::size_t dimension, const Nat& variable,
                               const Accesses& all) {
  const auto a = affine_in(s.position[dimension], variable);
  if (!a || !a->coefficient.constant() || *a->coefficient.constant() == 0) return std::nullopt;
  for (const Nat& v : all.variables)
    if (mentions(a->rest, v)) return std::nullopt;
  return a;
}

/// Along some dimension each iteration writes a part of the array that is its own.
bool writes_apart(const std::vector<const Store*>& stores, const Nat& variable, const Accesses& all) {
  for (std::size_t d = 0; d < stores.front()->position.size(); ++d) {
    const auto first = moved_by(*stores.front(), d, variable, all);
    bool apart = first.has_value();
    for (const Store* s : stores) {
      const auto own = moved_by(*s, d, variable, all);
      const auto off = own && first ? (own->rest - first->rest).constant() : std::nullopt;
      apart = apart && off && own->coefficient == first->coefficient &&
              std::abs(*off) < std::abs(*first->coefficient.constant());
    }
    if (apart) return true;
  }
  return false;
}

bool is_independent(const For& f) {
  Accesses all;
  collect(f.body, all);
  std::map<std::string, std::vector<const Store*>> by_array;
  for (const Store* s : all.stores) {
    if (all.read.count(s->array) > 0) return false;
    by_array[s->array].push_back(s);
  }
  for (const auto& [array, stores] : by_array)
    if (!writes_apart(stores, f.var, all)) return false;
  return !holds(f.body, [](const Stmt& s) { return std::holds_alternative<Assign>(s.v); });
}

Block shared(Block b, bool parallel) {
  for (Stmt& s : b) {
    Block* body = body_of(s);
    if (body == nullptr) continue;
    auto* f = std::get_if<For>(&s.v);
    const bool independent = f != nullptr && is_independent(*f), here = independent && !parallel;
    if (here)
      f->kind = LoopKind::Par;
    else if (independent && !has_loop(f->body))
      f->kind = LoopKind::Vec;
    *body = shared(std::move(*body), parallel || here);
  }
  return b;
}

}  // namespace

Kernel shared_loops(Kernel loops) {
  loops.body = shared(std::move(loops.body), false);
  return loops;
}

Kernel untransformed_loops(const Program& program) {
  Kernel k = lower_undecided(program);
  k.body = without_pairs(with_values(k.body));
  move_arrays_out(k);
  free_reserved_names(k, Target::openmp);
  return k;
}

}  // namespace lift
