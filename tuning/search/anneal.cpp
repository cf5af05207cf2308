// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983): steps from where the search stands, by one setting,
// numbers up or down by one. A slower configuration is gone to, too, the less likely the later and the
// slower.
#include <cmath>

#include "tuning/search/technique.hpp"

namespace lift {
namespace {

constexpr double kHot = 0.3;       ///< at first, what is 30 % slower is accepted with probability 1/e
constexpr double kCooling = 0.97;  ///< a configuration learnt
constexpr int kStuck = 40;         ///< proposals of which nothing is learnt: all around has been tried

class Anneal : public Technique {
 public:
  Anneal(const SearchSpace& space, std::uint64_t seed) : space_(space), chance_(seed) {}

  std::optional<Configuration> propose() override {
    if (++in_vain_ > kStuck) ms_ = 0, heat_ = kHot;  // begins again somewhere else
    return ms_ > 0 ? step_from(space_, here_, chance_) : sample(space_, chance_);
  }

  void learn(const Configuration& c, double ms) override {
    const double slower = ms_ > 0 ? ms / ms_ - 1 : -1;
    const double uniform = std::uniform_real_distribution<double>(0, 1)(chance_);
    if (slower <= 0 || uniform < std::exp(-slower / heat_)) here_ = c, ms_ = ms;
    heat_ *= kCooling, in_vain_ = 0;
  }

 private:
  const SearchSpace& space_;
  Chance chance_;
  Configuration here_;
  double ms_ = 0;  ///< of the configuration where the search stands; 0: none yet
  double heat_ = kHot;
  int in_vain_ = 0;
};

}  // namespace

std::unique_ptr<Technique> anneal(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Anneal>(space, seed);
}

}  // namespace lift
