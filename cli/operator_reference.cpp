#include "cli/operator_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "patterns/box_problem.hpp"
#include "tuning/traffic.hpp"

namespace lift::cli {
namespace {

using ChosenValues = std::map<std::string, std::string>;

/// All combinations of values with the defaults left out, those with the fewest values first.
std::vector<ChosenValues> combinations(const Pattern& pattern) {
  std::vector<ChosenValues> all{{}};
  for (const auto& [name, values] : pattern.choices) {
    const std::vector<ChosenValues> before = all;
    for (std::size_t v = 1; v < values.size(); ++v)
      for (ChosenValues c : before) {
        c[name] = values[v];
        all.push_back(std::move(c));
      }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ChosenValues& a, const ChosenValues& b) { return a.size() < b.size(); });
  return all;
}

/// The standard problem with these choices; a wide stencil needs a deeper ghost zone. Nothing when they
/// exclude each other.
std::optional<Program> built(const Pattern& pattern, const ChosenValues& choices) {
  Problem p;
  p.choices = choices;
  for (p.ghost = 1; p.ghost <= 2; ++p.ghost) {
    try {
      return pattern.build(p);
    } catch (const UserError&) {  // the next may be possible
    }
  }
  return std::nullopt;
}

std::string text_of(const ChosenValues& choices) {
  std::string s;
  for (const auto& [name, value] : choices) s += (s.empty() ? "--" : " --") + name + " " + value;
  return s;
}

/// Arguments of one type in a row share a line: phi, rhs, alpha : 64.66.66.66.f64
std::vector<std::string> argument_lines(const Program& program) {
  std::vector<std::string> lines;
  std::string names;
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const Expr& a = program.arguments[i];
    names += (names.empty() ? "" : ", ") + param_name(a);
    if (i + 1 < program.arguments.size() && program.arguments[i + 1].type() == a.type()) continue;
    lines.push_back(names + " : " + a.type().str());
    names.clear();
  }
  return lines;
}

std::string figures(const Program& program) {
  const Traffic t = traffic(program);
  return fmt::format("{:.1f} flops and {:.0f} compulsory bytes a cell", t.flops_per_cell(),
                     t.bytes_per_cell());
}

/// smooth3d, in contrast to thomas
bool has_dimension(const Pattern& pattern) {
  return pattern.name.size() > 2 && pattern.name.back() == 'd' &&
         is_digit(pattern.name[pattern.name.size() - 2]);
}
/// The name without its dimension.
std::string family(const Pattern& pattern) {
  return has_dimension(pattern) ? pattern.name.substr(0, pattern.name.size() - 2) : pattern.name;
}

std::string choices_text(const Pattern& pattern) {
  std::string s;
  for (const auto& [name, values] : pattern.choices) {
    s += "- `--" + name + "`: ";
    for (const std::string& v : values) s += (v == values.front() ? "" : ", ") + v;
    s += "\n";
  }
  return s.empty() ? "" : "Choices, the first value unless told otherwise:\n\n" + s + "\n";
}

/// One table row: the choices and, for each dimension, flops and bytes.
std::string table_row(const std::vector<const Pattern*>& dimensions, const ChosenValues& choices) {
  std::string row =
      "| " + (choices.empty() ? std::string("(defaults)") : "`" + text_of(choices) + "`") + " |";
  bool any = false;
  for (const Pattern* p : dimensions) {
    const auto allowed = [&](const auto& choice) {
      const auto it = p->choices.find(choice.first);
      return it != p->choices.end() &&
             std::find(it->second.begin(), it->second.end(), choice.second) != it->second.end();
    };
    const std::optional<Program> program =
        std::all_of(choices.begin(), choices.end(), allowed) ? built(*p, choices) : std::nullopt;
    any = any || program;
    if (!program)
      row += " | |";
    else if (const Traffic t = traffic(*program); true)
      row += fmt::format(" {:.1f} | {:.0f} |", t.flops_per_cell(), t.bytes_per_cell());
  }
  return any ? row + "\n" : "";
}

/// `dimensions`: the same operator in 1D, 2D and 3D.
std::string section(const std::vector<const Pattern*>& dimensions) {
  const Pattern& p = *dimensions.back();
  std::string names;
  for (const Pattern* d : dimensions) names += (names.empty() ? "`" : ", `") + d->name + "`";
  const bool in_dimensions = has_dimension(p);
  std::string s = "## " + family(p) + "\n\n" + names + ": " +
                  (in_dimensions ? p.summary.substr(p.summary.find(' ') + 1) : p.summary) + ".\n\n";
  std::istringstream formula(p.formula);
  for (std::string line; std::getline(formula, line);) s += "    " + line + "\n";
  if (!p.formula.empty()) s += "\n";
  const std::optional<Program> program = built(p, {});
  s += in_dimensions ? "Arguments in 3D:\n\n" : "Arguments:\n\n";
  for (const std::string& line : argument_lines(*program)) s += "    " + line + "\n";
  std::string results;
  for (const ProgramResult& r : results_of(*program))
    results += (results.empty() ? "" : ", ") + r.name + " : " + r.type.str();
  std::string overwritten;
  for (const std::string& name : program->overwritable)
    overwritten += (overwritten.empty() ? "" : ", ") + name;
  s += "\n" +
       (overwritten.empty() ? "Result: `" + results + "`."
                            : "May be overwritten by the result: " + overwritten + ".") +
       "\n\n" + choices_text(p);
  s += in_dimensions ? "| choices | flops 1D | bytes 1D | flops 2D | bytes 2D | flops 3D | bytes 3D "
                       "|\n|---|---|---|---|---|---|---|\n"
                     : "| choices | flops | bytes |\n|---|---|---|\n";
  for (const ChosenValues& c : combinations(p)) s += table_row(dimensions, c);
  return s + "\n";
}

}  // namespace

std::string operator_lines(const Pattern& pattern) {
  std::string s = pattern.name + "  " + pattern.summary + "\n";
  const Program program = *built(pattern, {});
  for (const std::string& line : argument_lines(program)) s += "    " + line + "\n";
  s += "    " + figures(program) + "\n";
  const std::vector<ChosenValues> all = combinations(pattern);
  for (const auto& [name, values] : pattern.choices)
    for (const std::string& value : values) {
      if (value == values.front()) continue;
      for (const ChosenValues& c : all) {  // with as few other choices as it needs
        if (!c.contains(name) || c.at(name) != value) continue;
        const std::optional<Program> chosen = built(pattern, c);
        if (!chosen) continue;
        s += "    " + text_of(c) + ": " + figures(*chosen) + "\n";
        break;
      }
    }
  return s;
}

std::string operator_page() {
  std::string boundaries;
  for (const std::string& b : boundary_names()) boundaries += (boundaries.empty() ? "`" : ", `") + b + "`";
  std::string s =
      "# Operators\n\n"
      "Written by `liftgen list --markdown` from the library's registry.\n\n"
      "Arrays are `boxes.(n + 2g)...`; `i` is the innermost index and has unit stride. Programs over columns "
      "have no ghost zones.\n"
      "A box may have different numbers of cells along its dimensions, `--box 100,120,90` (k, j, i).\n"
      "Types below are those of the standard problem: 64 boxes of 64 cells a dimension, a ghost zone of one "
      "cell, f64.\n\n"
      "Boundary conditions (`--bc`): " +
      boundaries +
      ".\n"
      "`dirichlet-value` and `constant` add a scalar argument `boundary_value`.\n\n"
      "Where there is no ghost zone, arrays with a value for each cell have n cells a dimension, and arrays\n"
      "with a value for each face one more along their own axis.\n\n"
      "L, in 3D (`--coefficients variable`; constant: alpha = beta = 1, and the stencil is chosen by "
      "`--stencil`):\n\n"
      "    L(phi) = a*alpha*phi - b/h^2 * (  beta_i[i+1]*(phi[i+1] - phi) - beta_i[i]*(phi - phi[i-1])\n"
      "                                    + beta_j[j+1]*(phi[j+1] - phi) - beta_j[j]*(phi - phi[j-1])\n"
      "                                    + beta_k[k+1]*(phi[k+1] - phi) - beta_k[k]*(phi - phi[k-1]) )\n\n"
      "    star   the neighbours along the axes: 3, 5, 7 points in 1D, 2D, 3D\n"
      "    wide   fourth order, two neighbours a side along the axes: 5, 9, 13 points; --ghost 2\n"
      "    box    all neighbours, isotropic weights: 3, 9, 27 points\n\n"
      "Flops and compulsory bytes are counted on the expression, for each cell of the array that is\n"
      "written; for norms and products, for each cell that is read. Compulsory bytes are what has to\n"
      "move at least: every element is read once and written once. An element that is only written\n"
      "counts twice, because a cache fetches it first. Halos do not count. For red-black half-sweeps,\n"
      "flops are the mean over cells of both colours. A program of several steps counts each argument\n"
      "once.\n\n";
  std::vector<const Pattern*> same;
  for (const auto& p : all_patterns()) {
    if (!same.empty() && family(*same.front()) != family(*p)) s += section(same), same.clear();
    same.push_back(p.get());
  }
  return s + section(same);
}

}  // namespace lift::cli
