#include "tuning/database/location.hpp"

#include <cstdlib>

namespace lift {

DatabaseLocation default_database() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string asked = variable("LIFTGEN_DB"); asked == "none")
    return {};
  else if (!asked.empty())
    return {asked, ""};
  // The specification of XDG folders: relative ones are ignored.
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with("/"))
    return {std::filesystem::path(data) / "liftgen" / "found.db", ""};
  if (const std::string home = variable("HOME"); home.starts_with("/"))
    return {std::filesystem::path(home) / ".local" / "share" / "liftgen" / "found.db", ""};
  return {{},
          "there is no folder for the database of what was found: neither XDG_DATA_HOME nor HOME is set; "
          "choose a file with --db FILE or LIFTGEN_DB, or none with --no-db or LIFTGEN_DB=none"};
}

}  // namespace lift
