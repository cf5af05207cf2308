// Explorations and the database: what they begin with, what they leave, and what is taken without exploring.
#pragma once

#include <functional>
#include <mutex>
#include <set>

#include "rewrite/engine/derivation.hpp"
#include "tuning/database/look_up.hpp"
#include "tuning/explore.hpp"

namespace lift {

/// Told what is worth a line to the user; nothing that goes wrong with a database ends the work.
using Say = std::function<void(const std::string& line)>;

/// The records that an exploration leaves: its best variant, and its best in the caller's layout where that
/// is another. None when nothing was verified.
std::vector<Record> records_of(const Occasion& occasion, const ExploreResult& result);

/// The configuration that a record's derivation came from; decisions of other versions are left out.
Configuration configuration_of(const Record& r);

/// The memory of explorations in a database. Safe to use from several threads.
class DatabaseMemory : public Memory {
 public:
  /// Opens `file` when there is something to look up or to keep. `warn` is told when it cannot be used,
  /// `tell` what an exploration begins with; each once.
  DatabaseMemory(std::filesystem::path file, Say warn, Say tell)
      : file_(std::move(file)), warn_(std::move(warn)), tell_(std::move(tell)) {}
  std::vector<Configuration> known(const Occasion& occasion) override;
  void keep(const Occasion& occasion, const ExploreResult& result) override;

 private:
  void once(const Say& say, const std::string& line);

  std::filesystem::path file_;
  Say warn_, tell_;
  std::mutex mutex_;
  std::set<std::string> said_;
  std::vector<std::pair<Configuration, std::string>> told_;  ///< by known(), with their derivations
};

/// The records in `file` that speak for a program; none where there is no file, or, which is said, where it
/// cannot be used.
std::vector<Found> known_in(const std::filesystem::path& file, const ProgramKey& program,
                            const Platform& platform, bool caller_layout_only, const Say& say);

/// The first of these whose derivation `attempt` takes, which throws where it does not apply. What was left
/// out on the way (the rules may have changed since, or the sizes do not admit it) is said in one line.
std::optional<Found> first_that_applies(const std::vector<Found>& all,
                                        const std::function<void(const Derivation&)>& attempt,
                                        const Say& say);

}  // namespace lift
