// Which commands there are and which options each has, said once: the parser, its help, the manual page and
// the shells' completions are made from it.
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace lift::cli {

struct CommandText {
  const char* name;
  const char* text;
  bool on_operator;
};
std::span<const CommandText> all_commands();
/// Null where there is none of that name.
const CommandText* find_command(const std::string& name);

/// Of --backend: a GPU where there is one, else processors.
constexpr const char* kBestBackend = "auto";

/// Options as they are written, where they are not yet what they mean.
struct Texts {
  std::string op, type = "f64", backend = "openmp", sweeps, box = "64";
  std::vector<std::string> sizes, inputs, outputs;
};

/// The options of a command, for an operator (with choices of its own; null: of any), into `o` and `t`. With
/// Options::file set, those of a program in textual form.
void add_options(CLI::App& app, const std::string& command, Options& o, Texts& t, const Pattern* pattern);

}  // namespace lift::cli
