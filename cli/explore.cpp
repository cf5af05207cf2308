// liftgen explore OP, liftgen run OP: measure variants, print what was found, write kernel and JSON.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/known.hpp"
#include "cli/output.hpp"
#include "cli/variants.hpp"
#include "compare/contest.hpp"
#include "compare/table.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/printable.hpp"
#include "patterns/box_problem.hpp"
#include "report/page.hpp"
#include "runtime/file.hpp"
#include "tuning/data_files.hpp"
#include "tuning/depths.hpp"
#include "tuning/report.hpp"
#include "tuning/search/recording.hpp"

namespace lift::cli {
namespace {

constexpr std::size_t kFirst = 12;  ///< variants of an earlier report that are tried first

std::vector<Configuration> earlier_variants(const Options& o) {
  if (o.from.empty()) return {};
  try {
    return configurations_in(read_file(o.from), kFirst);
  } catch (const UserError& error) {
    throw UserError("--from " + o.from.string() + ": " + error.what());
  }
}

ExploreOptions explore_options(const Options& o) {
  ExploreOptions e;
  e.target = o.target, e.device = o.device, e.emulate = o.emulate, e.threads = o.threads,
  e.budget_seconds = o.budget;
  e.first = earlier_variants(o);
  e.configurations = o.configurations, e.search = o.search, e.seed = o.seed, e.switches = o.grid;
  e.only_layout = o.layout, e.rules = o.own_rules;
  return e;
}

std::string where(const ExploreResult& r) {
  return fmt::format("on {}, {} threads{}", r.device, r.threads,
                     r.machine.triad_gbs > 0 ? fmt::format(", triad {:.1f} GB/s", r.machine.triad_gbs) : "");
}

std::string heading(const Options& o, const ExploreResult& r) {
  const Problem& p = r.problem;
  if (!o.file.empty()) {
    std::string results;
    for (const ProgramResult& result : results_of(o.pattern->build(p)))
      results += (results.empty() ? "" : ", ") + result.name + " : " + result.type.str();
    return fmt::format("{} ({}): {}, {}\nresults are held against {}", r.pattern, o.file, results, where(r),
                       r.reference);
  }
  std::string choices;
  for (const auto& [name, value] : p.choices) choices += ", " + name + " " + value;
  return fmt::format("{}{}: {} boxes of {} cells, {}, boundary {}, {}", r.pattern, choices, p.boxes,
                     box_size(p, o.pattern->dimensions), text(p.type),
                     p.boundary == "ghost" ? fmt::format("ghost zones of {}", p.ghost) : p.boundary,
                     where(r));
}

/// The wrong ones are our defects: named, and the command fails.
int report_wrong(const ExploreResult& r) {
  for (const Variant& v : r.variants) {
    if (v.status != Status::wrong) continue;
    std::fputs(
        fmt::format("liftgen: wrong result (error {:.1e}): {}: {}\n", v.error, v.name, printable(v.message))
            .c_str(),
        stderr);
    for (const Step& s : v.derivation) std::fprintf(stderr, "    %s\n", str(s).c_str());
    break;
  }
  return r.counts.wrong > 0 ? 1 : 0;
}

void report_failures(const ExploreResult& r, bool verbose) {
  for (const Variant& v : r.variants)
    if (v.status == Status::compile_failed || v.status == Status::crashed || v.status == Status::hung ||
        (verbose && v.status == Status::impossible)) {
      print_fitted(fmt::format("{}: {}: {}", text(v.status), v.name, v.message));
      if (!verbose) return;
    }
}

/// Writes the best kernel; its path, "" when there is none.
std::string write_best(const Options& o, const ExploreResult& r, const std::filesystem::path& directory) {
  if (!r.best) return "";
  const Variant& best = r.variants[*r.best];
  const Program program = o.pattern->build(o.problem);
  return write_kernel(directory, r.pattern, documented(best.kernel, program, best.derivation, command_of(o)),
                      r.target, program)
      .string();
}

/// After how many applications converting has paid, against the best that takes arrays as the caller has
/// them.
std::string break_even(const ExploreResult& r) {
  const Variant& best = r.variants[*r.best];
  if (!r.best_caller || best.convert_ms <= 0) return "";
  const double saved = (r.variants[*r.best_caller].ms - best.ms) * best.sweeps;
  if (saved <= 0) return "";
  return fmt::format(", which pays after {:.0f} calls", std::ceil(best.convert_ms / saved));
}

void print_best(const ExploreResult& r) {
  const Variant& best = r.variants[*r.best];
  print_fitted("\nbest: " + best.name);
  std::istringstream steps(prose(best.derivation));
  for (std::string line; std::getline(steps, line);) print_fitted("  " + line);
  constexpr double kTooShort = 1e-3;  // a microsecond: what a call costs beside
  const bool too_short = best.ms < kTooShort;
  std::string ratios;
  if (best.speedup > 0) ratios += fmt::format(", {:.2f}x the plain loops", best.speedup);
  if (best.roofline > 0 && !too_short)
    ratios += fmt::format(", {:.0f} % of the roofline", 100 * best.roofline);
  print_fitted(fmt::format(
      "{} ms, {:.1f} GB/s{}; verified, error {:.1e}",
      too_short ? fmt::format("{:.2g}", best.ms) : fmt::format("{:.{}f}", best.ms, best.ms < 0.1 ? 5 : 3),
      best.gbs, ratios, best.error));
  if (too_short && !r.emulated)
    print_fitted("a call this short says little of speed: the arrays are in the caches; take larger sizes");
  if (const std::string about = about_times(r); !about.empty()) print_fitted(about);
  if (!best.layout.empty())
    print_fitted(fmt::format(
        "its arrays are in layout '{}': converting them there and the result back takes {:.0f} ms{}",
        best.layout, best.convert_ms, break_even(r)));
}

/// The result as JSON and as a page, where asked for.
void write_results(const Options& o, const ExploreResult& r, const std::string& source,
                   const Depths* depths) {
  if (o.json.empty() && o.report.empty()) return;
  std::optional<Explanation> explanation;
  if (r.best) explanation = explain(o.pattern->build(o.problem), r.variants[*r.best]);
  const std::string json =
      json_report(r, source, {o.file, o.typed, command_of(o), depths, explanation ? &*explanation : nullptr});
  if (!o.json.empty()) write_file_atomically(o.json, json);
  if (!o.report.empty()) write_file_atomically(o.report, report::page(json));
}

void check_writable_results(const Options& o) {
  if (!o.json.empty()) check_writable_file(o.json, "--json");
  if (!o.report.empty()) check_writable_file(o.report, "--report");
  if (!o.record.empty()) check_writable_file(o.record, "--record");
  for (const auto& [name, path] : o.outputs) check_writable_file(path, "--output " + name);
}

void write_outputs(const Options& o, const std::vector<HostArray>& results) {
  for (const HostArray& r : results)
    if (const auto file = o.outputs.find(r.name); file != o.outputs.end()) {
      write_data_file(file->second, r);
      if (!o.quiet) print(r.name + " : " + r.type.str() + " is in " + file->second.string());
    }
}

/// 0, or 1 when nothing was verified or something is wrong.
int finish(const Options& o, const ExploreResult& r, const std::filesystem::path& directory,
           const Depths* depths = nullptr) {
  if (r.best && o.command != "compare") print_best(r);  // first: files may not be writable
  const std::string path = write_best(o, r, directory);
  if (r.best) print("kernel: " + path);
  if (r.best && !o.quiet && !o.file.empty())
    say_what_is_not_overwritten(o.pattern->build(o.problem), r.variants[*r.best].kernel);
  write_results(o, r, path, depths);
  if (!o.report.empty()) print("report: " + o.report.string());
  const int wrong = report_wrong(r);
  if (r.best) return wrong;
  report_failures(r, true);
  std::fprintf(stderr, "liftgen: no variant was verified%s\n",
               r.interrupted        ? " before the interruption"
               : o.command == "run" ? "; see above"
                                    : "; see above, or try a larger --budget");
  return 1;
}

/// C functions of a file are compiled and run as they are, with the rights of whoever calls us.
void say_what_is_trusted(const Options& o, const Program& program) {
  std::string all;
  for (const auto& function : names_of(program.body).functions)
    all += (all.empty() ? "" : ", ") + function.first;
  if (!all.empty() && !o.quiet) print("compiling and running the C functions of " + o.file + ": " + all);
}

/// Of several depths, which are left in `depths`, the best; `o` is then about that one.
ExploreResult explored(Options& o, ExploreOptions options, std::optional<Depths>& depths) {
  ExploreResult result;
  {
    ProgressPrinter progress(o.quiet);
    options.on_progress = [&](const Progress& p) { progress(p); };
    if (o.every_depth)
      depths = explore_depths(*o.pattern, o.problem, options);
    else
      result = lift::explore(*o.pattern, o.problem, options);
  }
  if (!depths) return result;
  const std::int64_t boxes = o.problem.boxes;
  print_fitted(
      fmt::format("{}: times of one sweep, by how many are done in a call{}", o.pattern->name,
                  depths->boxes < boxes ? fmt::format(" (over {} of {} boxes)", depths->boxes, boxes) : ""));
  print(depth_table(*depths, output_columns()));
  o.problem = depths->result.problem;
  return std::move(depths->result);
}

}  // namespace

int explore(const Options& given) {
  Options o = given;
  say_what_is_trusted(o, o.pattern->build(o.problem));
  check_writable_results(o);
  const auto directory = kernel_directory(o.out);
  check_kernel_files(directory, o.pattern->name, o.target);
  ExploreOptions options = explore_options(o);
  options.memory = memory_of(o);
  if (!o.record.empty()) options.recorder = std::make_shared<Recorder>(o.file, o.sizes);
  std::optional<Depths> depths;
  const ExploreResult result = explored(o, options, depths);
  if (options.recorder) write_file_atomically(o.record, options.recorder->text());
  print_fitted(heading(o, result));
  if (result.interrupted) print("interrupted: what was found so far");
  if (!result.cut_short.empty())
    print("cut short (" + result.cut_short.substr(0, result.cut_short.find('\n')) +
          "): what was found so far");
  if (!result.variants.empty()) print(leaderboard(result, o.verbose ? 30 : 12, output_columns()));
  if (!result.switches.empty())
    print("\nswitches, off and on in all combinations, " + switch_table(result.switches, output_columns()));
  print_fitted(summary(result, o.verbose));
  if (result.best) report_failures(result, o.verbose);
  return finish(o, result, directory, depths ? &*depths : nullptr);
}

int run(const Options& o) {
  say_what_is_trusted(o, o.pattern->build(o.problem));
  check_writable_results(o);
  const auto directory = kernel_directory(o.out);
  check_kernel_files(directory, o.pattern->name, o.target);
  ExploreOptions options = explore_options(o);
  options.configurations = 1, options.rivals = false, options.only_layout = kCallersLayout;
  options.only = given_derivation(o);
  std::string name;  // of the variant, where nobody gave a derivation
  if (!options.only) {
    Chosen chosen = choose_variant(o);
    options.only = std::move(chosen.derivation), name = std::move(chosen.name);
  }
  if (!o.outputs.empty())
    options.on_results = [&](const std::vector<HostArray>& results) { write_outputs(o, results); };
  ExploreResult result = lift::explore(*o.pattern, o.problem, options);
  if (!name.empty())
    for (Variant& v : result.variants) v.name = v.structure = name;
  print_fitted(heading(o, result));
  if (result.best) print(leaderboard(result, 1, output_columns()));
  if (o.verbose) print_fitted(summary(result, true));
  return finish(o, result, directory);
}

int compare(const Options& o) {
  say_what_is_trusted(o, o.pattern->build(o.problem));
  check_writable_results(o);
  const auto directory = kernel_directory(o.out);
  check_kernel_files(directory, o.pattern->name, o.target);
  ExploreOptions options = explore_options(o);
  options.rivals = false, options.contenders = make_contest(o.with, o.configurations, o.target),
  options.memory = memory_of(o);
  ExploreResult result;
  {
    ProgressPrinter progress(o.quiet);
    options.on_progress = [&](const Progress& p) { progress(p); };
    result = lift::explore(*o.pattern, o.problem, options);
  }
  print_fitted(heading(o, result));
  if (result.interrupted) print("interrupted: what was found so far");
  print(comparison_table(result));
  if (o.verbose) print_fitted(summary(result, true));
  return finish(o, result, directory);
}

}  // namespace lift::cli
