// Whether each thread has its share of the iterations from the beginning, or takes some at a time when it is
// done with those before: what also runs on a processor, or a core slower than the others, then holds up one
// thread's iterations, not all threads.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kChunksOfThread = 4;  ///< at least: with fewer there is little to hand out

/// The outermost of the loops that threads share. Steps in time have ways of their own to share work.
std::optional<std::size_t> outermost_shared(const NestFacts& f, const Configuration& c,
                                            const LoopNest& loops) {
  const bool steps = !c[key::time].empty() || !c[key::strips].empty() || !c[key::phases].empty();
  if (f.on_grid() || steps) return std::nullopt;
  const std::vector<LoopRun> runs = shared_runs(loops, c);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].rule == std::string_view("map-par")) return i;
  return std::nullopt;
}

bool admits_dynamic(const NestFacts& f, const Configuration& c, const std::int64_t& chunk) {
  if (chunk == 0) return true;
  const LoopNest loops = loops_of(f, c);
  if (!outermost_shared(f, c, loops)) return false;
  std::int64_t iterations = 1;
  for (const Loop& l : loops.loops())
    if (shared_loops(c).has(l.name())) iterations *= l.trips.value_or(1000);
  return iterations >= kChunksOfThread * f.options.threads * chunk;
}

}  // namespace

namespace decisions {

const Decision& dynamic() {
  static const auto& d =
      *new Decision(decide(key::dynamic)
                        .offers([](const NestFacts& f) {
                          return !f.on_grid() && f.options.threads > 1
                                     ? std::vector<std::int64_t>{0, 1, 4, 16}
                                     : std::vector<std::int64_t>{};
                        })
                        .admitted(admits_dynamic)
                        .taken([](NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
                          if (c[key::dynamic] == 0) return;
                          if (const auto i = outermost_shared(f, c, d))
                            d.step("dynamic", {c[key::dynamic]}, d.loop(*i));
                        })
                        .said("dynamic"));
  return d;
}

}  // namespace decisions
}  // namespace lift
