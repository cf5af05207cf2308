// The choices of a solver, all of them, as data.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gmg/transfer.hpp"

namespace lift::gmg {

enum class Smoother : std::uint8_t { automatic, gauss_seidel, jacobi, chebyshev, lines_k, lines_j, lines_i };
/// K: W, whose two visits of a level are steps of a Krylov iteration (gmg/krylov_steps.hpp).
enum class CycleKind : std::uint8_t { V, W, F, K };
inline constexpr std::initializer_list<CycleKind> kCycles{CycleKind::V, CycleKind::W, CycleKind::F,
                                                          CycleKind::K};
enum class Bottom : std::uint8_t { automatic, dense, sweeps, conjugate_gradients, bicgstab };
/// How sweeps that follow one another go over memory: each by itself, several in one pass
/// (docs/time-tiling.md), or these with what comes before or after them, the whole leg (gmg/legs.hpp).
/// Automatic: whole legs where a level's arrays exceed the caches, else each. Results are the same.
enum class Passes : std::uint8_t { automatic, each, together, legs };
inline constexpr std::initializer_list<Passes> kPasses{Passes::automatic, Passes::each, Passes::together,
                                                       Passes::legs};
/// How far corrections from coarser grids are gone along, on all levels but the finest: wholly, or as far as
/// leaves the least energy (A has to be symmetric and positive). Automatic: the latter where a coefficient,
/// positive everywhere, has a largest value of more than 4 times its least one, and A is symmetric; whole in
/// K cycles.
enum class Corrections : std::uint8_t { automatic, whole, least_energy };
inline constexpr std::initializer_list<Smoother> kSmoothers{
    Smoother::automatic, Smoother::gauss_seidel, Smoother::jacobi, Smoother::chebyshev,
    Smoother::lines_k,   Smoother::lines_j,      Smoother::lines_i};
/// The axis whose lines it solves for; none: it goes cell by cell.
std::optional<Axis> lines_of(Smoother s);
inline constexpr std::initializer_list<Bottom> kBottoms{Bottom::automatic, Bottom::dense, Bottom::sweeps,
                                                        Bottom::conjugate_gradients, Bottom::bicgstab};
const char* text(Smoother s);
const char* text(CycleKind c);
const char* text(Bottom b);
const char* text(Passes p);
const char* text(Corrections c);

struct Plan {
  CycleKind cycle = CycleKind::V;
  /// A cycle of one's own, in place of that: its legs and their levels, as str(CycleSteps) writes them.
  std::string steps = {};
  /// Gauss-Seidel goes colour by colour. Automatic: that where A's footprint admits colours, else Chebyshev,
  /// level by level. Lines: zebra (gmg/lines.hpp).
  Smoother smoother = Smoother::automatic;
  int down = 2, up = 2;  ///< sweeps before a coarse grid's correction, and after it
  /// Of relaxation; 0: by Fourier analysis (best_weight) where cells are joined by two along all axes and
  /// there are two colours, else what A's couplings suggest (suggested_weight).
  double weight = 0;
  /// Along each dimension; empty: one brick. Histories are the same (gmg/bricks.hpp). Not among what tuning
  /// keeps.
  std::vector<int> bricks = {};
  std::vector<Ratios> ratios = {};    ///< from the finest level on; empty: see suggested_ratios
  Bottom bottom = Bottom::automatic;  ///< dense up to `bottom_cells`, else conjugate gradients, or
                                      ///< BiCGStab where A is not symmetric
  std::int64_t bottom_cells = 128;    ///< levels are made until one is no larger
  int bottom_sweeps = 24;
  Passes passes = Passes::automatic;  ///< of Gauss-Seidel sweeps, by colours
  Corrections corrections = Corrections::automatic;
  /// Cycles are done in f32, on the residual's equation A e = f - A u; u, f and the residual are f64. Where a
  /// level has no colours, or the smoother is another, cycles stay f64, which the report says.
  bool mixed = false;
  /// Cycles in f32 for one residual in f64. 0: as many as lead to the goal by the factor so far, up to 2.
  int inner = 0;
  /// Begins with what Solver::tune and tune_plan have found, in `database`: choices that are here as in
  /// Plan{}, and kernels. Of kernels that are not among these, with what exploring has found for them, for
  /// these sizes or near them.
  bool tuned = false;
  std::string database = {};  ///< a file; empty: the user's; "none": nothing was found
  /// Kernels are computed as they are written, one sweep at a time, by one thread: slow, and what others are
  /// compared with. Not among what tuning keeps.
  bool plain = false;
  bool full_start = false;  ///< begins with full multigrid: a cycle on each level, from the coarsest
  /// How kernels are computed: derivations by their program (kernel_key). Those that do not apply, and other
  /// kernels: as always.
  std::map<std::string, std::string> kernels = {};

  /// Its cycles have steps of a Krylov iteration.
  bool is_krylov() const {
    return steps.empty() ? cycle == CycleKind::K : steps.find("first") != std::string::npos;
  }
};
std::string str(const Plan& p);
/// UserError: sweeps, weights and ratios that mean nothing.
void check(const Plan& p);

/// Whether corrections may go as far as leaves the least energy, with so many levels and coefficients.
bool takes_steps(const Plan& p, std::size_t levels, std::size_t coefficients);

/// How strongly A couples a cell to its neighbours along each dimension, on a grid whose coefficients are 1:
/// shares, 1 together.
std::vector<double> couplings(const Equation& equation, const Domain& grid);
/// By 2 along the axes whose coupling is at least half of the strongest one, among those with cells enough:
/// so a point smoother suffices. Empty: no axis has.
/// With lines along an axis, that one and those that are as strong among the others.
Ratios suggested_ratios(const Equation& equation, const Domain& grid,
                        Smoother smoother = Smoother::automatic);
/// 2 / (1 + sqrt(1 - (1 - c)^2)), c the smallest share of an axis whose cells are joined (`ratios`; none: of
/// any) (Yavneh, 1996): for red-black Gauss-Seidel in several dimensions; 1 for more colours. 6/7, 4/5, 2/3
/// for Jacobi in 3D, 2D, 1D; 1 for lines.
double suggested_weight(const Equation& equation, const Domain& grid, const Ratios& ratios, Smoother smoother,
                        bool red_black);

}  // namespace lift::gmg
