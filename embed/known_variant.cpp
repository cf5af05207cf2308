#include "embed/known_variant.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "embed/compiler.hpp"
#include "embed/user_database.hpp"
#include "tuning/database/platform.hpp"

namespace lift {

std::optional<KnownVariant> known_variant(const Program& program, const ProgramKey& key,
                                          const std::filesystem::path& database,
                                          const std::function<Derivation(const Derivation&)>& here,
                                          const TargetDevice& on, int threads, bool exact,
                                          const OwnRules& rules) {
  const std::filesystem::path file = database_file(database);
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error))
    return std::nullopt;  // this_machine() takes a while
  const Platform platform = platform_of(on.target, this_machine(),
                                        threads > 0 ? threads : this_machine().threads, on.device, rules);
  std::vector<Found> all = known_in(file, key, platform, true, warn_once);
  std::erase_if(all, [&](const Found& f) { return exact ? f.nearness != Nearness::exact : !near_enough(f); });
  KnownVariant known;
  const auto found = first_that_applies(
      all, [&](const Derivation& d) { known.variant = variant_by(program, here ? here(d) : d, on); },
      warn_once);
  if (!found) return std::nullopt;
  known.origin = describe(*found);
  return known;
}

std::string database_state(const std::filesystem::path& database) {
  const std::filesystem::path file = database_file(database);
  std::string state;
  for (const char* beside : {"", "-wal"}) {
    struct stat status {};
    if (file.empty() || ::stat((file.string() + beside).c_str(), &status) != 0 || status.st_size == 0)
      continue;
    state += fmt::format("{}{} {} {}.{:09}\n", file.string(), beside, status.st_size, status.st_mtim.tv_sec,
                         status.st_mtim.tv_nsec);
  }
  return state;
}

std::shared_ptr<Memory> memory_in(const std::filesystem::path& database) {
  std::filesystem::path file = database_file(database);
  if (file.empty()) return nullptr;
  return std::make_shared<DatabaseMemory>(std::move(file), Say{warn_once}, Say{});
}

}  // namespace lift
