#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace {

std::string axis_name(std::size_t from_inside) {
  static const auto& names = *new std::vector<std::string>{"i", "j", "box", "c", "d"};
  return from_inside < names.size() ? names[from_inside] : "e" + std::to_string(from_inside);
}

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

ColumnFacts column_facts(const Program& whole, const SpaceOptions& options) {
  const Program program = single_sweep(whole, 0);
  ColumnFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  f.nest = main_nest(program.body);
  f.nest.levels.resize(levels_around_scans(program.body, f.nest));
  for (const NestLevel& l : f.nest.levels)
    for (const Nat& n : l.extents) f.axes.push_back({"", n.constant()});
  for (std::size_t a = 0; a < f.axes.size(); ++a) f.axes[f.axes.size() - 1 - a].name = axis_name(a);
  f.along_memory = !contains(program.body, [](const Expr& e) { return e.is(Op::Transpose); });
  f.named_columns = named_scalars(part_at(program.body, f.nest.levels.back().place));
  return f;
}

}  // namespace lift
