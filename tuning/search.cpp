#include "tuning/search.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "rewrite/space/keys.hpp"

namespace lift {
namespace {

constexpr int kAttempts = 300;            ///< to find a configuration not given before
constexpr std::size_t kSmallSpace = 256;  ///< enumerated rather than sampled
constexpr std::size_t kParents = 5;       ///< whose neighbours are tried

Setting closest(const Settings& allowed, const Setting& wanted) {
  if (contains(allowed, wanted)) return wanted;
  const auto limit = number_of(wanted);
  const Setting* best = &allowed.front();
  std::optional<std::int64_t> best_number;
  if (limit)
    for (const Setting& s : allowed)
      if (const auto n = number_of(s); n && *n <= *limit && (!best_number || *n > *best_number))
        best_number = n, best = &s;
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

/// Steps an odometer over the dependent parameters to the next configuration; false when it has run over.
using Wheel = std::pair<Settings, std::size_t>;
Configuration chosen(const Space& space, const std::vector<Wheel>& wheels) {
  Configuration c;
  for (std::size_t i = 0; i < wheels.size(); ++i)
    c.set(*space.parameters()[i].key, wheels[i].first[wheels[i].second]);
  return c;
}
void complete(const Space& space, std::vector<Wheel>& wheels) {
  Configuration c = chosen(space, wheels);
  for (std::size_t i = wheels.size(); i < space.parameters().size(); ++i) {
    const Key& key = *space.parameters()[i].key;
    wheels.emplace_back(space.allowed(c, key), 0);
    c.set(key, wheels.back().first.front());
  }
}
bool step(const Space& space, std::vector<Wheel>& wheels) {
  while (!wheels.empty() && wheels.back().second + 1 == wheels.back().first.size()) wheels.pop_back();
  if (wheels.empty()) return false;
  ++wheels.back().second;
  complete(space, wheels);
  return true;
}

}  // namespace

SearchKind parse_search(const std::string& text) {
  if (text == "random") return SearchKind::random;
  if (text == "exhaustive") return SearchKind::exhaustive;
  if (text == "climb") return SearchKind::climb;
  throw UserError("--search " + text + ": no such search; use climb, random or exhaustive");
}

Configuration project(const Space& space, const Configuration& c) {
  Configuration near;
  for (const Parameter& p : space.parameters()) {
    const auto wanted = wish(c, *p.key);
    const Settings allowed = space.allowed(near, *p.key);
    near.set(*p.key, wanted ? closest(allowed, *wanted) : allowed.front());
  }
  return near;
}

std::size_t count_configurations(const Space& space, std::size_t limit) {
  std::vector<Wheel> wheels;
  complete(space, wheels);
  std::size_t n = 1;
  while (n < limit && step(space, wheels)) ++n;
  return n;
}

Search::Search(const Space& space, SearchKind kind, std::uint64_t seed,
               const std::vector<Configuration>& first)
    : space_(space), kind_(kind), random_(seed) {
  for (const Configuration& c : first) seeds_.push_back(project(space, c));
  for (Configuration& c : space.seeds()) seeds_.push_back(std::move(c));
  if (kind_ != SearchKind::exhaustive && count_configurations(space, kSmallSpace) < kSmallSpace)
    kind_ = SearchKind::exhaustive;
}

const Setting& Search::pick(const Settings& values) {
  return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random_)];
}

Configuration Search::sample() {
  Configuration c;
  for (const Parameter& p : space_.parameters()) c.set(*p.key, pick(space_.allowed(c, *p.key)));
  return c;
}

/// One or two parameters of a good configuration get another value; those after them follow as far as they
/// must.
Configuration Search::neighbour() {
  const bool in_caller = turn_ % 2 == 0 && !best_caller_.empty();
  const Ranking& parents = in_caller ? best_caller_ : best_;
  const auto& parent =
      parents[std::uniform_int_distribution<std::size_t>(0, parents.size() - 1)(random_)].second;
  const std::size_t n = space_.parameters().size();
  std::set<std::size_t> changed;
  const int changes = std::uniform_int_distribution<int>(1, 2)(random_);
  for (int i = 0; i < changes; ++i)
    changed.insert(std::uniform_int_distribution<std::size_t>(0, n - 1)(random_));
  Configuration c;
  for (std::size_t i = 0; i < n; ++i) {
    const Key& key = *space_.parameters()[i].key;
    const Settings allowed = space_.allowed(c, key);
    const Setting* before = parent.find(key);
    const bool fixed = in_caller && key.name == std::string_view(key::layout.name);
    const bool keep = (!changed.contains(i) || fixed) && before != nullptr && contains(allowed, *before);
    c.set(key, keep ? *before : pick(allowed));
  }
  return c;
}

std::optional<Configuration> Search::enumerate() {
  while (!exhausted_) {
    if (!enumerating_)
      complete(space_, odometer_), enumerating_ = true;
    else if (!step(space_, odometer_))
      break;
    if (const Configuration c = chosen(space_, odometer_); given_.insert(c).second) return c;
  }
  exhausted_ = true;
  return std::nullopt;
}

std::optional<Configuration> Search::next() {
  while (!seeds_.empty()) {
    const Configuration c = seeds_.front();
    seeds_.pop_front();
    if (given_.insert(c).second) return c;
  }
  if (kind_ == SearchKind::exhaustive) return enumerate();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const bool climb = kind_ == SearchKind::climb && !best_.empty() && ++turn_ % 3 != 0;
    if (Configuration c = climb ? neighbour() : sample(); given_.insert(c).second) return c;
  }
  return std::nullopt;
}

void Search::insert(Ranking& ranking, const Configuration& c, double ms) {
  const auto at = std::lower_bound(ranking.begin(), ranking.end(), ms,
                                   [](const auto& entry, double t) { return entry.first < t; });
  ranking.insert(at, {ms, c});
  if (ranking.size() > kParents) ranking.pop_back();
}

void Search::report(const Configuration& c, double ms) {
  insert(best_, c, ms);
  if (space_.layout(c).empty()) insert(best_caller_, c, ms);
}

}  // namespace lift
