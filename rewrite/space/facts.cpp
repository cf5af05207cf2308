#include "rewrite/space/facts.hpp"

#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/analysis/vector_loads.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

Scalar scalar_of(const Type& t) {
  const Type e = element_of(t);
  if (e.is_scalar()) return e.scalar();
  return e.is_tuple() ? scalar_of(e.parts()[0]) : f64;
}

}  // namespace

std::string loop_axis(std::size_t from_inside) {
  static const auto& names = *new std::vector<std::string>{"i", "j", "k", "box", "c", "d"};
  return from_inside < names.size() ? names[from_inside] : std::string(from_inside - names.size() + 1, 'e');
}

void read_axes_around(const Program& program, std::size_t (*levels)(const Expr&, const Nest&), NestFacts& f) {
  f.nest = main_nest(program.body);
  f.nest.levels.resize(levels(program.body, f.nest));
  for (const NestLevel& l : f.nest.levels)
    for (const Nat& n : l.extents) f.axes.push_back({"", n.constant()});
  for (std::size_t a = 0; a < f.axes.size(); ++a) {
    const std::size_t from_inside = f.axes.size() - 1 - a;
    f.axes[a].name = loop_axis(from_inside < 2 ? from_inside : from_inside + 1);  // k is a loop within
  }
}

ProgramFacts program_facts(const Program& program, const SpaceOptions& options) {
  ProgramFacts f;
  f.options = options;
  f.element_bytes = static_cast<std::int64_t>(size_of(scalar_of(program.body.type())));
  f.gathers = contains(program.body, [](const Expr& e) { return e.is(Op::Gather); });
  const auto lane_bytes = static_cast<std::int64_t>(size_of(promoted(scalar_of(program.body.type()))));
  f.lanes = std::max<std::int64_t>(1, options.vector_bytes / lane_bytes);
  f.reads_only = static_cast<bool>(apply(find_rule("read-only"), program, {}));
  f.stage_elements = elements_of_stages(program.body);
  if (const std::vector<Place> parts = parts_of(program.body); parts.size() > 1)
    for (const Place& p : parts)
      if (!loads_vectors(step_program(program, p))) f.in_scalars.push_back(p);
  return f;
}

}  // namespace lift
