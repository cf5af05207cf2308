#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "compare/peer.hpp"
#include "ir/error.hpp"
#include "ir/text/near.hpp"
#include "patterns/operators.hpp"
#include "runtime/affinity.hpp"
#include "tuning/lift_problem.hpp"
#include "tuning/search/technique.hpp"

namespace lift::cli {
namespace {

constexpr const char* kHelp =
    "liftgen: kernels for multigrid operators, generated from expressions by rewriting and tuned by "
    "measuring\n"
    "\n"
    "  liftgen smooth3d --explore      find the fastest variant of an operator on this machine\n"
    "  liftgen list [--markdown]       the operators\n"
    "  liftgen show OP --stage S       an operator's expression (high), its low-level form (low), loops, or "
    "code\n"
    "  liftgen emit OP --out DIR       a kernel with a header and a caller, the best known, without "
    "exploring\n"
    "  liftgen run OP                  one verified, timed run\n"
    "  liftgen compare OP              beside plain loops and polyhedral compilers, in one run\n"
    "  liftgen db list                 what exploring has found; also show, export, import, merge, prune\n"
    "  liftgen report FILE.json -o P   what explore --json has written as a page, P.html, to read and print\n"
    "  liftgen rules [--lint]          the rewrite rules\n"
    "  liftgen machine                 what this machine is and how fast its memory\n"
    "\n"
    "An operator may also be a program of your own: liftgen blur.lift --explore, with --size n=1024; see "
    "docs/lift-language.md.\n"
    "Sizes: --box N --boxes B --ghost G --bc ghost|periodic|dirichlet|neumann --type f32|f64\n"
    "`liftgen COMMAND --help` lists all options of a command.\n";

struct CommandText {
  const char* name;
  const char* text;
  bool on_operator;
};
constexpr CommandText kCommands[] = {
    {"list", "the operators: inputs, shape, flops and compulsory bytes a cell", false},
    {"explore", "search rewrites and parameters, verify, time, keep the best", true},
    {"show", "print a stage of an operator", true},
    {"emit", "write a kernel with a header and a caller", true},
    {"run", "one verified, timed run", true},
    {"compare", "beside plain loops and polyhedral compilers, on the same data in one run", true},
    {"db", "what exploring has found: list, show ID, export [FILE], import FILE, merge FILE, prune", false},
    {"report", "what explore --json has written, as a page to read and print", false},
    {"rules", "the rewrite rules", false},
    {"machine", "this machine", false},
};
const CommandText* find_command(const std::string& name) {
  const auto at = std::find_if(std::begin(kCommands), std::end(kCommands),
                               [&](const CommandText& c) { return name == c.name; });
  return at == std::end(kCommands) ? nullptr : at;
}

/// A program in textual form rather than an operator's name.
bool is_file(const std::string& name) { return name.ends_with(".lift"); }

/// `liftgen OP --explore`, and the same words in another order, are `liftgen explore OP`.
std::vector<std::string> normalised(std::vector<std::string> arguments) {
  if (arguments[0] == "--explore") arguments[0] = "explore";
  if (arguments[0] == "explore")
    arguments.erase(std::remove(arguments.begin(), arguments.end(), "--explore"), arguments.end());
  if (arguments[0].starts_with("-") || find_command(arguments[0])) return arguments;
  const std::string& name = arguments[0];
  const auto explore = std::find(arguments.begin(), arguments.end(), "--explore");
  const bool exploring = explore != arguments.end();
  const auto& patterns = all_patterns();
  const bool known = is_file(name) || std::any_of(patterns.begin(), patterns.end(),
                                                  [&](const auto& p) { return p->name == name; });
  if (!exploring && known)
    throw UserError("what to do with " + name + "? liftgen " + name +
                    " --explore finds its fastest variant; liftgen run " + name + " runs it once");
  if (!exploring) {
    std::vector<std::string> names;
    for (const CommandText& c : kCommands) names.emplace_back(c.name);
    if (const std::string meant = nearest(name, names); !meant.empty())
      throw UserError("unknown command '" + name + "'; did you mean '" + meant +
                      "'? liftgen alone lists the commands");
    find_pattern(name);  // throws
  }
  arguments.erase(explore);
  arguments.insert(arguments.begin(), "explore");
  return arguments;
}

/// CLI11's messages in our form, with near matches for unknown options.
UserError friendly(const CLI::App& app, const CLI::ParseError& error,
                   const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& argument : arguments) {
      const std::string name = argument.substr(0, argument.find('='));
      if (!name.starts_with("-") || std::find(names.begin(), names.end(), name) != names.end()) continue;
      const std::string meant = nearest(name, names);
      return UserError(name + ": unknown option" + (meant.empty() ? "; " : "; did you mean " + meant + "? ") +
                       "`liftgen " + app.get_name() + " --help` lists them");
    }
  }
  std::string text = error.what();
  if (const auto at = text.find(": 1 required "); at != std::string::npos)
    text.replace(at, std::string::npos, ": a value is missing");
  if (const auto at = text.find(": At Most 1 "); at != std::string::npos)
    text.replace(at, std::string::npos, ": given more than once");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return UserError(text + "; `liftgen " + app.get_name() + " --help` lists what there is");
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

struct Texts {
  std::string op, type = "f64", backend = "openmp", sweeps;
  std::vector<std::string> sizes;
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

const CLI::Validator kSweeps{
    [](std::string& text) {
      return text == "auto" ? std::string() : kWhole(text) + (kWhole(text).empty() ? "" : ", nor auto");
    },
    ""};
constexpr int kMostSweeps = 64;

void add_problem(CLI::App& app, Options& o, Texts& t, const Pattern* pattern) {
  app.add_option("--box", o.problem.box, "interior cells a dimension of a box")
      ->check(kWhole)
      ->capture_default_str();
  app.add_option("--boxes", o.problem.boxes, "number of boxes")->check(kWhole)->capture_default_str();
  app.add_option("--ghost", o.problem.ghost, "depth of each box's ghost zone")
      ->check(kWhole)
      ->capture_default_str();
  app.add_option(
         "--sweeps", t.sweeps,
         "of a smoother: (half-)sweeps one after the other, each of which uses up the stencil's "
         "radius of the ghost zone; auto tries 1, 2, 4 and 8, each with --ghost times as deep a ghost "
         "zone, and keeps what is fastest a sweep. Without it auto to explore smoothers on processors, else "
         "1")
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
  if (command != "compare") {
    app.add_option(
           "--backend", t.backend,
           target_names() +
               (command == "emit" ? "; scop: the loops as they are, for polyhedral compilers to read" : ""))
        ->capture_default_str();
    app.add_option("--device", o.device,
                   "OpenCL or CUDA device, see liftgen machine; -1 is the first GPU, else the first device")
        ->check(kWhole)
        ->capture_default_str();
  }
  app.add_option("--threads", o.threads, "threads; 0 is as many as the machine grants")
      ->check(kWhole)
      ->capture_default_str();
}

void add_database(CLI::App& app, const std::string& command, Options& o) {
  if (command == "explore" || command == "run" || command == "compare" || command == "emit" ||
      command == "db")
    app.add_option(
        "--db", o.db,
        "the database of what exploring has found ($LIFTGEN_DB, else liftgen/found.db in $XDG_DATA_HOME "
        "or ~/.local/share)");
  if (command == "explore" || command == "run" || command == "compare" || command == "emit")
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

void add_options(CLI::App& app, const std::string& command, Options& o, Texts& t, const Pattern* pattern) {
  const bool on_operator = find_command(command)->on_operator,
             measures = command == "explore" || command == "run" || command == "compare";
  if (on_operator) {
    app.add_option("operator", t.op, "an operator, see liftgen list; or a file.lift")->required();
    if (o.file.empty())
      add_problem(app, o, t, pattern);
    else
      app.add_option("--size", t.sizes, "n=1024: a size that the file declares")->take_all();
    add_backend(app, command, o, t);
  }
  if (command == "machine")
    app.add_option("--threads", o.threads, "threads; 0 is as many as the machine grants")
        ->check(kWhole)
        ->capture_default_str();
  if (command == "list")
    app.add_flag("--markdown", o.markdown, "as a Markdown page with all combinations of choices");
  if (command == "rules") app.add_flag("--lint", o.lint, "say what is wrong with them");
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
    app.add_option("--with", o.with, "whom, of " + joined_names(peer_names()) + ": all unless told otherwise")
        ->delimiter(',');
    app.add_option("--budget", o.budget,
                   "wall seconds, of which everybody gets the same share to look for fast settings")
        ->capture_default_str();
    app.add_option("--configs", o.configurations,
                   "everybody tries at most so many configurations; 0 is no limit")
        ->check(kWhole)
        ->capture_default_str();
    app.add_option("--seed", o.seed, "of the random choices")->check(kNatural)->capture_default_str();
    app.add_flag("--caller-layout", o.caller_layout, "leave all arrays in the caller's layout");
  }
  if (command == "explore") {
    app.add_option("--budget", o.budget, "wall seconds")->capture_default_str();
    app.add_option("--configs", o.configurations, "try at most so many configurations; 0 is no limit")
        ->check(kWhole)
        ->capture_default_str();
    app.add_option("--search", o.search, technique_names())->capture_default_str();
    app.add_option("--seed", o.seed, "of the random choices")->check(kNatural)->capture_default_str();
    app.add_option("--from", o.from,
                   "begin with the fastest variants in this file, which --json has written, of any size, "
                   "machine or backend");
    app.add_flag("--grid", o.grid,
                 "also measure all combinations of the switches (loop order, unrolling, registers, "
                 "prefetching, read-only loads, block size), within the budget: each alone first");
    app.add_flag("--caller-layout", o.caller_layout, "leave all arrays in the caller's layout");
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
  add_database(app, command, o);
  app.add_flag("--quiet", o.quiet, "results only");
  app.add_flag("--verbose", o.verbose, "also where the time went");
}

void check(Options& o, const Texts& t) {
  if (t.type == "f32")
    o.problem.type = f32;
  else if (t.type == "f64")
    o.problem.type = f64;
  else
    throw UserError("--type " + t.type + ": no such type; use f32 or f64");
  const auto target = target_named(o.scop ? text(Target::openmp) : t.backend);
  if (!target) throw UserError("--backend " + t.backend + ": no such backend here; use " + target_names());
  o.target = *target;
  if (t.sweeps == "auto")
    o.every_depth = true;
  else if (!t.sweeps.empty())
    o.problem.sweeps = static_cast<int>(std::min<std::int64_t>(std::stoll(t.sweeps), kMostSweeps + 1));
  if (o.problem.sweeps > kMostSweeps)
    throw UserError("--sweeps " + t.sweeps + ": more than " + std::to_string(kMostSweeps) +
                    " sweeps would each be a copy of the code; use fewer, and more calls");
  if (o.emulate && !capabilities(o.target).emulated)
    throw UserError("--emulate: only CUDA kernels are emulated; add --backend cuda");
  if (o.device < -1)
    throw UserError("--device " + std::to_string(o.device) +
                    ": use a number that liftgen machine lists, or -1");
  if (o.threads < 0)
    throw UserError("--threads " + std::to_string(o.threads) +
                    ": use 1 or more, or 0 for as many as the machine grants");
  if (const int most = static_cast<int>(allowed_cpus().size()); o.threads > most) {
    std::fprintf(stderr, "liftgen: --threads %d: this machine grants %d processors; %d threads are used\n",
                 o.threads, most, most);
    o.threads = most;
  }
  if (!o.report.empty() && (o.report == o.json || o.report == o.results))
    throw UserError("the page and the results cannot both be " + o.report.string() + "; give them two names");
  if (o.no_db && !o.db.empty())
    throw UserError("--no-db: --db " + o.db.string() + " asks for a database; leave one of them out");
  if (o.configurations < 0)
    throw UserError("--configs " + std::to_string(o.configurations) + ": use 1 or more, or 0 for no limit");
  if (!(o.budget > 0)) throw UserError("--budget " + std::to_string(o.budget) + ": use more than 0 seconds");
  constexpr const char* stages[] = {"high", "low", "loops", "code"};
  if (std::find(std::begin(stages), std::end(stages), o.stage) == std::end(stages))
    throw UserError("--stage " + o.stage + ": no such stage; use high, low, loops or code");
  constexpr std::int64_t most =
      std::int64_t{1} << 40;  // of any length: products of them are looked at where the dimensions are known
  if (o.problem.box > most || o.problem.boxes > most || o.problem.ghost > most)
    throw UserError("--box " + std::to_string(o.problem.box) + " --boxes " + std::to_string(o.problem.boxes) +
                    ": more cells than fit into any memory; use fewer");
}

/// "n=1024"
std::pair<std::string, std::int64_t> size_of(const std::string& text) {
  const auto equals = text.find('=');
  const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (equals == 0 || number.empty() || number.size() > 15 ||
      number.find_first_not_of("0123456789") != std::string::npos)
    throw UserError("--size " + text + ": write a name and a whole number: --size n=1024");
  return {text.substr(0, equals), std::stoll(number)};
}

/// The command line as a shell reads it.
std::string typed(const std::vector<std::string>& arguments) {
  std::string line = "liftgen";
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 ||
                 std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
        });
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    line += plain ? " " + argument : " '" + quoted + "'";
  }
  return line;
}

void load_file(Options& o, const std::vector<std::string>& sizes) {
  for (const std::string& text : sizes)
    if (const auto size = size_of(text); !o.sizes.insert(size).second)
      throw UserError("--size " + size.first + ": given more than once");
  const bool symbolic = o.problem.symbolic;
  PatternProblem loaded = load_lift_file(o.file, o.sizes);
  o.from_file = std::make_shared<const Pattern>(std::move(loaded.pattern));
  o.pattern = o.from_file.get(), o.problem = loaded.problem;
  o.problem.symbolic = symbolic;
}

}  // namespace

Options parse(const std::vector<std::string>& given) {
  Options options;
  options.typed = typed(given);
  if (given.empty() || given[0] == "--help" || given[0] == "-h" || given[0] == "help") {
    std::fputs(kHelp, stdout);
    return options;
  }
  std::vector<std::string> arguments = normalised(given);
  const CommandText* command = find_command(arguments[0]);
  if (command == nullptr)
    throw UserError(arguments[0] + ": a command or operator comes first; liftgen alone lists them");
  arguments.erase(arguments.begin());

  // An operator brings options of its own, so it is needed before the options are read.
  const bool named = command->on_operator && !arguments.empty() && !arguments[0].starts_with("-");
  if (named && is_file(arguments[0]))
    options.file = arguments[0];
  else if (named)
    options.pattern = &find_pattern(arguments[0]);
  CLI::App app(command->text, command->name);
  Texts texts;
  add_options(app, command->name, options, texts, options.pattern);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return options;
  } catch (const CLI::ParseError& error) {
    throw friendly(app, error, arguments);
  }
  if (command->on_operator && is_file(texts.op) && options.file.empty())
    throw UserError(texts.op + ": the file comes first; write liftgen " + command->name + " " + texts.op +
                    " ...");
  if (command->on_operator && options.pattern == nullptr && options.file.empty())
    options.pattern = &find_pattern(texts.op);
  options.scop = command->name == std::string_view("emit") && texts.backend == "scop";
  if (options.scop && !options.derivation.empty())
    throw UserError("--backend scop: writes the loops before any decision; leave --derivation out");
  for (const std::string& name : options.with)
    if (name != peer_names().front()) make_peers(name);  // throws
  check(options, texts);
  if (options.pattern != nullptr && options.problem.sweeps != 1 && !options.pattern->sweeps)
    throw UserError("--sweeps " + std::to_string(options.problem.sweeps) + ": " + options.pattern->name +
                    " is applied once; only smoothers have sweeps");
  if (!options.file.empty()) load_file(options, texts.sizes);
  // Schedules of several sweeps exist on processors; a grid of switches is of one program.
  if (texts.sweeps.empty() && command->name == std::string_view("explore") && options.pattern != nullptr &&
      options.pattern->sweeps && options.target == Target::openmp && !options.grid)
    options.every_depth = true;
  if (options.every_depth && command->name != std::string_view("explore"))
    throw UserError("--sweeps auto: only explore looks for how many are fastest; give " +
                    std::string(command->name) + " a number");
  options.command = command->name;
  return options;
}

}  // namespace lift::cli
