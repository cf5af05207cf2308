// Traffic twins: what they read and write, run in the loop language.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <set>

#include "ir/expr/build.hpp"
#include "lower/lower.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::twin_test {
namespace {

/// Runs every twin of the program on ones; returns how many there are. None may leave the arrays or race.
std::size_t run_twins(const Program& p, std::size_t results) {
  const std::vector<Kernel> twins = lower_traffic_twins(p);
  for (const Kernel& k : twins) {
    test::LoopRunner loops;
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array())
        loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()),
                                    a.read && !a.written ? 1.0 : std::nan(""));
    loops.run(k);
    CHECK_MESSAGE(loops.races.empty(), loops.races.front(), "\n", str(k));
    CHECK(k.results.size() == results);
    for (const KernelArgument& a : k.arguments)
      if (a.work)
        for (const double x : loops.arrays[a.name]) CHECK(x > 0);  // every row was added up
  }
  return twins.size();
}

Expr plus(const Expr& a, const Expr& b) { return a + b; }
Expr total(const Expr& x) { return reduce(fun({f64, f64}, plus), literal(0, f64), x); }

}  // namespace

TEST_CASE("twins of reductions read every row once and keep one sum of each") {
  const Expr flat = param("xs", array({20011}, f64)), cube = param("xs", array({3, 40, 37}, f64));
  CHECK(run_twins({"p", {flat}, total(flat), {}, {}}, 1) >= 2);
  CHECK(run_twins({"p", {cube}, total(join(join(cube))), {}, {}}, 1) >= 2);
  const Expr nested = total(cube | map([](Expr plane) { return total(plane | map(total)); }));
  CHECK(run_twins({"p", {cube}, nested, {}, {}}, 1) >= 2);
  const Expr squares = total(join(join(cube)) | map([](Expr x) { return x * x; }));
  CHECK(run_twins({"p", {cube}, squares, {}, {}}, 1) >= 2);
}

TEST_CASE("twins keep the guards without which they would write beyond an array") {
  const Expr xs = param("xs", array({29}, f64));
  const Expr pairs = unzip(xs | map([](Expr x) { return tuple({x * 2.0, x + 1.0}); }));
  const Expr cut = let(pairs, [](Expr p) { return tuple({get(0, p) | drop(3, 0), get(1, p) | drop(0, 4)}); });
  CHECK(run_twins({"p", {xs}, cut, {}, {}}, 2) >= 2);
}

TEST_CASE("twins of programs with several results write all of them") {
  const Expr xs = param("xs", array({16, 64}, f64));
  const Expr both =
      tuple({xs | map([](Expr r) { return r | map([](Expr x) { return x * 2.0; }); }), xs | map(total)});
  for (const Kernel& k : lower_traffic_twins({"p",
                                              {xs},
                                              xs | map([](Expr r) {
                                                return r | map([](Expr x) { return tuple({x, x * 2.0}); });
                                              }),
                                              {},
                                              {}})) {
    std::set<std::string> written;
    visit(k.body, [&](const Stmt& s) {
      if (const auto* store = std::get_if<Store>(&s.v)) written.insert(store->array);
    });
    CHECK(written == std::set<std::string>{"out0", "out1"});
  }
  CHECK_NOTHROW(lower_traffic_twins({"p", {xs}, both, {}, {}}));
}

TEST_CASE("twins of programs that keep sums read the rows that they are made of") {
  const Expr m = param("m", array({8200, 33}, f64));  // in two chunks
  const Expr kept =
      let(m | map(total), [](Expr sums) { return sums | map([=](Expr x) { return x * sums[0]; }); });
  const Program p{"p", {m}, kept, {}, {}};
  REQUIRE(run_twins(p, 1) >= 2);
  std::size_t rows = 0;  // that are added up
  const std::vector<Kernel> twins = lower_traffic_twins(p);
  for (const KernelArgument& a : twins.front().arguments)
    if (a.work) rows = std::max(rows, static_cast<std::size_t>(*a.layout.size().constant()));
  CHECK(rows == 8200);
}

TEST_CASE("twins of programs that add up rows, and write beside the sums, write all of it") {
  const Expr one = param("one", array({20011}, f64)), m = param("m", array({6, 40, 33}, f64));
  const auto normalised = [](const Expr& row) {
    return let(total(row), [=](Expr s) { return row | map([=](Expr x) { return x / s; }); });
  };
  struct Case {
    Program program;
    std::size_t loads, stores;  ///< of and in arrays of the program, at least
  };
  const std::vector<Case> cases{
      {{"row", {one}, normalised(one), {}, {}}, 2 * 20011, 20011},
      {{"rows", {m}, m | map([&](Expr p) { return p | map(normalised); }), {}, {}},
       std::size_t{6} * 40 * 33,
       std::size_t{6} * 40 * 33},
      {{"planes", {m}, m | map([&](Expr p) { return normalised(join(p)); }), {}, {}},
       std::size_t{6} * 40 * 33,
       std::size_t{6} * 40 * 33},
  };
  for (const Case& c : cases) {
    CAPTURE(c.program.name);
    CHECK(run_twins(c.program, 1) >= 2);
    for (const Kernel& k : lower_traffic_twins(c.program)) {
      test::LoopRunner loops;
      for (const KernelArgument& a : k.arguments)
        loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()),
                                    a.written ? std::nan("") : 1.0);
      loops.run(k);
      const std::string& out = k.results.at(0);
      for (const double x : loops.arrays[out]) REQUIRE(!std::isnan(x));
      CHECK(loops.loads[param_name(c.program.arguments[0])] >= c.loads);
    }
  }
}

TEST_CASE("twins of gathers read the array once, and what the positions are made of") {
  const Expr x = param("x", array({50, 40}, f64)), at = param("at", array({60}, i32));
  const Expr taken = at | map([&](Expr i) {
                       return gather({i, i + 1}, x, clamp) + gather({i % 50, literal(3, i32)}, x);
                     });
  for (const Kernel& k : lower_traffic_twins({"p", {x, at}, taken, {}, {}})) {
    test::LoopRunner loops;
    for (const KernelArgument& a : k.arguments)
      loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 1);
    loops.run(k);
    CHECK(loops.loads["at"] == 60);
    CHECK(loops.loads["x"] >= 50 * 40);
    CHECK(loops.loads["x"] < 50 * 40 + 200);
  }
}

TEST_CASE("twins overwrite nothing that all iterations of a map have before them") {
  const Expr xs = param("xs", array({40}, f64)), u = param("u", array({40}, f64));
  const auto updated = [&](const Expr& base) {
    return xs | map([&](Expr x) {
             return x + update(base, {Nat(0)}, xs | map([&](Expr y) { return y * x; }))[0];
           });
  };
  CHECK(run_twins({"p", {xs, u}, updated(u), {"u"}, {}}, 1) >= 2);
  CHECK(run_twins({"p", {xs, u}, let(u, updated), {"u"}, {}}, 1) >= 2);
  const auto rows = [&](const Expr& base) {  // each of them is stored
    return xs | map([&](Expr x) {
             return update(base, {Nat(1)}, xs | drop(1, 1) | map([&](Expr y) { return y * x; }));
           });
  };
  CHECK(run_twins({"p", {xs, u}, rows(u), {"u"}, {}}, 1) >= 2);
  CHECK(run_twins({"p", {xs, u}, let(u, rows), {"u"}, {}}, 1) >= 2);
}

TEST_CASE("twins of arrays that are updated from themselves end") {
  const Expr xs = param("xs", array({40}, f64)), u = param("u", array({40}, f64));
  const auto smoothed = [](const Expr& t) {
    return update(t, {1}, t | slide({Nat(3)}, {Nat(1)}) | map([](Expr w) { return w[0] + w[2]; }));
  };
  const auto rows = let(xs | map([](Expr x) { return x * 2.0; }), [&](Expr t) {
    return let(smoothed(t), [](Expr s) {
      return s | slide({Nat(3)}, {Nat(1)}) | map([](Expr w) { return w[0] * w[2]; });
    });
  });
  CHECK(run_twins({"p", {xs, u}, rows, {"u"}, {}}, 1) >= 2);
}

TEST_CASE("twins of chains are one nest over the results, however many stages there are") {
  const Expr u = param("u", array({24, 20}, f64));
  const auto step = [](const Expr& x) {
    return update(x, {1, 1},
                  x | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] + w[1][0] + w[1][2]; }));
  };
  const std::function<Expr(Expr, int)> chain = [&](const Expr& x, int stages) {
    return stages == 1 ? step(x) : let(step(x), [&, stages](Expr y) { return chain(y, stages - 1); });
  };
  for (const int stages : {2, 9}) {
    const Program p{"chain", {u}, chain(u, stages), {}, {}};
    CHECK(run_twins(p, 1) >= 2);
    for (const Kernel& k : lower_traffic_twins(p)) {
      CHECK(k.arguments.size() == 2);
      visit(k.body, [](const Stmt& s) { CHECK(!std::holds_alternative<Allocate>(s.v)); });
    }
  }
}

}  // namespace lift::twin_test
