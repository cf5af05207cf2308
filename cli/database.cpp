// liftgen db: what exploring has found, looked at, given to others, taken from them, thrown away.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/known.hpp"
#include "cli/output.hpp"
#include "gmg/plan_text.hpp"
#include "ir/text/near.hpp"
#include "runtime/file.hpp"
#include "tuning/database/exchange.hpp"
#include "tuning/database/platform.hpp"

namespace lift::cli {
namespace {

namespace fs = std::filesystem;
using Access = Database::Access;

/// For reading; nothing where no exploration has made one. A file that was asked for has to be there.
std::unique_ptr<Database> opened(const Options& o, const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error)) return std::make_unique<Database>(file, Access::read);
  if (!o.db.empty()) throw UserError("--db " + o.db.string() + ": there is no such file");
  return nullptr;
}

std::vector<Record> records_in(const Options& o, const fs::path& file) {
  const auto database = opened(o, file);
  return database ? database->all() : std::vector<Record>{};
}

std::vector<SolverRecord> solvers_in(const Options& o, const fs::path& file) {
  const auto database = opened(o, file);
  return database ? database->solvers() : std::vector<SolverRecord>{};
}

/// Text of others may be longer than a line of a table.
std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

/// A claim of others may have hundreds of digits.
std::string ratio_text(double ratio, const char* unit) {
  return ratio > 0 ? (ratio < 1e4 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.1e}", ratio)) + unit : "-";
}

int list(const Options& o, const fs::path& file) {
  const std::vector<Record> all = records_in(o, file);
  const std::vector<SolverRecord> solvers = solvers_in(o, file);
  for (const SolverRecord& r : solvers)
    print(fmt::format("solver  {:<16}  {:<28} {}, {} threads", time_text(r.when), cut(r.name, 28),
                      cut(r.platform.device, 40), r.platform.threads));
  if (all.empty() && !solvers.empty()) return 0;
  if (all.empty()) {
    print("nothing was found yet: liftgen explore OP stores what it finds in " + file.string());
    return 0;
  }
  print(fmt::format("{:>5}  {:<16}  {:<20} {:<22} {:<4} {:<6} {:>9} {:>7} {:>6}  {}", "id", "found (UTC)",
                    "program", "sizes", "type", "on", "ms", "speedup", "roof", "variant, device"));
  for (const Record& r : all)
    print(fmt::format("{:>5}  {:<16}  {:<20} {:<22} {:<4} {:<6} {:>9.4g} {:>7} {:>6}  {}, {}{}", r.id,
                      time_text(r.when), cut(r.name, 20), cut(size_text(r.program), 22), cut(r.type, 4),
                      cut(r.platform.backend, 6), r.ms, ratio_text(r.speedup, "x"),
                      ratio_text(r.roofline, ""), cut(r.variant, 80), cut(r.platform.device, 40),
                      are_present_rules(r.platform.rules) ? "" : ", by other rules"));
  return 0;
}

int show(const Options& o, const fs::path& file) {
  const bool number = !o.argument.empty() && o.argument.size() < 18 &&
                      o.argument.find_first_not_of("0123456789") == std::string::npos;
  if (!number)
    throw UserError("db show " + o.argument + ": write the number of a record, as liftgen db list has it");
  const auto database = opened(o, file);
  const auto r = database ? database->by_id(std::stoll(o.argument)) : std::nullopt;
  if (!r) throw UserError("db show " + o.argument + ": there is no such record; liftgen db list has them");
  const Platform& p = r->platform;
  print(fmt::format("{}, {}\nfound     {} UTC\ndevice    {} ({}), {} threads\ncompiler  {}\nrules     {}{}",
                    r->name, r->variant, time_text(r->when), p.device, p.architecture, p.threads, p.compiler,
                    p.rules,
                    are_present_rules(p.rules) ? "" : "; this liftgen has others: " + rules_version()));
  if (!r->program.sizes.empty()) print("sizes     " + size_text(r->program));
  print(fmt::format("backend   {}, {}, layout {}, {} sweeps a call", p.backend, r->type,
                    r->layout.empty() ? "caller" : r->layout, r->sweeps));
  print(fmt::format("time      {:.6g} ms{}{}", r->ms,
                    r->speedup > 0 ? ", " + ratio_text(r->speedup, "x") + " the plain loops" : "",
                    r->roofline > 0 ? ", " + ratio_text(100 * r->roofline, " %") + " of the roofline" : ""));
  print("derivation:\n" + r->derivation + "program (" + r->program.expression + "):\n" + r->text);
  return 0;
}

std::string and_solvers(std::size_t n) { return n == 0 ? "" : fmt::format(" and {} of solvers", n); }

int export_all(const Options& o, const fs::path& file) {
  if (!o.argument.empty()) check_writable_file(o.argument, "db export");
  const std::vector<Record> all = records_in(o, file);
  const std::vector<SolverRecord> solvers = solvers_in(o, file);
  const std::string json = export_records(all, solvers);
  if (o.argument.empty()) {
    std::fputs(json.c_str(), stdout);
  } else {
    write_file_atomically(o.argument, json);
    print(fmt::format("{} records{} are in {}", all.size(), and_solvers(solvers.size()), o.argument));
  }
  return 0;
}

/// Of solvers, which have no times that could be compared, the newest.
std::size_t take_newer(const std::vector<SolverRecord>& solvers, Database& database) {
  std::size_t taken = 0;
  for (const SolverRecord& r : solvers) {
    const auto known = database.find_solver(r.expression, r.platform);
    if (known && known->when >= r.when) continue;
    database.keep(r), ++taken;
  }
  return taken;
}

int take(const std::vector<Record>& records, const std::vector<SolverRecord>& solvers, const fs::path& file) {
  Database database(file, Access::write);
  const std::size_t taken = database.keep_all(records);
  if (!solvers.empty())
    print(fmt::format("{} of {} solvers are new or newer", take_newer(solvers, database), solvers.size()));
  print(fmt::format("{} of {} records are new or faster than those in {}", taken, records.size(),
                    file.string()));
  return 0;
}

int import(const Options& o, const fs::path& file) {
  std::vector<Record> records;
  std::vector<SolverRecord> solvers;
  try {
    const std::string text = read_exchange_file(o.argument);
    records = import_records(text), solvers = import_solvers(text);
    for (const SolverRecord& r : solvers) (void)gmg::read_plan(r.plan);
  } catch (const UserError& error) {
    throw UserError("db import " + o.argument + ": " + error.what() + "; nothing was taken over");
  }
  return take(records, solvers, file);
}

int merge(const Options& o, const fs::path& file) {
  std::error_code error;
  if (!fs::exists(o.argument, error)) throw UserError("db merge " + o.argument + ": there is no such file");
  const Database other(o.argument, Access::read);
  return take(other.all(), other.solvers(), file);
}

int prune(const Options& o, const fs::path& file) {
  if (opened(o, file) == nullptr) return list(o, file);
  Database database(file, Access::write);
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  constexpr std::int64_t kDay = 86400;
  const std::size_t removed = o.days > 0 ? database.remove_before(now.count() - kDay * o.days)
                                         : database.remove_other_rules(rules_version());
  print(fmt::format("{} records were removed{}", removed,
                    o.days > 0 ? "" : ": those that other versions of the rules had left"));
  return 0;
}

struct Action {
  const char* name;
  int (*run)(const Options&, const fs::path&);
  bool on_file;
};
constexpr Action kActions[] = {{"list", list, false},         {"show", show, false},
                               {"export", export_all, false}, {"import", import, true},
                               {"merge", merge, true},        {"prune", prune, false}};

}  // namespace

int database(const Options& o) {
  std::vector<std::string> names;
  for (const Action& a : kActions) {
    names.emplace_back(a.name);
    if (o.action != a.name) continue;
    if (a.on_file && o.argument.empty())
      throw UserError("db " + o.action + ": name a file: liftgen db " + o.action + " FILE");
    const fs::path file = database_file(o);
    if (file.empty()) throw UserError("db " + o.action + ": there is no database; choose one with --db FILE");
    return a.run(o, file);
  }
  const std::string meant = nearest(o.action, names);
  throw UserError("db " + o.action + ": no such action" +
                  (meant.empty() ? "" : "; did you mean " + meant + "?") +
                  (meant.empty() ? "; there are list, show, export, import, merge and prune" : ""));
}

}  // namespace lift::cli
