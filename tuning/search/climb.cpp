// Two neighbours of one of the best so far to each random configuration. Every other neighbour keeps the
// caller's layout, which is reported beside the fastest of any layout.
#include <set>

#include "rewrite/space/keys.hpp"
#include "tuning/search/technique.hpp"

namespace lift {
namespace {

constexpr std::size_t kParents = 5;  ///< whose neighbours are tried

class Climb : public Technique {
 public:
  Climb(const SearchSpace& space, std::uint64_t seed) : space_(space), chance_(seed) {}

  std::optional<Configuration> propose() override {
    return !best_.empty() && ++turn_ % 3 != 0 ? neighbour() : sample(space_, chance_);
  }

  void learn(const Configuration& c, double ms) override {
    best_.add(c, ms);
    if (c[key::layout].index == kCallerLayout) best_caller_.add(c, ms);
  }

 private:
  /// One or two parameters of a good configuration get another setting; those after them follow as far as
  /// they must.
  Configuration neighbour() {
    const bool in_caller = turn_ % 2 == 0 && !best_caller_.empty();
    const Ranking& parents = in_caller ? best_caller_ : best_;
    const Configuration& parent = parents[below(parents.size(), chance_)];
    std::set<std::size_t> changed;
    const std::size_t n = space_.parameters().size(), changes = 1 + below(2, chance_);
    for (std::size_t i = 0; i < changes; ++i) changed.insert(below(n, chance_));
    Configuration c;
    for (std::size_t i = 0; i < n; ++i) {
      const Key& key = *space_.parameters()[i].key;
      const Settings allowed = space_.allowed(c, key);
      const Setting* before = parent.find(key);
      const bool fixed = !changed.contains(i) || (in_caller && &key == &key::layout);
      c.set(key,
            fixed && before != nullptr && contains(allowed, *before) ? *before : any_of(allowed, chance_));
    }
    return c;
  }

  const SearchSpace& space_;
  Chance chance_;
  Ranking best_{kParents}, best_caller_{kParents};  ///< of any layout; of the caller's
  int turn_ = 0;
};

}  // namespace

std::unique_ptr<Technique> climb(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Climb>(space, seed);
}

}  // namespace lift
