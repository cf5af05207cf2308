// Small programs of grid transfer with decisions taken by hand, for tests of vector loops.
#pragma once

#include <random>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "lower/lower.hpp"
#include "patterns/transfer.hpp"

namespace lift::test {

struct VectorDecisions {
  int width = 4;
  bool late = false, stream = false, parallel = false;
  int prefetch = 0;
  std::string text() const {
    return "width " + std::to_string(width) + (late ? ", late" : "") + (stream ? ", stream" : "") +
           (parallel ? ", parallel" : "") + ", prefetch " + std::to_string(prefetch);
  }
};

inline Expr unrolled(int rank, const Expr& f, const Expr& xs) {
  const Expr each =
      rank == 1 ? f : fun(xs.type().element(), [&](Expr row) { return unrolled(rank - 1, f, row); });
  return map_with(Op::MapUnroll, 1, each, xs, {*xs.type().length().constant()});
}

/// Outer maps become vector loops, maps within them unrolled ones. With `parallel`, a map of rank D over
/// cells becomes one of rank D - 1 around one of rank 1.
inline Expr with_vectors(const Expr& e, const VectorDecisions& d, bool inside = false) {
  const bool map = e.is(Op::Map);
  const Expr x = map_children(e, [&](const Expr& c) { return with_vectors(c, d, inside || map); });
  if (!map) return x;
  const int rank = op_rank(x);
  if (inside) return unrolled(rank, x.child(0), x.child(1));
  const std::vector<std::int64_t> vector{d.width, 1, d.late, d.prefetch};
  if (!d.parallel || rank == 1) return map_with(Op::MapVec, rank, x.child(0), x.child(1), vector);
  const Type row = element_of(x.child(1).type(), rank - 1);
  const Expr inner = fun(row, [&](Expr xs) { return map_with(Op::MapVec, 1, x.child(0), xs, vector); });
  return map_with(Op::MapPar, rank - 1, inner, x.child(1));
}
inline Program with_vectors(Program p, const VectorDecisions& d) {
  p.body = with_vectors(p.body, d);
  if (d.stream) p.body = make(Op::Stream, {p.body}, {});
  return p;
}
/// An update of the argument `fine` becomes one in place.
inline Program in_place(Program p) {
  if (p.body.is(Op::Update))
    p.body = make(Op::UpdateInPlace, {p.body.child(0), p.body.child(1)}, p.body.attr());
  return p;
}

inline std::vector<Nat> each(int dim, const Nat& n) {
  return std::vector<Nat>(static_cast<std::size_t>(dim), n);
}
inline Expr grid(const std::string& name, int dim, std::int64_t n, Scalar t) {
  return param(name, array(each(dim, n), t));
}

/// Restriction, prolongation and the like from or to m coarse cells a dimension, some in arrays with ghost
/// cells.
inline std::vector<Program> transfer_programs(int dim, std::int64_t m, Scalar t) {
  const Expr fine = grid("fine", dim, 2 * m, t), ghosted = grid("fine", dim, 2 * m + 2, t),
             coarse = grid("coarse", dim, m, t), padded = grid("coarse", dim, m + 2, t);
  const auto inside = [dim](const Expr& xs) { return xs | drop_n(dim, 1, 1); };
  const auto twice = [](Expr x) { return x * 2.0; };
  std::vector<Program> r{
      {"average", {fine}, restrict_average(dim, fine), {}},
      {"average_ghosted", {ghosted}, restrict_average(dim, inside(ghosted)), {}},
      {"full_weighting", {ghosted}, restrict_full_weighting(dim, ghosted | drop_n(dim, 0, 1)), {}},
      {"linear_restriction", {ghosted}, restrict_linear(dim, ghosted), {}},
      {"pick",
       {fine},
       fine | slide_n(dim, 2, 2) | map_n(dim, [=](Expr w) { return twice(at(each(dim, 0), w)); }),
       {}},
      {"constant", {coarse}, prolong_constant(dim, coarse), {}},
      {"linear", {padded}, prolong_linear(dim, padded), {}},
      {"add_constant",
       {fine, coarse},
       update(fine, each(dim, 0), add_prolonged_constant(dim, coarse, fine)),
       {"fine"}},
      {"add_constant_ghosted",
       {ghosted, padded},
       update(ghosted, each(dim, 1), add_prolonged_constant(dim, inside(padded), inside(ghosted))),
       {"fine"}},
      {"add_linear",
       {fine, padded},
       update(fine, each(dim, 0), add_prolonged_linear(dim, padded, fine)),
       {"fine"}},
  };
  if (dim == 1) {
    const Expr other = grid("other", 1, m, t);
    const auto one = [](const Expr& x) {
      return generate({Nat(1)}, [x](Expr) { return x; }) | map([](Expr y) { return y; });
    };
    r.push_back({"interleaved",
                 {coarse, other},
                 interleave({coarse | map(twice), other | map([](Expr x) { return x + 1.0; })}),
                 {}});
    r.push_back(
        {"pairs", {coarse}, join(coarse | map([=](Expr x) { return concat(one(x), one(twice(x))); })), {}});
  }
  return r;
}

inline std::size_t elements(const Type& t) {
  std::size_t n = 1;
  if (t.is_array())
    for (const Nat& d : shape_of(t)) n *= static_cast<std::size_t>(*d.constant());
  return n;
}
/// Quarters between -8 and 8 for each argument, reproducible: sums and products with powers of two are exact.
inline std::vector<std::vector<double>> sample_data(const Program& p) {
  std::mt19937 r(7);
  std::vector<std::vector<double>> all;
  for (const Expr& a : p.arguments) {
    all.emplace_back(elements(a.type()));
    for (double& x : all.back()) x = std::uniform_int_distribution<int>(-32, 32)(r) / 4.0;
  }
  return all;
}
inline std::vector<double> interpreted(const Program& p, const std::vector<std::vector<double>>& data) {
  std::map<std::string, Value> params;
  for (std::size_t i = 0; i < data.size(); ++i)
    params[param_name(p.arguments[i])] = make_array(data[i], p.arguments[i].type());
  return flatten(interpret(p.body, params));
}

}  // namespace lift::test
