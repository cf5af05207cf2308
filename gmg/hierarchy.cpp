#include "gmg/hierarchy.hpp"

#include <algorithm>
#include <cmath>

#include "gmg/chunks.hpp"
#include "gmg/clock.hpp"
#include "gmg/found_weight.hpp"
#include "gmg/tune.hpp"
#include "ir/error.hpp"
#include "runtime/interrupt.hpp"

namespace lift::gmg {
namespace {

std::string text(const std::vector<std::int64_t>& cells, char between) {
  std::string s;
  for (const auto n : cells) s += (s.empty() ? "" : std::string(1, between)) + std::to_string(n);
  return s;
}

/// In (-1, 1), without a pattern: splitmix64 of the place.
double scattered(std::uint64_t place) {
  std::uint64_t z = (place + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31))) * 0x1p-63;
}

/// Positive everywhere, by more than 4 from the least to the largest.
bool varies_much(std::span<const double> x) {
  const auto [least, largest] = range_of(x);
  return least > 0 && largest > 4 * least;
}

}  // namespace

Hierarchy::Between::Between(const Transfer& t, Ratios r)
    : transfer(t),
      ratios(std::move(r)),
      residual_restriction([this] { return residual_restriction_program(transfer); }),
      restriction([this] { return restriction_program(transfer); }),
      correction([this] { return correction_program(transfer); }),
      bytes_down(compulsory_bytes(residual_restriction_program(t)) +
                 8 * static_cast<double>(t.coarse().domain().count())),  // the next u is cleared
      bytes_up(compulsory_bytes(correction_program(t))),
      // the correction is cleared, and lies beside u; A of it; the step; u is updated
      bytes_step(compulsory_bytes(apply_program(t.fine())) +
                 8 * (1 + 4 + 3) * static_cast<double>(t.fine().domain().count())) {
  for (const Coefficient& c : t.fine().equation().coefficients())
    coefficients.emplace_back([this, c] { return restriction_program(transfer, c); });
}

Hierarchy::Hierarchy(const Equation& equation, const Plan& plan) : plan_(plan) {
  check(plan);
  make_levels(equation);
  bottom_ = std::make_unique<BottomSolver>(*levels_.back(), plan_);
  if (plan_.mixed) {
    const bool coloured = std::all_of(levels_.begin(), levels_.end(),
                                      [](const auto& l) { return l->smoother() == Smoother::gauss_seidel; });
    std::vector<Ratios> ratios;
    for (const auto& b : between_) ratios.push_back(b->ratios);
    if (coloured && levels_.size() > 1)
      single_ = std::make_unique<SingleCycle>(plan_, levels_, ratios, *bottom_);
    else
      notes_.emplace_back(
          "Cycles are in f64: those in f32 need a coarser level, and colours on all of them.");
  }
  for (const CycleStep& s : cycle_steps(plan_, levels_.size()))
    if (s.leg == Leg::first) krylov_.try_emplace(s.level, *levels_[s.level]);
  if (plan_.mixed && !krylov_.empty())
    throw UserError("gmg::Plan: K cycles are not done in f32; leave out mixed, or use V, W or F cycles");
  if (!plan_.bricks.empty() && plan_.mixed)
    throw UserError("gmg::Plan: cycles in f32 are not done in bricks; leave out mixed, or bricks");
  if (!plan_.bricks.empty())
    make_bricks();
  else
    make_kernels();
  bind();
}

/// On all levels that can be; where corrections go as far as leaves the least energy, on the finest, which
/// has no such step.
void Hierarchy::make_bricks() {
  const std::size_t most = best_steps_ || !krylov_.empty() ? 1 : levels_.size();
  if (bricks_ && bricks_->depth() <= most) return;
  const auto before = Clock::now();
  std::vector<Ratios> ratios;
  for (const auto& b : between_) ratios.push_back(b->ratios);
  bricks_ = std::make_unique<Bricks>(plan_, levels_, ratios, most);
  kernels_ms_ += ms_since(before);
  make_kernels();
  std::erase_if(notes_, [](const std::string& n) { return n.starts_with("In "); });
  notes_.push_back(bricks_->text());
}

/// Those that every solve needs, several at once.
void Hierarchy::make_kernels() {
  const auto before = Clock::now();
  std::vector<LaterKernel*> all;
  const bool in_f64 = !single_ || plan_.full_start;
  const std::size_t bricked = bricks_ ? bricks_->depth() : 0;  // from that level on, on one brick
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const bool cycles = in_f64 && l >= bricked && l < between_.size(), whole = cycles && between_[l]->legs;
    std::vector<int> sweeps;
    if (cycles && !whole) sweeps = {plan_.down, plan_.up};
    levels_[l]->add_needed(sweeps, all);
  }
  all.push_back(&levels_.front()->apply_kernel()), all.push_back(&levels_.back()->apply_kernel());
  all.push_back(&levels_.front()->norm_kernel(Norm::rms));
  for (const auto& [l, steps] : krylov_) all.push_back(&levels_[l]->apply_kernel());
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    for (LaterKernel& c : b.coefficients) all.push_back(&c);
    if (l < bricked) continue;
    if (in_f64 && !b.legs) all.push_back(&b.residual_restriction);
    if (in_f64 && (!b.legs || plan_.full_start)) all.push_back(&b.correction);
    if (in_f64 && b.legs) all.push_back(&b.legs->down), all.push_back(&b.legs->up);
    if (plan_.full_start) all.push_back(&b.restriction);
  }
  if (single_) single_->add_needed(all);
  make_all(all, making(plan_));
  kernels_ms_ += ms_since(before);
}

std::vector<KernelRole> Hierarchy::roles() {
  using Role = KernelRole::Role;
  std::vector<KernelRole> all;
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    levels_[l]->add_roles(l, {plan_.down, plan_.up}, all);
    all.push_back({Role::down, l, &b.residual_restriction});
    all.push_back({Role::up, l, &b.correction});
    if (plan_.full_start) all.push_back({Role::restrict_f, l, &b.restriction});
    const std::vector<Coefficient>& names = levels_[l]->grid().equation().coefficients();
    for (std::size_t c = 0; c < names.size(); ++c)
      all.push_back({Role::coefficient, l, &b.coefficients[c], 0, names[c].name});
  }
  const std::size_t last = levels_.size() - 1;
  levels_[last]->add_roles(last, {bottom() == Bottom::sweeps ? plan_.bottom_sweeps : 0}, all);
  if (takes_steps(plan_, levels_.size(), levels_[0]->grid().equation().coefficients().size()))
    for (std::size_t l = 1; l < last; ++l) all.push_back({Role::apply, l, &levels_[l]->apply_kernel()});
  all.push_back({Role::apply, last, &levels_[last]->apply_kernel()});
  all.push_back({Role::norm, 0, &levels_[0]->norm_kernel(Norm::rms)});
  return all;
}

std::vector<std::string> Hierarchy::tune(double seconds, const std::string& database, Derivations& found) {
  std::vector<CycleKernel> all;
  if (single_) {
    single_->add_cycle(all);
  } else if (bricks_) {
    throw UserError("gmg: kernels of bricks are not explored; tune a solver of one brick");
  } else {
    for (std::size_t l = 0; l < between_.size(); ++l) {
      Between& b = *between_[l];
      if (b.legs) {
        add_kernel(b.legs->down, b.legs->bytes_down, levels_[l]->grid(), all);
        add_kernel(b.legs->up, b.legs->bytes_up, levels_[l]->grid(), all);
        continue;
      }
      levels_[l]->add_sweeps(plan_.down, all), levels_[l]->add_sweeps(plan_.up, all);
      add_kernel(b.residual_restriction, b.bytes_down, levels_[l]->grid(), all);
      add_kernel(b.correction, b.bytes_up, levels_[l]->grid(), all);
    }
    Level& finest = *levels_.front();
    LaterKernel& norm = finest.norm_kernel(Norm::rms);
    add_kernel(norm, compulsory_bytes(norm.program()), finest.grid(), all);
  }
  return gmg::tune(std::move(all), seconds, database, found);
}

void Hierarchy::bind() {
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    Level &fine = *levels_[l], &coarse = *levels_[l + 1];
    double* const to = coarse.array("f").data();
    if (b.residual_restriction.is_made()) b.down = b.residual_restriction.get().bind(fine.arguments(), to);
    Arguments f = fine.arguments();
    f.arrays["fine"] = f.arrays.at("f");
    if (b.restriction.is_made()) b.restrict_f = b.restriction.get().bind(f, to);
    Arguments up = coarse.arguments();  // its numbers: those of Robin conditions at the coarse spacing
    up.arrays["coarse"] = coarse.array("u").data(), up.arrays["u"] = fine.array("u").data();
    if (b.correction.is_made()) b.up = b.correction.get().bind(up);
    if (b.legs && b.legs->down.is_made()) b.legs->bind(fine.arguments(), coarse.arguments());
    if (best_steps_ && l > 0 && b.correction.is_made()) {
      up.arrays["u"] = fine.new_correction().data();
      b.step = b.correction.get().bind(up);
    }
  }
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
  Ratios ratios = suggested_ratios(equation, domain, plan_.smoother);
  if (ratios.empty())
    notes_.push_back("The cells of " + text(domain.cells(), 'x') +
                     " cannot be joined any further; that level is solved by itself.");
  return ratios;
}

/// With that weight, where A couples the axes and cells are joined as on the finest level.
Plan Hierarchy::plan_of_level(const Equation& equation, const Domain& domain, const Ratios& ratios) const {
  Plan p = plan_;
  const std::vector<double> here = couplings(equation, domain),
                            finest = couplings(equation, equation.domain());
  bool alike = between_.empty() || ratios.empty() || ratios == between_.front()->ratios;
  for (std::size_t d = 0; d < here.size(); ++d) alike = alike && std::abs(here[d] - finest[d]) < 0.01;
  if (const auto colours = colours_of(equation, domain); alike && colours && colours->count() == 2)
    p.weight = best_weight_ > 0 ? best_weight_ : p.weight;
  return p;
}

void Hierarchy::make_levels(const Equation& equation) {
  const auto before = Clock::now();
  best_weight_ = found_weight(equation, plan_);
  kernels_ms_ += ms_since(before);
  Domain domain = equation.domain();
  while (true) {
    const Ratios ratios = ratios_from(levels_.size(), equation, domain);
    levels_.push_back(
        std::make_unique<Level>(Grid(equation, domain), plan_of_level(equation, domain, ratios), ratios));
    const Level& level = *levels_.back();
    if (level.smoother() != levels_[0]->smoother())
      notes_.push_back("The level of " + text(domain.cells(), 'x') + " cells is smoothed by " +
                       text(level.smoother()) +
                       ": an odd number of cells along a periodic axis has no colours.");
    if (ratios.empty()) return;
    between_.push_back(std::make_unique<Between>(Transfer(level.grid(), ratios), ratios));
    if (level.smoother() == Smoother::gauss_seidel && is_worth_whole_legs(level.grid(), plan_, ratios))
      between_.back()->legs = std::make_unique<WholeLegs>(between_.back()->transfer, *level.colours(),
                                                          plan_.down, plan_.up, levels_.size() == 1);
    domain = between_.back()->transfer.coarse().domain();
  }
}

// ---- coefficients

void Hierarchy::refresh() {
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Level &fine = *levels_[l], &coarse = *levels_[l + 1];
    const std::vector<Coefficient>& all = fine.grid().equation().coefficients();
    for (std::size_t c = 0; c < all.size(); ++c)
      between_[l]->coefficients[c].get().bind(fine.arguments(), coarse.array(all[c].name).data())();
    for (const auto& [name, value] : fine.grid().equation().numbers())
      coarse.set_number(name, fine.number(name));
  }
  for (const auto& level : levels_) level->refresh();
  find_singular();
  find_steps();
  bottom_->refresh(singular_);
  if (!krylov_.empty())
    for (const bool symmetric = is_symmetric(*levels_.back()); auto& [l, steps] : krylov_)
      steps.take_symmetric(symmetric);
  if (single_) single_->refresh();
  if (bricks_) bricks_->refresh();
}

/// A of constants is 0; then so has to be the sum of any A u, for what is removed from f to be its mean. The
/// finest level's u and f are used: a solve begins by filling them.
void Hierarchy::find_singular() {
  Level& finest = *levels_.front();
  const std::span<double> u = finest.array("u"), au = finest.array("f");
  const double most = largest_of(finest.array("lambda"), 0, [](double x) { return 1 / x; });
  const double diagonal = finest.weight() * most;
  fill(u, 1);
  finest.apply_to(au);
  singular_ = largest_of(au, 0, [](double x) { return std::abs(x); }) <= 1e-11 * diagonal;
  if (!singular_) return;
  in_chunks(u.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) u[i] = scattered(i);
  });
  finest.apply_to(au);
  if (std::abs(mean(au)) > 1e-11 * diagonal)
    throw UserError(
        "gmg: A of a constant is 0, so that solutions are not unique, and the sum of A u is not 0, so that "
        "it is not "
        "known which f have one; write A as differences of fluxes, give the first and the last face of a "
        "periodic "
        "axis the same coefficients, or give a face a Dirichlet or Robin condition");
}

/// Whether corrections go as far as leaves the least energy; then, what that needs.
void Hierarchy::find_steps() {
  Level& finest = *levels_.front();
  const std::vector<Coefficient>& all_of_them = finest.grid().equation().coefficients();
  best_steps_ = takes_steps(plan_, levels_.size(), all_of_them.size());
  if (best_steps_ && plan_.corrections == Corrections::automatic)
    best_steps_ = std::any_of(all_of_them.begin(), all_of_them.end(),
                              [&](const Coefficient& c) { return varies_much(finest.array(c.name)); }) &&
                  is_symmetric(*levels_.back());
  if (single_) single_->take_best_steps(best_steps_);
  if (!best_steps_) return;
  if (bricks_) make_bricks();
  std::vector<LaterKernel*> all;
  for (std::size_t l = 1; l + 1 < levels_.size(); ++l)
    if (!single_ || plan_.full_start)
      all.push_back(&levels_[l]->apply_kernel()), all.push_back(&between_[l]->correction);
  if (single_) single_->add_needed(all);
  make_all(all, making(plan_));
  bind();
}

// ---- legs

std::span<double> Hierarchy::solution() {
  if (bricks_) bricks_->gather();
  return levels_.front()->array("u");
}

void Hierarchy::run(const CycleSteps& steps) {
  for (const CycleStep& step : steps) run(step);
}

void Hierarchy::run(const CycleStep& step) {
  forget_residual();
  const auto before = Clock::now();
  do_step(step);
  record(step, ms_since(before), bytes_of(step));
}

double Hierarchy::first_residual(double scale, bool zero, Norm norm) {
  const auto before = Clock::now();
  zero ? single_->take_right_hand_side(scale) : single_->take_residual(scale);
  const double residual = single_->residual_norm(norm);
  record({0, Leg::defect}, ms_since(before), 0);
  return residual;
}

double Hierarchy::correct(const CycleSteps& steps, int cycles, double residual, Norm norm) {
  const CycleStep defect{0, Leg::defect};
  auto before = Clock::now();
  if (!single_->has_residual()) single_->take_residual(residual);
  single_->clear();
  const double in_f64 = ms_since(before);
  for (int c = 0; c < cycles && !(c > 0 && interrupted()); ++c)
    for (const CycleStep& step : steps) {
      before = Clock::now();
      single_->run(step);
      record(step, ms_since(before), single_->bytes_of(step));
    }
  before = Clock::now();
  single_->add(1);
  single_->take_residual(residual);
  const double after = single_->residual_norm(norm);
  record(defect, in_f64 + ms_since(before), single_->bytes_of(defect));
  return after;
}

void Hierarchy::record(const CycleStep& step, double ms, double bytes) {
  auto it = std::find_if(times_.begin(), times_.end(),
                         [&](const LegTime& t) { return t.level == step.level && t.leg == step.leg; });
  if (it == times_.end()) it = times_.insert(it, {step.level, step.leg, 0, 0, bytes});
  ++it->calls, it->ms += ms;
}

double Hierarchy::bytes_of(const CycleStep& step) const {
  const double sweep = levels_[step.level]->bytes_of_sweep();
  switch (step.leg) {
    case Leg::down:
      return plan_.down * sweep + between_[step.level]->bytes_down;
    case Leg::up:
      return plan_.up * sweep + between_[step.level]->bytes_up +
             (best_steps_ && step.level > 0 ? between_[step.level]->bytes_step : 0);
    default:
      return 0;
  }
}

void Hierarchy::do_in_bricks(const CycleStep& step) {
  switch (step.leg) {
    case Leg::down:
      return bricks_->down(step.level, plan_.down);
    case Leg::up:
      return bricks_->up(step.level, plan_.up);
    case Leg::restrict_f:
      return bricks_->restrict_f(step.level);
    case Leg::interpolate:
      return bricks_->interpolate(step.level);
    default:
      throw InternalError("gmg: a leg that is not done in bricks");
  }
}

double Hierarchy::residual_norm(Norm norm) {
  if (bricks_) return bricks_->residual_norm(norm);
  Level& finest = *levels_.front();
  if (!squares_ || (norm == Norm::max && std::isfinite(*squares_))) return finest.residual_norm(norm);
  return std::sqrt(*squares_ / static_cast<double>(finest.count()));
}

void Hierarchy::do_step(const CycleStep& step) {
  if (bricks_ && step.level < bricks_->depth()) return do_in_bricks(step);
  Level& level = *levels_[step.level];
  const auto clear = [](Level& l) { l.clear("u"); };
  switch (step.leg) {
    case Leg::down:
      if (const auto& legs = between_[step.level]->legs)
        legs->go_down();
      else
        level.smooth(plan_.down), (*between_[step.level]->down)();
      clear(*levels_[step.level + 1]);
      break;
    case Leg::bottom:
      bottom_->solve();
      break;
    case Leg::up:
      if (goes_up_whole(step.level)) {
        between_[step.level]->legs->go_up();
        if (step.level == 0) squares_ = between_[0]->legs->squares();
        break;
      }
      if (best_steps_ && step.level > 0)
        level.new_correction(), (*between_[step.level]->step)(), level.add_correction();
      else
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
    case Leg::first:
      krylov_.at(step.level).first();
      break;
    case Leg::second:
      krylov_.at(step.level).second();
      break;
    case Leg::defect:
      throw InternalError("gmg: the defect is taken by correct");
  }
}

}  // namespace lift::gmg
