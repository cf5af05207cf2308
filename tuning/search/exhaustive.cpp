// Every configuration in order.
#include "tuning/search/odometer.hpp"
#include "tuning/search/technique.hpp"

namespace lift {
namespace {

class Exhaustive : public Technique {
 public:
  explicit Exhaustive(const SearchSpace& space) : odometer_(space) {}
  std::optional<Configuration> propose() override {
    if (!odometer_) return std::nullopt;
    const Configuration c = odometer_->configuration();
    if (!odometer_->step()) odometer_.reset();
    return c;
  }

 private:
  std::optional<Odometer> odometer_;
};

}  // namespace

std::unique_ptr<Technique> exhaustive(const SearchSpace& space, std::uint64_t) {
  return std::make_unique<Exhaustive>(space);
}

}  // namespace lift
