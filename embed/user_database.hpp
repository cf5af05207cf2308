// The database that programs in C++ and Python use, and what they are told of it.
#pragma once

#include <filesystem>
#include <string>

namespace lift {

/// `asked`: a file; empty: the user's (see default_database); "none": no file. Empty where there is to be
/// none; that there is no place for one is said.
std::filesystem::path database_file(const std::filesystem::path& asked);

/// On standard error, the same line once a process.
void warn_once(const std::string& line);

}  // namespace lift
