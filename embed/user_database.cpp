#include "embed/user_database.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "ir/text/printable.hpp"
#include "tuning/database/location.hpp"

namespace lift {

void warn_once(const std::string& line) {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (said.insert(line).second) std::fprintf(stderr, "liftgen: %s\n", printable(line).c_str());
}

std::filesystem::path database_file(const std::filesystem::path& asked) {
  if (asked == "none") return {};  // as LIFTGEN_DB and --db say it
  if (!asked.empty()) return asked;
  const DatabaseLocation location = default_database();
  if (!location.why_not.empty()) warn_once(location.why_not);
  return location.file;
}

}  // namespace lift
