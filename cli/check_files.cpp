#include "cli/check_files.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/npy.hpp"
#include "tuning/database/location.hpp"

namespace lift::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMark = "/* Written by liftgen, which may write it again. */\n";

struct Used {
  std::string option;  ///< as it is written
  fs::path path;
  std::string why;  ///< "the program is read from it"
};

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error))  // by other names, too; pipes and terminals keep nothing
    return fs::equivalent(a, b, error) && fs::is_regular_file(a, error);
  const auto place = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path), error); };
  return place(a) == place(b);
}

bool uses_database(const Options& o) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), o.command) != all.end();
  };
  return !o.no_db && is_one_of({"explore", "run", "emit", "compare", "show", "solve", "db"});
}

std::vector<Used> read_files(const Options& o) {
  std::vector<Used> all;
  const auto add = [&](const fs::path& path, const std::string& why) {
    if (!path.empty()) all.push_back({"", path, why});
  };
  add(o.file, "the program is read from it");
  add(o.derivation, "--derivation is read from it");
  add(o.from, "--from is read from it");
  add(o.results, "what is to be reported is read from it");
  for (const auto& [name, path] : o.inputs) add(path, "the argument " + name + " is read from it");
  if (o.command == "solve") {
    if (o.solve.problem.ends_with(".lift")) add(o.solve.problem, "A is read from it");
    add(o.solve.rhs, "--rhs is read from it"), add(o.solve.guess, "--guess is read from it");
    for (const auto& [name, value] : o.solve.values())
      if (is_npy(value)) add(value, "the coefficient " + name + " is read from it");
  }
  if (o.command == "db" && o.action != "export" && o.action != "show") add(o.argument, "it is read");
  if (!uses_database(o)) return all;
  const fs::path database = o.db.empty() ? default_database().file : o.db;
  if (database.empty() || database == "none") return all;
  for (const char* beside : {"", "-wal", "-shm", "-journal"})
    add(database.string() + beside, "it is the database's");
  return all;
}

std::vector<Used> written_files(const Options& o) {
  std::vector<Used> all;
  const auto add = [&](const std::string& option, const fs::path& path, const std::string& why) {
    if (!path.empty()) all.push_back({option + path.string(), path, why});
  };
  add("--json ", o.json, "--json goes there");
  add(o.command == "report" ? "-o " : "--report ", o.report, "--report goes there");
  add("--record ", o.record, "--record goes there");
  for (const auto& [name, path] : o.outputs)
    add("--output " + name + "=", path, "the result " + name + " goes there");
  add("--out ", o.solve.out, "--out goes there"), add("--report ", o.solve.report, "--report goes there");
  // A checkpoint may be gone on from: it is read before it is written.
  if (o.solve.guess.empty() || o.solve.checkpoint.empty() || !is_same(o.solve.checkpoint, o.solve.guess))
    add("--checkpoint ", o.solve.checkpoint, "--checkpoint goes there");
  if (o.command == "db" && o.action == "export") add("db export ", o.argument, "");
  return all;
}

bool is_ours(const fs::path& path) {
  std::string begin(kMark.size(), ' ');
  std::ifstream in(path, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in.gcount() == 0 || begin == kMark;
}

}  // namespace

void check_files(const Options& o) {
  std::vector<Used> taken = read_files(o);
  for (const Used& written : written_files(o)) {
    for (const Used& t : taken)
      if (is_same(written.path, t.path))
        throw UserError(written.option + ": " + t.why + "; give them two names");
    taken.push_back(written);
  }
}

void check_generated(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && !is_ours(path))
    throw UserError(path.string() +
                    ": was not written by liftgen, and is left as it is; move it, or choose another "
                    "place with --out DIR");
}

void write_generated(const fs::path& path, const std::string& text) {
  check_generated(path);
  write_file_atomically(path, std::string(kMark) + text);
}

}  // namespace lift::cli
