// What spaces do to loops beside the main nest, and the forms that programs are brought into first, where a
// guard stops them.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/flat_form.hpp"
#include "rewrite/space/read_once.hpp"
#include "rewrite/space/update_form.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace lift::space_common_edges_test {
namespace {

/// The rules of a derivation with their arguments, once it is checked that it replays and keeps the meaning.
std::string rules(const Program& p, const Rewriting& r) {
  const Program q = replay(p, parse_derivation(str(r.steps)));
  CHECK(str(q.body) == str(r.program.body));
  const auto values = values_of(p, 1);
  CHECK_MESSAGE(identical(interpret(q.body, values), interpret(p.body, values)), str(r.steps));
  std::string s;
  for (const Step& step : r.steps) {
    s += (s.empty() ? "" : ", ") + step.rule;
    for (const auto& a : step.parameters) s += " " + a.str();
  }
  return s;
}

struct Case {
  std::string result, expected;
};

void check_loops(const std::string& params, const SpaceOptions& o, const OtherLoops& how,
                 const std::vector<Case>& cases) {
  for (const auto& [result, expected] : cases) {
    CAPTURE(result);
    const Program p = parse_program(params + "result = " + result + "\n");
    Deriver d({p, {}});
    run_other_loops(d, program_facts(p, o), how);
    CHECK(rules(p, d.result()) == expected);
  }
}

void check_levels(const std::vector<Case>& cases) {
  for (const auto& [result, expected] : cases) {
    CAPTURE(result);
    const Program p = parse_program("param u, v : 5.7.f64\nparam t : 4.5.7.f64\nresult = " + result + "\n");
    Deriver d({p, {}});
    Place columns;
    REQUIRE(find_place(
        p.body, [](const Expr& e) { return e.is(Op::Map); }, columns));
    levels_outside(d, columns);
    CHECK(rules(p, d.result()) == expected);
  }
}

void check_form(const std::string& params, Rewriting (*form)(Rewriting), const std::vector<Case>& cases) {
  for (const auto& [result, expected] : cases) {
    CAPTURE(result);
    const Program p = parse_program(params + "result = " + result + "\n");
    CHECK(rules(p, form({p, {}})) == expected);
  }
}

}  // namespace

TEST_CASE("space: threads and vectors take loops beside the main nest as far as these can") {
  const std::string params = "param u : 5.7.f64\nparam v : 6.5.f64\nparam t : 4.5.7.f64\n";
  check_loops(
      params, options(), {.width = 4},
      {{"u |> map2(\\x. x + 1)", "map-nest, map-par"},
       {"u |> take(1) |> map2(\\x. x + 1)", "map-nest, map-seq"},
       // what a map goes over is not within it
       {"t |> scan(\\a b. zip2(a, b) |> map2(\\(a, b). a + b), t[0]) |> map(\\p. p |> map2(\\x. 2 * x))",
        "map-par, map-nest, map-seq, map-vec 4, map-nest, map-par, map-vec 4"},
       // sums of short rows go side by side, those of long ones have loops of their own
       {"u |> map(\\r. r |> reduce(add, 0))", "map-vec 4"},
       {"t |> map(\\r. r |> join |> reduce(add, 0))", "map-par"},
       {"v |> map(\\r. r |> map_vec<1>(\\x. x + 1) |> reduce(add, 0))", "map-par"},
       {"u |> map(\\r. {r, r |> map(\\x. x + 1)}) |> unzip", "map-par"}});
  check_loops(params, options(Target::openmp, 8), {.width = 4}, {{"u |> map(\\r. r[0] + r[1])", "map-seq"}});
}

TEST_CASE("space: small blocks are written out within a loop over vectors, where a join puts them in place") {
  const std::string params =
      "param c : 40.2.f64\nparam d : 40.9.f64\nparam u : 3.40.f64\nparam s : 3.3.f64\n"
      "param t : 2.3.40.f64\n";
  const auto blocks = [](const std::string& shape) {
    return "u |> map(\\r. r |> map(\\y. s |> " + shape + " |> map2(\\x. x + y)))";
  };
  const std::string two = "drop2(0, 1)";
  check_loops(
      params, options(), {.width = 4},
      {{"c |> map(\\r. r |> map(\\x. x + 1)) |> join", "map-unroll 2, map-vec 4"},
       {"c |> map(\\r. r |> map(\\x. x + 1))", "map-par"},
       {"c |> map(\\r. r |> take(1) |> map(\\x. x + 1)) |> join", "map-par"},
       {"d |> map(\\r. r |> map(\\x. x + 1)) |> join", "map-par"},
       {blocks(two) + " |> join2", "map-par, map-nest, map-unroll 2, map-unroll 2, map-vec 4"},
       {blocks("reverse") + " |> join2", "map-par, map-seq"},
       {blocks(two) + " |> join", "map-par, map-seq"},
       {blocks(two), "map-par, map-seq"},
       {"t |> map_seq2(\\r. r |> map(\\y. s |> drop2(0, 1) |> map2(\\x. x + y))) |> join2", "map-par"},
       {"u |> map(\\r. let a = r[0] * r[1] in r |> map(\\y. s |> drop2(0, 1) |> map2(\\x. x + y * a))) |> "
        "join2",
        "map-par, map-seq"}});
}

TEST_CASE("space: lines are shared in tiles where they are known to be long, and not shared yet") {
  const std::string params = "param x : 16384.f64\nparam z : 2.16384.f64\noverwrite x, z\n";
  check_loops(
      params, options(), {.width = 4},
      {{"x |> map(\\a. a + 1)", "tile 1024, map-par, map-vec 4"},
       {"x |> drop(0, 1) |> map(\\a. a + 1)", "map-vec 4"},
       {"x |> map(\\a. {a, a + 1})", "tile 1024, map-par, map-vec 4"},
       {"z |> map(\\r. r |> map(\\a. a + 1))", "map-par, map-vec 4"},
       {"update_in_place(z, 0, z |> take(1)) |> join |> map(\\a. a + 1)", "tile 1024, map-par, map-vec 4"},
       {"update_in_place(x, 0, x |> take(1)) |> map(\\a. a + 1)", "tile 1024, map-par, map-vec 4"}});
  check_loops(params, options(), {.parallel = false, .width = 4}, {{"x |> map(\\a. a + 1)", "map-vec 4"}});
  SpaceOptions alone = options();
  alone.threads = 1;
  check_loops(params, alone, {.width = 4}, {{"x |> map(\\a. a + 1)", "map-vec 4"}});
}

TEST_CASE("space: loops of lengths that are not known") {
  const auto made = [](const std::string& text, const SpaceOptions& o) {
    const LiftFile file("size n where n >= 4 " + text, "n.lift");
    const Program p = file.program();
    Deriver d({p, {}});
    run_other_loops(d, program_facts(p, o), {.width = 4});
    const Program five = file.program({{"n", 5}});
    return rules(five, {replay(five, d.result().steps), d.result().steps});
  };
  CHECK(made("param w : n.f64 result = w |> map(\\a. a + 1)", options()) == "map-vec 4");
  const std::string first = "update(w, 1, w |> take(1) |> map(\\x. x + 1))";
  CHECK(made("param w : n.f64 result = " + first, options(Target::opencl)) == "map-seq");
  CHECK(made("param v : 3.n.f64 result = v |> map(\\w. " + first + ")", options(Target::opencl)) ==
        "copy-base, map-glb 0, map-glb 1, map-seq");
}

TEST_CASE("space: on a grid, loops beside the main nest are work-items, or groups of one") {
  const std::string params =
      "param u : 5.40.f64\nparam t : 4.5.40.f64\nparam q : 2.3.4.5.f64\nparam one : 1.40.f64\n";
  const std::string
      both = "\\r. {r |> map(\\x. x + 1), r |> map(\\x. x * 2)}",
      scanned = "u |> scan(\\a b. zip(a, b) |> map(\\(a, b). a + b), u[0]) |> map(\\r. r |> map(\\x. 2 * x))",
      private_rows =
          "map_glb<0>(\\r. let b = to_private(r |> map(\\x. x + 1)) in zip(b, r) |> map(\\(b, x). b * x))",
      local_planes =
          "map_wrg<0>(\\p. let b = to_local(p |> map2(\\x. x + 1)) in zip2(b, p) |> map2(\\(b, x). b * x))";
  check_loops(
      params, options(Target::opencl), {.width = 4},
      {{"q |> map4(\\x. x + 1)", "map-nest, map-nest, map-nest, map-glb 0, map-glb 1, map-glb 2, map-seq"},
       {"one |> map2(\\x. x + 1)", "map-nest, map-glb 0, map-seq"},
       {scanned, "map-glb 0, map-glb 1, map-glb 0"},
       {"u |> " + private_rows, "map-seq, map-glb 1"},
       {"t |> " + local_planes, "map-nest, map-seq, map-vec 4, map-nest, map-wrg 1, map-vec 4"},
       {"t |> map_wrg<0>(\\p. p |> map_seq(\\r. r |> map(\\x. x + 1)))", "map-vec 4"},
       {"t |> map_seq(\\p. p |> take(1) |> map_seq(\\r. r |> map(\\x. x + 1)))", "map-seq"},
       {"one |> map_seq(\\r. r |> map(\\x. x + 1))", "map-glb 0"},
       {"u |> map(" + both + ")", "map-glb 0, map-glb 1, map-glb 1"}});
  check_loops(
      params, options(Target::opencl), {.solo = true, .width = 4},
      {{"q |> map4(\\x. x + 1)", "map-nest, map-nest, map-nest, map-wrg 0, map-wrg 1, map-wrg 2, map-vec 4"},
       {"one |> map2(\\x. x + 1)", "map-nest, map-seq, map-vec 4"},
       {scanned, "map-wrg 0, map-vec 4, map-vec 4"},
       {"u |> map(" + both + ")", "map-wrg 0, map-vec 4, map-vec 4"},
       {"one |> map(" + both + ")", "map-seq, map-vec 4, map-vec 4"},
       {"t |> map_seq(\\p. p |> map(" + both + "))", "map-seq, map-vec 4, map-vec 4"},
       {"t |> map_seq(\\p. p |> map2(\\x. x + 1))", "map-nest, map-seq, map-vec 4"},
       {"one |> map(\\r. r[0] + r[1])", "map-seq"}});
}

TEST_CASE("space: loops over columns go inside what is made of each as far as the laws go") {
  check_levels(
      {{"u |> map(\\r. let s = r |> scan(add, 0) in s[6])", "map-of-let, map-of-scan, let-of-transpose"},
       {"u |> map(\\r. r |> scan(add, 0))", "map-of-scan"},
       {"u |> map(\\r. zip(r |> scan(add, 0), r) |> map(\\(a, b). a - b))",
        "map-of-mapped, map-of-zip, transpose-of-zip, map-of-scan, transpose-of-transpose"},
       {"u |> map(\\r. zip(r |> scan(add, 0), v[0]) |> map(\\(a, b). a - b))",
        "map-of-mapped, map-of-zip, transpose-of-zip, map-of-scan, transpose-of-transpose"},
       {"u |> map(\\r. zip(r |> scan(add, 0), r, r, r) |> map(\\(a, b, c, d). a - b + c - d))",
        "map-of-mapped"},
       {"u |> map(\\r. r |> scan(add, 0) |> reverse |> map(\\x. 2 * x))", "map-of-mapped"},
       {"u |> map(\\r. r |> scan(add, 0) |> map(\\x. 2 * x))",
        "map-of-mapped, map-of-scan, transpose-of-transpose"},
       {"u |> map(\\r. r |> map(\\x. 2 * x) |> scan(add, 0) |> map(\\x. 2 * x))",
        "map-of-mapped, map-of-scan, transpose-of-transpose"},
       {"t |> map(\\r. r |> map2(\\x. 2 * x))", ""},
       {"t |> map(\\r. r |> map(\\x. x |> scan(add, 0)))", "map-of-mapped"},
       {"u |> map(\\r. r |> map(\\x. x + r[0]))", "map-of-maps"},
       {"u |> map(\\r. r |> slide(3, 1) |> map(\\w. w |> map(\\x. x + r[0])))", "map-of-maps"},
       {"u |> map(\\r. r |> scan(add, 0) |> map_seq(\\x. 2 * x))", ""},
       {"u |> map(\\r. r[0])", ""}});
}

TEST_CASE("space: maps lie flat where the laws allow") {
  const std::string params = "param u : 6.8.f64\nparam t : 2.3.4.f64\n";
  check_form(
      params, in_flat_form,
      {
          {"u |> join |> map(\\x. x + 1) |> split(8)", "map-of-join, split-of-join, map-flatten"},
          {"u |> join |> map(\\x. x + 1) |> split(4)", ""},
          {"u |> join |> split(4)", ""},
          {"u |> map(\\r. r |> map(\\x. x + 1))", "map-flatten"},
          {"u |> map(\\r. r |> map(\\x. x + r[0]))", ""},
          {"u |> slide2(2, 1) |> map2(\\w. w[0, 0]) |> map(\\r. r |> map(\\x. x + 1))", "map-flatten"},
          {"t |> join |> map2(\\x. x + 1) |> split(3)", ""},
          {"t |> join |> map(\\r. r |> reverse) |> split(3)", "map-of-join, split-of-join, map-flatten"},
          {"t |> map2(\\r. r |> map(\\x. x + 1))", ""},
      });
}

TEST_CASE("space: what has a name stays stored unless each element is read once") {
  const std::string params = "param u : 5.7.f64\nparam p : 3.4.5.f64\n",
                    m = "u |> map(\\r. let m = r |> map(\\x. x + 1) in ";
  check_form(
      params, with_read_once_inlined,
      {
          {m + "m)", ""},
          {m + "r |> scan(\\a b. a + b, m[0]))", ""},
          {m + "r |> scan(\\a b. a * m[0] + b, 1.0))", ""},
          {m + "m |> slide(2, 1) |> scan(\\a w. a + w[0] - w[1], 1.0))", ""},
          {m + "m |> scan(\\a b. a + b, 1.0))", "let-inline"},
          {"u |> map(\\r. let m = r |> map(\\x. {x, x + 1}) in m |> unzip |> \\(a, b). a |> map(\\x. 2 * x))",
           ""},
          {"u |> map(\\r. let m = r |> map(\\x. {x, x + 1}) in (m |> unzip).0 |> map(\\x. 2 * x))",
           "let-inline"},
          {"p |> map(\\r. let m = r |> map2(\\x. x + 1) in m[1] |> map(\\x. 2 * x))", ""},
          {"let m = u |> map2(\\x. sqrt(x * x)) in m |> map(\\r. r |> scan(add, 0))", "let-inline"},
          {"let m = u |> map2(\\x. exp(x)) in m |> map(\\r. r |> scan(add, 0))", ""},
          {"let m = u |> map2(\\x. x + 1) in let b = u |> map2(\\x. x - 1) in zip2(m, b) |> map(\\r. r |> "
           "scan(\\a (b, c). a + b * c, 0.0))",
           "let-inline, let-inline"},
          {"let m = u |> map2(\\x. x + 1) in let b = u |> map(\\r. r |> reduce(add, 0)) in zip(m, b) |> "
           "map(\\(r, s). r |> scan(\\a x. a + x, s))",
           "let-of-maps"},
      });
}

TEST_CASE("space: updates of updates get names where that lets them be in place") {
  const std::string params = "param u, v, w : 6.8.f64\noverwrite u, v\n";
  const auto grid = [](Rewriting r) { return in_update_form(r, true); };
  const auto threads = [](Rewriting r) { return in_update_form(r, false); };
  const std::string twice = "update(update(w, 1, u |> take(1)), 3, v |> take(1))";
  check_form(
      params, grid,
      {{"update(u, 1, update_in_place(v, 0, u |> take(1)) |> take(1))", "identity-map 2"},
       {"update2(zip2(u, w), 1, zip2(v, u) |> drop2(1, 1))", ""},
       {"update(u, 1, u |> take(1))", "identity-map 2"},
       {"update(update(u, 1, u |> take(1)), 3, v |> take(1))", "let-base, identity-map 2, identity-map 2"},
       {twice, "identity-map 2"}});
  check_form(
      params, threads,
      {{"update(u, 1, update_in_place(v, 0, u |> take(1)) |> take(1))", "identity-map 2"},
       {"update(update(u, 1, u |> take(1)), 3, v |> take(1))", "let-base, identity-map 2, identity-map 2"},
       {twice, "let-base, identity-map 2, identity-map 2"},
       {"let a = v |> map2(\\x. x + 1) in update(update(a, 1, u |> take(1)), 3, a |> take(1))", "let-base"},
       {"{" + twice + ", update(w, 1, u |> take(1)), update(u, 2, v |> take(1))}",
        "identity-map 2, identity-map 2, identity-map 2"}});
}

TEST_CASE("space: a block that updates in place what may not be overwritten gets no map") {
  Program p = parse_program(
      "param u, v : 6.8.f64\noverwrite v\n"
      "result = update(u, 1, update_in_place(v, 0, u |> take(1)) |> take(1))\n");
  CHECK(rules(p, in_update_form({p, {}}, false)) == "identity-map 2");
  p.overwritable.clear();
  CHECK(rules(p, in_update_form({p, {}}, false)).empty());
}

}  // namespace lift::space_common_edges_test
