// A genetic algorithm with a steady state (Whitley 1989): each child has two of the fastest for parents,
// takes every decision from one of them, and now and then mutates to a neighbouring setting.
#include <algorithm>

#include "tuning/search/technique.hpp"

namespace lift {
namespace {

constexpr std::size_t kPopulation = 12;  ///< the fastest so far
constexpr std::size_t kFounders = 6;     ///< chosen by chance before there are children
constexpr double kMutations = 1.0;       ///< of a child, expected

class Genetic : public Technique {
 public:
  Genetic(const SearchSpace& space, std::uint64_t seed) : space_(space), chance_(seed) {}

  std::optional<Configuration> propose() override {
    return population_.size() < kFounders ? sample(space_, chance_) : child();
  }
  void learn(const Configuration& c, double ms) override { population_.add(c, ms); }

 private:
  /// The faster of two.
  const Configuration& parent() {
    return population_[std::min(below(population_.size(), chance_), below(population_.size(), chance_))];
  }

  Configuration child() {
    const Configuration &mother = parent(), &father = parent();
    const std::size_t n = space_.parameters().size();
    std::bernoulli_distribution mutates(std::min(1.0, kMutations / static_cast<double>(n))), from_mother(0.5);
    Configuration c;
    for (const Parameter& p : space_.parameters()) {
      const Settings allowed = space_.allowed(c, *p.key);
      const bool first = from_mother(chance_);
      const Setting* inherited = nullptr;
      for (const Configuration* from : first ? std::array{&mother, &father} : std::array{&father, &mother})
        if (const Setting* s = from->find(*p.key);
            inherited == nullptr && s != nullptr && contains(allowed, *s))
          inherited = s;
      const bool mutant = mutates(chance_);
      if (inherited == nullptr) {
        c.set(*p.key, any_of(allowed, chance_));
        continue;
      }
      const Settings next = mutant ? neighbours(allowed, *inherited) : Settings{};
      c.set(*p.key, next.empty() ? *inherited : any_of(next, chance_));
    }
    return c;
  }

  const SearchSpace& space_;
  Chance chance_;
  Ranking population_{kPopulation};
};

}  // namespace

std::unique_ptr<Technique> genetic(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Genetic>(space, seed);
}

}  // namespace lift
