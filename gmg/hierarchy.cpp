#include "gmg/hierarchy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "ir/error.hpp"

namespace lift::gmg {
namespace {

std::string text(const std::vector<std::int64_t>& cells, char between) {
  std::string s;
  for (const auto n : cells) s += (s.empty() ? "" : std::string(1, between)) + std::to_string(n);
  return s;
}

double largest(std::span<const double> x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

}  // namespace

Hierarchy::Between::Between(const Transfer& t)
    : transfer(t),
      residual_restriction(residual_restriction_program(t)),
      restriction(restriction_program(t)),
      correction(correction_program(t)),
      bytes_down(compulsory_bytes(residual_restriction_program(t)) +
                 8 * static_cast<double>(t.coarse().domain().count())),  // the next u is cleared
      bytes_up(compulsory_bytes(correction_program(t))) {
  for (const Coefficient& c : t.fine().equation().coefficients())
    coefficients.emplace_back(restriction_program(t, c));
}

Hierarchy::Hierarchy(const Equation& equation, const Plan& plan) : plan_(plan) {
  check(plan);
  make_levels(equation);
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    Level &fine = *levels_[l], &coarse = *levels_[l + 1];
    double* const to = coarse.array("f").data();
    b.down = b.residual_restriction.bind(fine.arguments(), to);
    Arguments f = fine.arguments();
    f.arrays["fine"] = f.arrays.at("f");
    b.restrict_f = b.restriction.bind(f, to);
    Arguments up = coarse.arguments();  // its numbers: those of Robin conditions at the coarse spacing
    up.arrays["coarse"] = coarse.array("u").data(), up.arrays["u"] = fine.array("u").data();
    b.up = b.correction.bind(up);
  }
  bottom_ = std::make_unique<BottomSolver>(*levels_.back(), plan_);
}

/// To the level after level l; empty: there is none.
Ratios Hierarchy::ratios_from(std::size_t l, const Equation& equation, const Domain& domain) {
  if (!plan_.ratios.empty()) {
    if (l == plan_.ratios.size()) return {};
    const Ratios& ratios = plan_.ratios[l];
    if (std::all_of(ratios.begin(), ratios.end(), [](int r) { return r == 1; }))
      throw UserError("gmg::Plan: ratios of 1 on all axes of level " + std::to_string(l) +
                      " lead to no coarser one; leave them out");
    for (const auto n : coarser(domain.cells(), ratios))
      if (n < equation.radius())
        throw UserError("gmg::Plan: level " + std::to_string(l + 1) + " would have " + std::to_string(n) +
                        " cells along an axis, but A reads " + std::to_string(equation.radius()) +
                        " cells away; use fewer ratios");
    return ratios;
  }
  if (domain.count() <= plan_.bottom_cells) return {};
  Ratios ratios = suggested_ratios(equation, domain);
  if (ratios.empty())
    notes_.push_back("The cells of " + text(domain.cells(), 'x') +
                     " cannot be joined any further; that level is solved by itself.");
  return ratios;
}

void Hierarchy::make_levels(const Equation& equation) {
  Domain domain = equation.domain();
  while (true) {
    const Ratios ratios = ratios_from(levels_.size(), equation, domain);
    levels_.push_back(std::make_unique<Level>(Grid(equation, domain), plan_, ratios));
    const Level& level = *levels_.back();
    if (level.smoother() != levels_[0]->smoother())
      notes_.push_back("The level of " + text(domain.cells(), 'x') + " cells is smoothed by " +
                       text(level.smoother()) +
                       ": an odd number of cells along a periodic axis has no colours.");
    if (ratios.empty()) return;
    between_.push_back(std::make_unique<Between>(Transfer(level.grid(), ratios)));
    domain = between_.back()->transfer.coarse().domain();
  }
}

// ---- coefficients

void Hierarchy::refresh() {
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Level &fine = *levels_[l], &coarse = *levels_[l + 1];
    const std::vector<Coefficient>& all = fine.grid().equation().coefficients();
    for (std::size_t c = 0; c < all.size(); ++c)
      between_[l]->coefficients[c].bind(fine.arguments(), coarse.array(all[c].name).data())();
    for (const auto& [name, value] : fine.grid().equation().numbers())
      coarse.set_number(name, fine.number(name));
  }
  for (const auto& level : levels_) level->refresh();
  find_singular();
  bottom_->refresh(singular_);
}

/// A of constants is 0; then so has to be the sum of any A u, for what is removed from f to be its mean.
void Hierarchy::find_singular() {
  Level& finest = *levels_.front();
  const auto n = static_cast<std::size_t>(finest.count());
  std::vector<double> x(n, 1), ax(n);
  finest.apply(x, ax);
  const std::span<const double> lambda = finest.array("lambda");
  const double diagonal = finest.weight() / *std::min_element(lambda.begin(), lambda.end());
  singular_ = largest(ax) <= 1e-11 * diagonal;
  if (!singular_) return;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (double& v : x) v = number(random);
  finest.apply(x, ax);
  if (std::abs(mean(ax)) > 1e-11 * diagonal)
    throw UserError(
        "gmg: A of a constant is 0, so that solutions are not unique, and the sum of A u is not 0, so that "
        "it is not "
        "known which f have one; write A as differences of fluxes, give the first and the last face of a "
        "periodic "
        "axis the same coefficients, or give a face a Dirichlet or Robin condition");
}

// ---- legs

void Hierarchy::run(const CycleSteps& steps) {
  for (const CycleStep& step : steps) run(step);
}

void Hierarchy::run(const CycleStep& step) {
  const auto before = std::chrono::steady_clock::now();
  do_step(step);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - before;
  auto it = std::find_if(times_.begin(), times_.end(),
                         [&](const LegTime& t) { return t.level == step.level && t.leg == step.leg; });
  if (it == times_.end()) it = times_.insert(it, {step.level, step.leg, 0, 0, bytes_of(step)});
  ++it->calls, it->ms += spent.count();
}

double Hierarchy::bytes_of(const CycleStep& step) const {
  const double sweep = levels_[step.level]->bytes_of_sweep();
  switch (step.leg) {
    case Leg::down:
      return plan_.down * sweep + between_[step.level]->bytes_down;
    case Leg::up:
      return plan_.up * sweep + between_[step.level]->bytes_up;
    default:
      return 0;
  }
}

void Hierarchy::do_step(const CycleStep& step) {
  Level& level = *levels_[step.level];
  const auto clear = [](Level& l) {
    const std::span<double> u = l.array("u");
    std::fill(u.begin(), u.end(), 0.0);
  };
  switch (step.leg) {
    case Leg::down:
      level.smooth(plan_.down);
      (*between_[step.level]->down)();
      clear(*levels_[step.level + 1]);
      break;
    case Leg::bottom:
      bottom_->solve();
      break;
    case Leg::up:
      (*between_[step.level]->up)();
      level.smooth(plan_.up);
      break;
    case Leg::restrict_f:
      (*between_[step.level]->restrict_f)();
      break;
    case Leg::interpolate:
      clear(level);
      (*between_[step.level]->up)();
      break;
  }
}

}  // namespace lift::gmg
