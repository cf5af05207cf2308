#include <algorithm>
#include <cmath>

#include "gmg/bricks.hpp"
#include "gmg/sweeps.hpp"

namespace lift::gmg {
namespace {

/// The cells around a brick, as a domain: at boundaries and seams alike, a cell beyond is the reflected one
/// times a number.
Domain domain_of(const Partition& partition, std::size_t level, std::size_t brick, const Domain& whole) {
  std::vector<std::int64_t> cells;
  DomainOptions options;
  const Box around = partition.around(level, brick);
  for (std::size_t d = 0; d < around.size(); ++d)
    cells.push_back(around[d].length()), options.spacings.push_back(whole.spacing(d));
  Domain domain(cells, options);
  for (std::size_t d = 0; d < around.size(); ++d) {
    const auto axis = static_cast<Axis>(around.size() - 1 - d);
    if (whole.is_periodic(d) && partition.bricks()[d] == 1)
      domain.periodic(axis);
    else
      for (const bool high : {false, true}) domain.face({axis, high}) = robin(1, 1);
  }
  return domain;
}

/// What reflections are multiplied by. Beyond a seam, that is what will be overwritten: any number does with
/// which a diagonal stays positive.
void add_conditions(const Partition& partition, std::size_t brick, const Domain& whole,
                    std::map<std::string, double>& numbers) {
  for (std::size_t d = 0; d < whole.dimensions(); ++d)
    for (const bool high : {false, true})
      numbers["robin_" + whole.name_of(d) + (high ? "_high" : "_low")] =
          partition.neighbour(brick, d, high) ? -1 : whole.ghost_scale(d, high);
}

Buffer doubles(std::int64_t n) { return Buffer(static_cast<std::size_t>(n) * sizeof(double)); }

}  // namespace

BrickLevel::Kernels::Kernels(const Grid& g, const Ratios& ratios, const Colours& c)
    : grid(g),
      transfer(g, ratios),
      colours(c),
      lambda([this] { return lambda_program(grid); }),
      relaxation([this] { return relaxation_program(grid, colours); }),
      residual([this] { return residual_program(grid); }),
      down([this] { return residual_restriction_program(transfer); }),
      restriction([this] { return restriction_program(transfer); }),
      up([this] { return correction_program(transfer); }) {
  for (const Coefficient& each : grid.equation().coefficients())
    coefficients.emplace_back([this, each] { return restriction_program(transfer, each); });
}

LaterKernel& BrickLevel::Kernels::together(int n) {
  return sweeps.try_emplace(n, [this, n] { return sweeps_program(grid, colours, n); }).first->second;
}

BrickLevel::BrickLevel(const Partition& partition, std::size_t number, Level& level, const Ratios& ratios,
                       const Plan& plan)
    : partition_(partition), number_(number), level_(level), ratios_(ratios) {
  const Grid& whole = level.grid();
  one_pass_ = is_worth_one_pass(whole, plan);
  const Domain coarse = Transfer(whole, ratios).coarse().domain();
  for (std::size_t b = 0; b < partition.count(); ++b) {
    auto brick = std::make_unique<Brick>();
    brick->own = partition.own(number, b), brick->around = partition.around(number, b);
    const Grid grid(whole.equation(), domain_of(partition, number, b, whole.domain()));
    std::unique_ptr<Kernels>& kernels = kernels_[grid.domain().cells()];
    if (!kernels) kernels = std::make_unique<Kernels>(grid, ratios, *level.colours());
    brick->kernels = kernels.get();
    for (const char* name : {"u", "f", "lambda", "residual"})
      brick->arrays[name] = doubles(gmg::count(brick->around));
    for (const Coefficient& c : whole.equation().coefficients()) {
      std::int64_t n = 1;
      for (const auto length : grid.shape_of(c)) n *= length;
      brick->arrays[c.name] = doubles(n);
    }
    for (const char* name : {"image", "restricted"})
      brick->arrays[name] = doubles(kernels->transfer.coarse().domain().count());
    brick->numbers = grid.numbers(), brick->coarse_numbers = kernels->transfer.coarse().numbers();
    brick->numbers["weight"] = level.weight();
    add_conditions(partition, b, whole.domain(), brick->numbers);
    add_conditions(partition, b, coarse, brick->coarse_numbers);
    for (std::size_t r = 0; r < level.colours()->rows.size(); ++r)
      brick->colour["color" + std::to_string(r)] = 0;
    bricks_.push_back(std::move(brick));
  }
}

void BrickLevel::add_needed(const std::vector<int>& sweeps, bool full_start, std::vector<LaterKernel*>& to) {
  for (auto& [cells, k] : kernels_) {
    to.insert(to.end(), {&k->lambda, &k->down, &k->up});
    if (number_ == 0) to.push_back(&k->residual);
    if (full_start) to.push_back(&k->restriction);
    for (LaterKernel& c : k->coefficients) to.push_back(&c);
    for (const int n : sweeps)
      if (n > 0) to.push_back(one_pass_ ? &k->together(n) : &k->relaxation);
  }
}

Arguments BrickLevel::arguments(Brick& b) {
  Arguments a;
  for (auto& [name, buffer] : b.arrays) a.arrays[name] = buffer.as<double>().data();
  for (const auto& [name, x] : b.numbers) a.numbers[name] = &x;
  for (const auto& [name, x] : b.colour) a.indices[name] = &x;
  return a;
}

std::span<double> BrickLevel::array(std::size_t brick, const std::string& name) {
  return bricks_[brick]->arrays.at(name).as<double>();
}

std::vector<std::span<double>> BrickLevel::arrays(const std::string& name) {
  std::vector<std::span<double>> all;
  for (std::size_t b = 0; b < bricks_.size(); ++b) all.push_back(array(b, name));
  return all;
}

// ---- between bricks, and the whole

namespace {

Box box_of(const std::vector<std::int64_t>& cells) {
  Box box;
  for (const auto n : cells) box.push_back({0, n});
  return box;
}

}  // namespace

void BrickLevel::scatter(const std::string& name, std::span<const double> whole) {
  const Box all = box_of(level_.grid().domain().cells());
  for (const auto& b : bricks_)
    unpack(packed(whole, all, b->own), b->arrays.at(name).as<double>(), b->around, b->own);
}

void BrickLevel::gather(const std::string& name, std::span<double> whole) const {
  const Box all = box_of(level_.grid().domain().cells());
  for (const auto& b : bricks_)
    unpack(packed(b->arrays.at(name).as<double>(), b->around, b->own), whole, all, b->own);
}

void BrickLevel::refresh(const std::string& name, std::int64_t width) {
  refresh_seams(partition_, number_, arrays(name), std::nullopt, width);
}

void BrickLevel::clear(const std::string& name) {
  for (const auto& b : bricks_) b->arrays.at(name).clear();
}

void BrickLevel::set(const Coefficient& c, std::span<const double> whole) {
  const Domain& domain = level_.grid().domain();
  std::optional<std::size_t> faces;
  if (c.faces) faces = domain.dimension_of(*c.faces);
  const Box all = with_faces(box_of(domain.cells()), faces);
  for (const auto& b : bricks_) {
    const Box own = with_faces(b->own, faces);
    unpack(packed(whole, all, own), b->arrays.at(c.name).as<double>(), with_faces(b->around, faces), own);
  }
  refresh_seams(partition_, number_, arrays(c.name), faces, partition_.ghosts());
}

void BrickLevel::find_diagonals() {
  for (const auto& b : bricks_) {
    for (const auto& [name, value] : level_.grid().equation().numbers())
      b->numbers.at(name) = level_.number(name);
    b->kernels->lambda.get().bind(arguments(*b), b->arrays.at("lambda").as<double>().data())();
  }
  refresh("lambda");
}

// ---- legs

void BrickLevel::smooth(int sweeps) {
  for (const auto& b : bricks_) {
    if (sweeps == 0) return;
    if (one_pass_) {
      b->kernels->together(sweeps).get().bind(arguments(*b))();
      continue;
    }
    const Colours& colours = b->kernels->colours;
    const Kernel::Bound relax = b->kernels->relaxation.get().bind(arguments(*b));
    for (int s = 0; s < sweeps; ++s)
      for (std::size_t c = 0; c < colours.count(); ++c) {
        const auto numbers = colours.numbers(c);
        for (std::size_t r = 0; r < numbers.size(); ++r)
          b->colour.at("color" + std::to_string(r)) = static_cast<std::int32_t>(numbers[r]);
        relax();
      }
  }
}

Box BrickLevel::image(const Brick& b) const {
  Box box = b.around;
  for (std::size_t d = 0; d < box.size(); ++d) box[d].begin /= ratios_[d], box[d].end /= ratios_[d];
  return box;
}

Box BrickLevel::restricted_box(std::size_t brick) const {
  Box box = bricks_[brick]->own;
  for (std::size_t d = 0; d < box.size(); ++d) box[d].begin /= ratios_[d], box[d].end /= ratios_[d];
  return box;
}

Box BrickLevel::corrected_by(std::size_t brick) const { return image(*bricks_[brick]); }

std::vector<double> BrickLevel::restricted(std::size_t brick, Of of) {
  Brick& b = *bricks_[brick];
  Arguments a = arguments(b);
  a.arrays["fine"] = a.arrays.at("f");
  const std::span<double> image_of = array(brick, "restricted");
  (of == Of::f ? b.kernels->restriction : b.kernels->down).get().bind(a, image_of.data())();
  return packed(image_of, image(b), restricted_box(brick));
}

void BrickLevel::correct(std::size_t brick, std::span<const double> coarse) {
  Brick& b = *bricks_[brick];
  const std::span<double> own = array(brick, "image");
  std::copy(coarse.begin(), coarse.end(), own.begin());
  Arguments a = arguments(b);
  a.arrays["coarse"] = own.data();
  for (const auto& [name, x] : b.coarse_numbers) a.numbers[name] = &x;
  b.kernels->up.get().bind(a)();
}

double BrickLevel::squares(double& largest) {
  double sum = 0;
  for (const auto& b : bricks_) {
    const std::span<double> r = b->arrays.at("residual").as<double>();
    b->kernels->residual.get().bind(arguments(*b), r.data())();
    double part = 0;  // of each brick: sums go between them, not arrays
    for (const double x : packed(r, b->around, b->own))
      part += x * x, largest = std::max(largest, std::abs(x));
    sum += part;
  }
  return sum;
}

}  // namespace lift::gmg
