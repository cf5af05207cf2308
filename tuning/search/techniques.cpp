// The search techniques, a row each.
#include "ir/error.hpp"
#include "tuning/search/technique.hpp"

namespace lift {

std::unique_ptr<Technique> climb(const Space& space, std::uint64_t seed);
std::unique_ptr<Technique> random_choices(const Space& space, std::uint64_t seed);
std::unique_ptr<Technique> exhaustive(const Space& space, std::uint64_t seed);
std::unique_ptr<Technique> anneal(const Space& space, std::uint64_t seed);

const std::vector<TechniqueRow>& techniques() {
  static const std::vector<TechniqueRow> rows{
      {"climb", "two neighbours of one of the best so far to each random configuration", climb},
      {"random", "uniform choices parameter by parameter (a control for the others)", random_choices},
      {"exhaustive", "every configuration in order", exhaustive},
      {"anneal", "steps from where the search stands, to slower configurations less and less often", anneal},
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

Configuration sample(const Space& space, Chance& chance) {
  Configuration c;
  for (const Parameter& p : space.parameters()) c.set(*p.key, any_of(space.allowed(c, *p.key), chance));
  return c;
}

}  // namespace lift
