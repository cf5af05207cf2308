#include "gmg/boundary_values.hpp"

#include <algorithm>

namespace lift::gmg {
namespace {

using Position = std::vector<std::int64_t>;

/// The g at the cell of a face that is nearest to a position.
double value_at(const Domain& domain, std::size_t normal, bool high, const Position& at) {
  const Condition& c = domain.condition(normal, high);
  if (c.values.empty()) return c.g;
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < at.size(); ++d)
    if (d != normal)
      flat = flat * domain.cells()[d] + std::clamp<std::int64_t>(at[d], 0, domain.cells()[d] - 1);
  return c.values[static_cast<std::size_t>(flat)];
}

/// Reflections lead into the region, dimension after dimension; each adds its shift, times the factors of
/// those before.
double beyond(const Domain& domain, Position at) {
  double scale = 1, shift = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const std::int64_t n = domain.cells()[d];
    while (at[d] < 0 || at[d] >= n) {
      const bool high = at[d] >= n;
      if (domain.is_periodic(d)) {
        at[d] += high ? -n : n;
        continue;
      }
      // The cell beyond by 1 / 2, 3 / 2, ... cells: a slope reaches so much further.
      const std::int64_t steps = high ? at[d] - n : -1 - at[d];
      const double reach = domain.condition(d, high).slope != 0 ? static_cast<double>(2 * steps + 1) : 1.0;
      shift += scale * reach * domain.ghost_shift(d, high) * value_at(domain, d, high, at);
      scale *= domain.ghost_scale(d, high);
      at[d] = high ? 2 * n - 1 - at[d] : -1 - at[d];
    }
  }
  return shift;
}

}  // namespace

bool has_boundary_values(const Domain& domain) {
  for (std::size_t d = 0; d < domain.dimensions(); ++d)
    for (const bool high : {false, true}) {
      const Condition& c = domain.condition(d, high);
      if (c.g != 0 || std::any_of(c.values.begin(), c.values.end(), [](double g) { return g != 0; }))
        return true;
    }
  return false;
}

std::vector<double> boundary_values(const Domain& domain, int width) {
  std::vector<double> all;
  Position at(domain.dimensions(), -width);
  while (true) {
    const std::size_t inner = at.size() - 1;
    bool outside = false;
    for (std::size_t d = 0; d < inner; ++d) outside = outside || at[d] < 0 || at[d] >= domain.cells()[d];
    for (at[inner] = -width; at[inner] < domain.cells()[inner] + width; ++at[inner])
      all.push_back(outside || at[inner] < 0 || at[inner] >= domain.cells()[inner] ? beyond(domain, at) : 0);
    std::size_t d = inner;
    while (d > 0 && ++at[d - 1] == domain.cells()[d - 1] + width) at[--d] = -width;
    if (d == 0) return all;
  }
}

}  // namespace lift::gmg
