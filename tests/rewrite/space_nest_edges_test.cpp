// Facts, decisions and first guesses of nests and of chains at their limits: what is just not a block, a
// tile, a window, a ring or a step any more.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/keys.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace lift::space_nest_edges_test {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kSmall = std::size_t{48} * 1024, kLarge = std::size_t{227} * 1024;

SpaceOptions device(std::size_t local_bytes = kSmall, int units = 0) {
  SpaceOptions o = options(Target::cuda);
  o.local_bytes = local_bytes, o.compute_units = units;
  return o;
}
SpaceOptions one_thread() {
  SpaceOptions o = options();
  o.threads = 1;
  return o;
}
NestFacts facts(const std::string& text, const SpaceOptions& o = options()) {
  return cell_facts(parse_program(text), o);
}
NestFacts of_chain(const std::string& text, const SpaceOptions& o = options()) {
  const auto f = chain_in_step(parse_program(text), o);
  REQUIRE(f.has_value());
  return *f;
}
Texts names(const std::vector<Axis>& axes) {
  Texts r;
  for (const Axis& a : axes) r.push_back(a.name);
  return r;
}
Texts texts(const std::vector<AxisSizes>& tiles) {
  Texts r;
  for (const AxisSizes& t : tiles) r.push_back(key::tile.text(t));
  return r;
}
Configuration first_seed(const std::string& text, const SpaceOptions& o) {
  return Space(parse_program(text), o).seeds().at(0);
}
/// A configuration derives, means the same, and gives the steps.
Derivation checked(const std::string& text, const Configuration& c, const SpaceOptions& o = options()) {
  const Program p = parse_program(text);
  const Space s(p, o);
  const auto values = values_of(p, 1);
  check_configuration(s, c, interpret(p.body, values), values);
  return s.derive(c);
}

/// Sweeps of an array, each a stencil in its interior, of n dimensions.
std::string sweeps(const std::string& shape, int rank, int times = 2, const std::string& before = "") {
  const std::string n = rank > 1 ? std::to_string(rank) : "";
  std::string low = "0", high = "2";
  for (int d = 1; d < rank; ++d) low += ", 1", high += ", 1";
  std::string s = before + "param u : " + shape + ".f64\ndef s(x) = update" + n + "(x, 1, x |> slide" + n +
                  "(3, 1) |> map" + n + "(\\w. w[" + low + "] - w[" + high + "]))\nresult r = u";
  for (int i = 0; i < times; ++i) s += " |> s";
  return s + "\n";
}
/// The same with names, in which it is a chain of sweeps; of each of several boxes.
std::string named_sweeps(const std::string& shape, int rank, int times = 2) {
  std::string s = sweeps(shape, rank, 0);
  s.resize(s.rfind("u\n"));
  std::string last = "u";
  for (int i = 1; i < times; ++i) {
    s += "let a" + std::to_string(i) + " = s(" + last + ") in ";
    last = "a" + std::to_string(i);
  }
  return s + "s(" + last + ")\n";
}
std::string boxes(const std::string& shape, const std::string& read = "a") {
  return "param us : " + shape +
         ".f64\ndef s(x) = update3(x, 1, x |> slide3(3, 1) |> map3(\\w. w[0, 1, 1] - w[2, 1, 1] + w[1, 0, "
         "1]))\n"
         "result r = let a = us |> map(s) in " +
         read + " |> map(s)\n";
}
/// Half-sweeps, of one colour each.
const std::string kHalf =
    "def half(x, n, m, q, a) = update2(x, 1, zip2(positions(n, m), x |> slide2(3, 1)) |> map2(\\((j, i), w). "
    "select((j + i + q) % 2 == 0, a * w[0, 1] - w[2, 1] + w[1, 0], w[1, 1])))\n";

}  // namespace

TEST_CASE("space: what a cell makes is a block where a join puts a few elements in its place, else loops") {
  const auto axes = [](const std::string& block, const std::string& value, const std::string& join) {
    const std::string text = "param u : 6.f64\nparam v : " + block +
                             ".f64\nparam w : 2.2.f64\nresult r = " + "u |> map(\\x. v |> " + value +
                             ") |> " + join + "\n";
    CAPTURE(text);
    if (join == "join") check_space(parse_program(text), options(), 2, 1);
    const NestFacts f = facts(text);
    return std::pair(names(f.axes), names(f.block));
  };
  const std::string times = "map(\\y. x * y)";
  CHECK(axes("2", times, "join") == std::pair(Texts{"i"}, Texts{"i2"}));
  CHECK(axes("8", times, "join") == std::pair(Texts{"i"}, Texts{"i2"}));
  CHECK(axes("9", times, "join") == std::pair(Texts{"j", "i"}, Texts{}));
  CHECK(axes("1", times, "join") == std::pair(Texts{"j", "i"}, Texts{}));
  CHECK(axes("2.2", "map2(\\y. x * y)", "join") == std::pair(Texts{"k", "j", "i"}, Texts{}));
  CHECK(axes("3", "map(\\y. w)", "join2") == std::pair(Texts{"j", "i"}, Texts{}));
}

TEST_CASE("space: a tile of rows of a computed array is of known length, and fits into a stack") {
  const auto buffer = [](const std::string& columns, const std::string& size = "") {
    const std::string text = size + "param u : 6." + columns +
                             ".f64\nresult r = u |> map2(\\x. 2 * x) |> split2(2) |> "
                             "map2(\\w. w[0, 0] + w[1, 1])\n";
    const NestFacts f = facts(text);
    CHECK((find(Space(parse_program(text), options()), "buffer") != nullptr) == !f.buffer.empty());
    return f.buffer;
  };
  using Sizes = std::vector<std::int64_t>;
  CHECK(buffer("6") == Sizes{1, 3});
  CHECK(buffer("4096") == Sizes{1, 2048});
  CHECK(buffer("4098").empty());
  CHECK(buffer("n", "size n = 6 where n mod 2 = 0\n").empty());
}

TEST_CASE("space: vectors are not ruled out by a result that only names a stage") {
  const std::string start = "param u : 6.7.f64\nresult r = let a = u |> map2(\\x. 2 * x) in ";
  CHECK(facts(start + "a\n").vectors);
  CHECK_FALSE(facts("param u : 6.7.f64\nresult r = u |> transpose |> map2(\\x. 2 * x)\n").vectors);
  check_space(parse_program(start + "a\n"), options(), 3, 2);
}

TEST_CASE("space: sweeps below loops go in step where these are the same loops, else each by itself") {
  const std::string same = boxes("3.5.6.7"), turned = boxes("3.5.6.7", "a |> reverse");
  CHECK(facts(same).rings);
  CHECK_FALSE(facts(turned).rings);
  CHECK_FALSE(facts(same, device()).in_groups.empty());
  CHECK(facts(turned, device()).in_groups.empty());
  check_space(parse_program(turned), options(), 2, 2);
  check_space(parse_program(turned), device(), 2, 2);
}

TEST_CASE("space: sweeps that read planes from the other end go in step along rows, and keep no rings") {
  const auto text = [](const std::string& shape) {
    return "param u : " + shape +
           ".f64\ndef s(x) = update3(x, 1, zip3(x |> slide3(3, 1), x |> reverse |> drop3(1, 1)) |> "
           "map3(\\(w, y). w[1, 0, 1] + w[1, 2, 1] - y))\n"
           "result r = let a = s(u) in let b = s(a) in s(b)\n";
  };
  const NestFacts f = facts(text("20.30.40"));
  CHECK(f.steps == Texts{"j"});
  CHECK(f.two_arrays);
  CHECK_FALSE(f.rings);
  CHECK(find(Space(parse_program(text("20.30.40")), options()), "rings") == nullptr);
  const NestFacts straight = facts(named_sweeps("20.30.40", 3, 3));
  CHECK(straight.steps == Texts{"k", "j"});
  CHECK(straight.rings);
  checked(text("5.12.7"), {});
}

TEST_CASE("space: long lines go in step where a tile of their result can be computed by itself") {
  const auto line = [](const std::string& results) {
    return facts(
        "param x : 70000.f64\ndef s(u) = u |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] - w[2])\n"
        "result r, q = let a = s(x) in let b = s(a) in " +
        results + "\n");
  };
  const NestFacts good = line("{b |> map(\\v. 2 * v), zip(a, b) |> map(\\(a, b). a - b)}");
  CHECK(good.stages_go_in_step);
  CHECK_FALSE(good.no_tiles);
  for (const char* results : {"{s(b), b}", "{s(b), b |> reduce(add, 0)}"}) {  // b is one for all tiles
    const NestFacts f = line(results);
    CHECK(f.lines);
    CHECK(f.no_tiles);
    CHECK_FALSE(f.stages_go_in_step);
    CHECK_FALSE(f.rings);
  }
}

TEST_CASE("space: groups go through some stages in step, not through very many, nor from a number on") {
  const auto stages = [](int n) {
    std::string s =
        "param u : 6.7.f64\ndef s(x, c) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> "
        "map2(\\w. w[0, 1] - c * w[2, 1])\nresult r = ";
    std::string last = "u";
    for (int i = 1; i < n; ++i) {
      const std::string name = "a" + std::to_string(i);
      s += "let " + name + " = s(" + last + ", " + std::to_string(i) + ") in\n", last = name;
    }
    return group_facts(parse_program(s + "s(" + last + ", 99)\n"), device());
  };
  CHECK_FALSE(stages(4).in_groups.empty());
  CHECK(names(stages(64).axes) == Texts{"j", "i"});
  CHECK(stages(65).axes.empty());
  CHECK(stages(65).in_groups.empty());
  const Program p = parse_program(
      "param u : 7.9.i32\nresult s, r = {u |> join |> reduce(add, 0), u |> map2(\\x. 2 * x)}\n");
  CHECK(group_facts(p, device()).axes.empty());
  CHECK(find(Space(p, device()), "together") == nullptr);
  check_space(p, device(), 2, 1);
}

TEST_CASE("space: groups have tiles of two or three axes") {
  const NestFacts line = facts(named_sweeps("66", 1), device()),
                  plane = facts(named_sweeps("40.66", 2), device()),
                  space = facts(named_sweeps("40.40.66", 3), device()),
                  four = facts(named_sweeps("6.6.6.34", 4), device());
  for (const NestFacts* f : {&line, &plane, &space, &four}) CHECK_FALSE(f->in_groups.empty());
  CHECK(group_tiles(line).empty());
  CHECK_FALSE(group_tiles(plane).empty());
  CHECK_FALSE(group_tiles(space).empty());
  CHECK(group_tiles(four).empty());
  CHECK(find(Space(parse_program(named_sweeps("66", 1)), device()), "time") == nullptr);
  check_space(parse_program(named_sweeps("34", 1)), device(), 3, 1);
  check_space(parse_program(named_sweeps("4.4.5.6", 4)), device(), 2, 1);
}

TEST_CASE("space: tiles of groups suit the local memory and the multiprocessors there are") {
  const auto tiles = [](const std::string& text, const SpaceOptions& o) {
    return texts(group_tiles(facts(text, o)));
  };
  const auto cuts_planes = [](const Texts& t) { return t.at(0).rfind("k", 0) == 0; };
  const std::string one = named_sweeps("130.40.66", 3);
  CHECK_FALSE(cuts_planes(tiles(one, device(kLarge, 1))));
  CHECK(cuts_planes(tiles(one, device(kLarge, 132))));
  // boxes are groups, too
  CHECK(cuts_planes(tiles(boxes("2.130.10.34"), device(kLarge, 64))));
  CHECK_FALSE(cuts_planes(tiles(boxes("512.130.10.34"), device(kLarge, 64))));
  CHECK_FALSE(cuts_planes(tiles(boxes("2.130.10.34"), device(kLarge))));
  // more than is common is what a multiprocessor has: several groups are worth having there
  const auto cells = [](const SpaceOptions& o) {
    const AxisSizes best = group_tiles(facts(named_sweeps("40.66.66", 3), o)).at(0);
    std::int64_t n = 1;
    for (const AxisSize& s : best.list) n *= s.size;
    return n;
  };
  CHECK(cells(device(kSmall + 16)) > cells(device(kSmall)));
}

TEST_CASE("space: a group of many planes has more work-items") {
  const auto most_items = [](const std::string& text, const SpaceOptions& o) {
    const Space s(parse_program(text), o);
    std::int64_t most = 0, items = 1;
    for (const Configuration& c : s.seeds()) {
      if (c[key::time].empty()) continue;
      for (const Step& step : s.derive(c))
        if (step.rule == "map-seq")
          items = 1;
        else if (step.rule == "items")
          items *= std::stoll(step.parameters.at(0).str()), most = std::max(most, items);
    }
    return most;
  };
  const std::string two = named_sweeps("40.66.66", 3), six = named_sweeps("40.66.66", 3, 6);
  CHECK(most_items(two, device(kLarge)) > 0);
  CHECK(most_items(two, device(kLarge)) <= 256);
  CHECK(most_items(six, device(kSmall)) <= 256);
  CHECK(most_items(six, device(kLarge)) > 256);
}

TEST_CASE("space: sweeps over boxes go in step in groups; a small local memory has no rings of loads first") {
  const std::string text = boxes("3.5.6.34");
  const Program p = parse_program(text);
  CHECK(first_seed(text, device(kSmall)).at("loads") == "none");
  CHECK(first_seed(text, device(kLarge)).at("loads") == "1");
  const Derivation d = checked(text, first_seed(text, device(kLarge)), device(kLarge));
  CHECK(count(d, "let-of-maps") == 1);
  CHECK(count(d, "map-wrg") == 1);
  CHECK(count(d, "load-stages") == 1);
  check_space(p, device(), 2, 4);
}

TEST_CASE("space: a group does all sweeps over a small box, first where there are multiprocessors for all") {
  const std::string text =
      "param us : 3.6.6.f64\noverwrite us\n" + kHalf +
      "result r = let a = us |> map(\\x. half(x, 4, 4, 0, 0.5)) in a |> map(\\x. half(x, 4, 4, 1, 0.5))\n";
  CHECK(first_seed(text, device(kSmall, 2)).at("one_group") == "no");
  const Configuration first = first_seed(text, device(kSmall, 3));
  CHECK(first.at("one_group") == "yes");
  const Derivation d = checked(text, first, device(kSmall, 3));
  CHECK(count(d, "map-wrg") == 1);
  CHECK(count(d, "items") == 4);
  CHECK(count(d, "rings") == 0);
}

TEST_CASE(
    "space: first guesses of sweeps of rows go in step, several rows at a time where one thread does all") {
  const std::string text = "param u : 10.10.f64\noverwrite u\n" + kHalf +
                           "result r = let a = half(u, 8, 8, 0, 0.5) in half(a, 8, 8, 1, 0.5)\n";
  Texts times;
  for (const Configuration& c : Space(parse_program(text), one_thread()).seeds())
    if (c.at("in_place") == "yes") times.push_back(c.at("time"));
  CHECK(std::count(times.begin(), times.end(), "j") > 0);
  CHECK(std::count(times.begin(), times.end(), "j16") > 0);
  check_space(parse_program(text), one_thread(), 3, 6);
}

TEST_CASE("space: sweeps over few elements are tried a row at a time first") {
  const auto text = [](int n, int rest) {
    return "param u : " + std::to_string(n) + "." + std::to_string(n) +
           ".f64\noverwrite u\ndef s(x) = update2(x, 1, x |> drop2(1, " + std::to_string(rest) +
           ") |> map2(\\w. 2 * w))\nresult r = let a = s(u) in s(a)\n";
  };
  CHECK(facts(text(16, 9)).few);
  CHECK(facts(text(16, 9)).steps == Texts{"j"});
  const Configuration first = first_seed(text(16, 9), options());
  CHECK(first.at("time") == "j");
  CHECK(first.at("parallel") == "none");
  CHECK(first_seed(text(16, 1), options()).at("parallel") != "none");
  check_space(parse_program(text(16, 9)), options(), 3, 3);
}

TEST_CASE(
    "space: windows of rows of numbers lie in memory, of tuples not; those of more axes are no windows") {
  const auto windows = [](const std::string& body) {
    const std::string text = "param u, v : 9.9.f64\nresult r = " + body + "\n";
    check_space(parse_program(text), options(Target::opencl), 2, 1);
    return facts(text).windows;
  };
  const auto numbers = windows("u |> map(\\r. r |> slide(3, 1) |> map(\\w. w[0] + w[2]))"),
             tuples = windows("zip2(u, v) |> map(\\r. r |> slide(3, 1) |> map(\\w. w[0].0 + w[2].1))");
  REQUIRE(numbers.size() == 1);
  REQUIRE(tuples.size() == 1);
  CHECK(numbers[0].row == 9);
  CHECK(numbers[0].bytes == 8);
  CHECK(tuples[0].row == 0);
  CHECK(tuples[0].bytes == 16);
  CHECK(windows("u |> slide2(3, 1) |> map(\\r. r[0][1, 1] + r[1][0, 0])").empty());
}

namespace {

/// A sweep of x that reads y, and one of y that reads x.
std::string two_fields(const std::string& shape, const std::string& read = "a",
                       const std::string& size = "") {
  return size + "param x, y : " + shape +
         ".f64\noverwrite x, y\nresult r, q = let a = update3(x, 1, zip3(x |> drop3(1, 1), y |> slide3(3, "
         "1)) "
         "|> map3(\\(v, w). v + w[0, 1, 1] - w[2, 1, 1])) in {a, update3(y, 1, zip3(y |> drop3(1, 1), " +
         read + " |> slide3(3, 1)) |> map3(\\(v, w). v + w[1, 1, 0] - w[1, 1, 2]))}\n";
}
const std::string kRows = "size n = 20 where n >= 20\n";

/// Half-sweeps of x, and what follows.
std::string coloured(const std::string& arguments, const std::string& rest) {
  return "param x : 10.36.f64\n" + arguments + kHalf + rest;
}
const std::string kCoarse = "param c : 4.17.f64\nparam a : f64\noverwrite x, c\n",
                  kRest =
                      "result r, q = let y = half(x, 8, 34, 0, a) in let b = half(y, 8, 34, 1, a) in\n"
                      "let d = b |> slide2(3, 1) |> map2(\\w. a * w[1, 1] - w[0, 1]) in {b, ";

}  // namespace

TEST_CASE("space: threads take rows of stages in turns where there are loops within these") {
  CHECK(of_chain(two_fields("8.20.12")).chain.rows == "j");
  CHECK(of_chain(two_fields("8.n.12", "a", kRows)).chain.rows == "j");
  CHECK_FALSE(of_chain(two_fields("8.n.12", "a |> map(reverse)", kRows)).chain.rows.has_value());
  const auto sums = [](const std::string& shape, const std::string& n, const std::string& sum) {
    const auto update = [&](const std::string& to, const std::string& from) {
      return "update" + n + "(" + to + ", 1, zip" + n + "(" + to + " |> drop" + n + "(1, 1), " + from +
             " |> slide" + n + "(3, 1)) |> map" + n + "(\\(v, w). v + " + sum + "))";
    };
    return of_chain("param x, y : " + shape + ".f64\noverwrite x, y\nresult r, q = let a = " +
                    update("x", "y") + " in {a, " + update("y", "a") + "}\n")
        .chain;
  };
  CHECK(sums("20.30", "2", "(w |> join |> sum)").rows == "i");
  CHECK_FALSE(sums("20.30", "2", "w[1, 1]").rows.has_value());
  CHECK(sums("30", "", "(w |> sum)").steps == "i");
  CHECK_FALSE(sums("30", "", "(w |> sum)").rows.has_value());
}

TEST_CASE("space: tiles that threads take in turns leave two for each, and are no narrower than eight rows") {
  const auto first = [](const std::string& text) { return first_seed(text, options()).at("time"); };
  CHECK(first(two_fields("4.150.5")) == "j32 k");
  CHECK(first(two_fields("4.70.5")) == "j16 k");
  CHECK(first(two_fields("4.10.5")) == "j8 k");
  CHECK(first(two_fields("4.n.5", "a", kRows)) == "j32 k");
  CHECK(count(checked(two_fields("4.10.5"), {{"time", "j8 k"}}), "doacross") == 1);
  check_space(parse_program(two_fields("4.10.5")), options(), 2, 3);
}

TEST_CASE("space: stages that are read within tiles of rows keep rings where threads take these in turns") {
  const std::string pairs =
      "param x : 4.8.6.f64\nresult r = let a = x |> map3(\\v. v * v) in "
      "a |> split3(2) |> map3(\\w. w[0, 0, 0] + w[1, 1, 1])\n";
  CHECK(count(checked(pairs, {{"time", "j8 k"}}), "rings-in-turns") == 1);
  CHECK(count(checked(pairs, {{"time", "k"}}), "rings-in-turns") == 0);
  CHECK(count(checked(two_fields("4.10.5"), {{"time", "j8 k"}}), "rings-in-turns") == 0);
}

TEST_CASE("space: boxes for all threads leave stages no tiles to share") {
  const std::string in_place =
      "param xs, ys : 3.4.10.5.f64\noverwrite xs, ys\nresult r = zip(xs, ys) |> map(\\(x, y). let a = "
      "update3(x, 1, zip3(x |> drop3(1, 1), y |> slide3(3, 1)) |> map3(\\(v, w). v + w[0, 1, 1])) in "
      "update3(y, 1, zip3(y |> drop3(1, 1), a |> slide3(3, 1)) |> map3(\\(v, w). v - w[1, 1, 0])))\n";
  const NestFacts f = of_chain(in_place);
  CHECK(f.chain.around == 3);
  CHECK(f.chain.rows == "j");
  for (const Wishes& w : chain::first_guesses(f, nullptr)) CHECK(w[key::time].list.size() < 2);
  SpaceOptions four = options();
  four.threads = 4;
  CHECK(chain::first_guesses(of_chain(in_place, four), nullptr).at(0)[key::time].list.size() == 2);
  check_space(parse_program(in_place), options(), 2, 3);
  const std::string stages =
      "param xs : 3.10.6.f64\ndef s(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. w[0, 1] - w[1, "
      "2])\nresult r = xs |> map(\\x. let a = s(x) in let b = s(a) in b |> split2(2) |> map2(\\w. w[0, 0] + "
      "w[1, 1]))\n";
  CHECK(of_chain(stages).chain.tiles);
  const Configuration first = first_seed(stages, options());
  CHECK(first.at("time") == "j");
  CHECK_FALSE(first.contains("strips"));
  CHECK(count(checked(stages, first), "map-par") == 1);  // over boxes
  check_space(parse_program(stages), options(), 2, 3);
}

TEST_CASE("space: only vectors of large results of a chain stream") {
  const Program p = parse_program(
      "param x, y : 1100.1100.f64\noverwrite x, y\nresult r, q = let a = update2(x, 1, x |> drop2(1, 1) |> "
      "map2(\\v. 2 * v)) in {a, update2(y, 1, a |> slide2(3, 1) |> map2(\\w. w[0, 1] + w[2, 1]))}\n");
  const auto streams = [&](int vector_bytes) {
    return chain::first_guesses(chain_facts(p, options(Target::openmp, vector_bytes)), nullptr)
        .at(0)[key::stream];
  };
  CHECK(streams(16));
  CHECK_FALSE(streams(8));
}

TEST_CASE("space: of a chain, arrays that are read a colour after the other are stored so, others are not") {
  struct Case {
    std::string text;
    Texts coloured, apart;
    std::string layout;
    int strided, in_layout;
  };
  for (const Case& c : std::vector<Case>{
           {coloured(kCoarse, kRest + "update2(c, 0, d |> split2(2) |> map2(\\w. w[0, 0] + w[1, 1]))}\n"),
            {"x"},
            {"c"},
            "layout split 2 1 x at body",
            3,
            1},
           {coloured("param a : f64\noverwrite x\n",
                     kRest + "d |> slide2((3, 1), 1) |> map2(\\w. w[0, 0] + w[2, 0])}\n"),
            {"x"},
            {},
            "layout split 2 1 at body",
            4,
            1},
           {coloured(
                kCoarse,
                "result r = let e = update2(x, 1, zip2(x |> drop2(1, 1) |> split2(2), c) |> map2(\\(b, c). "
                "b |> map2(\\v. v + a * c)) |> join2) in let y = half(e, 8, 34, 0, a) in half(y, 8, 34, 1, "
                "a)\n"),
            {"x"},
            {"c"},
            "layout split 2 1 x at body",
            2,
            0}}) {
    CAPTURE(c.text);
    const NestFacts f = of_chain(c.text);
    CHECK(f.parity_axes == 2);
    CHECK(f.chain.coloured == c.coloured);
    CHECK(f.chain.apart == c.apart);
    const Derivation d =
        checked(c.text, {{"layout", "split 2 1"}, {"time", "j"}, {"inner", "strided vec"}, {"width", "2"}});
    CHECK(str(d).find(c.layout) != std::string::npos);
    CHECK(count(d, "strided") == c.strided);
    CHECK(count(d, "in-layout") == c.in_layout);
    const Derivation plain = checked(c.text, {{"layout", "caller"}, {"time", "j"}});
    CHECK(count(plain, "layout") + count(plain, "in-layout") + count(plain, "strided") == 0);
    check_space(parse_program(c.text), options(), 2, 3);
  }
}

}  // namespace lift::space_nest_edges_test
