// Uniform choices parameter by parameter: a control for the other techniques.
#include "tuning/search/technique.hpp"

namespace lift {
namespace {

class Random : public Technique {
 public:
  Random(const SearchSpace& space, std::uint64_t seed) : space_(space), chance_(seed) {}
  std::optional<Configuration> propose() override { return sample(space_, chance_); }

 private:
  const SearchSpace& space_;
  Chance chance_;
};

}  // namespace

std::unique_ptr<Technique> random_choices(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Random>(space, seed);
}

}  // namespace lift
