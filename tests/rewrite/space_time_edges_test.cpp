// Loops over time, and schedules of sweeps and stages, at the borders of what is decided about them: each
// program beside one that is not of that kind.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/analysis/rows.hpp"
#include "rewrite/space/chain_form.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/variants.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace lift::space_time_edges_test {
namespace {

Program of(const std::string& body, const std::string& declared = "") {
  return parse_program("param u, v : 40.f64\nparam x : 6.40.f64\nparam s : f64\n" + declared +
                       "def three(r) = r |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] - w[2])\n"
                       "def plus(a, b) = zip(a, b) |> map(\\(p, q). p + q)\nresult = " +
                       body + "\n");
}
std::string depths(const std::string& body) {
  std::string r;
  for (const std::int64_t d : depths_of(of(body))) r += (r.empty() ? "" : " ") + std::to_string(d);
  return r;
}
std::optional<Place> over_time(const std::string& body, bool on_grid = false) {
  return step_over_time(of(body).body, on_grid);
}

}  // namespace

TEST_CASE("space: iterations of many numbers, or that only rearrange, have no depths") {
  std::string numbers = "s", step = "(u |> map(\\e. e * e) |> reduce(add, 0)) + t.0";
  for (int i = 1; i < 33; ++i) numbers += ", s", step += ", t." + std::to_string(i);
  CHECK(depths("{" + numbers + "} |> iterate(3, \\t. {" + step + "})").empty());
  const std::string around = "u |> iterate(3, \\r. concat(r |> drop(3, 0), r |> take(3)))";
  CHECK(depths(around).empty());
  check_space(of(around), options(), 2, 1);
  CHECK(depths("u |> iterate(3, \\r. three(r))") == "3 1");
  CHECK(depths("u |> iterate(3, \\r. r |> scan(add, 0))") == "3 1");
}

TEST_CASE("space: a scan of rows that computes none of them by a loop is no loop over time") {
  CHECK(!over_time("x |> scan(\\a r. r, u)"));
  CHECK(over_time("x |> scan(\\a r. plus(a, r), u)"));
  CHECK(over_time("x |> scan(\\a r. update(a, 1, r |> drop(2, 1)), u)"));
  CHECK(!over_time("x |> scan(\\a r. zip(a, r) |> scan(\\c (p, q). c + p * q, 0.0), u)"));
}

TEST_CASE("space: iterations of rows are no loops over time, nor those of more steps than launches") {
  CHECK(!over_time("x |> map(\\r. r |> iterate(9, three))"));
  CHECK(over_time("u |> iterate(4097, three)"));
  CHECK(over_time("u |> iterate(4096, three)", true));
  CHECK(!over_time("u |> iterate(4097, three)", true));
}

TEST_CASE("space: an iteration below what reads it has a name, however far below") {
  const std::string steps = "(u |> iterate(9, three))";
  for (const std::string& body : {"zip(" + steps + ", v) |> map(\\(a, b). a * b)",
                                  "zip(v, " + steps + " |> reverse) |> map(\\(a, b). a * b)",
                                  "plus(" + steps + " |> pad(1, 1, clamp) |> drop(2, 0), v)"}) {
    CAPTURE(body);
    const Program p = of(body);
    CHECK(count(in_chain_form({p, {}}, 4).steps, "let-part") == 1);
    CHECK(depths(body) == "3 9 1");
    check_space(p, options(), 2, 1);
  }
}

TEST_CASE("space: two iterations, one of which has another in its steps, are taken a step at a time") {
  const std::string plain = "iterate(9, three)", nested = "iterate(9, \\r. r |> iterate(9, three))";
  CHECK(depths("let a = u |> " + nested + " in a |> " + plain) == "1");
  CHECK(depths("let a = u |> " + plain + " in a |> " + nested) == "1");
  CHECK(depths("let a = u |> " + plain + " in a |> " + plain) == "3 9 1");
}

TEST_CASE("space: steps hand on arrays, not numbers, over two levels of time") {
  CHECK(depths("{u, s} |> iterate(20, \\t. {three(t.0), t.1})") == "4 8 1");
  CHECK(depths("{u, v} |> iterate(20, \\t. {three(t.1), t.0})") == "4 8 2");
}

TEST_CASE("space: what a step hands on is copied by a loop, unless it stays where it is") {
  const auto copies = [](const std::string& body, std::int64_t depth = 1) {
    const Program p = of(body);
    const Rewriting r = in_chain_form({p, {}}, depth);
    const auto values = values_of(p, 1);
    CHECK(identical(interpret(r.program.body, values), interpret(p.body, values)));
    return count(r.steps, "identity-map");
  };
  const auto pairs = [&](const std::string& step, std::int64_t depth = 1) {
    CAPTURE(step);
    return copies("{u, v} |> iterate(20, \\t. " + step + ")", depth);
  };
  CHECK(pairs("{t.0, three(t.1)}") == 0);
  CHECK(pairs("{three(t.0), three(t.1)}") == 0);
  CHECK(pairs("{t.1, three(t.0)}") == 1);
  CHECK(pairs("{t.1, three(t.0)}", 2) == 0);  // either is computed within two steps
  CHECK(pairs("{v, three(t.0)}") == 1);
  CHECK(pairs("{t.1 |> reverse, three(t.0)}") == 1);
  CHECK(pairs("let y = t.1 |> reverse in {y, plus(three(t.0), y)}") == 1);
  CHECK(pairs("let y = three(t.0) in {y, plus(t.1, three(y))}") == 0);
  CHECK(pairs("let y = three(t.0) in {y, y}") == 1);
  CHECK(pairs("let p = zip(t.0, t.1) |> map(\\(a, b). {a - b, a + b}) |> unzip in {p.0, p.1}") == 2);
  CHECK(copies("let a = three(u) in {u, v} |> iterate(20, \\t. {a, three(t.0)})") == 1);
  CHECK(copies("{u, s} |> iterate(20, \\t. {three(t.0), t.1 + 1.0})") == 0);
  CHECK(copies("{u, v, u} |> iterate(20, \\t. {t.1, t.2, three(t.0)})", 2) == 1);
  CHECK(copies("{{u, v}, v} |> iterate(20, \\t. {{three(t.1), three(t.0.0)}, t.0.1})") == 1);
  CHECK(copies("{u, v} |> iterate(20, \\t. {t.1 |> iterate(3, \\r. r |> reverse), three(t.0)})") == 0);
}

TEST_CASE("space: the last row of a scan is found below names, and in what a name stands for") {
  const std::string rows = "x |> scan(\\a r. plus(three(a), r), ";
  const auto found = [](const std::string& body) {
    const Program p = of(body);
    const Rewriting r = in_chain_form({p, {}}, 1);
    const auto values = values_of(p, 1);
    CHECK(identical(interpret(r.program.body, values), interpret(p.body, values)));
    return count(r.steps, "scan-iterate");
  };
  CHECK(found("let a = three(u) in (" + rows + "a))[5]") == 1);
  CHECK(found("let a = three(u) in let b = three(a) in plus((" + rows + "a))[5], b)") == 1);
  CHECK(found("let a = (" + rows + "u))[5] in (" + rows + "a))[5]") == 2);
  CHECK(found("let a = three(u) in " + rows + "a)") == 0);
  CHECK(found("let a = three(u) in (" + rows + "a))[4]") == 0);
}

TEST_CASE("space: stages that are made alike are no iteration where a later one reads two of them") {
  std::string stages = "let b0 = three(u) in ";
  for (int i = 1; i < 20; ++i)
    stages += "let b" + std::to_string(i) + " = three(b" + std::to_string(i - 1) + ") in ";
  CHECK(depths(stages + "plus(b19, u)") == "4 8 1");
  CHECK(depths(stages + "plus(b19, b18)").empty());
}

TEST_CASE("space: an iteration that is no name's, nor has one around it, is a chain where it stands") {
  const Program second = of("{three(u), v |> iterate(3, three)}"),
                block = of("update(u, 1, v |> drop(1, 1) |> iterate(3, three))");
  for (const Program& p : {second, block}) {
    const Derivation d = in_chain_form({p, {}}, 3).steps;
    REQUIRE(count(d, "iterate-chain") == 1);
    CHECK(d.back().place.back() == 1);
    check_space(p, options(), 3, 1);
  }
}

TEST_CASE("space: steps in place begin with a copy, unless what they are given is theirs alone") {
  const auto copies = [](const std::string& body) {
    CAPTURE(body);
    const Program p = of(body, "param w : 60.f64\noverwrite u\n");
    const Space s(p, options());
    const auto values = values_of(p, 1);
    check_configuration(s, {}, interpret(p.body, values), values);
    const Derivation d = s.derive({});
    CHECK(count(d, "update-in-place") + count(d, "overwrite-bases") == 1);
    return count(d, "to-global");
  };
  const std::string half = "update(r, 1, r |> drop(1, 1) |> map(\\e. e * 2))",
                    steps = " |> iterate(25, \\r. " + half + ")";
  CHECK(copies("u" + steps) == 0);
  CHECK(copies("v" + steps) == 1);
  CHECK(copies("{u" + steps + ", three(v)}") == 0);
  CHECK(copies("let a = three(v) in {a, u" + steps + "}") == 0);
  CHECK(copies("u" + steps + " |> to_global") == 0);
  CHECK(copies("{u" + steps + ", three(u)}") == 1);          // another result reads it
  CHECK(copies("let a = u" + steps + " in three(a)") == 1);  // its place is no result's
  CHECK(copies("update(w, 0, u" + steps + ")") == 1);        // but a part of one
  const auto pairs = [&](const std::string& start, int times) {
    return copies(start + " |> iterate(" + std::to_string(times) + ", \\t. let r = t.0 in {" + half +
                  ", three(t.1)})");
  };
  CHECK(pairs("{u, v}", 25) == 0);
  CHECK(pairs("{v, u}", 25) == 1);
  CHECK(pairs("{three(u), v}", 25) == 1);  // in an array of the program's own
  CHECK(pairs("{three(u) |> to_global, v}", 25) == 0);
  CHECK(pairs("{v, u}", 23) == 0);  // what is left over comes before, and takes turns
}

TEST_CASE("space: rows that a scan makes go abreast where what they read of the one before is known") {
  const auto rows = [](const std::string& body, int threads = 2) {
    CAPTURE(body);
    const Program p = of(body, "size n where n >= 2\nparam w : 3.600.f64\nparam y : 3.40.n.f64\n");
    SpaceOptions o = options();
    o.threads = threads;
    const Space s(p, o);
    std::string r;
    const Parameter* found = find(s, "rows");
    if (found != nullptr)
      for (const Setting& x : found->values) r += (r.empty() ? "" : " ") + found->key->text(x);
    return r;
  };
  const std::string scan = "x |> scan(\\a r. plus(a, r), ";
  CHECK(rows(scan + "u)") == "one 1");
  CHECK(rows(scan + "u)", 1).empty());
  CHECK(rows(scan + "u) |> to_global") == "one 1");
  CHECK(rows("{" + scan + "u), three(u)}") == "one 1");
  CHECK(rows("let a = three(u) in " + scan + "a)") == "one 1");
  CHECK(rows("let a = " + scan + "u) in a |> map(three)") == "one 1");
  CHECK(rows(scan + "u) |> reverse").empty());  // nowhere stored as it is
  CHECK(rows("x |> scan(\\a r. plus(a |> reverse, r), u)").empty());
  CHECK(rows("x |> scan(\\(c, a) r. {c + 1.0, plus(a, r)}, {s, u}) |> unzip").empty());
  CHECK(rows("y |> scan(\\a r. zip2(a, r) |> map2(\\(p, q). p + q), y[0])") == "one 1");
  const auto far = [&](const std::string& columns) {
    return rows("w |> scan(\\a r. plus(zip(a |> pad(0, " + columns + ", clamp) |> drop(" + columns +
                ", 0), r) |> scan(\\c (p, q). c + p * q, 0.0), r), w[0])");
  };
  CHECK(far("256") == "one 4 2 8");
  CHECK(far("257").empty());
  // Each array of a row is a stream: of several, fewer rows go abreast.
  const std::string sums = "zip(a, r) |> scan(\\c (p, q). c + p * q, 0.0)";
  CHECK(rows("x |> scan(\\a r. plus(" + sums + ", r), u)") == "one 4 2 8 1");
  CHECK(rows("x |> scan(\\(a, b, c) r. {" + sums + ", plus(b, r), plus(c, r)}, {u, v, u}) |> unzip") ==
        "one 2 4 8 1");
  check_space(of("{" + scan + "u) |> to_global, three(u)}"), options(), 4, 1);
  check_space(of("x |> scan(\\(a, b) r. {plus(a, r), plus(b, r)}, {u, v}) |> unzip"), options(), 4, 1);
}

TEST_CASE("space: rows that are shared in turns are no first guess, and said after what a step says") {
  const Program turns = of("x |> scan(\\a r. plus(a, r), u)"),
                chains = of("x |> scan(\\a r. plus(zip(a, r) |> scan(\\c (p, q). c + p * q, 0.0), r), u)");
  const Space s(turns, options()), abreast(chains, options());
  for (const Configuration& c : s.seeds()) CHECK(c.at("rows") == "one");
  CHECK(abreast.seeds().front().at("rows") == "4");
  CHECK(s.structure({}) == "seq");
  CHECK(s.structure({{"rows", "1"}}) == "seq, columns in turns");
}

TEST_CASE("space: rows of rows are decided about once, at the scan within the step") {
  const Program p = of("y |> scan(\\a r. zip(a, r) |> scan(\\q (a, r). plus(q, plus(a, r)), u), y[0])",
                       "param y : 3.5.40.f64\n");
  CHECK(rows_before(p.body, {}).obstacle.empty());  // nor is there one to the outer scan's
  const Space s(p, options());
  int rows = 0;
  for (const Parameter& x : s.parameters()) rows += x.name() == "rows";
  CHECK(rows == 1);
  const Derivation d = s.derive({{"rows", "1"}, {"columns", "16"}});
  REQUIRE(count(d, "rows-abreast") == 1);
  for (const Step& x : d)
    if (x.rule == "rows-abreast") CHECK(x.place == Place{0, 0});
  check_space(p, options(), 4, 1);
}

TEST_CASE("space: loops beside a loop over time have threads where tiles of its steps have") {
  const Program p =
      of("{y |> iterate(25, \\r. update3(r, 1, r |> drop3(1, 1) |> map3(\\e. e * 2))), x |> map(three)}",
         "param y : 5.20.6.f64\noverwrite y\n");
  const Space s(p, options());
  const Configuration c{{"in_place", "yes"}, {"time", "j8 k1"}, {"parallel", "none"}};
  const auto values = values_of(p, 1);
  check_configuration(s, c, interpret(p.body, values), values);
  const Derivation d = s.derive(c);
  CHECK(count(d, "doacross") == 1);
  for (const Step& x : d)
    if (x.rule == "map-par") CHECK(x.place == Place{1});
  CHECK(count(d, "map-par") == 1);
}

namespace {

/// Decisions of any order, each of the numbers 0 and 1; derives nothing.
class Some : public Variants {
 public:
  Some(const std::vector<const Key*>& keys, std::string said) : said_(std::move(said)) {
    for (const Key* k : keys) {
      BoundDecision d;
      d.key = k, d.settings = {false, true};
      d.allowed = [](const Configuration&) { return Settings{false, true}; };
      d.suits = [](const Configuration&, const Settings&) { return Setting(true); };
      decisions_.push_back(std::move(d));
    }
  }
  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override {
    return c.find(key::late) != nullptr ? said_ + "!" : said_;
  }
  std::vector<Wishes> first_guesses() const override { return {{{key::late, true}}}; }
  Rewriting derive(const Configuration&) const override { return {}; }

 private:
  std::string said_;
  std::vector<BoundDecision> decisions_;
};

}  // namespace

TEST_CASE("decisions: forms that would take them in another order than the first are left out") {
  std::vector<const Key*> keys{&key::late, &key::stream};
  CHECK_FALSE(merge_order(keys, Some({&key::stream, &key::late}, "").decisions()));
  CHECK(keys == std::vector<const Key*>{&key::late, &key::stream});
  CHECK(merge_order(keys, Some({&key::team, &key::stream, &key::rings}, "").decisions()));
  CHECK(keys == std::vector<const Key*>{&key::team, &key::late, &key::stream, &key::rings});

  std::vector<VariantsOfForm> forms;
  const auto add = [&](std::int64_t depth, const std::vector<const Key*>& of_form, const char* said) {
    forms.push_back({depth, "form " + std::to_string(depth), std::make_unique<Some>(of_form, said)});
  };
  add(1, {&key::late, &key::stream}, "one");
  add(2, {&key::stream, &key::late}, "two");
  add(3, {&key::stream, &key::rings}, "");
  const auto all = by_form(key::depth, std::move(forms));
  REQUIRE(all->decisions().size() == 4);
  CHECK(all->decisions()[0].settings == Settings{std::int64_t{1}, std::int64_t{3}});
  CHECK(all->first_guesses().size() == 2);
  const Configuration third{{"depth", "3"}, {"late", "1"}};
  CHECK(all->words({{"late", "1"}}) == "form 1, one!");  // the first, where none is chosen
  CHECK(all->words(third) == "form 3");                  // which has nothing to say, nor is told of others'
  const BoundDecision& late = all->decisions()[1];
  REQUIRE(late.key == &key::late);
  CHECK(late.allowed({}) == Settings{false, true});
  CHECK(late.allowed(third) == Settings{false});
  CHECK(late.suits({}, late.settings) == Setting(true));
  CHECK(late.suits(third, late.settings) == Setting(false));
}

TEST_CASE("decisions: rings are for steps along the outermost axis, where sweeps can go along another one") {
  // In two arrays that take turns a plane waits for one far before it to be read.
  const Program p =
      of("let a = j(y) in let b = j(a) in let c = j(b) in let e = j(c) in j(e)",
         "param y : 12.14.8.f64\n"
         "def j(p) = update3(p, (0, 1, 1), p |> pad3((9, 0, 0), 0, clamp) |> slide3((10, 3, 3), 1) |>\n"
         "  map3(\\w. w[0, 1, 1] + w[9, 1, 1] - w[9, 0, 1] - w[9, 1, 2]))\n");
  const Space s(p, options());
  CHECK(s.allowed_texts({{"time", "k1"}}, "rings").back() == "yes");
  CHECK(s.allowed_texts({{"time", "j1"}}, "rings") == Values{"no"});
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  check_configuration(s, {{"time", "k1"}, {"rings", "yes"}}, expected, values);
  check_configuration(s, {{"time", "j1"}}, expected, values);
}

TEST_CASE("decisions: stages go in step where no blocks are decided about, be they those of another form") {
  const Program p = of(
      "let b = y |> map2(\\e. e + 1) |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. w[0, 1] - w[2, 1]) in "
      "b |> split2(2) |> map2(\\w. let m = w |> map2(\\e. e * 2) in w |> map2(\\e. e * m[0, 1])) |> join2",
      "param y : 6.8.f64\n");
  const Space s(p, options());
  REQUIRE(has(s, "block", "rows"));  // of the form whose cells have no names
  REQUIRE(has(s, "time", "box1"));   // of the one whose cells have, and make no blocks
  for (const char* stages : {"fused", "work"})
    for (const char* block : {"rows", "whole"})
      CHECK(s.allowed_texts({{"stages", stages}, {"block", block}}, "time") == Values{"none"});
  check_space(p, options(), 4, 1);
}

TEST_CASE("decisions: lines have tiles of all stages, and say of neither steps nor rings") {
  const Space s(of("let a = three(y) in three(a)", "param y : 70000.f64\n"), options());
  CHECK_THROWS_AS(s.derive({{"stages", "fused"}, {"time", "i1"}}), UserError);
  const Configuration c{{"stages", "work"}, {"time", "i1"}, {"rings", "yes"}, {"strips", "i512"}};
  CHECK(s.structure(c).find("rings") == std::string::npos);
  CHECK(s.structure(c).starts_with("stages stored, strips of i"));
  const Derivation d = s.derive(c);
  CHECK(count(d, "in-tiles") == 1);
  CHECK(count(d, "in-step") == 0);
}

TEST_CASE("decisions: strips of a chain are a thread's share of its planes, but where loops are around it") {
  const std::string five =
      "def five(p) = p |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. w[0, 1] + w[2, 1] - w[1, 0])\n"
      "def both(k, l) = let a = update2(k, 1, l |> drop2(1, 1) |> map2(\\e. e * 2)) in five(a)\n";
  const auto strips = [&](const std::string& body, const std::string& declared, int threads) {
    const Program p = of(body, declared + five);
    SpaceOptions o = options();
    o.threads = threads;
    const Space s(p, o);
    return find(s, "strips") == nullptr ? Values{} : s.allowed_texts({{"time", "j1"}}, "strips");
  };
  const std::string pair = "let a = five(y) in {a, five(a)}";
  CHECK(strips(pair, "param y : 300.8.f64\n", 2) == Values{"none", "j151", "j38"});
  CHECK(strips(pair, "size n where n >= 3\nparam y : n.8.f64\n", 2) == Values{"none", "j257", "j65"});
  const std::string boxes = "zip(y, z) |> map(\\(k, l). both(k, l))", four = "param y, z : 4.30.8.f64\n";
  CHECK(strips(boxes, four, 4).empty());
  CHECK(strips(boxes, four, 5) == Values{"none", "j7", "j2"});
  SpaceOptions o = options();
  o.threads = 5;
  check_space(of(boxes, "param y, z : 4.7.6.f64\n" + five), o, 3, 1);
}

TEST_CASE("decisions: rings of long rows begin so that columns lie as vectors do") {
  const auto aligned = [](const std::string& row, const Configuration& more) {
    const Program p =
        of("let a = five(y) in five(a)",
           "size n where n >= 2000\nparam y : 8." + row +
               ".f64\ndef five(p) = p |> slide2(3, 1) |> map2(\\w. w[0, 1] + w[2, 1] - w[1, 0])\n");
    Configuration c{{"stages", "work"}, {"time", "j1"}, {"rings", "yes"}};
    for (const auto& entry : more) c.set(*entry.key, entry.setting);
    std::string r;
    for (const Step& x : Space(p, options()).derive(c))
      if (x.rule == "in-layout") r += str(x);
    return r;
  };
  CHECK(aligned("1100", {{"inner", "vec"}}) == "in-layout rows 2 0 at 0.0");
  CHECK(aligned("1100", {{"inner", "seq"}}).empty());
  CHECK(aligned("100", {{"inner", "vec"}}).empty());
  CHECK(aligned("n", {{"inner", "vec"}}).empty());  // rows of what length, nobody knows
  // A tile's rows, which begin before it where it needs more than it makes.
  CHECK(aligned("1100", {{"inner", "vec"}, {"strips", "i1024"}}) == "in-layout rows 2 1 at 0.0.0");
  CHECK(aligned("n", {{"inner", "vec"}, {"strips", "i1024"}}) == "in-layout rows 2 1 at 0.0.0");
}

}  // namespace lift::space_time_edges_test
