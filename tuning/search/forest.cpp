// A model of what was measured (Hutter, Hoos, Leyton-Brown 2011): a random forest over the decisions expects
// a time of every configuration; tried is what may be fastest, by what is expected less what the trees
// disagree about. What was refused counts as slow as the slowest, so that the model learns what is feasible,
// too.
#include <algorithm>
#include <cmath>

#include "rewrite/space/keys.hpp"
#include "tuning/search/regression_trees.hpp"

namespace lift {
namespace {

constexpr std::size_t kBegin = 8;     ///< measured, by chance, before there is a model
constexpr std::size_t kSamples = 60;  ///< anywhere in the space, of which the model chooses
constexpr std::size_t kNear = 60;     ///< one or two steps from one of the fastest
constexpr std::size_t kFastest = 8;
constexpr double kCurious = 1.0;   ///< deviations below what is expected
constexpr std::size_t kEvery = 8;  ///< of so many proposals one is left to chance
constexpr std::size_t kCaller =
    3;  ///< of so many one leaves arrays as the caller has them, which is reported, too

class Forest : public Technique {
 public:
  Forest(const SearchSpace& space, std::uint64_t seed) : space_(space), encoding_(space), chance_(seed) {}

  std::optional<Configuration> propose() override {
    if (logs_.size() < kBegin || ++turn_ % kEvery == 0) return sample(space_, chance_);
    if (promising_.empty()) choose();
    auto at = std::prev(promising_.end());
    if (turn_ % kCaller == 0)
      while (at != promising_.begin() && (*at)[key::layout].index != kCallerLayout) --at;
    Configuration c = std::move(*at);
    promising_.erase(at);
    return c;
  }

  void learn(const Configuration& c, double ms) override {
    rows_.push_back(encoding_(c)), logs_.push_back(std::log(ms));
    fastest_.add(c, ms);
    promising_.clear();
  }
  void refuse(const Configuration& c) override { refused_.push_back(encoding_(c)); }

 private:
  /// The most promising come last.
  void choose() {
    std::vector<Row> rows = rows_;
    std::vector<double> logs = logs_;
    rows.insert(rows.end(), refused_.begin(), refused_.end());
    logs.resize(rows.size(), *std::max_element(logs_.begin(), logs_.end()));
    const RegressionTrees model(rows, logs, chance_);
    std::vector<std::pair<double, Configuration>> all;
    const auto consider = [&](Configuration c) {
      const RegressionTrees::Expected e = model.expect(encoding_(c));
      all.emplace_back(e.mean - kCurious * e.deviation, std::move(c));
    };
    for (std::size_t i = 0; i < kSamples; ++i) consider(sample(space_, chance_));
    for (std::size_t i = 0; i < kNear; ++i) {
      Configuration c = step_from(space_, fastest_[below(fastest_.size(), chance_)], chance_);
      if (i % 2 == 1) c = step_from(space_, c, chance_);
      consider(std::move(c));
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    promising_.clear();
    for (auto& [expected, c] : all) promising_.push_back(std::move(c));
  }

  const SearchSpace& space_;
  const Encoding encoding_;
  Chance chance_;
  std::vector<Row> rows_, refused_;
  std::vector<double> logs_;  ///< of the times of rows_
  Ranking fastest_{kFastest};
  std::vector<Configuration> promising_;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Technique> forest(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Forest>(space, seed);
}

}  // namespace lift
