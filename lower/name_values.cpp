#include <map>
#include <unordered_map>

#include "lower/passes.hpp"

namespace lift {
namespace {

class Namer {
 public:
  /// Puts a Let for each value of `t` that is used more than once before it, and returns t in terms of these.
  Term name(const Term& t, Block& before) {
    std::unordered_map<std::uint32_t, int> uses;
    visit(t, [&](const Term& x) {
      for (const Term& a : x->args) ++uses[a->id];
    });
    return rewrite_named(t, uses, before);
  }

 private:
  Term rewrite_named(const Term& t, const std::unordered_map<std::uint32_t, int>& uses, Block& before) {
    std::unordered_map<std::uint32_t, Term> done;
    const std::function<Term(const Term&)> go = [&](const Term& x) -> Term {
      if (const auto it = done.find(x->id); it != done.end()) return it->second;
      Term y = x;
      if (!x->args.empty()) {
        std::vector<Term> args;
        for (const Term& a : x->args) args.push_back(go(a));
        y = x->kind == TermKind::Apply ? apply_term(x->op, x->type, std::move(args)) : call_term(x->user, std::move(args));
      }
      const auto u = uses.find(x->id);
      const bool worth = x->kind == TermKind::Load || x->kind == TermKind::Apply || x->kind == TermKind::Call;
      if (worth && u != uses.end() && u->second > 1) {
        const Term local = local_term(fresh(x->kind == TermKind::Load ? x->name + "_" : "t"), y->type, y->width);
        before.push_back({Let{local, y}});
        y = local;
      }
      done.emplace(x->id, y);
      return y;
    };
    return go(t);
  }
  std::string fresh(const std::string& base) { return base + std::to_string(++counts_[base]); }
  std::map<std::string, int> counts_;
};

}  // namespace

Block name_values(const Block& b) {
  Namer namer;
  return rebuild(b, [&](Stmt s) -> Block {
    Block r;
    if (auto* x = std::get_if<Store>(&s.v)) x->value = namer.name(x->value, r);
    if (auto* x = std::get_if<Let>(&s.v)) x->value = namer.name(x->value, r);
    if (auto* x = std::get_if<Declare>(&s.v)) x->value = namer.name(x->value, r);
    if (auto* x = std::get_if<Assign>(&s.v)) x->value = namer.name(x->value, r);
    r.push_back(std::move(s));
    return r;
  });
}

}  // namespace lift
