// Chains whose stages go along axes together compute what the stages compute one after the other, bit by bit;
// lags are the least ones, and what no lag allows is refused by name.
#include "tests/lower/in_step_chains.hpp"

namespace lift::in_step_test {

TEST_CASE("in step: half-sweeps, every boundary, depth and schedule, bit by bit") {
  for (const char* boundary : {"ghost", "dirichlet", "neumann", "clamp", "mirror", "constant"})
    for (const int sweeps : {2, 3, 5}) {
      const Program p = in_one_loop(problem(sweeps, boundary, "gsrb"));
      for (const Schedule& s : kSchedules) {
        if ((sweeps == 5 || std::string(boundary) != "ghost") && s.steps.size() == 1) continue;
        if (sweeps == 5 && std::string(boundary) != "ghost" && std::string(boundary) != "neumann") continue;
        CAPTURE(boundary);
        CAPTURE(sweeps);
        CAPTURE(text_of(s));
        check_same(p, in_step(p, s));
      }
    }
}

TEST_CASE("in step: any smoother, boundary, depth up to eight, number of boxes and schedule, bit by bit") {
  std::mt19937 random(11);
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::string> boundaries{"ghost", "dirichlet", "neumann", "clamp", "mirror", "constant"},
      smoothers{"gsrb", "jacobi", "chebyshev", "symmetric-gsrb"};
  int in_place = 0, in_rings = 0, in_tiles = 0;
  for (int n = 0; n < 21; ++n) {
    const std::string &smoother = smoothers[n % 3 == 2 ? 2 + any(2) : any(2)], &boundary = boundaries[any(6)];
    const bool of_fixed_depth = smoother == "chebyshev" || smoother == "symmetric-gsrb";
    const int sweeps = of_fixed_depth ? 1 : 2 + n % 7;
    Problem p = problem(sweeps, of_fixed_depth && boundary == "ghost" ? "neumann" : boundary, smoother,
                        sweeps > 3 ? 1 + any(2) : 1 + any(9));
    p.box = 3 + any(sweeps > 5 ? 2 : 4);
    if (smoother == "chebyshev") p.choices["degree"] = std::to_string(2 + any(3));
    INFO(n << ": " << smoother << ", " << p.boundary << ", " << sweeps << " sweeps, " << p.boxes
           << " boxes of " << p.box);
    const Program program = smooth3d().build(p);
    if (const auto updated = apply(find_rule("update-in-place"), program, {}); updated && any(2) == 0) {
      const Program one = in_shared_loop(*updated);
      check_same(one, in_step(one, kSchedules[static_cast<std::size_t>(any(5))]));
      ++in_place;
      continue;
    }
    Program rings = stepped(in_shared_loop(program), "rings");
    for (const int axis : {2, 1, 0})
      if (any(2) == 0) rings = stepped(rings, "in-tiles", {axis, 1 + any(4)}), ++in_tiles;
    rings = in_step(rings, {{{0, 1 + any(3)}}});
    ++in_rings;
    CHECK(run_loops(lower(rings), 1).results == run_loops(lower(program), 1).results);
  }
  CHECK(in_place >= 5);
  CHECK(in_rings >= 5);
  CHECK(in_tiles >= 5);
}

TEST_CASE("in step: two arrays that take turns, and stages that are other operators") {
  for (const char* boundary : {"ghost", "neumann"})
    for (const int sweeps : {2, 4}) {
      const Program p = in_one_loop(problem(sweeps, boundary, "jacobi"));
      for (const Schedule& s : kSchedules) {
        CAPTURE(boundary);
        CAPTURE(text_of(s));
        check_same(p, in_step(p, s));
      }
    }
  // What stages compute that overwrite nothing lies in arrays of the kernel's own.
  const Expr x = param("x", array({Nat(11), Nat(6)}, f64));
  const auto mean = [](const Expr& y, int step) {
    return y | pad2(1, 1, clamp) | slide2(3, step) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; });
  };
  const Program chain{
      "p",
      {x},
      let(mean(x, 1), [&](Expr a) { return let(mean(a, 1), [&](Expr b) { return mean(b, 1); }); }),
      {},
      {}};
  for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 2}}}, Schedule{{{1, 2}, {0, 1}}}})
    test::run(in_step(chain, s));
}

TEST_CASE("in step: a user's four colours, of any and of symbolic size") {
  const auto chain = [](const Expr& x) {
    return let(coloured(x, 0, 0), [](Expr a) {
      return let(coloured(a, 1, 1),
                 [](Expr b) { return let(coloured(b, 1, 0), [](Expr c) { return coloured(c, 0, 1); }); });
    });
  };
  const Program p = stepped({"four", {u}, chain(u), {"u"}, {}}, "update-in-place");
  for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 4}}}, Schedule{{{1, 1}, {0, 1}}}})
    check_same(p, in_step(p, s));
  const Expr any = param("u", array({Nat::size("n", 3), Nat::size("m", 3)}, f64));
  const Program q = in_step(stepped({"four", {any}, chain(any), {"u"}, {}}, "update-in-place"), {{{0, 1}}});
  CHECK(lags_of(q) == std::vector<std::int64_t>{0, 1, 1, 2});  // two of the colours share rows
  CHECK_NOTHROW(lower(q));
}

TEST_CASE("in step: stages that overwrite nothing take turns in two arrays") {
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); };
  const auto chain = [](const std::function<Expr(Expr)>& step, int stages) {
    const std::function<Expr(Expr, int)> more = [&](const Expr& x, int n) -> Expr {
      return n == 1 ? step(x) : let(step(x), [&, n](Expr y) { return more(y, n - 1); });
    };
    return more(u, stages);
  };
  for (const bool border : {true, false})
    for (const int stages : {3, 4, 6}) {
      CAPTURE(border);
      CAPTURE(stages);
      const Program p{
          "chain", {u}, chain(border ? std::function<Expr(Expr)>(heat) : clamped, stages), {}, {}};
      const Program two = stepped(p, "two-arrays");
      const auto work = [](const Kernel& k) { return test::count<Allocate>(k.body); };
      CHECK(work(test::run(two)) == 2);
      for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 3}}}, Schedule{{{1, 2}, {0, 1}}}})
        CHECK(work(test::run(in_step(two, s))) == 2);
    }
  const auto why_not = [](const Expr& body) {
    const auto r = apply(find_rule("two-arrays"), Program{"p", {u}, body, {}, {}}, {});
    return r ? "" : r.reason();
  };
  CHECK(why_not(chain(heat, 2)).find("fewer than three stages") != std::string::npos);
  CHECK(why_not(let(heat(u), [&](Expr a) {
          return let(clamped(a), [&](Expr b) { return heat(b); });
        })).find("stage 2 is no array like that of stage 1") != std::string::npos);
  CHECK(why_not(let(clamped(u), [&](Expr a) {
          return let(clamped(a), [&](Expr b) {
            return zip_n(2, {a, b}) | map2([](Expr v, Expr w) { return v + w; });
          });
        })).find("reads stage 1, which is older") != std::string::npos);
  // An array of the program's own may be overwritten; one that is computed where it is used has no place.
  CHECK_THROWS_WITH_AS(
      lower({"p", {u}, make(Op::UpdateInPlace, {clamped(u), clamped(u)}, attributes::nats({0, 0})), {}, {}}),
      doctest::Contains("the base is computed"), InternalError);
}

TEST_CASE("in step: rings keep the planes that later stages still read, borders with them") {
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); };
  const auto wide = [](const Expr& x) {  // borders of other widths, reads two rows ahead only
    const Expr block = x | slide2(3, 1) | map2([](Expr w) { return w[0][0] - w[2][2]; });
    return update(x, {0, 2}, block);
  };
  const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> steps{
      {"heat", heat}, {"clamped", clamped}, {"wide", wide}};
  for (const auto& [name, step] : steps)
    for (const int stages : {2, 3, 5}) {
      const std::function<Expr(const Expr&, int)> more = [&, &step = step](const Expr& x, int n) -> Expr {
        return n == 1 ? step(x) : let(step(x), [&, n](Expr y) { return more(y, n - 1); });
      };
      const Program p{"chain", {u}, more(u, stages), {}, {}};
      const LoopsRun expected = run_loops(lower(p), 1);
      for (const int width : {1, 2, 3, 20}) {
        CAPTURE(name);
        CAPTURE(stages);
        CAPTURE(width);
        const Program q = in_step(stepped(p, "rings"), {{{0, width}}});
        const Kernel k = test::run(q);
        CHECK(test::count<Allocate>(k.body) == static_cast<std::size_t>(stages) - 1);
        CHECK(run_loops(k, 1).results == expected.results);
        // Behind the check's back: one plane fewer is too few, unless all planes are there.
        for (int s = 0; s + 1 < stages; ++s) {
          bool whole = false;
          const Program wrong = with_fewer_planes(q, s, whole);
          if (whole) continue;
          CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("are still read"), UserError);
          CHECK(run_loops(translate(wrong), 1).results != expected.results);
        }
      }
    }
}

TEST_CASE("in step: where rings cannot be says why") {
  const auto clamped = [&](const Expr& x) {
    return x | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1]; });
  };
  const Program p{"p", {u}, let(clamped(u), clamped), {}, {}};
  const Program ringed = stepped(p, "rings");
  CHECK_THROWS_WITH_AS(lower(ringed), doctest::Contains("put a skewed band along axis 0 around"), UserError);
  // Rings of planes within steps along axis 1: by the rule, or by the check of rings.
  const auto why_not_along_1 = [](const Program& q) -> std::string {
    const auto r = apply(find_rule("in-step"), q, {}, {"1", "1"});
    if (!r) return r.reason();
    try {
      lower(*r);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(why_not_along_1(ringed).find("put a skewed band along axis 0 around the chain") != std::string::npos);
  CHECK(why_not_along_1(in_step(ringed, {{{0, 1}}})).find("within steps along axis 1 at most") !=
        std::string::npos);
  const auto why_not = [](const Program& q) {
    const auto r = apply(find_rule("rings"), q, {}, {});
    return r ? "" : r.reason();
  };
  CHECK(why_not(in_step(ringed, {{{0, 1}}})) ==
        "the chain goes in step already: use this rule before in-step");
  CHECK(why_not({"p", {u}, clamped(u), {}, {}}).find("there is no chain") != std::string::npos);
  CHECK(why_not(in_one_loop(problem(2, "ghost", "gsrb"))).find("updated in place") != std::string::npos);
  CHECK_THROWS_WITH_AS(lower({"p", {u}, make(Op::Ring, {clamped(u)}, attributes::nats({9})), {}, {}}),
                       doctest::Contains("only a named stage"), UserError);
}

TEST_CASE("in step: lags are the least, and smaller ones are refused with the dependence that they break") {
  const Program p = in_one_loop(problem(3, "ghost", "gsrb"));
  const Program q = in_step(p, {{{0, 1}}});
  const std::vector<std::int64_t> lags = lags_of(q);
  CHECK(lags == std::vector<std::int64_t>{0, 2, 4});  // a plane behind, in regions that begin a plane later
  const LoopsRun expected = run_loops(lower(p), 1);
  for (std::size_t i = 1; i < lags.size(); ++i) {
    auto fewer = lags;
    for (std::size_t j = i; j < lags.size(); ++j) --fewer[j];
    const Program wrong = with_lags(q, fewer);
    CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("has to stay 2 behind"), UserError);
    const LoopsRun found = run_loops(translate(wrong), 1);  // behind the check's back
    CHECK(found.results != expected.results);
  }
  auto more = lags;
  more[2] += 3;
  check_same(p, with_lags(q, more));
}

TEST_CASE("in step: what cannot be says why") {
  Problem periodic = problem(2, "periodic", "gsrb");
  periodic.box = 6;
  CHECK(refusal(in_one_loop(periodic), 0).find("wraps around a periodic boundary") != std::string::npos);
  const Program p = in_one_loop(problem(2, "ghost", "gsrb"));
  CHECK(refusal(in_step(p, {{{0, 1}}}), 0) == "the chain goes in step along axis 0 already");
  CHECK(refusal(p, 3).find("there is no axis 3") != std::string::npos);
  const Program boxes = smooth3d().build(problem(2, "ghost", "gsrb"));  // the second sweep does fewer cells
  CHECK(refusal(boxes, 0).find("computes some of what is copied") != std::string::npos);
  CHECK(refusal(stepped(boxes, "update-in-place"), 0).empty());  // along the boxes
  const Program alone = stepped(smooth3d().build(problem(1, "ghost", "gsrb")), "update-in-place");
  CHECK(refusal(alone, 0) == "there is no chain: the program has one stage");
  const Program needed{
      "needed", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {}, {}};
  CHECK(refusal(needed, 0).empty());  // u is copied before the steps
  CHECK_THROWS_WITH_AS(make(Op::Band, {p.body}, attributes::band({.axis = 0, .width = 1, .shifts = {0, 1}})),
                       doctest::Contains("needs a chain"), UserError);
  const Program four =
      stepped({"two", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {"u"}, {}},
              "update-in-place");
  CHECK_THROWS_WITH_AS(
      make(Op::Band, {four.body}, attributes::band({.axis = 0, .width = 1, .shifts = {0, 1, 2}})),
      doctest::Contains("3 numbers for 2 stages"), UserError);
  CHECK_THROWS_WITH_AS(
      make(Op::Band, {four.body}, attributes::band({.axis = 0, .width = 0, .shifts = {0, 1}})),
      doctest::Contains("no iterations"), UserError);
  CHECK_THROWS_WITH_AS(
      make(Op::Band, {four.body}, attributes::band({.axis = 2, .width = 1, .shifts = {0, 1}})),
      doctest::Contains("no axis 2"), UserError);
}

TEST_CASE("in step: explored, every setting of the time gives the same numbers") {
  for (const std::int64_t boxes : {1, 3}) {
    Problem three = problem(3, "ghost", "gsrb", boxes);
    three.box = 9;
    const Program p = smooth3d().build(three);
    const Space space(p, {Target::openmp, 2, 32});
    const LoopsRun expected = run_loops(lower(stepped(p, "update-in-place")), 1);
    std::set<std::string> times;
    for (const Configuration& c : space.seeds())
      if (const std::string time = c.at("time"); time != "none" && times.size() < 12) {
        CAPTURE(space.structure(c));
        times.insert(time + " " + c.at("inner") + " " + c.at("layout"));
        const Program q = replay(space.program(), space.derive(c));
        const LoopsRun found = run_loops(lower(q, {.vector_bytes = 32}), 1);
        CHECK(found.results == expected.results);
        // A masked vector writes the other colour's old values back, which rows beside it read.
        if (c.at("inner") != "vec") CHECK(found.races.empty());
      }
    CHECK(times.size() >= 3);
  }
}

}  // namespace lift::in_step_test
