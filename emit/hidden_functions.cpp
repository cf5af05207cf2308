#include "emit/hidden_functions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/ops.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

/// Functions that the operations of the body become, in any language.
std::set<std::string> called_in(const Block& b) {
  std::set<std::string> all;
  visit_terms(b, [&](const Term& t) {
    if (t->kind != TermKind::Apply) return;
    const std::string name(text(t->op));
    for (const char* of_type : {"", "f"}) all.insert(name + of_type), all.insert("f" + name + of_type);
  });
  for (const char* f : {"floor_div", "floor_mod", "floor_div_long", "floor_mod_long", "new_scratch",
                        "own_scratch", "free_scratch"})
    all.insert(f);
  return all;
}

using NewNames = std::map<std::string, std::string>;

void rename(std::string& name, const NewNames& to) {
  if (const auto it = to.find(name); it != to.end()) name = it->second;
}

Term renamed(const Term& t, const NewNames& to) {
  return rewrite(t, [&](const Term& x) {
    if ((x->kind != TermKind::Load && x->kind != TermKind::Argument) || to.count(x->name) == 0) return x;
    TermNode n = *x.operator->();
    rename(n.name, to);
    return intern(std::move(n));
  });
}

/// A size or an index parameter of another name.
Nat variable_like(const NatAtom& v, const std::string& name) {
  return v.bounded_above ? Nat::fresh(name, v.lower, v.upper, v.modulus, v.residue)
                         : Nat::size(name, v.lower, v.modulus, v.residue);
}

}  // namespace

bool is_helper_name(const std::string& n) {
  const auto digits_from = [&](std::size_t at) {
    return at < n.size() && n.find_first_not_of("0123456789", at) == std::string::npos;
  };
  if (n.starts_with("mask") && digits_from(4)) return true;
  for (const char* f : {"div", "mod", "min", "max"})
    if (n == std::string("index_") + f) return true;
  for (const Scalar s : {f32, f64, i32, i64, u8}) {
    const std::string t = text(s);
    const std::size_t at = n.rfind(t), after = at + t.size();
    if (at == std::string::npos || (at > 0 && n[at - 1] != '_')) continue;
    const std::string rest = n.substr(after);
    if (rest.empty() || rest.ends_with("_any") || (rest[0] == 'x' && digits_from(after + 1))) return true;
  }
  return false;
}

Kernel without_hidden_functions(const Kernel& k) {
  const std::set<std::string> called = called_in(k.body);
  std::set<std::string> taken(k.sizes.begin(), k.sizes.end());
  for (const KernelArgument& a : k.arguments) taken.insert(a.name);
  NewNames to;
  for (const std::string& name : taken) {
    if (called.count(name) == 0 && !is_helper_name(name)) continue;
    std::string other = name + "_";
    while (taken.count(other) > 0) other += "_";
    to.emplace(name, other);
  }
  if (to.empty()) return k;
  Kernel r = k;
  for (std::string& size : r.sizes) rename(size, to);
  for (std::string& result : r.results) rename(result, to);
  std::map<const NatAtom*, Nat> variables_to;
  const auto nat = [&](const Nat& n) {
    for (const NatAtom* v : variables(n))
      if (to.count(v->name) > 0 && variables_to.count(v) == 0 &&
          (!v->bounded_above ||
           std::any_of(k.arguments.begin(), k.arguments.end(),
                       [&](const KernelArgument& a) { return a.name == v->name && !a.range.empty(); })))
        variables_to.emplace(v, variable_like(*v, to.at(v->name)));
    return substitute(n, variables_to);
  };
  for (KernelArgument& a : r.arguments) rename(a.name, to);
  r.body = map_terms(map_nats(k.body, nat), [&](const Term& t) { return renamed(t, to); });
  r.body = rebuild(r.body, [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v)) rename(x->array, to);
    if (auto* x = std::get_if<Prefetch>(&s.v)) rename(x->array, to);
    if (auto* x = std::get_if<CopyRow>(&s.v)) rename(x->from, to), rename(x->to, to);
    return {std::move(s)};
  });
  r.scratch = nat(k.scratch);
  for (NatCond& c : r.needs) c.a = nat(c.a);
  return r;
}

}  // namespace lift
