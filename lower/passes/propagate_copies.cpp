#include <map>
#include <set>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

class Forward {
 public:
  explicit Forward(const Block& b) { collect(b, {}); }

  /// `names`: locals of this scope and those around -> what they are.
  Block block(const Block& b, std::map<std::string, Term> names) const {
    Block r;
    const auto forwarded = [&](const Term& t) {
      return rewrite(t, [&](const Term& x) {
        const auto it = x->kind == TermKind::Local ? names.find(x->name) : names.end();
        return it == names.end() ? x : it->second;
      });
    };
    for (Stmt s : b) {
      if (auto* f = std::get_if<For>(&s.v)) f->body = block(f->body, names);
      if (auto* i = std::get_if<If>(&s.v)) {
        for (Term& c : i->conditions) c = forwarded(c);
        i->body = block(i->body, names);
      }
      if (Term* t = value_of(s)) *t = forwarded(*t);
      if (auto* x = std::get_if<Declare>(&s.v)) names.erase(x->local->name);
      if (auto* x = std::get_if<Let>(&s.v); x && x->local->kind == TermKind::Local) {
        names.erase(x->local->name);
        if (is_name(x->value)) {
          names[x->local->name] = x->value;
          continue;
        }
      }
      r.push_back(std::move(s));
    }
    return r;
  }

 private:
  bool is_name(const Term& t) const {
    if (t->kind == TermKind::Shuffle) return t->width == 1 && is_name(t->args[0]);
    return t->kind == TermKind::Local && !changing_.count(t->name);
  }
  /// `known`: the names of this scope and those around.
  void collect(const Block& b, std::set<std::string> known) {
    for (const Stmt& s : b) {
      const auto* d = std::get_if<Declare>(&s.v);
      const auto* l = std::get_if<Let>(&s.v);
      if (d || l)
        if (const std::string& name = (d ? d->local : l->local)->name; !known.insert(name).second || d)
          changing_.insert(name);
      if (const Block* body = body_of(s)) collect(*body, known);
    }
  }
  std::set<std::string> changing_;  ///< names of variables, and of what is hidden further in
};

}  // namespace

Block propagate_copies(const Block& b) { return Forward(b).block(b, {}); }

}  // namespace lift
