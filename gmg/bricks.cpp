#include "gmg/bricks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/error.hpp"

namespace lift::gmg {

Bricks::Bricks(const Plan& plan, const std::vector<std::unique_ptr<Level>>& levels,
               const std::vector<Ratios>& ratios, std::size_t most)
    : plan_(plan), whole_(levels) {
  if (levels.front()->smoother() != Smoother::gauss_seidel)
    throw UserError(std::string("gmg::Plan: bricks are smoothed by colours, not by ") +
                    gmg::text(levels.front()->smoother()) + "; leave out the smoother, or use one brick");
  if (levels.size() < 2)
    throw UserError("gmg::Plan: bricks need a coarser level, which these cells have not; use one brick");
  std::vector<LevelCells> cells;
  for (std::size_t l = 0; l < levels.size(); ++l)
    cells.push_back({levels[l]->grid().domain().cells(), l < ratios.size() ? ratios[l] : Ratios{},
                     levels[l]->smoother() == Smoother::gauss_seidel ? levels[l]->colours()->modulus : 0});
  const Grid& finest = levels.front()->grid();
  const auto half_sweeps =
      static_cast<std::int64_t>(levels.front()->colours()->count()) * std::max(plan.down, plan.up);
  partition_ = std::make_unique<Partition>(plan.bricks, finest.domain(), cells,
                                           finest.equation().radius() * (half_sweeps + 1), most);
  for (std::size_t l = 0; l < partition_->depth(); ++l)
    levels_.push_back(std::make_unique<BrickLevel>(*partition_, l, *levels[l], ratios[l], plan));
  std::vector<LaterKernel*> all;
  for (const auto& level : levels_) level->add_needed({plan.down, plan.up}, plan.full_start, all);
  make_all(all, making(plan));
}

std::string Bricks::text() const {
  const std::size_t n = depth();
  return fmt::format("In {} bricks on {}, with ghost zones of {} cells; coarser levels are on one brick.",
                     fmt::join(partition_->bricks(), "x"),
                     n == 1 ? "the finest level" : fmt::format("{} levels", n), partition_->ghosts());
}

void Bricks::refresh() {
  for (std::size_t l = 0; l < depth(); ++l) {
    for (const Coefficient& c : whole_[l]->grid().equation().coefficients())
      levels_[l]->set(c, whole_[l]->array(c.name));
    levels_[l]->find_diagonals();
  }
}

void Bricks::begin() {
  for (const char* name : {"u", "f"}) levels_[0]->scatter(name, whole_[0]->array(name));
  levels_[0]->refresh("f");
}

void Bricks::gather() { levels_[0]->gather("u", whole_[0]->array("u")); }

void Bricks::hand_down(std::size_t level, BrickLevel::Of of) {
  BrickLevel& fine = *levels_[level];
  Box all;
  for (const auto n : whole_[level + 1]->grid().domain().cells()) all.push_back({0, n});
  for (std::size_t b = 0; b < partition_->count(); ++b) {
    const std::vector<double> message = fine.restricted(b, of);
    if (level + 1 < depth())
      unpack(message, levels_[level + 1]->array(b, "f"), partition_->around(level + 1, b),
             fine.restricted_box(b));
    else
      unpack(message, whole_[level + 1]->array("f"), all, fine.restricted_box(b));
  }
  if (level + 1 < depth()) levels_[level + 1]->refresh("f");
}

void Bricks::down(std::size_t level, int sweeps) {
  BrickLevel& fine = *levels_[level];
  fine.refresh("u");
  fine.smooth(sweeps);
  hand_down(level, BrickLevel::Of::residual);
  level + 1 < depth() ? levels_[level + 1]->clear("u") : whole_[level + 1]->clear("u");
}

void Bricks::restrict_f(std::size_t level) { hand_down(level, BrickLevel::Of::f); }

namespace {

/// Cells of a whole array, also beyond its periodic ends.
std::vector<double> around_ends(std::span<const double> whole, const std::vector<std::int64_t>& cells,
                                const Box& part) {
  std::vector<double> message;
  std::vector<std::int64_t> at;
  for (const Range& r : part) at.push_back(r.begin);
  while (true) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < at.size(); ++d) flat = flat * cells[d] + (at[d] + cells[d]) % cells[d];
    message.push_back(whole[static_cast<std::size_t>(flat)]);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == part[d - 1].end) at[d - 1] = part[d - 1].begin, --d;
    if (d == 0) return message;
  }
}

}  // namespace

void Bricks::correct(std::size_t level) {
  BrickLevel& fine = *levels_[level];
  Level& whole = *whole_[level + 1];
  const bool in_bricks = level + 1 < depth();
  if (in_bricks) levels_[level + 1]->refresh("u", 1);
  for (std::size_t b = 0; b < partition_->count(); ++b) {
    const Box part = fine.corrected_by(b);
    fine.correct(b, in_bricks
                        ? packed(levels_[level + 1]->array(b, "u"), partition_->around(level + 1, b), part)
                        : around_ends(whole.array("u"), whole.grid().domain().cells(), part));
  }
}

void Bricks::up(std::size_t level, int sweeps) {
  correct(level);
  levels_[level]->refresh("u");
  levels_[level]->smooth(sweeps);
}

void Bricks::interpolate(std::size_t level) {
  levels_[level]->clear("u");
  correct(level);
}

double Bricks::residual_norm(Norm norm) {
  levels_[0]->refresh("u", whole_[0]->grid().equation().radius());
  double largest = 0;
  const double sum = levels_[0]->squares(largest);
  if (norm == Norm::rms || !std::isfinite(sum))
    return std::sqrt(sum / static_cast<double>(whole_[0]->count()));
  return largest;
}

}  // namespace lift::gmg
