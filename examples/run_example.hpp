// What the examples share: exploring a pattern that only the example knows, and judging what came out.
#pragma once

#include <liftgen/pattern.hpp>

#include <cstdio>
#include <cstring>
#include <exception>

namespace example {

/// Explores `pattern` at `small_box` cells a dimension and a few variants, or with --full at `full_box` for a
/// minute. The exit status is 0 when a variant was verified, none is wrong, and at full size the best is not
/// slower than the plain loops (by more than a tenth, for noise).
inline int run(const lift::Pattern& pattern, std::int64_t small_box, std::int64_t full_box, int argc,
               char** argv) {
  const bool full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
  if (argc > 1 && !full) {
    std::fprintf(stderr, "%s: unknown argument '%s'; there is --full\n", argv[0], argv[1]);
    return 2;
  }
  lift::Problem problem;
  problem.box = full ? full_box : small_box, problem.boxes = 1, problem.boundary = "built in";
  lift::ExploreOptions options;
  options.budget_seconds = full ? 60 : 20;
  options.configurations = full ? 0 : 8;
  options.rivals = full;
  try {
    const lift::ExploreResult r = lift::explore(pattern, problem, options);
    std::printf("%s, %lld cells a dimension: %s\n%s\n%s\n", pattern.name.c_str(),
                static_cast<long long>(problem.box), pattern.summary.c_str(), lift::leaderboard(r, 8).c_str(),
                lift::summary(r, false).c_str());
    if (!r.best) return std::fprintf(stderr, "%s: no variant was verified\n", pattern.name.c_str()), 1;
    const lift::Variant& best = r.variants[*r.best];
    std::printf("best: %s, %.3f ms, %.2fx the plain loops\n%s\n", best.name.c_str(), best.ms, best.speedup,
                lift::str(best.derivation).c_str());
    return best.verified && r.counts.wrong == 0 && (!full || best.speedup >= 0.9) ? 0 : 1;
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s: %s\n", pattern.name.c_str(), e.what()), 1;
  }
}

}  // namespace example
