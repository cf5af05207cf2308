// Settings that decisions offer, or refuse, at the edges of what a program, a target or a machine has.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/space/keys.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace lift::space_decisions_edges_test {
namespace {

Program of(const std::string& text) { return parse_program(text); }
/// A grid's device that computes on processors.
SpaceOptions on_cpu(int vector_bytes = 16) {
  SpaceOptions o = options(Target::opencl, vector_bytes);
  o.cpu = true;
  return o;
}
bool allows(const Space& s, const Configuration& c, const std::string& name, const std::string& value) {
  const Values all = s.allowed_texts(c, name);
  return std::find(all.begin(), all.end(), value) != all.end();
}
/// The derivation, which replays to a program of the same meaning.
Derivation checked(const Program& p, const Space& s, const Configuration& c) {
  const auto values = values_of(p, 1);
  check_configuration(s, c, interpret(p.body, values), values);
  return s.derive(c);
}
int count_with(const Derivation& d, const std::string& rule, const std::string& argument) {
  return static_cast<int>(std::count_if(d.begin(), d.end(), [&](const Step& s) {
    return s.rule == rule && str(Derivation{s}).find(rule + " " + argument + " at") != std::string::npos;
  }));
}

std::string windows(int k, int j, int i) {
  return "param u : " + std::to_string(k + 2) + "." + std::to_string(j + 2) + "." + std::to_string(i + 2) +
         ".f64\nresult r = u |> slide3(3, 1) |> map3(\\w. w[0, 1, 1] + w[2, 1, 1] - w[1, 0, 2] * w[1, 2, "
         "0])\n";
}
/// One colour of a box, in place; what else is read may be in local memory.
std::string one_colour(int k, int j, int i, bool overwrite = true) {
  const std::string whole = std::to_string(k + 2) + "." + std::to_string(j + 2) + "." + std::to_string(i + 2);
  return "param u, f : " + whole + ".f64\n" + (overwrite ? "overwrite u\n" : "") +
         "result r = update3(u, 1, zip3(positions(" + std::to_string(k) + ", " + std::to_string(j) + ", " +
         std::to_string(i) +
         "), u |> slide3(3, 1), f |> slide3(3, 1)) |> map3(\\(at, w, f). select((at.0 + at.1 + at.2) % 2 == "
         "0, w[0, 1, 1] + w[2, 1, 1] + f[1, 1, 0] - f[1, 1, 2], w[1, 1, 1])))\n";
}

}  // namespace

TEST_CASE("space: loops of one iteration within a block are not written out") {
  const Program p =
      of("param x : 6.7.f64\nresult r = x |> slide2((1, 2), (1, 1)) |> map2(\\w. w |> map2(\\e. 2 * e)) |> "
         "join2\n");
  const Space s(p, options());
  const Derivation d = checked(p, s, {{"block", "whole"}});
  CHECK(count(d, "map-unroll") == 1);
  CHECK(count_with(d, "map-unroll", "1") == 0);
}

TEST_CASE("space: rows of tiles that fill a row are copied element by element") {
  const Program p = of(windows(16, 16, 18));
  const Space s(p, on_cpu());
  const Configuration whole{{"tile", "k8 j8"}, {"grid", "groups"}, {"local", "tile"}},
      cut{{"tile", "k4 j4 i16"}, {"grid", "groups"}, {"local", "tile"}};
  CHECK(s.allowed_texts(whole, "copy") == Values{"direct"});
  CHECK(s.allowed_texts(whole, "inner") == Values{"seq", "vec"});  // along what is not cut
  CHECK(s.allowed_texts(cut, "inner") == Values{"seq"});
  const Derivation d = checked(p, s, whole);
  CHECK(count(d, "stage") == 1);
  CHECK(count(d, "map-lcl") == 2 + 2);
}

TEST_CASE("space: where whole groups begin asynchronous copies, rows of a tile go one after the other") {
  const Program p = of(windows(8, 8, 32));
  const Configuration tiles{{"tile", "k4 j4 i16"}, {"grid", "groups"}, {"local", "tile"}};
  Configuration c = tiles;
  c.set("copy", "async");
  const Space opencl(p, options(Target::opencl)), cuda(p, options(Target::cuda));
  CHECK(opencl.allowed_texts(tiles, "copy") == Values{"direct", "vec", "async"});
  CHECK(cuda.allowed_texts(tiles, "copy") == Values{"direct", "vec", "async", "async vec"});
  CHECK(count(checked(p, opencl, c), "map-lcl") == 3 + 1);
  CHECK(count(checked(p, cuda, c), "map-lcl") == 3 + 3);
  const Space uneven(of(windows(8, 8, 33)), options(Target::opencl));  // elements beyond the end are others
  CHECK(uneven.allowed_texts(tiles, "copy") == Values{"direct"});
}

TEST_CASE("space: arrays are split by colours only where colours are updated in place, in vectors or items") {
  const Program both = of(one_colour(4, 12, 6)), other = of(one_colour(4, 12, 6, false));
  for (const Target target : {Target::openmp, Target::opencl}) {
    CHECK(has(Space(both, options(target)), "layout", "split 3 1"));
    CHECK(has(Space(other, options(target)), "layout", "rows 2 1"));
    CHECK_FALSE(has(Space(other, options(target)), "layout", "split 3 1"));
    CHECK(find(Space(both, options(target, 8)), "layout") == nullptr);  // no vectors
  }
  const Program line =
      of("param u : 40.f64\noverwrite u\nresult r = update(u, 1, zip(positions(38), u |> slide(3, 1)) |> "
         "map(\\(at, w). select(at.0 % 2 == 0, w[0] + w[2], w[1])))\n");
  CHECK(has(Space(line, options()), "layout", "split 1 1"));
  CHECK_FALSE(has(Space(line, options(Target::opencl)), "layout", "split 1 1"));
}

TEST_CASE("space: the layout that is asked for is that of all arrays, whatever is updated") {
  for (const bool overwrite : {true, false})
    for (const char* text : {"rows 4 1", "split 3 2", "caller"}) {
      CAPTURE(text);
      const Program p = of(one_colour(3, 4, 6, overwrite));
      SpaceOptions o = options();
      o.only_layout = parse_layout(text);
      const Space s(p, o);
      const bool caller = text == std::string("caller");
      CHECK(s.layout({}) == (caller ? "" : text));
      CHECK(count_with(checked(p, s, {}), "layout", text) == (caller ? 0 : 1));
      if (!caller) CHECK(s.structure({{"layout", text}}).find(" layout") != std::string::npos);
    }
}

TEST_CASE("space: groups of arrays that are split by colours neither copy tiles nor deal cells to items") {
  const Program p = of(one_colour(4, 12, 6));
  const Space s(p, on_cpu());
  const Configuration tiles{{"tile", "j8"}, {"grid", "groups"}};
  Configuration split = tiles;
  split.set("layout", "split 3 1");
  CHECK(s.allowed_texts(tiles, "local") == Values{"none", "tile", "planes"});
  CHECK(s.allowed_texts(tiles, "items") == Values{"1", "2", "4", "j2", "j4"});
  CHECK(s.allowed_texts(split, "local") == Values{"none"});
  CHECK(s.allowed_texts(split, "items") == Values{"1"});
  CHECK(count_with(checked(p, s, split), "layout", "split 3 1") == 1);
}

TEST_CASE("space: an item keeps sums for all loops around them but those of one iteration") {
  const auto grid = [](const std::string& shape, const std::string& around) {
    return Space(of("param x : " + shape + ".70.f64\nresult r = x |> " + around +
                    "(\\r. let s = r |> reduce(add, 0) in r |> map(\\e. e - s))\n"),
                 options(Target::opencl))
        .allowed_texts({}, "grid");
  };
  CHECK(grid("5", "map") == Values{"j", "solo j"});
  CHECK(grid("1", "map") == Values{"none"});
  CHECK(grid("1.5", "map2") == Values{"j", "solo j"});
}

TEST_CASE("space: rows that are kept are written by one item, or by vectors of it") {
  const Program p =
      of("param x : 10.14.f64\nresult r = x |> slide2(3, 1) |> map2(\\w. w[0, 1] - w[1, 2] + w[2, 0]) |> "
         "split2(2) |> map2(\\b. b[0, 0] + b[0, 1] - b[1, 0])\n");
  for (const SpaceOptions& o : {options(), on_cpu()}) {
    const Space s(p, o);
    const auto vectors = [&](const char* inner) {
      return count(checked(p, s, {{"buffer", "rows"}, {"inner", inner}}), "map-vec");
    };
    CHECK(vectors("seq") == 0);
    CHECK(vectors("vec") >= 1);
  }
  CHECK(Space(p, on_cpu()).allowed_texts({{"buffer", "rows"}}, "grid") == Values{"solo j"});
  CHECK(Space(p, on_cpu()).allowed_texts({}, "grid") == Values{"solo j", "j i", "j", "i"});
}

TEST_CASE("space: items go along columns of three dimensions at most") {
  const auto settings = [](const std::string& program, const char* name) {
    return Space(of(program), options(Target::opencl)).allowed_texts({}, name);
  };
  const std::string four = "param x : 20.4.5.6.f64\nresult r = x |> map4(\\e. 2 * e)\n",
                    three = "param x : 20.4.5.f64\nresult r = x |> map3(\\e. 2 * e)\n";
  CHECK(settings(three, "order") == Values{"k j", "j i k"});
  CHECK(settings(four, "order") == Values{"k j"});
  CHECK(settings(three, "tile") == Values{"none", "k16"});
  CHECK(settings(four, "tile") == Values{"none"});
}

TEST_CASE("space: blocks that are written by rows are in no chunks of columns") {
  const Program p = of(
      "param x : 18.5.f64\nresult r = x |> slide2((1, 2), 1) |> map2(\\w. w |> map2(\\e. 2 * e)) |> join2\n");
  const Program q =
      of("param x : 18.5.f64\nresult r = x |> slide2((1, 2), 1) |> map2(\\w. generate(2, 2, \\i j. f64(i) * "
         "w[0, 0] - f64(j) * w[0, 1])) |> join2\n");
  for (const Program& x : {p, q}) {
    const Space s(x, on_cpu());
    CHECK(allows(s, {{"block", "whole"}}, "tile", "j16"));
    CHECK(s.allowed_texts({{"block", "rows"}}, "tile") == Values{"none"});
  }
}

TEST_CASE("space: loops within blocks are no dimension of a grid") {
  const Program p =
      of("param x : 3.4.5.f64\nresult r = x |> map3(\\x. generate(2, 2, 2, \\i j k. f64(i - j * k)) |> "
         "map3(\\e. e * x)) |> join3\n");
  const Space s(p, on_cpu());
  const Derivation d = checked(p, s, {{"block", "rows"}, {"grid", "solo k j"}});
  CHECK(count(d, "map-wrg") == 2);
  CHECK(count_with(d, "map-wrg", "1") == 1);
}

TEST_CASE("space: items of a group are no more than the device allows") {
  const Program sum = of("param x : 4000.f64\nresult r = x |> map(\\x. x * x) |> reduce(add, 0)\n"),
                scan = of("param a : 4.256.20.f64\nresult r = a |> map2(\\r. r |> scan(add, 0))\n");
  SpaceOptions o = options(Target::opencl);
  CHECK(allows(Space(sum, o), {{"parts", "none"}}, "group", "256"));
  CHECK(allows(Space(scan, o), {{"order", "j i k"}}, "tile", "i128"));
  o.max_work_group = 64;
  CHECK(Space(sum, o).allowed_texts({{"parts", "none"}}, "group") == Values{"none", "64"});
  CHECK_FALSE(allows(Space(scan, o), {{"order", "j i k"}}, "tile", "i128"));
  CHECK(allows(Space(scan, o), {{"order", "j i k"}}, "tile", "i64"));
  CHECK(allows(Space(scan, o), {{"order", "j k i"}}, "tile", "i128"));  // not items of one group
}

TEST_CASE("space: accumulators and vectors of folds are as many as registers are for") {
  const auto fold = [](const char* type, bool columns) {
    const std::string t = type;
    return of(columns
                  ? "param a : 70.40." + t + "\nresult r = a |> transpose |> map(\\r. r |> reduce(add, 0))\n"
                  : "param a : 12.70." + t + "\nparam p : 70." + t +
                        "\nresult r = a |> map(\\r. zip(r, p) |> map(\\(x, y). x * y) |> reduce(add, 0))\n");
  };
  const auto values = [](const Program& p, int bytes, const char* name) {
    const Space s(p, options(Target::openmp, bytes));
    const Parameter* x = find(s, name);
    Values r;
    for (const Setting& v : x == nullptr ? Settings{} : x->values) r.push_back(x->key->text(v));
    return r;
  };
  CHECK(values(fold("f64", false), 64, "lanes") == Values{"1", "8", "16", "32", "64"});
  CHECK(values(fold("f32", false), 64, "lanes") == Values{"1", "16", "32", "64"});
  CHECK(values(fold("f64", false), 8, "lanes").empty());
  CHECK(values(fold("f64", true), 64, "width") == Values{"1", "8", "16", "32", "64"});
  CHECK(values(fold("f32", true), 64, "width") == Values{"1", "16", "32", "64"});
  CHECK(values(fold("f64", true), 8, "width").empty());
  CHECK(values(fold("f64", true), 8, "tile") == Values{"none", "i4", "i2", "i8", "i20", "i16"});
  const Space s(fold("f64", false), options(Target::openmp, 64));
  CHECK(s.allowed_texts({{"order", "i k"}}, "lanes") == Values{"1", "8", "16", "32", "64"});
  CHECK(s.allowed_texts({{"order", "k i"}}, "lanes") == Values{"1", "8", "16", "32"});  // kept in variables
  CHECK(s.structure({{"order", "k i"}}) == "elements outside cells, seq");
  CHECK(s.structure({{"order", "i k"}}) == "seq");
}

TEST_CASE("space: a fourth dimension of a grid is the last one") {
  const Program
      columns =
          of("param a : 2.3.2.3.8.7.f64\nresult r = a |> map(\\a. a |> map4(\\r. r |> scan(add, 0)))\n"),
      boxes =
          of("param u : 2.2.7.7.19.f64\nresult r = u |> map2(\\x. x |> slide3(3, 1) |> map3(\\w. w[0, 1, "
             "1] + w[2, 1, 1] - w[1, 0, 2] * w[1, 2, 0]))\n");
  for (const auto& [p, tile] : {std::pair{columns, "i4"}, {boxes, "k4 j4 i16"}}) {
    CAPTURE(tile);
    const Space s(p, options(Target::opencl));
    const Derivation d = checked(p, s, {{"tile", tile}, {"grid", "groups"}});
    CHECK(count(d, "map-wrg") == 4);
    CHECK(count_with(d, "map-wrg", "3") == 1);
  }
}

TEST_CASE("space: tiles cut the loops of each of several sweeps") {
  const auto sweeps = [](const std::string& second) {
    return Space(
        of("param u : 30.30.f64\noverwrite u\nresult =\nlet a = update2(u, (0, 0), u |> drop2((0, 0), (10, "
           "21)) |> map2(\\x. 2 * x)) in\nupdate2(a, (0, 0), a |> drop2((0, 0), " +
           second + ") |> map2(\\x. 2 * x))\n"),
        options());
  };
  CHECK(has(sweeps("(20, 5)"), "tile", "j8"));        // 10.25
  CHECK_FALSE(has(sweeps("(22, 5)"), "tile", "j8"));  // 8.25
}

TEST_CASE("space: programs of numbers say what they update, and that they have no grid") {
  const std::string arrays = "param p, q : 9.f64\nparam r : 5.f64\n";
  const Program update = of(arrays + "result a, b = update(zip(p, q), 1, zip(r, r))\n"),
                number = of(arrays + "result a = p[0] + q[1]\n");
  CHECK(Space(update, options()).structure({}) == "two buffers, seq");
  CHECK(Space(update, options(Target::opencl)).structure({}) == "two buffers, grid none, seq");
  CHECK(Space(number, options()).structure({}) == "seq");
  CHECK(Space(number, options(Target::opencl)).structure({}) == "grid none, seq");
}

TEST_CASE("space: rows of more than a million elements are in no tile in local memory") {
  SpaceOptions o = options(Target::opencl);
  o.local_bytes = std::size_t{1} << 30;
  const auto local = [&](std::int64_t step) {
    const std::string n = std::to_string(70 * step + 3);
    return Space(of("param u : 4." + n + ".f64\nresult r = u |> map(\\u. u |> slide(3, " +
                    std::to_string(step) + ") |> map(\\w. w[0] + w[1] + w[2]))\n"),
                 o)
        .allowed_texts({{"tile", "i64"}, {"grid", "groups"}}, "local");
  };
  CHECK(local(16000) == Values{"none", "tile"});
  CHECK(local(17000) == Values{"none"});
}

TEST_CASE(
    "space: arguments may be assumed to overlap, or to be only read where a target has a path for such") {
  const Program p = of("param u : 7.f64\nresult r = u |> map(\\x. x + 1)\n");
  const Space threads(p, options()), cuda(p, options(Target::cuda));
  CHECK(find(threads, "readonly") == nullptr);
  CHECK(has(cuda, "readonly", "yes"));
  CHECK(count(checked(p, threads, {{"readonly", "no"}}), "may-alias") == 1);
  CHECK(count(checked(p, threads, {{"readonly", "yes"}}), "may-alias") == 0);
  CHECK(count(checked(p, cuda, {{"readonly", "yes"}}), "read-only") == 1);
  CHECK(count(checked(p, cuda, {{"readonly", "no"}}), "read-only") == 0);
  CHECK(threads.structure({{"readonly", "no"}}) == "seq, arrays that may overlap");
  CHECK(threads.structure({{"readonly", "yes"}}) == "seq");
  CHECK(cuda.structure({{"readonly", "yes"}}) == "grid none, seq, read-only");
}

TEST_CASE("space: what is left of the other colour is read again: it is not stored past the cache") {
  const auto stream = [](const std::string& guard, const char* in_place) {
    return Space(of("param u : 40.f64\noverwrite u\nresult r = update(u, 0, zip(positions(40), u) |> "
                    "map(\\(at, x). select(" +
                    guard + ", 2 * x, x)))\n"),
                 options())
        .allowed_texts({{"in_place", in_place}, {"inner", "vec"}}, "stream");
  };
  CHECK(stream("at.0 % 2 == 0", "yes") == Values{"0"});
  CHECK(stream("at.0 % 2 == 0", "no") == Values{"0", "1"});
  CHECK(stream("at.0 > 3", "yes") == Values{"0", "1"});
}

TEST_CASE("space: a work-group that does all sweeps of a box leaves no loops to decide about") {
  const Program p =
      of("param u, f : 6.10.12.f64\noverwrite u\ndef around(x) = x |> slide2(3, 1) |> map2(\\w. w[0, 1] - "
         "w[2, 1])\n"
         "result r = let a = zip(u, f) |> map(\\(u, f). update2(u, 1, around(f))) in\n"
         "zip(a, f) |> map(\\(a, f). update2(a, 1, around(f |> map2(\\x. 2 * x))))\n");
  const Space s(p, options(Target::cuda));
  REQUIRE(find(s, "one_group") != nullptr);
  CHECK(s.allowed_texts({{"one_group", "yes"}}, "grid") == Values{"none"});
  CHECK(s.allowed_texts({{"one_group", "yes"}}, "inner") == Values{"seq"});
  CHECK(s.allowed_texts({{"one_group", "yes"}}, "unroll") == Values{"1"});
  CHECK(s.allowed_texts({{"one_group", "no"}}, "grid").size() > 1);
  CHECK(count(checked(p, s, {{"one_group", "yes"}}), "map-wrg") == 1);
}

TEST_CASE("space: arrays that groups copy into rings are loaded ahead where each item begins its own copy") {
  const Program p =
      of("param u : 128.100.f64\ndef next(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. w[0, 1] + "
         "w[2, 1] - w[1, 0])\nresult r = let a = next(u) in next(a)\n");
  const auto loads = [&](Target target) {
    const Space s(p, options(target));
    int ahead = 0, plain = 0;
    for (const Configuration& c : s.seeds()) {
      const std::string words = s.structure(c);
      ahead += words.find("arrays loaded ahead, ") != std::string::npos;
      plain += words.find("arrays loaded, ") != std::string::npos;
      if (c[key::loads] > 0) CHECK(count(s.derive(c), "async") == (target == Target::cuda ? 1 : 0));
    }
    return std::pair{ahead > 0, plain > 0};
  };
  CHECK(loads(Target::cuda) == std::pair{true, false});
  CHECK(loads(Target::opencl) == std::pair{false, true});
}

TEST_CASE(
    "space: stages that go in step have late stores, streams and teams where there is something to gain") {
  const auto names = [](bool overwrite, int boxes, int threads, int bytes) {
    const bool many = boxes > 0;
    const Program p =
        of("param u, f : " + (many ? std::to_string(boxes) + "." : "") + "16.12.10.f64\n" +
           (overwrite ? "overwrite u\n" : "") + "result r = " + (many ? "zip(u, f) |> map(\\(u, f). " : "") +
           "let a = update3(u, 1, f |> slide3(3, 1) |> map3(\\w. w[0, 1, 1] - w[2, 1, 1])) in a |> slide3(2, "
           "2) |> map3(\\q. q[0, 0, 0] + q[1, 1, 1])" +
           (many ? ")\n" : "\n"));
    SpaceOptions o = options(Target::openmp, bytes);
    o.threads = threads;
    const Space s(p, o);
    Values r;
    for (const char* name : {"late", "stream", "team"})
      if (find(s, name) != nullptr) r.emplace_back(name);
    return r;
  };
  CHECK(names(true, 0, 2, 16) == Values{"late", "stream", "team"});
  CHECK(names(true, 0, 2, 8) == Values{"team"});  // no vectors
  CHECK(names(true, 0, 1, 16) == Values{"late", "stream"});
  CHECK(names(true, 8, 2, 16) == Values{"late", "stream"});
  CHECK(names(true, 1, 2, 16) == Values{"late", "stream", "team"});
  CHECK(names(false, 0, 2, 16) == Values{"stream", "team"});
}

TEST_CASE("space: sweeps in place go in step though rings would keep all that lies between them") {
  const auto sweeps = [](const std::string& rank, const std::string& shape) {
    const std::string zeros = rank == "2" ? "(0, 0)" : "(0, 0, 0)", rest = rank == "2" ? ", 0)" : ", 0, 0)",
                      drop = " |> drop" + rank, map = " |> map" + rank, update = "update" + rank;
    return of("param u : 16." + shape + ".f64\noverwrite u\nresult r =\nlet a = " + update + "(u, " + zeros +
              ", u" + drop + "(" + zeros + ", (5" + rest + ")" + map + "(\\x. 2 * x)) in\n" + update +
              "(a, " + zeros + ", a" + drop + "((11" + rest + ", " + zeros + ")" + map + "(\\x. x + 1))\n");
  };
  const Program plane = sweeps("2", "7"), box = sweeps("3", "6.7");
  const Space s(plane, options()), t(box, options());
  CHECK(find(s, "rings") == nullptr);
  CHECK(s.allowed_texts({{"order", "k j"}}, "time") == Values{"none", "j", "j8", "j16", "j32", "j64"});
  CHECK(has(s, "parallel", "i"));
  CHECK(find(t, "rings") == nullptr);
  CHECK(has(t, "parallel", "j"));
  CHECK_FALSE(has(t, "parallel", "i"));
  CHECK(t.allowed_texts({{"time", "k"}}, "parallel") == Values{"j"});
  for (const Program& p : {plane, box}) check_space(p, options(), 6, 2);
}

TEST_CASE("space: nothing is kept in registers where it is not known which elements cells read") {
  const auto kept = [](const std::string& position, const char* stages) {
    return Space(of("param x : 40.f64\nparam c : 42.i32\nparam y : 42.f64\nresult r =\nlet at = c |> "
                    "map(\\i. i % 40) in\nzip(at |> slide(3, 1), y |> slide(3, 1)) |> map(\\(a, w). (x |> "
                    "gather(a[0]" +
                    position + ")) + (x |> gather(a[2]" + position + ")) + w[0] + w[2])\n"),
                 options())
        .allowed_texts({{"stages", stages}}, "kcache");
  };
  CHECK(kept("", "fused") == Values{"no", "yes"});  // which are elements of x
  CHECK(kept("", "work") == Values{"no"});
  CHECK(kept(", clamp", "work") == Values{"no", "yes"});
}

}  // namespace lift::space_decisions_edges_test
