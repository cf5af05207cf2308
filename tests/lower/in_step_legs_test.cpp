// Chains of different stages: smoothing, residual and restriction in step, with several results.
#include "tests/lower/in_step_chains.hpp"

namespace lift::in_step_test {
namespace {

/// Two half-sweeps in place, then what they leave over on a grid of twice the spacing: the finished array and
/// the coarse one are results.
Program leg_of_a_cycle(bool keep) {
  const Expr v = param("v", array({Nat(17), Nat(13)}, f64)), b = param("b", array({Nat(17), Nat(13)}, f64));
  const auto sweep = [&](const Expr& x, int colour) {
    const auto relaxed = [=](Expr at, Expr w, Expr f) {
      return select(eq((get(0, at) + get(1, at)) % 2, colour),
                    (w[0][1] + w[1][0] + w[1][2] + w[2][1] - f) * 0.25, w[1][1]);
    };
    const Expr cells = zip_n(2, {positions({Nat(15), Nat(11)}), x | slide2(3, 1), b | drop2(1, 1)});
    return update(x, {1, 1}, cells | map2(relaxed));
  };
  const auto residual = [&](const Expr& x) {
    const Expr r = zip_n(2, {x | slide2(3, 1), b | drop2(1, 1)}) | map2([](Expr w, Expr f) {
                     return f - (w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 4.0);
                   });
    return r;
  };
  const auto coarse = [](const Expr& r) {
    return r | slide2(3, 2) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Expr body = let(sweep(v, 0), [&](Expr x) {
    return let(sweep(x, 1), [&](Expr y) {
      return let(residual(y), [&](Expr r) {
        return keep ? tuple({y, r, coarse(r)}) : tuple({y, coarse(r)});
      });
    });
  });
  return {"leg",
          {v, b},
          body,
          {"v"},
          keep ? std::vector<std::string>{"y", "r", "c"} : std::vector<std::string>{"y", "c"}};
}

}  // namespace

TEST_CASE("in step: stages on other grids go in step with those that they read") {
  const Expr x = param("x", array({Nat(17), Nat(13)}, f64));
  const auto fine = [](const Expr& y) {
    return y | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; });
  };
  const auto coarse = [](const Expr& y) {
    return y | slide2(3, 2) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Program p{"cycle",
                  {x},
                  let(fine(x),
                      [&](Expr a) {
                        return let(fine(a),
                                   [&](Expr b) { return let(coarse(b), [&](Expr c) { return fine(c); }); });
                      }),
                  {},
                  {}};
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const int width : {1, 2, 3, 4}) {
    CAPTURE(width);
    const Program q = in_step(stepped(p, "rings"), {{{0, width}}});
    CHECK(run_loops(test::run(q), 1).results == expected.results);
    const std::vector<std::int64_t> lags = lags_of(q);
    for (std::size_t i = 1; i < lags.size(); ++i) {
      auto fewer = lags;
      for (std::size_t j = i; j < lags.size(); ++j) --fewer[j];
      CHECK_THROWS_AS(lower(with_lags(q, fewer)), UserError);
    }
  }
}

TEST_CASE("in step: half-sweeps in place, what they leave over, and its restriction, with several results") {
  for (const bool keep : {false, true}) {
    Program p = leg_of_a_cycle(keep);
    const LoopsRun plain = run_loops(lower(p), 1);
    const Place second{1, 0, 0};
    p.body = replaced_at(p.body, {0},
                         make(Op::UpdateInPlace, {part_at(p.body, {0, 0}), part_at(p.body, {0, 1})},
                              part_at(p.body, {0}).attr()));
    p.body =
        replaced_at(p.body, second,
                    make(Op::UpdateInPlace, {part_at(p.body, {1, 0, 0, 0}), part_at(p.body, {1, 0, 0, 1})},
                         part_at(p.body, second).attr()));
    const Program ringed = keep ? p : stepped(p, "rings");
    for (const int width : {1, 2, 3, 5, 30}) {
      CAPTURE(keep);
      CAPTURE(width);
      const Program q = in_step(ringed, {{{0, width}}});
      const LoopsRun found = run_loops(test::run(q), 1);
      CHECK(found.results == plain.results);
      CHECK(lags_of(q).size() == 4);
      CHECK_THROWS_WITH_AS(lower(with_lags(q, {0, 1, 1, 3})), doctest::Contains("has to stay"), UserError);
    }
    const auto r = apply(find_rule("in-tiles"), ringed, {}, {"0", "4"});
    CHECK_FALSE(r);
    CHECK(r.reason().find("which other tiles still read") != std::string::npos);
  }
}

TEST_CASE("in step: chains of different stages are explored, threads share what they may") {
  const Expr x = param("x", array({Nat(40), Nat(19)}, f64));
  const auto heat = [](const Expr& y) {
    return update(y, {1, 1}, y | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; }));
  };
  const auto coarse = [](const Expr& y) {
    return y | slide2(3, 1) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Program apart{"apart",
                      {x},
                      let(heat(x), [&](Expr a) { return let(heat(a), [&](Expr b) { return coarse(b); }); }),
                      {},
                      {}};
  const Expr several = param("x", array({Nat(3), Nat(14), Nat(11)}, f64));
  const Program boxes{"boxes",
                      {several},
                      several | map([&](Expr box) {
                        return let(heat(box),
                                   [&](Expr a) { return let(heat(a), [&](Expr b) { return coarse(b); }); });
                      }),
                      {},
                      {}};
  const auto blurred = [](const Expr& y) {
    return y | pad2(1, 1, clamp) | slide2(3, 1) |
           map2([](Expr w) { return w[0][1] + w[2][1] * 2.0 + w[1][0]; });
  };
  const Program stored{
      "stored", {x}, let(blurred(x), blurred), {}, {}};  // or computed again where it is read
  for (const Program& p : {leg_of_a_cycle(false), leg_of_a_cycle(true), apart, boxes, stored}) {
    CAPTURE(p.name);
    const LoopsRun expected = run_loops(lower(p), 1);
    const Space space(p, {Target::openmp, 2, 32});
    std::set<std::string> structures;
    int in_step = 0, together = 0;
    for (const Configuration& c : space.seeds()) {
      const std::string words = space.structure(c);
      if (!structures.insert(words + (c.contains("time") ? c.at("time") : "")).second) continue;
      CAPTURE(words);
      in_step += c.contains("time") && c.at("time") != "none";
      const Kernel k = lower(replay(space.program(), space.derive(c)), {.vector_bytes = 32});
      together += teams(for_target(k, Target::openmp).body) > 0;
      const LoopsRun found = run_loops(k, 1);
      CHECK(found.results == expected.results);
      if (c.at("inner") != "vec") CHECK(found.races.empty());  // masked vectors write old values back
    }
    CHECK(in_step >= 2);
    CHECK((together > 0) == (p.name == "leg"));
  }
}

}  // namespace lift::in_step_test
