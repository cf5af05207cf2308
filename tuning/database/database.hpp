// The database of what exploring has found: one SQLite file, which several processes may use at once.
//
// A record stands for a program, its sizes and its platform; the next one for the same takes its place when
// it is faster. Writers take turns; one that is killed leaves nothing half written. Files that are damaged,
// of another program, or written by a newer liftgen are refused as they are: nothing in them is ever changed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "ir/error.hpp"
#include "tuning/database/solver_record.hpp"

namespace lift {

/// The database cannot be used as asked; one line with the file, the cause and a remedy. Work can go on
/// without.
struct DatabaseError : UserError {
  using UserError::UserError;
};

class Database {
 public:
  enum class Access : std::uint8_t { read, write };
  /// To write, file and folders are made. To read, a file must be there; nothing is made, and a file or
  /// folder that cannot be written will do. DatabaseError.
  Database(const std::filesystem::path& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::filesystem::path& file() const { return file_; }

  /// Stores a record: instead of the one of the same program, sizes, platform and kind of layout where it is
  /// faster, or where that one's derivation was measured again beside it (`measured`, as texts) and lost.
  /// Whether it is now the one. InternalError for a record with a fault.
  bool keep(const Record& record, std::span<const std::string> measured = {});
  /// All of them or, when one cannot be written, none. How many are now the ones.
  std::size_t keep_all(std::span<const Record> records);

  /// Of one expression and backend, all sizes and platforms.
  std::vector<Record> find(const std::string& expression, const std::string& backend) const;
  /// By name, sizes and platform. Damaged ones are left out.
  std::vector<Record> all() const;
  std::optional<Record> by_id(std::int64_t id) const;

  /// Of solvers, instead of the one of the same expression and platform, whatever its rules. InternalError
  /// for a record with a fault.
  void keep(const SolverRecord& record);
  /// Of that expression and platform; its rules may be others. DatabaseError, too, where what is there cannot
  /// be one.
  std::optional<SolverRecord> find_solver(const std::string& expression, const Platform& platform) const;
  std::vector<SolverRecord> solvers() const;  ///< all that can be some, by name

  /// How many were removed, those of solvers among them.
  std::size_t remove_before(std::int64_t when);
  std::size_t remove_other_rules(const std::string& rules);

  /// The version of the tables. A file of a later one is refused.
  static constexpr int kSchema = 1;

 private:
  struct Impl;
  std::filesystem::path file_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lift
