#include "patterns/thesis_forms.hpp"

#include <cmath>

namespace lift::thesis {
namespace {

/// The elements of dim nested dimensions in one.
Expr flat(int dim, Expr window) {
  for (int d = 1; d < dim; ++d) window = join(window);
  return window;
}

Expr weighted(const Expr& pairs) {
  return pairs | map([](Expr value, Expr weight) { return value * weight; }) | sum();
}

/// 2^dim zipped copies of each neighbourhood: (m + 1)^dim.2^dim.(2^dim).{T, T} from (m + 2)^dim.T.
Expr weighted_copies(int dim, const Expr& padded, const Expr& weights) {
  const Expr neighbourhoods = padded | slide_n(dim, 2, 1);
  // each neighbourhood alone in a dim-dimensional array of one element: split(1) dim times below the outer
  // dimensions
  const auto alone = [=](Expr row) {
    for (int d = 0; d < dim; ++d) row = row | split(1);
    return row;
  };
  const Expr single = dim == 1 ? alone(neighbourhoods) : map_n(dim - 1, alone, neighbourhoods);
  const auto duplicate = pad_n(dim, 1, 0, clamp);
  const Expr copies = map_n(
      dim, [=](Expr neighbourhood) { return neighbourhood | duplicate; }, single);
  const Expr mirrored = weights | pad_n(dim, 2, 0, mirror) | slide_n(dim, 2, 2);
  const Expr with_weights = map_n(
      dim,
      [=](Expr neighbourhood) {
        return zip_n(dim, {neighbourhood, mirrored});
      },
      copies);
  return map_n(
      2 * dim,
      [=](Expr values, Expr factors) {
        return zip({flat(dim, values), flat(dim, factors)});
      },
      with_weights);
}

/// join_dim of dim outer and dim inner dimensions: inner dimension d is moved behind outer dimension d, then
/// joined with it.
Expr joined_by_transposes(int dim, Expr xs) {
  const auto below = [](int depth, const std::function<Expr(Expr)>& f, const Expr& e) {
    return depth == 0 ? f(e) : map_n(depth, f, e);
  };
  for (int d = 0; d < dim; ++d)  // inner dimension d stands at dim + d; it has to go to 2 d + 1
    for (int at = dim + d; at > 2 * d + 1; --at)
      xs = below(
          at - 1, [](Expr e) { return transpose(e); }, xs);
  for (int d = 0; d < dim; ++d)
    xs = below(
        d, [](Expr e) { return join(e); }, xs);
  return xs;
}

Expr centre(const Expr& window) { return window[1][1][1]; }

}  // namespace

Expr restriction(int dim, const Expr& fine) {
  return fine | slide_n(dim, 2, 2) | map_n(dim, [=](Expr neighbourhood) {
           return (flat(dim, neighbourhood) | sum()) * std::ldexp(1.0, -dim);
         });
}

Expr prolongation(int dim, const Expr& padded, const Expr& weights) {
  return join_n(dim, weighted_copies(dim, padded, weights)) | drop_n(dim, 1, 1) | map_n(dim, weighted);
}

Expr prolongation_with_transposes(int dim, const Expr& padded, const Expr& weights) {
  return joined_by_transposes(dim, weighted_copies(dim, padded, weights)) | drop_n(dim, 1, 1) |
         map_n(dim, weighted);
}

std::vector<double> linear_weights(int dim) {
  std::vector<double> w{1};
  for (int d = 0; d < dim; ++d) {
    std::vector<double> next;
    for (const double x : w)
      for (const double y : {0.25, 0.75}) next.push_back(x * y);
    w = std::move(next);
  }
  return w;
}

Expr two_inputs(const Expr& a, const Expr& b) {
  const auto neighbourhoods = pad(1, 1, clamp) | slide(3, 1);
  const Scalar t = element_of(a.type()).scalar();
  const UserFun f("sum_of_six", {{"a1", t}, {"a2", t}, {"a3", t}, {"b1", t}, {"b2", t}, {"b3", t}}, t,
                  "return a1 + a2 + a3 + b1 + b2 + b3;",
                  [](std::span<const double> x) { return x[0] + x[1] + x[2] + x[3] + x[4] + x[5]; });
  return zip({a | neighbourhoods, b | neighbourhoods}) |
         map([=](Expr x, Expr y) { return f(x[0], x[1], x[2], y[0], y[1], y[2]); });
}

namespace {

// The arguments of both user functions begin alike.
constexpr const char* operands[] = {"a",       "alphaC",  "b",       "h2inv",   "beta_iE", "beta_iC",
                                    "beta_jS", "beta_jC", "beta_kB", "beta_kC", "inputC",  "inputE",
                                    "inputW",  "inputS",  "inputN",  "inputB",  "inputF",  "rhsC"};

std::vector<UserParameter> parameters(Scalar t) {
  std::vector<UserParameter> r;
  for (const char* name : operands) r.push_back({name, t});
  return r;
}

double helmholtz(std::span<const double> x) {
  const double centre = x[10];
  return x[0] * x[1] * centre -
         x[2] * x[3] *
             (x[4] * (x[11] - centre) - x[5] * (centre - x[12]) + x[6] * (x[13] - centre) -
              x[7] * (centre - x[14]) + x[8] * (x[15] - centre) - x[9] * (centre - x[16]));
}
std::string helmholtz_text(Scalar t) {
  return std::string("const ") + (t == f32 ? "float" : "double") +
         " Ax = a * alphaC * inputC - b * h2inv * (beta_iE * (inputE - inputC) - beta_iC * (inputC - inputW) "
         "+ beta_jS * (inputS - inputC) - "
         "beta_jC * (inputC - inputN) + beta_kB * (inputB - inputC) - beta_kC * (inputC - inputF)); ";
}

/// The values at one cell; the thesis's directions: east is i + 1, south j + 1, back k + 1.
std::vector<Expr> operands_at(const Expr& a, const Expr& b, const Expr& h2inv, const Expr& alpha,
                              const Expr& beta_i, const Expr& beta_j, const Expr& beta_k, const Expr& input,
                              const Expr& rhs) {
  return {a,
          centre(alpha),
          b,
          h2inv,
          beta_i[1][1][2],
          centre(beta_i),
          beta_j[1][2][1],
          centre(beta_j),
          beta_k[2][1][1],
          centre(beta_k),
          centre(input),
          input[1][1][2],
          input[1][1][0],
          input[1][2][1],
          input[1][0][1],
          input[2][1][1],
          input[0][1][1],
          centre(rhs)};
}

Expr neighbourhoods(const Expr& xs) { return xs | slide3(3, 1); }

}  // namespace

Expr residual(const Expr& a, const Expr& b, const Expr& h2inv, const Arrays& x) {
  const Scalar t = element_of(x.input.type()).scalar();
  const UserFun f("residual_at", parameters(t), t, helmholtz_text(t) + "return rhsC - Ax;",
                  [](std::span<const double> v) { return v[17] - helmholtz(v); });
  return zip_n(3, {neighbourhoods(x.alpha), neighbourhoods(x.beta_i), neighbourhoods(x.beta_j),
                   neighbourhoods(x.beta_k), neighbourhoods(x.input), neighbourhoods(x.rhs)}) |
         map3([=](Expr alpha, Expr beta_i, Expr beta_j, Expr beta_k, Expr input, Expr rhs) {
           return f.call(operands_at(a, b, h2inv, alpha, beta_i, beta_j, beta_k, input, rhs));
         });
}

Expr smooth(const Expr& a, const Expr& b, const Expr& h2inv, const Arrays& x) {
  const Scalar t = element_of(x.input.type()).scalar();
  std::vector<UserParameter> with_more = parameters(t);
  with_more.push_back({"lambdaC", t});
  with_more.push_back({"color", i32});
  const UserFun f(
      "smooth_at", std::move(with_more), t,
      "if (!color) return inputC; " + helmholtz_text(t) + "return inputC - lambdaC * (Ax - rhsC);",
      [](std::span<const double> v) { return v[19] == 0 ? v[10] : v[10] - v[18] * (helmholtz(v) - v[17]); });
  return zip_n(3, {neighbourhoods(x.alpha), neighbourhoods(x.beta_i), neighbourhoods(x.beta_j),
                   neighbourhoods(x.beta_k), neighbourhoods(x.input), neighbourhoods(x.lambda),
                   neighbourhoods(x.rhs), neighbourhoods(x.color)}) |
         map3([=](Expr alpha, Expr beta_i, Expr beta_j, Expr beta_k, Expr input, Expr lambda, Expr rhs,
                  Expr color) {
           std::vector<Expr> v = operands_at(a, b, h2inv, alpha, beta_i, beta_j, beta_k, input, rhs);
           v.push_back(centre(lambda));
           v.push_back(centre(color));
           return f.call(v);
         });
}

}  // namespace lift::thesis
