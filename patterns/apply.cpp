// The operator itself: L(phi), the residual rhs - L(phi), and lambda, the inverse of L's diagonal.
#include "ir/error.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/operators.hpp"
#include "patterns/plain_loops.hpp"
#include "patterns/stencil.hpp"
#include "patterns/stencil_plain.hpp"
#include "patterns/stencil_reference.hpp"
#include "patterns/thesis_boxes.hpp"

namespace lift {
namespace {

std::string with_dim(const std::string& name, int dim) { return name + std::to_string(dim) + "d"; }

std::vector<Expr> joined(std::vector<Expr> a, const std::vector<Expr>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// ---- L(phi) and the residual: they differ in rhs

const char* target_of(bool residual) { return residual ? "res" : "lphi"; }
Choices choices_of(int dim, bool residual) {
  return residual ? with_thesis_form(stencil_choices(), dim) : stencil_choices();
}

Program build_apply(const Problem& problem, int dim, bool residual) {
  const BoxProblem p(problem, dim);
  const Stencil L(p, choices_of(dim, residual));
  const Expr phi = param("phi", cell_array(p)), target = param(target_of(residual), cell_array(p));
  std::vector<Expr> arrays{phi};
  if (residual) arrays.push_back(param("rhs", cell_array(p)));
  arrays = joined(joined(arrays, L.coefficients()), {target});
  const std::size_t first = residual ? 2 : 1, coefficients = L.coefficients().size();
  if (has_thesis_form(p)) check_thesis_form(p, L);
  const Expr body = for_boxes(arrays, [&](Parts x) {
    if (has_thesis_form(p)) return write_interior(p, x.back(), thesis_residual(p, L, x.first(x.size() - 1)));
    std::vector<Expr> views{L.windows(x[0])};
    if (residual) views.push_back(interior(p, x[1]));
    views = joined(views, L.coefficient_views(x.subspan(first, coefficients)));
    return write_interior(p, x.back(), for_cells(p, views, [&](Parts at) {
                            const Expr value = L(at[0], at.subspan(first, coefficients));
                            return residual ? at[1] - value : value;
                          }));
  });
  return {.name = with_dim(residual ? "residual" : "apply", dim),
          .arguments = joined(arrays, L.scalars()),
          .body = body,
          .overwritable = {target_of(residual)},
          .results = {}};
}

template <class T>
void reference_apply(const Problem& problem, int dim, bool residual, const std::vector<HostArray>& arguments,
                     const HostArray& result) {
  const BoxProblem p(problem, dim);
  const Stencil L(p, choices_of(dim, residual));
  const host::StencilReference<T> value(p, L.variable(), L.shape(), arguments);
  const host::BoxCells<const T> phi(p, host::argument(arguments, "phi"), host::boundary_value(p, arguments));
  const host::BoxCells<const T> rhs(p, host::argument(arguments, residual ? "rhs" : "phi"));
  host::copy(host::argument(arguments, target_of(residual)), result);
  const host::BoxCells<T> out(p, result);
  out.for_cells([&](std::int64_t box, const host::Position& x) {
    out(box, x) = residual ? rhs(box, x) - value(phi, box, x) : value(phi, box, x);
  });
}

std::string plain_apply(const Problem& problem, int dim, bool residual) {
  const BoxProblem p(problem, dim);
  const Stencil L(p, choices_of(dim, residual));
  const PlainLoops loops(p, L.radius());
  const StencilText value(p, L.variable(), L.shape(), loops);
  const std::string body =
      loops.sweep("phi", "", [&](const PlainLoops::Neighbour& at, const std::string& in) {
        return in + loops.cell(target_of(residual)) + " = " +
               (residual ? loops.cell("rhs") + " - (" + value(at, in) + ")" : value(at, in)) + ";\n";
      });
  return loops.header((residual ? "Residual, " : "L(phi), ") + value.describe()) +
         loops.function(build_apply(problem, dim, residual), body);
}

Pattern apply_or_residual(int dim, bool residual) {
  return {.name = with_dim(residual ? "residual" : "apply", dim),
          .summary = std::to_string(dim) +
                     (residual ? "D residual rhs - L(phi)" : "D application of the operator, L(phi)"),
          .formula = residual ? "res = rhs - L(phi)" : "lphi = L(phi)",
          .choices = choices_of(dim, residual),
          .build = [=](const Problem& p) { return build_apply(p, dim, residual); },
          .fill = fill_box_argument,
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                host::with_float(p.type, [&]<class T>(T) {
                  reference_apply<T>(p, dim, residual, arguments, results.at(0));
                });
              },
          .plain_c = [=](const Problem& p) { return plain_apply(p, dim, residual); },
          .plain_in_place = true};
}

// ---- lambda

/// The stencil whose diagonal is meant; there is no choice.
Stencil diagonal_stencil(const BoxProblem& p) {
  if (!p.choices.empty())
    throw UserError("--" + p.choices.begin()->first + ": lambda leaves no choice; leave it out");
  return Stencil(p, true, "star");
}

Program build_lambda(const Problem& problem, int dim) {
  const BoxProblem p(problem, dim);
  const Stencil L = diagonal_stencil(p);
  const Expr a = param("a", p.type), b_h2inv = param("b_h2inv", p.type);
  const std::vector<Expr> arrays = joined(L.coefficients(), {param("lambda", cell_array(p))});
  const Expr body = for_boxes(arrays, [&](Parts x) {
    return write_interior(
        p, x.back(), for_cells(p, L.coefficient_views(x.first(x.size() - 1)), [&](Parts at) {
          Expr betas;
          for (int axis = dim; axis-- > 0;)
            for (const int upper : {1, 0}) {
              const Expr beta = face(p, at[static_cast<std::size_t>(dim - axis)], axis, upper);
              betas = betas ? betas + beta : beta;
            }
          return 1.0 / (a * at[0] + b_h2inv * betas);
        }));
  });
  return {.name = with_dim("lambda", dim),
          .arguments = joined(arrays, {a, b_h2inv}),
          .body = body,
          .overwritable = {"lambda"},
          .results = {}};
}

template <class T>
void reference_lambda(const Problem& problem, int dim, const std::vector<HostArray>& arguments,
                      const HostArray& result) {
  const BoxProblem p(problem, dim);
  using Cells = host::BoxCells<const T>;
  const auto a = static_cast<T>(host::scalar(arguments, "a")),
             b_h2inv = static_cast<T>(host::scalar(arguments, "b_h2inv"));
  const Cells alpha(p, host::argument(arguments, "alpha"));
  std::vector<std::pair<std::size_t, Cells>> faces;  // and their axis of three
  for (int axis = 0; axis < dim; ++axis) {
    const int of_three = 3 - dim + axis;
    faces.emplace_back(static_cast<std::size_t>(of_three),
                       Cells(p, host::argument(arguments, "beta_" + axis_name(p, axis))));
  }
  host::copy(host::argument(arguments, "lambda"), result);
  const host::BoxCells<T> out(p, result);
  out.for_cells([&](std::int64_t box, const host::Position& x) {
    T betas = 0;
    for (const auto& [axis, beta] : faces) {
      host::Position next = x;
      ++next[axis];
      betas += beta(box, x) + beta(box, next);
    }
    out(box, x) = 1 / (a * alpha(box, x) + b_h2inv * betas);
  });
}

std::string plain_lambda(const Problem& problem, int dim) {
  const BoxProblem p(problem, dim);
  const PlainLoops loops(p, 0);
  const std::string body =
      loops.sweep("lambda", "", [&](const PlainLoops::Neighbour&, const std::string& in) {
        std::string betas;
        for (int axis = dim; axis-- > 0;) {
          const std::string beta = "beta_" + axis_name(p, axis);
          betas += (betas.empty() ? "" : " + ") + loops.cell(beta, axis, 1) + " + " + loops.cell(beta);
        }
        return in + loops.cell("lambda") + " = 1 / (a * " + loops.cell("alpha") + " + b_h2inv * (" + betas +
               "));\n";
      });
  return loops.header("Inverse diagonal") + loops.function(build_lambda(problem, dim), body);
}

/// What the operator replaces begins as something else than the right answer.
void fill_lambda_argument(const Problem& p, const HostArray& a) {
  HostArray other = a;
  if (a.name == "lambda") other.name = "rhs";
  fill_box_argument(p, other);
}

}  // namespace

Pattern apply_operator(int dim) { return apply_or_residual(dim, false); }
Pattern residual(int dim) { return apply_or_residual(dim, true); }

Pattern lambda_operator(int dim) {
  return {.name = with_dim("lambda", dim),
          .summary = std::to_string(dim) +
                     "D inverse diagonal of the variable-coefficient operator, from its coefficients",
          .formula = "lambda = 1 / (a*alpha + b/h^2 * (the sum of beta over a cell's faces))",
          .choices = {},
          .build = [=](const Problem& p) { return build_lambda(p, dim); },
          .fill = fill_lambda_argument,
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                host::with_float(p.type,
                                 [&]<class T>(T) { reference_lambda<T>(p, dim, arguments, results.at(0)); });
              },
          .plain_c = [=](const Problem& p) { return plain_lambda(p, dim); },
          .plain_in_place = true};
}

}  // namespace lift
