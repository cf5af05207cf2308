#include "embed/explore_expression.hpp"

#include "embed/plan.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"

namespace lift {

ExploredExpression explore_expression(const Program& given, const ExpressionOptions& options,
                                      std::source_location where) {
  ExploredExpression explored;
  explored.program = opened(given, {options.name, options.names, {}, {}}, line_of(where));
  explored.program.overwritable = options.overwrites.empty() ? given.overwritable : options.overwrites;
  for (const std::string& name : explored.program.overwritable)
    if (std::none_of(explored.program.arguments.begin(), explored.program.arguments.end(),
                     [&](const Expr& a) { return param_name(a) == name && a.type().is_array(); }))
      throw UserError(explored.program.name + ": '" + name +
                      "' is to be overwritten, but is no array among the arguments" + line_of(where));
  ExploreOptions more = options.more;
  more.budget_seconds = options.budget.count();
  more.caller_layout_only = true;
  try {
    const PatternProblem p = pattern_of({explored.program, options.sizes, options.data, {}});
    explored.report = explore(p.pattern, p.problem, more);
  } catch (const UserError& e) {
    throw UserError(e.what() + line_of(where));
  }
  if (!explored.report.best_caller)
    throw UserError(explored.program.name + ": no variant was verified within the budget; give it more time" +
                    line_of(where));
  const Variant& best = explored.report.variants[*explored.report.best_caller];
  explored.derivation = best.derivation;
  explored.source = best.source;
  return explored;
}

}  // namespace lift
