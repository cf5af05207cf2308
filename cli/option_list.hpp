// The options of commands as lists: what help, the manual page and the shells' completions are made of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command_options.hpp"
#include "emit/source_text.hpp"

namespace lift::cli {

/// A way to call liftgen.
struct Use {
  const char* line;
  const char* text;
};
std::span<const Use> all_uses();

/// An option as a command declares it.
struct Entry {
  std::vector<std::string> names;  ///< with their dashes; of a positional argument its name alone
  std::string text, initial;
  bool positional = false, takes_value = false;
};
std::vector<Entry> entries_of(const CLI::App& app);
std::vector<Entry> entries_of(const std::string& command);
/// The text, and what holds without the option.
std::string with_initial(const Entry& e);

/// The choices that operators bring, by name, with all their values.
std::map<std::string, std::vector<std::string>> all_choices();
/// What may stand behind an option ("--bc"), where there are few.
std::map<std::string, std::vector<std::string>> values_of_options();

}  // namespace lift::cli
