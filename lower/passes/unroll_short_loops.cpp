// Loops of a few iterations become copies of their body, in which everything that depends on the index is
// decided.
#include <algorithm>

#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t most_iterations = 16;  ///< where no factor is asked for
constexpr std::int64_t most_in_vectors = 8;   ///< in a vector loop, which can hold no loop
constexpr std::int64_t most_statements = 128;

/// A longer loop of kind Unroll is unrolled by its factor: the backend spells that.
bool is_short(const For& f, bool in_vectors) {
  const auto trips = (f.upper - f.lower).constant();
  if (!trips || *trips < 1 || f.stride != 1) return false;
  std::int64_t statements = 0;
  bool private_arrays = false;
  visit(f.body,
        [&](const Stmt& s) { ++statements, private_arrays |= std::holds_alternative<Allocate>(s.v); });
  if (private_arrays || *trips * statements > most_statements) return false;
  if (f.kind == LoopKind::Unroll) return *trips <= (f.width > 1 ? f.width : most_iterations);
  return f.kind == LoopKind::Seq && in_vectors && *trips <= most_in_vectors;
}

/// Indices that have names stand where the names were.
Block without_named_indices(const Block& b) {
  const NamedIndices names = named_indices(b);
  if (names.empty()) return b;
  const Block unnamed = rebuild(b, [&](Stmt s) -> Block {
    const auto* x = std::get_if<Let>(&s.v);
    if (x && x->local->kind == TermKind::Index && names.count(variables(x->local->nats[0]).at(0))) return {};
    return {std::move(s)};
  });
  return map_nats(unnamed, [&](const Nat& n) { return expanded(n, names); });
}

/// What a copy of a body declares gets names of its own, none that `others` has.
Block with_own_names(const Block& b, const std::string& suffix, const std::set<std::string>& others) {
  std::vector<Term> declared;
  visit(b, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Let>(&s.v)) declared.push_back(x->local);
    if (const auto* x = std::get_if<Declare>(&s.v)) declared.push_back(x->local);
  });
  if (declared.empty()) return b;
  const auto own = [&](const Term& t) {
    if (std::find(declared.begin(), declared.end(), t) == declared.end()) return t;
    std::string name = t->name + suffix;
    while (!suffix.empty() && others.count(name) > 0) name += suffix;
    return local_term(name, t->type, t->width);
  };
  const Block values = map_terms(b, [&](const Term& t) { return rewrite(t, own); });
  return rebuild(values, [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Let>(&s.v)) x->local = own(x->local);
    if (auto* x = std::get_if<Declare>(&s.v)) x->local = own(x->local);
    if (auto* x = std::get_if<Assign>(&s.v)) x->local = own(x->local);
    return {std::move(s)};
  });
}

Block unroll(const Block& b, bool in_vectors, const std::set<std::string>& others) {
  Block r;
  for (Stmt s : b) {
    if (auto* i = std::get_if<If>(&s.v)) i->body = unroll(i->body, in_vectors, others);
    auto* f = std::get_if<For>(&s.v);
    if (f) f->body = unroll(f->body, in_vectors || f->kind == LoopKind::Vec, others);
    if (!f || !is_short(*f, in_vectors)) {
      r.push_back(std::move(s));
      continue;
    }
    const std::int64_t trips = *(f->upper - f->lower).constant();
    const Block body = without_named_indices(f->body);
    for (std::int64_t t = 0; t < trips; ++t)
      for (Stmt& copy : with_own_names(at_index(body, f->var, f->lower + t),
                                       t == 0 ? "" : "_" + std::to_string(t), others))
        r.push_back(std::move(copy));
  }
  return r;
}

}  // namespace

Block unroll_short_loops(const Block& b) { return distinct_names(unroll(b, false, passed_names(b))); }

}  // namespace lift
