#include "tuning/search.hpp"

#include "rewrite/space/keys.hpp"
#include "tuning/search/odometer.hpp"

namespace lift {
namespace {

constexpr int kAttempts = 300;            ///< to find a configuration not given before
constexpr std::size_t kSmallSpace = 256;  ///< enumerated rather than sampled

/// "rows" of "rows 8 1", a layout whose numbers follow the ghost zone.
bool is_of_kind(const Setting& s, const Setting& other) {
  const Choice* a = std::get_if<Choice>(&s);
  const Choice* b = std::get_if<Choice>(&other);
  return a != nullptr && b != nullptr && a->index == b->index;
}

Setting closest(const Settings& allowed, const Setting& wanted) {
  if (contains(allowed, wanted)) return wanted;
  const auto limit = number_of(wanted);
  const Setting* best = &allowed.front();
  std::optional<std::int64_t> best_number;
  if (limit)
    for (const Setting& s : allowed)
      if (const auto n = number_of(s); n && *n <= *limit && (!best_number || *n > *best_number))
        best_number = n, best = &s;
  if (!best_number)
    for (const Setting& s : allowed)
      if (is_of_kind(s, wanted)) return s;
  return *best;
}

/// What a configuration says of a decision: loops that threads share run on a grid as work-groups of one
/// item.
std::optional<Setting> wish(const Configuration& c, const Key& decision) {
  if (const Setting* s = c.find(decision)) return *s;
  if (decision.name == std::string_view(key::grid.name) && c.find(key::parallel) != nullptr)
    return Loops{Loops::By::solo, c[key::parallel].names};
  if (decision.name == std::string_view(key::parallel.name) && is_solo(c)) return shared_loops(c);
  return std::nullopt;
}

}  // namespace

Configuration project(const SearchSpace& space, const Configuration& c) {
  Configuration near;
  for (const Parameter& p : space.parameters()) {
    const auto wanted = wish(c, *p.key);
    const Settings allowed = space.allowed(near, *p.key);
    near.set(*p.key, wanted ? closest(allowed, *wanted) : allowed.front());
  }
  return near;
}

std::size_t count_configurations(const SearchSpace& space, std::size_t limit) {
  Odometer odometer(space);
  std::size_t n = 1;
  while (n < limit && odometer.step()) ++n;
  return n;
}

Search::Search(const SearchSpace& space, const std::string& technique, std::uint64_t seed,
               const std::vector<Configuration>& first, const std::vector<Configuration>& known,
               Small small_spaces) {
  for (const Configuration& c : first) seeds_.push_back(project(space, c));
  const std::vector<Configuration> seeds = space.seeds();
  guesses_ = seeds.size();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    seeds_.push_back(seeds[i]);
    if (i > 0) continue;
    for (const Configuration& c : known) seeds_.push_back(project(space, c));
  }
  const TechniqueRow& asked = find_technique(technique);
  const bool small =
      small_spaces == Small::enumerated && count_configurations(space, kSmallSpace) < kSmallSpace;
  technique_ = (small ? find_technique("exhaustive") : asked).make(space, seed);
}

std::optional<Configuration> Search::next() {
  while (!seeds_.empty()) {
    Configuration c = std::move(seeds_.front());
    seeds_.pop_front();
    if (given_.insert(c).second) return c;
  }
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<Configuration> c = technique_->propose();
    if (!c || given_.insert(*c).second) return c;
  }
  return std::nullopt;
}

}  // namespace lift
