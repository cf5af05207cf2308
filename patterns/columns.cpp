#include "patterns/columns.hpp"

namespace lift {

Type column_array(const BoxProblem& p, const std::array<std::int64_t, 3>& more) {
  return array({box_count(p), side(p, 0) + more[0], side(p, 1) + more[1], side(p, 2) + more[2]}, p.type);
}

Expr for_columns(const std::vector<Expr>& views, const std::function<Expr(const Expr& column)>& column) {
  return transpose({2, 0, 1},
                   transpose({1, 2, 0}, zip_n(3, views)) | map2([&](Expr c) { return column(c); }));
}

Expr level_windows(const Expr& array, std::int64_t below, std::int64_t above) {
  return slide({below + 1 + above, 1, 1}, {1, 1, 1}, pad({below, 0, 0}, {above, 0, 0}, clamp, array));
}

Expr solve_column(const Expr& column, Scalar type,
                  const std::function<TridiagonalRow(const Expr& level)>& row,
                  const std::function<Expr(const Expr& solution)>& use) {
  const Expr nothing = literal(0, type);
  const Expr eliminated = column | scan(
                                       [&](Expr above, Expr level) {
                                         const TridiagonalRow r = row(level);
                                         const Expr pivot = 1.0 / (r.b - r.a * get(0, above));
                                         return tuple({r.c * pivot, (r.d - r.a * get(1, above)) * pivot});
                                       },
                                       tuple({nothing, nothing}));
  return let(eliminated, [&](Expr v) {
    return use(v | scan_back([](Expr below, Expr x) { return get(1, x) - get(0, x) * below; }, nothing));
  });
}

std::string column_header(const BoxProblem& p) {
  const auto cells = [&](int axis) { return std::to_string(cells_along(p, axis)); };
  return "#define BOXES " + std::to_string(p.boxes) + "\n#define NK " + cells(0) +
         "    /* levels */\n#define NJ " + cells(1) + "    /* rows */\n#define NI " + cells(2) +
         "    /* points of a row */\n#ifndef SIMD\n#define SIMD\n#endif\ntypedef " +
         (p.type == f32 ? "float" : "double") + " real;\n\n";
}

namespace {

void check_columns(const Problem& p) {
  Problem without = p;
  without.ghost = std::max<std::int64_t>(without.ghost, 0);
  check_box_problem(without, 0);
}

}  // namespace

Pattern column_pattern(const std::string& name, const std::string& summary, const std::string& formula,
                       Program (*build)(const BoxProblem&), void (*fill)(const Problem&, const HostArray&),
                       ColumnReference* in_f32, ColumnReference* in_f64,
                       std::string (*plain)(const BoxProblem&)) {
  return {.name = name,
          .summary = summary,
          .formula = formula,
          .build =
              [=](const Problem& p) {
                check_columns(p);
                return build({p, 3});
              },
          .fill = fill,
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                (p.type == f32 ? in_f32 : in_f64)({p, 3}, arguments, results.at(0));
              },
          .plain_c =
              [=](const Problem& p) {
                return plain({p, 3});
              }};
}

namespace host {

void for_columns(const Problem& p,
                 const std::function<void(std::int64_t box, std::int64_t j, std::int64_t i)>& f) {
  const std::int64_t rows = cells_along(p, 1);
  parallel_for(p.boxes * rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t i = 0; i < cells_along(p, 2); ++i) f(row / rows, row % rows, i);
  });
}

}  // namespace host

}  // namespace lift
