// An SQLite file that is, or becomes, a database of ours. Private to this folder.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <filesystem>
#include <memory>

#include "tuning/database/database.hpp"

namespace lift {

/// What SQLite said, as a DatabaseError: the file, the cause, what to try.
DatabaseError database_error(const std::filesystem::path& file, const SQLite::Exception& error);

/// Opened, with its tables made or known. DatabaseError.
std::unique_ptr<SQLite::Database> open_connection(const std::filesystem::path& file, Database::Access access);

/// The table of solvers, which files of older versions lack, and do not mind.
void make_solvers_table(SQLite::Database& db);
bool has_solvers_table(SQLite::Database& db);

}  // namespace lift
