// Kernels whose work-groups stage tiles in local memory, or whose work-items compute several neighbouring
// cells, at sizes that no tile divides.
#pragma once

#include "tests/emit/long/grid_cases.hpp"

namespace lift::test {

/// Configurations of a box of 17 cells a side; of 2D operators, of 35.
inline std::vector<Configuration> staged_configurations(int dim) {
  if (dim == 2)
    return {{{"tile", "j8 i32"}, {"local", "tile"}},
            {{"tile", "j8 i32"}, {"local", "planes"}},
            {{"tile", "j8 i32"}, {"items", "j2"}},
            {{"tile", "j8 i32"}, {"items", "j4"}, {"local", "tile"}}};
  return {{{"tile", "j8 i16"}, {"items", "j2"}},
          {{"tile", "j8 i16"}, {"items", "j4"}},
          {{"tile", "j8 i16"}, {"items", "j4"}, {"local", "planes"}},
          {{"tile", "k4 j4 i16"}, {"items", "j2"}, {"local", "tile"}},
          {{"tile", "k4 j4 i16"}, {"order", "j i k"}, {"items", "j2"}, {"kcache", "yes"}},
          {{"tile", "j8 i16"}, {"order", "j i k"}, {"items", "j4"}, {"kcache", "yes"}},
          {{"tile", "j8 i16"}, {"order", "j i k"}, {"items", "j2"}, {"kcache", "no"}, {"unroll", "2"}}};
}

/// How tiles are copied: of boxes of whole tiles, whose rows of 34 and 66 are vectors of two.
inline std::vector<Configuration> copied_configurations(Target target, int dim) {
  const std::vector<Configuration> staged =
      dim == 3 ? std::vector<Configuration>{{{"tile", "k4 j4 i16"}, {"local", "tile"}},
                                            {{"tile", "j8 i16"}, {"local", "planes"}, {"items", "j2"}}}
               : std::vector<Configuration>{{{"tile", "j8 i32"}, {"local", "tile"}},
                                            {{"tile", "j8 i32"}, {"local", "planes"}},
                                            {{"tile", "j8 i32"}, {"local", "tile"}, {"items", "j2"}}};
  std::vector<Configuration> all;
  for (const char* copy : {"vec", "async", "async vec"})
    for (const Configuration& c : staged) {
      if (target == Target::opencl && copy == std::string("async vec")) continue;  // whole rows at once
      all.push_back(c);
      all.back().set("copy", copy);
    }
  return all;
}

/// Smoothers and residuals so decided. The space must allow each.
inline std::vector<GridCase> staged_cases(Target target) {
  static const auto patterns = all_patterns();
  struct Source {
    const char* name;
    std::map<std::string, std::string> choices;
    Scalar type;
    std::int64_t box;
  };
  std::vector<GridCase> all;
  for (const Source& s : {Source{"smooth3d", {{"smoother", "jacobi"}}, f64, 17},
                          {"smooth3d", {{"smoother", "jacobi"}, {"coefficients", "constant"}}, f32, 17},
                          {"residual3d", {}, f32, 17},
                          {"smooth3d", {{"smoother", "jacobi"}}, f64, 32},
                          {"smooth2d", {{"smoother", "jacobi"}}, f64, 64},
                          {"smooth2d", {{"smoother", "jacobi"}, {"coefficients", "constant"}}, f32, 64},
                          {"smooth2d", {{"smoother", "jacobi"}}, f64, 35}}) {
    const auto pattern =
        std::find_if(patterns.begin(), patterns.end(), [&](const auto& p) { return p->name == s.name; });
    Problem problem;
    problem.box = s.box, problem.boxes = s.type == f32 || s.box > 17 ? 1 : 2, problem.type = s.type,
    problem.choices = s.choices;
    SpaceOptions options;
    options.target = target, options.threads = 2;
    const Space space((*pattern)->build(problem), options);
    for (const Configuration& c : s.box % 32 == 0 ? copied_configurations(target, dimensions(**pattern))
                                                  : staged_configurations(dimensions(**pattern))) {
      all.push_back(
          {pattern->get(), problem, c, space.structure(c), lower(replay(space.program(), space.derive(c)))});
      all.back().kernel.name = "staged_" + std::to_string(all.size());
    }
  }
  return all;
}

}  // namespace lift::test
