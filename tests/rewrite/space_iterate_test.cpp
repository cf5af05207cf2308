// The space of iterations: that of chains, at each depth.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/known_number.hpp"
#include "ir/text/parse.hpp"
#include "lower/launches.hpp"
#include "lower/lower.hpp"
#include "rewrite/space/chain_form.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_iterate_test {
namespace {

Program sweeps(std::int64_t n, std::int64_t m, std::int64_t times) {
  const Expr u = param("u", array({Nat(n), Nat(m)}, f64));
  return {"sweeps",
          {u},
          iterate(times,
                  fun(u.type(),
                      [](Expr x) {
                        return x | pad2(1, 1, clamp) | slide2(3, 1) |
                               map2([](Expr w) { return w[0][1] + w[1][0] - w[1][2] + w[2][1]; });
                      }),
                  u),
          {}};
}

}  // namespace

TEST_CASE("space: an iteration has the decisions of the chain that it is, and how many steps go together") {
  for (const Target target : {Target::openmp, Target::cuda, Target::opencl}) {
    CAPTURE(text(target));
    const Program p = sweeps(200, 300, 10);
    const Space s(p, options(target)), chain(in_chain_form({p, {}}, 10).program, options(target));
    CHECK(s.parameters().size() >= 10);
    for (const Parameter& x : chain.parameters())
      if (x.name() != "layout") CHECK_MESSAGE(find(s, x.name()) != nullptr, x.name());
    if (target != Target::openmp) continue;  // where several steps would share no pass over memory
    for (const char* depth : {"1", "5", "8", "10"}) CHECK(has(s, "depth", depth));
  }
}

TEST_CASE("space: a scan of rows of which the last one is left has the decisions of an iteration") {
  const auto last = [](const std::string& rest, const std::string& columns = "200") {
    const std::string row = columns + ".f64";
    return parse_program("program last param first : " + row + " param force : 40." + row +
                         " result out : " + row + " = " + rest);
  };
  const std::string step =
      "\\u f. zip(u |> pad(1, 1, clamp) |> slide(3, 1), f) |> map(\\(w, x). w[0] - w[2] + x), first)";
  const Program by_number = last("(force |> scan(" + step + ")[39]"),
                dropped = last("force |> scan_back(" + step + " |> drop(0, 39) |> join"),
                read = last("let v = force |> scan(" + step +
                            " |> drop(39, 0) |> join in zip(v, first) |> map(\\(a, b). a * b)");
  for (const Target target : {Target::openmp, Target::cuda, Target::opencl})
    for (const Program& p : {by_number, dropped, read}) {
      CAPTURE(text(target));
      const Space s(p, options(target));
      for (const Configuration& c : s.seeds()) CHECK(count(s.derive(c), "scan-iterate") == 1);
      check_space(p, options(target), 3, 2);
      if (target != Target::openmp) continue;
      CHECK(has(s, "depth", "4"));
    }
  CHECK(find(Space(last("(force |> scan(" + step + ")[39]", "100000"), options()), "strips") != nullptr);
  const Program other = last("(force |> scan(" + step + ")[38]");
  const Space s(other, options());
  CHECK(count(s.derive(s.seeds().front()), "scan-iterate") == 0);
}

TEST_CASE("space: threads share all stages of lines, though these are too short for tiles of several steps") {
  const Program p = parse_program(
      "param u : 40000.f64 result out : 40000.f64 = u |> iterate(100, \\x. x |> pad(1, 1, clamp) |> slide(3, "
      "1) "
      "|> map(\\w. 0.2 * (w[0] + w[1] + w[2])))");
  const Space s(p, options());
  const Kernel k = lower(replay(p, s.derive(s.seeds().front())), {.vector_bytes = 16});
  int shared = 0, alone = 0;
  visit(k.body, [&](const Stmt& x) {
    const auto* f = std::get_if<For>(&x.v);
    shared += f && f->kind == LoopKind::Par;
  });
  for (const Stmt& x : k.body)  // before the loop over time, and within it
    if (const auto* f = std::get_if<For>(&x.v)) {
      alone += f->kind == LoopKind::Vec;
      for (const Stmt& y : f->body)
        if (const auto* g = std::get_if<For>(&y.v); g && f->kind == LoopKind::Seq)
          alone += g->kind == LoopKind::Vec;
    }
  CHECK(shared >= 2);
  CHECK_MESSAGE(alone == 0, str(k));
}

TEST_CASE("space: what is left over of the steps has loops as those that go together have") {
  const Program p = sweeps(200, 300, 23);
  const Space s(p, options());
  for (const Configuration& c : s.seeds()) {
    const auto left_over = [](const Expr& x) { return x.is(Op::Iterate) && iterate_times(x) == Nat(3); };
    const auto undecided = [](const Expr& x) { return x.is(Op::Map); };
    visit(replay(p, s.derive(c)).body, [&](const Expr& x) {
      if (left_over(x)) CHECK_MESSAGE(!contains(x, undecided), pretty(x));
    });
  }
}

TEST_CASE("space: steps that are counted when the kernel runs go in blocks, what is left over before them") {
  const Expr steps = index_param("steps", 0, 1000), u = param("u", array({Nat(20), Nat(30)}, f64));
  const auto around = [](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1); };
  const auto cross = [](Expr w) { return w[0][1] + w[1][0] - w[1][2] + w[2][1]; };
  const auto counted = [&](const std::function<Expr(Expr, Expr)>& step, std::vector<std::string> free = {}) {
    return Program{"counted", {u, steps}, iterate(steps, fun({i32, u.type()}, step), u), std::move(free)};
  };
  const Program replaced = counted([&](Expr, Expr x) { return around(x) | map2(cross); }),
                staged = counted([&](Expr t, Expr x) {
                  return let(around(x) | map2(cross), [&](Expr y) {
                    return zip_n(2, {y, x}) | map2([&](Expr a, Expr b) { return a - b * cast(f64, t); });
                  });
                }),
                inside = counted(
                    [&](Expr, Expr x) {
                      return update(x, std::vector<Nat>{1, 1},
                                    x | slide2(3, 1) | map2([](Expr w) { return -w[1][1]; }));
                    },
                    {"u"});
  for (const Program& p : {replaced, staged, inside}) {
    CAPTURE(str(p.body));
    CHECK(step_over_time(p.body, false).has_value());
    check_space(p, options(), 4, 2);
    const Space s(p, options());
    for (const char* depth : {"1", "4", "8"}) CHECK(has(s, "depth", depth));
    for (const std::int64_t count : {0, 1, 6, 19}) {
      CAPTURE(count);
      auto values = values_of(p, 1);
      values["steps"] = Value{count};
      for (const Configuration& c : s.seeds()) check_configuration(s, c, interpret(p.body, values), values);
    }
    for (const Configuration& c : s.seeds())
      CHECK_NOTHROW(lower(replay(p, s.derive(c)), {.vector_bytes = 16}));
  }
}

TEST_CASE("space: the steps of an iteration are shared by threads, and on a grid by work-items") {
  const Program p = sweeps(200, 300, 6);
  const Space s(p, options());
  for (const Configuration& c : s.seeds()) {
    const Derivation d = s.derive(c);
    CHECK(count(d, "map-par") + count(d, "in-tiles") + count(d, "in-phases") >= 1);
  }
  for (const Target target : {Target::cuda, Target::opencl}) {
    const Space grid(p, options(target));
    for (const Configuration& c : grid.seeds()) {
      LowerOptions o;
      o.target = target;
      try {
        for (const Launch& l : launches_in(lower(replay(p, grid.derive(c)), o)))
          CHECK(l.range.global[0] * l.range.global[1] * l.range.global[2] > 1);
      } catch (const UserError&) {  // vectors that the loads do not allow
      }
    }
  }
}

TEST_CASE("space: many stages that are made alike are a loop over time") {
  const Expr u = param("u", array({Nat(40), Nat(50)}, f64));
  const std::function<Expr(Expr, int)> rest = [&](const Expr& x, int left) {
    const Expr next = x | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] - w[2][1]; });
    return left == 0 ? next : let(next, [&](Expr y) { return rest(y, left - 1); });
  };
  for (const int stages : {40, 90}) {
    const Program p{"alike", {u}, rest(u, stages), {}};
    const Space s(p, options());
    REQUIRE(find(s, "depth") != nullptr);
    const Derivation d = s.derive(s.seeds().at(0));
    CHECK(count(d, "chain-iterate") == 1);
    CHECK(d.size() < 60);
  }
}

TEST_CASE("space: each depth of an iteration computes what the iteration does") {
  for (const Target target : {Target::openmp, Target::cuda}) {
    check_space(sweeps(5, 7, 3), options(target), 8, 3);
    check_space(sweeps(1, 35, 2), options(target), 5, 3);
    check_space(sweeps(1, 9, 2), options(target), 2, 1);
    check_space(sweeps(6, 6, 13), options(target), 8, 3);
  }
}

TEST_CASE("space: iterations of many steps beside one another take no more than a step does") {
  const std::string steps =
      "u |> iterate(25, \\x. update3(x, (0, 0, 1), x |> slide3((1, 1, 3), 1) |> map3(\\w. min(w[0, 0, 2] + "
      "1, w[0, 0, 1]))))";
  const Program p = parse_program("param u : 3.4.5.f64\nresult a, b = {" + steps + ", " + steps +
                                  " |> map3(\\x. x * 2)}\n");
  const Space s(p, options());  // ran out of memory
  CHECK(!s.seeds().empty());
}

TEST_CASE("space: chains whose stages read their base and a block of it twice over take no more memory") {
  const std::string steps =
      "u |> iterate(13, \\x. let y = update(x, 1, x |> slide(3, 1) |> map(\\w. w[0] + w[2])) in update(y, n "
      "- 1, y |> "
      "drop(n - 2, 1)))";
  const Program p = parse_program("size n where n >= 5\nparam u : n.f64\nresult a, b = {" + steps + ", " +
                                  steps + " |> map(\\x. x * 2)}\n");
  const Space s(p, options());  // ran out of memory
  CHECK(!s.seeds().empty());
}

TEST_CASE("space: periodic fields go in step, wrapped once, be they updated one by one or as pairs") {
  const auto around = [](const Expr& x) { return x | pad2(1, 1, wrap) | slide2(3, 1); };
  const auto program = [&](bool pairs, std::int64_t n, std::int64_t m, std::int64_t times) {
    const Expr u = param("u", array({Nat(n), Nat(m)}, f64)), v = param("v", u.type());
    const Expr step = fun(Type::tuple({u.type(), u.type()}), [&](const Expr& s) {
      const Expr both = zip_n(2, {around(get(0, s)), around(get(1, s))});
      const auto next_u = [](const Expr& w) { return get(0, w)[0][1] - get(1, w)[1][2]; };
      const auto next_v = [](const Expr& w) { return get(1, w)[2][1] - get(0, w)[1][0]; };
      if (pairs) return unzip_n(2, both | map2([&](Expr w) { return tuple({next_u(w), next_v(w)}); }));
      return tuple({both | map2(next_u), both | map2(next_v)});
    });
    return Program{"periodic", {u, v}, iterate(times, step, tuple({u, v})), {}};
  };
  for (const bool pairs : {false, true}) {
    CAPTURE(pairs);
    check_space(program(pairs, 7, 5, 3), options(), 10, 3);
    check_space(program(pairs, 2, 6, 4), options(), 6, 1);  // fewer planes than steps
    const Space s(program(pairs, 600, 64, 4), options());
    REQUIRE(find(s, "wraps") != nullptr);
    const Derivation d = s.derive(s.seeds().front());
    CHECK(count(d, "wrap-once") == 1);
    CHECK(count(d, "in-step") == 1);
    CHECK(count(d, "in-tiles") == 1);
  }
}

TEST_CASE("space: iterations of pairs, in place, of borders, and below one another") {
  const Expr u = param("u", array({Nat(7), Nat(6)}, f64)), v = param("v", u.type());
  const auto around = [](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1); };
  const auto cross = [](const Expr& w) { return w[0][1] - w[1][0] + w[1][2] - w[2][1]; };
  const auto pairs = [&](std::int64_t times) {
    const Type t = Type::tuple({u.type(), u.type()});
    return Program{"pairs",
                   {u, v},
                   iterate(times,
                           fun(t,
                               [&](Expr s) {
                                 const Expr next = zip_n(2, {get(0, s), around(get(1, s))}) |
                                                   map2([&](Expr x) { return cross(get(1, x)) - get(0, x); });
                                 return tuple({get(1, s), next});
                               }),
                           tuple({u, v})),
                   {}};
  };
  const auto borders = [&](std::int64_t times, bool overwrite) {
    const auto step = [&](Expr t, Expr x) {
      const Expr inner =
          x | slide2(3, 1) | map2([&](Expr w) { return select(eq(t % 2, 0), cross(w), w[1][1] - w[0][0]); });
      return let(update(x, std::vector<Nat>{1, 1}, inner), [&](Expr y) {
        return update(y, std::vector<Nat>{0, 0}, drop(std::vector<Nat>{1, 0}, std::vector<Nat>{5, 0}, y));
      });
    };
    return Program{"borders",
                   {u},
                   iterate(times, fun({i32, u.type()}, step), u),
                   overwrite ? std::vector<std::string>{"u"} : std::vector<std::string>{}};
  };
  const auto column = [&](std::int64_t times, bool overwrite) {
    const auto step = [&](Expr x) {
      return update(x, std::vector<Nat>{0, 5}, x | map([](Expr r) { return r[4]; }) | split(1));
    };
    return Program{"column",
                   {u},
                   iterate(times, fun(u.type(), step), u),
                   overwrite ? std::vector<std::string>{"u"} : std::vector<std::string>{}};
  };
  for (const Target target : {Target::openmp, Target::cuda})
    for (const std::int64_t times : {1, 3, 9, 21}) {
      check_space(pairs(times), options(target), 4, 1);
      for (const bool overwrite : {false, true}) {
        check_space(borders(times, overwrite), options(target), 4, 2);
        check_space(column(times, overwrite), options(target), 4, 1);
      }
    }
  const Program twice{"twice",
                      {u},
                      iterate(19,
                              fun(u.type(),
                                  [&](Expr x) {
                                    return iterate(
                                        3, fun(u.type(), [&](Expr y) { return around(y) | map2(cross); }), x);
                                  }),
                              iterate(2, fun(u.type(), [&](Expr y) { return around(y) | map2(cross); }), u)) |
                          map2([](Expr x) { return x + 1.0; }),
                      {}};
  check_space(twice, options(), 4, 2);
}

TEST_CASE("space: a scan of rows is a loop over time, wherever it starts, but in no map") {
  const auto over_time = [](const std::string& size, const std::string& body) {
    const Program p = parse_program("program p\nparam x : 3.4." + size + ".f64\nparam z : " + size +
                                    ".f64\ndef next(b, r) = zip(b |> pad(1, 1, clamp) |> slide(3, 1), r) |> "
                                    "map(\\(w, v). 0.5 * w[0] + w[2] - v)\nresult y = " +
                                    body + "\n");
    CAPTURE(body);
    check_space(p, options(), 4, 1);
    return step_over_time(p.body, false).has_value();
  };
  for (const std::string scan : {"scan", "scan_back"}) {
    CHECK(over_time("70", "x |> join |> " + scan + "(next, z)"));
    CHECK(over_time("70", "x |> join |> " + scan + "(next, z) |> drop(11, 0) |> join"));
    CHECK(over_time("70", "x |> map(\\p. p |> " + scan + "(next, z))") == false);
    CHECK(over_time("3", "x |> join |> " + scan + "(next, z)") == false);  // few numbers, kept in variables
  }
}

}  // namespace space_iterate_test
