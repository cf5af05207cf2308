#include <utility>

#include "ir/build.hpp"
#include "ir/error.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/helmholtz.hpp"
#include "patterns/host_data.hpp"
#include "patterns/operators.hpp"
#include "patterns/smooth3d_plain.hpp"

namespace lift {
namespace {

const std::map<std::string, std::vector<std::string>> choices{{"smoother", {"gsrb", "jacobi"}}};

bool is_gsrb(const Problem& p) { return choice(p, "smoother", choices) == "gsrb"; }

void check(const Problem& p) {
  check_box_problem(p);
  if (is_gsrb(p) && p.boundary == "periodic" && p.box % 2 != 0)
    throw UserError("--box " + std::to_string(p.box) +
                    ": red-black colouring of a periodic box needs an even side, else cells of one colour are neighbours "
                    "across the boundary; use an even --box or --smoother jacobi");
}

// ---- the expression

/// The boxes' arrays, in the order of the arguments.
struct Arrays {
  Expr phi, rhs, alpha, beta_i, beta_j, beta_k, lambda;
};

Arrays array_arguments(const Problem& p) {
  const Type cells = cell_array(p);
  return {.phi = param("phi", cells), .rhs = param("rhs", cells), .alpha = param("alpha", cells),
          .beta_i = param("beta_i", face_array(p, Axis::i)), .beta_j = param("beta_j", face_array(p, Axis::j)),
          .beta_k = param("beta_k", face_array(p, Axis::k)), .lambda = param("lambda", cells)};
}

/// The residual rhs - L(phi) at one cell, times lambda.
struct Scaling {
  Expr a, b_h2inv;
};
Expr correction(const Scaling& s, const Neighbours& phi, const Expr& rhs, const Expr& alpha, const Faces& beta, const Expr& lambda) {
  return lambda * (rhs - helmholtz(s.a, s.b_h2inv, alpha, beta, phi));
}

Program gsrb(const Problem& p) {
  const Arrays x = array_arguments(p);
  const Scaling s{param("a", p.type), param("b_h2inv", p.type)};
  const Expr color = index_param("color", 0, 1);
  const Nat n = p.box, g = ghost_depth(p);

  const auto half_sweep = [=](Expr phi, Expr rhs, Expr alpha, Expr beta_i, Expr beta_j, Expr beta_k, Expr lambda) {
    const auto cell = [=](Expr kji, Expr window, Expr rhs, Expr alpha, Expr beta_i, Expr beta_j, Expr beta_k, Expr lambda) {
      const Neighbours phi = neighbours(window);
      const Expr k = get(0, kji), j = get(1, kji), i = get(2, kji);
      const Expr updated = phi.centre + correction(s, phi, rhs, alpha, faces(beta_i, beta_j, beta_k), lambda);
      return select(eq((i + j + k + color) % 2, 0), updated, phi.centre);
    };
    return update(phi, {g, g, g},
                  zip_n(3, {positions({n, n, n}), cell_windows(p, phi), interior(p, rhs), interior(p, alpha),
                            face_windows(p, 2, beta_i), face_windows(p, 1, beta_j), face_windows(p, 0, beta_k),
                            interior(p, lambda)}) | map3(cell));
  };
  return {.name = "smooth3d",
          .arguments = {x.phi, x.rhs, x.alpha, x.beta_i, x.beta_j, x.beta_k, x.lambda, s.a, s.b_h2inv, color},
          .body = zip({x.phi, x.rhs, x.alpha, x.beta_i, x.beta_j, x.beta_k, x.lambda}) | map(half_sweep),
          .overwritable = {"phi"}};
}

Program jacobi(const Problem& p) {
  const Arrays x = array_arguments(p);
  const Scaling s{param("a", p.type), param("b_h2inv", p.type)};
  const Expr next = param("next", cell_array(p)), w = param("w", p.type);
  const Nat g = ghost_depth(p);

  const auto sweep = [=](Expr phi, Expr rhs, Expr alpha, Expr beta_i, Expr beta_j, Expr beta_k, Expr lambda, Expr next) {
    const auto cell = [=](Expr window, Expr rhs, Expr alpha, Expr beta_i, Expr beta_j, Expr beta_k, Expr lambda) {
      const Neighbours phi = neighbours(window);
      return phi.centre + w * correction(s, phi, rhs, alpha, faces(beta_i, beta_j, beta_k), lambda);
    };
    return update(next, {g, g, g},
                  zip_n(3, {cell_windows(p, phi), interior(p, rhs), interior(p, alpha), face_windows(p, 2, beta_i),
                            face_windows(p, 1, beta_j), face_windows(p, 0, beta_k), interior(p, lambda)}) | map3(cell));
  };
  return {.name = "smooth3d",
          .arguments = {x.phi, x.rhs, x.alpha, x.beta_i, x.beta_j, x.beta_k, x.lambda, next, s.a, s.b_h2inv, w},
          .body = zip({x.phi, x.rhs, x.alpha, x.beta_i, x.beta_j, x.beta_k, x.lambda, next}) | map(sweep),
          .overwritable = {"next"}};
}

Program build(const Problem& p) {
  check(p);
  return is_gsrb(p) ? gsrb(p) : jacobi(p);
}

// ---- the reference

/// phi at a cell that may lie one outside the box.
template <class T>
T phi_at(const Problem& p, const host::Boxes<const T>& phi, std::int64_t box, std::int64_t k, std::int64_t j, std::int64_t i) {
  T sign = 1;
  if (p.boundary != "ghost")
    for (std::int64_t* x : {&k, &j, &i}) {
      if (*x >= 0 && *x < p.box) continue;
      if (p.boundary == "periodic") *x = (*x + p.box) % p.box;
      else *x = *x < 0 ? 0 : p.box - 1;             // the reflected cell is the one on the near side of the face
      if (p.boundary == "dirichlet") sign = -sign;  // so that the mean of both, the face's value, is 0
    }
  return sign * phi(box, k, j, i);
}

template <class T>
void reference(const Problem& p, const std::vector<HostArray>& arguments, const std::vector<HostArray>& results) {
  const bool gsrb = is_gsrb(p);
  const std::int64_t n = p.box, g = ghost_depth(p);
  const auto boxes = [&](const char* name) { return host::Boxes<const T>(host::argument(arguments, name), g); };
  const auto phi = boxes("phi"), rhs = boxes("rhs"), alpha = boxes("alpha"), beta_i = boxes("beta_i"), beta_j = boxes("beta_j"),
             beta_k = boxes("beta_k"), lambda = boxes("lambda");
  const T a = static_cast<T>(host::scalar(arguments, "a")), b_h2inv = static_cast<T>(host::scalar(arguments, "b_h2inv"));
  const T w = gsrb ? T{1} : static_cast<T>(host::scalar(arguments, "w"));
  const std::int64_t color = gsrb ? static_cast<std::int64_t>(host::scalar(arguments, "color")) : 0;
  const host::Boxes<T> out(results.at(0), g);

  host::copy(host::argument(arguments, gsrb ? "phi" : "next"), results.at(0));
  host::parallel_for(p.boxes * n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t b = plane / n, k = plane % n;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
          if (gsrb && (i + j + k + color) % 2 != 0) continue;
          const T here = phi(b, k, j, i);
          const T flux_i = beta_i(b, k, j, i + 1) * (phi_at(p, phi, b, k, j, i + 1) - here) - beta_i(b, k, j, i) * (here - phi_at(p, phi, b, k, j, i - 1));
          const T flux_j = beta_j(b, k, j + 1, i) * (phi_at(p, phi, b, k, j + 1, i) - here) - beta_j(b, k, j, i) * (here - phi_at(p, phi, b, k, j - 1, i));
          const T flux_k = beta_k(b, k + 1, j, i) * (phi_at(p, phi, b, k + 1, j, i) - here) - beta_k(b, k, j, i) * (here - phi_at(p, phi, b, k - 1, j, i));
          const T l = a * alpha(b, k, j, i) * here - b_h2inv * (flux_i + flux_j + flux_k);
          out(b, k, j, i) = here + w * lambda(b, k, j, i) * (rhs(b, k, j, i) - l);
        }
    }
  });
}

}  // namespace

Pattern smooth3d() {
  return {.name = "smooth3d",
          .summary = "3D variable-coefficient smoother: red-black Gauss-Seidel half-sweep in place, or weighted Jacobi sweep",
          .choices = choices,
          .build = build,
          .fill = fill_box_argument,
          .reference = [](const Problem& p, const std::vector<HostArray>& arguments, const std::vector<HostArray>& results) {
            check(p);
            host::with_float(p.type, [&]<class T>(T) { reference<T>(p, arguments, results); });
          },
          .plain_c = [](const Problem& p) {
            check(p);
            return smooth3d_plain(p, is_gsrb(p));
          },
          .plain_in_place = true};
}

}  // namespace lift
