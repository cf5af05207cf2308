// liftgen explore A B C --one-layout: operators that share arrays, in the layout in which a round of them
// takes least time.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/variants.hpp"
#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "tuning/going_on.hpp"
#include "tuning/one_layout_report.hpp"
#include "tuning/report.hpp"

namespace lift::cli {
namespace {

/// The options of the first operator for each of them: one sweep, and its own choices only.
std::vector<Options> operators_of(const Options& given) {
  std::vector<Options> r;
  for (const Pattern* pattern : given.together) {
    Options o = given;
    o.pattern = pattern, o.problem.sweeps = 1;
    std::erase_if(o.problem.choices, [&](const auto& c) { return !pattern->choices.contains(c.first); });
    r.push_back(std::move(o));
  }
  return r;
}

ExploreResult explored(const Options& o, const LayoutRequest& layout, double budget,
                       const ExploreResult& before) {
  ExploreOptions e;
  e.threads = o.threads, e.budget_seconds = budget, e.configurations = o.configurations;
  e.search = o.search, e.seed = o.seed, e.only_layout = layout, e.plain = e.rivals = false;
  e.first = fastest_configurations(before, kGoOnWith);
  ExploreResult r = lift::explore(*o.pattern, o.problem, e);
  if (r.interrupted)
    throw EnvironmentError("interrupted before all operators had been explored in all layouts");
  if (!r.best) throw UserError(o.pattern->name + ": no variant was verified; try a larger --budget");
  return r;
}

}  // namespace

int explore_together(const Options& o) {
  const auto directory = kernel_directory(o.out);
  if (!o.json.empty()) check_writable_file(o.json, "--json");
  const std::vector<Options> operators = operators_of(o);
  for (const Options& one : operators) check_kernel_files(directory, one.pattern->name, one.target);
  NativeCompiler compiler;
  const Machine machine = probe(compiler, o.threads, false);
  std::vector<Program> programs;
  for (const Options& one : operators) programs.push_back(one.pattern->build(one.problem));
  const std::vector<LayoutRequest> layouts = layouts_for(programs, machine);
  std::vector<std::vector<ExploreResult>> found(layouts.size(), std::vector<ExploreResult>(operators.size()));
  const LayoutChoice choice =
      choose_layout(layouts, operators.size(), o.applied, o.budget, [&](const LayoutTurn& turn) {
        const Options& one = operators[turn.op];
        const LayoutRequest& layout = layouts[turn.layout];
        ExploreResult& r = found[turn.layout][turn.op];
        if (!o.quiet)
          print(fmt::format("exploring {} in layout '{}'{}", one.pattern->name, str(layout),
                            r.best ? " further" : ""));
        r = explored(one, layout, turn.seconds, r);
        return r.variants[*r.best].ms;
      });

  std::string round;
  for (std::size_t op = 0; op < operators.size(); ++op)
    round += (round.empty() ? "" : ", ") +
             fmt::format("{} x {}", o.applied.empty() ? 1 : o.applied[op], operators[op].pattern->name);
  print("\na round: " + round);
  print(fmt::format("  {:<12}{:>12}{:>10}", "layout", "ms", "speedup"));
  const double callers = choice.costs[0].ms;
  for (const LayoutCost& c : choice.costs)
    print(c.why_not.empty() ? fmt::format("  {:<12}{:>12.3f}{:>9.2f}x", str(c.layout), c.ms, callers / c.ms)
                            : fmt::format("  {:<12}        none  {}", str(c.layout), c.why_not));
  const LayoutRequest& best = layouts[choice.best];
  print("\nbest: " +
        (best == kCallersLayout ? "the caller's layout" : "all arrays in layout '" + str(best) + "'"));
  std::vector<std::string> reports;
  for (std::size_t op = 0; op < operators.size(); ++op) {
    const ExploreResult& r = found[choice.best][op];
    const Variant& v = r.variants[*r.best];
    const auto path = write_kernel(
        directory, r.pattern, documented(v.kernel, programs[op], v.derivation, command_of(operators[op])),
        r.target, programs[op]);
    print(fmt::format(
        "  {}: {:.{}f} ms, {}\n    kernel: {}{}", r.pattern, v.ms, v.ms < 0.1 ? 5 : 3, v.name, path.string(),
        v.convert_ms > 0
            ? fmt::format("; converting its arrays there and the result back takes {:.0f} ms", v.convert_ms)
            : ""));
    if (o.json.empty()) continue;
    const Explanation explanation = explain(programs[op], v);
    reports.push_back(
        json_report(r, path.string(), {"", "", command_of(operators[op]), nullptr, &explanation}));
  }
  if (!o.json.empty()) write_file_atomically(o.json, json_report(choice, o.applied, reports));
  return 0;
}

}  // namespace lift::cli
