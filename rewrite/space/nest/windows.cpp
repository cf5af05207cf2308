// Arrays of windows that cells read: what work-groups may have a copy of in local memory.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// The base of the update, where its block has no binder of its own before the cells: what is read there can
/// be compared.
std::optional<Expr> updated_base(const Program& program, const NestFacts& f) {
  if (!f.nest.update || f.cells().place.size() < f.nest.update->size()) return std::nullopt;
  return part_at(program.body, *f.nest.update).child(0);
}

std::size_t scalar_bytes(const Type& t) {
  const Type e = element_of(t);
  if (e.is_scalar()) return size_of(e.scalar());
  std::size_t n = 0;
  if (e.is_tuple())
    for (const Type& p : e.parts()) n += scalar_bytes(p);
  return n;
}

/// Elements of a row of the argument that an array is a view of, where it is the whole argument or its
/// elements in place; 0: another array, or not known.
std::int64_t row_length(const Expr& array) {
  Expr whole = array;
  while (whole.is(Op::Get)) whole = whole.child(0);
  if (!whole.is(Op::Param) && !whole.is(Op::Bound)) return 0;
  if (!element_of(array.type()).is_scalar()) return 0;
  return shape_of(array.type()).back().constant().value_or(0);
}

}  // namespace

std::vector<WindowArray> window_arrays(const Program& program, const NestFacts& f) {
  if (!f.block.empty()) return {};
  const Expr cells = part_at(program.body, f.cells().place);
  if (!is_map(cells.op())) return {};
  const Expr& xs = cells.child(1);
  const std::vector<Expr> arrays =
      xs.is(Op::Zip) ? std::vector<Expr>(xs.children().begin(), xs.children().end()) : std::vector<Expr>{xs};
  const auto base = updated_base(program, f);
  std::vector<WindowArray> r;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Expr& a = arrays[i];
    if (!a.is(Op::Slide) || slide_sizes(a).size() != f.inner_rank) continue;
    WindowArray w;
    w.array = i, w.bytes = scalar_bytes(a.type());
    w.row = row_length(a.child(0));
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < f.inner_rank; ++d) {
      const auto size = slide_sizes(a)[d].constant(), step = slide_steps(a)[d].constant();
      w.size.push_back(size.value_or(1 << 20)), w.step.push_back(step.value_or(1));
      elements *= std::min<std::int64_t>(w.size.back(), 1 << 10);
    }
    if (elements < 3) continue;  // read once or twice: nothing to be gained
    w.overwritten = base && contains(a, [&](const Expr& x) { return x == *base; });
    r.push_back(std::move(w));
  }
  return r;
}

std::vector<WindowArray> staged_arrays(const NestFacts& f, const Configuration& c) {
  std::vector<WindowArray> r;
  for (const WindowArray& w : f.windows)
    if (!w.overwritten || !is_in_place(f, c)) r.push_back(w);
  return r;
}

}  // namespace lift
