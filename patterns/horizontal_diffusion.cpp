// Horizontal diffusion of fourth order with a flux limiter, as in COSMO: Laplacian, limited fluxes along i
// and j, output.
#include <algorithm>

#include "ir/error.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/columns.hpp"
#include "patterns/operators.hpp"

namespace lift {
namespace patterns::horizontal_diffusion {
namespace {

constexpr std::int64_t kReach = 2;  ///< points read to each side

std::int64_t halo(const Problem& p) { return has_ghost_zone(p) ? std::max(kReach, p.ghost) : 0; }

/// Two neighbours along an axis of a plane: 0 is j, 1 is i.
Expr pairs(const Expr& plane, int axis) {
  return axis == 0 ? slide({2, 1}, {1, 1}, plane) : slide({1, 2}, {1, 1}, plane);
}
Expr first_of(const Expr& pair) { return at({0, 0}, pair); }
Expr second_of(const Expr& pair, int axis) { return axis == 0 ? at({1, 0}, pair) : at({0, 1}, pair); }
/// A plane without its outermost points: `along` an axis, `across` it.
Expr inner(const Expr& plane, int axis, int along, int across) {
  const std::vector<Nat> width =
      axis == 0 ? std::vector<Nat>{along, across} : std::vector<Nat>{across, along};
  return drop(width, width, plane);
}

/// The flux between neighbours, none where it goes up the gradient: from the plane with two points more a
/// side, its Laplacian with one more.
Expr limited_flux(const Expr& u, const Expr& laplacian, int axis) {
  const Expr values = pairs(inner(u, axis, 1, 2), axis),
             curvatures = pairs(inner(laplacian, axis, 0, 1), axis);
  return zip_n(2, {values, curvatures}) | map2([axis](Expr t) {
           const Expr flux = second_of(get(1, t), axis) - first_of(get(1, t));
           const Expr gradient = second_of(get(0, t), axis) - first_of(get(0, t));
           return select(literal(0, flux.type().scalar()) < flux * gradient, literal(0, flux.type().scalar()),
                         flux);
         });
}

/// n.n from (n+4).(n+4) and n.n.
Expr diffused(const Expr& u, const Expr& coefficients) {
  const Expr laplacian =
      u | slide2(3, 1) | map2([](Expr w) { return 4.0 * w[1][1] - (w[1][2] + w[1][0] + w[2][1] + w[0][1]); });
  return let(laplacian, [&](Expr lap) {
    return let(limited_flux(u, lap, 1), [&](Expr along_i) {
      return let(limited_flux(u, lap, 0), [&](Expr along_j) {
        return zip_n(2, {inner(u, 0, 2, 2), coefficients, pairs(along_i, 1), pairs(along_j, 0)}) |
               map2([](Expr t) {
                 const Expr i = get(2, t), j = get(3, t);
                 return get(0, t) -
                        get(1, t) * ((second_of(i, 1) - first_of(i)) + (second_of(j, 0) - first_of(j)));
               });
      });
    });
  });
}

Program build(const BoxProblem& p) {
  const Boundary outside = pad_of(p);
  const std::int64_t narrow = std::min(cells_along(p, 1), cells_along(p, 2));
  if (!has_ghost_zone(p) && narrow < kReach && outside != Boundary::clamp && outside != Boundary::constant)
    throw UserError("--box " + box_text(p) +
                    ": a stencil of radius 2 reaches past the box; use --box 2 or more");
  const Expr u = param("u", column_array(p, {0, 2 * halo(p), 2 * halo(p)})),
             coeff = param("coeff", column_array(p));
  const auto value = boundary_value(p);
  const auto surrounded = [&](const Expr& plane) {
    if (has_ghost_zone(p))
      return halo(p) == kReach ? plane : plane | drop2(halo(p) - kReach, halo(p) - kReach);
    return value ? plane | pad_n(2, kReach, kReach, outside, *value) : plane | pad2(kReach, kReach, outside);
  };
  const Expr body = zip_n(2, {u, coeff}) |
                    map2([&](Expr planes) { return diffused(surrounded(get(0, planes)), get(1, planes)); });
  std::vector<Expr> arguments{u, coeff};
  if (value) arguments.push_back(*value);
  return {.name = "horizontal_diffusion",
          .arguments = arguments,
          .body = body,
          .overwritable = {},
          .results = {"u_new"}};
}

void fill(const Problem& p, const HostArray& a) {
  if (a.name == "boundary_value") return fill_box_argument(p, a);
  fill_wave(p, a.name == "u" ? halo(p) : 0, a,
            a.name == "u" ? Wave{0.5, 1, 3, {0.31, 0.23, 0.17}} : Wave{0.03, 0.02, 1, {0.05, 0.13, 0.29}});
}

template <class T>
void reference(const BoxProblem& p, const std::vector<HostArray>& arguments, const HostArray& result) {
  const host::Levels<const T> stored(host::argument(arguments, "u")),
      coeff(host::argument(arguments, "coeff"));
  const host::Levels<T> out(result);
  const T value = boundary_value(p) ? static_cast<T>(host::scalar(arguments, "boundary_value")) : T(0);
  const std::int64_t n[2] = {cells_along(p, 1), cells_along(p, 2)}, h = halo(p);
  const auto u = [&](std::int64_t box, std::int64_t k, std::int64_t j, std::int64_t i) -> T {
    if (h > 0) return stored(box, k, j + h, i + h);
    T sign = 1, add = 0;
    std::int64_t x[2] = {j, i};
    for (const int d : {0, 1}) {
      std::int64_t& c = x[d];
      if (c >= 0 && c < n[d]) continue;
      if (p.boundary == "constant") return value;
      if (p.boundary == "dirichlet" || p.boundary == "dirichlet-value") sign = -sign, add = 2 * value - add;
      if (p.boundary == "periodic")
        c = (c + n[d]) % n[d];
      else if (p.boundary == "clamp")
        c = c < 0 ? 0 : n[d] - 1;
      else
        c = c < 0 ? -1 - c : 2 * n[d] - 1 - c;
    }
    return sign * stored(box, k, x[0], x[1]) + add;
  };
  const auto laplacian = [&](std::int64_t box, std::int64_t k, std::int64_t j, std::int64_t i) {
    return 4 * u(box, k, j, i) -
           (u(box, k, j, i + 1) + u(box, k, j, i - 1) + u(box, k, j + 1, i) + u(box, k, j - 1, i));
  };
  /// Between a point and its neighbour at (dj, di).
  const auto flux = [&](std::int64_t box, std::int64_t k, std::int64_t j, std::int64_t i, int dj,
                        int di) -> T {
    const T f = laplacian(box, k, j + dj, i + di) - laplacian(box, k, j, i);
    return f * (u(box, k, j + dj, i + di) - u(box, k, j, i)) > 0 ? 0 : f;
  };
  host::for_columns(p, [&](std::int64_t box, std::int64_t j, std::int64_t i) {
    for (std::int64_t k = 0; k < cells_along(p, 0); ++k)
      out(box, k, j, i) =
          u(box, k, j, i) - coeff(box, k, j, i) * (flux(box, k, j, i, 0, 1) - flux(box, k, j, i - 1, 0, 1) +
                                                   flux(box, k, j, i, 1, 0) - flux(box, k, j - 1, i, 1, 0));
  });
}

/// Plain loops for arrays with a halo.
std::string plain(const BoxProblem& p) {
  if (!has_ghost_zone(p)) return "";
  return column_header(p) + "#define H " + std::to_string(halo(p)) + "    /* points of halo */\n\n" +
         "void plain(const real (*restrict u)[NK][NJ + 2 * H][NI + 2 * H], const real (*restrict "
         "coeff)[NK][NJ][NI], real (*restrict out)[NK][NJ][NI]) {\n"
         "#pragma omp parallel for collapse(2) schedule(static)\n"
         "  for (int box = 0; box < BOXES; ++box)\n"
         "    for (int k = 0; k < NK; ++k) {\n"
         "      real lap[NJ + 2][NI + 2], fi[NJ][NI + 1], fj[NJ + 1][NI];\n"
         "      const real (*v)[NI + 2 * H] = (const real (*)[NI + 2 * H])&u[box][k][H - 1][H - 1];\n"
         "      for (int j = 0; j < NJ + 2; ++j) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI + 2; ++i)\n"
         "          lap[j][i] = 4 * v[j][i] - (v[j][i + 1] + v[j][i - 1] + v[j + 1][i] + v[j - 1][i]);\n"
         "      }\n"
         "      for (int j = 0; j < NJ; ++j) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI + 1; ++i) {\n"
         "          real f = lap[j + 1][i + 1] - lap[j + 1][i];\n"
         "          fi[j][i] = f * (v[j + 1][i + 1] - v[j + 1][i]) > 0 ? 0 : f;\n"
         "        }\n"
         "      }\n"
         "      for (int j = 0; j < NJ + 1; ++j) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i) {\n"
         "          real f = lap[j + 1][i + 1] - lap[j][i + 1];\n"
         "          fj[j][i] = f * (v[j + 1][i + 1] - v[j][i + 1]) > 0 ? 0 : f;\n"
         "        }\n"
         "      }\n"
         "      for (int j = 0; j < NJ; ++j) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i)\n"
         "          out[box][k][j][i] = v[j + 1][i + 1] - coeff[box][k][j][i] * (fi[j][i + 1] - fi[j][i] + "
         "fj[j + 1][i] - fj[j][i]);\n"
         "      }\n"
         "    }\n"
         "}\n";
}

}  // namespace
}  // namespace patterns::horizontal_diffusion

Pattern horizontal_diffusion() {
  using namespace patterns::horizontal_diffusion;
  return column_pattern("horizontal_diffusion",
                        "horizontal diffusion of fourth order with a flux limiter: Laplacian, fluxes, output",
                        "lap = 4 u - (u[i+1] + u[i-1] + u[j+1] + u[j-1])\n"
                        "fi = lap[i+1] - lap, or 0 where it has the sign of u[i+1] - u; fj likewise\n"
                        "u_new = u - coeff (fi - fi[i-1] + fj - fj[j-1])",
                        build, fill, reference<float>, reference<double>, plain);
}

}  // namespace lift
