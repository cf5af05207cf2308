// What becomes a stage and what does not, and which decisions parts of programs have: cases at the edge of
// each.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/space/class_keys.hpp"
#include "rewrite/space/stage_form.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::space_stages_edges_test {
namespace {

using namespace lift::test;

Program of(const std::string& text) { return parse_program(text); }
Space space_of(const std::string& text, const SpaceOptions& o = options()) { return Space(of(text), o); }

struct Formed {
  std::string body;   ///< of u : 23.47 and v : 9.8
  std::string steps;  ///< that bring it into the form of stages
  std::string results = "r";
  std::string arguments = {};
};

/// The steps are those, and what is decided of the program computes what it does.
void check_forms(const std::vector<Formed>& cases) {
  for (const Formed& c : cases) {
    CAPTURE(c.body);
    const Program p =
        of("param u : 23.47.f64\n" + c.arguments + "result " + c.results + " = " + c.body + "\n");
    CHECK(str(in_stage_form({p, {}}).steps) == c.steps);
    check_space(p, options(), 3, 1);
  }
}

}  // namespace

TEST_CASE("space: columns have a name however deep in an argument they stand") {
  check_forms({
      {"u |> map(\\r. r |> scan(max, 0)) |> pad2(1, 1, clamp) |> join |> reduce(max, 0)",
       "let-part 2 0 0 at body\n"},
      {"u |> map(\\r. r |> scan(max, 0)) |> reduce(\\a r. r, generate(47, \\i. 0.0))",
       "let-part 2 at body\n"},
  });
}

TEST_CASE("space: rows are made inside of columns where elements are scalars, made of nothing else") {
  const std::string inside = "map-of-mapped at 0\ntranspose-of-transpose at body\n";
  check_forms({
      {"u |> map(\\r. r |> reverse |> map(\\x. 2 * x)) |> transpose", inside},
      {"to_global(u |> map(\\r. r |> reverse |> map(\\x. 2 * x)) |> transpose)",
       "map-of-mapped at 0.0\ntranspose-of-transpose at 0\n"},
      {"u |> map(\\r. r |> reverse |> map(\\x. {x, 2 * x})) |> transpose", "", "r, s"},
      {"u |> map(\\r. r |> reverse |> map(\\x. x * r[0])) |> transpose", ""},
      {"u |> map2(\\x. x * x) |> transpose", ""},
  });
}

TEST_CASE("space: what windows read again is a stage, as it lies where it is made of columns") {
  const std::string windows = " |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2]))",
                    each = "(\\c. c |> reverse |> map(\\x. x * x)) |> transpose |> map(\\r. r" + windows,
                    rows = "map-of-mapped at 0.0\ntranspose-of-transpose at 0\n";
  check_forms({
      {"u |> transpose |> map" + each, "let-part 1 at body\n" + rows},
      {"zip(u |> transpose, u |> transpose) |> map(\\(c, d). zip(c, d) |> map(\\(x, y). x * y)) |> transpose "
       "|> "
       "map(\\r. r" +
           windows,
       "let-part 1 at body\n" + rows},
      {"(w |> transpose(0, 2, 1))[1] |> map" + each, "let-part 1 0 at body\n", "r", "param w : 2.9.8.f64\n"},
      // of each row a number, which all its windows read; of each row another one
      {"zip(w |> map(\\r. r[0] * r[1]), w) |> map(\\(x, r). r |> pad(1, 1, clamp) |> slide(3, 1) |> "
       "map(\\w. w[0] * x))",
       "", "r", "param w : 40.5.f64\n"},
      {"zip(w |> map(\\r. r[0]), w |> map2(\\x. x * x)) |> map(\\(x, r). r |> pad(1, 1, clamp) |> slide(3, "
       "1) "
       "|> map(\\w. w[0] * x))",
       "let-part 1 1 at body\n", "r", "param w : 40.5.f64\n"},
  });
}

TEST_CASE("space: rows that reductions are about go on within the rows, those of scans do not") {
  check_forms({
      {"u |> map(\\r. let s = r |> reduce(max, 0) in r |> scan(\\c x. max(c, x * s), 0)) |> map2(\\x. x + 1)",
       ""},
      {"u |> map(\\r. r |> map(\\x. x * (r |> reduce(max, 0)))) |> map2(\\x. x + 1)",
       "map-of-rows at body\n"},
      {"u |> map(\\r. r |> reduce(max, 0)) |> reduce(max, 0)", ""},
      {"u |> map(\\r. r |> reduce(min, 0)) |> reduce(max, 0)", ""},
  });
}

TEST_CASE("space: arrays made side by side have one name, if they are made") {
  check_forms({
      {"(let a = u |> map2(\\x. x * x) in zip2(a, a |> reverse) |> map2(\\(x, y). {x - y, x + y})) |> unzip2",
       "unzip-of-let at body\n", "r, s"},
      {"let p = zip2(u, u |> reverse) |> map2(\\(x, y). {y, x + y}) |> unzip2 in {p.0 |> transpose, p.1 |> "
       "reverse}",
       "let-of-unzip at body\nidentity-map 2 at 1.0.0\nidentity-map 2 at 1.0.1\n", "r, s"},
      {"let p = zip2(u, u |> reverse) |> unzip2 in {p.0 |> map2(\\x. 2 * x), p.1}", "", "r, s"},
  });
}

TEST_CASE("space: one map makes what several make within a border, of scalars that are computed") {
  check_forms({
      {"interleave(u |> map2(\\x. x * x), u |> map2(\\x. x + 1)) |> pad2(1, 1, clamp)",
       "identity-map 2 at body\n"},
      {"u |> map(\\r. interleave(r, r |> map(\\x. x * x)))", "identity-map 1 at 0.0\n"},
      {"u |> map(\\r. interleave(r, r |> reverse))", ""},
      {"u |> map(\\r. interleave(r |> map(\\x. {x, x}), r |> map(\\x. {x * x, x})))", "", "r, s"},
  });
}

TEST_CASE("space: columns move past stages of other shapes only to those of their own") {
  const std::string a = "let a = v |> map2(\\x. x * x) in let b = v |> map2(\\x. x + 1) in ",
                    c = "let c = u |> map(\\r. r |> scan(max, 0)) in ",
                    d = "let d = u |> map(\\r. r |> scan(min, 0)) in ";
  const auto copied = [](const std::string& at, int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += "identity-map 2 at " + at + "." + std::to_string(i) + "\n";
    return s;
  };
  const std::string results = "{a |> transpose, b |> reverse, c |> pad2(1, 1, clamp)";
  check_forms({
      {a + c + results + "}", copied("1.0.1.0.1.0", 3), "r, s, t", "param v : 9.8.f64\n"},
      {c + a + d + results + ", d |> transpose}",
       "let-exchange at 1.0.1.0\nlet-exchange at 1.0\n" + copied("1.0.1.0.1.0.1.0", 4), "r, s, t, o",
       "param v : 9.8.f64\n"},
  });
}

TEST_CASE("space: results get a map where nothing else makes them a loop") {
  check_forms({
      {"let p = {u |> map2(\\x. x * x), u |> map2(\\x. x + 1)} in {p.0, p.1 |> transpose}",
       "identity-map 2 at 1.0.1\n", "r, s"},
      {"u |> reduce(\\a r. r, v)", "", "r", "param v : 47.f64\n"},
      {"u |> iterate(3, \\x. x |> reverse)", ""},
      {"u |> reverse", "identity-map 2 at body\n"},
  });
}

TEST_CASE("space: what a step hands on as it is stays where it is") {
  const auto copies = [](const std::string& second) {
    const Program p =
        of("param u, v : 23.47.f64\nresult a, b = {u, v} |> iterate(20, \\(a, b). {zip2(a, b) |> "
           "map2(\\(x, y). x - y), " +
           second + "})\n");
    check_space(p, options(), 2, 1);
    const Space s(p, options());
    return count(s.derive(s.seeds().front()), "identity-map");
  };
  CHECK(copies("b") == 0);
  CHECK(copies("a") == 1);
}

TEST_CASE("space: keys of classes end with a number below 1000") {
  CHECK(find_key("order 999") != nullptr);
  CHECK(find_key("order 1000") == nullptr);
  CHECK(find_key("order 2x") == nullptr);
  CHECK(class_of("order 2x") == std::pair<std::string_view, int>("order 2x", 1));
}

TEST_CASE("space: the seventh loop from the innermost is e") {
  const auto parallel = [](const std::string& shape) {
    return space_of("param u : " + shape +
                    ".f64\nresult r = u |> map3(\\x. x |> map(\\x. x |> map3(\\v. 2 * v)))\n");
  };
  CHECK(has(parallel("2.2.2.2.2.2.2"), "parallel", "e"));
  CHECK(has(space_of("param u : 2.2.2.2.2.2.f64\nresult r = u |> map3(\\x. x |> map3(\\v. 2 * v))\n"),
            "parallel", "d"));
  check_space(parallel("2.2.2.2.2.2.2").program(), options(), 2, 1);
}

TEST_CASE("decisions: stages joined by rows are said to be") {
  const Space s = space_of(
      "param x, y : 30.20.f64\nresult a, b = let a = x |> map2(\\v. 2 * v) in {a, zip2(a, y) |> map2(\\(a, "
      "b). a + "
      "b) |> transpose}\n");
  const auto says = [&](const char* how, const char* words) {
    return s.structure({{"joined", how}}).find(words) != std::string::npos;
  };
  CHECK(says("rows", "stages joined by rows"));
  CHECK(says("elements", "stages joined"));
  CHECK_FALSE(says("elements", "by rows"));
  CHECK_FALSE(says("no", "joined"));
}

TEST_CASE("decisions: parts of a reduction that is too short for two a thread, or has chunks with a rest") {
  const std::string most = "param u : 40.f64\nresult r = u |> reduce(max, 0)\n";
  SpaceOptions many = options();
  CHECK(space_of(most, many).allowed_texts({}, "parts") == Values{"i20", "none"});
  many.threads = 20;
  CHECK(space_of(most, many).allowed_texts({}, "parts") == Values{"i2", "none"});
  many.threads = 21;
  CHECK(space_of(most, many).allowed_texts({}, "parts") == Values{"none"});
  check_space(of(most), many, 2, 1);
  const auto chunks = [](const std::string& shape) {
    const Program p =
        of("param u : " + shape +
           ".f64\nresult a, b = u |> join |> map(\\x. {x, 2 * x}) |> reduce(\\(a, b) (x, y). {max(a, "
           "x), max(b, y)}, {0.0, 0.0})\n");
    check_space(p, options(Target::cuda), 1, 1);
    return Space(p, options(Target::cuda)).allowed_texts({}, "parts");
  };
  CHECK(chunks("64.128") == Values{"i1024", "j", "none"});
  CHECK(chunks("67.129") == Values{"j", "none"});  // a rest, of pairs, which nothing fills up
}

TEST_CASE("decisions: threads share the elements of a reduction where its loop can go outside") {
  const auto parts = [](const std::string& column) {
    const Program p = of("param t : 50.40.f64\nresult r = t |> transpose |> map(\\c. " + column + ")\n");
    check_space(p, options(), 4, 1);
    const Space s(p, options());
    return find(s, "parts") != nullptr;
  };
  CHECK(parts("c |> reduce(max, 0)"));
  CHECK_FALSE(parts("c |> map(\\x. c |> map(\\y. y - x) |> reduce(min, 0)) |> reduce(max, 0)"));
}

namespace {

std::string sweeps(const std::string& u, const std::string& v, const std::string& f = "x * x") {
  return "param u : " + u + ".f64\nparam v : " + v +
         ".f64\noverwrite u, v\nresult a = let a = update(u, 0, u |> map(\\x. " + f +
         ")) in update(v, 0, v |> map(\\x. x * a[0]))\n";
}

}  // namespace

TEST_CASE("space: sweeps over much the same elements are decided about together, others are stages") {
  const Space same = space_of(sweeps("60", "100")), more = space_of(sweeps("60", "130")),
              unknown = space_of("size n\n" + sweeps("40", "n"));
  CHECK(find(same, "in_place") != nullptr);
  CHECK(find(same, "time") == nullptr);
  for (const Space* s : {&more, &unknown}) {
    CHECK(find(*s, "in_place") == nullptr);
    CHECK(find(*s, "time") != nullptr);
  }
  CHECK(find(space_of("size n\n" + sweeps("n", "n")), "in_place") != nullptr);
  for (const char* v : {"100", "130"}) check_space(of(sweeps("60", v)), options(), 4, 1);
}

TEST_CASE("space: sweeps whose loops stand in other places are parts, each with decisions of its own") {
  const auto classes = [](const std::string& transposed) {
    const Program p =
        of("param u, v : 20.20.f64\noverwrite u, v\nresult a = let a = update2(u, (0, 0), u |> map2(\\x. x * "
           "x)) in "
           "update2(v, (0, 0), v |> map2(\\x. x * a[0, 0])" +
           transposed + ")\n");
    check_space(p, options(), 3, 1);
    return find(Space(p, options()), "parallel 2") != nullptr;
  };
  CHECK(classes(" |> transpose"));
  CHECK_FALSE(classes(""));
}

TEST_CASE("space: nothing is decided of sweeps with other loops, one of which iterates") {
  const std::string iterated = "x |> iterate(3, \\y. 0.5 * y)";
  CHECK(space_of(sweeps("60", "130", iterated)).parameters().empty());
  CHECK_FALSE(space_of(sweeps("60", "100", iterated)).parameters().empty());
  check_space(of(sweeps("60", "130", iterated)), options(), 1, 1);
}

TEST_CASE(
    "space: an update of a border has loops of its own, wherever it is put; one of unknown size has not") {
  const auto apart = [](const std::string& block, const std::string& around = "") {
    const Program p =
        of("param u, v : 40.50.f64\noverwrite u\nresult a, b = let a = " + around + "(update2(u, (0, 0), u" +
           block + " |> map2(\\x. 2 * x))) in {a, zip2(a, v) |> map2(\\(x, y). x - y)}\n");
    check_space(p, options(), 3, 1);
    const Space s(p, options());
    CHECK((find(s, "time") == nullptr) == (find(s, "parallel 2") != nullptr));
    return find(s, "parallel 2") != nullptr;
  };
  const std::string border = " |> drop2((1, 0), (38, 0))";
  CHECK(apart(border));
  CHECK(apart(border, "to_global"));
  CHECK_FALSE(apart("", "to_global"));
  const auto of_length = [](const std::string& n) {
    return space_of("size n\nparam u : 40.f64\nparam v : " + n +
                    ".f64\noverwrite u\nresult a, b = let a = update(u, 0, v |> map(\\x. 2 * x)) in {a, a |> "
                    "map(\\x. x * x)}\n");
  };
  CHECK(find(of_length("n"), "time") != nullptr);
  CHECK(find(of_length("10"), "time") == nullptr);
  CHECK(find(of_length("11"), "time") != nullptr);
}

TEST_CASE("space: stages of scans, or of sweeps with other loops, are computed where they are read") {
  const auto stored = [](const std::string& text) {
    const Program p = of(text);
    check_space(p, options(), 3, 1);
    return find(Space(p, options()), "stages") != nullptr;
  };
  const std::string image =
      "param image : 3.30.20.f64\nresult out = image |> map(\\x. let a = x |> map2(\\v. 2 * v) in "
      "zip2(a, a |> reverse) |> map2(\\(v, w). v - w))";
  CHECK(stored(image));
  CHECK_FALSE(stored(image + " |> join |> map(\\r. r |> scan(max, 0))"));
  const std::string both =
      "param u, v : 20.40.f64\noverwrite u, v\nresult a = let a = update2(u, (0, 0), u |> map(\\r. let m = r "
      "|> "
      "map(\\x. x * x) in zip(m, m |> reverse) |> map(\\(x, y). x - y))) in update2(v, (0, 0), v |> "
      "map(\\r. ";
  CHECK_FALSE(stored(both + "r |> reverse |> map(\\x. x * a[0, 0] |> iterate(3, \\y. 0.5 * y))))"));
}

TEST_CASE("space: tiles of two phases are reason enough to leave each stage to wrap around") {
  const auto program = [](const std::string& last) {
    return "param u : 40.40.6.f64\ndef around(x) = x |> pad3((1, 0, 0), (1, 0, 0), wrap) |> "
           "slide3((3, 1, 1), (1, 1, 1))\nresult r = let a = around(u) |> map3(\\w. w[0, 0, 0] - w[2, 0, 0]) "
           "in "
           "let b = around(a) |> map3(\\w. w |> join |> join |> reduce(max, 0)) in " +
           last + "\n";
  };
  const Space three = space_of(program("around(b) |> map3(\\w. w[0, 0, 0] - w[2, 0, 0])")),
              two = space_of(program("b"));
  CHECK(has(three, "phases", "j16"));
  CHECK(find(three, "time") == nullptr);
  CHECK(find(three, "wraps") == nullptr);
  CHECK(find(two, "phases") == nullptr);
  CHECK(find(two, "wraps") != nullptr);
}

TEST_CASE("space: groups go through sweeps together first, unless an argument may be overwritten") {
  const auto first = [](const std::string& overwrite) {
    return space_of(
               "param u, v : 40.48.f64\n" + overwrite +
                   "result a, b = let a = update2(u, (1, 1), u |> slide2(3, 1) |> map2(\\w. w[0, 1] - w[2, "
                   "1])) in let b = update2(v, (1, 1), zip2(a, v) |> slide2(3, 1) |> map2(\\w. w[0, 1].0 - "
                   "w[2, 1].1)) in {a, b}\n",
               options(Target::cuda))
        .allowed_texts({}, "together");
  };
  CHECK(first("") == Values{"yes", "no"});
  CHECK(first("overwrite u, v\n") == Values{"no", "yes"});
}

namespace {

/// Cells, and columns whose points are as many as those have in a row.
std::string beside(const std::string& cells, int n, const std::string& arguments = "") {
  const std::string size = std::to_string(n);
  return "param u, v : 32." + size + ".f64\n" + arguments + "result a, c = {" + cells +
         ", v |> transpose |> map(\\r. r |> scan(max, 0)) |> transpose}\n";
}
const Configuration kFollowing{
    {"order 2", "k i"}, {"tile 2", "i4"}, {"inner 2", "seq"}, {"joined", "elements"}, {"follows", "columns"}};

}  // namespace

TEST_CASE("space: cells follow columns in tiles that divide a row") {
  const std::string cells = "u |> map2(\\x. x * x)";
  const Space s = space_of(beside(cells, 40)), prime = space_of(beside(cells, 47));
  const Configuration without{
      {"order 2", "k i"}, {"tile 2", "i4"}, {"inner 2", "seq"}, {"joined", "elements"}};
  CHECK(s.allowed_texts(without, "follows") == Values{"columns", "no"});
  CHECK(prime.allowed_texts(without, "follows") == Values{"no"});
  CHECK(s.structure({{"follows", "columns"}}).ends_with("; cells in the tiles of columns"));
  CHECK(s.structure(kFollowing).ends_with("; stages joined, cells in the tiles of columns"));
  CHECK(s.structure(without).ends_with("; stages joined"));
  for (const int n : {40, 47}) check_space(of(beside(cells, n)), options(), 4, 1);
}

TEST_CASE("space: cells that follow columns are no vectors where there are none of so many lanes") {
  const std::string text = beside("u |> map2(\\x. x * x)", 40);
  for (const auto& [bytes, vectors] : {std::pair(8, 0), {16, 1}, {24, 0}}) {
    const Space s = space_of(text, options(Target::openmp, bytes));
    const Derivation d = s.derive(kFollowing);
    CAPTURE(bytes);
    CHECK(count(d, "map-vec") == vectors);
    const auto values = values_of(s.program(), 1);
    check_configuration(s, kFollowing, interpret(s.program().body, values), values);
  }
}

TEST_CASE(
    "space: cells with scans of their own, cells of blocks, and columns of another part follow nothing") {
  const auto follows = [](const std::string& text) {
    const Program p = of(text);
    check_space(p, options(), 3, 1);
    const Space s(p, options());
    const Parameter* any = find(s, "follows");
    return any == nullptr ? Values{} : s.allowed_texts({}, "follows");
  };
  const std::string wide = "param w : 34.42.f64\n", sum = "w |> slide2(3, 1) |> map2(\\w. ";
  CHECK(follows(beside(sum + "w[0, 0] + w[2, 2])", 40, wide)) == Values{"no"});
  CHECK(follows(beside(sum + "(w |> join |> scan(max, 0))[8])", 40, wide)).empty());
  CHECK(follows(beside(sum + "w[1] |> map(\\x. 2 * x))", 40, wide)).empty());
  CHECK(
      follows("param y : 20.f64\nparam x : 50.20.f64\nparam w : 20.40.f64\nresult a, c = {x |> map2(\\x. x * "
              "x), let "
              "s = y |> take(3) |> reduce(max, 0) in w |> map(\\r. r |> scan(\\c x. max(c, x * s), 0))}\n") ==
      Values{"no"});
}

TEST_CASE("space: it is not known whether a row of unknown length has a whole number of tiles") {
  const auto follows = [](const std::string& n) {
    return space_of("size n\nparam u, v : 32.40.f64\nparam x : 50." + n + ".f64\nparam w : " + n +
                    ".40.f64\nresult a, c, d = {x |> map2(\\x. x * x), let a = update2(u, (0, 0), u |> "
                    "drop2((1, 0), "
                    "(1, 0))) in update(v, 0, w |> map(\\r. r |> scan(\\c x. max(c, x * a[0, 0]), 0))), w |> "
                    "map(\\r. r |> scan(max, 0))}\n")
        .allowed_texts({{"tile 2", "j8"}, {"joined", "elements"}}, "follows");
  };
  CHECK(follows("n") == Values{"no"});
  CHECK(follows("20") == Values{"no"});
}

TEST_CASE("space: nothing is decided of what is no value") {
  const Expr x = param("x", Type(f64));
  for (const Expr& e : {lambda({x}, x * 2.0), hole("x")})
    CHECK(Space({.name = "f", .arguments = {}, .body = e}, options()).parameters().empty());
  // columns within a function are no stage of the program
  Program p = of("param u : 23.47.f64\nresult r = u |> map(\\r. r |> scan(max, 0)) |> pad2(1, 1, clamp)\n");
  CHECK(count(in_stage_form({p, {}}).steps, "let-part") == 1);
  p.body = lambda({p.arguments[0]}, p.body), p.arguments.clear();
  CHECK(in_stage_form({p, {}}).steps.empty());
}

}  // namespace lift::space_stages_edges_test
