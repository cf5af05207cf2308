// Iterations become loops over their steps, with two arrays that take turns; the numbers are the
// interpreter's.
#include <doctest/doctest.h>

#include <set>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/known_number.hpp"
#include "ir/expr/view.hpp"
#include "lower/launches.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;
using namespace lift::test;

namespace iterate_test {
namespace {

Expr three_points(const Expr& x, const Expr& shift) {
  return x | pad(1, 1, clamp) | slide(3, 1) | map([=](Expr w) { return w[0] - w[1] + w[2] + shift; });
}
Expr smoothed(const Nat& times, const Expr& xs) {
  return iterate(times, fun(xs.type(), [](Expr x) { return three_points(x, literal(1, f64)); }), xs);
}
Expr numbered(const Nat& times, const Expr& xs) {
  return iterate(times, fun({i32, xs.type()}, [](Expr t, Expr x) { return three_points(x, cast(f64, t)); }),
                 xs);
}
std::size_t work_arrays(const Kernel& k) {
  std::size_t n = 0;
  visit(k.body, [&](const Stmt& s) { n += std::holds_alternative<Allocate>(s.v); });
  for (const KernelArgument& a : k.arguments) n += a.work;
  return n;
}

}  // namespace

TEST_CASE("any number of steps, with and without their numbers") {
  for (const std::int64_t n : {5, 50})
    for (const std::int64_t times : {0, 1, 2, 3, 4, 5, 8, 9, 16, 17}) {
      CAPTURE(n);
      CAPTURE(times);
      const Expr xs = param("xs", array({Nat(n)}, f64));
      CHECK(work_arrays(run(program({xs}, smoothed(times, xs)))) ==
            std::min<std::size_t>(2, times > 1 ? times - 1 : 0));
      run(program({xs}, numbered(times, xs)));
    }
}

TEST_CASE("the code does not grow with the number of steps") {
  const Expr xs = param("xs", array({Nat(100)}, f64));
  const Kernel k = lower(program({xs}, smoothed(16, xs)));
  CHECK(str(lower(program({xs}, smoothed(1000000, xs))).body).size() < str(k.body).size() + 100);
}

TEST_CASE("iterations in argument position, below maps, of numbers, and of ways of looking at an array") {
  const Expr xs = param("xs", array({Nat(40)}, f64)), rows = param("rows", array({Nat(3), Nat(40)}, f64));
  run(program({xs}, smoothed(5, xs) | slide(2, 1) | map([](Expr w) { return w[0] + w[1]; })));
  run(program({rows}, rows | map([](Expr row) { return numbered(6, row); })));
  run(program({xs},
              xs | map([](Expr x) {
                return iterate(100, fun({i32, f64}, [](Expr t, Expr y) { return cast(f64, t) - y; }), x);
              })));
  run(program({xs}, iterate(6, fun(xs.type(), [](Expr x) { return x | pad(1, 0, wrap) | drop(0, 1); }), xs) |
                        map([](Expr x) { return x * 2.0; })));
}

TEST_CASE("stages with names are stored, however many; others are refused with the number of calls") {
  const Expr u = param("u", array({Nat(64)}, f64));
  const auto stage = [](const Expr& x) {
    return x | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] + w[1] * 0.5 + w[2]; });
  };
  const std::function<Expr(const Expr&, int)> named = [&](const Expr& x, int stages) {
    return stages == 1 ? stage(x) : let(stage(x), [&, stages](Expr y) { return named(y, stages - 1); });
  };
  run(program({u}, named(u, 30)));
  CHECK_NOTHROW(Space(program({u}, named(u, 30)), {}));
  Expr piped = u;
  for (int s = 0; s < 12; ++s) piped = stage(piped);
  CHECK_THROWS_WITH_AS(lower(program({u}, piped)), doctest::Contains("more than 100000 calls"), UserError);
}

TEST_CASE("a number of steps that is known when the kernel runs") {
  const Expr steps = index_param("steps", 0, 9), xs = param("xs", array({Nat(40)}, f64)),
             few = param("few", array({Nat(5)}, f64)), rows = param("rows", array({Nat(3), Nat(40)}, f64));
  const Nat n = index_variable(steps);
  const auto parallel = [&](const Expr& x) {
    const Expr both = zip({x | pad(1, 0, wrap) | drop(0, 1), x});
    const auto less = [](Expr a, Expr b) { return a - b; };
    return map_with(Op::MapPar, 1, function_of(both.type().element(), less), both);
  };
  const auto staged = [&](Expr x) {
    return let(three_points(x, literal(1, f64)), [&](Expr y) { return three_points(y, x[3]); });
  };
  const auto pair = [&](Expr t) { return tuple({get(1, t), three_points(get(0, t), literal(2, f64))}); };
  const auto inner = [&](Expr x) {
    const Expr e = update(x, {1}, x | slide(3, 1) | map([](Expr w) { return w[1] * 2.0; }));
    return make(Op::UpdateInPlace, {e.child(0), e.child(1)}, e.attr());
  };
  for (std::int64_t t = 0; t < 8; ++t) {
    CAPTURE(t);
    const auto check = [&](std::vector<Expr> arguments, const Expr& body,
                           std::vector<std::string> overwritable = {}) {
      arguments.push_back(steps);
      return run(program(std::move(arguments), body, std::move(overwritable)), true, {{"steps", t}});
    };
    CHECK(work_arrays(check({xs}, smoothed(n, xs))) == 1);  // and the result
    check({few}, smoothed(n, few));
    check({xs}, numbered(2 * n + 1, xs));
    check({xs}, iterate(n, fun(xs.type(), parallel), xs));
    check({xs}, iterate(n, fun(xs.type(), staged), xs));
    check({few}, iterate(n, fun(few.type(), staged), few));
    check({xs}, let(three_points(xs, literal(3, f64)), [&](Expr y) { return numbered(n, y); }));
    check({xs}, smoothed(n, xs) | slide(2, 1) | map([](Expr w) { return w[0] + w[1]; }));
    check({xs}, smoothed(n, xs) | drop(3, 4));
    check({rows}, rows | map([&](Expr row) { return numbered(n, row); }));
    check({xs}, iterate(n, fun(tuple({xs, xs}).type(), pair), tuple({xs, xs | reverse()})));
    check({xs}, iterate(n, fun(xs.type(), inner), xs), {"xs"});
    check({xs}, xs | map([&](Expr x) {
                  return iterate(n, fun({i32, f64}, [](Expr s, Expr y) { return cast(f64, s) - y; }), x);
                }));
    check({xs}, iterate(n, fun(xs.type(), [](Expr x) { return x | pad(1, 0, wrap) | drop(0, 1); }), xs));
  }
}

TEST_CASE("steps over the grid are launches in a loop of the host's") {
  const Expr xs = param("xs", array({Nat(512)}, f64)), steps = index_param("steps", 0, 9);
  const auto grid = [&](const Nat& times) {
    return iterate(times,
                   fun(xs.type(),
                       [](Expr x) {
                         return map_with(Op::MapGlb, 1,
                                         fun(array({Nat(3)}, f64), [](Expr w) { return w[0] - w[1] + w[2]; }),
                                         x | pad(1, 1, clamp) | slide(3, 1), {0, 1, 0, 0});
                       }),
                   xs);
  };
  for (const std::int64_t times : {0, 1, 2, 7, 12, 13}) run(program({xs}, grid(times)));
  CHECK(launches(lower(program({xs}, grid(5000)))).size() == 4);  // first, two in turns, last
  const Kernel counted = lower(program({xs, steps}, grid(index_variable(steps))));
  CHECK(launches(counted).size() == 4);  // one too many for pairs, or the start; two in turns
  for (const Kernel& k : launches(counted)) {
    bool over_grid = false;
    visit(k.body, [&](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      over_grid |= f && f->kind == LoopKind::Glb;
    });
    CHECK(over_grid);
  }
}

TEST_CASE("steps over the grid that use a number made before them") {
  const Expr xs = param("xs", array({Nat(40)}, f64)), ys = param("ys", array({Nat(6)}, f64));
  const Expr number = ys[0] * ys[1] - ys[2];
  const Expr named = make(
      Op::Let, {number, function_of(f64, [&](Expr s) {
                  return iterate(Nat(9),
                                 fun(xs.type(),
                                     [&](Expr x) {
                                       return map_with(
                                           Op::MapGlb, 1,
                                           fun(array({Nat(3)}, f64),
                                               [&](Expr w) { return w[0] * s - w[1] + w[2] * s / 64.0; }),
                                           x | pad(1, 1, clamp) | slide(3, 1), {0, 1, 0, 0});
                                     }),
                                 xs);
                })});
  run(program({xs, ys}, named));
  for (const Kernel& k : launches(lower(program({xs, ys}, named)))) {
    std::set<std::string> made;
    visit(k.body, [&](const Stmt& x) {
      if (const auto* l = std::get_if<Let>(&x.v)) made.insert(l->local->name);
      if (const auto* d = std::get_if<Declare>(&x.v)) made.insert(d->local->name);
    });
    visit_terms(k.body, [&](const Term& t) {
      if (t->kind == TermKind::Local) CHECK_MESSAGE(made.contains(t->name), str(k));
    });
  }
}

TEST_CASE("what cannot be iterated is refused with the number") {
  const Expr xs = param("xs", array({Nat(512)}, f64));
  Views views;
  CHECK_THROWS_WITH_AS(views.eval(smoothed(16, xs), nullptr), doctest::Contains("16 steps are too many"),
                       UserError);
}

}  // namespace iterate_test
