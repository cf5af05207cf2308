#include "patterns/columns.hpp"

namespace lift {

Type column_array(const BoxProblem& p, const std::array<std::int64_t, 3>& more) {
  return array({box_count(p), side(p) + more[0], side(p) + more[1], side(p) + more[2]}, p.type);
}

void check_columns(const BoxProblem& p) {
  Problem without = p;  // no neighbours are read: any depth of a ghost zone will do
  without.ghost = std::max<std::int64_t>(without.ghost, 0);
  check_box_problem(without, 0);
}

Expr for_columns(const std::vector<Expr>& views, const std::function<Expr(const Expr& column)>& column) {
  return transpose({2, 0, 1}, transpose({1, 2, 0}, zip_n(3, views)) | map2([&](Expr c) { return column(c); }));
}

Expr level_windows(const Expr& array, std::int64_t below, std::int64_t above) {
  return slide({below + 1 + above, 1, 1}, {1, 1, 1}, pad({below, 0, 0}, {above, 0, 0}, clamp, array));
}

std::string column_header(const BoxProblem& p) {
  return "#define BOXES " + std::to_string(p.boxes) + "\n#define N " + std::to_string(p.box) +
         "    /* levels, rows, and points of a row */\n#ifndef SIMD\n#define SIMD\n#endif\ntypedef " + (p.type == f32 ? "float" : "double") + " real;\n\n";
}

namespace host {

void for_columns(const Problem& p, const std::function<void(std::int64_t box, std::int64_t j, std::int64_t i)>& f) {
  parallel_for(p.boxes * p.box, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t i = 0; i < p.box; ++i) f(row / p.box, row % p.box, i);
  });
}

}  // namespace host

}  // namespace lift
