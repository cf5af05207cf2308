// Threads within one box: what they share of a step, and what each of them must not do.
#include "tests/lower/in_step_chains.hpp"

namespace lift::in_step_test {
namespace {

/// What each stage computes is shared by threads.
Program shared(Program p) {
  const std::function<Expr(const Expr&)> changed = [&](const Expr& e) {
    if (!e.is(Op::UpdateInPlace)) return map_children(e, changed);
    const Expr& cells = e.child(1);
    return make(e.op(), {e.child(0), make(Op::MapPar, {cells.child(0), cells.child(1)}, cells.attr())},
                e.attr());
  };
  p.body = changed(p.body);
  return p;
}

}  // namespace

TEST_CASE("in step: a user's chain is explored, with threads on what a stage does in a step") {
  const Expr x = param("x", array({Nat(40), Nat(21)}, f64));
  const auto step = [](const Expr& y) {
    return update(y, {1, 1}, y | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; }));
  };
  const Program p{
      "heat",
      {x},
      let(step(x), [&](Expr a) { return let(step(a), [&](Expr b) { return let(step(b), step); }); }),
      {},
      {}};
  const Space space(p, {Target::openmp, 2, 32});
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const char* time : {"j", "j8", "j32"})
    for (const char* inner : {"seq", "vec"})
      for (const std::string& parallel : space.allowed_texts({{"time", time}}, "parallel")) {
        CAPTURE(time);
        CAPTURE(inner);
        CAPTURE(parallel);
        Configuration c;
        c.set("time", time), c.set("parallel", parallel), c.set("inner", inner);
        const LoopsRun found =
            run_loops(lower(replay(space.program(), space.derived(c).steps), {.vector_bytes = 32}), 1);
        CHECK(found.results == expected.results);
        CHECK(found.races.empty());
      }
}

TEST_CASE("in step: where each stage is a step further behind, the stages of a step are independent") {
  const auto coloured_twice = [](const Expr& x) {
    return let(coloured(x, 0, 0), [](Expr a) {
      return let(coloured(a, 1, 1),
                 [](Expr b) { return let(coloured(b, 0, 1), [](Expr c) { return coloured(c, 1, 0); }); });
    });
  };
  const Expr any = param("u", array({Nat(31), Nat(9)}, f64));
  const Program p = shared(stepped({"four", {any}, coloured_twice(any), {"u"}, {}}, "update-in-place"));
  for (const int width : {2, 3, 7, 40}) {
    CAPTURE(width);
    const Program near = in_step(p, {{{0, width}}}), far = stepped(near, "wait-once");
    CHECK(lags_of(near) == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(lags_of(far) == std::vector<std::int64_t>{0, 1 + width, 2 + 2 * width, 3 + 3 * width});
    check_same(p, far);
    const Kernel k = for_target(lower(far), Target::openmp);
    CHECK(test::count<Barrier>(k.body) == 1);
    CHECK(teams(k.body) == 1);
    CHECK(run_loops(k, 1).results == run_loops(lower(p), 1).results);
    // Smaller lags are refused; behind the check's back the stages of a step are seen to meet.
    auto fewer = lags_of(far);
    for (std::size_t i = 1; i < fewer.size(); ++i) --fewer[i];
    Program wrong = with_lags(far, fewer);
    CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("so that no two stages of a step meet"), UserError);
    CHECK_FALSE(run_loops(translate(wrong), 1).races.empty());
  }
  const auto refused = [](const Program& q) {
    const auto r = apply(find_rule("wait-once"), q, {}, {});
    return r ? "" : r.reason();
  };
  CHECK(refused(p) == "no chain goes in step");
  CHECK(refused(stepped(in_step(p, {{{0, 2}}}), "wait-once")) == "the threads wait once a step already");
  CHECK_THROWS_WITH_AS(lower(in_step(stepped(in_step(p, {{{0, 2}}}), "wait-once"), {{{1, 2}}})),
                       doctest::Contains("use it for the innermost"), UserError);
}

TEST_CASE("in step: what threads do not share is not done by each of them") {
  const Program p =
      stepped({"two", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {"u"}, {}},
              "update-in-place");
  const Kernel k = for_target(lower(stepped(in_step(p, {{{0, 3}}}), "wait-once")), Target::openmp);
  CHECK(test::count<Barrier>(k.body) == 0);
  CHECK(teams(k.body) == 0);
}

TEST_CASE("in step: rows of a plane on threads, where there is one box") {
  const Program p = smooth3d().build(problem(3, "ghost", "gsrb", 1));
  const Space space(p, {Target::openmp, 2, 32});
  Configuration c;
  c.set("time", "k"), c.set("parallel", "j");
  const LoopsRun expected = run_loops(lower(stepped(p, "update-in-place")), 1),
                 found = run_loops(lower(replay(space.program(), space.derived(c).steps)), 1);
  CHECK(found.results == expected.results);
  CHECK(found.races.empty());
}

TEST_CASE("in step: strips for threads cover the planes with their border, one a thread") {
  const Nat n = 62;
  const Expr x = param("x", array({n + 2, n + 2, n + 2}, f64));
  const auto step = [](const Expr& y) {
    return update(y, {1, 1, 1}, y | slide3(3, 1) | map3([](Expr w) { return w[0][1][1] + w[2][1][1]; }));
  };
  const Program p{"planes", {x}, let(step(x), step), {"x"}, {}};
  for (const int threads : {2, 4, 8}) {
    const Space space(p, {Target::openmp, threads, 32});
    bool found = false;
    for (const std::string& strip :
         space.allowed_texts({{"time", "k"}, {"rings", "yes"}, {"parallel", "none"}}, "strips"))
      if (strip == "k" + std::to_string((62 + 2 + threads - 1) / threads)) found = true;
    CHECK_MESSAGE(found, threads);
  }
}

}  // namespace lift::in_step_test
