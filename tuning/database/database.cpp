#include "tuning/database/database.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "ir/number_text.hpp"
#include "tuning/database/connection.hpp"

namespace lift {
namespace {

constexpr const char* kColumns =
    "id, expression, sizes, size_names, backend, device, architecture, compiler, rules, threads, "
    "caller_layout, type, "
    "name, program, variant, parameters, derivation, layout, sweeps, ms, speedup, roofline, found_at";

constexpr const char* kStore =
    "INSERT INTO found (expression, sizes, size_names, backend, device, architecture, compiler, rules, "
    "threads, "
    "caller_layout, type, name, program, variant, parameters, derivation, layout, sweeps, ms, speedup, "
    "roofline, "
    "found_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT (expression, backend, sizes, device, architecture, compiler, rules, threads, caller_layout) "
    "DO UPDATE "
    "SET size_names = excluded.size_names, type = excluded.type, name = excluded.name, program = "
    "excluded.program, "
    "variant = excluded.variant, parameters = excluded.parameters, derivation = excluded.derivation, "
    "layout = excluded.layout, sweeps = excluded.sweeps, ms = excluded.ms, speedup = excluded.speedup, "
    "roofline = excluded.roofline, found_at = excluded.found_at";

template <class T>
std::string joined(const std::vector<T>& list) {
  return fmt::format("{}", fmt::join(list, " "));
}

Record read_row(SQLite::Statement& row) {
  int next = 0;
  const auto text = [&] { return row.getColumn(next++).getString(); };
  const auto whole = [&] { return row.getColumn(next++).getInt64(); };
  const auto real = [&] { return row.getColumn(next++).getDouble(); };
  Record r;
  r.id = whole();
  r.program.expression = text();
  for (const std::string& w : words_of(text()))  // no size is 0, which stands for what is no number
    r.program.sizes.push_back(read_number<std::int64_t>(w).value_or(0));
  r.program.size_names = words_of(text());
  Platform& p = r.platform;
  p.backend = text(), p.device = text(), p.architecture = text(), p.compiler = text(), p.rules = text();
  p.threads = static_cast<int>(whole());
  r.caller_layout = whole() != 0;
  r.type = text(), r.name = text(), r.text = text(), r.variant = text(), r.parameters = text(),
  r.derivation = text(), r.layout = text();
  r.sweeps = static_cast<int>(whole());
  r.ms = real(), r.speedup = real(), r.roofline = real();
  r.when = whole();
  return r;
}

std::vector<Record> rows(SQLite::Statement& query) {
  std::vector<Record> all;
  while (query.executeStep())
    if (Record r = read_row(query); fault_of(r).empty()) all.push_back(std::move(r));
  return all;
}

constexpr const char* kSolverQuery =
    "SELECT expression, backend, device, architecture, compiler, rules, threads, name, plan, found_at FROM "
    "solvers";

SolverRecord read_solver(SQLite::Statement& row) {
  int next = 0;
  const auto text = [&] { return row.getColumn(next++).getString(); };
  SolverRecord r;
  r.expression = text();
  Platform& p = r.platform;
  p.backend = text(), p.device = text(), p.architecture = text(), p.compiler = text(), p.rules = text();
  p.threads = row.getColumn(next++).getInt();
  r.name = text(), r.plan = text();
  r.when = row.getColumn(next++).getInt64();
  return r;
}

/// A removal of rows of both tables; `condition` has one parameter, `times` times.
std::size_t removed(SQLite::Database& db, const std::string& condition, const auto& value, int times) {
  std::size_t count = 0;
  for (const char* table : {"found", "solvers"}) {
    if (table == std::string("solvers") && !has_solvers_table(db)) continue;
    SQLite::Statement removal(db, std::string("DELETE FROM ") + table + " WHERE " + condition);
    for (int i = 1; i <= times; ++i) removal.bind(i, value);
    count += static_cast<std::size_t>(removal.exec());
  }
  return count;
}

std::optional<Record> present(SQLite::Database& db, const Record& r) {
  SQLite::Statement query(
      db, std::string("SELECT ") + kColumns +
              " FROM found WHERE expression = ? AND backend = ? AND sizes = ? AND device = ? AND "
              "architecture = ? AND compiler = ? AND rules = ? AND threads = ? AND caller_layout = ?");
  const Platform& p = r.platform;
  SQLite::bind(query, r.program.expression, p.backend, joined(r.program.sizes), p.device, p.architecture,
               p.compiler, p.rules, p.threads, r.caller_layout ? 1 : 0);
  const std::vector<Record> found = rows(query);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// Whether `r` is now the one for its program and platform.
bool store(SQLite::Database& db, const Record& r, std::span<const std::string> measured) {
  if (const std::string fault = fault_of(r); !fault.empty())
    throw InternalError("database: a record to be stored is none: " + fault);
  const std::optional<Record> before = present(db, r);
  const bool beaten =
      before && std::find(measured.begin(), measured.end(), before->derivation) != measured.end();
  if (before && !beaten && !faster(r, *before)) return false;
  SQLite::Statement insert(db, kStore);
  const Platform& p = r.platform;
  SQLite::bind(insert, r.program.expression, joined(r.program.sizes), joined(r.program.size_names), p.backend,
               p.device, p.architecture, p.compiler, p.rules, p.threads, r.caller_layout ? 1 : 0, r.type,
               r.name, r.text, r.variant, r.parameters, r.derivation, r.layout, r.sweeps, r.ms, r.speedup,
               r.roofline, r.when);
  insert.exec();
  return true;
}

}  // namespace

struct Database::Impl {
  std::filesystem::path file;
  std::unique_ptr<SQLite::Database> connection;

  /// f(connection); what SQLite says becomes a DatabaseError.
  template <class F>
  auto with(const F& f) {
    try {
      return f(*connection);
    } catch (const SQLite::Exception& error) {
      throw database_error(file, error);
    }
  }
};

Database::Database(const std::filesystem::path& file, Access access)
    : file_(file), impl_(std::make_unique<Impl>(Impl{file, open_connection(file, access)})) {}
Database::~Database() = default;

bool Database::keep(const Record& record, std::span<const std::string> measured) {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Transaction turn(db, SQLite::TransactionBehavior::IMMEDIATE);
    const bool kept = store(db, record, measured);
    turn.commit();
    return kept;
  });
}

std::size_t Database::keep_all(std::span<const Record> records) {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Transaction turn(db, SQLite::TransactionBehavior::IMMEDIATE);
    std::size_t kept = 0;
    for (const Record& r : records) kept += store(db, r, {}) ? 1 : 0;
    turn.commit();
    return kept;
  });
}

std::vector<Record> Database::find(const std::string& expression, const std::string& backend) const {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Statement query(db, std::string("SELECT ") + kColumns +
                                    " FROM found WHERE expression = ? AND backend = ? ORDER BY id");
    SQLite::bind(query, expression, backend);
    return rows(query);
  });
}

std::vector<Record> Database::all() const {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Statement query(db,
                            std::string("SELECT ") + kColumns +
                                " FROM found ORDER BY name, backend, type, expression, sizes, device, id");
    return rows(query);
  });
}

std::optional<Record> Database::by_id(std::int64_t id) const {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Statement query(db, std::string("SELECT ") + kColumns + " FROM found WHERE id = ?");
    SQLite::bind(query, id);
    const std::vector<Record> found = rows(query);
    return found.empty() ? std::nullopt : std::optional(found.front());
  });
}

// ---- solvers

void Database::keep(const SolverRecord& r) {
  if (const std::string fault = fault_of(r); !fault.empty())
    throw InternalError("database: a solver's record to be stored is none: " + fault);
  impl_->with([&](SQLite::Database& db) {
    SQLite::Transaction turn(db, SQLite::TransactionBehavior::IMMEDIATE);
    make_solvers_table(db);
    SQLite::Statement insert(db,
                             "INSERT OR REPLACE INTO solvers (expression, backend, device, architecture, "
                             "compiler, rules, threads, "
                             "name, plan, found_at) VALUES (?,?,?,?,?,?,?,?,?,?)");
    const Platform& p = r.platform;
    SQLite::bind(insert, r.expression, p.backend, p.device, p.architecture, p.compiler, p.rules, p.threads,
                 r.name, r.plan, r.when);
    insert.exec();
    turn.commit();
    return 0;
  });
}

std::optional<SolverRecord> Database::find_solver(const std::string& expression, const Platform& p) const {
  const std::optional<SolverRecord> found =
      impl_->with([&](SQLite::Database& db) -> std::optional<SolverRecord> {
        if (!has_solvers_table(db)) return std::nullopt;
        SQLite::Statement query(db, std::string(kSolverQuery) +
                                        " WHERE expression = ? AND backend = ? AND device = ? AND "
                                        "architecture = ? AND compiler = ? AND threads = ?");
        SQLite::bind(query, expression, p.backend, p.device, p.architecture, p.compiler, p.threads);
        if (!query.executeStep()) return std::nullopt;
        return read_solver(query);
      });
  if (!found) return std::nullopt;
  if (const std::string fault = fault_of(*found); !fault.empty())
    throw DatabaseError("the database " + file_.string() + ": its record of the solver is none: " + fault);
  return found;
}

std::vector<SolverRecord> Database::solvers() const {
  return impl_->with([&](SQLite::Database& db) {
    std::vector<SolverRecord> all;
    if (!has_solvers_table(db)) return all;
    SQLite::Statement query(db, std::string(kSolverQuery) + " ORDER BY name, id");
    while (query.executeStep())
      if (SolverRecord r = read_solver(query); fault_of(r).empty()) all.push_back(std::move(r));
    return all;
  });
}

std::size_t Database::remove_before(std::int64_t when) {
  return impl_->with([&](SQLite::Database& db) { return removed(db, "found_at < ?", when, 1); });
}

std::size_t Database::remove_other_rules(const std::string& rules) {
  return impl_->with(
      [&](SQLite::Database& db) { return removed(db, "rules <> ? AND rules NOT LIKE ? || '+%'", rules, 2); });
}

}  // namespace lift
