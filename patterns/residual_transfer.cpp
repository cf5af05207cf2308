// What multigrid does with a residual: its restriction and its norm, as compositions, also after half-sweeps.
// That no residual has to be stored between the two, and that all of them may go through memory together, is
// found by rules, not written here.
#include <algorithm>
#include <cmath>

#include "ir/error.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/half_sweeps.hpp"
#include "patterns/operators.hpp"
#include "patterns/plain_loops.hpp"
#include "patterns/reduction.hpp"
#include "patterns/reduction_plain.hpp"
#include "patterns/stencil.hpp"
#include "patterns/stencil_plain.hpp"
#include "patterns/stencil_reference.hpp"
#include "patterns/transfer.hpp"
#include "patterns/transfer_plain.hpp"
#include "patterns/two_levels.hpp"

namespace lift {
namespace patterns::residual_transfer {
namespace {

std::string named(const char* name, int dim) { return name + std::to_string(dim) + "d"; }

Choices with(Choices more) {
  for (const auto& [name, values] : stencil_choices()) more[name] = values;
  return more;
}
const Choices& restriction_choices() {
  static const auto& c =
      *new Choices(with({{"keep", {"no", "yes"}}, {"half-sweeps", HalfSweeps::numbers()}}));
  return c;
}
const Choices& norm_choices() {
  static const auto& c = *new Choices(with(
      {{"kind", {"max", "l2"}}, {"compensated", {"no", "yes"}}, {"half-sweeps", HalfSweeps::numbers()}}));
  return c;
}

/// rhs - L(phi) over the arrays phi, rhs, coefficients, where half-sweeps come first also lambda.
struct Residual {
  BoxProblem p;
  Stencil L;
  HalfSweeps before;
  Residual(const Problem& problem, int dim, const Choices& allowed)
      : p(problem, dim, wraps_colours(problem, allowed) ? 2 : 1),
        L(p, allowed),
        before(p, L, choice(problem, "half-sweeps", allowed), L.radius()) {}
  static bool wraps_colours(const Problem& p, const Choices& allowed) {
    return p.boundary == "periodic" && choice(p, "half-sweeps", allowed) != "0";
  }
  bool smooths() const { return before.number() > 0; }

  std::vector<Expr> arrays() const {
    std::vector<Expr> all{param("phi", cell_array(p)), param("rhs", cell_array(p))};
    all.insert(all.end(), L.coefficients().begin(), L.coefficients().end());
    if (smooths()) all.push_back(before.lambda());
    return all;
  }
  std::vector<Expr> scalars() const {
    std::vector<Expr> all = L.scalars();
    if (smooths()) all.push_back(before.color());
    return all;
  }
  /// after(phi, residual): n^dim, of the box whose arrays begin `box`, after the half-sweeps.
  Expr after_half_sweeps(Parts box, const std::function<Expr(Expr, Expr)>& after) const {
    const std::size_t coefficients = L.coefficients().size();
    return before.in_box(box[0], box[1], box.subspan(2, coefficients), box[2 + coefficients], [&](Expr x) {
      std::vector<Expr> own(box.begin(), box.end());
      own[0] = x;
      return after(x, of_box(own));
    });
  }
  /// n^dim, of one box whose arrays begin `box`.
  Expr of_box(Parts box) const {
    const std::size_t coefficients = L.coefficients().size();
    std::vector<Expr> views{L.windows(box[0]), interior(p, box[1])};
    for (const Expr& v : L.coefficient_views(box.subspan(2, coefficients))) views.push_back(v);
    return for_cells(p, views, [&](Parts at) { return at[1] - L(at[0], at.subspan(2, coefficients)); });
  }

  template <class T>
  std::function<T(std::int64_t box, const host::Position&)> reference(
      const std::vector<HostArray>& arguments) const {
    const host::StencilReference<T> value(p, L.variable(), L.shape(), arguments);
    const host::BoxCells<const T> phi(p, host::argument(arguments, "phi"),
                                      host::boundary_value(p, arguments)),
        rhs(p, host::argument(arguments, "rhs"));
    return [=](std::int64_t box, const host::Position& x) { return rhs(box, x) - value(phi, box, x); };
  }
  /// Loops that store it in `res`.
  std::string plain_sweep(const PlainLoops& loops, const StencilText& text) const {
    return loops.sweep("phi", "", [&](const PlainLoops::Neighbour& at, const std::string& in) {
      return in + loops.cell("res") + " = " + loops.cell("rhs") + " - (" + text(at, in) + ");\n";
    });
  }
};

/// `res` as an array that the plain loops keep to themselves.
std::string own_residual(const BoxProblem& p) {
  std::string s = "static real res[BOXES]";
  for (int d = 0; d < p.dim; ++d) s += "[" + axis_macro(p, "S", d) + "]";
  return s + ";\n";
}

// ---- residual and restriction

bool keeps(const Problem& p) { return choice(p, "keep", restriction_choices()) == "yes"; }

Program build_restriction(const Problem& problem, int dim) {
  const Residual r(problem, dim, restriction_choices());
  check_two_levels(problem, r.L.radius());
  const BoxProblem below = coarser(r.p);
  const bool keep = keeps(problem);
  std::vector<Expr> arrays = r.arrays();
  if (keep) arrays.push_back(param("res", cell_array(r.p)));
  arrays.push_back(param("coarse", cell_array(below)));
  const Expr body = for_boxes(arrays, [&](Parts box) {
    const Expr& coarse = box.back();
    const auto restricted = [&](const Expr& r) {
      return write_interior(below, coarse, restrict_average(dim, r));
    };
    if (r.smooths())
      return r.after_half_sweeps(box, [&](Expr phi, Expr residual) {
        return let(residual, [&](Expr x) {
          if (!keep) return tuple({phi, restricted(x)});
          return tuple({phi, write_interior(r.p, box[box.size() - 2], x), restricted(x)});
        });
      });
    if (!keep) return restricted(r.of_box(box));
    const Expr& res = box[box.size() - 2];
    return let(r.of_box(box), [&](Expr x) { return tuple({write_interior(r.p, res, x), restricted(x)}); });
  });
  Program program{.name = named("residual_restriction", dim),
                  .arguments = arrays,
                  .body = body,
                  .overwritable = {"coarse"},
                  .results = {}};
  if (keep) program.overwritable = {"res", "coarse"};
  if (r.smooths()) program.overwritable.insert(program.overwritable.begin(), "phi");
  for (const Expr& s : r.scalars()) program.arguments.push_back(s);
  return program;
}

template <class T>
void reference_restriction(const Problem& problem, int dim, const std::vector<HostArray>& arguments,
                           const std::vector<HostArray>& results) {
  const Residual r(problem, dim, restriction_choices());
  std::vector<HostArray> after = arguments;
  if (r.smooths()) {
    host::copy(host::argument(arguments, "phi"), results.front());
    r.before.reference<T>(arguments, results.front());
    after.front().data = results.front().data;
  }
  const auto residual = r.reference<T>(after);
  const BoxProblem below = coarser(r.p);
  host::copy(host::argument(arguments, "coarse"), results.back());
  const host::BoxCells<T> coarse(below, results.back());
  coarse.for_cells([&](std::int64_t box, const host::Position& c) {
    T sum = 0;
    for (int child = 0; child < 1 << dim; ++child) {
      host::Position f = c;
      for (int d = 0; d < dim; ++d)
        f[static_cast<std::size_t>(3 - dim + d)] =
            2 * c[static_cast<std::size_t>(3 - dim + d)] + ((child >> d) & 1);
      sum += residual(box, f);
    }
    coarse(box, c) = sum / static_cast<T>(1 << dim);
  });
  if (!keeps(problem)) return;
  const HostArray& kept = results[r.smooths() ? 1 : 0];
  host::copy(host::argument(arguments, "res"), kept);
  const host::BoxCells<T> res(r.p, kept);
  res.for_cells([&](std::int64_t box, const host::Position& f) { res(box, f) = residual(box, f); });
}

std::string plain_restriction(const Problem& problem, int dim) {
  const Residual r(problem, dim, restriction_choices());
  const PlainLoops loops(r.p, r.L.radius());
  const StencilText text(r.p, r.L.variable(), r.L.shape(), loops);
  return loops.header((r.smooths() ? "Red-black half-sweeps, then the residual" : "Residual") +
                      std::string(", then its restriction, ") + text.describe()) +
         axis_macros(r.p, "M", "coarse cells a dimension",
                     [&](int d) { return "(" + axis_macro(r.p, "N", d) + " / 2)"; }) +
         (keeps(problem) ? "" : own_residual(r.p)) + "void plain(" +
         plain_parameters(build_restriction(problem, dim)) + ") {\n" + r.before.plain(loops, "phi") +
         r.plain_sweep(loops, text) +
         transfer_loops(r.p, {TransferLoops::What::average, 0, false}, "res", "coarse") + "}\n";
}

// ---- norm of the residual

struct ResidualNorm {
  Residual r;
  Reduction what;
  bool compensated;
  ResidualNorm(const Problem& p, int dim)
      : r(p, dim, norm_choices()),
        what(choice(p, "kind", norm_choices()) == "max" ? Reduction::largest : Reduction::euclidean),
        compensated(choice(p, "compensated", norm_choices()) == "yes") {
    if (compensated && what == Reduction::largest)
      throw UserError("--compensated yes: the largest magnitude is exact already; use --kind l2");
    if (compensated && r.smooths())
      throw UserError("--compensated yes --half-sweeps " + std::to_string(r.before.number()) +
                      ": norms in the same pass are sums of sums of planes; leave out one of the two");
  }
  /// What a plane of the residual is reduced to (of an array of 0 dimensions, a cell).
  Expr of_plane(int rank, const Expr& plane) const {
    if (what == Reduction::largest) return rank > 0 ? largest_magnitude(rank, plane) : abs(widened(plane));
    return rank > 0 ? sum_of_squares(rank, plane) : widened(plane) * widened(plane);
  }
  Expr of_planes(const Expr& parts) const {
    return what == Reduction::largest ? largest_magnitude(1, parts) : sqrt(sum_of_elements(1, parts, false));
  }
};

Program build_norm(const Problem& problem, int dim) {
  const ResidualNorm n(problem, dim);
  Program program{.name = named("residual_norm", dim),
                  .arguments = n.r.arrays(),
                  .body = {},
                  .overwritable = {},
                  .results = {}};
  if (n.r.smooths()) {
    program.body = for_boxes(program.arguments, [&](Parts box) {
      return n.r.after_half_sweeps(box, [&](Expr phi, Expr r) {
        const Expr parts = r | map([&](Expr plane) { return n.of_plane(dim - 1, plane); });
        return let(parts, [&](Expr x) { return tuple({phi, n.of_planes(x)}); });
      });
    });
    program.overwritable = {"phi"};
    for (const Expr& s : n.r.scalars()) program.arguments.push_back(s);
    return program;
  }
  const Expr residuals = for_boxes(program.arguments, [&](Parts box) { return n.r.of_box(box); });
  program.body = n.what == Reduction::largest ? largest_magnitude(dim + 1, residuals)
                                              : euclidean_norm(dim + 1, residuals, n.compensated);
  for (const Expr& s : n.r.scalars()) program.arguments.push_back(s);
  return program;
}

/// Of the residual in the boxes from `first` up to `past`.
template <class T>
double reference_norm(const ResidualNorm& n, const std::vector<HostArray>& arguments, std::int64_t first,
                      std::int64_t past) {
  const auto residual = n.r.reference<T>(arguments);
  const host::BoxCells<const T> cells(n.r.p, host::argument(arguments, "phi"));
  double largest = 0;
  long double sum = 0;
  for (std::int64_t box = first; box < past; ++box)
    for (std::int64_t k = 0; k < cells.n[0]; ++k)
      for (std::int64_t j = 0; j < cells.n[1]; ++j)
        for (std::int64_t i = 0; i < cells.n[2]; ++i) {
          const double x = residual(box, {k, j, i});
          largest = std::max(largest, std::abs(x));
          sum += static_cast<long double>(x) * x;
        }
  return n.what == Reduction::largest ? largest : static_cast<double>(std::sqrt(sum));
}

template <class T>
void reference_norms(const Problem& problem, int dim, const std::vector<HostArray>& arguments,
                     const std::vector<HostArray>& results) {
  const ResidualNorm n(problem, dim);
  auto* norms = static_cast<double*>(results.back().data);
  if (!n.r.smooths()) {
    *norms = reference_norm<T>(n, arguments, 0, problem.boxes);
    return;
  }
  host::copy(host::argument(arguments, "phi"), results.front());
  n.r.before.reference<T>(arguments, results.front());
  std::vector<HostArray> after = arguments;
  after.front().data = results.front().data;
  for (std::int64_t box = 0; box < problem.boxes; ++box)
    norms[box] = reference_norm<T>(n, after, box, box + 1);
}

std::string plain_norm(const Problem& problem, int dim) {
  const ResidualNorm n(problem, dim);
  if (n.r.smooths()) return "";  // it would have one result in place and another of its own
  const PlainLoops loops(n.r.p, n.r.L.radius());
  const StencilText text(n.r.p, n.r.L.variable(), n.r.L.shape(), loops);
  return "#include <math.h>\n" + loops.header("Residual, then its norm, " + text.describe()) +
         own_residual(n.r.p) + "void plain(" + plain_parameters(build_norm(problem, dim)) +
         ", double *restrict out) {\n" + n.r.plain_sweep(loops, text) +
         reduction_loops(n.r.p, n.what, "res", "res") + "}\n";
}

}  // namespace
}  // namespace patterns::residual_transfer

Pattern residual_restriction(int dim) {
  using namespace patterns::residual_transfer;
  return {.name = named("residual_restriction", dim),
          .summary = std::to_string(dim) +
                     "D residual and its restriction by averages, with or without keeping the residual",
          .formula = "res = rhs - L(phi), coarse = R(res)",
          .choices = restriction_choices(),
          .build = [=](const Problem& p) { return build_restriction(p, dim); },
          .fill =
              [=](const Problem& p, const HostArray& a) {
                fill_transfer_argument({p, dim}, -1, a);
              },
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                host::with_float(p.type,
                                 [&]<class T>(T) { reference_restriction<T>(p, dim, arguments, results); });
              },
          .plain_c = [=](const Problem& p) { return plain_restriction(p, dim); },
          .plain_in_place = true};
}

Pattern residual_norm(int dim) {
  using namespace patterns::residual_transfer;
  return {.name = named("residual_norm", dim),
          .summary = std::to_string(dim) + "D norm of the residual: largest magnitude, or Euclidean",
          .formula = "max |rhs - L(phi)|, or the square root of the sum of (rhs - L(phi))^2",
          .choices = norm_choices(),
          .build = [=](const Problem& p) { return build_norm(p, dim); },
          .fill = fill_box_argument,
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                host::with_float(p.type, [&]<class T>(T) { reference_norms<T>(p, dim, arguments, results); });
              },
          .plain_c = [=](const Problem& p) { return plain_norm(p, dim); },
          .plain_in_place = false};
}

}  // namespace lift
