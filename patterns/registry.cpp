#include <algorithm>

#include "ir/error.hpp"
#include "ir/text/near.hpp"
#include "patterns/operators.hpp"

namespace lift {

const std::vector<std::shared_ptr<const Pattern>>& all_patterns() {
  static const auto& patterns = *new std::vector<std::shared_ptr<const Pattern>>(for_ever([] {
    std::vector<std::shared_ptr<const Pattern>> all;
    for (const auto make :
         {smooth, apply_operator, residual, lambda_operator, restriction, prolongation,
          prolongation_correction, residual_restriction, residual_norm, norm, dot, axpy, scale, shift})
      for (const int dim : {1, 2, 3}) {
        Pattern p = make(dim);
        p.dimensions = dim;
        all.push_back(std::make_shared<const Pattern>(std::move(p)));
      }
    for (const auto make : {thomas, vertical_advection, fillz, horizontal_diffusion})
      all.push_back(std::make_shared<const Pattern>(make()));
    return all;
  }));
  return patterns;
}

const Pattern& find_pattern(const std::string& name) {
  std::string near;
  std::size_t distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& p : all_patterns()) {
    const std::size_t d = edits(name, p->name);
    if (d == 0) return *p;
    if (d > distance || (d == distance && near.empty())) continue;
    near = (d < distance ? "'" : near + " or '") + p->name + "'";
    distance = d;
  }
  const bool like_a_file = name.find_first_of("./") != std::string::npos;
  throw UserError("unknown operator '" + name + "'; " + (near.empty() ? "" : "did you mean " + near + "? ") +
                  "`liftgen list` shows all" +
                  (like_a_file ? "; a program of your own is a file whose name ends in .lift" : ""));
}

}  // namespace lift
