// The textual form of expressions: what is written is what is built, and parsing what was printed gives the
// same expression.
#include <doctest/doctest.h>

#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/layout.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/words.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace parse_test {
namespace {

const Type number(f64);
const Nat n = Nat::size("n");
const Expr xs = param("xs", array({8}, f64)), ys = param("ys", array({8}, f64)),
           m = param("m", array({4, 6}, f64));
const Expr rows = param("rows", array({n, 4 * n}, f64)), singles = param("singles", array({8}, f32)),
           ints = param("ints", array({8}, i32));
const Expr a = param("a", number), b = param("b", number), x = param("x", number),
           color = index_param("color", 0, 1);

Names names() {
  Names all;
  for (const Expr& e : {xs, ys, m, rows, singles, ints, a, b, x, color}) all.params.emplace(param_name(e), e);
  all.sizes.emplace("n", n);
  return all;
}
Expr parsed(const std::string& text) { return parse_expression(text, names(), "test"); }

void same(const std::string& text, const Expr& e) {
  CAPTURE(text);
  Expr p;
  REQUIRE_NOTHROW(p = parsed(text));
  CHECK_MESSAGE(p == e, str(p) << " is not " << str(e));
}
/// Parsing what is printed gives the expression, on one line and on several.
void round_trip(const Expr& e) {
  for (const std::string& text : {str(e), pretty(e)}) {
    CAPTURE(text);
    Expr p;
    REQUIRE_NOTHROW(p = parse_expression(text, names_of(e)));
    CHECK_MESSAGE(p == e, str(p));
  }
}
std::string error_of(const std::string& text) {
  return test::message([&] { parsed(text); }, "no error");
}
void refused(const std::string& text, const std::string& message) {
  CAPTURE(text);
  CHECK(error_of(text).substr(0, message.size()) == message);
}

const auto mean = [](Expr w) { return (w[0] + w[1] + w[2]) / 3.0; };

}  // namespace

TEST_CASE("parse: pipes, composition, application and plain calls are the same") {
  const Expr blur = xs | pad(1, 1, clamp) | slide(3, 1) | map(mean);
  same("xs |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. (w[0] + w[1] + w[2]) / 3.0)", blur);
  same("xs | pad(1, 1, clamp) | slide(3, 1) | map(\\w. (w[0] + w[1] + w[2]) / 3)", blur);
  same("map(\\w. (w[0] + w[1] + w[2]) / 3) o slide(3, 1) o pad(1, 1, clamp) $ xs", blur);
  same("map(\\w. (w[0] + w[1] + w[2]) / 3, slide(3, 1, pad(1, 1, clamp, xs)))", blur);
  same("// a comment\nlet `map` = xs in // another\n `map`", let(xs, [](Expr v) { return v; }));
}

TEST_CASE("parse: numbers take the type of what they are combined with") {
  same("a * 2", a * 2);
  same("2 / 3 * a", binary(Op::Div, literal(2, f64), literal(3, f64)) * a);
  same("1.5 * 2", binary(Op::Mul, literal(1.5, f64), literal(2, f64)));
  same("singles |> map(\\y. 0.5 * y + 1)", singles | map([](Expr y) { return 0.5 * y + 1; }));
  same("ints |> map(\\y. y % 2)", ints | map([](Expr y) { return y % 2; }));
  same("max(a, 0)", max(a, 0));
  same("select(a > 1, 0, a)", select(1.0 < a, literal(0, f64), a));
  same("xs |> reduce(add, 0)", xs | sum());
  same("ints |> reduce(\\acc y. acc + y, 0)", ints | sum());
  same("xs |> reduce(\\acc y. acc + 1, 0)",
       reduce(fun({Type(i32), number}, [](Expr acc, Expr) { return acc + 1; }), literal(0, i32), xs));
  same("zip(xs, xs) |> reduce(\\acc (x, y). acc + x * y, 0)",
       parsed("zip(xs, xs) |> reduce(\\acc (x, y). acc + x * y, 0.0)"));
  same("zip(xs, ints) |> scan(\\acc (x, k). acc + x, 0)",
       parsed("zip(xs, ints) |> scan(\\acc (x, k). acc + x, 0.0)"));
  same("-1.0", literal(-1, f64));
  same("-(1.0)", -literal(1, f64));
  same("1.0f", literal(1, f32));
  same("1f", literal(1, f32));
  same("inf", literal(std::numeric_limits<double>::infinity(), f64));
  same("1 + 2", binary(Op::Add, literal(1, i32), literal(2, i32)));
}

TEST_CASE("parse: functions are lambdas, stages, compositions, operations") {
  same("m |> map(slide(3, 1))", m | map([](Expr r) { return r | slide(3, 1); }));
  same("m |> map(join o split(2))", m | map([](Expr r) { return r | split(2) | join(); }));
  same("xs |> map(\\x. pow(exp2(x), 2) + log10(x))",
       xs | map([](Expr e) { return pow(exp2(e), 2.0) + log10(e); }));
  same("xs |> map(sqrt)", xs | map([](Expr e) { return sqrt(e); }));
  same("xs |> map(f32)", xs | map([](Expr e) { return cast(f32, e); }));
  same("zip(xs, ys) |> map(\\(p, q). p * q)", zip({xs, ys}) | map([](Expr p, Expr q) { return p * q; }));
  same("zip(xs, ys) |> map(\\t. t.0 * t.1)", zip({xs, ys}) | map([](Expr p, Expr q) { return p * q; }));
  same("generate(2, 3, \\j i. j * 3 + i)", generate({2, 3}, [](Expr j, Expr i) { return j * 3 + i; }));
  same("positions(2, 3)", positions({2, 3}));
  same("iota(4) |> take(3)", iota(4) | take(3));
  same("xs |> iterate(3, \\v. v |> pad(1, 0, wrap) |> drop(0, 1))",
       iterate(3, fun(xs.type(), [](Expr v) { return v | pad(1, 0, wrap) | drop(0, 1); }), xs));
  const Expr numbered = iterate(
      3,
      fun({i32, xs.type()}, [](Expr t, Expr v) { return v | map([&](Expr x) { return x + cast(f64, t); }); }),
      xs);
  same("xs |> iterate(3, \\t v. v |> map(\\x. x + f64(t)))", numbered);
  round_trip(numbered);
  same("xs |> iterate(3, drop(0, 1) o pad(1, 0, wrap))",
       iterate(3, fun(xs.type(), [](Expr v) { return v | pad(1, 0, wrap) | drop(0, 1); }), xs));
}

TEST_CASE("parse: lengths are formulas over sizes") {
  same("rows |> map(split(n))", rows | map([](Expr r) { return r | split(n); }));
  same("rows |> map(drop(0, 3*n + n / 2))",
       rows | map([](Expr r) { return r | drop(0, 3 * n + floordiv(n, 2)); }));
  same("rows |> map(drop(n mod 3, max(n, 3)))",
       rows | map([](Expr r) { return r | drop(mod(n, 3), max(n, 3)); }));
  same("n * 2", nat_value(n) * 2);
  same("nat(n + 1) * 2", nat_value(n + 1) * 2);
  same("m |> slide2((2, 3), 1)", slide({2, 3}, {1, 1}, m));
  same("m[1][2]", m[1][2]);
  same("(m[1])[2]", make(Op::At, {m[1]}, m[2].attr()));
}

TEST_CASE("parse: what is printed is read back as it was") {
  round_trip(a - (b - a) * 2.0);
  round_trip(a / (b * a) / (a - b) - (a + (b - a)));
  round_trip(select((a < b && !(b <= a)) || eq(a, b), -a, -(a + b)));
  for (const double v : {0.0, -0.0, -1.0, 1e300, 1e-5, 0.1, 1.0 / 3, 100000.0, 3e22})
    for (const Scalar s : {f32, f64}) round_trip(literal(v, s)), round_trip(-literal(v, s));
  round_trip(tuple({literal(7, i32), nat_value(7), nat_value(n), literal(-7, i32), literal(1, boolean),
                    nat_value(1 - n)}));
  round_trip(tuple({literal(200, u8), literal(7, i64), literal(-7, i64), literal(-0x1p53, i64),
                    cast(u8, literal(300, i32)), cast(i64, literal(3, i32)), cast(u8, a),
                    cast(f32, literal(3, u8)), literal(3, u8) + literal(300, i32)}));
  round_trip(cast(f32, a) + literal(0.1, f32));
  round_trip(pad({1}, {0}, constant, xs, 7.5) | pad(2, 1, odd) | pad(0, 3, constant, -1));
  round_trip(gather({cast(i32, a), cast(i32, b) + 1}, m, reflect) + gather(cast(i32, a), xs, constant, b) +
             gather(cast(i32, a), xs, constant, -1));
  round_trip(gather(iota(5), m));
  round_trip(update(m, {1, 1}, m | drop2(1, 1)));
  round_trip(update(m, {1}, m | drop(1, 1)));
  round_trip(transpose({1, 0, 2}, m | slide(2, 1)) | split(1));
  round_trip(interleave({xs, ys}));
  round_trip(reverse_n(2, m) | map([](Expr row) { return row | reverse(); }));
  round_trip(concat(xs, ys | drop(1, 1)));
  round_trip(unzip(zip({xs, ys})));
  round_trip(scan(fun({number, number}, [](Expr p, Expr q) { return p + q; }), literal(0, f64), xs));
  round_trip(let(xs, [](Expr v) { return concat(v, v); }) | drop(1, 1));
  round_trip(lambda({a, x}, lambda({b}, a - b + x)));
  round_trip(make(Op::Apply, {lambda({a}, a + b), x}));
  round_trip(make(Op::Get, {tuple({a, b})}, get(0, param("t", Type::tuple({number, number}))).attr()));
  round_trip(zip({xs}) | map([](Expr t) { return tuple({t, get(0, t)}); }));
  round_trip(in_layout(parse_layout("rows 8 1"), xs));
  round_trip(param("map", number) + param("o", number) * param("in", number) - param("b-c", number));
  round_trip(generate({n, 4}, [](Expr j, Expr i) { return j * nat_value(n) + i + color; }));
  round_trip(map_with(Op::MapVec, 1, fun(number, [](Expr v) { return v; }), xs, {4, 2, 1, 16}));
  round_trip(map_with(Op::MapGlb, 2, fun(number, [](Expr v) { return v; }), m, {1, 1, 0, 0}));
  round_trip(make(Op::ToLocal, {make(Op::ToPrivate, {xs | drop(1, 1)})}));
  round_trip(xs[0] + x);
}

TEST_CASE("parse: variables called like sizes, functions and words") {
  const Expr w = param("w", array({n}, f64));
  round_trip(w | slide(3, 1) | map([](Expr v) { return v[0] + cast(f64, nat_value(Nat::size("w"))); }));
  const UserFun f("x", {{"p", f64}}, f64, "return p;", [](std::span<const double> v) { return v[0]; });
  round_trip(xs | map([&](Expr v) { return f(v) + v; }));
  round_trip(zip({param("sqrt", array({8}, f64)), xs}) | map([](Expr p, Expr q) { return sqrt(p) + q; }));
}

TEST_CASE("parse: sum is reduce(add, 0), unless something else is called so") {
  const Expr all = parsed("xs |> reduce(add, 0.0)");
  same("xs |> sum", all);
  same("sum(xs)", all);
  same("sum $ xs", all);
  same("m |> map(sum)", parsed("m |> map(\\r. r |> reduce(add, 0.0))"));
  same("ints |> sum", parsed("ints |> reduce(add, 0)"));
  same("xs |> slide(3, 1) |> map(sum) |> sum", parsed("xs |> slide(3, 1) |> map(\\w. w |> sum()) |> sum"));
  same("let sum = a in sum + b", parsed("let s = a in s + b"));
  same("xs |> map(\\sum. sum + a)", parsed("xs |> map(\\v. v + a)"));
  refused("m |> sum",
          "test:1:6: sum: needs an array of rank 1 of numbers, got 4.6.f64; write map(sum) for the sum");
  refused("a |> sum",
          "test:1:6: sum: needs an array of rank 1 of numbers, got f64; it adds an array's elements");
  refused("a + sum", "test:1:5: 'sum' needs an array; write xs |> sum, or sum(xs)");
  refused("sum(xs, a)", "test:1:1: expected 1 argument(s), got 2; write xs |> sum, or sum(xs)");
}

TEST_CASE("parse: arrays of arrays, and of tuples, are written element by element") {
  CHECK(parsed("[[1.0, 2], [3, 4]]").type().str() == "2.2.f64");
  CHECK(str(interpret(parsed("[[1.0, 2, 3], [4, 5, 6]]"), {})) == "[[1, 2, 3], [4, 5, 6]]");
  CHECK(str(interpret(parsed("[[[1], [2]], [[3], [4]]]"), {})) == "[[[1], [2]], [[3], [4]]]");
  CHECK(str(interpret(parsed("[{1, 2.5}, {3, 4.5}]"), {})) == "[{1, 2.5}, {3, 4.5}]");
  same("[xs, ys]", concat(split(Nat(8))(xs), split(Nat(8))(ys)));
  same("[xs]", split(Nat(8))(xs));
  refused("[xs, m]", "test:1:1: the elements of an array have one type; these are 8.f64 and 4.6.f64");
}

TEST_CASE("parse: what is called is looked at before its arguments") {
  refused("m |> mapp2(\\w. w)", "test:1:6: unknown name 'mapp2'; did you mean 'map2'?");
  refused("m |> padd2(1, 1, clamp)", "test:1:6: unknown name 'padd2'; did you mean 'pad2'?");
  refused("m |> padd2(1, 1, constant 0.5)",
          "test:1:27: expected ')' after the last argument, found '0.5'; did you mean 'pad2' by 'padd2'?");
  refused("mapp(\\v. v, xs)", "test:1:1: unknown name 'mapp'; did you mean 'map'?");
  refused("zipp(xs, unknown)", "test:1:1: unknown name 'zipp'; did you mean 'zip'?");
  refused("xs |> map(summ)", "test:1:11: unknown name 'summ'; did you mean 'sum'?");
}

TEST_CASE("parse: docs/lift-language.md lists the reserved words, and nothing else is reserved") {
  std::ifstream file(LIFTGEN_SOURCE_DIR "/docs/lift-language.md");
  std::string listed, all, line;
  while (std::getline(file, line) && line != "## Reserved words") {
  }
  while (std::getline(file, line) && !line.starts_with("Those that")) {
    std::istringstream words(line);
    for (std::string word; words >> word;) listed += word + " ";
  }
  for (const std::string& word : reserved_words()) {
    all += word + " ";
    CHECK_MESSAGE(is_reserved(word), word);
  }
  CHECK(listed == all);
  for (const char* name :
       {"sum", "size", "param", "result", "where", "wave", "npy", "o", "clamp", "reflect", "slide1"})
    CHECK_MESSAGE(!is_reserved(name), name);
}

TEST_CASE("parse: bands are read back as they were, whatever their shape; names that they had are refused") {
  const auto twice = [](const Expr& e) { return e | map([](Expr v) { return v * 2.0; }); };
  const Expr chain = let(twice(xs), [&](Expr y) { return let(twice(y), twice); });
  const auto in_band = [&](const Band& b) { return make(Op::Band, {chain}, attributes::band(b)); };
  const std::string lets = "(" + str(chain) + ") |> ";
  for (const auto& [band, text] : std::vector<std::pair<Band, std::string>>{
           {{Band::skewed, Band::all, 0, 2, {0, 1, 2}}, "band<skewed>(0, 2, (0, 1, 2))"},
           {{Band::skewed, Band::team, 0, 1, {0, 2, 4}}, "band<skewed, team>(0, 1, (0, 2, 4))"},
           {{Band::skewed, Band::turns, 0, 1, {0, 0, 0}}, "band<skewed, turns>(0, 1, (0, 0, 0))"},
           {{Band::overlapped, Band::all, 0, 6, {2, 1, 0}}, "band<overlapped>(0, 6, (2, 1, 0))"},
           {{Band::phases, Band::all, 0, 64, {0, 1, 2}}, "band<phases>(0, 64, (0, 1, 2))"}}) {
    round_trip(in_band(band));
    CHECK(str(in_band(band)) == lets + text);
  }
  const std::string needed = "a band is skewed, overlapped or phases, a skewed one for a team or by turns";
  for (const char* form : {"", "<>", "<slanted>", "<team>", "<skewed, groups>", "<skewed, team, turns>"})
    CHECK(error_of(lets + "band" + form + "(0, 1, (0, 1, 2))") != "no error");
  for (const char* form : {"", "<slanted>", "<team>", "<skewed, groups>", "<skewed, team, turns>"})
    CHECK(error_of(lets + "band" + form + "(0, 1, (0, 1, 2))").find(needed) != std::string::npos);
  CHECK(error_of(lets + "band<phases, team>(0, 6, (0, 1, 2))").find("leave out team") != std::string::npos);
  CHECK(error_of(lets + "band<skewed>(0, 1)").find("write band(axis, width, (shift, shift))") !=
        std::string::npos);
  CHECK(error_of(lets + "band<skewed>(0, n, (0, 1, 2))").find("are numbers") != std::string::npos);
  for (const auto& [before, now] :
       std::map<std::string, std::string>{{"in_step", "band<skewed>"},
                                          {"in_step_team", "band<skewed, team>"},
                                          {"in_step_doacross", "band<skewed, turns>"},
                                          {"in_tiles", "band<overlapped>"},
                                          {"in_phases", "band<phases>"}})
    CHECK(error_of(lets + before + "(0, 1, (0, 1, 2))")
              .find("unknown name '" + before + "'; it is written " + now + "(...) now") !=
          std::string::npos);
  CHECK_NOTHROW(parsed("let in_step = a in in_step"));
}

TEST_CASE("parse: errors show the place") {
  CHECK(error_of("xs |> slide(9, 1)") ==
        "test:1:7: slide: window of 9 is longer than the length 8 of 8.f64; pad the array or make the window "
        "smaller\n"
        "  xs |> slide(9, 1)\n"
        "        ^");
  CHECK(error_of("xs\n  |> map(\\v. v + yz)") ==
        "test:2:18: unknown name 'yz'; did you mean 'ys'?\n    |> map(\\v. v + yz)\n                   ^");
}

TEST_CASE("parse: what is wrong, and what to try") {
  refused("", "test:1:1: expected an expression, found the end of the text");
  refused("a +", "test:1:4: expected an expression, found the end of the text");
  refused("(a", "test:1:3: expected ')' to close the parenthesis, found the end of the text");
  refused("a b", "test:1:3: expected an operator or the end, found 'b'");
  refused("a < b < x", "test:1:7: a comparison does not chain; write a < b && b < c");
  refused("xs |> slde(3, 1)", "test:1:7: unknown name 'slde'; did you mean 'slide'?");
  refused("xs |> slide(3)", "test:1:7: expected 2 argument(s), got 1; write slide(size, step)");
  refused("xs |> pad(1, 1, clam)", "test:1:17: no such boundary condition as 'clam'; did you mean 'clamp'?");
  refused("slide", "test:1:1: 'slide' is a primitive and needs arguments");
  refused("xs |> map2(\\v. v)", "test:1:7: map2: needs an array of rank 2, got 8.f64; use map");
  refused("zip(xs, ys) |> map(\\p q. p)",
          "test:1:20: a function of 1 parameter(s) is needed here, this one has 2; take a tuple apart with "
          "\\(a, b).");
  refused("zip(xs, xs |> slide(3, 1) |> map(\\w. w[0]))", "test:1:1: zip: ");
  CHECK(error_of("zip(xs, xs |> slide(3, 1) |> map(\\w. w[0]))")
            .find("pad(1, 1, clamp) before it keeps the length") != std::string::npos);
  refused("\\v. v", "test:1:2: nothing here tells the type of this parameter; write it: \\(v : f64).");
  refused("a + singles[0]", "test:1:3: add: an operand has type f32, expected f64; cast");
  refused("a mod b", "test:1:3: 'mod' is for lengths and positions");
  refused("xs[1.5]", "test:1:4: a length or position is a whole number");
  refused("xs |> drop({1}, 2)", "test:1:12: several lengths or positions are written in parentheses");
  refused(
      "xs[a]",
      "test:1:3: gather: position 0 has type f64, expected i32; convert it, i32(floor(x)) or i32(round(x))");
  refused("xs[1 / 0]", "test:1:6: division by 0");
  refused("xs |> drop(99999999999999999999, 0)",
          "test:1:12: the number 99999999999999999999 is too large for a length");
  refused("1e999", "test:1:1: the number 1e999 is out of range");
  refused("3000000000 * 2", "test:1:1: the number 3000000000 is too large for an i32");
  refused("256u8", "test:1:4: the number 256 is no u8; whole numbers of 0 to 255 are");
  refused("1.5i64", "test:1:4: the number 1.5 is no i64; whole numbers of up to 2^53 are");
  refused("9007199254740994i64", "test:1:17: the number 9007199254740994 is no i64");
  refused("1i64 + 2i64 * 9007199254740994",
          "test:1:15: the number 9007199254740994 is not exact beyond 2^53");
  refused("12abc", "test:1:3: letters follow the number 12");
  refused("xs # 1", "test:1:4: the sign '#' has no meaning here; a comment begins with //");
  refused("xs; ys",
          "test:1:3: the sign ';' has no meaning here; nothing is needed at the end of a declaration");
  refused("a ^ 2", "test:1:3: the sign '^' has no meaning here; a power is pow(x, 3), or x * x * x");
  refused("a < 1 & b < 1", "test:1:7: the sign '&' has no meaning here; both conditions hold where a && b");
  refused("a /* twice */", "test:1:3: a comment begins with // and ends with its line");
  refused(
      "xs[xs]",
      "test:1:4: 'xs' is a parameter; lengths and positions are made of numbers, sizes and index parameters");
  refused("xs |> gather2(1)",
          "test:1:7: gather2 takes 2 position(s) and a boundary condition, got 1 argument(s)");
  refused("xs |> gather(1, constant)",
          "test:1:17: constant needs a value; write constant 0, or constant (e)");
  refused("xs |> gather(1, wrap 3)", "test:1:17: wrap takes no number; constant does");
  refused("a(b)", "test:1:1: this is applied, but it is no function: it has type f64");
  refused("let in = a in a", "test:1:5: 'in' is a word of the language and cannot be a parameter");
  refused("xs |> reduce(plus, 0)", "test:1:14: unknown name 'plus'");
  refused("xs |> map(\\v. add(v))", "test:1:15: expected 2 argument(s), got 1; write add(a, b)");
}

TEST_CASE("parse: no text overflows the stack or the arithmetic") {
  const auto repeated = [](const std::string& s, int times) {
    std::string r;
    for (int i = 0; i < times; ++i) r += s;
    return r;
  };
  for (const char* open :
       {"(", "-", "!", "{", "\\x. ", "let y = a in ", "sqrt(", "a + (", "a $ ", "xs |> map(\\x. "})
    CHECK(error_of(repeated(open, 100000)) != "no error");
  CHECK(error_of("a" + repeated(" + a", 100000)).find("nested more than") != std::string::npos);
  CHECK(error_of("xs" + repeated(" |> drop(0, 0)", 100000)).find("nested more than") != std::string::npos);
  CHECK(error_of("a" + repeated(" + a", 400)) == "no error");
  CHECK(
      error_of("generate(2000000000, \\i. i) |> map(\\i. generate(2000000000, \\j. j))").find("too large") !=
      std::string::npos);
  CHECK(error_of("generate(n" + repeated(" * n", 300) + ", \\i. i)").find("too large") != std::string::npos);
  CHECK(error_of("generate(1000000 * 1000000 * 1000000 * 1000000, \\i. i)").find("too large") !=
        std::string::npos);
  std::string doubled = "a";
  for (int i = 0; i < 40; ++i) doubled = "(\\(x : f64). x + x)(" + doubled + ")";
  CHECK(error_of(doubled) == "no error");
}

}  // namespace parse_test
