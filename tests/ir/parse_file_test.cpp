// .lift files: declarations, sizes, data, results; and what is said about files that are wrong.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/text/parse.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace parse_file_test {
namespace {

const std::string kStencil = R"(// 9-point smoothing
program stencil_2d9
size n = 4096 where n >= 3
param image : n.n.f64 = wave(1, 0.3)
def row(w) = w[0] + 2 * w[1] + w[2]
def weighted(w) = (row(w[0]) + 2 * row(w[1]) + row(w[2])) / 16
result smooth : n.n.f64 =
  image |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(weighted)
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
std::string error_of(const std::string& text, const std::map<std::string, std::int64_t>& sizes = {}) {
  const auto read = [&] {
    const LiftFile f(text, "file.lift");
    f.program(f.values(sizes));
  };
  return test::message(read, "no error");
}
void refused(const std::string& text, const std::string& message) {
  CAPTURE(text);
  CHECK(error_of(text).substr(0, message.size()) == message);
}

}  // namespace

TEST_CASE("file: a stencil with a size, data and definitions") {
  const LiftFile f(kStencil, "dir/file.lift");
  CHECK(f.name() == "stencil_2d9");
  REQUIRE(f.sizes().size() == 1);
  CHECK(f.sizes()[0].value == 4096);
  CHECK(f.sizes()[0].lower == 3);
  CHECK(f.data().at("image").kind == LiftData::Kind::wave);
  CHECK(f.data().at("image").low == 0.7);
  CHECK(f.data().at("image").high == 1.3);
  CHECK(f.data().at("image").declared_at == "dir/file.lift:4");

  for (const Nat n : {Nat::size("n", 3), Nat(5)}) {
    const Program p = n.is_constant() ? f.program({{"n", 5}}) : f.program();
    const Expr image = param("image", array({n, n}, f64));
    const auto row = [](Expr w) { return w[0] + 2.0 * w[1] + w[2]; };
    const Expr expected = image | pad2(1, 1, clamp) | slide2(3, 1) |
                          map2([=](Expr w) { return (row(w[0]) + 2.0 * row(w[1]) + row(w[2])) / 16.0; });
    CHECK(p.arguments == std::vector<Expr>{image});
    CHECK(p.results == std::vector<std::string>{"smooth"});
    CHECK_MESSAGE(p.body == expected, str(p.body));
  }
  CHECK(LiftFile("param x : 3.f64 result = x", "some/dir/my-blur.lift").name() == "my_blur");
}

TEST_CASE("file: index and overwritable parameters, several results, C functions, data of every kind") {
  const LiftFile f(R"(
    size n, m = 8 where n mod 4 = 0
    param u, v : n.m.f32 = random(7, 0, 1)
    param w : f64 = -0.5
    param far : m.f64 = raw "far.bin"
    param plain : m.f64
    index color in 0 .. 1 = 1
    overwrite v, u
    user half(x : f32) : f32 = "return x / 2; // \"half\""
    result a, b = zip2(u, v) |> map2(\(p, q). {half(p), q}) |> unzip2
  )",
                   "f.lift");
  const Program p = f.program();
  CHECK(p.arguments.size() == 6);
  CHECK(p.arguments[5] == index_param("color", 0, 1));
  CHECK(p.overwritable == std::vector<std::string>{"v", "u"});
  CHECK(p.results == std::vector<std::string>{"a", "b"});
  CHECK(results_of(p).size() == 2);
  CHECK(f.sizes()[0].modulus == 4);
  CHECK(f.data().at("u").seed == 7);
  CHECK(f.data().at("v").high == 1);
  CHECK(f.data().at("w").low == -0.5);
  CHECK(f.data().at("far").path == "far.bin");
  CHECK(f.data().at("color").low == 1);
  CHECK(f.data().count("plain") == 0);
  const Program q = parse_program(print_program(p));
  CHECK(q.body == p.body);
  CHECK(q.arguments == p.arguments);
  CHECK(q.overwritable == p.overwritable);
}

TEST_CASE("file: index parameters in lengths and counts are declared once, and give way to names within") {
  const std::string declared = "param x : 8.f64 param at : 4.i32 index k in 0 .. 3 ";
  for (const char* body : {"x |> iterate(k, map(\\v. v + 1.0))", "x[k] + x[k + 1]"}) {
    const Program p = parse_program(declared + "result = " + body);
    const std::string text = print_program(p);
    CHECK_MESSAGE(text.find("size") == std::string::npos, text);
    CHECK(parse_program(text).body == p.body);
  }
  const Program p = parse_program(declared + "result = at |> map(\\k. x[k % 8])");
  CHECK(p.body == parse_program(declared + "result = at |> map(\\j. x[j % 8])").body);
}

TEST_CASE("file: definitions see those before them, and are stages, functions or values") {
  const auto body = [](const std::string& text) { return parse_program("param x : 8.f64 " + text).body; };
  const Expr x = param("x", array({8}, f64));
  CHECK(body("def f = slide(3, 1) o pad(1, 1, wrap) result = x |> f |> map(\\w. w[1])") ==
        (x | pad(1, 1, wrap) | slide(3, 1) | map([](Expr w) { return w[1]; })));
  CHECK(body("def scaled(a, xs) = xs |> map(\\e. a * e) result = x |> scaled(2.0)") ==
        (x | map([](Expr e) { return 2.0 * e; })));
  CHECK(body("def k = 2 def window(n) = slide(3, 1) result = x |> drop(k, k)") == (x | drop(2, 2)));
  CHECK(body("def add3(a, b) = a + b + 3 result = x |> reduce(add3, 0)") ==
        (x | reduce([](Expr a, Expr b) { return a + b + 3.0; }, literal(0, f64))));
  CHECK(body("def twice(v) = v + v def four(v) = twice(twice(v)) result = x |> map(four)") ==
        (x | map([](Expr e) { return (e + e) + (e + e); })));
}

TEST_CASE("file: sizes are checked") {
  const LiftFile f("size n = 8 where n >= 4, n mod 4 = 0 size m param x : n.m.f64 result = x", "f.lift");
  const auto error = [&](const std::map<std::string, std::int64_t>& sizes) -> std::string {
    try {
      f.program(f.values(sizes));
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(error({{"m", 3}}) == "no error");
  CHECK(error({}) == "f.lift: the size m has no value; pass --size m=1024, or declare one: size m = 1024");
  CHECK(error({{"m", 3}, {"n", 0}}) == "--size n=0: f.lift admits only n >= 4");
  CHECK(error({{"m", 3}, {"n", 7}}) == "--size n=7: f.lift admits only n mod 4 = 0; use 4");
  CHECK(error({{"m", 3}, {"k", 7}}) == "--size k=7: f.lift has no size 'k'; there are: n, m");
}

TEST_CASE("file: a stencil broken in five ways") {
  CHECK(error_of(kStencil) == "no error");
  // wrong rank
  CHECK(error_of(replaced(kStencil, "slide2", "slide3")) ==
        "file.lift:8:33: slide: needs an array of rank 3, got 4098.4098.f64; apply it inside map, or use the "
        "form of lower rank\n"
        "    image |> pad2(1, 1, clamp) |> slide3(3, 1) |> map2(weighted)\n"
        "                                  ^");
  // wrong size
  CHECK(error_of(replaced(kStencil, "row(w[2])) / 16", "row(w[3])) / 16"))
            .rfind("file.lift:6:53: at: position 3 is outside 3.3.f64; positions count from 0", 0) == 0);
  // missing boundary
  CHECK(error_of(replaced(kStencil, "pad2(1, 1, clamp) |> ", "")) ==
        "file.lift:7:17: the result has type 4094.4094.f64, declared is 4096.4096.f64; it has 2 elements "
        "fewer in dimension 0, as a slide leaves them: "
        "put a boundary condition such as pad2(1, 1, clamp) before it\n"
        "  result smooth : n.n.f64 =\n"
        "                  ^");
  // type mismatch
  CHECK(error_of(replaced(kStencil, "2 * w[1]", "2.0f * w[1]")) ==
        "file.lift:5:26: mul: an operand has type f64, expected f32; cast one operand to the other's type "
        "(in row, used in line 6, in weighted, used in line 8)\n"
        "  def row(w) = w[0] + 2.0f * w[1] + w[2]\n"
        "                           ^");
  // unknown name
  CHECK(error_of(replaced(kStencil, "map2(weighted)", "map2(wheighted)")) ==
        "file.lift:8:54: unknown name 'wheighted'; did you mean 'weighted'?\n"
        "    image |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(wheighted)\n"
        "                                                       ^");
}

TEST_CASE("file: declarations that are wrong") {
  refused("", "file.lift:1:1: the file declares no result");
  refused("parm x : f64",
          "file.lift:1:1: expected a declaration (program, size, param, index, overwrite, def, user or "
          "result), found 'parm'; did you mean 'param'?");
  refused("param x f64", "file.lift:1:9: expected ':' and the parameter's type, found 'f64'");
  refused("param x : f65",
          "file.lift:1:11: there is no type 'f65'; of numbers there are f32, f64, i32, i64, u8 and bool");
  refused("size n = 4 param x : n.n.u16 result = x",
          "file.lift:1:26: there is no type 'u16'; of numbers there are");
  refused("size n = 4 param x : n result = x", "file.lift:1:22: there is no type 'n'; of numbers there are");
  refused("size n = 4 param x : 4 result = x",
          "file.lift:1:24: expected '.' between an array's length and its");
  refused("param x : n.f64 result = x",
          "file.lift:1:11: unknown name 'n'; declare it with param, size or def");
  refused("param x : f64 param x : f32", "file.lift:1:21: 'x' is declared already, in line 1");
  refused("param x : i32 result = x",
          "file.lift:1:11: a scalar parameter is a f32 or f64; for a whole number write index NAME in LEAST "
          ".. GREATEST");
  refused("param x : 3.{f64, f64} result = x",
          "file.lift:1:11: a parameter is a scalar or an array of scalars");
  refused("param x : 3.f64 = wav result = x", "file.lift:1:19: no such data: 'wav'; did you mean 'wave'?");
  refused("param x : 3.f64 = random(1, 2, 2) result = x",
          "file.lift:1:19: random numbers lie between two different ones");
  refused("param x : 3.f64 = wave(1) result = x", "file.lift:1:19: wave takes a mean and an amplitude");
  refused("param x : 3.f64 overwrite y result = x",
          "file.lift:1:27: there is no parameter 'y' to overwrite; declare it before");
  refused("param x : 3.f64 result = x param y : f64", "file.lift:1:28: nothing comes after the result");
  refused("param x : 3.f64 result y = x result z = x",
          "file.lift:1:30: there is one result; several are a tuple: result y, z = {..., ...}");
  refused("param x : 3.f64 result = x |> map(\\e. if e > 0 then e else 0)",
          "file.lift:1:42: there is no 'if'; write select(condition, a, b)");
  refused("param x : 3.f64 result = x |> map(\\e. e ** 2)",
          "file.lift:1:42: expected an expression, found '*'; a power is pow(x, 3), or x * x * x");
  refused("param x, y : 3.3.f64 result = zip(x, y) |> map2(\\(a, b). a)",
          "file.lift:1:44: map2: needs an array of rank 2, got 3.{3.f64, 3.f64}; zip2 makes an array of 2 "
          "dimensions");
  refused("param x : 3.f64 result a, b = x", "file.lift:1:17: program file: 2 names for the 1 results");
  refused("index c in 1 .. 0", "file.lift:1:14: an index of this range has no i32 values");
  refused("size n = 5 where n mod 2 = 0", "file.lift:1:1: the value 5 of n does not meet its own conditions");
  refused("size n where m >= 3", "file.lift:1:14: 'm' is not declared in this line");
  refused("size n = 99999999999999999", "file.lift:1:10: the number 99999999999999999 is too large");
  refused("param x : 3.f64 def f(a) = f(a) result = f(x)",
          "file.lift:1:28: unknown name 'f'; its definition comes later");
  refused("param x : 3.f64 def f(a) = a result = f(x, x)",
          "file.lift:1:39: 'f' takes 1 argument(s), got 2; it is defined in line 1");
  refused("user f(x : 3.f64) : f64 = \"\"", "file.lift:1:12: parameters of a C function are scalars");
  refused("user f(x : f64) : f64 = x * x",
          "file.lift:1:25: expected a text such as \"return x * x;\", found 'x'; for a function in this "
          "language use def");
  refused("param double : f64 result = double",
          "file.lift:1:7: 'double' is a word of C, in which the kernel is written; choose another name");
  refused("param x' : f64 result = x'", "file.lift:1:7: 'x'' cannot be a name in C");
  refused("param x : 3.f64 result x = x", "file.lift:1:24: 'x' is declared already, in line 1");
  refused("param file : 3.f64 result = file",
          "file.lift:1:1: the kernel is called 'file' too; choose another name, or name the program: program "
          "NAME");
  refused("program p program q param x : 3.f64 result = x",
          "file.lift:1:11: a file is one program; it is called 'p' already");
  refused("param x : (0 - 3).f64 result = x", "file.lift:1:11: the length -3 is negative");
  refused("result = \\(x : f64). x",
          "file.lift:1:1: the result is of type (f64) -> f64; it must be an array or a number");
}

TEST_CASE("lift files: arrays written element by element, and selects of tuples") {
  const std::vector<double> x{0, 1, 2};
  const auto meaning = [&](const std::string& text) {
    const Program p = LiftFile("param x : 3.f64 result = " + text, "file.lift").program({});
    return str(interpret(p.body, {{"x", make_array(x, array({3}, f64))}}));
  };
  CHECK(meaning("[1.5, 2, 4]") == "[1.5, 2, 4]");
  CHECK(meaning("zip(x, [0.5, 1, 2]) |> map(\\(a, b). a * b)") == meaning("[0.5 * x[0], x[1], 2 * x[2]]"));
  CHECK(meaning("[7]") == "[7]");
  CHECK(meaning("x |> map(\\e. select(e > 1, {e, {1.0, e}}, {0.0, {e, 2.0}}))") ==
        meaning("x |> map(\\e. {select(e > 1, e, 0), {select(e > 1, 1, e), select(e > 1, e, 2)}})"));
  CHECK(meaning("iota(2) |> pad(1, 2, constant 7)") == "[7, 0, 1, 7, 7]");
  CHECK(meaning("x |> map(\\e. e > 9) |> pad(1, 0, constant 1) |> map(\\b. select(b, 1, 0))") ==
        "[1, 0, 0, 0]");
  CHECK(meaning("zip(x, [0.5, 1, 2]) |> map(\\(a, b). a * b)") == "[0, 1, 4]");
  refused("param x : 3.f64 result = [1.0f, x[0]]", "file.lift:1:26: the elements of an array have one type");
  refused("param x : 3.f64 result = x |> map(\\e. select(e, {e, e}, {e, e}))",
          "file.lift:1:39: select: the condition has type f64, expected bool");
}

TEST_CASE(
    "lift files: numbers take their type from what they are combined with, also where they are chosen") {
  const auto same = [](const std::string& text, const std::string& spelled) {
    const auto body = [](const std::string& e) {
      return LiftFile("param x : 3.f32 def half = 1 / 2.0 def third = half / 1.5 result " + e, "file.lift")
          .program({})
          .body;
    };
    CAPTURE(text);
    CHECK(body(text).id() == body(spelled).id());
  };
  same("= x |> map(\\e. e * select(e > 1, 1, 0.5))", "= x |> map(\\e. e * select(e > 1.0f, 1.0f, 0.5f))");
  same("= x |> map(\\e. e + min(2, 3.5) + sqrt(2))", "= x |> map(\\e. e + min(2.0f, 3.5f) + sqrt(2.0f))");
  same("= x |> map(\\e. e + half * third)", "= x |> map(\\e. e + (1.0f / 2.0f) * ((1.0f / 2.0f) / 1.5f))");
  same("= zip(x, [1, 2, 0.5]) |> map(\\(a, b). a * b)",
       "= zip(x, [1.0f, 2.0f, 0.5f]) |> map(\\(a, b). a * b)");
  same("= concat(x, [1])", "= concat(x, [1.0f])");
  same("= let k : 2.f32 = [1, 2] in concat(x, k)", "= let k = [1.0f, 2.0f] in concat(x, k)");
  // Nothing but the declared type of the result tells theirs.
  same("y : 3.f32 = x |> map(\\e. select(e > 1, 1, 0.5))", "y = x |> map(\\e. select(e > 1.0f, 1.0f, 0.5f))");
  same("a, b : {3.f32, 1.f32} = {x |> map(\\e. let c = 0.5 in c * e), [2.5]}",
       "a, b = {x |> map(\\e. let c = 0.5f in c * e), [2.5f]}");
  CHECK(LiftFile("param x : 3.f32 result = x |> map(\\e. select(e > 1, 1, 0.5))", "file.lift")
            .program()
            .body.type() == array({3}, f64));
  refused("param x : 3.f64 result y : 3.f32 = x |> map(\\e. e * 0.5)",
          "file.lift:1:28: the result has type 3.f64, declared is 3.f32");
  refused("param x : 3.f32 result y : 3.f32 = x |> map(\\e. e * f64(0.5))",
          "file.lift:1:51: mul: an operand has type f64, expected f32");
}

TEST_CASE("lift files: definitions have lengths and positions as parameters") {
  const auto same = [](const std::string& text, const std::string& spelled) {
    const auto body = [](const std::string& e) {
      return LiftFile("size n = 9 where n >= 2 param x : n.f64 index c in 0 .. 1 " + e, "file.lift")
          .program()
          .body;
    };
    CAPTURE(text);
    CHECK(body(text).id() == body(spelled).id());
  };
  same(
      "def near(w, i) = w[i] + w[i + 2] result = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. near(w, "
      "0))",
      "result = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])");
  same(
      "def mean(k, xs) = xs |> pad(k, k, clamp) |> slide(2 * k + 1, 1) |> map(reduce(add, 0.0)) "
      "result = mean(2, x)",
      "result = x |> pad(2, 2, clamp) |> slide(5, 1) |> map(reduce(add, 0.0))");
  same("def mean(k, xs) = xs |> slide(k, 1) def mean3(k, xs) = mean(2 * k - 1, xs) result = x |> mean3(2)",
       "result = x |> slide(3, 1)");
  same("def last(xs, m) = xs[m - 1] result = last(x, n)", "result = x[n - 1]");
  same("def pick(xs, i) = xs[i % 2] result = pick(x, c + 1)", "result = x[(c + 1) mod 2]");
  same("def sum(xs) = xs |> map(\\v. v + 1) result = sum(x)", "result = x |> map(\\v. v + 1)");
  same("def sum(xs) = xs |> map(\\v. v + 1) result = x |> sum", "result = x |> map(\\v. v + 1)");
  refused("param x : 3.f64 def at(w, i) = w[i] result = x |> map(\\e. at(x, e))",
          "file.lift:1:33: gather: position 0 has type f64, expected i32; convert it, i32(floor(x)) or "
          "i32(round(x)) (in at, used in line 1)");
  refused("param x : 3.f64 def at(w, i) = w[i] result = at(x, 3)", "file.lift:1:33: ");
}

TEST_CASE(
    "lift files: a number that a definition is given takes the type of what it is combined with there") {
  const auto same = [](const std::string& text, const std::string& spelled) {
    const auto body = [](const std::string& e) {
      return LiftFile("param x : 3.f32 param y : 3.f64 param k : 3.i32 " + e, "file.lift").program().body;
    };
    CAPTURE(text);
    CHECK(body(text).id() == body(spelled).id());
  };
  same("def by(v, s) = v |> map(\\e. s * e) result = by(y, 1)", "result = y |> map(\\e. 1.0 * e)");
  same("def by(v, s) = v |> map(\\e. s * e) result = by(x, 0.5)", "result = x |> map(\\e. 0.5f * e)");
  same("def by(v, s) = v |> map(\\e. s * e) result = by(k, 2)", "result = k |> map(\\e. 2 * e)");
  same("def by(s, v) = v |> map(\\e. s * e) result = x |> by(-1 / 3.0)",
       "result = x |> map(\\e. (-1 / 3.0f) * e)");
  same("def by(v, s) = v |> map(\\e. s * e) def twice(v, s) = by(by(v, s), s) result = twice(y, 3)",
       "result = y |> map(\\e. 3.0 * e) |> map(\\e. 3.0 * e)");
  same("def half = 0.5 def by(v, s) = v |> map(\\e. s * e) result = by(x, half)",
       "result = x |> map(\\e. 0.5f * e)");
  same("def both(s) = zip(x, y) |> map(\\(a, b). f64(s * a) + s * b) result = both(2)",
       "result = zip(x, y) |> map(\\(a, b). f64(2.0f * a) + 2.0 * b)");
  refused("param x : 3.f32 def by(v, s) = v |> map(\\e. s * e) result = by(x, 2.0 * f64(1))",
          "file.lift:1:47: mul: an operand has type f");
  refused("param x : 3.f32 def by(v, (s : i32)) = v |> map(\\e. s * e) result = by(x, 2)",
          "file.lift:1:55: mul: an operand has type f32, expected i32");
}

}  // namespace parse_file_test
