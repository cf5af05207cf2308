// Help for a terminal.
#include <sstream>

#include "cli/manual.hpp"
#include "cli/option_list.hpp"
#include "ir/text/wrap.hpp"
#include "tuning/database/platform.hpp"

namespace lift::cli {
namespace {

constexpr std::size_t kColumns = 80, kUseColumn = 30, kOptionColumn = 26;

/// Lines of a name and its formula, those too long broken below where the formula begins.
std::string formulas(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t gap = line.find("  "),
                      begin = gap == std::string::npos ? 0 : line.find_first_not_of(' ', gap);
    all += line.size() <= kColumns ? line + "\n"
                                   : hanging(line.substr(0, begin), line.substr(begin), begin, kColumns);
  }
  return all;
}

}  // namespace

std::string short_help() {
  std::string s =
      "liftgen: kernels for multigrid operators, generated from expressions by\n"
      "rewriting and tuned by measuring\n\n";
  for (const Use& u : all_uses()) s += hanging("  " + std::string(u.line), u.text, kUseColumn, kColumns);
  s += "\n" +
       wrapped(
           "An operator may also be a program of your own: liftgen blur.lift --explore, with --size "
           "n=1024; see docs/lift-language.md.",
           kColumns) +
       "Sizes: --box N --boxes B --ghost G --type f32|f64\n"
       "       --bc ghost|periodic|dirichlet|neumann\n" +
       wrapped(
           "`liftgen COMMAND --help` lists all options of a command, `liftgen OP --help` those of an "
           "operator, `liftgen manual | man -l -` everything.",
           kColumns);
  return s;
}

std::string version_text() {
  return std::string("liftgen ") + LIFTGEN_VERSION + "\nrewrite rules " + rules_version() + "\n";
}

std::string help_of(const CLI::App& app, const Pattern* pattern) {
  std::string s = "liftgen " + app.get_name() + ": " + app.get_description();
  std::string arguments, options;
  for (const Entry& e : entries_of(app)) {
    if (e.positional) arguments += " " + (e.names[0] == "operator" && pattern ? pattern->name : e.names[0]);
    (e.positional ? arguments : options) +=
        e.positional ? "" : hanging("  " + joined(e.names, ", "), with_initial(e), kOptionColumn, kColumns);
  }
  s = wrapped(s, kColumns);
  if (pattern)
    s += "\n" + wrapped(pattern->name + ": " + pattern->summary, kColumns) + formulas(pattern->formula);
  return s + "\nusage: liftgen " + app.get_name() + arguments + " [OPTION...]\n" + options;
}

}  // namespace lift::cli
