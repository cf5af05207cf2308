#include "cli/known.hpp"

#include <cstdio>

#include "ir/error.hpp"
#include "ir/text/printable.hpp"
#include "runtime/affinity.hpp"
#include "tuning/database/location.hpp"
#include "tuning/database/platform.hpp"
#include "tuning/database/program_key.hpp"

namespace lift::cli {
namespace {

void say(const std::string& line) { std::fprintf(stderr, "liftgen: %s\n", printable(line).c_str()); }

Say say_unless_quiet(const Options& o) { return o.quiet ? Say{} : Say{say}; }

}  // namespace

std::filesystem::path database_file(const Options& o) {
  const auto lasting = [](const std::string& from, const std::filesystem::path& file) {
    if (file == ":memory:")
      throw UserError(from +
                      " :memory:: what is found would be forgotten; name a file, or none to keep nothing");
    return file;
  };
  if (o.no_db) return {};
  if (!o.db.empty()) return lasting("--db", o.db);
  const DatabaseLocation location = default_database();
  if (!location.why_not.empty()) say(location.why_not);
  return lasting("LIFTGEN_DB", location.file);
}

std::shared_ptr<Memory> memory_of(const Options& o) {
  std::filesystem::path file = database_file(o);
  if (file.empty() || o.emulate) return nullptr;
  return std::make_shared<DatabaseMemory>(std::move(file), Say{say}, say_unless_quiet(o));
}

std::optional<Chosen> known_variant(const Options& o, const Program& program, const Machine& machine,
                                    const LowerOptions& lowering) {
  // `show` prints the default: what it prints is the same everywhere.
  if (o.command == "show" || o.emulate) return std::nullopt;
  const std::filesystem::path file = database_file(o);
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return std::nullopt;
  const int threads = o.threads > 0 ? o.threads : default_threads();
  const auto device = device_for(o.target, o.device, threads);
  const auto own = std::make_shared<const std::vector<Rule>>(o.own_rules);
  std::vector<Found> all =
      known_in(file, program_key(*o.pattern, o.problem),
               platform_of(o.target, machine, threads, device ? &*device : nullptr, own), true, Say{say});
  std::erase_if(all, [](const Found& f) { return !near_enough(f); });
  Chosen chosen{program, {}, {}, {}, "best known"};
  const auto attempt = [&](const Derivation& d) {
    chosen.derivation = d;
    chosen.low = replay(program, d);
    chosen.kernel = lower(chosen.low, lowering);
  };
  const auto found = first_that_applies(all, attempt, Say{say});
  if (!found) return std::nullopt;
  if (const Say tell = say_unless_quiet(o))
    tell("takes what is known: " + describe(*found) + "; --no-db: the default");
  return chosen;
}

}  // namespace lift::cli
