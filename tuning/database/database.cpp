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

std::size_t Database::remove_before(std::int64_t when) {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Statement removal(db, "DELETE FROM found WHERE found_at < ?");
    SQLite::bind(removal, when);
    return static_cast<std::size_t>(removal.exec());
  });
}

std::size_t Database::remove_other_rules(const std::string& rules) {
  return impl_->with([&](SQLite::Database& db) {
    SQLite::Statement removal(db, "DELETE FROM found WHERE rules <> ? AND rules NOT LIKE ? || '+%'");
    SQLite::bind(removal, rules, rules);
    return static_cast<std::size_t>(removal.exec());
  });
}

}  // namespace lift
