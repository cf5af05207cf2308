#include "tuning/search/exploration_record.hpp"

namespace lift {

void ExplorationRecord::begin(const Space& space) {
  if (!is_kept()) return;
  const std::vector<Configuration> guesses = space.seeds();
  first_guesses_.insert(guesses.begin(), guesses.end());
  Recording about;
  about.program = session_.pattern.name, about.problem = session_.problem;
  about.backend = text(options_.target), about.device = session_.device_name;
  about.machine = session_.machine.device, about.threads = session_.threads;
  about.vector_bytes = session_.machine.vector_bytes,
  about.caller_layout_only = options_.only_layout == kCallersLayout;
  about.decisions = space.parameters();
  about.costs.assign(kCostNames.begin(), kCostNames.end());
  options_.recorder->begin(std::move(about));
}

void ExplorationRecord::add(const Candidate& c, const KernelCosts& costs) {
  if (!is_kept()) return;
  const Variant& v = c.variant;
  TriedConfiguration tried;
  tried.configuration = v.params, tried.status = text(v.status);
  tried.ms = v.ms, tried.relative = v.ms > 0 ? c.relative : 0, tried.verified = v.verified;
  tried.first_guess = first_guesses_.contains(v.params);
  tried.costs.assign(costs.begin(), costs.end());
  by_source_[v.source] = options_.recorder->add(std::move(tried));
}

void ExplorationRecord::add_same(const Configuration& c, const std::string& source) {
  const auto at = by_source_.find(source);
  if (!is_kept() || at == by_source_.end()) return;
  TriedConfiguration tried;
  tried.configuration = c, tried.same_as = at->second;
  tried.first_guess = first_guesses_.contains(c);
  options_.recorder->add(std::move(tried));
}

}  // namespace lift
