// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983): steps from where the search stands, by one setting,
// numbers up or down by one. A slower configuration is gone to, too, the less likely the later and the
// slower.
#include <cmath>

#include "tuning/search/technique.hpp"

namespace lift {
namespace {

constexpr double kHot = 0.3;       ///< at first, what is 30 % slower is accepted with probability 1/e
constexpr double kCooling = 0.97;  ///< a configuration learnt

class Anneal : public Technique {
 public:
  Anneal(const Space& space, std::uint64_t seed) : space_(space), chance_(seed) {}

  std::optional<Configuration> propose() override { return ms_ > 0 ? step() : sample(space_, chance_); }

  void learn(const Configuration& c, double ms) override {
    const double slower = ms_ > 0 ? ms / ms_ - 1 : -1;
    const double uniform = std::uniform_real_distribution<double>(0, 1)(chance_);
    if (slower <= 0 || uniform < std::exp(-slower / heat_)) here_ = c, ms_ = ms;
    heat_ *= kCooling;
  }

 private:
  /// One parameter goes to a neighbouring setting; those after it stay where that is allowed.
  Configuration step() {
    const std::size_t moved = below(space_.parameters().size(), chance_);
    Configuration c;
    for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
      const Key& key = *space_.parameters()[i].key;
      const Settings allowed = space_.allowed(c, key);
      const Setting* before = here_.find(key);
      const bool stays = before != nullptr && contains(allowed, *before);
      const Settings next = stays && i == moved ? neighbours(allowed, *before) : Settings{};
      c.set(key, !next.empty() ? any_of(next, chance_) : stays ? *before : any_of(allowed, chance_));
    }
    return c;
  }

  const Space& space_;
  Chance chance_;
  Configuration here_;
  double ms_ = 0;  ///< of the configuration where the search stands; 0: none yet
  double heat_ = kHot;
};

}  // namespace

std::unique_ptr<Technique> anneal(const Space& space, std::uint64_t seed) {
  return std::make_unique<Anneal>(space, seed);
}

}  // namespace lift
