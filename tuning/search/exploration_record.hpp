// What an exploration tries, handed to a recorder where one is wanted.
#pragma once

#include <map>
#include <set>
#include <string>

#include "rewrite/space/space.hpp"
#include "tuning/candidate.hpp"
#include "tuning/cost/kernel_costs.hpp"
#include "tuning/explore.hpp"
#include "tuning/search/recording.hpp"
#include "tuning/session.hpp"

namespace lift {

class ExplorationRecord {
 public:
  /// Of an exploration with these options; they and the session outlive this.
  ExplorationRecord(const ExploreOptions& options, const Session& session)
      : options_(options), session_(session) {}

  bool is_kept() const { return options_.recorder != nullptr && !options_.only; }
  void begin(const Space& space);
  /// A candidate that was timed, or found to be no good.
  void add(const Candidate& c, const KernelCosts& costs);
  /// A configuration that leads to the kernel with a source that was added.
  void add_same(const Configuration& c, const std::string& source);

 private:
  const ExploreOptions& options_;
  const Session& session_;
  std::set<Configuration> first_guesses_;
  std::map<std::string, std::size_t> by_source_;
};

}  // namespace lift
