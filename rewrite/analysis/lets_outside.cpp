#include "rewrite/analysis/lets_outside.hpp"

#include <unordered_map>

#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/analysis/parts.hpp"

namespace lift {
namespace {

/// Whether an array is computed, and not only put together of elements of others.
bool has_work(const Expr& e) {
  return is_computed(e) && contains(e, [](const Expr& x) {
           return is_scalar_op(x.op()) || is_reduce(x.op()) || is_scan(x.op()) || x.is(Op::Iterate);
         });
}

/// Whether a let names a computed array, or a sum; views of arrays, and a few numbers, are looked at where
/// they are.
bool floats(const Expr& e) {
  if (!e.is(Op::Let)) return false;
  const Type& t = e.child(0).type();
  return (t.has_arrays() && !has_few_scalars(t) && has_work(e.child(0))) ||
         contains(e.child(0), is_long_reduction);
}

class Floating {
 public:
  /// Of what a function makes, or the program: names that begin it stay there.
  Expr outside(const Expr& e) {
    if (!has_stage(e)) return e;
    if (const auto it = known_.find(e.id()); it != known_.end()) return it->second;
    const Expr r = e.is(Op::Let) ? with_children(e, {outside(e.child(0)), function(e.child(1))}) : floated(e);
    known_.emplace(e.id(), r);
    return r;
  }

 private:
  struct Names {
    std::vector<Expr> names, values;
  };

  Expr function(const Expr& f) { return with_children(f, {outside(f.child(0))}); }

  Expr floated(const Expr& e) {
    Names before;
    Expr r = map_children(e, [&](const Expr& c) { return argument(c, e, before); });
    for (std::size_t i = before.names.size(); i-- > 0;)
      r = make(Op::Let, {before.values[i], lambda({before.names[i]}, r)}, {}, origin(e));
    return r;
  }

  /// What is left of an argument whose names go to `before`. Decisions are about what they stand around.
  Expr argument(const Expr& e, const Expr& around, Names& before) {
    if (!has_stage(e)) return e;
    if (e.is(Op::Lambda)) return function(e);
    if (is_identity(around.op())) return outside(e);
    if (!e.is(Op::Let)) return map_children(e, [&](const Expr& c) { return argument(c, e, before); });
    const Expr value = argument(e.child(0), e, before);
    const Expr rest = open(e.child(1), before.names);
    before.values.push_back(value);
    return argument(rest, around, before);
  }

  bool has_stage(const Expr& e) {
    const auto [it, added] = has_stage_.try_emplace(e.id(), false);
    if (!added) return it->second;
    bool found = floats(e);
    for (const Expr& c : e.children()) found = found || has_stage(c);
    return has_stage_[e.id()] = found;
  }

  std::unordered_map<std::uint32_t, bool> has_stage_;
  std::unordered_map<std::uint32_t, Expr> known_;
};

}  // namespace

Expr with_lets_outside(const Expr& e) { return Floating().outside(e); }

}  // namespace lift
