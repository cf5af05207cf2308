// The search techniques, a row each.
#include <algorithm>

#include "ir/error.hpp"
#include "tuning/search/technique.hpp"

namespace lift {

std::unique_ptr<Technique> climb(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Technique> random_choices(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Technique> exhaustive(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Technique> anneal(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Technique> genetic(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Technique> forest(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Technique> portfolio(const SearchSpace& space, std::uint64_t seed);

const std::vector<TechniqueRow>& techniques() {
  static const auto& rows = *new std::vector<TechniqueRow>{
      {"climb", "two neighbours of one of the best so far to each random configuration", climb},
      {"random", "uniform choices parameter by parameter (a control for the others)", random_choices},
      {"exhaustive", "every configuration in order", exhaustive},
      {"anneal", "steps from where the search stands, to slower configurations less and less often", anneal},
      {"genetic", "children of two of the fastest, each decision from one of them or mutated", genetic},
      {"forest", "what regression trees over what was measured expect to be fast", forest},
      {"portfolio", "climb, anneal, genetic and forest by turns, most often those that have gained most",
       portfolio},
  };
  return rows;
}

std::string technique_names() {
  std::string s;
  for (std::size_t i = 0; i < techniques().size(); ++i)
    s += std::string(i == 0 ? "" : i + 1 < techniques().size() ? ", " : " or ") + techniques()[i].name;
  return s;
}

const TechniqueRow& find_technique(const std::string& name) {
  for (const TechniqueRow& row : techniques())
    if (row.name == name) return row;
  throw UserError("--search " + name + ": no such search; use " + technique_names());
}

std::size_t below(std::size_t n, Chance& chance) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(chance);
}

const Setting& any_of(const Settings& some, Chance& chance) { return some[below(some.size(), chance)]; }

Configuration sample(const SearchSpace& space, Chance& chance) {
  Configuration c;
  for (const Parameter& p : space.parameters()) c.set(*p.key, any_of(space.allowed(c, *p.key), chance));
  return c;
}

Configuration step_from(const SearchSpace& space, const Configuration& here, Chance& chance) {
  const std::size_t moved = below(space.parameters().size(), chance);
  Configuration c;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Key& key = *space.parameters()[i].key;
    const Settings allowed = space.allowed(c, key);
    const Setting* before = here.find(key);
    const bool stays = before != nullptr && contains(allowed, *before);
    const Settings next = stays && i == moved ? neighbours(allowed, *before) : Settings{};
    c.set(key, !next.empty() ? any_of(next, chance) : stays ? *before : any_of(allowed, chance));
  }
  return c;
}

void Ranking::add(const Configuration& c, double ms) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), ms,
                                   [](const Entry& e, double t) { return e.first < t; });
  entries_.insert(at, {ms, c});
  if (entries_.size() > most_) entries_.pop_back();
}

}  // namespace lift
