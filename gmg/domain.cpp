#include "gmg/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/error.hpp"

namespace lift::gmg {
namespace {

Condition made(Condition::Kind kind, double value, double slope, double g, std::vector<double> values) {
  return {kind, value, slope, g, std::move(values)};
}

std::string text(const std::vector<std::int64_t>& cells) {
  std::string s;
  for (const auto n : cells) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}

}  // namespace

Condition dirichlet(double g) { return made(Condition::Kind::dirichlet, 1, 0, g, {}); }
Condition dirichlet(std::vector<double> g) { return made(Condition::Kind::dirichlet, 1, 0, 0, std::move(g)); }
Condition neumann(double slope) { return made(Condition::Kind::neumann, 0, 1, slope, {}); }
Condition neumann(std::vector<double> slope) {
  return made(Condition::Kind::neumann, 0, 1, 0, std::move(slope));
}
Condition robin(double value, double slope, double g) {
  return made(Condition::Kind::robin, value, slope, g, {});
}
Condition robin(double value, double slope, std::vector<double> g) {
  return made(Condition::Kind::robin, value, slope, 0, std::move(g));
}

const char* text(Condition::Kind kind) {
  switch (kind) {
    case Condition::Kind::periodic:
      return "periodic";
    case Condition::Kind::dirichlet:
      return "dirichlet";
    case Condition::Kind::neumann:
      return "neumann";
    case Condition::Kind::robin:
      return "robin";
  }
  return "";
}

Domain::Domain(std::vector<std::int64_t> cells, const DomainOptions& options) : cells_(std::move(cells)) {
  const std::size_t rank = cells_.size();
  if (rank < 1 || rank > 3)
    throw UserError("gmg::Domain: " + std::to_string(rank) + " dimensions; give the cells of one to three");
  for (const auto n : cells_)
    if (n < 1) throw UserError("gmg::Domain of " + text(cells_) + " cells: each axis needs at least one");
  const auto longest = static_cast<double>(*std::max_element(cells_.begin(), cells_.end()));
  spacing_ = options.spacings;
  if (spacing_.empty()) spacing_.assign(rank, options.spacing != 0 ? options.spacing : 1 / longest);
  if (spacing_.size() != rank)
    throw UserError("gmg::Domain of " + text(cells_) + " cells: " + std::to_string(spacing_.size()) +
                    " spacings; give one for each axis");
  for (const double h : spacing_)
    if (!(h > 0) || !std::isfinite(h))
      throw UserError("gmg::Domain of " + text(cells_) + " cells: the spacing " + fmt::format("{:.6g}", h) +
                      "; it has to be positive");
  faces_.assign(rank, {dirichlet(), dirichlet()});
}

std::int64_t Domain::count() const {
  std::int64_t all = 1;
  for (const auto n : cells_) all *= n;
  return all;
}

std::size_t Domain::dimension_of(Axis axis) const {
  const auto inner = static_cast<std::size_t>(axis);
  if (inner >= dimensions())
    throw UserError(std::string("gmg::Domain of ") + text(cells_) + " cells: it has no axis " + "ijk"[inner]);
  return dimensions() - 1 - inner;
}

std::string Domain::name_of(std::size_t dimension) const {
  return std::string(1, "ijk"[dimensions() - 1 - dimension]);
}

Condition& Domain::face(Face f) { return faces_[dimension_of(f.axis)][f.high]; }

void Domain::periodic(Axis axis) {
  for (Condition& c : faces_[dimension_of(axis)]) c = Condition{Condition::Kind::periodic, 0, 0};
}

bool Domain::is_periodic(std::size_t dimension) const {
  return faces_[dimension][0].kind == Condition::Kind::periodic;
}

// value * (ghost + cell) / 2 + slope * (ghost - cell) / h = g, solved for the ghost.

double Domain::ghost_scale(std::size_t dimension, bool high) const {
  const Condition& c = condition(dimension, high);
  if (c.kind == Condition::Kind::periodic) return 1;
  return (c.slope / spacing_[dimension] - c.value / 2) * ghost_shift(dimension, high);
}

double Domain::ghost_shift(std::size_t dimension, bool high) const {
  const Condition& c = condition(dimension, high);
  if (c.kind == Condition::Kind::periodic) return 0;
  const double share = c.value / 2 + c.slope / spacing_[dimension];
  if (share == 0 || !std::isfinite(share))
    throw UserError("gmg: the Robin condition at " + name_of(dimension) + (high ? "_high" : "_low") +
                    " cannot be met with cells of " + fmt::format("{:.6g}", spacing_[dimension]) +
                    ": value / 2 + slope / spacing is " + fmt::format("{:.6g}", share) +
                    "; give both factors one sign");
  return 1 / share;
}

void Domain::check() const {
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const bool low = condition(d, false).kind == Condition::Kind::periodic,
               high = condition(d, true).kind == Condition::Kind::periodic;
    if (low != high)
      throw UserError("gmg::Domain: axis " + name_of(d) +
                      " is periodic at one face only; call periodic(axis), or give both faces a condition");
    for (const bool side : {false, true}) {
      const Condition& c = condition(d, side);
      const auto expected = static_cast<std::size_t>(count() / cells_[d]);
      if (!c.values.empty() && c.values.size() != expected)
        throw UserError("gmg::Domain: face " + name_of(d) + (side ? "_high" : "_low") + " has " +
                        std::to_string(expected) + " cells, but " + std::to_string(c.values.size()) +
                        " values; give one number, or one for each cell");
      (void)ghost_shift(d, side);
    }
  }
}

Domain Domain::with_cells(std::vector<std::int64_t> cells) const {
  DomainOptions options;
  for (std::size_t d = 0; d < dimensions(); ++d)
    options.spacings.push_back(spacing_[d] * static_cast<double>(cells_[d]) / static_cast<double>(cells[d]));
  Domain other(std::move(cells), options);
  other.faces_ = faces_;
  for (auto& faces : other.faces_)
    for (Condition& c : faces) c.g = 0, c.values.clear();
  return other;
}

}  // namespace lift::gmg
