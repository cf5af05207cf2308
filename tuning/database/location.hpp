// Where the database lies.
#pragma once

#include <filesystem>
#include <string>

namespace lift {

/// What was asked for, and what is to be done without it.
struct DatabaseLocation {
  std::filesystem::path file;  ///< empty: there is none
  std::string why_not;         ///< where there is none although nobody said so: one line, with the remedy
};

/// $LIFTGEN_DB (a file, or `none` for no database), else $XDG_DATA_HOME/liftgen/found.db, else
/// ~/.local/share/liftgen/found.db.
DatabaseLocation default_database();

}  // namespace lift
