// Operators on whole grids: vectors updated in place, reductions to one number.
#include <algorithm>
#include <cmath>

#include "ir/error.hpp"
#include "patterns/box_cells.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/box_views.hpp"
#include "patterns/operators.hpp"
#include "patterns/plain_loops.hpp"
#include "patterns/reduction.hpp"
#include "patterns/reduction_plain.hpp"

namespace lift {
namespace patterns::blas1 {
namespace {

std::string name_of(const std::string& operation, int dim) { return operation + std::to_string(dim) + "d"; }

// Means that are not 0, so that no sum is nothing but rounding errors.
const Wave x_wave{0.75, 0.5, 1, {0.11, 0.07, 0.03}}, y_wave{0.5, 0.5, 2, {0.31, 0.23, 0.17}};

void fill(const Problem& p, const HostArray& a) {
  if (a.name == "x" || a.name == "y") return fill_wave(p, ghost_depth(p), a, a.name == "x" ? x_wave : y_wave);
  host::with_float(p.type, [&]<class T>(T) { *static_cast<T*>(a.data) = static_cast<T>(0.625); });
}

// ---- vectors

/// y = y + a x, x = a x or x = x + a: what becomes of a cell.
struct VectorOperation {
  std::string name, summary, formula;
  bool two;  ///< x and y, else x alone
  std::function<Expr(const Expr& a, const Expr& x, const Expr& y)> cell;
  std::function<double(double a, double x, double y)> value;  ///< by the reference, in f32 rounded once
};

Program build(const VectorOperation& v, const BoxProblem& p) {
  check_box_problem(p, 0);
  const Expr x = param("x", cell_array(p)), y = param("y", cell_array(p)), a = param("a", p.type);
  const Expr& target = v.two ? y : x;
  std::vector<Expr> arrays{x};
  if (v.two) arrays.push_back(y);
  const auto box = [&](Parts b) {
    std::vector<Expr> views;
    for (const Expr& e : b) views.push_back(interior(p, e));
    return write_interior(p, b.back(),
                          for_cells(p, views, [&](Parts c) { return v.cell(a, c.front(), c.back()); }));
  };
  std::vector<Expr> arguments = arrays;
  arguments.push_back(a);
  return {.name = name_of(v.name, p.dim),
          .arguments = arguments,
          .body = for_boxes(arrays, box),
          .overwritable = {param_name(target)},
          .results = {}};
}

template <class T>
void vector_reference(const VectorOperation& v, const BoxProblem& p, const std::vector<HostArray>& arguments,
                      const HostArray& result) {
  const host::BoxCells<const T> x(p, host::argument(arguments, "x"));
  const HostArray& target = host::argument(arguments, v.two ? "y" : "x");
  const host::BoxCells<const T> y(p, target);
  const host::BoxCells<T> out(p, result);
  const double a = host::scalar(arguments, "a");
  host::copy(target, result);
  out.for_cells([&](std::int64_t box, const host::Position& c) {
    out(box, c) = static_cast<T>(v.value(a, x(box, c), y(box, c)));
  });
}

// ---- plain loops

/// Of both kinds of operator; `more` follows the arguments.
std::string plain(const std::string& what, const BoxProblem& p, const Program& program,
                  const std::string& more, const std::string& body) {
  return "#include <math.h>\n" + PlainLoops(p, 0).header(what) + "void plain(" + plain_parameters(program) +
         more + ") {\n" + body + "}\n";
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string vector_plain(const VectorOperation& v, const BoxProblem& p) {
  const std::string statement = replaced(replaced(v.formula, "X", cell_text(p, "x")), "Y", cell_text(p, "y"));
  return plain(v.summary, p, build(v, p), "", cell_loops(p, {.simd = "SIMD", .statement = statement}));
}

Pattern vector_pattern(const VectorOperation& v, int dim) {
  return {.name = name_of(v.name, dim),
          .summary = std::to_string(dim) + "D " + v.summary,
          .choices = {},
          .build =
              [=](const Problem& p) {
                return build(v, {p, dim});
              },
          .fill = fill,
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                host::with_float(p.type, [&]<class T>(T) {
                  vector_reference<T>(v, {p, dim}, arguments, results.at(0));
                });
              },
          .plain_c =
              [=](const Problem& p) {
                return vector_plain(v, {p, dim});
              },
          .plain_in_place = true};
}

// ---- reductions

const Choices& reduction_choices(bool norm) {
  static const auto& of_norm = *new Choices{{"kind", {"max", "l2"}}, {"compensated", {"no", "yes"}}};
  static const auto& of_dot = *new Choices{{"compensated", {"no", "yes"}}};
  return norm ? of_norm : of_dot;
}

struct HowReduced {
  Reduction what;
  bool compensated;
};
HowReduced how_reduced(const Problem& p, bool norm) {
  check_box_problem(p, 0);
  const Choices& choices = reduction_choices(norm);
  const bool compensated = choice(p, "compensated", choices) == "yes";
  if (!norm) return {Reduction::inner, compensated};
  if (choice(p, "kind", choices) == "l2") return {Reduction::euclidean, compensated};
  if (compensated)
    throw UserError("--compensated yes: the largest magnitude is exact already; use --kind l2");
  return {Reduction::largest, false};
}

Program build_reduction(const BoxProblem& p, bool norm) {
  const HowReduced how = how_reduced(p, norm);
  const Expr x = param("x", cell_array(p)), y = param("y", cell_array(p));
  const auto cells = [&](const Expr& boxes) {
    return has_ghost_zone(p) ? for_boxes({boxes}, [&](Parts b) { return interior(p, b[0]); }) : boxes;
  };
  const int rank = p.dim + 1;
  const Expr body = how.what == Reduction::largest ? largest_magnitude(rank, cells(x))
                    : how.what == Reduction::euclidean
                        ? euclidean_norm(rank, cells(x), how.compensated)
                        : inner_product(rank, cells(x), cells(y), how.compensated);
  std::vector<Expr> arguments{x};
  if (!norm) arguments.push_back(y);
  return {.name = name_of(norm ? "norm" : "dot", p.dim),
          .arguments = arguments,
          .body = body,
          .overwritable = {},
          .results = {}};
}

template <class T>
double reduction_reference(const BoxProblem& p, const HowReduced& how,
                           const std::vector<HostArray>& arguments) {
  const host::BoxCells<const T> x(p, host::argument(arguments, "x")), y(p, arguments.back());
  long double sum = 0;
  double largest = 0;
  const host::Position n = x.n;
  for (std::int64_t box = 0; box < x.boxes; ++box)
    for (std::int64_t k = 0; k < n[0]; ++k)
      for (std::int64_t j = 0; j < n[1]; ++j)
        for (std::int64_t i = 0; i < n[2]; ++i) {
          const double v = x(box, k, j, i);
          largest = std::max(largest, std::abs(v));
          sum += static_cast<long double>(v) *
                 (how.what == Reduction::inner ? static_cast<double>(y(box, k, j, i)) : v);
        }
  if (how.what == Reduction::largest) return largest;
  return static_cast<double>(how.what == Reduction::inner ? sum : std::sqrt(sum));
}

std::string reduction_plain(const BoxProblem& p, bool norm) {
  return plain(norm ? "Norm" : "Inner product", p, build_reduction(p, norm), ", double *restrict out",
               reduction_loops(p, how_reduced(p, norm).what, "x", "y"));
}

Pattern reduction_pattern(bool norm, int dim) {
  return {
      .name = name_of(norm ? "norm" : "dot", dim),
      .summary = std::to_string(dim) + (norm ? "D norm of all boxes' cells: largest magnitude, or Euclidean"
                                             : "D inner product over all boxes' cells"),
      .formula = norm ? "max |x|, or the square root of the sum of x^2" : "the sum of x*y",
      .choices = reduction_choices(norm),
      .build =
          [=](const Problem& p) {
            return build_reduction({p, dim}, norm);
          },
      .fill = fill,
      .reference =
          [=](const Problem& p, const std::vector<HostArray>& arguments,
              const std::vector<HostArray>& results) {
            host::with_float(p.type, [&]<class T>(T) {
              *static_cast<double*>(results.at(0).data) =
                  reduction_reference<T>({p, dim}, how_reduced(p, norm), arguments);
            });
          },
      .plain_c =
          [=](const Problem& p) {
            return reduction_plain({p, dim}, norm);
          },
      .plain_in_place = false};
}

}  // namespace
}  // namespace patterns::blas1

Pattern axpy(int dim) {
  using namespace patterns::blas1;
  return vector_pattern({"axpy", "y = y + a x, in place", "Y += a * X;", true,
                         [](const Expr& a, const Expr& x, const Expr& y) { return y + a * x; },
                         [](double a, double x, double y) { return y + a * x; }},
                        dim);
}
Pattern scale(int dim) {
  using namespace patterns::blas1;
  return vector_pattern({"scale", "x = a x, in place", "X *= a;", false,
                         [](const Expr& a, const Expr& x, const Expr&) { return a * x; },
                         [](double a, double x, double) { return a * x; }},
                        dim);
}
Pattern shift(int dim) {
  using namespace patterns::blas1;
  return vector_pattern({"shift", "x = x + a, in place", "X += a;", false,
                         [](const Expr& a, const Expr& x, const Expr&) { return x + a; },
                         [](double a, double x, double) { return x + a; }},
                        dim);
}
Pattern norm(int dim) {
  using namespace patterns::blas1;
  return reduction_pattern(true, dim);
}
Pattern dot(int dim) {
  using namespace patterns::blas1;
  return reduction_pattern(false, dim);
}

}  // namespace lift
