// L(phi) of a cell as C text, see patterns/stencil.hpp.
#pragma once

#include "patterns/plain_loops.hpp"

namespace lift {

class StencilText {
 public:
  StencilText(const BoxProblem& p, bool variable, const std::string& shape, const PlainLoops& loops)
      : p_(p), variable_(variable), shape_(shape), loops_(loops) {}

  /// An expression of the arguments' names, over several lines that are indented more than `in`.
  std::string operator()(const PlainLoops::Neighbour& phi, const std::string& in) const;
  std::string describe() const;  ///< "variable coefficients"

 private:
  std::vector<int> towards(int axis, int steps) const;
  std::string fluxes(const PlainLoops::Neighbour& phi, const std::string& in) const;
  std::string star(const PlainLoops::Neighbour& phi, int distance) const;
  std::string box(const PlainLoops::Neighbour& phi, const std::string& in) const;

  BoxProblem p_;
  bool variable_;
  std::string shape_;
  const PlainLoops& loops_;
};

}  // namespace lift
