#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/facts.hpp"

namespace lift {
namespace {

std::int64_t named_scalars(const Expr& columns) {
  std::int64_t all = 0;
  visit(columns, [&](const Expr& e) {
    if (!e.is(Op::Let) || !has_scan(e.child(0))) return;
    for (const Type& t : component_arrays(e.child(0).type())) {
      std::int64_t n = 1;
      for (const Nat& length : shape_of(t)) n *= length.constant().value_or(0);
      all += n;
    }
  });
  return all;
}

}  // namespace

NestFacts scan_facts(const Program& whole, const SpaceOptions& options) {
  const Program program = single_sweep(whole, 0);
  NestFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  read_axes_around(program, levels_around_scans, f);
  f.scans.along_memory = !contains(program.body, [](const Expr& e) { return e.is(Op::Transpose); });
  f.scans.named = named_scalars(part_at(program.body, f.nest.levels.back().place));
  return f;
}

}  // namespace lift
