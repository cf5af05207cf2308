#include "lower/translate/storage.hpp"

#include <algorithm>
#include <unordered_map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/constant_positions.hpp"
#include "lower/translate/destination.hpp"
#include "lower/translate/route.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/lets_outside.hpp"

namespace lift {
namespace {

bool has_arrays(const Type& t) {
  return t.is_array() || (t.is_tuple() && std::any_of(t.parts().begin(), t.parts().end(), has_arrays));
}

/// Whether a function's argument can be in variables.
bool used_at_numbers(const Expr& fn) {
  std::vector<Expr> names;
  const Expr body = open(fn, names);
  return only_at_numbers(body, names.at(0));
}

/// Goes through an expression as translation does: what is *written* goes to a place, element by element;
/// what is *read* is looked at where it is used.
class Storage {
 public:
  Expr written(const Expr& e) {
    return remembered(written_, e, [&] { return written_anew(e); });
  }
  Expr read(const Expr& e) {
    return remembered(read_, e, [&] { return read_anew(e); });
  }

 private:
  using Memo = std::unordered_map<std::uint32_t, Expr>;
  static Expr remembered(Memo& memo, const Expr& e, const std::function<Expr()>& f) {
    if (const auto it = memo.find(e.id()); it != memo.end()) return it->second;
    const Expr r = f();
    memo.emplace(e.id(), r);
    return r;
  }

  Expr body_written(const Expr& fn) { return with_children(fn, {written(fn.child(0))}); }
  Expr all_read(const Expr& e) {
    return map_children(e, [&](const Expr& c) { return read(c); });
  }
  Expr all_written(const Expr& e) {
    return map_children(e, [&](const Expr& c) { return written(c); });
  }

  Expr written_anew(const Expr& e) {
    if (is_map(e.op())) return with_children(e, {body_written(e.child(0)), gone_over(e)});
    if (is_scan(e.op())) return scan_written(e);
    if (is_update(e.op()))
      return with_children(
          e, {is_map(e.child(0).op()) ? written(e.child(0)) : read(e.child(0)), written(e.child(1))});
    if (e.is(Op::Let)) {
      const Expr value = named(e.child(0), e.child(1));
      return with_children(e, {value, body_written(e.child(1))});
    }
    if (e.is(Op::Apply)) {
      std::vector<Expr> children{body_written(e.child(0))};
      for (const Expr& c : e.children().subspan(1))
        children.push_back(e.children().size() == 2 ? named(c, e.child(0)) : read(c));
      return with_children(e, std::move(children));
    }
    if (e.is(Op::Iterate)) return iterated(e);
    if (e.is(Op::Band)) return stages_written(e);
    if (e.is(Op::CircularBuffer)) return read(e);
    if (is_identity(e.op()) || hands_on(e) || e.is(Op::Tuple) || e.is(Op::Concat) || e.is(Op::Interleave))
      return all_written(e);
    return read(e);
  }

  Expr read_anew(const Expr& e) {
    if (memory_of(e) || e.is(Op::Ring)) return all_written(e);
    if (e.is(Op::Layout) && memory_of(e.child(0))) return read(layout_within(e));
    if (e.is(Op::CircularBuffer)) {  // its map makes one plane after the other
      const Expr& made = e.child(0);
      if (!is_map(made.op())) return all_read(e);
      return with_children(e, {with_children(made, {body_written(made.child(0)), read(made.child(1))})});
    }
    if (is_scan(e.op()) || (is_map(e.op()) && has_scan(e.child(0)))) return to(Op::ToGlobal, written(e));
    if (e.is(Op::Iterate)) {
      const Expr r = iterated(e);
      return stores_steps(r) || overwrites_steps(r) ? to(kept(e.type(), r), r) : r;
    }
    if (is_reduce(e.op()) && has_arrays(e.type()) && !is_unrolled(e))
      return with_children(e, {body_written(e.child(0)), written(e.child(1)), read(e.child(2))});
    return all_read(e);
  }

  bool has_scan(const Expr& e) {
    const auto [it, added] = has_scan_.try_emplace(e.id(), false);
    if (!added) return it->second;
    bool found = is_scan(e.op());
    for (const Expr& c : e.children()) found = found || has_scan(c);
    return has_scan_[e.id()] = found;
  }

  // ---- the rules

  static Expr to(Op op, const Expr& e) { return make(op, {e}, {}, origin(e)); }

  Expr named(const Expr& value, const Expr& fn) {
    using Kind = Destination::Kind;
    switch (destination_of(value, fn).kind) {
      case Kind::None:
        return read(value);
      case Kind::Own:  // what says where it is stored is around the layout
        if (const Expr stored = layout_within(value); memory_of(stored) || is_placed(stored))
          return read(stored);
        return to(kept(value.type(), value), written(value));
      case Kind::Result:
      case Kind::Base:
        return written(value);
      case Kind::Update:
      case Kind::Component:
        return in_variables(value, fn) ? read(value) : written(value);
      case Kind::Open:
        break;
    }
    return in_variables(value, fn) ? read(value) : to(kept(value.type(), value), written(value));
  }
  /// Stages that follow one another in steps or tiles: each of these makes a part of every stage's array, so
  /// that it lies in memory even when it is small.
  Expr stages_written(const Expr& e) {
    if (e.is(Op::Band)) return with_children(e, {stages_written(e.child(0))});
    if (!e.is(Op::Let)) return written(e);
    const Expr &value = e.child(0), &fn = e.child(1);
    const auto kind = destination_of(value, fn).kind;
    const bool own = value.type().is_array() && !is_placed(value) && !value.is(Op::Ring) &&
                     (kind == Destination::Kind::Own || kind == Destination::Kind::Open);
    return with_children(
        e, {own && has_few_scalars(value.type()) ? to(Op::ToGlobal, written(value)) : named(value, fn),
            with_children(fn, {stages_written(fn.child(0))})});
  }
  bool in_variables(const Expr& value, const Expr& fn) {
    return has_few_scalars(value.type()) && !value.is(Op::ToGlobal) && !has_scan(value) &&
           used_at_numbers(fn);
  }
  /// layout (to_global xs) as to_global (layout xs).
  static Expr layout_within(const Expr& e) {
    const Expr& c = e.child(0);
    return e.is(Op::Layout) && memory_of(c) ? with_children(c, {with_children(e, {c.child(0)})}) : e;
  }

  Expr scan_written(const Expr& e) {
    const Expr f = is_carried_in_variables(e) ? all_read(e.child(0)) : body_written(e.child(0));
    return with_children(e, {f, read(e.child(1)), read(e.child(2))});
  }

  /// What a map goes over: the only scan in it needs no array of its own.
  Expr gone_over(const Expr& map) {
    const Expr& xs = map.child(1);
    const bool one_loop =
        (map.is(Op::Map) || map.is(Op::MapSeq)) && op_rank(map) == 1 && !has_scan(map.child(0));
    const auto fused = [&](const Expr& x) { return scan_written(x); };
    if (one_loop && is_scan(xs.op())) return fused(xs);
    if (!one_loop || !xs.is(Op::Zip)) return read(xs);
    const auto scans =
        std::count_if(xs.children().begin(), xs.children().end(), [&](const Expr& c) { return has_scan(c); });
    return map_children(xs,
                        [&](const Expr& c) { return scans == 1 && is_scan(c.op()) ? fused(c) : read(c); });
  }

  /// What stays is computed where it lies, what takes turns is looked at by the first step.
  Expr start_of_steps(const Expr& from, const std::vector<StepPart>& parts) {
    const auto placed = [&](const Expr& x) { return computes(x) ? written(x) : read(x); };
    if (!from.is(Op::Tuple)) return placed(from);
    std::vector<Expr> all;
    for (std::size_t i = 0; i < parts.size(); ++i)
      all.push_back(parts[i] == StepPart::turns ? read(from.child(i)) : placed(from.child(i)));
    return with_children(from, std::move(all));
  }

  /// The result of a step that computes an array is stored, where the array lies that it overwrites, or in
  /// one of two that take turns.
  Expr iterated(const Expr& e) {
    const Expr& f = e.child(0);
    const std::vector<StepPart> parts = parts_of_steps(e);
    const auto turns = [](StepPart p) { return p == StepPart::turns; };
    if (!std::all_of(parts.begin(), parts.end(), turns)) {
      const bool all_stay = std::none_of(parts.begin(), parts.end(), turns);
      const bool said = all_stay || is_placed(f.child(0)) || f.child(0).is(Op::ToGlobal);
      const Expr step =
          said ? body_written(f) : with_children(f, {to(kept(e.type(), f.child(0)), written(f.child(0)))});
      return with_children(e, {step, start_of_steps(e.child(1), parts)});
    }
    if (!e.type().has_arrays() || is_placed(f.child(0)) || f.child(0).is(Op::ToGlobal)) return all_read(e);
    const Expr body = to(kept(e.type(), f.child(0)), written(f.child(0)));
    return with_children(e, {with_children(f, {body}), read(e.child(1))});
  }

  Memo written_, read_;
  std::unordered_map<std::uint32_t, bool> has_scan_;
};

}  // namespace

Program with_storage(const Program& program) {
  Program p = program;
  p.body = Storage().written(with_lets_outside(program.body));
  return p;
}

}  // namespace lift
