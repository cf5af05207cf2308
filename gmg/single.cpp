#include "gmg/single.hpp"

#include <cmath>

#include "gmg/best_step.hpp"
#include "gmg/chunks.hpp"
#include "gmg/sweeps.hpp"
#include "ir/error.hpp"
#include "patterns/box_views.hpp"
#include "patterns/reduction.hpp"

namespace lift::gmg {
namespace {

Buffer floats(std::size_t n) { return Buffer(n * sizeof(float)); }

template <class To, class From>
void convert(std::span<const From> from, std::span<To> to) {
  in_chunks(from.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t x = begin; x < end; ++x) to[x] = static_cast<To>(from[x]);
  });
}

Program defect_program(const Grid& g) {
  const Expr u = g.cells("u"), per_scale = param("per_scale", g.type());
  std::vector<Expr> arrays{u, g.cells("f")};
  for (const Expr& c : g.coefficients()) arrays.push_back(c);
  const Expr body =
      g.for_cells({g.cells("f")}, g.surrounded(u, g.equation().radius()),
                  [&](const CellView& c) { return cast(f32, per_scale * (c.values[0] - c.a_of_u)); });
  return program_of(g, "defect", arrays, body);
}

Program add_program(const Grid& g) {
  const Expr u = g.cells("u"), e = param("e", array(g.shape(), f32)), scale = param("scale", g.type());
  const Expr sums = map_over(g.rank(), {u, e}, [&](Parts at) { return at[0] + scale * cast(f64, at[1]); });
  return program_of(g, "add", {u, e}, update(u, std::vector<Nat>(g.domain().dimensions(), 0), sums), {"u"});
}

Program norm_program(const Grid& g, Norm norm) {
  const Expr r = param("r", array(g.shape(), f32));
  return program_of(g, "norm", {r},
                    norm == Norm::max ? largest_magnitude(g.rank(), r) : sum_of_squares(g.rank(), r));
}

}  // namespace

SingleCycle::Twin::Twin(const Plan& plan, Level& l)
    : level(l), grid(l.grid().equation(), l.grid().domain(), f32), one_pass(is_worth_one_pass(grid, plan)) {
  const auto cells = static_cast<std::size_t>(l.count());
  for (const char* name : {"u", "f", "lambda"}) arrays[name] = floats(cells);
  for (const Coefficient& c : grid.equation().coefficients()) arrays[c.name] = floats(l.array(c.name).size());
  for (std::size_t r = 0; r < l.colours()->rows.size(); ++r) indices["color" + std::to_string(r)] = 0;
  bytes_of_sweep =
      compulsory_bytes(relaxation_program(grid, *l.colours())) * static_cast<double>(l.colours()->count());
  apply = LaterKernel([this] { return apply_program(grid); });
}

Arguments SingleCycle::Twin::arguments() {
  Arguments a;
  for (auto& [name, buffer] : arrays) a.arrays[name] = buffer.data();
  for (const auto& [name, x] : numbers) a.numbers[name] = &x;
  for (const auto& [name, x] : indices) a.indices[name] = &x;
  return a;
}

SingleCycle::SingleCycle(const Plan& plan, const std::vector<std::unique_ptr<Level>>& levels,
                         const std::vector<Ratios>& ratios, BottomSolver& bottom)
    : plan_(plan), bottom_(bottom) {
  for (const auto& level : levels) twins_.push_back(std::make_unique<Twin>(plan, *level));
  for (std::size_t l = 0; l + 1 < twins_.size(); ++l) {
    between_.push_back(std::make_unique<Between>(Transfer(twins_[l]->grid, ratios[l])));
    Between& b = *between_.back();
    b.down = LaterKernel([&b] { return residual_restriction_program(b.transfer); });
    b.up = LaterKernel([&b] { return correction_program(b.transfer); });
    if (is_worth_whole_legs(twins_[l]->grid, plan, ratios[l]))
      b.legs = std::make_unique<WholeLegs>(b.transfer, *levels[l]->colours(), plan.down, plan.up, false);
    b.bytes_down = compulsory_bytes(residual_restriction_program(b.transfer)) +
                   4 * static_cast<double>(levels[l + 1]->count());
    b.bytes_up = compulsory_bytes(correction_program(b.transfer));
    b.bytes_step = compulsory_bytes(apply_program(twins_[l]->grid)) +
                   4 * (1 + 4 + 3) * static_cast<double>(levels[l]->count());
  }
  const Grid finest = levels.front()->grid();
  defect_ = LaterKernel([finest] { return defect_program(finest); });
  add_ = LaterKernel([finest] { return add_program(finest); });
  squares_ = LaterKernel([finest] { return norm_program(finest, Norm::rms); });
  largest_ = LaterKernel([finest] { return norm_program(finest, Norm::max); });
}

LaterKernel& SingleCycle::sweeps(Twin& t, int sweeps) {
  const int together = t.one_pass ? sweeps : 1;
  return t.sweeps
      .try_emplace(together,
                   [&t, together] {
                     return t.one_pass ? sweeps_program(t.grid, *t.level.colours(), together)
                                       : relaxation_program(t.grid, *t.level.colours());
                   })
      .first->second;
}

void SingleCycle::add_needed(std::vector<LaterKernel*>& to) {
  for (LaterKernel* k : {&defect_, &add_, &squares_}) to.push_back(k);
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    if (b.legs) to.push_back(&b.legs->down), to.push_back(&b.legs->up);
    for (const int n : {plan_.down, plan_.up})
      if (n > 0 && !b.legs) to.push_back(&sweeps(*twins_[l], n));
    if (!b.legs) to.push_back(&b.down);
    if (!b.legs || has_step(l)) to.push_back(&b.up);
    if (has_step(l)) to.push_back(&twins_[l]->apply);
  }
}

void SingleCycle::add_cycle(std::vector<CycleKernel>& to) {
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    Twin& t = *twins_[l];
    if (b.legs) {
      add_kernel(b.legs->down, b.legs->bytes_down, t.grid, to);
      add_kernel(b.legs->up, b.legs->bytes_up, t.grid, to);
      continue;
    }
    for (const int n : {plan_.down, plan_.up})
      if (n > 0) add_kernel(sweeps(t, n), n * t.bytes_of_sweep, t.grid, to);
    add_kernel(b.down, b.bytes_down, t.grid, to), add_kernel(b.up, b.bytes_up, t.grid, to);
  }
  const Grid& finest = twins_.front()->level.grid();
  for (LaterKernel* k : {&defect_, &add_, &squares_})
    add_kernel(*k, compulsory_bytes(k->program()), finest, to);
}

void SingleCycle::refresh() {
  for (const auto& t : twins_) {
    for (auto& [name, to] : t->arrays)
      if (t->level.has_array(name) && name != "u" && name != "f")
        convert<float, double>(t->level.array(name), to.as<float>());
    for (const auto& [name, value] : t->grid.numbers()) t->numbers[name] = static_cast<float>(value);
    for (const auto& [name, value] : t->grid.equation().numbers())
      t->numbers[name] = static_cast<float>(t->level.number(name));
  }
  for (std::size_t l = 0; l < between_.size(); ++l) {
    Between& b = *between_[l];
    Twin &fine = *twins_[l], &coarse = *twins_[l + 1];
    if (b.legs)
      b.legs->bind(fine.arguments(), coarse.arguments());
    else
      b.bound_down = b.down.get().bind(fine.arguments(), coarse.arrays.at("f").data());
    Arguments up = coarse.arguments();  // its numbers: those of Robin conditions at the coarse spacing
    up.arrays["coarse"] = coarse.arrays.at("u").data(), up.arrays["u"] = fine.arrays.at("u").data();
    if (!b.legs) b.bound_up = b.up.get().bind(up);
    if (!has_step(l)) continue;
    for (const char* name : {"e", "ae"})
      if (!fine.arrays.contains(name))
        fine.arrays[name] = floats(static_cast<std::size_t>(fine.level.count()));
    up.arrays["u"] = fine.arrays.at("e").data();
    b.bound_step = b.up.get().bind(up);
    Arguments e = fine.arguments();
    e.arrays["u"] = fine.arrays.at("e").data();
    fine.bound_apply = fine.apply.get().bind(e, fine.arrays.at("ae").data());
  }
  has_residual_ = false;
}

// ---- the iteration in f64

void SingleCycle::set_scale(double scale) {
  scale_ = scale > 0 && std::isfinite(scale) ? scale : 1, per_scale_ = 1 / scale_;
}

void SingleCycle::take_right_hand_side(double scale) {
  set_scale(scale);
  Twin& finest = *twins_.front();
  const std::span<const double> f = finest.level.array("f");
  const std::span<float> r = finest.arrays.at("f").as<float>();
  in_chunks(f.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) r[i] = static_cast<float>(per_scale_ * f[i]);
  });
  has_residual_ = true;
}

void SingleCycle::take_residual(double scale) {
  set_scale(scale);
  Twin& finest = *twins_.front();
  Arguments a = finest.level.arguments();
  a.numbers["per_scale"] = &per_scale_;
  defect_.get().bind(a, finest.arrays.at("f").data())();
  has_residual_ = true;
}

void SingleCycle::clear() {
  twins_.front()->arrays.at("u").clear();
  scale_of_e_ = scale_;
}

void SingleCycle::add(double times) {
  added_ = times * scale_of_e_;
  Twin& finest = *twins_.front();
  Arguments a = finest.level.arguments();
  a.arrays["e"] = finest.arrays.at("u").data(), a.numbers["scale"] = &added_;
  add_.get().bind(a)();
}

double SingleCycle::residual_norm(Norm norm) {
  Arguments a;
  a.arrays["r"] = twins_.front()->arrays.at("f").data();
  squares_.get().bind(a, &number_)();
  if (norm == Norm::rms || !std::isfinite(number_))
    return scale_ * std::sqrt(number_ / static_cast<double>(twins_.front()->level.count()));
  largest_.get().bind(a, &number_)();
  return scale_ * number_;
}

// ---- legs

void SingleCycle::smooth(Twin& t, int count) {
  if (count == 0) return;
  LaterKernel& kernel = sweeps(t, count);
  const int key = t.one_pass ? count : 1;
  auto it = t.bound.find(key);
  if (it == t.bound.end()) it = t.bound.emplace(key, kernel.get().bind(t.arguments())).first;
  if (t.one_pass) return it->second();
  const Colours& colours = *t.level.colours();
  for (int s = 0; s < count; ++s)
    for (std::size_t c = 0; c < colours.count(); ++c) {
      const auto numbers = colours.numbers(c);
      for (std::size_t r = 0; r < numbers.size(); ++r)
        t.indices.at("color" + std::to_string(r)) = static_cast<std::int32_t>(numbers[r]);
      it->second();
    }
}

void SingleCycle::solve_bottom() {
  Twin& last = *twins_.back();
  convert<double, float>(last.arrays.at("f").as<float>(), last.level.array("f"));
  convert<double, float>(last.arrays.at("u").as<float>(), last.level.array("u"));
  bottom_.solve();
  convert<float, double>(last.level.array("u"), last.arrays.at("u").as<float>());
}

void SingleCycle::correct(std::size_t level) {
  Between& b = *between_[level];
  if (!has_step(level)) return (*b.bound_up)();
  Twin& t = *twins_[level];
  t.arrays.at("e").clear();
  (*b.bound_step)(), (*t.bound_apply)();
  const auto n = static_cast<std::size_t>(t.level.count());
  const auto all = [&](const char* name) { return t.arrays.at(name).as<float>().first(n); };
  go<float>(all("u"), best_step<float>(all("e"), all("ae"), all("u"), all("f")), all("e"));
}

void SingleCycle::run(const CycleStep& step) {
  Twin& t = *twins_[step.level];
  switch (step.leg) {
    case Leg::down:
      if (const auto& legs = between_[step.level]->legs)
        legs->go_down();
      else
        smooth(t, plan_.down), (*between_[step.level]->bound_down)();
      twins_[step.level + 1]->arrays.at("u").clear();
      break;
    case Leg::bottom:
      return solve_bottom();
    case Leg::up:
      if (const auto& legs = between_[step.level]->legs; legs && !has_step(step.level)) return legs->go_up();
      correct(step.level);
      smooth(t, plan_.up);
      break;
    default:
      throw InternalError(std::string("gmg: no f32 form of the leg '") + text(step.leg) + "'");
  }
}

double SingleCycle::bytes_of(const CycleStep& step) const {
  const Twin& t = *twins_[step.level];
  const auto cells = static_cast<double>(t.level.count());
  switch (step.leg) {
    case Leg::down:
      return plan_.down * t.bytes_of_sweep + between_[step.level]->bytes_down;
    case Leg::up:
      return plan_.up * t.bytes_of_sweep + between_[step.level]->bytes_up +
             (has_step(step.level) ? between_[step.level]->bytes_step : 0);
    case Leg::defect:  // u, f and coefficients; r stored, e cleared; u and e read, u stored; r read
      return cells *
             (8 * (2 + static_cast<double>(t.grid.equation().coefficients().size())) + 8 + 4 + 20 + 4);
    default:
      return 0;
  }
}

}  // namespace lift::gmg
