// Several techniques share the configurations that are tried, by what each has gained: a multi-armed bandit
// with a sliding window and the area under the curve of gains as credit (OpenTuner: Ansel et al. 2014,
// section 3.2.1). All learn from what any of them has proposed.
#include <cmath>
#include <deque>
#include <unordered_map>

#include "tuning/search/technique.hpp"

namespace lift {
namespace {

constexpr const char* kArms[] = {"forest", "genetic", "climb", "anneal"};
constexpr std::size_t kWindow = 60;  ///< turns that are remembered
constexpr double kPatience = 0.05;   ///< what a technique gets for not having been asked for long

class Portfolio : public Technique {
 public:
  Portfolio(const SearchSpace& space, std::uint64_t seed) {
    for (const char* name : kArms) arms_.push_back(find_technique(name).make(space, seed++));
  }

  std::optional<Configuration> propose() override {
    const std::size_t arm = next_arm();
    auto c = arms_[arm]->propose();
    if (!c) return c;
    turns_.push_back({arm, false});
    if (turns_.size() > kWindow) turns_.pop_front(), ++forgotten_;
    asked_[*c] = forgotten_ + turns_.size() - 1;
    return c;
  }

  void learn(const Configuration& c, double ms) override {
    const bool gained = best_ == 0 || ms < best_;
    if (gained) best_ = ms;
    if (const auto at = asked_.find(c); gained && at != asked_.end() && at->second >= forgotten_)
      turns_[at->second - forgotten_].gained = true;
    for (auto& arm : arms_) arm->learn(c, ms);
  }
  void refuse(const Configuration& c) override {
    for (auto& arm : arms_) arm->refuse(c);
  }

 private:
  struct Turn {
    std::size_t arm;
    bool gained;
  };

  /// Of the arm with the most credit: later gains count for more.
  std::size_t next_arm() const {
    std::vector<double> uses(arms_.size()), area(arms_.size());
    for (const Turn& t : turns_) {
      ++uses[t.arm];
      if (t.gained) area[t.arm] += uses[t.arm];
    }
    std::size_t best = 0;
    double most = -1;
    for (std::size_t a = 0; a < arms_.size(); ++a) {
      const double credit =
          uses[a] == 0
              ? INFINITY
              : 2 * area[a] / (uses[a] * (uses[a] + 1)) +
                    kPatience * std::sqrt(2 * std::log2(static_cast<double>(turns_.size())) / uses[a]);
      if (credit > most) most = credit, best = a;
    }
    return best;
  }

  std::vector<std::unique_ptr<Technique>> arms_;
  std::deque<Turn> turns_;
  std::size_t forgotten_ = 0;                             ///< turns
  std::unordered_map<Configuration, std::size_t> asked_;  ///< the turn in which each was proposed
  double best_ = 0;
};

}  // namespace

std::unique_ptr<Technique> portfolio(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Portfolio>(space, seed);
}

}  // namespace lift
