// Whether elements that later iterations of the inner loop read again stay in registers.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// The axis that the innermost loop runs along.
std::size_t inner_axis(const NestFacts& f, const Configuration& c) {
  return f.axes.size() - (is_by_columns(f, c) ? f.inner_rank : 1);
}

/// Some element is read again by a later iteration of the innermost loop, which is sequential.
bool reads_again(const NestFacts& f, const Configuration& c) {
  if (f.inside == Inside::scans) return is_by_levels(c);  // the level before
  if (!inner_is_loop(f, c) || f.repeats.empty() || is_vector(c) || is_split(c)) return false;
  const std::int64_t step = c[key::inner] == Inner::strided ? inner_stride(f) : 1;
  if (inner_trips(f, c, 1000) < 4 * step) return false;
  const auto& repeats = f.repeats[inner_axis(f, c)];
  return std::any_of(repeats.begin(), repeats.end(),
                     [&](std::int64_t n) { return n % step == 0 && n / step <= 8; });
}

std::vector<bool> caches(const NestFacts& f) {
  const bool again =
      std::any_of(f.repeats.begin(), f.repeats.end(), [](const auto& r) { return !r.empty(); });
  return again || f.inside == Inside::scans ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

}  // namespace

namespace decisions {

const Decision& kcache() {
  static const auto& d =
      *new Decision(decide(key::kcache)
                        .offers(caches)
                        .admitted([](const NestFacts& f, const Configuration& c, const bool& on) {
                          return !on || reads_again(f, c);
                        })
                        .taken_by("rotate")
                        .said("kept in registers")
                        .is_switch("values kept in registers (K-cache)",
                                   "no element is read again by a later iteration of a loop"));
  return d;
}

}  // namespace decisions
}  // namespace lift
