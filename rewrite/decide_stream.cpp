// Decisions on how a sequential loop meets memory: what stays in registers from one iteration to the next.
#include <algorithm>

#include "rewrite/decide.hpp"

namespace lift {
namespace {

/// The axis that the innermost loop runs along.
std::size_t inner_axis(const SpaceFacts& f, const Configuration& c) { return f.axes.size() - (is_by_columns(c) ? f.inner_rank : 1); }

/// Some element is read again by a later iteration of the innermost loop, which is sequential.
bool reads_again(const SpaceFacts& f, const Configuration& c) {
  const std::string inner = chosen(c, "inner", "seq");
  if (!inner_is_loop(f, c) || f.repeats.empty() || is_vector(c) || is_split(c)) return false;
  const std::int64_t step = inner == "strided" ? f.modulus : 1;
  const auto loops = planned_loops(f, c);
  if (loops[inner_loop(loops)].trips.value_or(1000) < 4 * step) return false;
  const auto& repeats = f.repeats[inner_axis(f, c)];
  return std::any_of(repeats.begin(), repeats.end(), [&](std::int64_t n) { return n % step == 0 && n / step <= 8; });
}

}  // namespace

std::vector<Decision> stream_decisions(const SpaceFacts& f) {
  const bool any = std::any_of(f.repeats.begin(), f.repeats.end(), [](const auto& r) { return !r.empty(); });
  return {{"kcache", any ? std::vector<std::string>{"no", "yes"} : std::vector<std::string>{"no"},
           [](const SpaceFacts& facts, const Configuration& c, const std::string& value) { return value == "no" || reads_again(facts, c); }}};
}

}  // namespace lift
