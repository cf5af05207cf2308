// Files of the user's are not lost: what is written is none of what is read, and generated files replace
// generated ones.
#pragma once

#include "cli/options.hpp"

namespace lift::cli {

/// UserError: a file to be written is read, too, is the database, or is to be written twice.
void check_files(const Options& o);

/// UserError where a file is there that is not empty and that write_generated has not written.
void check_generated(const std::filesystem::path& path);
/// With a first line that says whose it is. UserError as above.
void write_generated(const std::filesystem::path& path, const std::string& text);

}  // namespace lift::cli
