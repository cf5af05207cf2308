#include "cli/solve_domain.hpp"

#include <cmath>
#include <sstream>

#include "ir/error.hpp"
#include "ir/number_text.hpp"

namespace lift::cli {
namespace {

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, between);) parts.push_back(part);
  return parts;
}

/// The number after "=", 0 where there is none.
double value_of(const std::string& name, const std::string& all) {
  const auto equals = name.find('=');
  if (equals == std::string::npos) return 0;
  const std::string text = name.substr(equals + 1);
  const std::optional<double> value = read_number<double>(text);
  if (!value || !std::isfinite(*value))
    throw UserError("--bc " + all + ": '" + text + "' is no number; write dirichlet=1.5");
  return *value;
}

gmg::Condition condition_of(const std::string& face, const std::string& all) {
  const std::string name = face.substr(0, face.find('='));
  const double g = value_of(face, all);
  if (name == "dirichlet") return gmg::dirichlet(g);
  if (name == "neumann") return gmg::neumann(g);
  if (name == "robin") return gmg::robin(1, 1, g);
  throw UserError(
      "--bc " + all + ": no such condition '" + name +
      "'; use dirichlet, neumann, robin or periodic (both faces of an axis), with LOW:HIGH for two of an "
      "axis");
}

}  // namespace

std::vector<std::int64_t> cells_of(const std::string& size, const std::string& option) {
  const auto wrong = [&] {
    return UserError(option + " " + size + ": write one to three whole numbers, as in " + option +
                     (option == "--size" ? " 96,200,256" : " 2,1,4"));
  };
  std::vector<std::int64_t> cells;
  for (const std::string& part : parts_of(size, ',')) {
    if (part.empty() || part.size() > 9 || part.find_first_not_of("0123456789") != std::string::npos)
      throw wrong();
    cells.push_back(std::stoll(part));
  }
  if (cells.size() == 1 && size.find(',') == std::string::npos) cells.assign(3, cells[0]);
  if (cells.empty() || cells.size() > 3) throw wrong();
  return cells;
}

gmg::Domain domain_of(const std::vector<std::int64_t>& cells, const SolveOptions& o) {
  gmg::Domain domain(cells, {.spacing = o.spacing});
  if (o.faces.empty()) return domain;
  std::vector<std::string> axes = parts_of(o.faces, ',');
  if (axes.size() == 1) axes.assign(domain.dimensions(), axes[0]);
  if (axes.size() != domain.dimensions())
    throw UserError("--bc " + o.faces + ": " + std::to_string(axes.size()) + " axes, but --size has " +
                    std::to_string(domain.dimensions()) + "; give one for all, or one for each");
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const auto axis = static_cast<gmg::Axis>(axes.size() - 1 - d);
    if (axes[d] == "periodic") {
      domain.periodic(axis);
      continue;
    }
    const std::vector<std::string> faces = parts_of(axes[d], ':');
    if (faces.empty() || faces.size() > 2)
      throw UserError("--bc " + o.faces + ": an axis has two faces, LOW:HIGH");
    domain.face({axis, false}) = condition_of(faces.front(), o.faces);
    domain.face({axis, true}) = condition_of(faces.back(), o.faces);
  }
  return domain;
}

}  // namespace lift::cli
