// Programs whose definitions have stages, sums or numbers of their own: what these become where they are
// used.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_definitions_test {
namespace {

/// Half a step at corners, then a whole one, by fluxes that the definition of a step names itself.
std::string two_steps(int n, int steps) {
  const std::string size = std::to_string(n) + "." + std::to_string(n + 2);
  return "param h, p : " + size +
         ".f64\n"
         "def flux(h, p) =\n"
         "  let f = zip2(h, p) |> map2(\\(h, p). {h * p, 0.5 * h}) in\n"
         "  let a = f |> map2(\\f. f.0) in\n"
         "  let b = f |> map2(\\f. f.1) in\n"
         "  zip2(a |> slide2(2, 1), b |> slide2(2, 1)) |> map2(\\(a, b). {a[0, 0] + b[1, 1], b[0, 1] - a[1, "
         "0]})\n"
         "def step((h, p)) =\n"
         "  let hw = h |> pad2(1, 1, clamp) in let pw = p |> pad2(1, 1, clamp) in\n"
         "  let half = zip2(hw |> slide2(2, 1), pw |> slide2(2, 1), flux(hw, pw))\n"
         "             |> map2(\\(h, p, d). {h[0, 0] - d.0, p[0, 0] - d.1}) |> unzip2 in\n"
         "  zip2(h, p, flux(half.0, half.1)) |> map2(\\(h, p, d). {h - d.0, p - d.1}) |> unzip2\n"
         "result h2, p2 = {h, p} |> iterate(" +
         std::to_string(steps) + ", step)\n";
}
/// A sweep, the residual on half the points, sweeps there, and what they found added.
std::string two_grids(int coarse) {
  const std::string n = std::to_string(coarse), m = std::to_string(2 * coarse + 1);
  return "param u, f : " + m + "." + m +
         ".f64\n"
         "def around(x) = x |> pad2(1, 1, constant 0) |> slide2(3, 1)\n"
         "def rest(w, f) = f - (4 * w[1, 1] - w[0, 1] - w[1, 0] - w[1, 2] - w[2, 1])\n"
         "def sweep(u, f) = zip2(around(u), f) |> map2(\\(w, f). w[1, 1] + 0.2 * rest(w, f))\n"
         "def doubled(row) =\n"
         "  let between = row |> pad(1, 1, constant 0) |> slide(2, 1) |> map(\\w. 0.5 * (w[0] + w[1])) in\n"
         "  concat(interleave(between |> drop(0, 1), row), between |> drop(" +
         n +
         ", 0))\n"
         "result smooth =\n"
         "  let v = sweep(u, f) in\n"
         "  let r = zip2(around(v), f) |> map2(\\(w, f). rest(w, f)) in\n"
         "  let g = r |> slide2(3, 2) |> map2(\\w. w[1, 1] + 0.5 * (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1])) "
         "in\n"
         "  let e = g |> iterate(2, \\e. sweep(e, g)) in\n"
         "  let rows = e |> map(doubled) in\n"
         "  let fine = rows |> transpose |> map(doubled) |> transpose in\n"
         "  sweep(zip2(v, fine) |> map2(\\(v, e). v + e), f)\n";
}
std::string line(int n, int stages, const std::string& boundary = "clamp") {
  std::string s = "param u : " + std::to_string(n) + ".f64\ndef s(u) = u |> pad(1, 1, " + boundary +
                  ") |> slide(3, 1) |> map(\\w. w[0] + w[1] * w[2])\n"
                  "result after = u";
  for (int i = 0; i < stages; ++i) s += " |> s";
  return s + "\n";
}
/// Each row brought to mean 0, of what two arrays make, and squared.
std::string normal_rows(int rows, int columns) {
  const std::string n = std::to_string(columns), size = std::to_string(rows) + "." + n;
  return "param x, y : " + size +
         ".f64\n"
         "def centred(row) = let mean = (row |> sum) / " +
         n +
         " in row |> map(\\v. v - mean)\n"
         "result out = zip2(x, y) |> map2(\\(x, y). x + y) |> map(centred) |> map2(\\v. v * v)\n";
}
/// A matrix with a vector that is computed, three times.
std::string powers(int n) {
  const std::string size = std::to_string(n);
  return "param a : " + size + "." + size + ".f64\nparam x : " + size +
         ".f64\n"
         "def dot(x, y) = zip(x, y) |> map(\\(x, y). x * y) |> sum\n"
         "def times(x) = a |> map(\\row. dot(row, x))\n"
         "def unit(x) = x |> map(\\v. v / (1 + dot(x, x)))\n"
         "result y = unit(times(unit(times(x))))\n";
}
std::string sums_of_columns(int rows, int columns) {
  return "param x : " + std::to_string(rows) + "." + std::to_string(columns) +
         ".f64\nresult s = x |> transpose |> map(scan(add, 0)) |> transpose\n";
}

Program first_of(const Program& p) {
  const Space s(p, options());
  return replay(p, s.derive(s.seeds().front()));
}
Kernel lowered(const Program& p) { return lower(p, {.vector_bytes = 16, .target = Target::openmp}); }
bool some_variant_is_lowered(const Program& p) {
  const Space s(p, options());
  for (const Configuration& c : s.seeds()) try {
      lowered(replay(p, s.derive(c)));
      return true;
    } catch (const UserError&) {  // the next one
    }
  return false;
}
bool goes(const Program& p, Band::Shape shape) {
  return contains(p.body, [&](const Expr& e) { return is_band(e, shape); });
}
bool has(const Program& p, Op op) {
  return contains(p.body, [&](const Expr& e) { return e.is(op); });
}
int work_arrays(const Kernel& k) {
  return static_cast<int>(
      std::count_if(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; }));
}

}  // namespace

TEST_CASE("space: variants of programs whose definitions have stages mean the same") {
  for (const std::string& text : {two_steps(5, 2), two_grids(3), line(33, 2), sums_of_columns(5, 35)}) {
    CAPTURE(text);
    check_space(parse_program(text), options(), 2, 1);
  }
}

TEST_CASE("space: stages that definitions name are stages of the program, which go in step") {
  const Program steps = first_of(parse_program(two_steps(300, 2)));
  CHECK(goes(steps, Band::skewed));
  CHECK(has(steps, Op::MapVec));
  // Of more steps than go together too: a step that begins with a view is computed, not looked at.
  CHECK(some_variant_is_lowered(parse_program(two_steps(300, 40))));
  CHECK_NOTHROW(lowered(parse_program(two_steps(40, 4))));
  const Program grids = first_of(parse_program(two_grids(150)));
  CHECK(goes(grids, Band::skewed));
  CHECK(has(grids, Op::MapVec));
}

TEST_CASE("space: stages over one axis go a tile of all of them at a time, and keep nothing but the tile") {
  const Program p = first_of(parse_program(line(1 << 20, 4)));
  CHECK(goes(p, Band::overlapped));
  CHECK_FALSE(goes(p, Band::skewed));
  CHECK(work_arrays(lowered(p)) == 0);
  const Program around = first_of(parse_program(line(1000003, 8, "wrap")));  // only what comes first wraps
  CHECK(goes(around, Band::overlapped));
  CHECK(work_arrays(lowered(around)) == 0);
  CHECK_FALSE(goes(first_of(parse_program(line(4096, 4))), Band::overlapped));  // all of it is in a cache
}

TEST_CASE("space: what is made of rows that sums are about is made in one loop over rows") {
  const Kernel k = lowered(first_of(parse_program(normal_rows(512, 640))));
  CHECK(work_arrays(k) == 0);
}

TEST_CASE("space: what a definition reads twice is computed once") {
  const Program p = first_of(parse_program(powers(200)));
  const Program again = parse_program(powers(200));
  const auto sums = [](const Program& program) {
    std::size_t n = 0;
    std::function<void(const Expr&)> count = [&](const Expr& e) {  // by places, not by nodes
      n += is_reduce(e.op()) && e.type().is_scalar();
      for (const Expr& c : e.children()) count(c);
    };
    count(program.body);
    return n;
  };
  CHECK(sums(again) > 8);
  CHECK(has(p, Op::Let));
}

TEST_CASE("space: columns whose number no tile divides have tiles and the rest by itself") {
  const Program p = parse_program(sums_of_columns(100, 1714));
  const Space s(p, options());
  const Derivation d = s.derive(s.seeds().front());
  CHECK(std::any_of(d.begin(), d.end(), [](const Step& step) { return step.rule == "map-rest"; }));
  CHECK(std::any_of(d.begin(), d.end(), [](const Step& step) { return step.rule == "map-vec"; }));
}

}  // namespace space_definitions_test
