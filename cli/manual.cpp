// The manual page.
#include "cli/manual.hpp"

#include "cli/option_list.hpp"
#include "patterns/operators.hpp"

namespace lift::cli {
namespace {

std::string roff(const std::string& text) {
  std::string r;
  for (const char c : text) r += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return r.starts_with('.') || r.starts_with('\'') ? "\\&" + r : r;
}
std::string paragraph(const std::string& head, const std::string& text) {
  return ".TP\n.B " + roff(head) + "\n" + roff(text) + "\n";
}
std::string roff_options(const std::vector<Entry>& entries) {
  std::string s;
  for (const Entry& e : entries)
    s += paragraph(joined(e.names, ", ") + (e.takes_value && !e.positional ? " VALUE" : ""), with_initial(e));
  return s;
}

}  // namespace

std::string manual_page() {
  std::string s = ".TH LIFTGEN 1 \"\" \"liftgen " LIFTGEN_VERSION
                  "\"\n.SH NAME\nliftgen \\- kernels for stencils and "
                  "multigrid operators, generated and tuned\n.SH SYNOPSIS\n";
  for (const Use& u : all_uses()) s += ".B " + roff(u.line) + "\n.br\n";
  s +=
      ".SH DESCRIPTION\n" +
      roff(
          "An operator is an expression of functional primitives. Rewrite rules, each of which keeps the "
          "meaning, turn it into variants: other orders of loops, tiles in space and time, vectors, layouts, "
          "work-groups. Each variant is verified and timed, and the fastest is written as C with OpenMP, "
          "OpenCL or CUDA.") +
      "\n.SH OPERATORS\n" + roff("A file that ends in .lift holds a program of your own.") + "\n";
  for (const auto& p : all_patterns()) s += paragraph(p->name, p->summary);
  s += ".SH COMMANDS\n";
  for (const CommandText& c : all_commands())
    s += ".SS " + roff(c.name) + "\n" + roff(c.text) + "\n" + roff_options(entries_of(c.name));
  s += ".SH OPTIONS OF OPERATORS\n";
  for (const auto& [name, values] : all_choices()) s += paragraph("--" + name, joined(values, ", "));
  return s + ".SH FILES\n" +
         paragraph("$LIFTGEN_DB",
                   "what exploring has found; without it liftgen/found.db in "
                   "$XDG_DATA_HOME or ~/.local/share; none: no database") +
         paragraph("$LIFTGEN_TRIAD_MB", "the speed of memory is measured on arrays of at most so many MB") +
         paragraph("$LIFTGEN_TRUST_TIMES", "1: times count, and are remembered, whatever ran beside") +
         paragraph("$LIFTGEN_CACHE", "compiled kernels; without it liftgen in $XDG_CACHE_HOME or ~/.cache") +
         ".SH EXIT STATUS\n" + paragraph("0", "done") +
         paragraph("1", "nothing was verified, or output lost") +
         paragraph("2", "what was asked for cannot be done; a line says what to try") +
         paragraph("3", "the machine lacks something: a compiler, a device, memory");
}

}  // namespace lift::cli
