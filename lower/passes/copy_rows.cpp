// Asynchronous copies where a group begins them together: whole rows that are contiguous in memory.

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// The row that a loop over the items of a group copies; nothing when it does something else.
std::optional<CopyRow> row_of(const For& f, bool within_items) {
  const auto* s = f.body.size() == 1 ? std::get_if<Store>(&f.body[0].v) : nullptr;
  if (f.kind != LoopKind::Lcl || !s || !s->async) return std::nullopt;
  const auto contiguous = [&](const Nat& at) { return substitute(at, f.var, f.var + 1) - at == Nat(1); };
  if (!contiguous(s->position.at(0)) || !contiguous(s->value->nats.at(0)))
    throw UserError("async: the rows of " + s->value->name +
                    " that are copied are not contiguous; leave out async");
  if (within_items)
    throw UserError("async: all work-items of a group copy a row of " + s->value->name +
                    " together, which they cannot within a loop over work-items; use map_seq around it");
  const auto first = [&](const Nat& at) { return substitute(at, f.var, f.lower); };
  return CopyRow{
      s->array, {first(s->position[0])}, s->value->name, {first(s->value->nats[0])}, f.upper - f.lower};
}

Block with_rows(const Block& b, bool within_items) {
  Block r = b;
  for (Stmt& s : r) {
    const auto* f = std::get_if<For>(&s.v);
    if (f)
      if (auto row = row_of(*f, within_items)) {
        s = {std::move(*row)};
        continue;
      }
    if (const auto* x = std::get_if<Store>(&s.v); x && x->async)
      throw UserError("async: OpenCL copies whole rows that are contiguous in memory, and " + x->value->name +
                      " is read otherwise; leave out async");
    if (Block* body = body_of(s)) *body = with_rows(*body, within_items || (f && f->kind == LoopKind::Lcl));
  }
  return r;
}

}  // namespace

Block copy_rows(const Block& b) { return with_rows(b, false); }

}  // namespace lift
