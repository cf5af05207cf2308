// What is allowed of rows that go abreast or in turns, of one work-group a box, of inner loops and of tiles
// in two phases: each guard by a program, or a choice, that it admits and one that differs in what it asks
// for.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::space_rows_edges_test {
namespace {

using namespace test;

Program of(const std::string& text) { return parse_program(text, "edges.lift"); }
Values offered(const Space& s, const std::string& name) {
  Values r;
  if (const Parameter* p = find(s, name))
    for (const Setting& v : p->values) r.push_back(p->key->text(v));
  return r;
}
/// The steps; why it is refused, where it is.
std::string steps(const Space& s, const Configuration& c) {
  try {
    return str(s.derive(c));
  } catch (const UserError& e) {
    return e.what();
  }
}
bool has_step(const Space& s, const Configuration& c, const std::string& step) {
  return ("\n" + steps(s, c)).find("\n" + step) != std::string::npos;
}
void check_meaning(const Space& s, const Configuration& c) {
  const auto values = values_of(s.program(), 1);
  check_configuration(s, c, interpret(s.program().body, values), values);
}

/// Nine rows, of which each is made of the one before (`above`) and of a row of x.
std::string rows(const std::string& columns, const std::string& row, const std::string& sizes = "") {
  const std::string type = columns + ".f64";
  return sizes + "param x : 9." + type + "\nparam first : " + type + "\nresult y : 9." + type +
         " = x |> scan(\\above row. " + row + ", first)\n";
}
const std::string kNext = "zip(above, row) |> map(\\(a, s). s - a)",
                  kChain = kNext + " |> scan(\\l s. 0.5 * l + s, row[0])";
/// Reads so far to the right of the row before.
std::string to_the_right(int n) {
  return "zip(above |> pad(0, " + std::to_string(n) + ", clamp) |> slide(" + std::to_string(n + 1) +
         ", 1), row) |> map(\\(w, s). s + w[0] - w[" + std::to_string(n) +
         "]) |> scan(\\l s. 0.5 * l + s, row[0])";
}
const char* const kAny = "size n where n >= 4\n";
/// Rows of pairs: more numbers than columns.
const char* const kPairs =
    "param x : 9.20.f64\nresult a, b : {9.20.f64, 9.20.f64} = x |> scan(\\above row.\n"
    "  zip(above, row) |> map(\\((h, l), s). {s - h, l + s})\n"
    "  |> scan(\\(p, q) (h, l). {0.5 * p + h, l - q}, {0.0, 0.0}), generate(20, \\i. {f64(i), 0.0})) |> "
    "unzip2\n";
SpaceOptions of_threads(int n) {
  SpaceOptions o = options();
  o.threads = n;
  return o;
}

}  // namespace

TEST_CASE("decisions: which rows go abreast, in turns or not, and in steps of how many columns") {
  struct Case {
    std::string text;
    int threads;
    Values rows, columns;  // none: not decided
  };
  for (const Case& c : {
           Case{rows("130", kChain), 2, {"one", "4", "2", "8", "1"}, {"all", "64", "32", "16"}},
           Case{rows("130", kChain), 1, {"one", "4", "2", "8"}, {"all", "64", "32", "16"}},
           Case{rows("130", kNext), 2, {"one", "1"}, {"all", "64", "32", "16"}},
           Case{rows("130", kNext), 1, {}, {}},
           Case{rows("130", to_the_right(2)), 2, {"one", "4", "2", "8"}, {"all", "64", "32", "16"}},
           Case{rows("400", to_the_right(40)), 2, {"one", "4", "2", "8"}, {"all", "64", "128"}},
           Case{rows("40", kChain), 2, {"one", "4", "2", "8", "1"}, {"all", "16"}},
           Case{kPairs, 2, {"one", "4", "2", "8", "1"}, {"all", "16"}},
           Case{rows("n", kChain, kAny),
                2,
                {"one", "4", "2", "8", "1"},
                {"all", "64", "32", "128", "256", "16"}},
       }) {
    CAPTURE(c.text);
    CAPTURE(c.threads);
    const Space s(of(c.text), of_threads(c.threads));
    CHECK(offered(s, "rows") == c.rows);
    CHECK(offered(s, "columns") == c.columns);
  }
}

TEST_CASE("decisions: rows that go abreast, in words and steps") {
  struct Case {
    std::string text;
    int threads;
    Configuration chosen;
    std::string words, abreast, turns;  // none: no such step
  };
  const Configuration one{{"rows", "one"}}, single{{"rows", "1"}, {"columns", "16"}},
      two{{"rows", "2"}, {"columns", "32"}};
  for (const Case& c : {
           Case{rows("130", kChain), 2, one, "seq", "", ""},
           Case{rows("130", kChain), 2, two, "seq, rows abreast, columns in turns", "rows-abreast 2 32 ",
                "rows-in-turns 96 "},
           Case{rows("130", kChain), 2, single, "seq, columns in turns", "rows-abreast 1 16 ",
                "rows-in-turns 80 "},
           Case{rows("130", kChain), 1, two, "seq, rows abreast", "rows-abreast 2 32 ", ""},
           Case{rows("130", to_the_right(2)), 2, two, "seq, rows abreast", "rows-abreast 2 32 ", ""},
           Case{rows("n", kChain, kAny), 2, two, "seq, rows abreast, columns in turns", "rows-abreast 2 32 ",
                "rows-in-turns 2048 "},
       }) {
    CAPTURE(c.text);
    CAPTURE(c.threads);
    const Space s(of(c.text), of_threads(c.threads));
    CHECK(s.structure(c.chosen) == c.words);
    CHECK(has_step(s, c.chosen, "rows-abreast") == !c.abreast.empty());
    CHECK(has_step(s, c.chosen, "rows-in-turns") == !c.turns.empty());
    CHECK(has_step(s, c.chosen, c.abreast));
    CHECK(has_step(s, c.chosen, c.turns));
    if (c.text.find("size") == std::string::npos) check_meaning(s, c.chosen);
  }
}

TEST_CASE("decisions: rows go in turns where threads share no loop within them; both or neither are chosen") {
  const Space s(of(rows("130", kNext)), options());
  const Configuration shared{{"tile", "i64"}, {"parallel", "ii"}},
      alone{{"tile", "i64"}, {"parallel", "none"}};
  CHECK(s.allowed_texts(shared, "rows") == Values{"one"});
  CHECK(s.allowed_texts(alone, "rows") == Values{"one", "1"});
  CHECK(s.allowed_texts({{"rows", "one"}}, "columns") == Values{"all"});
  CHECK(s.allowed_texts({{"rows", "1"}}, "columns") == Values{"64", "32", "16"});
  check_meaning(s, {{"parallel", "none"}, {"rows", "1"}, {"columns", "32"}});
  check_meaning(s, {{"tile", "i64"}, {"parallel", "ii"}});
}

namespace {

std::string swept(const std::string& type, const std::string& sweep, const std::string& use,
                  const std::string& more = "") {
  return more + "param u : " + type + ".f64\noverwrite u\ndef sweep(x) = " + sweep +
         "\nresult = let a = " + use + " in " + (use == "sweep(u)" ? "sweep(a)" : "a |> map(sweep)") + "\n";
}
/// Two sweeps over each of some boxes; over one array.
std::string in_boxes(const std::string& type, const std::string& sweep, const std::string& more = "") {
  return swept(type, sweep, "u |> map(sweep)", more);
}
std::string alone(const std::string& type, const std::string& sweep, const std::string& more = "") {
  return swept(type, sweep, "sweep(u)", more);
}

/// Red-black cells of lines, planes and boxes within borders.
std::string line(const std::string& n, const std::string& rule = "update") {
  return rule + "(x, 1, zip(iota(" + n +
         "), x |> slide(3, 1)) |> map(\\(i, w). select((i % 2) == 0, w[0] + w[2], w[1])))";
}
std::string plane(int n, int m) {
  return "update2(x, (1, 1), zip2(positions(" + std::to_string(n) + ", " + std::to_string(m) +
         "), x |> slide2(3, 1)) |> map2(\\(p, w). select(((p.0 + p.1) % 2) == 0, w[0, 1] + w[2, 1], w[1, "
         "1])))";
}
const char* const kThreeAxes =
    "update3(x, (0, 1, 1), zip3(positions(3, 2, 2), x |> slide3((1, 3, 3), 1)) |> map3(\\(p, w). "
    "select(((p.1 + p.2) % 2) == 0, w[0, 0, 1] + w[0, 2, 1], w[0, 1, 1])))";
const char* const kFourAxes =
    "update4(x, (0, 0, 1, 1), zip4(positions(3, 3, 2, 1), x |> slide4((1, 1, 3, 3), 1)) |> map4(\\(p, w). "
    "select(((p.2 + p.3) % 2) == 0, w[0, 0, 0, 1] + w[0, 0, 2, 1], w[0, 0, 1, 1])))";
/// Cells that make blocks of two; cells made of blocks of what is computed; cells that read a stage.
const std::string kBlocks =
    "update(x, 1, zip(x |> drop(1, 1) |> split(2), c) |> map(\\(b, y). b |> map(\\v. v + y)) |> join)";
const std::string kOfBlocks =
    "update2(x, (1, 1), c |> map2(\\v. v * v) |> split2(2) |> map2(\\b. b[0, 1] - b[1, 0]))";
const std::string kOfStage =
    "update(x, 1, let s = c |> map(\\v. v * v) in zip(x |> drop(1, 1), s |> slide(3, 1)) |> "
    "map(\\(v, w). v + w[0] - w[2]))";
/// Sweeps over lines of six, in so many loops over boxes.
std::string nested(const std::string& boxes, int loops) {
  std::string text = "param u, f : " + boxes +
                     ".6.f64\noverwrite u\ndef sweep0(x, y) = update(x, 1, zip(iota(4), x |> slide(3, 1), y "
                     "|> drop(1, 1)) |> map(\\(i, w, b). select((i % 2) == 0, w[0] + w[2] - b, w[1])))\n";
  for (int n = 1; n <= loops; ++n)
    text += "def sweep" + std::to_string(n) + "(x, y) = zip(x, y) |> map(\\(p, q). sweep" +
            std::to_string(n - 1) + "(p, q))\n";
  const std::string last = "sweep" + std::to_string(loops);
  return text + "result = let a = " + last + "(u, f) in " + last + "(a, f)\n";
}

Space on_grid(const std::string& text, bool cpu = false) {
  SpaceOptions o = options(Target::cuda);
  o.cpu = cpu, o.max_work_group = 16;
  return Space(of(text), o);
}
/// Settings that agree with others: those that do not are refused by the decision, not by a rule after it.
Values taken(const Space& s, const Configuration& c, const std::string& name) {
  Values r;
  for (const std::string& value : offered(s, name)) {
    Configuration one = c;
    one.set(name, value);
    const std::string said = steps(s, one);
    if (said.starts_with("parameter " + name + " cannot be")) continue;
    CHECK_MESSAGE(parse_derivation(said).size() > 0, said);
    r.push_back(value);
  }
  return r;
}

const char* const kOneGroup = "a box a work-group, a barrier a sweep";

}  // namespace

TEST_CASE("decisions: a work-group a box is offered of several sweeps over boxes of few cells") {
  const Values yes{"no", "yes"}, refused{"no"}, no;
  struct Case {
    std::string text;
    Values taken;
  };
  for (const Case& c : {
           Case{nested("2", 1), yes}, Case{nested("2.3", 2), yes}, Case{nested("2.3.2", 3), yes},
           Case{nested("2.3.2.2", 4), no},  // more loops than a grid has dimensions
           Case{in_boxes("3.6.6", plane(4, 4)), yes}, Case{alone("6.6", plane(4, 4)), no},
           Case{
               "param u : 3.6.f64\noverwrite u\ndef sweep(x) = " + line("4") + "\nresult = u |> map(sweep)\n",
               no},
           Case{in_boxes("3.18", line("16")), yes}, Case{in_boxes("3.n", line("n - 2"), kAny), no},
           Case{in_boxes("3.66.66", plane(64, 64)), yes}, Case{in_boxes("3.66.67", plane(64, 65)), no},
           Case{in_boxes("2.3.4.4", kThreeAxes), yes}, Case{in_boxes("2.3.3.4.3", kFourAxes), no},
           Case{in_boxes("2.10", "update(x, 1, x |> drop(1, 1) |> map(\\v. v + 1))"), yes},
           Case{in_boxes("2.10", kBlocks, "param c : 4.f64\n"), no},
           // pairs, which no loop copies
           Case{"param u, v : 5.6.f64\ndef sweep(x) = update(x, 1, x |> take(1))\n"
                "result = let a = zip2(u, v) |> map(sweep) in a |> map(sweep)\n",
                no},
           Case{"param u : 5.6.f64\ndef sweep(x) = update(x, 1, x |> take(1))\n"
                "result = let a = u |> map(sweep) in a |> map(sweep)\n",
                refused},  // not in place
       }) {
    CAPTURE(c.text);
    const Space s = on_grid(c.text);
    CHECK(taken(s, {}, "one_group") == c.taken);
  }
  CHECK(find(Space(of(nested("2", 1)), options()), "one_group") == nullptr);
}

TEST_CASE("decisions: a work-group a box agrees with the plain choices only") {
  struct Case {
    std::string text;
    bool cpu;
    Configuration chosen;
    Values one_group;
  };
  const std::string planes = in_boxes("3.12.70", plane(10, 68)),
                    lines = in_boxes("2.10", kOfStage, "param c : 10.f64\n"),
                    blocks = in_boxes("2.6.8", kOfBlocks, "param c : 8.12.f64\n");
  for (const Case& c : {
           Case{planes, false, {}, {"no", "yes"}},
           Case{planes, false, {{"in_place", "no"}}, {"no"}},
           Case{planes, false, {{"layout", "rows 2 1"}}, {"no"}},
           Case{planes, false, {{"layout", "split 2 1"}}, {"no"}},
           Case{planes, true, {}, {"no", "yes"}},
           Case{planes, true, {{"tile", "j4 i32"}}, {"no"}},
           Case{lines, false, {{"stages", "fused"}}, {"no", "yes"}},
           Case{lines, false, {{"stages", "work"}}, {"no"}},
           Case{blocks, true, {{"buffer", "none"}}, {"no", "yes"}},
           Case{blocks, true, {{"buffer", "rows"}}, {"no"}},
       }) {
    CAPTURE(c.text);
    const Space s = on_grid(c.text, c.cpu);
    CHECK(taken(s, c.chosen, "one_group") == c.one_group);
  }
}

TEST_CASE("decisions: a work-group a box has a loop of groups each around, and items share each sweep") {
  struct Case {
    std::string text;
    int overwritten, groups, nests, items;  // steps
  };
  const Configuration chosen{{"one_group", "yes"}};
  for (const Case& c : {
           Case{nested("2", 1), 1, 1, 0, 2},
           Case{nested("2.3.2", 3), 1, 3, 0, 2},
           Case{in_boxes("3.6.6", plane(4, 4)), 1, 1, 2, 4},
           Case{in_boxes("2.3.4.4", kThreeAxes), 1, 1, 4, 6},
           Case{in_boxes("3.18", line("16", "update_in_place")), 0, 1, 0, 2},
       }) {
    CAPTURE(c.text);
    const Space s = on_grid(c.text);
    const Derivation d = s.derive(chosen);
    CHECK(s.structure(chosen).find(kOneGroup) != std::string::npos);
    CHECK(s.structure({{"one_group", "no"}}).find(kOneGroup) == std::string::npos);
    CHECK(count(s.derive({{"one_group", "no"}}), "let-of-maps") == 0);
    CHECK(count(d, "update-in-place") == c.overwritten);
    CHECK(count(d, "map-wrg") == c.groups);
    CHECK(count(d, "map-nest") == c.nests);
    CHECK(count(d, "map-lcl") == c.items);
    CHECK(count(d, "items") == c.items);
    CHECK(count(d, "to-global") == 0);
    check_meaning(s, chosen);
  }
  // As many items along the innermost axis as there are cells, as long as they last: sixteen in all.
  CHECK(has_step(on_grid(in_boxes("3.18", line("16"))), chosen, "items 16 at"));
  CHECK(has_step(on_grid(in_boxes("3.6.6", plane(4, 4))), chosen, "items 4 at 0.0.0.1\n"));
  CHECK(has_step(on_grid(in_boxes("3.66.66", plane(64, 64))), chosen, "items 1 at 0.0.0.1\n"));
}

TEST_CASE("decisions: a work-group a box is tried first where there are no more boxes than computing units") {
  const auto first = [](const std::string& text, int units) {
    SpaceOptions o = options(Target::cuda);
    o.compute_units = units;
    const Space s(of(text), o);
    return s.structure(s.seeds().front()).find(kOneGroup) != std::string::npos;
  };
  const std::string three = in_boxes("3.6.6", plane(4, 4)), one = in_boxes("1.6.6", plane(4, 4)),
                    large = in_boxes("3.66.67", plane(64, 65));
  CHECK(first(three, 3));
  CHECK_FALSE(first(three, 2));
  CHECK(first(nested("2.3", 2), 6));
  CHECK_FALSE(first(nested("2.3", 2), 5));
  CHECK(first(one, 0));  // not known
  CHECK_FALSE(first(large, 100));
}

namespace {

const char* const kSquares = "param x : 6.18.f64\nresult y = x |> map2(\\v. v * v + 1)\n";
std::string one_sweep() {
  return "param u : 6.18.f64\noverwrite u\ndef sweep(x) = " + plane(4, 16) + "\nresult = sweep(u)\n";
}
const char* const kTransposed =
    "param x : 12.16.f64\nresult y = let s = x |> transpose |> map2(\\v. v * v + 1) in s |> transpose |> "
    "map2(\\v. v + 2)\n";
const char* const kStages =
    "param u : 40.16.f64\ndef around(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1)\n"
    "def five(w) = w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]\n"
    "result a, b = let c = around(u) |> map2(five) in {c, around(c) |> map2(five)}\n";
std::string columns(const std::string& reduced) {
  return "param x : 40.16.f64\nresult y = x |> transpose |> map(\\c. " + reduced + ")\n";
}
const LayoutRequest kSplit{LayoutRequest::Kind::Split, 1, 0, 2}, kRows{LayoutRequest::Kind::Rows, 4, 0, 0};

}  // namespace

TEST_CASE("decisions: which inner loops there are, by target, layout, and lanes") {
  struct Case {
    std::string text;
    Target target;
    bool cpu;
    std::optional<LayoutRequest> layout;
    int bytes;
    Configuration chosen;
    Values inner;  // none: not decided
  };
  const Target openmp = Target::openmp, cuda = Target::cuda;
  const auto any = std::nullopt;
  const std::string sums = columns("let m = c |> reduce(add, 0) in c |> map(\\v. v - m) |> reduce(add, 0)"),
                    in_order = columns("let m = c |> reduce(max, 0) in c |> reduce(\\a v. a + v * m, 0)");
  for (const Case& c : {
           // by colours where the layout is asked for, without a guard
           Case{kSquares, openmp, false, any, 16, {}, {"seq", "vec"}},
           Case{kSquares, openmp, false, kRows, 16, {}, {"seq", "vec"}},
           Case{kSquares, openmp, false, kSplit, 16, {}, {"seq", "strided", "strided vec"}},
           Case{kSquares, openmp, false, kSplit, 8, {}, {"seq", "strided"}},
           Case{kSquares, openmp, false, any, 8, {}, {}},
           Case{kSquares, cuda, true, kSplit, 16, {{"grid", "solo j"}}, {"seq", "strided", "strided vec"}},
           Case{kSquares, cuda, true, kSplit, 16, {{"grid", "j i"}}, {"seq"}},
           Case{kSquares, cuda, false, kSplit, 16, {{"grid", "solo j"}}, {"seq"}},
           // with one
           Case{one_sweep(), openmp, false, any, 16, {{"layout", "split 2 1"}}, {"strided", "strided vec"}},
           Case{one_sweep(), openmp, false, kSplit, 16, {}, {"seq", "strided", "strided vec"}},
           Case{one_sweep(), openmp, false, kSplit, 16, {{"in_place", "no"}}, {"seq"}},
           Case{one_sweep(), openmp, false, kRows, 16, {}, {"seq", "strided", "vec"}},
           Case{one_sweep(), openmp, false, any, 8, {}, {"seq", "strided"}},
           Case{one_sweep(), cuda, false, kSplit, 16, {{"grid", "j i"}}, {"seq", "strided"}},
           Case{one_sweep(), cuda, false, kSplit, 16, {{"grid", "j i"}, {"in_place", "no"}}, {"seq"}},
           // of a stage that is stored as it lies, what reads it has no vectors
           Case{kTransposed, openmp, false, any, 16, {{"stages", "fused"}}, {"seq", "vec"}},
           Case{kTransposed, openmp, false, any, 16, {{"stages", "work"}}, {"seq"}},
           Case{kStages, openmp, false, any, 16, {}, {"vec", "seq"}},
           Case{kStages, openmp, false, any, 8, {}, {}},
           // of cells that reduce: as long as the loop over elements can go around them
           Case{sums, openmp, false, any, 16, {{"order", "k i"}}, {"seq", "vec"}},
           Case{sums, openmp, false, any, 16, {{"order", "i k"}}, {"seq"}},
           Case{sums, openmp, false, any, 8, {{"order", "k i"}}, {}},
           Case{in_order, openmp, false, any, 16, {}, {}},
       }) {
    CAPTURE(c.text);
    CAPTURE(c.bytes);
    SpaceOptions o = options(c.target, c.bytes);
    o.cpu = c.cpu, o.only_layout = c.layout;
    const Space s(of(c.text), o);
    CHECK(taken(s, c.chosen, "inner") == c.inner);
    for (const std::string& inner : c.inner) {
      CAPTURE(inner);
      Configuration one = c.chosen;
      one.set("inner", inner);
      CHECK(has_step(s, one, "strided 2 at") == inner.starts_with("strided"));
      if (c.text != kStages) CHECK(has_step(s, one, "map-vec") == inner.ends_with("vec"));
      check_meaning(s, one);
    }
  }
}

TEST_CASE("decisions: tiles of two phases agree with steps along the outermost axis, not with rings") {
  const std::string jacobi =
      "param u : 6.34.4.f64\ndef sweep(x) = x |> pad3(1, 1, clamp) |> slide3(3, 1)\n"
      "  |> map3(\\w. w[0, 1, 1] + w[2, 1, 1] - w[1, 0, 2])\n"
      "result = let a = sweep(u) in let b = sweep(a) in sweep(b)\n";
  // Red, then black, of planes each of which reads `other` ones.
  const auto coloured = [](const std::string& other) {
    return "param u : 10.36.6.f64\noverwrite u\n"
           "def around(x) = x |> slide3((1, 3, 3), 1)\n"
           "def sweep(x, c) = update3(x, (0, 1, 1), zip3(positions(10, 34, 4), around(x), around(" +
           other +
           "))\n  |> map3(\\(p, w, v). select(((p.1 + p.2 + c) % 2) == 0, w[0, 0, 1] + v[0, 2, 1], w[0, 1, "
           "1])))\n"
           "result = let a = sweep(u, 0) in sweep(a, 1)\n";
  };
  struct Case {
    std::string text;
    Configuration chosen;
    Values phases;
  };
  const std::string blocks = alone("40.8", kOfBlocks, "param c : 76.12.f64\n");
  for (const Case& c : {
           Case{blocks, {{"buffer", "none"}}, {"none", "j16"}},
           Case{blocks, {{"buffer", "rows"}}, {"none"}},
           Case{jacobi, {{"stages", "work"}}, {"none", "j16"}},
           Case{jacobi, {{"stages", "fused"}}, {"none"}},
           Case{jacobi, {{"stages", "work"}, {"time", "k"}, {"rings", "yes"}}, {"none"}},
           Case{coloured("x"), {{"time", "k"}}, {"none", "j16"}},
           // planes from far away: steps are rows
           Case{coloured("x |> reverse"), {{"time", "none"}}, {"none", "j16"}},
           Case{coloured("x |> reverse"), {{"time", "j"}}, {"none"}},
       }) {
    CAPTURE(c.text);
    const Space s(of(c.text), options());
    CHECK(taken(s, c.chosen, "phases") == c.phases);
    Configuration last = c.chosen;
    last.set("phases", c.phases.back());
    check_meaning(s, last);
  }
}

}  // namespace lift::space_rows_edges_test
