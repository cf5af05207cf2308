#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/written_element.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

std::vector<Expr> long_reductions(const Expr& e) {
  std::vector<Expr> r;
  visit(e, [&](const Expr& x) {
    if (is_long_reduction(x)) r.push_back(x);
  });
  return r;
}

/// By how many elements a position moves along a variable: of a row, or more than those, as at boundaries.
enum class Moves : std::uint8_t { nowhere, next, far };
Moves moves(const std::vector<Nat>& position, const Nat& variable) {
  Moves r = Moves::nowhere;
  for (std::size_t d = 0; d < position.size(); ++d) {
    const auto a = affine_in(position[d], variable);
    if (!a) return Moves::far;
    if (a->coefficient == Nat(0)) continue;
    const bool next = d + 1 == position.size() && a->coefficient == Nat(1);
    if (!next) return Moves::far;
    r = Moves::next;
  }
  return r;
}

/// Which vectors can be loaded, of cells and of elements.
void read_strides(const Program& loops, NestFacts& f) {
  const WrittenElement w = written_element(loops, 0, Reductions::loops_by_an_element);
  const Nat& cell = w.index.at(f.axes.size() - 1);
  f.folds.along = f.folds.across = true;
  for (const Term& load : loads_of(w.value)) {
    if (moves(load->nats, cell) == Moves::far) f.folds.across = false;
    for (const Nat& element : w.reduced)
      if (moves(load->nats, element) == Moves::far) f.folds.along = false;
  }
}

/// Whether arrays that cells make lie side by side in the result: it is transposed.
bool is_transposed(const Expr& body, const Place& loops) {
  Expr e = body;
  for (const int i : loops) {
    if (e.is(Op::Transpose)) return true;
    e = e.child(static_cast<std::size_t>(i));
  }
  return false;
}

/// A reduction of what is reduced in turn, by other functions, is no loop over rows.
bool has_reductions_within(const Expr& cells) {
  bool found = false;
  visit(cells, [&](const Expr& e) {
    if (is_reduce(e.op()) && e.type().has_arrays())
      found = found || contains(e.child(0), is_long_reduction) || contains(e.child(2), is_long_reduction);
  });
  return found;
}

bool can_go_outside(const Program& program, const NestFacts& f) {
  try {
    Deriver d({program, {}});
    d.nest_all();
    const Place cells = d.level(f.axes.size() - 1);
    prepare_reductions(d, f, {}, cells);
    levels_outside(d, cells);
    return !has_reductions_within(d.part(cells)) && !contains(d.part(cells), [](const Expr& e) {
      return is_long_reduction(e) && !e.type().has_arrays();
    });
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

bool are_folds(const Program& program, const SpaceOptions& options) {
  if (is_grid(options.target) || sweeps_of(program.body).size() > 1 || has_scan(program.body)) return false;
  const Nest nest = main_nest(program.body);
  const std::size_t levels = levels_around_reductions(program.body, nest);
  if (levels == 0 || nest.update ||
      contains(program.body, [](const Expr& e) { return e.is(Op::Iterate) || is_update(e.op()); }))
    return false;
  for (const NestLevel& l : nest.levels)
    if (std::any_of(l.extents.begin(), l.extents.end(), [](const Nat& n) { return !n.is_constant(); }))
      return false;
  const std::vector<Expr> all =
      long_reductions(part_at(program.body, nest.levels[levels - 1].place).child(0));
  return std::all_of(all.begin(), all.end(), [](const Expr& e) {
    return e.is(Op::Reduce) && e.child(2).type().length().is_constant() && !e.type().has_arrays();
  });
}

NestFacts fold_facts(const Program& program, const SpaceOptions& options) {
  NestFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  read_axes_around(program, levels_around_reductions, f);
  const Expr cells = part_at(program.body, f.nest.levels.back().place);
  f.folds.numbers = !cells.child(0).type().result().has_arrays();
  f.folds.any_order = true;
  for (const Expr& e : long_reductions(cells.child(0))) {
    const std::int64_t n = *e.child(2).type().length().constant();
    f.folds.elements = f.folds.elements == 0 ? n : std::min(f.folds.elements, n);
    f.folds.any_order = f.folds.any_order && why_in_order(e.child(0), e.child(1)).empty();
    f.folds.joined = f.folds.joined || contains(e.child(2), [](const Expr& x) { return x.is(Op::Join); }) ||
                     nested_levels(e) > 0;
  }
  try {
    read_strides(step_program(program, f.nest.levels.front().place), f);
    if (!f.folds.numbers)
      f.folds.across = f.folds.across && is_transposed(program.body, f.nest.levels.front().place);
    f.folds.outside = can_go_outside(program, f);
  } catch (const UserError&) {  // it is not known what cells read: they take their elements one by one
  }
  return f;
}

}  // namespace lift
