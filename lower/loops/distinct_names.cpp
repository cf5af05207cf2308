#include "lower/loops/distinct_names.hpp"

#include <map>
#include <set>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

using Renamed = std::map<std::string, std::string>;

/// What a Let of a value or a Declare declares; null for other statements.
Term* declared(Stmt& s) {
  auto* l = std::get_if<Let>(&s.v);
  auto* d = std::get_if<Declare>(&s.v);
  return l && l->local->kind == TermKind::Local ? &l->local : d ? &d->local : nullptr;
}

class Renaming {
 public:
  explicit Renaming(const Block& b) {
    visit(b, [&](const Stmt& s) {
      if (Stmt x = s; const Term* t = declared(x)) taken_.insert((*t)->name);
    });
  }

  Block block(const Block& b, Renamed names) {
    std::set<std::string> here;
    Block r;
    for (Stmt s : b) {
      if (auto* i = std::get_if<If>(&s.v))
        for (Term& c : i->conditions) c = renamed(c, names);
      if (Term* t = value_of(s)) *t = renamed(*t, names);
      if (auto* a = std::get_if<Assign>(&s.v)) a->local = renamed(a->local, names);
      if (auto* f = std::get_if<For>(&s.v)) f->body = block(f->body, names);
      if (auto* i = std::get_if<If>(&s.v)) i->body = block(i->body, names);
      if (Term* t = declared(s)) {
        const std::string name = (*t)->name;
        names.erase(name);
        if (!here.insert(name).second) names[name] = another(name);
        *t = renamed(*t, names);
      }
      r.push_back(std::move(s));
    }
    return r;
  }

 private:
  static Term renamed(const Term& t, const Renamed& names) {
    if (names.empty()) return t;
    return rewrite(t, [&](const Term& x) {
      const auto it = x->kind == TermKind::Local ? names.find(x->name) : names.end();
      return it == names.end() ? x : local_term(it->second, x->type, x->width);
    });
  }
  std::string another(const std::string& name) {
    for (int i = 2;; ++i)
      if (std::string n = name + "_" + std::to_string(i); taken_.insert(n).second) return n;
  }
  std::set<std::string> taken_;
};

bool has_duplicates(const Block& b) {
  std::set<std::string> here;
  bool found = false;
  for (Stmt s : b) {
    if (const Term* t = declared(s)) found |= !here.insert((*t)->name).second;
    if (const auto* f = std::get_if<For>(&s.v)) found |= has_duplicates(f->body);
    if (const auto* i = std::get_if<If>(&s.v)) found |= has_duplicates(i->body);
  }
  return found;
}

}  // namespace

Block distinct_names(const Block& b) { return has_duplicates(b) ? Renaming(b).block(b, {}) : b; }

}  // namespace lift
