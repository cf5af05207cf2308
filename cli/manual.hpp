// What liftgen says of itself: help, version, the manual page, and what shells complete.
#pragma once

#include <string>

#include "cli/command_options.hpp"

namespace lift::cli {

/// The commands, a line each.
std::string short_help();
/// The version, and that of the rewrite rules (kernels in the database were found by).
std::string version_text();
/// All options of a command, in lines of 80 characters; with the operator's own, and what it is, if there is
/// one.
std::string help_of(const CLI::App& app, const Pattern* pattern);
/// liftgen(1), for man.
std::string manual_page();
/// A completion script; UserError for another shell than bash and zsh.
std::string completion(const std::string& shell);

}  // namespace lift::cli
