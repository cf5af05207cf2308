// Values that are used more than once are computed once, under a name.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "lower/analyses/written_out.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// The statements of one block: names given before a statement hold in those after it, until what they were
/// computed from changes.
class Names {
 public:
  Names(Block& b, std::map<std::string, int>& counts) : counts_(counts) {
    std::unordered_set<std::uint32_t> seen;
    for (Stmt& s : b)
      if (const Term* t = value_of(s)) count(*t, seen);
  }

  /// t in terms of names; Lets of new ones go to `before`.
  Term named(const Term& t, Block& before) {
    certain_.clear(), harmless_.clear();  // what moves out of a choice must be computed anyway
    visit_certain(t, [&](const Term& x) { certain_.insert(x->id); });
    std::unordered_map<std::uint32_t, Term> done;
    return go(t, before, done);
  }
  /// Forgets what `s` changes.
  void after(const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v))
      forget([&](const Term& t) { return t->kind == TermKind::Load && t->name == x->array; });
    const auto redefined = [&](const Term& l) {
      forget([&](const Term& t) { return t->kind == TermKind::Local && t->name == l->name; });
    };
    if (const auto* x = std::get_if<Let>(&s.v)) redefined(x->local);
    if (const auto* x = std::get_if<Declare>(&s.v)) redefined(x->local);
    if (const auto* x = std::get_if<Assign>(&s.v)) redefined(x->local);
    if (std::holds_alternative<For>(s.v) || std::holds_alternative<If>(s.v))
      visit(Block{s}, [&](const Stmt& inner) {
        if (!std::holds_alternative<For>(inner.v) && !std::holds_alternative<If>(inner.v)) after(inner);
      });
  }

 private:
  void count(const Term& t, std::unordered_set<std::uint32_t>& seen) {
    ++uses_[t->id];
    if (!seen.insert(t->id).second) return;
    for (const Term& a : t->args) count(a, seen);
  }
  Term go(const Term& x, Block& before, std::unordered_map<std::uint32_t, Term>& done) {
    if (const auto it = known_.find(x->id); it != known_.end()) return it->second.name;
    if (const auto it = done.find(x->id); it != done.end()) return it->second;
    Term y = x;
    if (!x->args.empty()) {
      std::vector<Term> args;
      for (const Term& a : x->args) args.push_back(go(a, before, done));
      y = with_args(x, std::move(args));
    }
    const bool worth = x->kind == TermKind::Load || x->kind == TermKind::Apply || x->kind == TermKind::Call ||
                       (x->kind == TermKind::Shuffle && x->width > 1);
    // ... or be harmless, and so long that a compiler would not get through all its copies.
    constexpr double kLong = 256;
    if (worth && uses_[x->id] > 1 &&
        (certain_.count(x->id) || (written_out_.operations(y) > kLong && is_harmless(x)))) {
      const std::string base = x->kind == TermKind::Load ? x->name + "_" : "t";
      const Term local = local_term(base + std::to_string(++counts_[base]), y->type, y->width);
      before.push_back({Let{local, y}});
      known_.emplace(x->id, Known{x, local});
      y = local;
    }
    return done.emplace(x->id, y).first->second;
  }
  /// Floating-point arithmetic on what is computed anyway: it neither traps nor reads memory.
  bool is_harmless(const Term& x) {
    if (certain_.count(x->id) || x->kind == TermKind::Constant || x->kind == TermKind::Argument) return true;
    if (x->kind != TermKind::Apply || !(x->type == f32 || x->type == f64) || x->op == Op::Cast) return false;
    if (const auto at = harmless_.find(x->id); at != harmless_.end()) return at->second;
    const bool all =
        std::all_of(x->args.begin(), x->args.end(), [&](const Term& a) { return is_harmless(a); });
    return harmless_[x->id] = all;
  }
  void forget(const std::function<bool(const Term&)>& changed) {
    std::erase_if(known_, [&](const auto& k) {
      bool stale = false;
      visit(k.second.value, [&](const Term& t) { stale |= changed(t); });
      return stale;
    });
  }

  struct Known {
    Term value, name;
  };
  std::unordered_map<std::uint32_t, int> uses_;
  std::unordered_map<std::uint32_t, Known> known_;
  std::unordered_set<std::uint32_t> certain_;
  std::unordered_map<std::uint32_t, bool> harmless_;
  WrittenOut written_out_;
  std::map<std::string, int>& counts_;
};

Block name_block(Block b, std::map<std::string, int>& counts) {
  Names names(b, counts);
  Block r;
  for (Stmt& s : b) {
    if (auto* f = std::get_if<For>(&s.v)) f->body = name_block(std::move(f->body), counts);
    if (auto* i = std::get_if<If>(&s.v)) i->body = name_block(std::move(i->body), counts);
    if (Term* t = value_of(s)) *t = names.named(*t, r);
    names.after(s);
    r.push_back(std::move(s));
  }
  return r;
}

}  // namespace

Block eliminate_common_subexpressions(const Block& b) {
  std::map<std::string, int> counts;  // of names given to base + number; those there are stay
  for (const std::string& name : names_in(b)) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits < name.size() && name.size() - digits < 9)
      counts[name.substr(0, digits)] =
          std::max(counts[name.substr(0, digits)], std::stoi(name.substr(digits)));
  }
  return name_block(b, counts);
}

}  // namespace lift
