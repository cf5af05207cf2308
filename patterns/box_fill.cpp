#include "patterns/box_fill.hpp"

#include <cmath>
#include <numbers>

#include "ir/error.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/host_data.hpp"
#include "patterns/thesis_boxes.hpp"

namespace lift {

const Wave phi_wave{0.0, 1.0, 1, {0.11, 0.07, 0.03}}, rhs_wave{0.0, 1.0, 2, {0.31, 0.23, 0.17}};

namespace {

constexpr Wave prev_wave{0.0, 1.0, 1, {0.43, 0.29, 0.37}};
constexpr Wave alpha_wave{1.0, 0.3, 1, {0.05, 0.13, 0.29}};
constexpr Wave beta_wave{1.0, 0.3, 1, {0.19, 0.37, 0.41}};

constexpr double a_value = 1.0, b_h2inv_value = 0.5;

/// A wave's factors s along each axis of one box, at the points of an array.
using Factors = std::vector<std::vector<double>>;

std::vector<double> sines(const Wave& w, std::size_t axis_of_3, std::int64_t box, std::int64_t n,
                          std::int64_t first, std::int64_t length, bool faces) {
  const double shift = w.phase[axis_of_3] + 0.37 * static_cast<double>(box);
  std::vector<double> s;
  for (std::int64_t x = first; x < first + length; ++x) {
    const double position = (static_cast<double>(x) + (faces ? 0.0 : 0.5)) / static_cast<double>(n);
    s.push_back(std::sin(2 * std::numbers::pi * (w.waves * position + shift)));
  }
  return s;
}

/// What a fill needs to know of an array of boxes.
struct Grid {
  std::vector<std::int64_t> sides;
  std::int64_t ghost;
  std::vector<std::int64_t> lengths;  ///< of a box's array
  std::size_t dim() const { return lengths.size(); }
  /// `above`: points so many cells higher.
  Factors factors(const Wave& w, std::int64_t box, const std::vector<bool>& faces,
                  std::int64_t above = 0) const {
    Factors s;
    for (std::size_t d = 0; d < dim(); ++d)
      s.push_back(sines(w, 3 - dim() + d, box, sides[d], above - ghost, lengths[d], faces[d]));
    return s;
  }
};

/// Calls row(tables, position of the row (one index an axis but the last), pointer to its first element) for
/// all rows, in parallel; tables(box) is made once a box and chunk.
template <class T, class Tables, class Row>
void for_rows(const HostArray& a, const Tables& tables, const Row& row) {
  const auto n = host::lengths(a.type);
  std::int64_t rows = 1;  // of a box
  for (std::size_t d = 1; d + 1 < n.size(); ++d) rows *= n[d];
  host::parallel_for(n[0] * rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::size_t> at(n.size() - 2);
    for (std::int64_t r = begin; r < end;) {
      const std::int64_t box = r / rows;
      const auto t = tables(box);
      for (; r < end && r / rows == box; ++r) {
        std::int64_t rest = r % rows;
        for (std::size_t d = at.size(); d-- > 0; rest /= n[d + 1])
          at[d] = static_cast<std::size_t>(rest % n[d + 1]);
        row(t, at, static_cast<T*>(a.data) + r * n.back());
      }
    }
  });
}

Grid grid_of(const Problem& p, std::int64_t ghost, const HostArray& a) {
  const auto n = host::lengths(a.type);
  Grid grid{{}, ghost, {n.begin() + 1, n.end()}};
  for (int d = 0; d < static_cast<int>(grid.dim()); ++d) grid.sides.push_back(cells_along(p, d));
  return grid;
}

/// The product of the outer axes' factors, leaving out `but`.
double outer(const Factors& s, const std::vector<std::size_t>& at, std::size_t but = 3) {
  double product = 1;
  for (std::size_t d = 0; d < at.size(); ++d)
    if (d != but) product *= s[d][at[d]];
  return product;
}

template <class T>
void fill_lambda(const Problem& p, const HostArray& a) {
  const Grid grid = grid_of(p, ghost_depth(p), a);
  const std::size_t dim = grid.dim();
  struct Tables {
    Factors alpha, beta, both;  ///< both: beta's factor at the lower face plus that at the upper
  };
  for_rows<T>(
      a,
      [&](std::int64_t box) {
        const std::vector<bool> centres(dim, false), faces(dim, true);
        Tables t{grid.factors(alpha_wave, box, centres), grid.factors(beta_wave, box, centres),
                 grid.factors(beta_wave, box, faces)};
        const Factors upper = grid.factors(beta_wave, box, faces, 1);
        for (std::size_t d = 0; d < dim; ++d)
          for (std::size_t x = 0; x < upper[d].size(); ++x) t.both[d][x] += upper[d][x];
        return t;
      },
      [&](const Tables& t, const std::vector<std::size_t>& at, T* row) {
        const double alpha_outer = alpha_wave.amplitude * outer(t.alpha, at);
        const double i_faces = beta_wave.amplitude * outer(t.beta, at);
        double outer_faces = 0;
        for (std::size_t d = 0; d < at.size(); ++d)
          outer_faces += beta_wave.amplitude * t.both[d][at[d]] * outer(t.beta, at, d);
        for (std::size_t i = 0; i < t.alpha.back().size(); ++i) {
          const double alpha = alpha_wave.mean + alpha_outer * t.alpha.back()[i];
          const double betas = 2 * static_cast<double>(dim) * beta_wave.mean + i_faces * t.both.back()[i] +
                               outer_faces * t.beta.back()[i];
          row[i] = static_cast<T>(1.0 / (a_value * alpha + b_h2inv_value * betas));
        }
      });
}

const std::map<std::string, Wave>& cell_waves() {
  static const auto& waves = *new std::map<std::string, Wave>{
      {"phi", phi_wave},   {"next", phi_wave}, {"prev", prev_wave},  {"rhs", rhs_wave},
      {"lphi", prev_wave}, {"res", prev_wave}, {"alpha", alpha_wave}};
  return waves;
}

const std::map<std::string, double>& scalar_values() {
  // c1 and c2: the first steps of the Chebyshev polynomial for eigenvalues in [0.125, 1.05] * the largest
  static const auto& values = *new std::map<std::string, double>{{"a", a_value},   {"b_h2inv", b_h2inv_value},
                                                                 {"w", 2.0 / 3.0}, {"boundary_value", 0.75},
                                                                 {"c1", 0.25},     {"c2", 1.25},
                                                                 {"c1_0", 0},      {"c1_1", 0.31},
                                                                 {"c1_2", 0.24},   {"c1_3", 0.23},
                                                                 {"c2_0", 1.7},    {"c2_1", 2.23},
                                                                 {"c2_2", 2.11},   {"c2_3", 2.09}};
  return values;
}

}  // namespace

void fill_wave(const Problem& p, std::int64_t ghost, const HostArray& a, const Wave& w, int faces) {
  const Grid grid = grid_of(p, ghost, a);
  std::vector<bool> centred(grid.dim(), false);
  if (faces >= 0) centred[static_cast<std::size_t>(faces)] = true;
  host::with_float(element_of(a.type).scalar(), [&]<class T>(T) {
    for_rows<T>(
        a, [&](std::int64_t box) { return grid.factors(w, box, centred); },
        [&](const Factors& s, const std::vector<std::size_t>& at, T* row) {
          const double rest = w.amplitude * outer(s, at);
          for (std::size_t i = 0; i < s.back().size(); ++i)
            row[i] = static_cast<T>(w.mean + rest * s.back()[i]);
        });
  });
}

void fill_box_argument(const Problem& p, const HostArray& a) {
  if (a.name == "color") {
    *static_cast<std::int32_t*>(a.data) = 0;
    return;
  }
  if (a.name == "colors") return fill_colors(p, a);
  if (const auto scalar = scalar_values().find(a.name); scalar != scalar_values().end())
    return host::with_float(p.type,
                            [&]<class T>(T) { *static_cast<T*>(a.data) = static_cast<T>(scalar->second); });
  if (const auto wave = cell_waves().find(a.name); wave != cell_waves().end())
    return fill_wave(p, ghost_depth(p), a, wave->second);
  const int dim = rank_of(a.type) - 1;
  if (a.name == "beta_i") return fill_wave(p, ghost_depth(p), a, beta_wave, dim - 1);
  if (a.name == "beta_j") return fill_wave(p, ghost_depth(p), a, beta_wave, dim - 2);
  if (a.name == "beta_k") return fill_wave(p, ghost_depth(p), a, beta_wave, dim - 3);
  if (a.name == "lambda") return host::with_float(p.type, [&]<class T>(T) { fill_lambda<T>(p, a); });
  throw InternalError("fill: no data for an argument named '" + a.name + "'");
}

}  // namespace lift
