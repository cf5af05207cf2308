#include "patterns/box_problem.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "ir/error.hpp"
#include "patterns/host_data.hpp"

namespace lift {

void check_box_problem(const Problem& p) {
  const auto positive = [](const char* name, std::int64_t value, const char* what) {
    if (value < 1)
      throw UserError(std::string("--") + name + " " + std::to_string(value) + ": there must be at least one " + what +
                      "; use --" + name + " 1 or more");
  };
  positive("box", p.box, "cell a dimension");
  positive("boxes", p.boxes, "box");
  if (!is_float(p.type)) throw UserError(std::string("--type ") + text(p.type) + ": operators need floating point; use f32 or f64");
  if (has_ghost_zone(p) && p.ghost < 1)
    throw UserError("--ghost " + std::to_string(p.ghost) + ": ghost too thin for the stencil: radius 1 needs --ghost 1 or more");
  if (!has_ghost_zone(p)) pad_of(p);
}

bool has_ghost_zone(const Problem& p) { return p.boundary == "ghost"; }
std::int64_t ghost_depth(const Problem& p) { return has_ghost_zone(p) ? p.ghost : 0; }

Boundary pad_of(const Problem& p) {
  if (p.boundary == "periodic") return Boundary::wrap;
  if (p.boundary == "dirichlet") return Boundary::odd;
  if (p.boundary == "neumann") return Boundary::mirror;
  throw UserError("--bc " + p.boundary + ": unknown boundary condition; use ghost, periodic, dirichlet or neumann");
}

Type cell_array(const Problem& p) {
  const Nat side = p.box + 2 * ghost_depth(p);
  return array({Nat(p.boxes), side, side, side}, p.type);
}

Type face_array(const Problem& p, Axis axis) {
  if (has_ghost_zone(p)) return cell_array(p);
  std::vector<Nat> shape{p.boxes, p.box, p.box, p.box};
  shape[1 + static_cast<std::size_t>(axis)] = p.box + 1;
  return array(shape, p.type);
}

std::string choice(const Problem& p, const std::string& name,
                   const std::map<std::string, std::vector<std::string>>& allowed) {
  const auto list = [](const auto& items, const auto& text_of) {
    std::string s;
    for (const auto& item : items) s += (s.empty() ? "" : ", ") + text_of(item);
    return s;
  };
  for (const auto& [key, value] : p.choices) {
    const auto it = allowed.find(key);
    if (it == allowed.end())
      throw UserError("--" + key + ": no such choice here; there are: " + list(allowed, [](const auto& c) { return "--" + c.first; }));
    if (std::find(it->second.begin(), it->second.end(), value) == it->second.end())
      throw UserError("--" + key + " " + value + ": unknown value; use one of: " + list(it->second, [](const auto& v) { return v; }));
  }
  const auto it = p.choices.find(name);
  return it == p.choices.end() ? allowed.at(name).front() : it->second;
}

namespace {

/// mean + amplitude * s(x) s(y) s(z), s(x) = sin(2 pi (waves x + phase)), over the unit cube of a box.
struct Wave {
  double mean, amplitude;
  int waves;
  std::array<double, 3> phase;  ///< for k, j, i; fractions of a period
};
constexpr Wave phi_wave{0.0, 1.0, 1, {0.11, 0.07, 0.03}};
constexpr Wave rhs_wave{0.0, 1.0, 2, {0.31, 0.23, 0.17}};
constexpr Wave alpha_wave{1.0, 0.3, 1, {0.05, 0.13, 0.29}};
constexpr Wave beta_wave{1.0, 0.3, 1, {0.19, 0.37, 0.41}};

constexpr double a_value = 1.0, b_h2inv_value = 0.5, w_value = 2.0 / 3.0;

/// s at `length` points of one axis of a box of n cells, from point `first` on; centres of cells, or of faces (half a
/// cell lower). Later boxes are shifted, so that no two hold the same data.
std::vector<double> sines(const Wave& w, Axis axis, std::int64_t box, std::int64_t n, std::int64_t first, std::int64_t length,
                          bool faces) {
  const double shift = w.phase[static_cast<std::size_t>(axis)] + 0.37 * static_cast<double>(box);
  std::vector<double> s;
  for (std::int64_t x = first; x < first + length; ++x) {
    const double position = (static_cast<double>(x) + (faces ? 0.0 : 0.5)) / static_cast<double>(n);
    s.push_back(std::sin(2 * std::numbers::pi * (w.waves * position + shift)));
  }
  return s;
}

/// Calls row(box, k, j, pointer to the row's first element) for all rows, in parallel; box tables are made by
/// `tables(box)` once a box and chunk.
template <class T, class Tables, class Row>
void for_rows(const HostArray& a, const Tables& tables, const Row& row) {
  const auto n = host::lengths(a.type);
  const std::int64_t planes = n.at(1), rows = n.at(2), row_length = n.at(3);
  host::parallel_for(n.at(0) * planes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end;) {
      const std::int64_t box = plane / planes;
      const auto t = tables(box);
      for (; plane < end && plane / planes == box; ++plane)
        for (std::int64_t j = 0; j < rows; ++j)
          row(t, plane % planes, j, static_cast<T*>(a.data) + (plane * rows + j) * row_length, row_length);
    }
  });
}

/// `faces` names the axis along which the points are faces; none for cell centres.
template <class T>
void fill_wave(const Problem& p, const HostArray& a, const Wave& w, int faces) {
  const auto n = host::lengths(a.type);
  using Tables = std::array<std::vector<double>, 3>;
  for_rows<T>(
      a,
      [&](std::int64_t box) {
        Tables s;
        for (int d = 0; d < 3; ++d)
          s[d] = sines(w, static_cast<Axis>(d), box, p.box, -ghost_depth(p), n[1 + d], faces == d);
        return s;
      },
      [&](const Tables& s, std::int64_t k, std::int64_t j, T* row, std::int64_t length) {
        const double mean = w.mean, kj = w.amplitude * s[0][k] * s[1][j], *si = s[2].data();
        for (std::int64_t i = 0; i < length; ++i) row[i] = static_cast<T>(mean + kj * si[i]);
      });
}

template <class T>
void fill_lambda(const Problem& p, const HostArray& a) {
  const auto n = host::lengths(a.type);
  struct Tables {
    std::array<std::vector<double>, 3> alpha, beta, both;  ///< both: beta's s at the lower face plus that at the upper
  };
  for_rows<T>(
      a,
      [&](std::int64_t box) {
        Tables t;
        for (int d = 0; d < 3; ++d) {
          const auto table = [&](const Wave& w, std::int64_t above, bool faces) {
            return sines(w, static_cast<Axis>(d), box, p.box, above - ghost_depth(p), n[1 + d], faces);
          };
          t.alpha[d] = table(alpha_wave, 0, false);
          t.beta[d] = table(beta_wave, 0, false);
          t.both[d] = table(beta_wave, 0, true);
          const auto upper = table(beta_wave, 1, true);
          for (std::size_t x = 0; x < upper.size(); ++x) t.both[d][x] += upper[x];
        }
        return t;
      },
      [&](const Tables& t, std::int64_t k, std::int64_t j, T* row, std::int64_t length) {
        const double alpha_kj = alpha_wave.amplitude * t.alpha[0][k] * t.alpha[1][j];
        const double i_faces = beta_wave.amplitude * t.beta[0][k] * t.beta[1][j];
        const double kj_faces = beta_wave.amplitude * (t.both[0][k] * t.beta[1][j] + t.beta[0][k] * t.both[1][j]);
        const double *alpha_i = t.alpha[2].data(), *beta_i = t.beta[2].data(), *both_i = t.both[2].data();
        for (std::int64_t i = 0; i < length; ++i) {
          const double alpha = alpha_wave.mean + alpha_kj * alpha_i[i];
          const double betas = 6 * beta_wave.mean + i_faces * both_i[i] + kj_faces * beta_i[i];
          row[i] = static_cast<T>(1.0 / (a_value * alpha + b_h2inv_value * betas));
        }
      });
}

}  // namespace

void fill_box_argument(const Problem& p, const HostArray& a) {
  if (a.name == "color") {
    *static_cast<std::int32_t*>(a.data) = 0;
    return;
  }
  host::with_float(p.type, [&]<class T>(T) {
    const auto set = [&](double v) { *static_cast<T*>(a.data) = static_cast<T>(v); };
    if (a.name == "phi" || a.name == "next") fill_wave<T>(p, a, phi_wave, -1);
    else if (a.name == "rhs") fill_wave<T>(p, a, rhs_wave, -1);
    else if (a.name == "alpha") fill_wave<T>(p, a, alpha_wave, -1);
    else if (a.name == "beta_i") fill_wave<T>(p, a, beta_wave, static_cast<int>(Axis::i));
    else if (a.name == "beta_j") fill_wave<T>(p, a, beta_wave, static_cast<int>(Axis::j));
    else if (a.name == "beta_k") fill_wave<T>(p, a, beta_wave, static_cast<int>(Axis::k));
    else if (a.name == "lambda") fill_lambda<T>(p, a);
    else if (a.name == "a") set(a_value);
    else if (a.name == "b_h2inv") set(b_h2inv_value);
    else if (a.name == "w") set(w_value);
    else throw InternalError("fill: no data for an argument named '" + a.name + "'");
  });
}

}  // namespace lift
