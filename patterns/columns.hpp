// Programs over the columns of an atmosphere: arrays [box][k][j][i] of NK x NJ x NI points each, i of unit
// stride, k the level. A column is all levels at one (j, i). There are no ghost zones; what an array has more
// of than levels, rows or points is said where it is declared.
#pragma once

#include <array>

#include "ir/expr/build.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/host_data.hpp"
#include "patterns/pattern.hpp"

namespace lift {

/// boxes.(n + more[0]).(n + more[1]).(n + more[2]).T
Type column_array(const BoxProblem& p, const std::array<std::int64_t, 3>& more = {0, 0, 0});

/// In one box: `views` are arrays k.j.i; `column` makes a column of a column of tuples with an element of
/// each view.
Expr for_columns(const std::vector<Expr>& views, const std::function<Expr(const Expr& column)>& column);

/// Windows of `below + 1 + above` levels about each level: k.j.i.(below + 1 + above).1.1, indices clamped at
/// both ends.
Expr level_windows(const Expr& array, std::int64_t below, std::int64_t above);

/// One level of a tridiagonal system: a x[k-1] + b x[k] + c x[k+1] = d. The first a and the last c count as
/// 0.
struct TridiagonalRow {
  Expr a, b, c, d;
};
/// The systems of a column, which `row` reads off each of its elements, solved by elimination to the last
/// level and substitution back; `use` makes what is wanted of the solution.
Expr solve_column(const Expr& column, Scalar type,
                  const std::function<TridiagonalRow(const Expr& level)>& row,
                  const std::function<Expr(const Expr& solution)>& use);

/// #define BOXES, NK, NJ, NI and SIMD, typedef real.
std::string column_header(const BoxProblem& p);

/// A pattern of three dimensions with one result, from the functions that Pattern asks for; `in_f32` and
/// `in_f64` are the reference in either type. The boundary condition of a problem must be one of the names;
/// any ghost zone will do.
using ColumnReference = void(const BoxProblem&, const std::vector<HostArray>& arguments,
                             const HostArray& result);
Pattern column_pattern(const std::string& name, const std::string& summary, const std::string& formula,
                       Program (*build)(const BoxProblem&), void (*fill)(const Problem&, const HostArray&),
                       ColumnReference* in_f32, ColumnReference* in_f64,
                       std::string (*plain)(const BoxProblem&));

namespace host {

/// A reference's view of one array of a program over columns.
template <class T>
class Levels {
 public:
  Levels(const HostArray& a) : data_(static_cast<T*>(a.data)) {
    const auto all = lengths(a.type);
    for (std::size_t d = 0; d < 3; ++d) n_[d] = all.at(d + 1);
  }
  T& operator()(std::int64_t box, std::int64_t k, std::int64_t j, std::int64_t i) const {
    return data_[((box * n_[0] + k) * n_[1] + j) * n_[2] + i];
  }

 private:
  T* data_;
  std::array<std::int64_t, 3> n_{};
};

/// Calls f(box, j, i) for all columns of the problem, in parallel over boxes.
void for_columns(const Problem& p,
                 const std::function<void(std::int64_t box, std::int64_t j, std::int64_t i)>& f);

}  // namespace host

}  // namespace lift
