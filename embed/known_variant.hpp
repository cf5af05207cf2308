// What exploring has found before, for kernels of C++ programs.
#pragma once

#include <functional>

#include "embed/default_variant.hpp"
#include "tuning/database/memory.hpp"

namespace lift {

struct KnownVariant {
  ChosenVariant variant;
  std::string origin;  ///< see describe(const Found&)
};

/// The fastest that the database knows for `key` on this machine's processors, or on a device, and that
/// `program` admits, all arrays in the caller's layout. `database`: empty for the user's. `threads`: 0 for as
/// many as the machine grants. `exact`: nothing found elsewhere, at other sizes or by other rules. `here`:
/// what a derivation is for `program`, where that is not the one of `key`. What is wrong with the database is
/// said on standard error, each once a process.
std::optional<KnownVariant> known_variant(const Program& program, const ProgramKey& key,
                                          const std::filesystem::path& database,
                                          const std::function<Derivation(const Derivation&)>& here = {},
                                          const TargetDevice& on = {}, int threads = 0, bool exact = false,
                                          const OwnRules& rules = {});

/// A word that changes when the database does: its file, length and time; "" where there is none.
std::string database_state(const std::filesystem::path& database);

/// For explorations; null where there is to be no database.
std::shared_ptr<Memory> memory_in(const std::filesystem::path& database);

}  // namespace lift
