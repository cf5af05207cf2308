#include "rewrite/analysis/stage_loops.hpp"

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// Of arrays of arrays put side by side: a loop over the outer ones makes an inner one an iteration.
std::optional<std::int64_t> of_joined(const Expr& joined, std::size_t axis) {
  const Expr& chunks = joined.child(0);
  const auto rank = static_cast<std::size_t>(op_rank(joined));
  if (axis >= rank) return positions_an_iteration(chunks, axis + rank);
  const auto each = positions_an_iteration(chunks, axis);
  const auto length = shape_of(chunks.type(), static_cast<int>(2 * rank))[rank + axis].constant();
  return each && length ? std::optional(*each * *length) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> positions_an_iteration(const Expr& e, std::size_t axis) {
  if (is_identity(e.op())) return positions_an_iteration(e.child(0), axis);
  if (is_update(e.op())) return positions_an_iteration(e.child(1), axis);
  if (e.is(Op::Join)) return of_joined(e, axis);
  if (!is_map(e.op())) return std::nullopt;
  const auto rank = static_cast<std::size_t>(op_rank(e));
  return axis < rank ? std::optional<std::int64_t>(1)
                     : positions_an_iteration(e.child(0).child(0), axis - rank);
}

}  // namespace lift
