#include "rewrite/analysis/shared_stages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"
#include "rewrite/analysis/nest.hpp"

namespace lift {
namespace {

/// A term as it stands below so many functions, where it mentions none of what these bind: outside of them.
std::optional<Expr> outside(const Expr& e, int functions) {
  if (functions == 0 || e.loose() == 0) return e;
  const std::function<bool(const Expr&, int)> mentions = [&](const Expr& x, int within) {
    if (x.loose() <= within) return false;
    if (x.is(Op::Bound)) return bound_depth(x) - within < functions;
    return std::any_of(x.children().begin(), x.children().end(),
                       [&](const Expr& c) { return mentions(c, within + (x.is(Op::Lambda) ? 1 : 0)); });
  };
  if (mentions(e, 0)) return std::nullopt;
  return shift(e, -functions);
}

class Sharing {
 public:
  Expr named(const Expr& e) {
    if (!takes_long(e)) return e;
    if (const auto it = known_.find(e.id()); it != known_.end()) return it->second;
    Expr r = e;
    if (const auto stage = shared(e)) {
      const Expr x = fresh_param("x", stage->type());
      Replaced known;
      const Expr rest = lambda({x}, replaced(e, *stage, x, 0, known));
      r = make(Op::Let, {named(*stage), with_children(rest, {named(rest.child(0))})}, {}, origin(*stage));
    } else {
      r = map_children(e, [&](const Expr& c) {
        return c.is(Op::Lambda) ? with_children(c, {named(c.child(0))}) : within(c);
      });
    }
    known_.emplace(e.id(), r);
    return r;
  }

 private:
  /// Of an argument, functions in it: what they share is named in them.
  Expr within(const Expr& e) {
    if (!takes_long(e)) return e;
    return map_children(e, [&](const Expr& c) {
      return c.is(Op::Lambda) ? with_children(c, {named(c.child(0))}) : within(c);
    });
  }

  bool takes_long(const Expr& e) {
    const auto [it, added] = long_.try_emplace(e.id(), false);
    if (!added) return it->second;
    const bool windows = is_map(e.op()) && !has_few_scalars(e.type()) &&
                         contains(e.child(1), [](const Expr& x) { return x.is(Op::Slide); });
    bool found = windows || is_long_reduction(e) || is_scan(e.op()) || e.is(Op::Iterate);
    for (const Expr& c : e.children()) found = found || takes_long(c);
    return long_[e.id()] = found;
  }
  bool is_stage(const Expr& e) {
    if (is_long_reduction(e)) return true;
    const bool computes =
        is_map(e.op()) || is_scan(e.op()) || is_update(e.op()) || e.is(Op::Iterate) || e.is(Op::Let);
    return computes && e.type().has_arrays() && !has_few_scalars(e.type()) && takes_long(e);
  }

  /// The first of the largest stages that e has twice, or in a loop; e itself is none.
  std::optional<Expr> shared(const Expr& root) {
    std::map<std::uint32_t, int> times;
    std::set<std::pair<std::uint32_t, int>> seen;
    std::optional<Expr> r;
    const std::function<void(const Expr&, int, bool)> go = [&](const Expr& e, int functions, bool looped) {
      if (r || !takes_long(e)) return;
      if (is_stage(e) && !(e == root)) {
        if (const auto moved = outside(e, functions)) {
          int& n = times[moved->id()];
          n += looped ? 2 : 1;
          if (n > 1) {
            r = moved;
            return;
          }
        }
      }
      if (!seen.insert({e.id(), functions}).second) return;
      const bool names = e.is(Op::Let);
      for (const Expr& c : e.children())
        if (c.is(Op::Lambda))
          go(c.child(0), functions + 1, looped || !names);
        else
          go(c, functions, looped);
    };
    go(root, 0, false);
    return r;
  }

  using Replaced = std::map<std::pair<std::uint32_t, int>, Expr>;
  Expr replaced(const Expr& e, const Expr& stage, const Expr& by, int functions, Replaced& known) {
    if (!takes_long(e)) return e;
    if (const auto it = known.find({e.id(), functions}); it != known.end()) return it->second;
    const auto moved = is_stage(e) ? outside(e, functions) : std::nullopt;
    Expr r = by;
    if (!moved || !(*moved == stage))
      r = map_children(e, [&](const Expr& c) {
        return c.is(Op::Lambda) ? with_children(c, {replaced(c.child(0), stage, by, functions + 1, known)})
                                : replaced(c, stage, by, functions, known);
      });
    known.emplace(std::pair{e.id(), functions}, r);
    return r;
  }

  std::unordered_map<std::uint32_t, bool> long_;
  std::unordered_map<std::uint32_t, Expr> known_;
};

}  // namespace

Expr with_shared_stages_named(const Expr& e) { return Sharing().named(e); }

}  // namespace lift
