#include "tuning/search/replay.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ir/error.hpp"
#include "tuning/search.hpp"

namespace lift {
namespace {

/// Tells only what is known of a space, not what is worth trying first.
class WithoutGuesses : public SearchSpace {
 public:
  explicit WithoutGuesses(const SearchSpace& space) : space_(space) {}
  const std::vector<Parameter>& parameters() const override { return space_.parameters(); }
  Settings allowed(const Configuration& chosen, const Key& decision) const override {
    return space_.allowed(chosen, decision);
  }
  std::vector<Configuration> seeds() const override { return {}; }

 private:
  const SearchSpace& space_;
};

}  // namespace

double best_known(const Recording& recording) {
  double best = INFINITY;
  for (const TriedConfiguration& t : recording.tried)
    if (t.is_timed()) best = std::min(best, t.relative);
  if (std::isinf(best)) throw UserError(recording.title() + ": no configuration was verified and timed");
  return best;
}

std::vector<double> replay(const Recording& recording, const RecordedSpace& space,
                           const ReplayOptions& options) {
  const WithoutGuesses unguessed(space);
  const SearchSpace& searched = options.first_guesses ? static_cast<const SearchSpace&>(space) : unguessed;
  Search search(searched, options.search, options.seed, {}, {}, Search::Small::as_others);
  const double known = best_known(recording);
  double best = INFINITY;
  std::vector<double> course;
  std::unordered_set<std::size_t> met;
  const auto tell = [&](const Configuration& c, std::size_t kernel) {
    const TriedConfiguration& t = recording.tried[kernel];
    if (t.is_timed())
      search.report(c, t.relative);
    else
      search.refuse(c);
  };
  for (bool more = true; more && course.size() < options.most && !(best <= options.until);) {
    std::vector<std::pair<Configuration, std::size_t>> batch, same;
    while (batch.size() < std::min(options.batch, options.most - course.size())) {
      const auto c = search.next();
      more = c.has_value();
      if (!more) break;
      const std::size_t kernel = recording.kernel_of(space.find(*c));
      (met.insert(kernel).second ? batch : same).emplace_back(*c, kernel);
    }
    for (const auto& [c, kernel] : batch) {
      const TriedConfiguration& t = recording.tried[kernel];
      if (t.is_timed()) best = std::min(best, t.relative / known);
      course.push_back(best);
      tell(c, kernel);
    }
    for (const auto& [c, kernel] : same) tell(c, kernel);
  }
  return course;
}

std::size_t measurements_until(const std::vector<double>& best, double factor, std::size_t never) {
  const auto at = std::find_if(best.begin(), best.end(), [&](double b) { return b <= factor; });
  return at == best.end() ? never : static_cast<std::size_t>(at - best.begin()) + 1;
}

}  // namespace lift
