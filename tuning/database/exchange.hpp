// Records as JSON, to be given to others.
#pragma once

#include <filesystem>

#include "tuning/database/record.hpp"
#include "tuning/database/solver_record.hpp"

namespace lift {

/// A document with all of them; ends with a newline.
std::string export_records(const std::vector<Record>& records, const std::vector<SolverRecord>& solvers = {});

/// The records of such a document. It may come from anybody: every field is looked at, and a record with a
/// fault refuses the whole. UserError: what is wrong, with the record's number.
std::vector<Record> import_records(const std::string& json);
/// Those of solvers, likewise; documents of earlier versions have none.
std::vector<SolverRecord> import_solvers(const std::string& json);

/// The text of a file to be imported. UserError: it cannot be read, is no file, or larger than 64 MiB.
std::string read_exchange_file(const std::filesystem::path& path);

}  // namespace lift
