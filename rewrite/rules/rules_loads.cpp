// Rules about what a chain is handed: arrays that stages of their own copy.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/rules/replaced.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// `e` with another part at a place; on the way down, variables of lambdas are free ones.
Expr changed_at(const Expr& e, std::span<const int> place, const std::function<Expr(const Expr&)>& change) {
  if (place.empty()) return change(e);
  if (e.is(Op::Lambda)) {
    std::vector<Expr> variables;
    const Expr body = open(e, variables);
    return lambda(variables, changed_at(body, place.subspan(1), change), origin(e));
  }
  std::vector<Expr> children(e.children().begin(), e.children().end());
  Expr& child = children.at(static_cast<std::size_t>(place[0]));
  child = changed_at(child, place.subspan(1), change);
  return with_children(e, std::move(children));
}

/// An argument, or a component of what a map around hands to the chain.
bool is_handed(const Expr& e) { return e.is(Op::Param) || (e.is(Op::Get) && is_handed(e.child(0))); }

/// Visits the parts of a value that may be read for all elements: of the base of an update no more than a
/// border is.
void visit_read(const Expr& e, const std::function<void(const Expr&)>& f, std::set<std::uint32_t>& known) {
  if (!known.insert(e.id()).second) return;
  f(e);
  for (const Expr& child : e.children().subspan(is_update(e.op()) ? 1 : 0)) visit_read(child, f, known);
}

/// Arrays of numbers, of so many dimensions, that a chain is handed and at least `readers` stages read; by
/// first use.
std::vector<Expr> arrays_read(const Expr& chain, int rank, std::int64_t readers) {
  std::vector<Expr> all;
  std::map<std::uint32_t, std::int64_t> stages;
  for (Expr at = chain;; at = at.child(1).child(0)) {
    const bool last = !at.is(Op::Let);
    std::set<std::uint32_t> known;
    const auto count = [&](const Expr& x) {
      if (!x.type().is_array() || !is_handed(x) || rank_of(x.type()) != rank) return;
      if (!element_of(x.type(), rank).is_scalar()) return;
      if (stages[x.id()]++ == 0) all.push_back(x);
    };
    visit_read(last ? at : at.child(0), count, known);
    if (last) break;
  }
  std::erase_if(all, [&](const Expr& x) { return stages[x.id()] < readers; });
  return all;
}

Result<Program> load_stages(const Program& p, const Arguments& a) {
  const std::int64_t readers = number(a, 0);
  const Chain chain = chain_of(p);
  if (chain.stages.size() < 2) return Failure{"there is no chain: the program has one stage"};
  if (!chain.bands.empty())
    return Failure{"the chain goes in step or in tiles already: use this rule before"};
  for (const ChainStage& s : chain.stages)
    if (overwrites_base(s.value))
      return Failure{s.name + " overwrites an array, which others may have copied"};
  const int rank = rank_of(chain.stages[0].value.type());
  const Place at = chain.place();
  std::size_t copied = 0;
  Program q = p;
  q.body = changed_at(p.body, at, [&](const Expr& whole) {
    Expr r = whole;
    const std::vector<Expr> arrays = arrays_read(whole, rank, readers);
    copied = arrays.size();
    for (std::size_t i = arrays.size(); i-- > 0;) {
      const Expr& xs = arrays[i];
      const Expr copy = map_n(
          rank, [](const Expr& x) { return x; }, xs);
      r = let(copy, [&](const Expr& name) {
        return replaced(r, [&](const Expr& x) { return x == xs ? std::optional(name) : std::nullopt; });
      });
    }
    return r;
  });
  if (copied == 0)
    return Failure{"no array of " + std::to_string(rank) + " dimensions is read by " +
                   std::to_string(readers) + " stages"};
  return q;
}

}  // namespace

std::vector<Rule> load_rules() {
  return {
      program_rule("load-stages",
                   "let x1 = S1 ys in let x2 = S2 x1 ys ... = let zs = map id ys in let x1 = S1 zs in let "
                   "x2 = S2 x1 zs ...",
                   load_stages)
          .takes("readers", "the least number of stages that read an array")
          .says("each array that %1 or more stages read is copied by a stage of its own, and read there")};
}

}  // namespace lift
