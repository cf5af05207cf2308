// Whole files, read and written so that nobody ever sees half of one. Every failure is a UserError that names
// the path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lift {

/// Writes beside `path`, then renames; parent directories must exist. A symbolic link is followed; a device
/// or a pipe is written directly. An existing file keeps its mode.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// A file of mode 0600, in place of what is there; not atomically.
void write_private_file(const std::filesystem::path& path, std::string_view text);

/// The bytes of `path`.
std::string read_file(const std::filesystem::path& path);

/// Creates `path` and its parents; nothing happens when it is a directory already.
void make_directories(const std::filesystem::path& path);

}  // namespace lift
