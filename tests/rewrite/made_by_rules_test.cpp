// What rules make of programs at the edges of what they take: it means what was there before.
#include "tests/lower/run_program.hpp"
#include "tests/rewrite/rule_cases.hpp"

using namespace lift;
using namespace lift::test;

namespace made_by_rules_test {
namespace {

const std::string line = "param x : 8.f64\nresult = ";
const std::string wrapped =
    "def s(x) = x |> pad(1, 1, wrap) |> slide(3, 1) |> map(\\w. w[0] + 2.0 * w[2])\nresult = ";

}  // namespace

TEST_CASE("made: arrays of other blocks are taken apart into those of the first") {
  check_made({{"zip-of-join", "", "param x : 4.2.f64\nparam y : 2.4.f64\nresult = zip(x |> join, y |> join)",
               "y |> join |> split(2)"},
              {"zip-of-join", "", "param x, y : 4.2.f64\nresult = zip(x |> join, y |> join)", "zip(x, y)"}});
}

TEST_CASE("made: layouts of what is computed without a map") {
  check_made({{"in-layout rows 8 0", "", line + "x |> scan(\\a v. a + v, 0.0)", "layout(rows 8 0"},
              {"in-layout rows 8 0", "", line + "x |> iterate(2, \\x. x |> reverse)", "layout(rows 8 0"},
              {"in-layout rows 8 0", "",
               "param x : 3.4.f64\nparam z : 4.f64\nresult = x |> reduce(\\a r. r, z)", "layout(rows 8 0"},
              {"layout rows 8 0", "", line + "x", "layout(rows 8 0, x)"},
              {"layout split 2 1", "", "param x : 4.4.f64\nresult = x |> map(sum)",
               "layout(split 2 1, x) |> map("}});
}

TEST_CASE("made: strides by a modulus that is a length, below names") {
  const auto guarded = [](const std::string& modulus) {
    return "param x : 8.f64\noverwrite x\nresult = update_in_place(x, 0, zip(iota(8), x) |> map_seq(\\(i, "
           "v). let k = i + 1 "
           "in select(k % " +
           modulus + " == 0, v * 3.0, v)))";
  };
  check_made({{"strided 2", "map_seq", guarded("nat(2)"), "map_seq<strided 2>"},
              {"strided 2", "map_seq", guarded("2"), "map_seq<strided 2>"}});
  for (const char* modulus : {"nat(2)", "2", "(i + 1)"})  // every third, then the others
    run(check_made({"strided 3", "map_seq", guarded(modulus), "map_seq<strided 3>"},
                   RuleCase{"", "", guarded(modulus), ""}.program()));
  check_refused(
      {{"strided 2", "map_glb",
        "param x : 8.f64\nresult = zip(iota(8), x) |> map_glb<0>(\\(i, v). select(i % nat(3) == 0, v, 0.0))",
        "does not select by an index modulo 2"},
       {"strided 2", "map_glb",
        "param x : 8.f64\nresult = zip(iota(8), x) |> map_glb<0>(\\(i, v). select(i % (i + 1) == 0, v, 0.0))",
        "does not select by an index modulo 2"},
       {"strided 2", "map_glb",
        "param x : 8.f64\nresult = zip(iota(8), x) |> map_glb<0>(\\(i, v). select(i % 2 == 0, v, 0.0))",
        "use update-in-place first"}});
}

TEST_CASE("made: stages that are read in parts, or for one of several arrays") {
  check_made({
      {"let-of-maps", "",
       "param x, y : 8.f64\nresult = let p = zip(x, y) |> map(\\(a, b). a * b) in zip(p |> drop(1, 0), x |> "
       "drop(1, 0)) |> map(\\(a, b). a + b)",
       "zip(x |> drop(1, 0), y |> drop(1, 0))"},
      {"let-of-maps", "", line + "let p = x |> map(\\v. v + 1.0) in (p |> map(\\v. {v, v * 2.0}) |> unzip).1",
       "x |> map("},
  });
}

TEST_CASE("made: what an iteration begins with has a name where it is computed") {
  const std::string twice = " |> iterate(2, \\x. x |> map(\\v. v * 0.5))";
  check_made({
      {"iterate-chain", "", line + "x |> scan(\\a v. a + v, 0.0)" + twice, "let xs = x |> scan("},
      {"iterate-chain", "", "param x : 3.4.f64\nparam z : 4.f64\nresult = x |> reduce(\\a r. r, z)" + twice,
       "|> reduce("},
      {"iterate-chain", "", line + "x |> iterate(3, \\x. x |> reverse)" + twice, "let xs = x |> iterate(3"},
      {"iterate-chain", "", line + "x |> reverse" + twice, "let xs = x |> reverse |> map("},
  });
}

TEST_CASE("made: of updates of updates, in a tuple the first") {
  const std::string both = "update(update(x, 1, x |> take(2)), 3, x |> take(1))";
  const std::string other = "update(update(x, 2, x |> take(3)), 0, x |> take(1))";
  check_made({{"let-base", "", line + "{x, " + both + "}", "update(x, 1,"},
              {"let-base", "", line + "{" + both + ", " + other + "}", "update(x, 1,"},
              {"let-base", "", line + "{" + both + ", " + both + "}", "update(x, 1,"}});
}

TEST_CASE("made: periods of stages, however they are written") {
  const std::string of_ten = "param x : 10.f64\n" + wrapped;
  check_made({
      {"wrap-once", "", of_ten + "let a = to_global(s(x)) in s(a)", "pad(2, 2, wrap)"},
      // Windows of more than is known, and of what a boundary adds.
      {"wrap-once", "",
       of_ten + "let a = s(x) in let b = a |> pad(1, 1, clamp) |> slide(1, 1) |> map(\\w. w[0]) in s(b)",
       "pad(1, 1, clamp)"},
      {"wrap-once", "", of_ten + "let a = s(x) in let b = a |> slide(1, 1) |> map(\\w. w[0]) in s(b)",
       "pad(2, 2, wrap)"},
      // Several arrays of one stage, of which fewer planes are read than of another one.
      {"wrap-once", "", of_ten + "let t = {s(x), x |> map(\\v. v + 2.0)} in let b = s(t.0) in zip(s(b), t.1)",
       "drop(2, 2)"},
      {"wrap-once", "",
       of_ten + "let t = s(x) |> map(\\v. {v, v * 2.0}) |> unzip in let b = s(t.0) in zip(s(b), t.1)",
       "drop(2, 2)"},
      // A number beside an array.
      {"wrap-once", "",
       of_ten + "let t = {s(x), sum(x)} in let b = s(t.0) in zip(s(b), t.0) |> map(\\(a, b). a + b * t.1)",
       "pad(2, 2, wrap)"},
  });
  // Windows of the whole array, of sizes that are not known.
  const std::string unknown = "size n = 8 where n >= 4\nparam x : n.f64\n" + wrapped;
  check_made({
      {"wrap-once", "",
       unknown +
           "let a = s(x) in let b = a |> pad(n, 1, wrap) |> slide(n + 2, 1) |> map(\\w. w[0] + w[1]) in s(b)",
       "slide(n + 2, 1) |> pad(1, 1, wrap)"},
      {"wrap-once", "",
       unknown +
           "let a = s(x) in let b = a |> pad(1, n, wrap) |> slide(n + 2, 1) |> map(\\w. w[0] + w[1]) in s(b)",
       "slide(n + 2, 1) |> pad(1, 1, wrap)"},
  });
  const std::string plane =
      "param x : 4.6.f64\ndef s(x) = x |> pad2((0, 1), (0, 1), wrap) |> slide2((1, 3), 1) |> map2(\\w. w[0, "
      "0] + 2.0 * w[0, 2])\n"
      "def rows(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. zip(w[0], w[2]) |> map(\\(a, b). a + "
      "b))\nresult = ";
  check_made(
      {{"wrap-once-along 1", "", plane + "let a = s(x) in let b = rows(a) in s(b)", "wrap"},
       {"wrap-once-along 1", "", plane + "let a = s(x) in s(a)", "pad2((0, 2), (0, 2), wrap)"},
       // Another axis than that of the windows that it goes over.
       {"wrap-once-along 1", "",
        plane + "let a = s(x) in let b = a |> slide(3, 1) |> map2(\\r. r[0] + r[4]) in s(b)", "wrap"}});
}

TEST_CASE("made: rings of stages that had arrays of their own") {
  const std::string s = "def s(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])\nresult = ";
  const std::string rows =
      "def s(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. zip(w[0], w[2]) |> map(\\(a, b). a + "
      "b))\nresult = ";
  const std::string stages = "let a = to_global(s(x)) in let b = s(a) in s(b)";
  for (const RuleCase& c :
       {RuleCase{"rings", "", "param x : 8.f64\n" + s + stages, "ring"},
        RuleCase{"rings-in-turns 3", "", "param x : 8.6.f64\n" + rows + stages, "ring"}}) {
    const Program q = check_made(c, c.program());
    CHECK(!contains(q.body, [](const Expr& e) { return e.is(Op::ToGlobal); }));
  }
}

TEST_CASE("made: steps within steps along another axis than the second") {
  const RuleCase c{"in-step 0 1", "",
                   "param x : 5.4.6.f64\ndef s(x) = x |> pad3(1, 1, clamp) |> slide3(3, 1) |> map3(\\w. w[0, "
                   "1, 1] + w[1, 2, 1] + "
                   "w[2, 1, 1])\nresult = let a = s(x) in let b = s(a) in s(b)",
                   "band<skewed>(0, 1, (0, 1, 2)) |> band<skewed>(2, 1, ", "in-step 2 1 at body"};
  run(check_made(c, c.program()));
}

TEST_CASE("made: in place through pads by nothing") {
  const RuleCase c{"update-in-place", "",
                   "param x : 8.f64\noverwrite x\nresult = update(x |> pad(0, 0, clamp) |> pad(0, 0, wrap), "
                   "1, x |> drop(1, 1) |> map(\\v. v * 2.0))",
                   "update_in_place(x, 1,"};
  run(check_made(c, c.program()));
}

TEST_CASE("made: what a scan makes of itself alone comes before the columns") {
  const auto columns = [](const std::string& step, const std::string& start) {
    return "param x : 6.4.f64\nresult = x |> map(\\r. r |> scan(\\c y. " + step + ", " + start + "))";
  };
  const std::string first = "let xs = generate(4, \\i. i) |> scan(", none = "needs a scan within a map";
  check_made({
      {"scan-fission", "", columns("{c.0 * 0.5, c.1 + y}", "{1.0, 0.0}"), first + "\\acc y. acc * 0.5, 1.0)"},
      // A step that is no tuple by itself, and hands on what it was given.
      {"scan-fission", "", columns("c", "{1.0, r[0]}"), first + "\\acc y. acc, 1.0)"},
      {"scan-fission", "",
       columns("{c.0 + ([1.0, 2.0] |> reduce(\\a b. a + b, 0.0)), c.1 + y}", "{1.0, 0.0}"), first},
      // Arrays and tuples that it is used for.
      {"scan-fission", "",
       columns("{c.0 * 0.5, [1.0, 2.0] |> map(\\v. v * c.0 + c.1[0] + y)}", "{1.0, [0.0, 0.0]}"), first},
      {"scan-fission", "", columns("{c.0 * 0.5, {c.0 * 0.5, c.1.1 + y}}", "{1.0, {0.0, 0.0}}"),
       "map(\\y. y * 0.5)"},
      // The same term at several places is one factor.
      {"scan-fission", "",
       columns("{c.0 * 0.5, c.1 + c.0 * 0.5 * y + (c.0 * 0.5 + 1.0) * y + c.0 * 0.5}", "{1.0, 0.0}"),
       "map(\\y. {y * 0.5, y * 0.5 + 1.0})"},
      {"scan-fission", "", columns("{c.0 * 0.5, c.1 + 1.0, c.2 + c.0 + c.1 + y}", "{1.0, 2.0, 3.0}"), first},
      // What is bound outside of the columns is the same for all of them.
      {"scan-fission", "map",
       "param x : 6.4.f64\nparam k : 3.f64\nresult = k |> map_seq(\\m. x |> map(\\r. r |> scan(\\c y. {c.0 + "
       "([1.0, 2.0] |> reduce(\\a b. a + b * m, 0.0)), c.1 + y}, {m, 0.0})))",
       "map_seq"},
  });
  check_refused({
      {"scan-fission", "", columns("{c.1 * 0.5, c.0 + y}", "{1.0, 2.0}"), none},
      {"scan-fission", "", columns("{c.0 * 0.5, c.1 + y}", "{r[0], 0.0}"), none},
      // The element, and variables of the columns, are used within functions.
      {"scan-fission", "",
       columns("{c.0 + ([1.0, 2.0] |> reduce(\\a b. a + b * y, 0.0)), c.1 + y}", "{1.0, 0.0}"), none},
      {"scan-fission", "",
       columns("{c.0 + ([1.0, 2.0] |> reduce(\\a b. a + b * r[1], 0.0)), c.1 + y}", "{1.0, 0.0}"), none},
      {"scan-fission", "",
       "param x : 6.4.f64\nparam k : 3.f64\nresult = k |> map(\\m. x |> map(\\r. r |> scan(\\c y. {c.0 * m, "
       "c.1 + y}, {1.0, 0.0})))",
       none},
      // All of what was before is one value, so that no component of it can go.
      {"scan-fission", "", columns("{c.0 * 0.5, let t = c in t.1 + y * t.0}", "{1.0, 0.0}"), none},
      {"scan-fission", "", columns("{[y, y], c.1 + y}", "{[1.0, 2.0], 0.0}"), none},
      {"scan-fission", "", columns("{c.0 + y}", "{1.0}"), none},
  });
}

TEST_CASE("made: steps overwrite of their state what they hand on in its place") {
  const std::string ab =
      "param a, b : 8.f64\noverwrite a, b\ndef u(a) = update(a, 1, a |> drop(1, 1) |> map(\\v. v + "
      "1.0))\nresult = {a, b} |> iterate(3, ";
  const std::string none = "no stage may overwrite its base";
  const RuleCase kept{"overwrite-bases", "step", ab + "\\(a, b). let c = u(a) in {c, b})", "update_in_place"};
  run(check_made(kept, kept.program()));
  check_refused({{"overwrite-bases", "step", ab + "\\(a, b). let c = u(a) in {b, c})", none},
                 {"overwrite-bases", "step",
                  ab + "\\(a, b). let c = u(b) in zip(c, a) |> map(\\(p, q). {q, p}) |> unzip)", none},
                 {"overwrite-bases", "step", ab + "\\(a, b). let c = u(a) in {b, b})", none}});
}

}  // namespace made_by_rules_test
