// The finer levels of a domain in bricks: each brick has its arrays and computes legs on them, after its
// ghost zones were refreshed. Only messages go between bricks (gmg/seams.hpp), and to and from the levels
// that are on one brick.
//
// A brick computes what its owner's neighbours compute too, around its own cells: half-sweep after
// half-sweep, a cell less of that is right. Conditions are numbers here (what a reflection is multiplied by),
// so that bricks of the same cells share their kernels.
#pragma once

#include <memory>

#include "gmg/level.hpp"
#include "gmg/seams.hpp"

namespace lift::gmg {

/// One level in bricks.
class BrickLevel {
 public:
  /// `level`: the whole one, of which this takes sizes, numbers, colours; it stays where it is. `ratios`: to
  /// the next one.
  BrickLevel(const Partition& partition, std::size_t number, Level& level, const Ratios& ratios,
             const Plan& plan);
  BrickLevel(const BrickLevel&) = delete;
  BrickLevel& operator=(const BrickLevel&) = delete;

  void add_needed(const std::vector<int>& sweeps, bool full_start, std::vector<LaterKernel*>& to);
  /// A coefficient of the whole level; ghost zones are refreshed.
  void set(const Coefficient& c, std::span<const double> whole);
  void find_diagonals();  ///< after coefficients, or numbers of the whole level, have changed

  void scatter(const std::string& name, std::span<const double> whole);
  void gather(const std::string& name, std::span<double> whole) const;
  void refresh(const std::string& name) { refresh(name, partition_.ghosts()); }
  void refresh(const std::string& name, std::int64_t width);
  void clear(const std::string& name);

  void smooth(int sweeps);
  enum class Of : std::uint8_t { residual, f };
  /// The restriction of a brick's own cells, row-major; of coefficients, `restricted_coefficient`.
  std::vector<double> restricted(std::size_t brick, Of of);
  std::vector<double> restricted(std::size_t brick, std::size_t coefficient);
  Box restricted_box(std::size_t brick) const;  ///< the coarse cells of its own
  /// u is corrected by coarse cells: those of its own and around it, see corrected_by.
  void correct(std::size_t brick, std::span<const double> coarse);
  Box corrected_by(std::size_t brick) const;
  double squares(double& largest);  ///< of the residual

  std::span<double> array(std::size_t brick, const std::string& name);
  std::vector<std::span<double>> arrays(const std::string& name);

 private:
  struct Kernels {  ///< of all bricks with so many cells around
    Kernels(const Grid& grid, const Ratios& ratios, const Colours& colours);
    LaterKernel& together(int sweeps);
    Grid grid;
    Transfer transfer;
    Colours colours;
    LaterKernel lambda, relaxation, residual, down, restriction, up;
    std::map<int, LaterKernel> sweeps;
    std::vector<LaterKernel> coefficients;
  };
  struct Brick {
    Kernels* kernels = nullptr;
    Box own, around;
    std::map<std::string, Buffer> arrays;
    std::map<std::string, double> numbers, coarse_numbers;  ///< those of conditions are of a level each
    std::map<std::string, std::int32_t> colour;
  };
  Arguments arguments(Brick& b);
  Box image(const Brick& b) const;  ///< coarse cells, those around among them

  const Partition& partition_;
  std::size_t number_;
  Level& level_;
  Ratios ratios_;
  bool one_pass_ = false;
  std::map<std::vector<std::int64_t>, std::unique_ptr<Kernels>> kernels_;
  std::vector<std::unique_ptr<Brick>> bricks_;
};

/// All levels in bricks, and the legs of a cycle on them.
class Bricks {
 public:
  /// `levels` of the whole domain; on as many of them as can be, at most `most`. UserError: smoothers that do
  /// not go by colours, cells that cannot be cut.
  Bricks(const Plan& plan, const std::vector<std::unique_ptr<Level>>& levels,
         const std::vector<Ratios>& ratios, std::size_t most);

  std::size_t depth() const { return levels_.size(); }
  const Partition& partition() const { return *partition_; }
  std::string text() const;  ///< "In 2x2x2 bricks ..."
  void refresh();            ///< after coefficients have changed
  void begin();              ///< takes over u and f of the finest whole level
  void gather();             ///< u of the finest whole level
  void down(std::size_t level, int sweeps);
  void up(std::size_t level, int sweeps);
  void restrict_f(std::size_t level);
  void interpolate(std::size_t level);
  double residual_norm(Norm norm);

 private:
  void hand_down(std::size_t level, BrickLevel::Of of);  ///< becomes the next level's f
  void correct(std::size_t level);

  Plan plan_;
  const std::vector<std::unique_ptr<Level>>& whole_;
  std::unique_ptr<Partition> partition_;
  std::vector<std::unique_ptr<BrickLevel>> levels_;
};

}  // namespace lift::gmg
