#include "embed/one_layout.hpp"

#include "embed/compiler.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "tuning/going_on.hpp"

namespace lift {
namespace {

/// Those of `sizes` that the program has.
Sizes sizes_for(const Program& p, const Sizes& sizes) {
  Sizes r;
  for (const NatAtom* v : size_variables(p))
    if (const auto it = sizes.find(v->name); it != sizes.end()) r.insert(*it);
  return r;
}

}  // namespace

TunedTogether explore_together(const std::vector<Program>& programs, const ExpressionOptions& options,
                               const std::vector<double>& applied, std::source_location where) {
  if (programs.empty())
    throw UserError("no operators to explore together; pass at least one" + line_of(where));
  if (!applied.empty() && applied.size() != programs.size())
    throw UserError(std::to_string(programs.size()) +
                    " operators, but how often each is applied is said of " + std::to_string(applied.size()) +
                    line_of(where));
  const std::optional<Device> device = device_of(options, line_of(where));
  std::vector<Program> numbered;
  for (const Program& p : programs) numbered.push_back(with_sizes(p, sizes_for(p, options.sizes)));
  const std::vector<LayoutRequest> layouts =
      layouts_for(numbered, this_machine(), device ? device->backend() : Target::openmp,
                  device ? &device->info() : nullptr);
  std::vector<std::vector<Tuned>> found(layouts.size(), std::vector<Tuned>(programs.size()));
  const LayoutChoice choice =
      choose_layout(layouts, programs.size(), applied, options.budget.count(), [&](const LayoutTurn& turn) {
        Tuned& last = found[turn.layout][turn.op];
        ExpressionOptions one = options;
        one.layout = layouts[turn.layout], one.sizes = sizes_for(programs[turn.op], options.sizes);
        one.budget = std::chrono::duration<double>(turn.seconds);
        const std::vector<Configuration> before = fastest_configurations(last.report, kGoOnWith);
        one.more.first.insert(one.more.first.begin(), before.begin(), before.end());
        last = explore(programs[turn.op], one, where);
        return last.ms;
      });
  return {layouts[choice.best], std::move(found[choice.best]), choice.costs};
}

}  // namespace lift
