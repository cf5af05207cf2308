// Circular buffers: a sequential loop reads windows of planes, the planes of one window are kept, and each
// iteration makes those that the one before did not have. Plane p lies in slot p mod (number of slots).
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/translator.hpp"

namespace lift {
namespace {

/// Planes of a window along the loop, and from one window to the next; `e` is what the loop goes over.
struct Windows {
  Nat size = 1, step = 1;
  bool operator==(const Windows&) const = default;
};
/// Nothing: it reads the planes in another way, or in two.
std::optional<Windows> windows_of(const Expr& e, const Expr& planes) {
  if (e == planes) return Windows{};
  if (e.is(Op::Slide) && e.child(0) == planes) return Windows{slide_sizes(e).front(), slide_steps(e).front()};
  if (!e.is(Op::Zip)) return std::nullopt;
  std::optional<Windows> all;
  for (const Expr& c : e.children()) {
    if (!contains(c, [&](const Expr& x) { return x == planes; })) continue;
    const auto w = windows_of(c, planes);
    if (!w || (all && !(*all == *w))) return std::nullopt;
    all = w;
  }
  return all;
}

}  // namespace

View Translator::ring(const Expr& e, const ScopePtr& scope) {
  const Expr& made = e.child(0);
  const Nat slots = buffer_slots(e);
  if (!rings_)
    throw UserError(
        "circular_buffer: it must be read by the sequential loop around, as in map_seq f (slide (n, 1) "
        "(circular_buffer n xs))");
  if (!is_map(made.op()) || op_rank(made) != 1)
    throw UserError("circular_buffer: needs a map that makes one plane after the other, found " +
                    std::string(text(made.op())));
  const Acceptor all = new_array("planes", Type::array(slots, e.type().element()), AddressSpace::Local);
  rings_->push_back({e, scope, eval(made.child(1), scope), all});
  return {ArrayView{e.type().length(), [all, slots, t = e.type().element()](const Nat& p) {
                      return view_of(all[mod(p, slots)], t);
                    }}};
}

void Translator::fill(const Ring& r, const Nat& plane) {
  const Expr& made = r.planes.child(0);
  write(made.child(0).child(0), std::make_shared<Scope>(Scope{{r.from[plane]}, r.scope}),
        r.slots[mod(plane, buffer_slots(r.planes))]);
}

/// A sequential loop over windows of planes in circular buffers.
void Translator::write_along(const Expr& e, const ScopePtr& scope, const Acceptor& to, const View& xs,
                             const std::vector<Ring>& rings) {
  const For f = map_loop(e, to, 0);
  if (f.kind != LoopKind::Seq && f.kind != LoopKind::Unroll)
    throw UserError(
        "circular_buffer: its planes follow one another along a sequential loop; use map_seq around it, "
        "not " +
        std::string(text(e.op())));
  if (f.stride != 1)
    throw UserError(
        "circular_buffer: an iteration of the loop makes the planes that the one before did not have, and in "
        "a "
        "strided loop another one comes before; leave out the stride");
  struct New {
    Nat count, first;  ///< planes that an iteration makes
    Nat step;
    bool ahead;  ///< those of the next one: they are copied while this one computes
  };
  std::vector<New> made;
  for (const Ring& r : rings) {
    const auto w = windows_of(e.child(1), r.planes);
    if (!w || !w->size.is_constant() || !w->step.is_constant())
      throw UserError(
          "circular_buffer: the loop must go over windows of it, of a size that is a number; read it by "
          "slide (n, 1)");
    if (Facts().proves(less(buffer_slots(r.planes), w->size)))
      throw UserError("circular_buffer: " + buffer_slots(r.planes).str() +
                      " planes do not hold a window of " + w->size.str() + "; use as many");
    const Nat count = min(w->size, w->step);
    const bool ahead = r.planes.child(0).child(0).child(0).is(Op::Async) &&
                       Facts().proves(less_equal(w->size + count, buffer_slots(r.planes)));
    made.push_back({count, w->size - count, w->step, ahead});
    const Nat before = ahead ? w->size : made.back().first;
    if (!(before == Nat(0))) loop(new_loop("plane", before), [&](const Nat& p) { fill(r, p); });
  }
  loop(f, [&](const Nat& k) {
    for (std::size_t i = 0; i < rings.size(); ++i) {
      Block planes, *outer = block;
      block = &planes;
      for (std::int64_t q = 0; q < *made[i].count.constant(); ++q)
        fill(rings[i], made[i].step * (made[i].ahead ? k + 1 : k) + made[i].first + q);
      block = outer;
      if (made[i].ahead) planes = {{If{{compare_term(less(k + 1, f.upper))}, std::move(planes)}}};
      for (Stmt& s : planes) block->push_back(std::move(s));
    }
    write_map(e, scope, to[k], 1, xs[k]);
  });
}

}  // namespace lift
