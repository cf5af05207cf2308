// Which arrays overwrite-dead overwrites, and which it must not: what each program makes of its updates is
// well-formed, and its loops compute what the interpreter does, without races.
#include "ir/expr/attributes.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/rewrite/rule_cases.hpp"

using namespace lift;
using namespace lift::test;

namespace overwrite_dead_test {
namespace {

struct Case {
  std::string declared, result;
  int in_place;         ///< updates in place afterwards
  int own;              ///< arrays that are made to be overwritten: to_global
  int first_steps = 0;  ///< iterations that are written out by their first step
};

/// Arrays of 40 elements: those of few are kept in variables.
const std::string x = "param x : 40.f64\noverwrite x", of_caller = "param x : 40.f64",
                  xy = "param x, y : 40.f64\noverwrite x, y", both_of_caller = "param x, y : 40.f64";

Program program_of(const Case& c) {
  return parse_program("program p\n" + c.declared +
                           "\ndef u(x) = update(x, 1, x |> drop(1, 1) |> map(\\v. v + 1.0))\n"
                           "def sums(x, y) = zip(x, y) |> map(\\(a, b). a + b)\nresult = " +
                           c.result,
                       "p.lift");
}

/// However often a part is shared.
int count_all(const Expr& e, const std::function<bool(const Expr&)>& such) {
  int n = such(e) ? 1 : 0;
  for (const Expr& c : e.children()) n += count_all(c, such);
  return n;
}

void check_overwritten(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    CAPTURE(c.result);
    const Program p = program_of(c);
    const Program q = check_made({"overwrite-dead", "", "", ""}, p);
    CAPTURE(str(q.body));
    const auto all = [&](const auto& such) { return count_all(q.body, such); };
    CHECK(all([](const Expr& e) { return e.is(Op::UpdateInPlace); }) == c.in_place);
    CHECK(all([](const Expr& e) { return e.is(Op::ToGlobal); }) == c.own);
    CHECK(all([](const Expr& e) { return e.is(Op::Iterate) && iterate_times(e) == Nat(1); }) ==
          c.first_steps);
    run(q);
  }
}
void check_kept(std::initializer_list<std::pair<std::string, std::string>> programs) {
  for (const auto& [declared, result] : programs)
    check_refused({"overwrite-dead", "", "", "nothing may be overwritten that is not overwritten already"},
                  program_of({declared, result, 0, 0}));
}

}  // namespace

TEST_CASE("overwrite-dead: updates of arrays that are named, stored, or overwritten before") {
  const std::string doubled = "x |> map(\\v. v * 2.0)";
  check_overwritten({
      {x, "let a = to_global(u(x)) in u(a)", 2, 1},
      {of_caller, "let a = to_global(" + doubled + ") in u(a)", 1, 1},
      {of_caller, "let a = " + doubled + " in u(a)", 1, 1},
      {of_caller, "let a = to_global(to_global(u(x))) in to_global(u(a))", 1, 3},
      {x, "let a = update_in_place(x, 1, x |> drop(1, 1) |> map(\\v. v * 3.0)) in u(a)", 2, 0},
      // A base that is a view of the argument.
      {x, "let a = update_in_place(x |> reverse |> reverse, 1, x |> drop(1, 1) |> map(\\v. v * 3.0)) in u(a)",
       2, 1},
      // A block that is made of another update of the array that is overwritten with it.
      {xy, "update(x, 0, update(y, 1, y |> drop(1, 1) |> map(\\v. v + 1.0)))", 1, 0},
      {x, "let s = sum(x) in let a = u(x) in a |> map(\\v. v * s)", 1, 0},
      {x, "let a = u(x) in let b = u(x) in {a, b}", 1, 0},
      {x, "let a = u(x) in {u(a), sum(x)}", 1, 1},
  });
  check_kept({
      {of_caller, "let a = to_private(" + doubled + ") in u(a)"},
      {x, "{u(x), u(x)}"},
      {x, "let v = x |> reverse in let a = u(x) in zip(a, v)"},
      {x, "let a = u(x) in let s = sum(x) in a |> map(\\v. v * s)"},
      // The block is computed from other elements of the array than those that it replaces.
      {x, "update(x, 0, update(x |> reverse, 1, x |> drop(1, 1)))"},
      {xy, "let t = zip(x, y) |> map(\\(a, b). {a + b, a - b}) in update(t, 1, t |> drop(1, 1))"},
  });
}

TEST_CASE("overwrite-dead: iterations in what they are given, or in an array of their own") {
  const std::string steps = " |> iterate(3, \\c. u(c))", doubled = "x |> map(\\v. v * 2.0)";
  check_overwritten({
      {x, "let q = to_global(x" + steps + ") in q |> map(\\v. v * 2.0)", 1, 1},
      {of_caller, "x" + steps, 1, 0, 1},
      {of_caller, "let a = " + doubled + " in let q = a" + steps + " in q |> map(\\v. v + 1.0)", 1, 1},
      {of_caller, "let a = to_private(" + doubled + ") in let q = a" + steps + " in q |> map(\\v. v + 1.0)",
       1, 0, 1},
      {of_caller, "let a = " + doubled + " in let q = a" + steps + " in sums(a, q)", 1, 0, 1},
      // What comes after lies in the same array, where there is one.
      {x, "let q = x" + steps + " in u(q)", 2, 0},
      {of_caller, "let q = x" + steps + " in u(q)", 2, 1, 1},
      {of_caller, "let q = " + doubled + steps + " in u(q)", 2, 1, 1},
      {of_caller, "let q = x |> iterate(3, \\c. c |> reverse |> map(\\v. v * 2.0)) in u(q)", 1, 1},
      // Two components begin with one array.
      {x, "{x, x} |> iterate(3, \\(a, b). {u(a), u(b)})", 2, 0, 1},
      {both_of_caller, "let a = " + doubled + " in {a, y} |> iterate(3, \\(p, q). {u(p), u(q)})", 2, 0, 1},
  });
  check_kept({{of_caller, "let a = " + doubled +
                              " in let q = a |> iterate(3, \\c. zip(u(c), a) |> map(\\(c, a). c * a)) in q "
                              "|> map(\\v. v + 1.0)"}});
}

TEST_CASE("overwrite-dead: iterations within steps overwrite the state that they become") {
  const auto twice = [](const std::string& step) { return "{x, y} |> iterate(2, \\(a, b). " + step + ")"; };
  const std::string q = "let q = b |> iterate(3, \\c. u(c)) in ";
  check_overwritten({
      {xy, twice(q + "{sums(a, q), q}"), 2, 0},
      {xy, twice("{u(a), b |> iterate(3, \\c. u(c))}"), 2, 0},
      // Handed on in another place, or made anew of what the iteration makes.
      {xy, twice(q + "{q, a}"), 1, 0, 1},
      {xy, twice(q + "{sums(a, q), q |> map(\\v. v * 2.0)}"), 3, 0, 1},
      {xy, twice(q + "sums(a, q) |> map(\\v. {v, v * 2.0}) |> unzip"), 1, 0, 1},
      // Read again for another component.
      {xy, twice(q + "{sums(a, b), q}"), 2, 0, 1},
  });
}

TEST_CASE("overwrite-dead: components of a state that are made anew") {
  const auto steps = [](const std::string& step) { return "{x, y} |> iterate(3, \\(a, b). " + step + ")"; };
  check_overwritten({
      // What is read for several components stays: they are computed in any order.
      {xy, steps("{a |> map(\\v. v * 2.0), sums(a, b)}"), 1, 0},
      {xy, steps("{a |> reverse, u(b)}"), 1, 0},
      {xy, steps("{a |> reverse |> map(\\v. v * 2.0), u(b)}"), 1, 0},
      {xy, steps("let c = sums(a, b) in {c, c}"), 1, 0},
      {xy, steps("let c = sums(a, b) in {c, u(c)}"), 2, 0},
      {xy, steps("let c = sums(a, b) in let d = u(c) in {d, b}"), 2, 0},
      // What a program says itself: a lies under c, of which the first component is made.
      {xy,
       steps("let c = update_in_place(a, 1, a |> drop(1, 1) |> map(\\v. v + 1.0)) in {c |> map(\\v. v * "
             "2.0), b |> map(\\v. v + 3.0)}"),
       2, 0},
      // Several steps of two arrays within a step.
      {xy,
       steps("let t = {a, b} |> iterate(2, \\(p, q). {q, sums(p, q)}) in let c = u(a) in {c, sums(t.1, b)}"),
       1, 0},
      // A component that is several itself.
      {"param x, y, z : 40.f64\noverwrite x, y, z",
       "{x, {y, z}} |> iterate(3, \\(a, (b, c)). {a |> map(\\v. v * 2.0), {b |> map(\\v. v * 2.0), u(c)}})",
       1, 0},
  });
  check_kept({{xy, steps("let t = {a, b} |> iterate(2, \\(p, q). {q, sums(p, q)}) in let c = u(a) in "
                         "{sums(c, t.0), t.1}")}});
}

TEST_CASE("overwrite-dead: an array in the memory of a work-group is not given memory of its own") {
  const std::string groups =
      "param x : 3.40.f64\noverwrite x\nresult = x |> map_wrg<0>(\\r. r |> iterate(2, \\s. let t = HOME(s |> "
      "map_lcl<0>(\\v. v * 2.0)) in "
      "update(t, 1, t |> drop(1, 1) |> map_lcl<0>(\\v. v + 1.0))))";
  const auto in = [&](const std::string& home) {
    std::string s = groups;
    return s.replace(s.find("HOME"), 4, home);
  };
  // The state takes what is made of it; only what lies in global memory goes there itself.
  check_made({{"overwrite-dead", "step", in("to_local"), "0, update("},
              {"overwrite-dead", "step", in("to_private"), "0, update("},
              {"overwrite-dead", "step", in("to_global"), "in update_in_place("}});
}

}  // namespace overwrite_dead_test
