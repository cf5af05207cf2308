// What commands take from the database of what exploring has found, and leave in it.
#pragma once

#include "cli/variants.hpp"
#include "tuning/database/memory.hpp"

namespace lift::cli {

/// The file of --db, else the default one; empty with --no-db, and, which is said, where there is no place
/// for one.
std::filesystem::path database_file(const Options& o);
/// For `explore`; null without a database.
std::shared_ptr<Memory> memory_of(const Options& o);
/// The fastest variant known for the problem, its sizes or machine being as near as there is, all arrays in
/// the caller's layout. Which it is goes to standard error. Nothing when none is known that applies.
std::optional<Chosen> known_variant(const Options& o, const Program& program, const Machine& machine,
                                    const LowerOptions& lowering);

}  // namespace lift::cli
