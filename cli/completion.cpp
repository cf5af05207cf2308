// Completion scripts for shells.
#include "cli/manual.hpp"
#include "cli/option_list.hpp"
#include "ir/error.hpp"
#include "patterns/operators.hpp"

namespace lift::cli {
namespace {

std::string in_quotes(const std::string& text) {
  std::string r;
  for (const char c : text) r += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + r + "'";
}
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const CommandText& c : all_commands()) words.emplace_back(c.name);
  for (const auto& p : all_patterns()) words.push_back(p->name);
  return words;
}
std::vector<std::string> option_names(const CommandText& c) {
  std::vector<std::string> names;
  for (const Entry& e : entries_of(c.name))
    if (!e.positional) names.insert(names.end(), e.names.begin(), e.names.end());
  if (c.on_operator)
    for (const auto& [name, values] : all_choices()) names.push_back("--" + name);
  return names;
}

std::string bash_completion() {
  std::string operators,
      s = "# bash completion for liftgen\n_liftgen() {\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
          "  case $prev in\n";
  for (const auto& [option, values] : values_of_options())
    s += "    " + option + ") words=" + in_quotes(joined(values, " ")) + " ;;\n";
  s += "    --json|--report|--out|-o|--derivation|--db|--from|--record) return ;;\n  esac\n";
  for (const auto& p : all_patterns()) operators += (operators.empty() ? "" : " ") + p->name;
  s += "  if [ -z \"$words\" ] && [ \"$COMP_CWORD\" = 1 ]; then\n    words=" +
       in_quotes(joined(first_words(), " ") + " --help --version") + "\n";
  s += "  elif [ -z \"$words\" ]; then\n    case ${COMP_WORDS[1]} in\n";
  std::string on_operator;
  for (const CommandText& c : all_commands()) {
    std::string words = joined(option_names(c), " ");
    if (c.on_operator) words += " " + operators;
    if (std::string(c.name) == "db") words = "list show export import merge prune " + words;
    if (std::string(c.name) == "completion") words = "bash zsh " + words;
    s += "      " + std::string(c.name) + ") words=" + in_quotes(words) + " ;;\n";
    if (std::string(c.name) == "explore") on_operator = words;
  }
  s += "      *) words=" + in_quotes("--explore " + on_operator) + " ;;\n    esac\n  fi\n";
  return s +
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  [ \"${cur#-}\" = \"$cur\" ] && COMPREPLY+=($(compgen -f -X '!*.lift' -- \"$cur\"))\n"
         "}\ncomplete -o default -F _liftgen liftgen\n";
}

/// [, ] and : mean something to _arguments.
std::string zsh_text(const std::string& text) {
  std::string r;
  for (const char c : text)
    r += std::string("[]:\\").find(c) != std::string::npos ? std::string("\\") + c : std::string(1, c);
  return r;
}

std::string zsh_completion() {
  const auto values = values_of_options();
  std::string s =
      "#compdef liftgen\n# zsh completion for liftgen\nlocal -a options\nif (( CURRENT == 2 )); then\n"
      "  compadd -- " +
      joined(first_words(), " ") +
      " --help --version\n  _files -g '*.lift'\n"
      "  return\nfi\ncase $words[2] in\n";
  const auto branch = [&](const std::string& pattern, const CommandText& c) {
    s += "  " + pattern + ")\n    options=(\n";
    std::vector<Entry> entries = entries_of(c.name);
    if (c.on_operator)
      for (const auto& [name, all] : all_choices())
        entries.push_back({{"--" + name}, "of the operator", "", false, true});
    for (const Entry& e : entries) {
      if (e.positional) continue;
      for (const std::string& name : e.names) {
        const auto at = values.find(name);
        const std::string what = !e.takes_value       ? ""
                                 : at != values.end() ? ":value:(" + joined(at->second, " ") + ")"
                                                      : ":value:_files";
        s += "      " + in_quotes(name + "[" + zsh_text(e.text) + "]" + what) + "\n";
      }
    }
    std::string operators;
    for (const auto& p : all_patterns()) operators += " " + p->name;
    s += "    )\n    " + std::string(c.on_operator ? "compadd --" + operators + "; " : "") +
         "_arguments $options '*:file:_files' ;;\n";
  };
  for (const CommandText& c : all_commands()) branch(c.name, c);
  branch("*", *find_command("explore"));
  return s + "esac\n";
}

}  // namespace

std::string completion(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  throw UserError("completion " + shell + ": no such shell here; use bash or zsh");
}

}  // namespace lift::cli
