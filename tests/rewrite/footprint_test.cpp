// Footprints and in-place safety, of smooth3d and of small programs made to be on either side of the line.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/footprint.hpp"

using namespace lift;

namespace footprint_test {
namespace {

Problem problem(const std::string& smoother, const std::string& boundary, std::int64_t box = 6,
                std::int64_t ghost = 1) {
  Problem p;
  p.box = box, p.boxes = 2, p.ghost = ghost, p.boundary = boundary;
  p.choices = {{"smoother", smoother}};
  return p;
}
Program smoother(const std::string& kind, const std::string& boundary, std::int64_t box = 6,
                 std::int64_t ghost = 1) {
  return smooth3d().build(problem(kind, boundary, box, ghost));
}

using Offsets = std::vector<std::int64_t>;
std::set<Offsets> offsets_of(const Footprint& f, const std::string& array) {
  const auto& written = f.writes.begin()->second;
  std::set<Offsets> r;
  for (const auto& p : f.reads.at(array).positions) {
    Offsets o;
    for (std::size_t d = 0; d < p.size(); ++d)
      o.push_back(simplify(p[d] - written[d]).constant().value_or(99));
    r.insert(o);
  }
  return r;
}
const std::set<Offsets> seven_points{{0, 0, 0, 0}, {0, 0, 0, -1}, {0, 0, 0, 1}, {0, 0, -1, 0},
                                     {0, 0, 1, 0}, {0, -1, 0, 0}, {0, 1, 0, 0}};

/// out of place: u = update(u, 1, a function of 3-point windows over positions), in n elements with one ghost
/// a side.
Program line(const std::function<Expr(Expr index, Expr window)>& cell, Nat n = Nat::size("n", 1)) {
  const Expr u = param("u", array({n + 2}, f64));
  const Expr block = zip({iota(n), u | slide(3, 1)}) | map([&](Expr i, Expr w) { return cell(i, w); });
  return {"line", {u}, update(u, {1}, block), {"u"}};
}

}  // namespace

TEST_CASE("the half-sweep reads a 7-point star and writes every second element in place") {
  for (const char* boundary : {"ghost", "periodic", "dirichlet", "neumann"}) {
    CAPTURE(boundary);
    const Footprint f = footprint(smoother("gsrb", boundary));
    REQUIRE(f.writes.size() == 1);
    CHECK(f.writes.contains("phi"));
    CHECK(f.index.size() == 4);
    CHECK(f.guard.size() == 1);
    CHECK(f.flops == 24);
    CHECK(offsets_of(f, "phi") == seven_points);
    CHECK(f.reads.at("phi").stencil);
    CHECK(f.reads.at("phi").low == Offsets{0, -1, -1, -1});
    CHECK(f.reads.at("phi").high == Offsets{0, 1, 1, 1});
    CHECK(offsets_of(f, "beta_j") == std::set<Offsets>{{0, 0, 0, 0}, {0, 0, 1, 0}});
    CHECK(offsets_of(f, "alpha") == std::set<Offsets>{{0, 0, 0, 0}});
    CHECK(f.reads.size() == 7);
  }
}

TEST_CASE("Jacobi reads phi, writes next everywhere, and does not read next") {
  const Footprint f = footprint(smoother("jacobi", "ghost", 5, 2));
  CHECK(f.writes.contains("next"));
  CHECK(f.guard.empty());
  CHECK(offsets_of(f, "phi") == seven_points);
  CHECK(!f.reads.contains("next"));
  CHECK(f.flops == 25);
}

TEST_CASE("a new array is written as out; the halo of an asymmetric stencil") {
  const Nat n = Nat::size("n", 8);
  const Expr x = param("x", array({n}, f64));
  const Program p{
      "shifted", {x}, x | pad(3, 1, clamp) | slide(5, 1) | map([](Expr w) { return w[0] + w[4]; }), {}};
  const Footprint f = footprint(p);
  CHECK(f.writes.contains("out"));
  CHECK(f.reads.at("x").low == Offsets{-3});
  CHECK(f.reads.at("x").high == Offsets{1});
  CHECK(f.flops == 1);
  CHECK(why_not_in_place(p) == "the result is a new array, not an update of an argument");
}

TEST_CASE("what is no stencil says so") {
  const Expr x = param("x", array({Nat(8)}, f64));
  const Footprint f = footprint(
      {"reversed", {x}, generate({8}, [&](Expr i) { return at({7 - Nat(0)}, x) + cast(f64, i); }), {}});
  CHECK(!f.reads.at("x").stencil);
  CHECK(f.reads.at("x").low.empty());
}

TEST_CASE("red-black in place is proved for every boundary condition") {
  for (const std::int64_t box : {1, 2, 3, 4, 5, 64})
    for (const char* boundary : {"ghost", "periodic", "dirichlet", "neumann"}) {
      if (std::string(boundary) == "periodic" && box % 2 != 0) continue;
      CAPTURE(boundary);
      CAPTURE(box);
      CHECK(why_not_in_place(smoother("gsrb", boundary, box)) == "");
    }
  CHECK(why_not_in_place(smoother("gsrb", "ghost", 8, 3)) == "");
}

TEST_CASE("Jacobi into its own second array is safe; over its input it is refused with the reason") {
  CHECK(why_not_in_place(smoother("jacobi", "ghost")) == "");
  const Program p = line([](Expr, Expr w) { return (w[0] + w[2]) * 0.5; });
  CHECK(why_not_in_place(p) ==
        "u[i] is read for u[i + 1] but may be overwritten in the same sweep: no condition on the indices "
        "keeps readers and writers apart");
}

TEST_CASE("only the own element: safe without a guard") {
  CHECK(why_not_in_place(line([](Expr, Expr w) { return w[1] * 2.0; })) == "");
}

TEST_CASE("an argument that is still needed is refused") {
  Program p = line([](Expr, Expr w) { return w[1] * 2.0; });
  p.overwritable.clear();
  CHECK(why_not_in_place(p) == "u may not be overwritten: the caller needs its old contents");
}

TEST_CASE("an update that does not give the whole argument back is refused") {
  const Expr u = param("u", array({Nat(8)}, f64)), v = param("v", array({Nat(2), Nat(8)}, f64));
  const Expr zero = generate({2}, [](Expr i) { return cast(f64, i); });
  CHECK(why_not_in_place({"row", {v}, update(at({Nat(1)}, v), {1}, zero), {"v"}})
            .starts_with("the update's base is not"));
  CHECK(why_not_in_place({"scaled", {u}, update(u | map([](Expr x) { return x * 2.0; }), {1}, zero), {"u"}})
            .starts_with("the update's base is not"));
  CHECK(why_not_in_place({"plain", {u}, update(u, {1}, zero), {"u"}}) == "");
}

TEST_CASE("colourings in one dimension") {
  const auto coloured = [](const std::function<Expr(Expr)>& colour) {
    return line([&](Expr i, Expr w) { return select(eq(colour(i), 0), (w[0] + w[2]) * 0.5, w[1]); });
  };
  CHECK(why_not_in_place(coloured([](Expr i) { return i % 2; })) == "");
  CHECK(why_not_in_place(coloured([](Expr i) { return (i + 1) % 3; })) == "");
  CHECK(why_not_in_place(coloured([](Expr i) { return (i * 2) % 2; })) != "");
  CHECK(why_not_in_place(coloured([](Expr i) { return (i * 2) % 4; })) == "");
  CHECK(why_not_in_place(coloured([](Expr i) { return i / 2 % 2; })) != "");
}

TEST_CASE("select with its arms exchanged is a guard too, and a test on data is none") {
  CHECK(why_not_in_place(line([](Expr i, Expr w) { return select(eq(i % 2, 0), w[1], w[0] + w[2]); })) == "");
  CHECK(why_not_in_place(line([](Expr, Expr w) { return select(w[1] < 0.0, w[0] + w[2], w[1]); })) != "");
  // the neighbours are tested by every iteration, also by those of the other colour
  CHECK(why_not_in_place(
            line([](Expr i, Expr w) { return select(eq(i % 2, 0) && w[0] < 0.0, w[2], w[1]); })) != "");
  CHECK(why_not_in_place(
            line([](Expr i, Expr w) { return select(eq(i % 2, 0) && w[1] < 0.0, w[2], w[1]); })) == "");
}

TEST_CASE("a colouring under which neighbours along one axis share a colour is refused") {
  const Nat n = 6;
  const auto sweep = [&](const std::function<Expr(Expr, Expr, Expr)>& sum) {
    const Expr u = param("u", array({n, n, n}, f64));
    const Expr color = index_param("color", 0, 1);
    const Expr block =
        zip_n(3, {positions({n, n, n}), u | pad3(1, 1, mirror) | slide3(3, 1)}) | map3([&](Expr kji, Expr w) {
          const Expr around = w[1][1][0] + w[1][1][2] + w[1][0][1] + w[1][2][1] + w[0][1][1] + w[2][1][1];
          return select(eq((sum(get(0, kji), get(1, kji), get(2, kji)) + color) % 2, 0), around, w[1][1][1]);
        });
    return why_not_in_place({"sweep", {u, color}, update(u, {0, 0, 0}, block), {"u"}});
  };
  CHECK(sweep([](Expr k, Expr j, Expr i) { return i + j + k; }) == "");
  CHECK(sweep([](Expr k, Expr j, Expr i) { return i + 3 * j + k; }) == "");
  const std::string why = sweep([](Expr k, Expr j, Expr i) { return i + 2 * j + k; });
  CHECK(why.find("is read for u[k][j][i] but may be overwritten in the same sweep") != std::string::npos);
  CHECK(why.find("mod 2") != std::string::npos);
}

TEST_CASE("wrapping around an odd number of cells, and reading diagonal neighbours, is refused") {
  const auto ring = [](std::int64_t n) {
    const Expr u = param("u", array({Nat(n)}, f64));
    const Expr block = zip({iota(n), u | pad(1, 1, wrap) | slide(3, 1)}) |
                       map([](Expr i, Expr w) { return select(eq(i % 2, 0), w[0] + w[2], w[1]); });
    return why_not_in_place({"ring", {u}, update(u, {0}, block), {"u"}});
  };
  CHECK(ring(8) == "");
  CHECK(ring(2) == "");
  CHECK(ring(7) != "");

  const Nat n = 6;
  const Expr u = param("u", array({n + 2, n + 2}, f64));
  const auto plane = [&](int diagonal) {
    const Expr block =
        zip_n(2, {positions({n, n}), u | slide2(3, 1)}) | map2([&](Expr ji, Expr w) {
          return select(eq((get(0, ji) + get(1, ji)) % 2, 0), w[0][1] + w[2][diagonal], w[1][1]);
        });
    return why_not_in_place({"plane", {u}, update(u, {1, 1}, block), {"u"}});
  };
  CHECK(plane(1) == "");
  CHECK(plane(2) != "");
}

TEST_CASE("several results are in place when each overwrites its own base and none is read for another") {
  const Expr xs = param("xs", array({8}, f64)), fine = param("fine", array({10}, f64)),
             coarse = param("coarse", array({4}, f64));
  const auto why = [&](const std::function<Expr(Expr)>& block, std::vector<std::string> overwritable,
                       const Expr& base) {
    const Expr value = xs | map([](Expr x) { return x * 2.0; });
    const Expr body = let(value, [&](Expr r) {
      return tuple({update(fine, {1}, r), update(base, {0}, block(r))});
    });
    return why_not_in_place({"two", {xs, fine, coarse}, body, std::move(overwritable), {}});
  };
  const auto pairs = [](const Expr& r) { return r | slide(2, 2) | map([](Expr w) { return w[0] + w[1]; }); };
  CHECK(why(pairs, {"fine", "coarse"}, coarse) == "");
  CHECK(why(pairs, {"fine"}, coarse) == "coarse may not be overwritten: the caller needs its old contents");
  CHECK(why([&](Expr) { return pairs(drop({1}, {1}, fine)); }, {"fine", "coarse"}, coarse)
            .find("is read for another result") != std::string::npos);
  CHECK(why([&](Expr r) { return r; }, {"fine", "coarse"}, fine) == "fine is updated by two results");
}

TEST_CASE("loads far away: of a ghost cell safe, of a written element not") {
  const auto from = [](const Nat& p) {
    const Nat n = 8;
    const Expr u = param("u", array({n + 2}, f64));
    return why_not_in_place(
        {"from", {u}, update(u, {1}, u | drop(1, 1) | map([&](Expr x) { return x + at({p}, u); })), {"u"}});
  };
  CHECK(from(0) == "");
  CHECK(from(9) == "");
  CHECK(from(3) != "");
  CHECK(from(1) != "");  // the first and the last that are written
  CHECK(from(8) != "");
}

TEST_CASE("stages that are not stored are analysed up to a number of calls") {
  const auto chain = [](int stages) {
    Expr x = param("u", array({Nat(64)}, f64));
    for (int s = 0; s < stages; ++s)
      x = x | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] + w[1] + w[2]; });
    return Program{"chain", {param("u", array({Nat(64)}, f64))}, x, {}, {}};
  };
  CHECK(footprint(chain(4)).reads.size() == 1);
  CHECK_THROWS_WITH_AS(footprint(chain(30)), doctest::Contains("more than 20000 calls"), UserError);
}

}  // namespace footprint_test
