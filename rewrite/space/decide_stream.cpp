// Decisions on how a sequential loop meets memory: what stays in registers from one iteration to the next.
#include <algorithm>

#include "rewrite/space/decide.hpp"

namespace lift {
namespace {

/// The axis that the innermost loop runs along.
std::size_t inner_axis(const SpaceFacts& f, const Configuration& c) {
  return f.axes.size() - (is_by_columns(f, c) ? f.inner_rank : 1);
}

/// Some element is read again by a later iteration of the innermost loop, which is sequential.
bool reads_again(const SpaceFacts& f, const Configuration& c) {
  const std::string inner = chosen(c, "inner", "seq");
  if (!inner_is_loop(f, c) || f.repeats.empty() || is_vector(c) || is_split(c)) return false;
  const std::int64_t step = inner == "strided" ? f.modulus : 1;
  const auto loops = planned_loops(f, c);
  if (loops[inner_loop(loops)].trips.value_or(1000) < 4 * step) return false;
  const auto& repeats = f.repeats[inner_axis(f, c)];
  return std::any_of(repeats.begin(), repeats.end(),
                     [&](std::int64_t n) { return n % step == 0 && n / step <= 8; });
}

/// How far ahead: elements of a row, 16 and more; or a few iterations of a work-item's sequential loop.
Values prefetch_values(const SpaceFacts& f) {
  Values r{"0"};
  if (is_grid(f.options.target)) r.insert(r.end(), {"1", "2", "4"});
  if (on_processors(f.options)) r.insert(r.end(), {"16", "64", "128"});
  return r;
}
bool admits_prefetch(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (value == "0") return true;
  const std::int64_t ahead = std::stoll(value);
  if (is_vector(c)) return ahead >= 16;
  if (!inner_is_loop(f, c) || (ahead >= 16 && is_by_columns(f, c))) return false;
  const auto loops = planned_loops(f, c);
  return loops[inner_loop(loops)].trips.value_or(1000) >
         ahead * (chosen(c, "inner", "seq") == "strided" ? f.modulus : 1);
}

}  // namespace

std::vector<Decision> stream_decisions(const SpaceFacts& f) {
  if (f.axes.empty()) return {};
  const bool again =
      std::any_of(f.repeats.begin(), f.repeats.end(), [](const auto& r) { return !r.empty(); });
  std::vector<Decision> r;
  r.push_back({"kcache", again ? std::vector<std::string>{"no", "yes"} : std::vector<std::string>{"no"},
               [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
                 return value == "no" || reads_again(facts, c);
               }});
  r.push_back({"prefetch", prefetch_values(f), admits_prefetch});
  return r;
}

}  // namespace lift
