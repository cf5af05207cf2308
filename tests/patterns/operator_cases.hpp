// The operators of the library with their choices, in every dimension, with every boundary condition, at
// small sizes: what the tests of expressions, references, plain loops and emitted kernels all go through.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "patterns/box_problem.hpp"
#include "patterns/operators.hpp"

namespace lift::testing {

struct OperatorCase {
  std::shared_ptr<const Pattern> pattern;
  Problem problem;
};

/// Values of choices; "sweeps" is Problem::sweeps.
using ChosenValues = std::map<std::string, std::string>;

inline void choose(Problem& p, ChosenValues choices) {
  if (const auto sweeps = choices.find("sweeps"); sweeps != choices.end()) {
    p.sweeps = std::stoi(sweeps->second);
    choices.erase(sweeps);
  }
  p.choices = std::move(choices);
}

struct OperatorFamily {
  Pattern (*make)(int dim);
  std::vector<ChosenValues> choices;              ///< as they are tested
  std::array<std::int64_t, 3> sides = {7, 5, 3};  ///< of the boxes in 1D, 2D, 3D
  std::vector<std::string> boundaries = boundary_names();
  int least_dim = 1;
};

inline std::vector<ChosenValues> stencils(const ChosenValues& more) {
  std::vector<ChosenValues> all(4, more);
  for (std::size_t i = 1; i < 4; ++i) all[i]["coefficients"] = "constant";
  all[2]["stencil"] = "wide", all[3]["stencil"] = "box";
  return all;
}

/// The operators that read a stencil.
inline std::vector<OperatorFamily> stencil_families() {
  std::vector<ChosenValues> smoothers{{}, {{"coefficients", "constant"}}, {{"smoother", "symmetric-gsrb"}}};
  for (const char* sweeps : {"2", "3"}) smoothers.push_back({{"sweeps", sweeps}});
  for (const char* sweeps : {"2", "3"}) smoothers.push_back({{"smoother", "jacobi"}, {"sweeps", sweeps}});
  smoothers.push_back(
      {{"smoother", "jacobi"}, {"sweeps", "2"}, {"coefficients", "constant"}, {"stencil", "wide"}});
  for (const ChosenValues& c : stencils({{"smoother", "jacobi"}})) smoothers.push_back(c);
  for (const char* degree : {"1", "2", "3"})
    smoothers.push_back({{"smoother", "chebyshev"}, {"degree", degree}});
  smoothers.push_back(
      {{"smoother", "chebyshev"}, {"degree", "2"}, {"coefficients", "constant"}, {"stencil", "box"}});
  return {{smooth, smoothers},
          {apply_operator, stencils({})},
          {residual, stencils({})},
          {lambda_operator, {{}}},
          {smooth, {{{"form", "thesis"}}}, {7, 5, 3}, {"ghost"}, 3},
          {residual, {{{"form", "thesis"}}}, {7, 5, 3}, {"ghost"}, 3}};
}

/// Those between two levels: fine boxes of even sides about odd coarse ones.
inline std::vector<OperatorFamily> transfer_families() {
  const std::array<std::int64_t, 3> sides{14, 10, 6};
  return {{restriction,
           {{}, {{"form", "thesis"}}, {{"kind", "linear"}}, {{"kind", "full_weighting"}}, {{"kind", "face"}}},
           sides},
          {prolongation,
           {{{"kind", "linear"}},
            {{"kind", "linear"}, {"mode", "increment"}},
            {{"kind", "constant"}},
            {{"kind", "constant"}, {"mode", "increment"}},
            {{"kind", "linear"}, {"form", "thesis"}}},
           sides}};
}

/// Those on vectors, to which a boundary condition is a ghost zone or none.
inline std::vector<OperatorFamily> vector_families() {
  std::vector<OperatorFamily> all{
      {axpy, {{}}},
      {scale, {{}}},
      {shift, {{}}},
      {dot, {{}, {{"compensated", "yes"}}}},
      {norm, {{{"kind", "max"}}, {{"kind", "l2"}}, {{"kind", "l2"}, {"compensated", "yes"}}}}};
  for (OperatorFamily& f : all) f.boundaries = {"ghost", "neumann"};
  return all;
}

/// Sides of a box that differ from one another, all even or all odd; of a line there is but one.
inline std::vector<std::int64_t> no_cube(std::int64_t least, int dim) {
  if (dim == 1) return {};
  return dim == 2 ? std::vector{least + 2, least} : std::vector{least + 2, least + 4, least};
}

/// Every family, choice, dimension and boundary condition; sizes, types and ghost depths vary from case to
/// case, or all types are taken for each.
inline std::vector<OperatorCase> operator_cases(const std::vector<OperatorFamily>& families, bool all_types) {
  std::vector<OperatorCase> all;
  for (const OperatorFamily& family : families)
    for (int dim = family.least_dim; dim <= 3; ++dim) {
      const auto pattern = std::make_shared<const Pattern>(family.make(dim));
      for (const ChosenValues& choices : family.choices)
        for (const std::string& boundary : family.boundaries)
          for (const Scalar type : {f32, f64}) {
            const bool second = (all.size() + family.choices.size()) % 2 != 0;
            OperatorCase c{pattern, {}};
            c.problem.box = family.sides[static_cast<std::size_t>(dim) - 1], c.problem.boxes = second ? 1 : 2,
            c.problem.boundary = boundary, choose(c.problem, choices);
            c.problem.type = all_types ? type : second ? f32 : f64;
            const bool wide = choices.contains("stencil") && choices.at("stencil") == "wide";
            const std::string smoother = choices.contains("smoother") ? choices.at("smoother") : "gsrb";
            const bool red_black =
                pattern->choices.contains("smoother") && smoother.find("gsrb") != std::string::npos;
            c.problem.ghost = (wide ? 2 : 1) * c.problem.sweeps + second;
            const bool steps =
                smoother == "symmetric-gsrb" || choices.contains("degree") || choices.contains("sweeps");
            if (steps)
              c.problem.boxes = 2,
              c.problem.box += dim == 1 ? 10 : 0;  // values between steps that need arrays
            if (red_black && boundary == "periodic") ++c.problem.box;
            if (all.size() % 3 == 0) c.problem.sides = no_cube(c.problem.box, dim);
            all.push_back(c);
            if (!all_types) break;
          }
    }
  return all;
}

inline std::string describe(const OperatorCase& c) {
  std::string s = c.pattern->name + " " + c.problem.boundary + ", " + std::to_string(c.problem.boxes) +
                  " x " + box_text(c.problem) + ", ghost " + std::to_string(c.problem.ghost) + ", " +
                  text(c.problem.type);
  if (c.problem.sweeps > 1) s += ", sweeps " + std::to_string(c.problem.sweeps);
  for (const auto& [name, value] : c.problem.choices) s += ", " + name + " " + value;
  return s;
}

}  // namespace lift::testing
