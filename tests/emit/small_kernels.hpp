// Small expressions with decisions taken by hand: one for each thing that emitted code has to say.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "ir/expr/build.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"
#include "ir/expr/view.hpp"

namespace lift::test {

/// A low-level map of rank 1; `more`: lanes or unroll factor, stride, late store, prefetch distance.
template <class F>
Expr low(Op op, F f, const Expr& xs, std::vector<std::int64_t> more = {1, 1, 0, 0}) {
  return map_with(op, 1, function_of(element_of(xs.type(), 1), f), xs, std::move(more));
}
template <class F>
Expr vec(int width, F f, const Expr& xs) {
  return low(Op::MapVec, f, xs, {width, 1, 0, 0});
}
inline Expr stored(Op op, const Expr& e) { return make(op, {e}); }

inline const UserFun& clipped(Scalar s) {
  const auto meaning = [](std::span<const double> v) { return v[0] < v[1] ? v[1] : v[0]; };
  static const UserFun f("clipped_f32", {{"x", f32}, {"low", f32}}, f32, "return x < low ? low : x;",
                         meaning);
  static const UserFun d("clipped_f64", {{"x", f64}, {"low", f64}}, f64, "return x < low ? low : x;",
                         meaning);
  return s == f32 ? f : d;
}

/// The function of numbers between -1 and 1, made ones for which it is defined.
inline Expr elementary_call(const Elementary& f, const Expr& a, const Expr& b) {
  const bool positive =
      f.op == Op::Log || f.op == Op::Log2 || f.op == Op::Log10 || f.op == Op::Pow || f.op == Op::Sqrt;
  const Expr x = positive ? abs(a) + 0.5 : a;
  return row(f.op).arity == 2 ? binary(f.op, x, b) : unary(f.op, x);
}

struct SmallKernel {
  std::string name;
  Program program;
  std::vector<std::string> contains = {};  ///< of the emitted text
  std::vector<std::string> lacks = {};
};

constexpr std::int64_t kLength = 37;  ///< odd: every vector loop has a remainder

inline Expr vector_param(const std::string& name, Scalar s, std::int64_t n = kLength) {
  return param(name, array({Nat(n)}, s));
}
inline Expr matrix_param(const std::string& name, Scalar s, std::int64_t rows, std::int64_t columns) {
  return param(name, array({Nat(rows), Nat(columns)}, s));
}

inline void scalar_cases(Scalar s, std::vector<SmallKernel>& to) {
  const std::string t = text(s), lanes = s == f32 ? "8" : "4", v = t + "x" + lanes;
  const int width = s == f32 ? 8 : 4;
  const Expr x = vector_param("x", s), y = vector_param("y", s), c = param("c", s);
  const Expr xy = zip({x, y});
  const auto add = [&](const std::string& name, const std::vector<Expr>& arguments, const Expr& body,
                       std::vector<std::string> contains = {}, std::vector<std::string> lacks = {}) {
    to.push_back(
        {name + "_" + t, {name + "_" + t, arguments, body, {}}, std::move(contains), std::move(lacks)});
  };
  const auto user = [&](Expr p) { return clipped(s)(p, c); };
  add("user_scalar", {x, c}, low(Op::MapSeq, user, x), {"clipped_" + t + "(x[i], c)"});
  add("user_vector", {x, c}, vec(width, user, x), {"clipped_" + t + "_x" + lanes + "("});
  const auto extremes = [](Expr a, Expr b) { return min(a, b) + 2 * max(a, b) - sqrt(abs(a)) * abs(b); };
  add("extremes_scalar", {x, y}, low(Op::MapSeq, extremes, xy), {"min_" + t + "(", "sqrt"});
  add("extremes_vector", {x, y}, vec(width, extremes, xy),
      {"min_" + v + "(", "max_" + v + "(", "abs_" + v + "(", "sqrt_" + v + "("});
  for (const Elementary& e : all_elementary()) {
    const std::string name(text(e.op));
    const auto f = [&](Expr a, Expr b) { return elementary_call(e, a, b); };
    add(name + "_scalar", {x, y}, low(Op::MapSeq, f, xy), {name + (s == f32 ? "f(" : "(")});
    add(name + "_vector", {x, y}, vec(width, f, xy), {name + "_" + v + "("});
  }
  // Conditions on values, combined, used twice, and on a scalar that is the same for all lanes.
  const auto choose = [&](Expr a, Expr b) {
    return select((a < b && !(b <= c)) || eq(a, b), a * c, select(a < b, b, -a));
  };
  add("choose_scalar", {x, y, c}, low(Op::MapSeq, choose, xy));
  add("choose_vector", {x, y, c}, vec(width, choose, xy), {"select_" + v + "("});
  add("choose_all_lanes", {x, y, c},
      vec(
          width, [&](Expr a, Expr b) { return select(c < 0.5, a, b); }, xy));
  add("same_everywhere", {c},
      vec(
          width, [&](Expr) { return c * c; }, iota(kLength)));
  add("neighbours_late", {x},
      low(Op::MapVec, [](Expr w) { return (w[0] + w[1] + w[2]) / 3.0; }, x | slide(3, 1), {width, 1, 1, 16}),
      {"late", "__builtin_prefetch("});
  add("unrolled", {x}, low(Op::MapUnroll, [](Expr a) { return a * 3.0; }, x, {4, 1, 0, 0}),
      {"#pragma GCC unroll 4"});
  add("reflected", {x},
      low(
          Op::MapSeq, [](Expr w) { return w[0] - w[2]; }, x | pad(1, 1, Boundary::odd) | slide(3, 1)));
  // Positions that are computed: by another length than the array's, by a power of two, in two dimensions.
  const auto at = [](const Expr& v, double by) { return cast(i32, floor(v * 9.0 - 3.0)) % literal(by, i32); };
  for (const double by : {31.0, 32.0}) {
    const auto taken = [&, by](Expr v) { return gather(at(v, by), x); };
    const std::string number = std::to_string(static_cast<int>(by));
    add("gathered_scalar" + number, {x}, low(Op::MapSeq, taken, x));
    add("gathered_vector" + number, {x}, vec(width, taken, x), {by == 32 ? " & 31" : ", 31)", "[0]]"});
  }
  const Expr grid = matrix_param("m", s, 7, 11);
  const auto of_grid = [&](Expr a, Expr b) { return gather({at(a, 50), at(b, 50)}, grid, Boundary::mirror); };
  add("gathered_of_two", {x, y, grid}, vec(width, of_grid, xy), {" % 14", " % 22"});
  // Reductions.
  const Expr rows = matrix_param("m", s, 5, kLength), narrow = matrix_param("m", s, kLength, 5);
  const auto total = [&](Op op) {
    return [op, s](Expr row) {
      const Expr f = fun({s, s}, [](Expr a, Expr b) { return a + b; });
      return make(op, {f, literal(0, s), row});
    };
  };
  add("sum_short", {narrow}, low(Op::MapSeq, total(Op::ReduceUnroll), narrow), {"m[5*i + 4]"}, {"acc"});
  add("sum_long", {rows}, low(Op::MapPar, total(Op::ReduceSeq), rows),
      {"acc", "#pragma omp parallel for schedule(static)"});
  add("largest", {rows},
      low(
          Op::MapSeq,
          [&](Expr row) {
            const Expr f = fun({s, s}, [](Expr a, Expr b) { return max(a, b); });
            return make(Op::ReduceSeq, {f, literal(-std::numeric_limits<double>::infinity(), s), row});
          },
          rows),
      {"-INFINITY"});
  // Rows of odd length: every row starts at another alignment.
  const auto twice = [](Expr a) { return 2 * a; };
  add("streamed", {rows},
      low(
          Op::MapPar, [&](Expr row) { return stored(Op::Stream, vec(width, twice, row)); }, rows),
      {"stream_" + v + "(", "store_fence();", "head"});
  const Expr cube = param("q", array({Nat(3), Nat(5), Nat(kLength)}, s));
  const auto plane = [&](Expr p) {
    return low(
        Op::MapPar, [&](Expr row) { return vec(width, twice, row); }, p);
  };
  add("collapsed", {cube}, low(Op::MapPar, plane, cube),
      {"#pragma omp parallel for collapse(2) schedule(static)"}, {" % ", " / "});
  add("streamed_collapsed", {cube},
      low(
          Op::MapPar,
          [&](Expr p) {
            return low(
                Op::MapPar, [&](Expr row) { return stored(Op::Stream, vec(width, twice, row)); }, p);
          },
          cube),
      {"collapse(2)", "store_fence();"});
  add("kept", {x},
      low(
          Op::MapSeq,
          [](Expr w) {
            return let(stored(Op::ToPrivate, low(
                                                 Op::MapSeq, [](Expr a) { return a * a; }, w)),
                       [](Expr k) { return k[0] * k[1] + k[2]; });
          },
          x | slide(3, 1)),
      {"tile1["});
  // In place: every second element.
  const Expr phi = param("phi", array({Nat(kLength + 2)}, s));
  const auto half_sweep = [&](Op op, std::vector<std::int64_t> more) {
    const Expr windows =
        zip({generate({Nat(kLength)}, [](Expr i) { return tuple({i}); }), phi | slide(3, 1)});
    Attr a;
    a.nats = {1};
    const Expr block = low(
        op, [&](Expr at, Expr w) { return select(eq(get(0, at) % 2, 0), 0.5 * (w[0] + w[2]), w[1]); },
        windows, std::move(more));
    return make(Op::UpdateInPlace, {phi, block}, a);
  };
  const auto in_place = [&](const std::string& name, const Expr& body, std::vector<std::string> contains,
                            std::vector<std::string> lacks) {
    to.push_back(
        {name + "_" + t, {name + "_" + t, {phi}, body, {"phi"}}, std::move(contains), std::move(lacks)});
  };
  in_place("guarded", half_sweep(Op::MapSeq, {1, 1, 0, 0}), {"if ("}, {"2*ii"});
  in_place("strided", half_sweep(Op::MapSeq, {1, 2, 0, 0}), {"phi[2*ii + 1] = "}, {"if (", " % ", " / "});
  in_place("masked", half_sweep(Op::MapVec, {width, 1, 0, 0}), {"select_" + v + "("}, {" % "});
}

/// Indices that need Euclidean division: `shift` may be negative.
inline void index_cases(std::vector<SmallKernel>& to) {
  const Expr x = vector_param("x", f64, 7), shift = index_param("shift", -9, 9);
  const Nat v = index_variable(shift);
  to.push_back(
      {"rotated",
       {"rotated",
        {x, shift},
        low(
            Op::MapSeq,
            [&](Expr w) { return w + at({mod(v - 3, 7)}, x) + cast(f64, nat_value(floordiv(v, 4))); }, x),
        {}},
       {"index_mod(", "index_div("}});
  to.push_back({"parity",
                {"parity",
                 {x, shift},
                 low(
                     Op::MapSeq, [&](Expr w) { return w * cast(f64, nat_value(mod(v, 2))); }, x),
                 {}},
                {"& 1"},
                {"index_mod"}});
  to.push_back({"bounded",
                {"bounded",
                 {x, shift},
                 low(
                     Op::MapSeq, [&](Expr w) { return w + at({max(min(v, 6), 0)}, x); }, x),
                 {}},
                {"index_min(", "index_max("}});
  const Expr y = vector_param("y", f64, 35);
  to.push_back({"regrouped",
                {"regrouped",
                 {y},
                 low(
                     Op::MapSeq, [](Expr w) { return w + 1.0; }, join(transpose(split({Nat(5)}, y)))),
                 {}}});
}

inline std::vector<SmallKernel> small_kernels() {
  std::vector<SmallKernel> all;
  scalar_cases(f64, all);
  scalar_cases(f32, all);
  index_cases(all);
  return all;
}

}  // namespace lift::test
