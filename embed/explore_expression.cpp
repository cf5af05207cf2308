#include "embed/explore_expression.hpp"

#include "embed/compiler.hpp"
#include "embed/known_variant.hpp"
#include "embed/plan.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "tuning/database/program_key.hpp"

namespace lift {
namespace {

/// What was found before for just this problem; whether there is something.
bool take_known(Tuned& explored, const PatternProblem& p, const ExploreOptions& options,
                const std::filesystem::path& database, const OwnRules& rules) {
  const Program program = p.pattern.build(p.problem);
  auto known = known_variant(program, program_key(p.pattern, p.problem), database, {},
                             {explored.backend, explored.device ? &explored.device->info() : nullptr},
                             options.threads, true, rules);
  if (!known) return false;
  explored.derivation = known->variant.derivation, explored.origin = known->origin;
  explored.source = emit_source(known->variant.kernel);
  explored.report.pattern = p.pattern.name, explored.report.problem = p.problem;
  explored.report.target = explored.backend, explored.report.machine = this_machine();
  explored.report.device = explored.device ? explored.device->name() : this_machine().device;
  return true;
}

}  // namespace

std::optional<Device> device_of(const ExpressionOptions& options, const std::string& where) {
  const ExploreOptions& more = options.more;
  const Target asked = is_grid(options.backend) ? options.backend : more.target;
  if (options.device) {
    if (is_grid(asked) && asked != options.device->backend())
      throw UserError(std::string("lift::explore: the backend is ") + text(asked) + ", but the device " +
                      options.device->name() + " is of " + text(options.device->backend()) +
                      "; leave the backend out: it is the device's" + where);
    return options.device;
  }
  if (!is_grid(asked)) return std::nullopt;
  return more.emulate && asked == Target::cuda ? Device::emulated_cuda() : Device(asked, more.device);
}

CompileOptions Tuned::options() const {
  CompileOptions options;
  options.derivation = derivation, options.or_default = true;
  options.backend = backend, options.device = device;
  return options;
}

Tuned explore(const Expr& function, const ExpressionOptions& options, std::source_location where) {
  return explore(Program{{}, {}, function, {}}, options, where);
}

Tuned explore(const Program& given, const ExpressionOptions& options, std::source_location where) {
  Tuned explored;
  explored.device = device_of(options, line_of(where));
  if (explored.device) explored.backend = explored.device->backend();
  explored.program = opened(given, {options.name, options.names, explored.backend}, line_of(where));
  explored.program.overwritable = options.overwrites.empty() ? given.overwritable : options.overwrites;
  for (const std::string& name : explored.program.overwritable)
    if (std::none_of(explored.program.arguments.begin(), explored.program.arguments.end(),
                     [&](const Expr& a) { return param_name(a) == name && a.type().is_array(); }))
      throw UserError(explored.program.name + ": '" + name +
                      "' is to be overwritten, but is no array among the arguments" + line_of(where));
  ExploreOptions more = options.more;
  more.budget_seconds = options.budget.count();
  more.only_layout = options.layout;
  more.rules.insert(more.rules.end(), options.rules.begin(), options.rules.end());
  if (explored.device) {
    more.target = explored.backend;
    more.emulate = explored.device->is_emulated(), more.device = explored.device->index();
  }
  const OwnRules rules = [&] {
    try {
      return admitted_rules(more.rules);  // before what is known is replayed
    } catch (const UserError& e) {
      throw UserError(e.what() + line_of(where));
    }
  }();
  const Region region;  // what is searched among goes with it, but for the variants that were found
  try {
    const PatternProblem p = pattern_of({explored.program, options.sizes, options.data, {}});
    if (options.unless_known && options.layout == kCallersLayout &&
        take_known(explored, p, more, options.database, rules))
      return explored;
    if (!more.memory) more.memory = memory_in(options.database);
    explored.report = explore(p.pattern, p.problem, more);
    for (Variant& v : explored.report.variants) v.kept = nodes_of(v.kernel);
  } catch (const UserError& e) {
    throw UserError(e.what() + line_of(where));
  }
  const ExploreResult& report = explored.report;
  // A call takes all arrays in one layout.
  const auto in_one = [&](std::size_t v) {
    return report.variants[v].layout.empty() || layout_by(report.variants[v].derivation) != kCallersLayout;
  };
  const auto best = options.layout == kCallersLayout || (report.best && !in_one(*report.best))
                        ? report.best_caller
                        : report.best;
  if (!best)
    throw UserError(explored.program.name + ": no variant was verified within the budget; give it more time" +
                    line_of(where));
  const Variant& v = report.variants[*best];
  explored.derivation = v.derivation, explored.layout = layout_by(v.derivation);
  explored.ms = v.ms, explored.convert_ms = v.convert_ms;
  explored.source = v.source;
  return explored;
}

}  // namespace lift
