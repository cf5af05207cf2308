// One kernel of each structure of the space, of every operator: what the tests of backends with a grid go
// through.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "tests/emit/small_problem.hpp"
#include "tests/spelled.hpp"

namespace lift::test {

struct GridCase {
  const Pattern* pattern = nullptr;
  Problem problem;
  Configuration configuration;
  std::string structure;
  Kernel kernel;
};

inline std::string describe(const GridCase& c) {
  std::string s = c.pattern->name + " " + std::to_string(c.problem.boxes) + " x " +
                  std::to_string(c.problem.box) + ", " + text(c.problem.type);
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
  if (const auto at = pattern.choices.find("smoother");
      at != pattern.choices.end() &&
      std::find(at->second.begin(), at->second.end(), "jacobi") != at->second.end()) {
    all.push_back(problem);
    all.back().choices["smoother"] = "jacobi";
  }
  return all;
}

/// The decisions that a structure names, and every two of them.
inline std::set<std::string> decisions(const std::string& structure) {
  std::vector<std::string> single;
  for (std::size_t at = 0; at <= structure.size();) {
    const std::size_t end = std::min(structure.find(", ", at), structure.size());
    single.push_back(structure.substr(at, end - at));
    at = end + 2;
  }
  std::set<std::string> all;
  for (const std::string& a : single)
    for (const std::string& b : single) all.insert(a == b ? a : std::min(a, b) + " with " + std::max(a, b));
  return all;
}

/// Configurations of at most `most` structures: those first that bring most of what no other has brought.
/// Configurations that turn out to be impossible bring nothing: `make` is to say whether one can be had.
template <class Make>
void take_varied(const Space& space, std::size_t most, int random, const std::string& only,
                 const Make& make) {
  struct Candidate {
    Configuration configuration;
    std::set<std::string> brings;
  };
  std::vector<Candidate> rest;
  std::set<std::string> seen, brought;
  for (const Configuration& c : configurations(space, random, 5))
    if (const std::string s = space.structure(c); s.find(only) != std::string::npos && seen.insert(s).second)
      rest.push_back({c, decisions(s)});
  const auto fresh = [&](const Candidate& c) {
    return std::count_if(c.brings.begin(), c.brings.end(),
                         [&](const std::string& d) { return !brought.contains(d); });
  };
  for (std::size_t taken = 0; taken < most && !rest.empty();) {
    const auto best = std::max_element(rest.begin(), rest.end(), [&](const Candidate& a, const Candidate& b) {
      return fresh(a) < fresh(b);
    });
    if (make(best->configuration)) {
      ++taken;
      brought.merge(best->brings);
    }
    rest.erase(best);
  }
}

struct GridChoice {
  Target target = Target::cuda;
  /// Of the boxes, in 1D, 2D, 3D: the first that an operator can be built for.
  std::array<std::vector<std::int64_t>, 3> sides;
  std::int64_t boxes = 2;
  std::array<std::size_t, 3> structures{};  ///< of each operator at most, in 1D, 2D, 3D
  int random = 0;                           ///< configurations beside the seeds
  std::string only = {};                    ///< structures that name this
};

/// Small odd boxes (even ones for operators that need them): too small for work-groups with tiles.
inline std::array<std::vector<std::int64_t>, 3> small_sides() { return {{{5, 6, 8}, {5, 6, 8}, {5, 6, 8}}}; }
/// Boxes that no tile divides, a little larger than the smallest tiles.
inline std::array<std::vector<std::int64_t>, 3> tiled_sides() {
  return {{{67, 68, 72}, {35, 36, 40}, {17, 18, 20}}};
}

/// Kernels of one operator; the names are NAME_0, NAME_1, ...
inline std::vector<GridCase> grid_cases(const Pattern& pattern, const GridChoice& choice, Scalar type,
                                        const std::string& name) {
  Problem problem;
  problem.boxes = choice.boxes, problem.type = type;
  std::vector<GridCase> all;
  const auto dim = static_cast<std::size_t>(dimensions(pattern)) - 1;
  if (choice.structures[dim] == 0) return all;
  for (const Problem& p : choices(pattern, buildable(pattern, problem, choice.sides[dim]))) {
    SpaceOptions options;
    options.target = choice.target, options.threads = 2;
    const Space space(pattern.build(p), options);
    const auto make = [&](const Configuration& c) {
      try {
        GridCase made{&pattern, p, c, space.structure(c), lower(replay(space.program(), space.derive(c)))};
        made.kernel.name = name + "_" + std::to_string(all.size());
        (void)test::spelled(made.kernel, choice.target);  // a printer may refuse, too
        all.push_back(std::move(made));
        return true;
      } catch (const UserError&) {  // impossible as asked
        return false;
      }
    };
    take_varied(space, choice.structures[dim], choice.random, choice.only, make);
  }
  return all;
}

}  // namespace lift::test
