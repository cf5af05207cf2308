// One kernel of each structure of the space, of every operator: what the tests of backends with a grid go through.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "tests/emit/small_problem.hpp"

namespace lift::test {

struct GridCase {
  const Pattern* pattern = nullptr;
  Problem problem;
  Configuration configuration;
  std::string structure;
  Kernel kernel;
};

inline std::string describe(const GridCase& c) {
  std::string s = c.pattern->name + " " + std::to_string(c.problem.boxes) + " x " + std::to_string(c.problem.box) + ", " + text(c.problem.type);
  for (const auto& [name, value] : c.problem.choices) s += ", " + name + " " + value;
  return s + ": " + str(c.configuration);
}

inline int dimensions(const Pattern& p) {
  for (const char* d : {"1d", "2d", "3d"})
    if (p.name.ends_with(d)) return d[0] - '0';
  return 3;
}

/// The problem with the first of `sides` that the pattern can be built for.
inline Problem buildable(const Pattern& pattern, Problem problem, const std::vector<std::int64_t>& sides) {
  std::string why;
  for (const std::int64_t side : sides) try {
      problem.box = side;
      (void)pattern.build(problem);
      return problem;
    } catch (const UserError& error) {
      why = error.what();
    }
  throw UserError(pattern.name + ": " + why);
}

/// The operator as it is by default; smoothers also with two arrays.
inline std::vector<Problem> choices(const Pattern& pattern, const Problem& problem) {
  std::vector<Problem> all{problem};
  if (const auto at = pattern.choices.find("smoother"); at != pattern.choices.end() && std::find(at->second.begin(), at->second.end(), "jacobi") != at->second.end()) {
    all.push_back(problem);
    all.back().choices["smoother"] = "jacobi";
  }
  return all;
}

inline std::set<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Configurations of at most `most` structures: first those that bring decisions which no other has brought, then others.
inline std::vector<Configuration> varied(const Space& space, std::size_t most, int random, std::uint64_t seed) {
  std::vector<std::pair<std::string, Configuration>> rest;
  std::set<std::string> seen;
  for (const Configuration& c : configurations(space, random, seed))
    if (const std::string s = space.structure(c); seen.insert(s).second) rest.emplace_back(s, c);
  std::vector<Configuration> chosen;
  std::set<std::string> brought;
  while (chosen.size() < most && !rest.empty()) {
    const auto fresh = [&](const auto& candidate) {
      const std::set<std::string> all = words(candidate.first);
      return std::count_if(all.begin(), all.end(), [&](const std::string& w) { return !brought.contains(w); });
    };
    const auto best = std::max_element(rest.begin(), rest.end(), [&](const auto& a, const auto& b) { return fresh(a) < fresh(b); });
    brought.merge(words(best->first));
    chosen.push_back(best->second);
    rest.erase(best);
  }
  return chosen;
}

struct GridChoice {
  Target target = Target::cuda;
  std::vector<std::int64_t> sides;          ///< of the boxes: the first that an operator can be built for
  std::int64_t boxes = 2;
  std::array<std::size_t, 3> structures{};  ///< of each operator at most, in 1D, 2D, 3D
  int random = 0;                           ///< configurations beside the seeds
};

/// Kernels of one operator; the names are NAME_0, NAME_1, ...
inline std::vector<GridCase> grid_cases(const Pattern& pattern, const GridChoice& choice, Scalar type, const std::string& name) {
  Problem problem;
  problem.boxes = choice.boxes, problem.type = type;
  std::vector<GridCase> all;
  for (const Problem& p : choices(pattern, buildable(pattern, problem, choice.sides))) {
    SpaceOptions options;
    options.target = choice.target, options.threads = 2;
    const Space space(pattern.build(p), options);
    for (const Configuration& c : varied(space, choice.structures[static_cast<std::size_t>(dimensions(pattern)) - 1], choice.random, 5)) try {
        GridCase made{&pattern, p, c, space.structure(c), lower(replay(space.program(), space.derive(c)))};
        made.kernel.name = name + "_" + std::to_string(all.size());
        (void)emit_source(made.kernel, choice.target);  // a printer may refuse, too
        all.push_back(std::move(made));
      } catch (const UserError&) {  // impossible as asked
      }
  }
  return all;
}

}  // namespace lift::test
