#include "cli/options.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/check_files.hpp"
#include "cli/command_options.hpp"
#include "cli/manual.hpp"
#include "compare/peer.hpp"
#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "ir/text/near.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/operators.hpp"
#include "rewrite/own/read_rules.hpp"
#include "runtime/affinity.hpp"
#include "runtime/file.hpp"
#include "tuning/explore.hpp"
#include "tuning/lift_problem.hpp"
#include "tuning/target_here.hpp"

namespace lift::cli {
namespace {

/// A program in textual form rather than an operator's name.
bool is_file(const std::string& name) { return name.ends_with(".lift"); }

/// `liftgen emit solver ... --out DIR` is `liftgen solve ... --emit DIR`.
std::vector<std::string> emitted_solver(std::vector<std::string> arguments) {
  if (arguments.size() < 2 || arguments[0] != "emit" || arguments[1] != "solver") return arguments;
  arguments.erase(arguments.begin()), arguments[0] = "solve";
  bool named = false;
  for (std::string& a : arguments) {
    if (a == "--out" || a.starts_with("--out=")) a.replace(0, 5, "--emit"), named = true;
    named = named || a == "--help" || a == "-h";
  }
  if (!named) arguments.insert(arguments.end(), {"--emit", "build/solver"});
  return arguments;
}

/// `liftgen OP --explore`, and the same words in another order, are `liftgen explore OP`.
std::vector<std::string> normalised(std::vector<std::string> arguments) {
  if (arguments[0] == "--explore") arguments[0] = "explore";
  if (arguments[0] == "explore")
    arguments.erase(std::remove(arguments.begin(), arguments.end(), "--explore"), arguments.end());
  if (arguments[0].starts_with("-") || find_command(arguments[0])) return arguments;
  const std::string& name = arguments[0];
  const auto explore = std::find(arguments.begin(), arguments.end(), "--explore");
  const bool helping = std::any_of(arguments.begin(), arguments.end(),
                                   [](const std::string&a) { return a == "--help" || a == "-h"; }),
             exploring = helping || explore != arguments.end();
  const auto& patterns = all_patterns();
  const bool known = is_file(name) || std::any_of(patterns.begin(), patterns.end(),
                                                  [&](const auto& p) { return p->name == name; });
  if (!exploring)
    for (const std::string& a : arguments)
      if (a.starts_with("-") && !nearest(a, {"--explore"}).empty())
        throw UserError(a + ": unknown option; did you mean --explore?");
  if (!exploring && known)
    throw UserError("what to do with " + name + "? liftgen " + name +
                    " --explore finds its fastest variant; liftgen run " + name + " runs it once");
  if (!exploring) {
    std::vector<std::string> names;
    for (const CommandText& c : all_commands()) names.emplace_back(c.name);
    if (const std::string meant = nearest(name, names); !meant.empty())
      throw UserError("unknown command '" + name + "'; did you mean '" + meant +
                      "'? liftgen alone lists the commands");
    find_pattern(name);  // throws
  }
  if (explore != arguments.end()) arguments.erase(explore);
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
      const bool of_file = std::any_of(arguments.begin(), arguments.end(),
                                       [](const std::string& a) { return a.ends_with(".lift"); });
      for (const char* of_operators :
           {"--type", "--box", "--boxes", "--ghost", "--bc", "--smoother", "--sweeps"})
        if (of_file && name == of_operators)
          return UserError(name +
                           ": is about the library's operators; a file says types and sizes itself: "
                           "write them there (`param x : n.n.f32`), other sizes with --size n=...");
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
  if (text == "operator is required")
    return UserError(app.get_name() + ": an operator or a .lift file is missing, as in `liftgen " +
                     app.get_name() + " smooth3d`; `liftgen list` shows all operators");
  if (const std::string start = "Could not convert: "; text.starts_with(start)) {
    text.erase(0, start.size());
    if (const auto equals = text.find(" = "); equals != std::string::npos) text.replace(equals, 3, " ");
    text += ": this is no number";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return UserError(text + "; `liftgen " + app.get_name() + " --help` lists what there is");
}

constexpr int kMostSweeps = 64;

/// One number is of cubes, and as many equal ones are.
void check_box(Options& o, const Texts& t) {
  std::vector<std::int64_t>& sides = o.problem.sides;
  std::istringstream text(t.box);
  for (std::string side; std::getline(text, side, ',');) sides.push_back(std::stoll(side));
  o.problem.box = *std::min_element(sides.begin(), sides.end());
  if (sides.size() == 1) return sides.clear();
  const auto refuse = [&](const Pattern& p) {
    if (sides.size() != static_cast<std::size_t>(p.dimensions))
      throw UserError("--box " + box_text(o.problem) + ": the boxes of " + p.name + " have " +
                      std::to_string(p.dimensions) + " dimension" + (p.dimensions > 1 ? "s" : "") +
                      "; give one number for all, or one for each, the outermost first");
  };
  if (o.pattern != nullptr) refuse(*o.pattern);
  for (const Pattern* p : o.together) refuse(*p);
  if (std::all_of(sides.begin(), sides.end(), [&](std::int64_t side) { return side == sides[0]; }))
    sides.clear();
}

Target target_asked_for(const std::string& backend, const Options& o) {
  if (backend == kBestBackend && o.emulate)
    throw UserError(
        "--backend auto --emulate: nothing is emulated but what is asked for; use --backend cuda");
  if (backend == kBestBackend) return target_here();
  if (const auto target = target_named(backend)) return *target;
  throw UserError("--backend " + backend + ": no such backend here; use " + target_names() + ", or auto");
}

void check(Options& o, const Texts& t) {
  if (t.type == "f32")
    o.problem.type = f32;
  else if (t.type == "f64")
    o.problem.type = f64;
  else
    throw UserError("--type " + t.type + ": no such type; use f32 or f64");
  o.target = target_asked_for(o.scop ? text(Target::openmp) : t.backend, o);
  check_box(o, t);
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
  if (o.db == "none" && o.command != "db") o.db.clear(), o.no_db = true;  // as LIFTGEN_DB=none says it
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
  const std::vector<std::int64_t>& sides = o.problem.sides;
  const std::int64_t longest = sides.empty() ? o.problem.box : *std::max_element(sides.begin(), sides.end());
  if (longest > most || o.problem.boxes > most || o.problem.ghost > most)
    throw UserError("--box " + box_text(o.problem) + " --boxes " + std::to_string(o.problem.boxes) +
                    ": more cells than fit into any memory; use fewer");
}

void check_together(const Options& o) {
  if (!o.one_layout) {
    if (!o.applied.empty()) throw UserError("--applied: is for several operators; add --one-layout");
    return;
  }
  if (o.together.size() < 2)
    throw UserError(
        "--one-layout: name several operators of the library first, as in liftgen explore smooth3d "
        "residual3d --one-layout");
  if (!o.applied.empty() && o.applied.size() != o.together.size())
    throw UserError("--applied: " + std::to_string(o.applied.size()) + " numbers for " +
                    std::to_string(o.together.size()) + " operators; give one each");
  if (o.target != Target::openmp)
    throw UserError("--one-layout: layouts are compared on processors; use --backend openmp");
  const std::pair<bool, const char*> others[] = {
      {o.layout.has_value(), "a layout"},
      {!o.report.empty() || !o.record.empty(), "--report or --record"},
      {o.problem.sweeps != 1 || o.every_depth, "--sweeps"},
      {o.grid || !o.from.empty(), "--grid or --from"}};
  for (const auto& [given, option] : others)
    if (given)
      throw UserError(std::string("--one-layout: is no exploration of one operator; leave out ") + option);
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
    const bool plain = !argument.empty() && std::all_of(argument.begin(), argument.end(), [](char c) {
      return in_word(c) || std::string_view("-./=:,+@%").find(c) != std::string_view::npos;
    });
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    line += plain ? " " + argument : " '" + quoted + "'";
  }
  return line;
}

/// "x=x.npy", each name once.
std::map<std::string, std::filesystem::path> files_of(const std::string& option,
                                                      const std::vector<std::string>& texts) {
  std::map<std::string, std::filesystem::path> files;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      throw UserError(option + " " + text + ": write a name and a file: " + option + " x=x.npy");
    if (!files.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw UserError(option + " " + text.substr(0, equals) + ": given more than once");
  }
  return files;
}

/// Of what is asked for: results that exist.
void check_outputs(const Options& o) {
  std::string all;
  const std::vector<ProgramResult> results = results_of(o.pattern->build(o.problem));
  for (const ProgramResult& r : results) all += (all.empty() ? "" : ", ") + r.name;
  for (const auto& [name, path] : o.outputs) {
    const std::string option = "--output " + name + "=" + path.string();
    if (std::none_of(results.begin(), results.end(),
                     [&, n = name](const ProgramResult& r) { return r.name == n; }))
      throw UserError(option + ": there is no result '" + name + "'; the results are " + all);
  }
}

/// Rules of one's own: read, checked, and known to derivations from now on.
void load_rules(Options& o) {
  if (o.rules.empty()) return;
  std::string text;
  try {
    text = read_file(o.rules);
  } catch (const UserError& error) {
    throw UserError("--rules " + o.rules.string() + ": " + error.what());
  }
  o.own_rules = parse_rules(text, o.rules.string());
  admitted_rules(o.own_rules);
}

void load_file(Options& o, const std::vector<std::string>& sizes) {
  for (const std::string& text : sizes)
    if (const auto size = size_of(text); !o.sizes.insert(size).second)
      throw UserError("--size " + size.first + ": given more than once");
  const bool symbolic = o.problem.symbolic;
  PatternProblem loaded = load_lift_file(o.file, o.sizes, o.inputs);
  o.from_file = std::make_shared<const Pattern>(std::move(loaded.pattern));
  o.pattern = o.from_file.get(), o.problem = loaded.problem;
  o.problem.symbolic = symbolic;
}

}  // namespace

Options parse(const std::vector<std::string>& given) {
  Options options;
  options.typed = typed(given);
  if (given.empty() || given[0] == "--help" || given[0] == "-h" || given[0] == "help") {
    std::fputs(short_help().c_str(), stdout);
    return options;
  }
  if (given[0] == "--version") {
    std::fputs(version_text().c_str(), stdout);
    return options;
  }
  std::vector<std::string> arguments = normalised(emitted_solver(given));
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
  // So are those that share arrays with it.
  const bool together = std::find(arguments.begin(), arguments.end(), "--one-layout") != arguments.end();
  if (together && options.pattern != nullptr && command->name == std::string_view("explore")) {
    options.together.push_back(options.pattern);
    while (arguments.size() > 1 && !arguments[1].starts_with("-")) {
      options.together.push_back(&find_pattern(arguments[1]));
      arguments.erase(arguments.begin() + 1);
    }
  }
  CLI::App app(command->text, command->name);
  Texts texts;
  add_options(app, command->name, options, texts, options.pattern);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(help_of(app, options.pattern).c_str(), stdout);
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
  check(options, texts);
  if (is_grid(options.target) && options.with == peer_names()) options.with = grid_peer_names();
  for (const std::string& name : options.with)
    if (name != peer_names().front()) make_peers(name, options.target);  // throws
  check_together(options);
  if (options.pattern != nullptr && options.problem.sweeps != 1 && !options.pattern->sweeps)
    throw UserError("--sweeps " + std::to_string(options.problem.sweeps) + ": " + options.pattern->name +
                    " is applied once; only smoothers have sweeps");
  options.inputs = files_of("--input", texts.inputs), options.outputs = files_of("--output", texts.outputs);
  if (!options.file.empty()) load_file(options, texts.sizes);
  if (!options.outputs.empty()) check_outputs(options);
  // A grid of switches is of one program; depths are compared by times, which mean nothing when emulated.
  if (texts.sweeps.empty() && command->name == std::string_view("explore") && options.pattern != nullptr &&
      options.pattern->sweeps && !options.emulate && !options.grid && !options.one_layout)
    options.every_depth = true;
  if (options.every_depth && command->name != std::string_view("explore"))
    throw UserError("--sweeps auto: only explore looks for how many are fastest; give " +
                    std::string(command->name) + " a number");
  options.command = command->name;
  load_rules(options);
  check_files(options);
  return options;
}

}  // namespace lift::cli
