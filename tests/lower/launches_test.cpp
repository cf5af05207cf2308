// Programs that take several launches on a grid: launched one after the other they give the interpreter's
// results, and no work-item needs what another one of its launch writes.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/view.hpp"
#include "lower/launches.hpp"
#include "lower/lower.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::launches_test {
namespace {

const Expr xs = param("xs", array({13}, f64)), ys = param("ys", array({13}, f64)),
           m = param("m", array({5, 9}, f64));

Program program(std::vector<Expr> arguments, const Expr& body, std::vector<std::string> overwritable = {}) {
  return {"p", std::move(arguments), body, std::move(overwritable), {}};
}
template <class F>
Expr grid(Op op, F f, const Expr& x, std::int64_t dim = 0) {
  return map_with(op, 1, function_of(x.type().element(), f), x, {dim, 1, 0, 0});
}
template <class F>
Expr glb(F f, const Expr& x, std::int64_t dim = 0) {
  return grid(Op::MapGlb, f, x, dim);
}
Expr to_global(const Expr& e) { return make(Op::ToGlobal, {e}); }
Expr twice(const Expr& x) { return x * 2.0; }
Expr total(const Expr& x) {
  return reduce(fun({f64, f64}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), x);
}
Expr neighbours(const Expr& x) { return slide({Nat(2)}, {Nat(1)}, x); }

/// Runs the launches of a program in order, against the interpreter; returns them.
std::vector<Kernel> run(const Program& p) {
  Interpreter in;
  test::LoopRunner loops;
  const Kernel k = lower(p);
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*Layout({}, a.type).size().constant()),
                                std::nan(""));
  std::mt19937_64 random(7);
  for (const Expr& a : p.arguments) {
    for (double& x : loops.arrays[param_name(a)])
      x = static_cast<double>(std::uniform_int_distribution<int>(-50, 50)(random));
    in.params[param_name(a)] = make_array(loops.arrays[param_name(a)], a.type());
  }
  const auto expected = flatten_components(in.eval(p.body), p.body.type());
  Kernel apart = k;
  apart.body = split_launches(k);
  loops.run(apart);
  CHECK(loops.races.empty());
  REQUIRE(k.results.size() == expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n)
    CHECK_MESSAGE(loops.arrays.at(k.results[n]) == expected[n], str(k));
  return launches(k);
}
bool has_work(const Kernel& k, const std::string& name) {
  return std::any_of(k.arguments.begin(), k.arguments.end(),
                     [&](const KernelArgument& a) { return a.work && a.name == name; });
}

}  // namespace

TEST_CASE("one loop nest is one launch, with the kernel's own name") {
  const auto all = run(program({m}, glb([](Expr r) { return glb(twice, r, 0); }, m, 1)));
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "p");
}

TEST_CASE("a program without loops over the grid is one launch of one work-item") {
  CHECK(run(program({xs}, make(Op::Let, {to_global(xs | map(twice)), function_of(xs.type(),
                                                                                 [](Expr t) {
                                                                                   return neighbours(t) |
                                                                                          map([](Expr w) {
                                                                                            return w[0] +
                                                                                                   w[1];
                                                                                          });
                                                                                 })})))
            .size() == 1);
}

TEST_CASE("an intermediate array is written in one launch and read in the next") {
  const auto all =
      run(program({xs}, glb([](Expr w) { return w[0] * w[1]; }, neighbours(to_global(glb(twice, xs))))));
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "p_1");
  CHECK(all[1].name == "p_2");
  CHECK(has_work(all[0], "work1"));  // small as it is, no work-item could keep it
  CHECK(str(all[0].body).find("work1[") != std::string::npos);
}

TEST_CASE("several results of one program are launches") {
  const auto all =
      run(program({xs, ys}, tuple({glb(twice, xs), total(ys), glb([](Expr y) { return y - 1.0; }, ys)})));
  CHECK(all.size() == 3);
}

TEST_CASE("a reduction that later work-items need goes through memory") {
  const Expr scaled =
      make(Op::Let,
           {total(join(m)), function_of(f64, [](Expr s) { return glb([=](Expr x) { return x * s; }, ys); })});
  const auto all = run(program({m, ys}, scaled));
  REQUIRE(all.size() == 2);
  CHECK(std::any_of(all[0].arguments.begin(), all[0].arguments.end(),
                    [](const KernelArgument& a) { return a.work && a.type == Type::array(1, f64); }));
}

TEST_CASE("parts of a reduction by work-items, their results by one") {
  const Expr parts = to_global(glb([](Expr r) { return total(r); }, m));
  const auto all = run(program({m}, total(parts)));
  CHECK(all.size() == 2);
}

TEST_CASE("a variable that goes on to change in a later launch is one there too") {
  const Type t = array({8}, f64);
  Kernel k;
  k.name = "p", k.results = {"out", "more"};
  for (const char* name : {"out", "more"}) k.arguments.push_back({name, t, Layout({}, t), true, false, {}});
  const Term v = local_term("v", f64);
  const auto all_items = [&](const std::string& to) {
    For f;
    f.var = Nat::fresh("i", 0, 7), f.upper = 8, f.kind = LoopKind::Glb;
    f.body = {{Store{to, {f.var}, v, false}}};
    return Stmt{std::move(f)};
  };
  const auto grow = [&](double by) {
    return Stmt{Assign{v, apply_term(Op::Add, f64, {v, constant_term(by, f64)})}};
  };
  k.body = {
      {Declare{v, constant_term(0.5, f64)}}, grow(1), all_items("out"), grow(2), grow(4), all_items("more")};
  separate_launches(k);
  const std::vector<Kernel> all = launches(k);
  CHECK(all.size() >= 2);
  test::LoopRunner loops;
  for (const KernelArgument& a : all[0].arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), std::nan(""));
  for (const Kernel& one : all) {
    INFO(str(one));
    std::set<std::string> variables, assigned;
    visit(one.body, [&](const Stmt& s) {
      if (const auto* d = std::get_if<Declare>(&s.v)) variables.insert(d->local->name);
      if (const auto* a = std::get_if<Assign>(&s.v)) assigned.insert(a->local->name);
    });
    CHECK(assigned == variables);
    loops.run(one);
  }
  CHECK(loops.arrays.at("out") == std::vector<double>(8, 1.5));
  CHECK(loops.arrays.at("more") == std::vector<double>(8, 7.5));
}

TEST_CASE("loops over the grid around several become several") {
  const Expr e = glb(
      [](Expr row) {
        return make(Op::Let, {to_global(glb(twice, row, 0)), function_of(row.type(), [](Expr t) {
                                return glb([](Expr w) { return w[0] - w[1]; }, neighbours(t), 0);
                              })});
      },
      m, 1);
  const auto all = run(program({m}, e));
  CHECK(all.size() == 2);
}

TEST_CASE("a base is copied before work-items write the block") {
  const Expr block = glb(twice, drop({Nat(2)}, {Nat(3)}, xs));
  const auto all = run(program({xs}, update(xs, {Nat(2)}, block)));
  CHECK(all.size() == 2);
}

TEST_CASE("what was read before it is overwritten goes through memory") {
  const Expr old = xs[Nat(3)] * 3.0;
  const Expr body =
      make(Op::Let, {old, function_of(f64, [](Expr s) {
                       return make(Op::UpdateInPlace, {xs, glb([=](Expr x) { return x + s; }, xs)},
                                   update(xs, {Nat(0)}, xs).attr());
                     })});
  CHECK(run(program({xs}, body, {"xs"})).size() == 2);
}

TEST_CASE("loops over the grid below others that are not") {
  const Expr e = map_with(
      Op::MapSeq, 1,
      function_of(m.type().element(),
                  [](Expr row) {
                    return make(Op::Let, {to_global(glb(twice, row, 0)), function_of(row.type(), [](Expr t) {
                                            return glb([](Expr w) { return w[0] - w[1]; }, neighbours(t), 0);
                                          })});
                  }),
      m, {1, 1, 0, 0});
  const auto all = run(program({m}, e));
  REQUIRE(all.size() == 2);
  CHECK(all[0].arguments.back().name == "turn");
  CHECK(all[1].arguments.back().name == "turn");
}

namespace {

/// Rows one after the other, each from the one before.
const Expr before_all = param("before_all", array({9}, f64));
Program rows_in_turn(const std::function<Expr(Expr, Expr)>& next) {
  const Type row = before_all.type();
  return program({m, before_all}, scan(fun({row, row}, next), before_all, m));
}
bool has_host_loops(const Program& p) {
  return holds(split_launches(lower(p)), [](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    return f && f->kind == LoopKind::Host;
  });
}

}  // namespace

TEST_CASE("what items write for one another's next iteration is another launch's") {
  const auto beside = [](Expr row, Expr x) {
    return glb([](Expr wx) { return get(0, wx)[0] * 0.5 + get(0, wx)[2] + get(1, wx); },
               zip({row | pad(1, 1, clamp) | slide(3, 1), x}));
  };
  CHECK(has_host_loops(rows_in_turn(beside)));
  run(rows_in_turn(beside));
}

TEST_CASE("an item goes on to its own next iteration within a launch") {
  const auto own = [](Expr row, Expr x) {
    return glb([](Expr rx) { return get(0, rx) * 0.5 + get(1, rx); }, zip({row, x}));
  };
  CHECK_FALSE(has_host_loops(rows_in_turn(own)));
  run(rows_in_turn(own));
}

TEST_CASE("calls of launches: loops of the host's, in order, by numbers that are told") {
  Kernel k;
  k.name = "k";
  const Nat times = index_variable(index_param("times", 0, 9)), outer = Nat::fresh("turn", 0, 8),
            inner = Nat::fresh("turn2", 0, 2);
  const auto launch = [](const std::string& name) { return Stmt{Launch{name, {}, {}, {}}}; };
  const auto loop = [](const Nat& v, const Nat& lower, const Nat& upper, Block body) {
    For f;
    f.kind = LoopKind::Host, f.var = v, f.lower = lower, f.upper = upper, f.body = std::move(body);
    return Stmt{f};
  };
  k.body = {launch("a"), loop(outer, 1, times, {launch("b"), loop(inner, outer, 3, {launch("c")})}),
            launch("d")};
  std::string said;
  for (const LaunchCall& c : launch_calls(k, {{"times", 3}})) {
    said += launches_in(k).at(c.launch).name;
    for (const std::int64_t step : c.steps) said += std::to_string(step);
  }
  CHECK(said == "ab1c11c12b2c22d");
  said.clear();
  for (const LaunchCall& c : launch_calls(k, {{"times", 0}})) said += launches_in(k).at(c.launch).name;
  CHECK(said == "ad");
  CHECK_THROWS_AS(launch_calls(k), InternalError);
}

TEST_CASE("the items of a group stay in one launch") {
  const auto all = run(program({m}, grid(
                                        Op::MapWrg, [](Expr r) { return grid(Op::MapLcl, twice, r); }, m)));
  CHECK(all.size() == 1);
}

}  // namespace lift::launches_test
