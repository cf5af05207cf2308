// The space of variants: of the smoothers and of programs it has never seen.
#include <doctest/doctest.h>

#include <set>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "patterns/operators.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_test {
namespace {

Program smoother(const std::string& kind, std::int64_t box, std::int64_t boxes = 2) {
  Problem p;
  p.box = box, p.boxes = boxes, p.choices = {{"smoother", kind}};
  return smooth3d().build(p);
}
/// 9-point average of the interior of an n x m array.
Program blur(std::int64_t n, std::int64_t m) {
  const Expr x = param("x", array({Nat(n), Nat(m)}, f64));
  const auto mean = [](Expr w) {
    Expr sum = w[0][0];
    for (int c = 1; c < 9; ++c) sum = sum + w[c / 3][c % 3];
    return sum / 9.0;
  };
  return {"blur", {x}, x | slide2(3, 1) | map2(mean), {}};
}
/// Red-black relaxation of one small box, longest along j.
Program red_black(std::int64_t nk, std::int64_t nj, std::int64_t ni) {
  const Expr phi = param("phi", array({Nat(nk + 2), Nat(nj + 2), Nat(ni + 2)}, f64)),
             color = index_param("color", 0, 1);
  const auto cell = [&](Expr at, Expr w) {
    const Expr mean = (w[0][1][1] + w[2][1][1] + w[1][0][1] + w[1][2][1] + w[1][1][0] + w[1][1][2]) / 6.0;
    return select(eq((get(0, at) + get(1, at) + get(2, at) + color) % 2, 0), mean, w[1][1][1]);
  };
  const Expr block = zip_n(3, {positions({Nat(nk), Nat(nj), Nat(ni)}), phi | slide3(3, 1)}) | map3(cell);
  return {"red_black", {phi, color}, update(phi, {1, 1, 1}, block), {"phi"}};
}
Program line(std::int64_t n) {
  const Expr x = param("x", array({Nat(n)}, f64));
  return {"line", {x}, x | slide(3, 1) | map([](Expr w) { return w[0] + w[1] + w[2]; }), {}};
}
Program squares(std::int64_t n) {
  const Expr x = param("x", array({Nat(n)}, f64));
  return {"squares", {x}, x | map([](Expr e) { return e * e; }) | sum(), {}};
}

}  // namespace

TEST_CASE("space: loops for threads are there whether a stage is stored or computed where it is used") {
  // The stage has a plane more than the result, of which there is one: its outer loop does not run once.
  const Program p = parse_program(
      "program stages\n"
      "param p0 : 1.6.2.f32\nparam p1 : 1.6.2.i32\nparam p4 : 1.6.2.f32\noverwrite p1\n"
      "result = let xs = zip3(p0 |> pad3(1, 0, mirror) |> slide3(2, 1), p1) |> map3(\\(w, x). x)\n"
      "         in p4 |> map3(\\x. abs(x))\n",
      "stages.lift");
  const Space space(p, options());
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) CHECK_NOTHROW(random_configuration(space, random));
}

TEST_CASE("space: the red-black smoother") {
  const Space s(smoother("gsrb", 64, 64), options(Target::openmp, 64));
  CHECK(has(s, "in_place", "yes"));
  CHECK(has(s, "layout", "split 3 1"));
  CHECK(has(s, "layout", "rows 8 1"));
  CHECK(has(s, "tile", "k8 j16"));
  CHECK(has(s, "parallel", "box k"));
  CHECK(has(s, "order", "j k"));
  CHECK(has(s, "inner", "strided vec"));
  CHECK(has(s, "width", "16"));
  const auto seeds = s.seeds();
  CHECK(seeds.size() >= 12);
  std::set<std::string> structures;
  for (const Configuration& c : seeds) structures.insert(s.structure(c));
  CHECK(structures.size() >= 8);
  CHECK(seeds[0].at("inner") == "vec");
  CHECK(s.layout(seeds[0]).empty());
  CHECK(s.structure(seeds[0]) == "in place, masked vec, late store");
  CHECK(s.layout(seeds[1]).rfind("split 3 ", 0) == 0);
  const Derivation d = s.derive(seeds[1]);
  CHECK(count(d, "update-in-place") == 1);
  CHECK(count(d, "map-par") == 1);
  CHECK(count(d, "strided") == 1);
  CHECK(count(d, "layout") == 1);
}

TEST_CASE("space: choices agree with the choices before them") {
  const Space s(smoother("gsrb", 64, 64), options(Target::openmp, 64));
  const Configuration split{{"in_place", "yes"}, {"layout", "split 3 1"}};
  CHECK(s.allowed_texts(split, "inner") == Values{"strided", "strided vec"});
  CHECK(s.allowed_texts({{"in_place", "no"}}, "layout") == Values{"caller", "rows 8 1"});
  CHECK(s.allowed_texts({{"in_place", "no"}}, "inner") == Values{"seq", "vec"});
  CHECK(s.allowed_texts({{"inner", "seq"}}, "late") == Values{"0"});
  CHECK(s.allowed_texts({{"in_place", "yes"}, {"inner", "vec"}}, "stream") == Values{"0"});
  CHECK(s.allowed_texts({{"in_place", "no"}, {"inner", "vec"}}, "stream") == Values{"0", "1"});
  CHECK(s.allowed_texts({{"in_place", "yes"}, {"tile", "j16"}}, "parallel") == Values{"box", "box jj"});
  CHECK(s.allowed_texts({{"in_place", "no"}}, "parallel") == Values{"box", "k", "k j"});
  CHECK_THROWS_AS(s.allowed_texts({}, "colour"), UserError);
  CHECK_THROWS_AS(s.derive({{"colour", "red"}}), UserError);
  CHECK_THROWS_AS(s.derive({{"in_place", "no"}, {"layout", "split 3 1"}}), UserError);
}

TEST_CASE("space: one box is spread over its planes") {
  const Space s(smoother("gsrb", 64, 1), options());
  CHECK(s.allowed_texts({}, "parallel") == std::vector<std::string>{"k", "k j"});
  CHECK(s.allowed_texts({{"order", "j k"}}, "parallel") == std::vector<std::string>{"j", "j k"});
  const Derivation d = s.derive({{"parallel", "k"}});
  CHECK(count(d, "map-par") == 1);
}

TEST_CASE("space: every seed and random choices of the smoothers keep the meaning") {
  check_space(smoother("gsrb", 4), options(), 5, 10);
  check_space(smoother("jacobi", 3), options(), 5, 6);
}

TEST_CASE("space: tiles and grids of a small red-black box keep the meaning") {
  CHECK(has(Space(red_black(2, 9, 5), options()), "tile", "j8"));
  check_space(red_black(2, 9, 5), options(), 15, 12);
  check_space(red_black(1, 5, 33), options(Target::opencl), 5, 5);
}

TEST_CASE("space: choosing in order never comes to a dead end") {
  std::mt19937 random(11);
  for (const Program& p :
       {smoother("gsrb", 32, 8), smoother("gsrb", 32, 1), smoother("jacobi", 16, 1), red_black(4, 300, 40),
        red_black(1, 1, 1), blur(40, 600), blur(3, 3), line(100000), line(3)})
    for (const Target target : {Target::openmp, Target::opencl}) {
      const Space s(p, options(target, 32));
      for (int i = 0; i < 60; ++i) {
        const Configuration c = random_configuration(s, random);
        CHECK(replay(p, s.derive(c)).body.type() == p.body.type());
        CHECK_FALSE(s.structure(c).empty());
      }
    }
}

TEST_CASE("space: programs it has never seen") {
  SUBCASE("a 2D stencil") {
    const Space s(blur(11, 19), options());
    CHECK(has(s, "parallel", "j"));
    CHECK(has(s, "tile", "j8"));
    CHECK(find(s, "in_place") == nullptr);
    CHECK(find(s, "order") == nullptr);
    CHECK_FALSE(has(s, "inner", "strided"));
    check_space(blur(11, 19), options(), 20, 5);
    check_space(blur(11, 19), options(Target::opencl), 10, 2);
  }
  SUBCASE("one loop is both parallel and vectorised only in chunks") {
    const Space s(line(130), options());
    CHECK(has(s, "tile", "i64"));
    CHECK(s.allowed_texts({{"tile", "none"}}, "parallel") == std::vector<std::string>{"none"});
    CHECK(s.allowed_texts({{"tile", "i64"}}, "parallel") == std::vector<std::string>{"ii"});
    check_space(line(130), options(), 8, 3);
    check_space(line(130), options(Target::opencl), 5, 2);
  }
  SUBCASE("a number has no loops to decide on") {
    const Space s(squares(8), options());
    CHECK(s.parameters().empty());
    CHECK(s.derive({}).empty());
    CHECK(s.seeds().size() == 1);
    CHECK(Space(squares(8), options(Target::opencl)).derive({}).empty());
  }
  SUBCASE("f32 doubles the lanes; the caller's layout only") {
    SpaceOptions o = options();
    o.only_layout = kCallersLayout;
    Problem p;
    p.box = 16, p.boxes = 2, p.type = f32;
    const Space s(smooth3d().build(p), o);
    CHECK(has(s, "width", "4"));
    CHECK(find(s, "layout") == nullptr);
    CHECK_FALSE(has(s, "inner", "strided vec"));
  }
}

TEST_CASE("rules about programs: in place and layouts keep the meaning") {
  for (const char* kind : {"gsrb", "jacobi"}) {
    const Program p = smoother(kind, 4);
    const auto values = values_of(p, 3);
    const Value expected = interpret(p.body, values);
    for (const char* steps :
         {"update-in-place at body", "layout rows 4 1 at body", "layout split 3 2 at body",
          "layout rows 4 1 rhs at body\nlayout split 2 4 phi alpha at body",
          "update-in-place at body\nlayout split 3 4 at body"}) {
      const Program q = replay(p, parse_derivation(steps));
      CHECK_FALSE(q.body == p.body);
      CHECK_MESSAGE(identical(interpret(q.body, values), expected), kind << ": " << steps);
    }
    CHECK_THROWS_AS(replay(p, parse_derivation("layout rows 4 1 rhs at body\nlayout split 3 4 rhs at body")),
                    UserError);
    CHECK_THROWS_AS(replay(p, parse_derivation("layout rows 4 1 rho at body")), UserError);
    CHECK_THROWS_AS(replay(p, parse_derivation("layout split 5 1 at body")), UserError);
    CHECK_THROWS_AS(replay(p, parse_derivation("update-in-place at body\nupdate-in-place at body")),
                    UserError);
  }
}

TEST_CASE("a stencil that reads what it overwrites is not updated in place") {
  const Expr u = param("u", array({Nat(10)}, f64));
  const Program p{
      "smear", {u}, update(u, {1}, u | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; })), {"u"}};
  CHECK_THROWS_AS(replay(p, parse_derivation("update-in-place at body")), UserError);
  const Space s(p, options());
  CHECK(find(s, "in_place") == nullptr);
  check_space(p, options(), 10, 2);
}

namespace {

/// A red-black sweep of a line, one colour or the other, and the sum of neighbours; not red-black, of another
/// array.
Expr half_sweep(const Expr& x, std::int64_t n, int color) {
  const auto cell = [&](Expr i, Expr w) {
    return select(eq((i + nat_value(color)) % 2, 0), (w[0] + w[2]) * 0.5, w[1]);
  };
  return update(x, {1}, zip({iota(n), x | slide(3, 1)}) | map(cell));
}
int in_place_updates(const Program& p) {
  int n = 0;
  visit(p.body, [&](const Expr& e) { n += e.is(Op::UpdateInPlace); });
  return n;
}

}  // namespace

TEST_CASE("space: sweeps one after the other are in place, and all of their loops are decided") {
  const std::int64_t n = 40;
  const Expr x = param("x", array({Nat(n + 2)}, f64));
  const Program both{.name = "both",
                     .arguments = {x},
                     .body = let(half_sweep(x, n, 0), [&](Expr a) { return half_sweep(a, n, 1); }),
                     .overwritable = {"x"},
                     .results = {}};
  const Space s(both, options());
  CHECK(s.allowed_texts({}, "in_place").front() == "yes");
  CHECK(in_place_updates(replay(both, s.derive({}))) == 2);
  CHECK(count(s.derive({{"inner", "vec"}}), "map-vec") == 2);
  check_space(both, options(), 6, 3);
}

TEST_CASE("space: several results are each updated in place") {
  const std::int64_t n = 40;
  const Expr x = param("x", array({Nat(n + 2)}, f64)), y = param("y", array({Nat(n)}, f64)),
             z = param("z", array({Nat(n / 2)}, f64));
  const Expr mean = x | slide(3, 1) | map([](Expr w) { return w[0] + w[2] - 2.0 * w[1]; });
  const auto two = [&](const Expr& second) {
    return let(mean, [&](Expr r) {
      return tuple({update(y, {Nat(0)}, r),
                    update(second, {Nat(0)}, map([](Expr w) { return w[0] + w[1]; }, split({Nat(2)}, r)))});
    });
  };
  const Program p{
      .name = "two", .arguments = {x, y, z}, .body = two(z), .overwritable = {"y", "z"}, .results = {}};
  const Space s(p, options());
  CHECK(s.allowed_texts({}, "in_place").front() == "yes");
  CHECK(in_place_updates(replay(p, s.derive({}))) == 2);
  CHECK(count(s.derive({{"inner", "vec"}}), "map-vec") == 2);
  check_space(p, options(), 6, 3);
  // of each of several boxes; an array that another result reads is not overwritten
  const Expr xs = param("xs", array({Nat(3), Nat(n)}, f64)), ys = param("ys", array({Nat(3), Nat(n)}, f64));
  const auto scaled = [](Expr from, Expr to, double a) {
    return update(to, {Nat(0)}, map([a](Expr e) { return e * a; }, from));
  };
  const auto boxes = [&](bool crossed) {
    const Expr body = map(
        [&](Expr a, Expr b) {
          return tuple({scaled(a, a, 2.0), scaled(crossed ? a : b, b, 3.0)});
        },
        zip({xs, ys}));
    return Program{
        .name = "boxes", .arguments = {xs, ys}, .body = body, .overwritable = {"xs", "ys"}, .results = {}};
  };
  CHECK(in_place_updates(replay(boxes(false), parse_derivation("update-in-place at body"))) == 2);
  CHECK(Space(boxes(false), options()).allowed_texts({}, "parallel") ==
        Values{"j"});  // around both loops over i
  CHECK_THROWS_AS(replay(boxes(true), parse_derivation("update-in-place at body")), UserError);
}

TEST_CASE("space: of updates within each other the outermost writes the result") {
  // Found by a random program: the one within it was taken, and its base was not to be overwritten.
  for (const std::string inner : {"b", "c |> map(\\x. 2 * x)"})
    for (const std::string may : {"a", "b", "a, b"}) {
      const Program p = parse_program("param a : 9.f64\nparam b : 7.f64\nparam c : 5.f64\noverwrite " + may +
                                      "\nresult = update(a, 1, update(b, 0, " + inner + "))\n");
      CAPTURE(str(p.body) + ", overwrite " + may);
      const auto in_place = [&] { return replay(p, parse_derivation("update-in-place at body")); };
      if (may == "b") {
        CHECK_THROWS_AS(in_place(), UserError);
      } else {
        CHECK(in_place().body.is(Op::UpdateInPlace));
        CHECK(in_place_updates(in_place()) == 1);
      }
      check_space(p, options(), 6, 1);
    }
}

TEST_CASE("space: borders are written in place, whether a map computes them or not") {
  for (const std::string mapped : {"", " |> map2(\\x. x)"})
    for (const int n : {9, 40}) {
      const auto rows = [&](int less) { return std::to_string(n - less); };
      const Program p = parse_program(
          "param u : " + rows(0) + ".7.f64\noverwrite u\nresult =\n" +
          "let a = update2(u, (0, 0), u |> drop2((1, 0), (" + rows(2) + ", 0))" + mapped + ") in\n" +
          "let b = update2(a, (" + rows(1) + ", 0), a |> drop2((" + rows(2) + ", 0), (1, 0))" + mapped +
          ") in\n" + "let c = update2(b, (0, 0), b |> drop2((0, 1), (0, 5))" + mapped + ") in\n" +
          "update2(c, (0, 6), c |> drop2((0, 5), (0, 1))" + mapped + ")\n");
      CAPTURE(rows(0) + mapped);
      const Space s(p, options());
      CHECK(in_place_updates(replay(p, s.derive({}))) == 4);
      // few elements: no threads wait for one another in the first guess
      const std::string first = str(s.derive(s.seeds().at(0)));
      CHECK(first.find("wait-once") == std::string::npos);
      check_space(p, options(), 20, 1);
      for (const Target target : {Target::opencl, Target::cuda}) check_space(p, options(target), 10, 1);
    }
}

TEST_CASE("space: tiles fit into every sweep") {
  const Program p = parse_program(
      "param u : 300.300.f64\noverwrite u\nresult =\n"
      "let a = update2(u, (0, 0), u |> drop2((1, 0), (298, 0)) |> map2(\\x. 2 * x)) in\n"
      "update2(a, (0, 0), a |> drop2((0, 1), (0, 298)) |> map2(\\x. 2 * x))\n");
  const Space s(p, options());
  const Parameter* tiles = find(s, "tile");
  for (const Setting& tile : tiles == nullptr ? Settings{} : tiles->values) {
    Configuration c;
    c.set(*tiles->key, tile);
    CHECK_NOTHROW(s.derive(c));
  }
  for (const Configuration& c : s.seeds()) CHECK_NOTHROW(s.derive(c));
}

TEST_CASE("space: updates side by side, beside results that are several arrays each") {
  // Found by random programs: an array of tuples is several results, but one place.
  const Program p = parse_program(
      "param u : 9.f64\nparam v : 7.f32\noverwrite u, v\nresult =\n"
      "let xs = u |> slide(3, 1) |> map(\\w. {w[0], w[2]}) in\n"
      "{xs, update(u, 0, u |> drop(1, 7)), xs |> map(\\x. {x.1, {x.0, x.1}}),\n"
      " update(v, 6, v |> drop(0, 6))}\n");
  const Space s(p, options());
  CHECK(count(s.derive({}), "identity-map") == 2);
  const auto values = values_of(p, 1);
  check_configuration(s, {}, interpret(p.body, values), values);
}

TEST_CASE("space: an update of what another argument has replaced altogether is not in place") {
  // Found by a random program: its base has p1's elements, and is not p1.
  const Program p = parse_program(
      "param p2, p1 : 6.bool\nparam p0 : 9.bool\noverwrite p1\n"
      "result = update(update(p2, 0, p1), 0, p0 |> slide(4, 1) |> map(\\w. f32(w[2]) == f32(w[0])))\n");
  CHECK_THROWS_AS(replay(p, parse_derivation("update-in-place at body")), UserError);
  check_space(p, options(), 6, 1);
}

}  // namespace space_test
