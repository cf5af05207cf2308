// Compulsory traffic against the numbers of the literature (000, section 5.2; write-allocate counted).
#include "tuning/traffic.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "ir/expr/build.hpp"
#include "ir/text/parse.hpp"
#include "patterns/operators.hpp"

using namespace lift;

namespace traffic_test {
namespace {

Traffic smoother_traffic(const std::string& smoother, const std::string& boundary, Scalar type = f64) {
  Problem problem;
  problem.box = 16, problem.boxes = 2, problem.boundary = boundary, problem.type = type;
  problem.choices["smoother"] = smoother;
  return traffic(smooth3d().build(problem));
}

}  // namespace

TEST_CASE("traffic: bytes a cell of the variable-coefficient smoothers") {
  for (const char* boundary : {"ghost", "periodic", "dirichlet"}) {
    CAPTURE(boundary);
    CHECK(smoother_traffic("gsrb", boundary).bytes_per_cell() == doctest::Approx(64));
    CHECK(smoother_traffic("jacobi", boundary).bytes_per_cell() == doctest::Approx(72));
    CHECK(smoother_traffic("jacobi", boundary, f32).bytes_per_cell() == doctest::Approx(36));
  }
}

TEST_CASE("traffic: loops at borders, whose lengths are known for more positions than are enumerated") {
  const Program p = parse_program(
      "param xs : 65536.f32\nresult ys : 65536.f32 = xs |> pad(6, 6, clamp) |> slide(13, 1) |> map(\\tile. "
      "tile |> slide(7, 1) |> join |> reduce(add, 0))\n");
  CHECK(traffic(p).bytes_per_cell() == doctest::Approx(12).epsilon(0.01));  // a store fetches first
}

TEST_CASE("traffic: bytes a cell of the other stencil operators, in any dimension") {
  const auto bytes = [](const std::string& name, const std::map<std::string, std::string>& choices = {},
                        Scalar type = f64, const std::string& boundary = "ghost") {
    Problem p;
    p.box = 16, p.boxes = 2, p.ghost = 2, p.type = type, p.boundary = boundary, p.choices = choices;
    return doctest::Approx(traffic(find_pattern(name).build(p)).bytes_per_cell()).epsilon(1e-9);
  };
  using Choices = std::map<std::string, std::string>;
  const Choices constant{{"coefficients", "constant"}},
      jacobi{{"coefficients", "constant"}, {"smoother", "jacobi"}};
  for (const char* boundary : {"ghost", "periodic", "dirichlet-value", "neumann", "constant"}) {
    CAPTURE(boundary);
    CHECK(32 == bytes("smooth3d", constant, f64, boundary));
    CHECK(40 == bytes("smooth3d", jacobi, f64, boundary));
    CHECK(20 == bytes("smooth3d", jacobi, f32, boundary));
    CHECK(64 == bytes("residual3d", {}, f64, boundary));
    CHECK(32 == bytes("residual3d", constant, f64, boundary));
    CHECK(56 == bytes("apply3d", {}, f64, boundary));
  }
  for (const char* stencil : {"wide", "box"}) {
    Choices c = jacobi;
    c["stencil"] = stencil;
    CHECK(40 == bytes("smooth3d", c));
    CHECK(40 == bytes("smooth1d", c));
  }
  CHECK(72 == bytes("smooth3d", {{"smoother", "chebyshev"}}));  // as Jacobi; prev is read and written
  CHECK(56 == bytes("smooth2d"));                               // one beta less a dimension
  CHECK(48 == bytes("smooth1d"));
  CHECK(48 == bytes("lambda3d"));
}

TEST_CASE("traffic: cells and flops") {
  const Traffic t = smoother_traffic("jacobi", "ghost");
  CHECK(t.cells == 2 * 16 * 16 * 16);
  // a*alpha*phi: 2; six faces: a difference and a product each: 12, summed: 5; b/h^2: 1; two subtractions;
  // w*lambda: 2; +: 1
  CHECK(t.flops_per_cell() == doctest::Approx(25));
  CHECK(smoother_traffic("gsrb", "ghost").flops_per_cell() == doctest::Approx(12));
}

TEST_CASE("traffic: transfer between grids, several results, reductions") {
  const auto build = [](const std::string& name, const std::map<std::string, std::string>& choices = {}) {
    Problem p;
    p.box = 16, p.boxes = 2, p.choices = choices;
    return traffic(find_pattern(name).build(p));
  };
  // a coarse cell: eight fine cells read, one written (and fetched before)
  const Traffic restriction = build("restriction3d");
  CHECK(restriction.bytes_per_cell() == doctest::Approx(8 * 8 + 16));
  CHECK(restriction.flops_per_cell() == doctest::Approx(8));
  const Expr xs = param("xs", array({64, 32}, f64));
  const auto plus = [](Expr a, Expr b) { return a + b; };
  const Expr sum =
      reduce(fun({f64, f64}, plus), literal(0, f64), join(xs) | map([](Expr x) { return x * x; }));
  const Traffic norm = traffic({"p", {xs}, sum, {}, {}});
  CHECK(norm.cells == 64 * 32);
  CHECK(norm.bytes_per_cell() == doctest::Approx(8).epsilon(0.01));
  CHECK(norm.flops_per_cell() == doctest::Approx(2));
  const Traffic two =
      traffic({"p",
               {xs},
               xs | map([](Expr r) { return r | map([](Expr x) {
                                              return tuple({x, x + 1.0});
                                            }); }),
               {},
               {}});
  CHECK(two.bytes_per_cell() == doctest::Approx(8 + 2 * 16));
}

TEST_CASE("traffic: programs in several steps are counted by what they return") {
  Problem p;
  p.box = 16, p.boxes = 2;
  const Traffic solver = traffic(thomas().build(p)), diffusion = traffic(horizontal_diffusion().build(p));
  CHECK(solver.cells == 2 * 16 * 16 * 16);
  CHECK(solver.flops_per_cell() == doctest::Approx(9));
  CHECK(solver.bytes_per_cell() == doctest::Approx(48));  // four arrays read, one fetched and written
  CHECK(diffusion.cells == 2 * 16 * 16 * 16);
  CHECK(
      diffusion.bytes_per_cell() ==
      doctest::Approx(32));  // two arrays read, one fetched and written; the Laplacian's halo does not count
}

TEST_CASE("traffic: chains of stages are counted by what all of them read, in time that grows as they do") {
  const Expr u = param("u", array({32, 32, 32}, f64)), f = param("f", array({30, 30, 30}, f64)),
             cold = param("cold", array({32, 32, 32}, f64));
  const auto star = [](const Expr& x, const Expr& y) {
    return zip_n(3, {x | slide3(3, 1), y}) | map3([](Expr p) {
             const Expr w = get(0, p);
             return w[1][1][1] +
                    0.1 * (w[0][1][1] + w[2][1][1] + w[1][0][1] + w[1][2][1] + get(1, p) - w[1][1][1]);
           });
  };
  const auto step = [&](const Expr& x, const Expr& base) { return update(base, {1, 1, 1}, star(x, f)); };
  const std::function<Expr(Expr, int)> chain = [&](const Expr& x, int stages) {
    return stages == 1 ? step(x, x) : let(step(x, x), [&, stages](Expr y) { return chain(y, stages - 1); });
  };
  const Traffic one = traffic({"one", {u, f}, chain(u, 1), {}, {}});
  for (const int stages : {2, 3, 12}) {
    CAPTURE(stages);
    const Traffic all = traffic({"chain", {u, f}, chain(u, stages), {}, {}});
    CHECK(all.bytes == doctest::Approx(one.bytes).epsilon(1e-9));
    CHECK(all.flops == doctest::Approx(stages * one.flops));
    CHECK(all.cells == one.cells);
  }
  // What only an early stage reads counts: its border alone, all of it.
  const auto ending = [&](const Expr& first) {
    return traffic({"late",
                    {u, f, cold},
                    let(first, [&](Expr x) { return let(step(x, x), [&](Expr y) { return step(y, y); }); }),
                    {},
                    {}});
  };
  CHECK(ending(step(u, u)).bytes == doctest::Approx(one.bytes));
  CHECK(ending(step(u, cold)).bytes > one.bytes);
  CHECK(ending(zip_n(3, {u, cold}) | map3([](Expr p) { return get(0, p) * get(1, p); })).bytes ==
        doctest::Approx(one.bytes + 8.0 * 32 * 32 * 32));
}

TEST_CASE("traffic: of updates of updates, each made of what the one before has left") {
  const auto moved = [](const std::string& last) {
    return parse_program(
        "param u : 9.7.f64\noverwrite u\ndef top(u) = update2(u, (0, 0), u |> drop2((1, 0), (7, 0)))\n"
        "result = update2(top(u), 0, top(u) |> " +
        last + ")\n");
  };
  for (const std::string last : {"drop2((0, 1), (0, 5))", "reverse2"}) {
    CAPTURE(last);
    const Traffic t = traffic(moved(last));
    CHECK(t.bytes >= 2 * 8 * 7);
    CHECK(t.bytes <= 6 * 8 * 63);
  }
}

}  // namespace traffic_test
