#include "lower/loops/distinct_names.hpp"

#include <map>
#include <set>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

struct Renamed {
  std::map<std::string, std::string> values, arrays;
  bool empty() const { return values.empty() && arrays.empty(); }
};

/// What a Let of a value or a Declare declares; null for other statements.
Term* declared(Stmt& s) {
  auto* l = std::get_if<Let>(&s.v);
  auto* d = std::get_if<Declare>(&s.v);
  return l && l->local->kind == TermKind::Local ? &l->local : d ? &d->local : nullptr;
}

class Renaming {
 public:
  explicit Renaming(const Block& b) : taken_(names_in(b)) {}

  Block block(const Block& b, Renamed names) {
    std::set<std::string> here, arrays;
    Block r;
    for (Stmt s : b) {
      if (auto* i = std::get_if<If>(&s.v))
        for (Term& c : i->conditions) c = renamed(c, names);
      if (Term* t = value_of(s)) *t = renamed(*t, names);
      if (auto* a = std::get_if<Assign>(&s.v)) a->local = renamed(a->local, names);
      if (auto* x = std::get_if<Store>(&s.v)) x->array = found(names.arrays, x->array);
      if (auto* x = std::get_if<Prefetch>(&s.v)) x->array = found(names.arrays, x->array);
      if (auto* f = std::get_if<For>(&s.v)) f->body = block(f->body, names);
      if (auto* i = std::get_if<If>(&s.v)) i->body = block(i->body, names);
      if (Term* t = declared(s)) {
        const std::string name = (*t)->name;
        names.values.erase(name);
        if (!here.insert(name).second) names.values[name] = another(name);
        *t = renamed(*t, names);
      }
      if (auto* a = std::get_if<Allocate>(&s.v)) {
        names.arrays.erase(a->name);
        if (!arrays.insert(a->name).second) names.arrays[a->name] = another(a->name);
        a->name = found(names.arrays, a->name);
      }
      r.push_back(std::move(s));
    }
    return r;
  }

 private:
  static const std::string& found(const std::map<std::string, std::string>& names, const std::string& name) {
    const auto it = names.find(name);
    return it == names.end() ? name : it->second;
  }
  static Term renamed(const Term& t, const Renamed& names) {
    if (names.empty()) return t;
    return rewrite(t, [&](const Term& x) {
      const bool load = x->kind == TermKind::Load;
      if (!load && x->kind != TermKind::Local) return x;
      const std::string& name = found(load ? names.arrays : names.values, x->name);
      if (name == x->name) return x;
      return load ? load_term(name, x->nats, x->type, x->width) : local_term(name, x->type, x->width);
    });
  }
  std::string another(const std::string& name) {
    for (int i = 2;; ++i)
      if (std::string n = name + "_" + std::to_string(i); taken_.insert(n).second) return n;
  }
  std::set<std::string> taken_;
};

bool has_duplicates(const Block& b) {
  std::set<std::string> here, arrays;
  bool found = false;
  for (Stmt s : b) {
    if (const Term* t = declared(s)) found |= !here.insert((*t)->name).second;
    if (const auto* a = std::get_if<Allocate>(&s.v)) found |= !arrays.insert(a->name).second;
    if (const auto* f = std::get_if<For>(&s.v)) found |= has_duplicates(f->body);
    if (const auto* i = std::get_if<If>(&s.v)) found |= has_duplicates(i->body);
  }
  return found;
}

}  // namespace

std::set<std::string> passed_names(const Block& b) {
  std::set<std::string> names;
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) names.insert(a->name);
    visit_accesses(s, [&](const ElementAccess& a) { names.insert(a.array); });
  });
  visit_terms(b, [&](const Term& t) {
    if (t->kind == TermKind::Argument) names.insert(t->name);
  });
  return names;
}

std::set<std::string> names_in(const Block& b) {
  std::set<std::string> names = passed_names(b);
  visit(b, [&](const Stmt& s) {
    if (Stmt x = s; const Term* t = declared(x)) names.insert((*t)->name);
  });
  return names;
}

Block distinct_names(const Block& b) { return has_duplicates(b) ? Renaming(b).block(b, {}) : b; }

}  // namespace lift
