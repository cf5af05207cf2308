#include "tuning/database/connection.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "runtime/file.hpp"

namespace lift {
namespace {

namespace fs = std::filesystem;

constexpr int kPatience = 10000;  ///< milliseconds that other processes may keep the file
constexpr int kApplication = 0x4c694674;

constexpr const char* kTables = R"sql(
CREATE TABLE found (
  id INTEGER PRIMARY KEY,
  expression TEXT NOT NULL, sizes TEXT NOT NULL, size_names TEXT NOT NULL,
  backend TEXT NOT NULL, device TEXT NOT NULL, architecture TEXT NOT NULL,
  compiler TEXT NOT NULL, rules TEXT NOT NULL, threads INTEGER NOT NULL,
  caller_layout INTEGER NOT NULL,
  type TEXT NOT NULL, name TEXT NOT NULL, program TEXT NOT NULL, variant TEXT NOT NULL,
  parameters TEXT NOT NULL, derivation TEXT NOT NULL, layout TEXT NOT NULL, sweeps INTEGER NOT NULL,
  ms REAL NOT NULL, speedup REAL NOT NULL, roofline REAL NOT NULL, found_at INTEGER NOT NULL,
  UNIQUE (expression, backend, sizes, device, architecture, compiler, rules, threads, caller_layout)
) STRICT;
)sql";

constexpr const char* kSolvers = R"sql(
CREATE TABLE IF NOT EXISTS solvers (
  id INTEGER PRIMARY KEY,
  expression TEXT NOT NULL,
  backend TEXT NOT NULL, device TEXT NOT NULL, architecture TEXT NOT NULL,
  compiler TEXT NOT NULL, rules TEXT NOT NULL, threads INTEGER NOT NULL,
  name TEXT NOT NULL, plan TEXT NOT NULL, found_at INTEGER NOT NULL,
  UNIQUE (expression, backend, device, architecture, compiler, threads)
) STRICT;
)sql";

int number(SQLite::Database& db, const char* query) { return db.execAndGet(query).getInt(); }

DatabaseError refused(const fs::path& file, const std::string& why) {
  return DatabaseError("the database " + file.string() + ": " + why);
}

/// Whether it is one of ours; not so for an empty file. Within a transaction: another process may be making
/// it.
bool check_identity(SQLite::Database& db, const fs::path& file) {
  const int application = number(db, "PRAGMA application_id"), schema = number(db, "PRAGMA user_version");
  if (application == 0 && schema == 0 && number(db, "SELECT count(*) FROM sqlite_master") == 0) return false;
  if (application != kApplication)
    throw refused(file, "it is the database of another program; choose another file with --db FILE");
  if (schema > Database::kSchema)
    throw refused(
        file,
        fmt::format("it was written by a newer liftgen (its tables have version {}, this one knows {}); "
                    "use that liftgen, or another file with --db FILE",
                    schema, Database::kSchema));
  if (number(db,
             "SELECT count(*) FROM sqlite_master WHERE name = 'found' AND type = 'table' AND rootpage > 0") ==
      0)
    throw refused(
        file,
        "it has no table of what was found, and was not written by liftgen; choose another with --db FILE");
  return true;
}

/// What two processes that make the same file at once get in each other's way with is tried again.
template <class F>
void patiently(const F& f) {
  for (int left = kPatience / 20;; --left) try {
      return f();
    } catch (const SQLite::Exception& error) {
      const int code = error.getErrorCode();
      if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || left == 0) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

bool looked_at(SQLite::Database& db, const fs::path& file) {
  bool ours = false;
  patiently([&] {
    const SQLite::Transaction reading(db);
    ours = check_identity(db, file);
  });
  return ours;
}

void prepare_to_write(SQLite::Database& db, const fs::path& file) {
  const bool ours = looked_at(db, file);  // before anything is changed
  patiently([&] { db.exec("PRAGMA journal_mode = WAL"); });
  db.exec("PRAGMA synchronous = FULL");
  if (ours) return;
  patiently([&] {
    SQLite::Transaction turn(db, SQLite::TransactionBehavior::IMMEDIATE);
    if (!check_identity(db, file)) {  // nobody was first
      db.exec(kTables);
      db.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication,
                          Database::kSchema));
    }
    turn.commit();
  });
}

std::unique_ptr<SQLite::Database> connect(const std::string& name, int flags) {
  auto db = std::make_unique<SQLite::Database>(name, flags, kPatience);
  db->exec("PRAGMA trusted_schema = OFF");
  return db;
}

std::string escaped(const std::string& path) {
  std::string s;
  for (const char c : path)
    s += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return s;
}

/// What an empty file means: whoever made it has not written yet.
std::unique_ptr<SQLite::Database> without_records() {
  auto db = connect(":memory:", SQLite::OPEN_READWRITE);
  db->exec(kTables);
  return db;
}

std::unique_ptr<SQLite::Database> open_to_read(const fs::path& file) {
  try {
    auto db = connect(file.string(), SQLite::OPEN_READWRITE);
    return looked_at(*db, file) ? std::move(db) : without_records();
  } catch (const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    std::error_code ignored;
    if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || !fs::exists(file, ignored) ||
        fs::exists(file.string() + "-wal", ignored))
      throw;
  }
  // In a folder that cannot be written there is no room for what readers and writers agree by; nobody writes.
  auto db = connect("file:" + escaped(fs::absolute(file).string()) + "?immutable=1",
                    SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  return looked_at(*db, file) ? std::move(db) : without_records();
}

}  // namespace

void make_solvers_table(SQLite::Database& db) { db.exec(kSolvers); }
bool has_solvers_table(SQLite::Database& db) {
  return number(db, "SELECT count(*) FROM sqlite_master WHERE name = 'solvers' AND type = 'table'") > 0;
}

DatabaseError database_error(const fs::path& file, const SQLite::Exception& error) {
  const std::string said = error.what();
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return refused(file, "it is damaged (" + said +
                               "); it was left as it is: move it away, or choose another with --db FILE");
    case SQLITE_READONLY:
      return refused(file, "it cannot be written (" + said + "); choose another with --db FILE");
    case SQLITE_CANTOPEN:
      return refused(file, "it cannot be opened (" + said + "); choose another with --db FILE");
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return refused(file,
                     "it cannot be written (" + said + "): the disk may be full; what was in it is kept");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return refused(file, "another process keeps it (" + said + "); try again later");
    default:
      return refused(file, said + "; choose another with --db FILE");
  }
}

std::unique_ptr<SQLite::Database> open_connection(const fs::path& file, Database::Access access) {
  try {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
      throw refused(file, "it is no file; choose another with --db FILE");
    if (access == Database::Access::read) return open_to_read(file);
    if (file.has_parent_path()) make_directories(file.parent_path());
    auto db = connect(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    prepare_to_write(*db, file);
    return db;
  } catch (const SQLite::Exception& error) {
    throw database_error(file, error);
  } catch (const DatabaseError&) {
    throw;
  } catch (const UserError& error) {
    throw refused(file, std::string(error.what()) + "; choose another with --db FILE");
  }
}

}  // namespace lift
