#include "cli/command_options.hpp"

#include <algorithm>

#include "compare/peer.hpp"
#include "emit/source_text.hpp"
#include "tuning/search/technique.hpp"

namespace lift::cli {
namespace {

constexpr CommandText kCommands[] = {
    {"list", "the operators: inputs, shape, flops and compulsory bytes a cell", false},
    {"explore", "search rewrites and parameters, verify, time, keep the best", true},
    {"show", "print a stage of an operator", true},
    {"emit", "write a kernel with a header and a caller", true},
    {"run", "one verified, timed run", true},
    {"solve", "A u = f by multigrid, from files or with a known solution: residuals, factors, times", false},
    {"compare", "beside plain loops and polyhedral compilers, on the same data in one run", true},
    {"db", "what exploring has found: list, show ID, export [FILE], import FILE, merge FILE, prune", false},
    {"report", "what explore --json has written, as a page to read and print", false},
    {"rules", "the rewrite rules", false},
    {"machine", "this machine", false},
    {"manual", "the manual page, to read as: liftgen manual | man -l -", false},
    {"completion", "what a shell completes, as a script for it: bash or zsh", false},
};

/// Whole numbers are written in decimal digits: 0x10 and 1e3 are none.
const CLI::Validator kWhole{[](std::string& text) {
                              const std::string digits = text.starts_with("-") ? text.substr(1) : text;
                              const bool good = !digits.empty() && digits.size() < 19 &&
                                                digits.find_first_not_of("0123456789") == std::string::npos;
                              return good ? std::string() : text + " is no whole number (of decimal digits)";
                            },
                            ""};
const CLI::Validator kNatural{[](std::string& text) {
                                const bool good = !text.empty() && text.size() < 19 &&
                                                  text.find_first_not_of("0123456789") == std::string::npos;
                                return good ? std::string()
                                            : text + " is no whole number of 0 or more (in decimal digits)";
                              },
                              ""};

/// One whole number, or several with commas between them.
const CLI::Validator kSides{[](std::string& text) {
                              for (std::size_t from = 0; from <= text.size();) {
                                const std::size_t to = std::min(text.find(',', from), text.size());
                                std::string side = text.substr(from, to - from);
                                if (std::string why = kWhole(side); !why.empty()) return why;
                                from = to + 1;
                              }
                              return std::string();
                            },
                            ""};

const CLI::Validator kSweeps{
    [](std::string& text) {
      return text == "auto" ? std::string() : kWhole(text) + (kWhole(text).empty() ? "" : ", nor auto");
    },
    ""};
void add_problem(CLI::App& app, Options& o, Texts& t, const Pattern* pattern) {
  app.add_option("--box", t.box,
                 "interior cells a dimension of a box, as in 64; of one that is no cube those of each, the "
                 "outermost first, as in 100,120,90")
      ->check(kSides)
      ->capture_default_str();
  app.add_option("--boxes", o.problem.boxes, "number of boxes")->check(kWhole)->capture_default_str();
  app.add_option("--ghost", o.problem.ghost, "depth of each box's ghost zone")
      ->check(kWhole)
      ->capture_default_str();
  app.add_option(
         "--sweeps", t.sweeps,
         "of a smoother: (half-)sweeps one after the other, each of which uses up the stencil's "
         "radius of the ghost zone; auto tries 1, 2, 4 and 8, each with --ghost times as deep a ghost "
         "zone, and keeps what is fastest a sweep. Without it auto to explore smoothers, else 1")
      ->check(kSweeps);
  app.add_option("--bc", o.problem.boundary,
                 "boundary condition: ghost (zones filled by the caller), periodic, dirichlet, "
                 "dirichlet-value, neumann, clamp, mirror, constant")
      ->capture_default_str();
  app.add_option("--type", t.type, "f32 or f64")->capture_default_str();
  if (pattern == nullptr) return;
  for (const auto& [name, values] : pattern->choices) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
    app.add_option_function<std::string>(
        "--" + name, [&o, name = name](const std::string& value) { o.problem.choices[name] = value; },
        "one of: " + text + " (the first unless told otherwise)");
  }
}

void add_backend(CLI::App& app, const std::string& command, Options& o, Texts& t) {
  app.add_option(
         "--backend", t.backend,
         target_names() + "; " + kBestBackend + " takes a GPU where there is one, else openmp" +
             (command == "emit" ? "; scop: the loops as they are, for polyhedral compilers to read" : ""))
      ->capture_default_str();
  app.add_option("--device", o.device,
                 "OpenCL or CUDA device, see liftgen machine; -1 is the first GPU, else the first device")
      ->check(kWhole)
      ->capture_default_str();
  app.add_option("--threads", o.threads, "threads; 0 is as many as the machine grants")
      ->check(kWhole)
      ->capture_default_str();
}

void add_database(CLI::App& app, const std::string& command, Options& o) {
  if (command == "explore" || command == "run" || command == "compare" || command == "emit" ||
      command == "solve" || command == "db")
    app.add_option(
        "--db", o.db,
        "the database of what exploring has found ($LIFTGEN_DB, else liftgen/found.db in $XDG_DATA_HOME "
        "or ~/.local/share); none: as --no-db");
  if (command == "explore" || command == "run" || command == "compare" || command == "emit" ||
      command == "solve")
    app.add_flag("--no-db", o.no_db, "neither use what was found before nor remember what is found");
  if (command != "db") return;
  app.add_option(
         "action", o.action,
         "list: a line a record; show ID: all of it; export [FILE]: as JSON, for others; import FILE: such "
         "JSON; merge FILE: another database; prune: remove what other versions of the rules have left, or, "
         "with --days, what is older")
      ->required();
  app.add_option("argument", o.argument, "ID or FILE");
  app.add_option("--days", o.days, "prune: remove what was found more than so many days ago")
      ->check(kNatural);
}

}  // namespace

std::span<const CommandText> all_commands() { return kCommands; }

const CommandText* find_command(const std::string& name) {
  const auto at = std::find_if(std::begin(kCommands), std::end(kCommands),
                               [&](const CommandText& c) { return name == c.name; });
  return at == std::end(kCommands) ? nullptr : at;
}

CLI::Option* add_caller_layout(CLI::App& app, Options& o) {
  return app.add_flag_callback(
      "--caller-layout", [&o] { o.layout = kCallersLayout; }, "leave all arrays in the caller's layout");
}

void add_options(CLI::App& app, const std::string& command, Options& o, Texts& t, const Pattern* pattern) {
  const bool on_operator = find_command(command)->on_operator,
             measures = command == "explore" || command == "run" || command == "compare";
  if (on_operator) {
    app.add_option("operator", t.op, "an operator, see liftgen list; or a file.lift")->required();
    if (o.file.empty())
      add_problem(app, o, t, pattern);
    else
      app.add_option("--size", t.sizes, "n=1024: a size that the file declares")->take_all();
    if (measures && !o.file.empty())
      app.add_option(
             "--input", t.inputs,
             "x=x.npy: what an argument is filled with; .npy, which also says sizes, else raw elements")
          ->take_all();
    if (command == "run")
      app.add_option("--output", t.outputs,
                     "y=y.npy: where to write a result, replacing the file; .npy, else raw elements")
          ->take_all();
    add_backend(app, command, o, t);
  }
  if (on_operator)
    app.add_option(
        "--rules", o.rules,
        command == "explore" || command == "compare"
            ? "a file of rules of your own, each a decision where it applies: see docs/WRITING_RULES.md"
            : "a file of rules of your own, which a derivation may name");
  if (command == "solve") add_solve_options(app, o.solve);
  if (command == "machine" || command == "solve")
    app.add_option("--threads", o.threads, "threads; 0 is as many as the machine grants")
        ->check(kWhole)
        ->capture_default_str();
  if (command == "list") {
    app.add_option("operator", o.argument, "this one only");
    app.add_flag("--markdown", o.markdown, "as a Markdown page with all combinations of choices");
    app.add_flag("--primitives", o.primitives,
                 "the language's primitives and scalar functions, as a Markdown page");
  }
  if (command == "rules") {
    app.add_option("file", o.rules, "rules of your own instead: each is held against the interpreter");
    app.add_flag("--lint", o.lint, "say what is wrong with them");
  }
  if (command == "show" || command == "emit")
    app.add_flag("--symbolic", o.problem.symbolic,
                 "sizes are arguments of the kernel; --box and --boxes only choose the variant");
  if (command == "show")
    app.add_option("--stage", o.stage, "high, low, loops or code")->capture_default_str();
  if (on_operator && command != "explore" && command != "compare")
    app.add_option("--derivation", o.derivation,
                   "file with a derivation to replay instead of the default one, one step a line");
  if (command == "compare") {
    o.budget = 180, o.with = peer_names();
    app.add_option("--with", o.with, "whom, of " + joined(peer_names()) + ": all unless told otherwise")
        ->delimiter(',');
    app.add_option("--budget", o.budget,
                   "wall seconds, of which everybody gets the same share to look for fast settings")
        ->capture_default_str();
    app.add_option("--configs", o.configurations,
                   "everybody tries at most so many configurations; 0 is no limit")
        ->check(kWhole)
        ->capture_default_str();
    app.add_option("--seed", o.seed, "of the random choices")->check(kNatural)->capture_default_str();
    add_caller_layout(app, o);
  }
  if (command == "explore") {
    app.add_option("--budget", o.budget, "wall seconds")->capture_default_str();
    app.add_option("--configs", o.configurations, "try at most so many configurations; 0 is no limit")
        ->check(kWhole)
        ->capture_default_str();
    app.add_option("--search", o.search, technique_names())->capture_default_str();
    app.add_option("--seed", o.seed, "of the random choices")->check(kNatural)->capture_default_str();
    app.add_option("--record", o.record,
                   "write every configuration that is tried to this file, with its time: to compare searches "
                   "without measuring, see bench/README.md");
    app.add_option("--from", o.from,
                   "begin with the fastest variants in this file, which --json has written, of any size, "
                   "machine or backend");
    app.add_flag("--grid", o.grid,
                 "also measure all combinations of the switches (loop order, unrolling, registers, "
                 "prefetching, read-only loads, block size), within the budget: each alone first");
    auto* caller = add_caller_layout(app, o);
    app.add_flag(
        "--one-layout", o.one_layout,
        "of several operators, named one after the other: the layout in which a round of them takes least "
        "time, and their kernels in it");
    app.add_option("--applied", o.applied,
                   "with --one-layout: how often each is applied in a round, as in 10,1,1")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    app.add_option_function<std::string>(
           "--layout", [&o](const std::string& text) { o.layout = parse_layout(text); },
           "store all arrays in this one: 'split AXES ALIGN' (cells of either colour apart), 'rows ALIGN "
           "LEAD' (padded rows, whose element LEAD is aligned)")
        ->excludes(caller);
  }
  if (measures && command != "compare")
    app.add_flag("--emulate", o.emulate,
                 "with --backend cuda: run on the processor, at small sizes, to check kernels; the times "
                 "mean nothing");
  if (measures) {
    app.add_option("--json", o.json, "write the results to this file, schema 1");
    app.add_option("--report", o.report, "write them to this file as one HTML page with charts");
  }
  if (command == "report") {
    app.add_option("results", o.results, "FILE.json, which explore --json has written")->required();
    app.add_option("-o,--out", o.report, "the page to write, FILE.html")->required();
  }
  if (on_operator && command != "show")
    app.add_option("--out", o.out, "directory for the kernel's source (build/kernels)");
  if (command == "completion") app.add_option("shell", o.argument, "bash or zsh")->required();
  add_database(app, command, o);
  app.add_flag("--quiet", o.quiet, "results only");
  app.add_flag("--verbose", o.verbose, "also where the time went");
}

}  // namespace lift::cli
