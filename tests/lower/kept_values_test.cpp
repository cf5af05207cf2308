// Where named values, states of iterations and accumulators are kept: what is read there has been stored
// there, all of it, and by then. What is computed is the interpreter's, or there is a message.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/sizes.hpp"
#include "ir/text/parse.hpp"
#include "tests/lower/run_text.hpp"
#include "tests/message.hpp"

namespace lift::kept_values_test {
using test::arrays_made;
using test::count;
using test::message;
using test::program;
using test::run;
namespace {

Program parsed(const std::string& text) { return parse_program("program tested\n" + text, "tested.lift"); }
Kernel checked(const std::string& text) {
  CAPTURE(text);
  return run(parsed(text));
}
void refused(const std::string& text, const std::string& part) {
  CAPTURE(text);
  const std::string said = message([&] { (void)lower(parsed(text)); });
  CHECK_MESSAGE(said.find(part) != std::string::npos, said);
}

const char* const kNotThere = "the result does not lie where its base lies";

}  // namespace

TEST_CASE("a named block of an update in place: what comes before the update reads the old base") {
  const std::string arguments = "param u : 40.f64\nparam v : 38.f64\noverwrite u\n";
  const Kernel first = checked(arguments + R"(result = let a = v |> map(\x. x * 2) in
      {u |> map(\x. x + 1), update_in_place(u, 1, a)})");
  CHECK(arrays_made(first) == 0);  // the block is written into the base, later
  checked(arguments + R"(result = let a = v |> map(\x. x * 2) in
      {zip(u |> drop(2, 0), a) |> map(\x. x.0 + x.1), update_in_place(u, 1, a)})");
  checked(arguments + R"(result = let w = u |> reverse in let a = v |> map(\x. x * 2) in
      {zip(w |> drop(2, 0), a) |> map(\x. x.0 + x.1), update_in_place(u, 1, a)})");
  CHECK(arrays_made(checked(arguments + R"(result = let a = v |> map(\x. x * 2) in
      {zip(v, a) |> map(\x. x.0 + x.1), update_in_place(u, 1, a)})")) == 0);
  CHECK(arrays_made(checked(arguments + R"(result = let a = v |> map(\x. x * 2) in
      {update_in_place(u, 1, a), a |> map(\x. x + 1)})")) == 0);
  // What comes before overwrites what the block is computed from.
  checked(
      "param u : 40.f64\nparam v : 38.f64\noverwrite u, v\n"
      R"(result = let a = v |> map(\x. x * 2) in
      {update_in_place(v, 0, v |> map(\x. x + 1)), update_in_place(u, 1, a)})");
}

TEST_CASE("a named value is read where a component of the result lies, of which a part is dropped") {
  const auto rows = [](const std::string& dropped) {
    checked(R"(param xs : 6.12.f64
      result = let t = unzip(xs |> map(\r. let v = r |> map(\x. x * 2) in
          {v, v |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2])})) in )" +
            dropped);
  };
  rows("{t.0 |> drop2((0, 2), (0, 0)), t.1}");
  rows("{t.0 |> drop(1, 0), t.1 |> drop(0, 2)}");
  rows("{t.0 |> drop(1, 0), t.1 |> drop(1, 0)}");
  checked(R"(param xs : 6.12.f64
      result = let t = unzip(xs |> map(\r. let v = reduce(add, 0, r) in let w = v * 3 in {v, w})) in
          {t.0 |> drop(1, 0), t.1 |> drop(0, 2)})");
  // A value that is updated in place there.
  checked(R"(param xs : 6.40.f64
      result = xs |> map(\r. let v = to_global(r |> map(\x. x * 2)) in
          update_in_place(v, 1, v |> drop(1, 1) |> map(\x. x + 1))) |> drop2((0, 2), (0, 1)))");
}

TEST_CASE("what an iteration hands on or overwrites, in a place of which a part is dropped") {
  checked(R"(param xs, ys : 40.f64
      result = let t = iterate(3, \s. {s.0, zip(s.0, s.1) |> map(\p. p.1 * 2 - p.0)}, {xs, ys}) in
          {t.0 |> drop(2, 1), t.1})");
  checked(R"(param xs : 40.f64
      result = iterate(3, \s. update_in_place(s, 1, s |> drop(1, 1) |> map(\x. x + 1)),
          to_global(xs |> map(\x. x * 2))) |> drop(2, 1))");
}

TEST_CASE("a stored value of more components than there are letters") {
  std::string components, sum;
  for (int i = 0; i < 28; ++i) {
    components += (i > 0 ? ", " : "") + std::string("x + ") + std::to_string(i);
    sum += (i > 0 ? " + " : "") + std::string("w[0].") + std::to_string(i) + " * " + std::to_string(i + 1);
  }
  for (const char* memory : {"to_global", "to_private"})
    checked("param xs : 40.f64\nresult = " + std::string(memory) + "(xs |> map(\\x. {" + components +
            "})) |> slide(2, 1) |> map(\\w. " + sum + ")");
}

TEST_CASE("functions of one name have one body") {
  const UserMeaning none = [](std::span<const double> x) { return x[0]; };
  const UserFun f("f", {{"x", f64}}, f64, "return x * 2;", none),
      g("f", {{"x", f64}}, f64, "return x * 3;", none);
  const Expr xs = param("xs", array({8}, f64));
  CHECK_NOTHROW((void)lower(program({xs}, xs | map([&](Expr x) { return f(x) + f(x + x); }))));
  const std::string said =
      message([&] { (void)lower(program({xs}, xs | map([&](Expr x) { return f(x) + g(x); }))); });
  CHECK(said ==
        "the function f is there twice, with different bodies or parameters; give each a name of its own");
}

TEST_CASE("small named values that are looked at by loops are stored") {
  const std::string arguments =
      "param m, xs : 8.f64\nparam mm : 2.4.f64\nparam rows : 4.8.f64\nresult = let d = ";
  for (const char* rest : {
           R"(m |> map(\x. x * 2) in (split(4, d))[1])",
           R"(m |> map(\x. x * 2) in (rows |> map(\r. concat(d, r)))[2])",
           R"(mm |> map(\r. r |> map(\x. x * 2)) in (d |> map(\row. row |> map(\x. x + 1)))[1])",
           R"(m |> drop(5, 0) |> map(\x. x * 2) in (rows |> map(\r. update(r, 3, d |> map(\x. x + 1))))[2])",
           R"(m |> map(\x. x * 2) in {concat(d, xs), xs}.0)",
           R"(m |> map(\x. x * 2) in {d |> map(\x. x + 1), xs}.0)",
           R"(m |> map(\x. x * 2) in unzip(d |> map(\x. {x + 1, x * 2})).0)",
           R"(m |> map(\x. x * 2) in rows |> reduce(\acc r. acc |> map(\p. p + r[3]), d))",
           R"(m |> map(\x. x * 2) in rows |> reduce(\acc r. concat(d |> drop(1, 0), acc |> drop(0, 7)), d))",
       }) {
    CAPTURE(rest);
    CHECK(arrays_made(checked(arguments + rest)) > 0);
  }
  for (const char* rest : {
           R"(m |> map(\x. x * 2) in xs |> map(\x. x + d[3] + reduce(add, 0, d)))",
           R"(mm |> map(\r. r |> map(\x. x * 2)) in d[1])",
           R"(mm |> map(\r. r |> map(\x. x * 2)) in d[1] |> map(\x. x + d[0][2]))",
           R"(m |> map(\x. x * 2) in concat(d, xs))",
           R"(m |> map(\x. x * 2) in xs |> map(\x. x + reduce(add, 0, (split(4, d))[1])))",
       }) {
    CAPTURE(rest);
    CHECK(arrays_made(checked(arguments + rest)) == 0);
  }
}

TEST_CASE("start values that take turns beside arrays that are overwritten are looked at") {
  const auto started = [](const std::string& shape, const std::string& start) {
    checked("param u : 40.f64\nparam xs : " + shape + R"(.f64
      overwrite u
      result = iterate(3, \s. {update_in_place(s.0, 1, s.0 |> slide(3, 1) |> map(\w. w[1] + 1)),
                               s.1 |> map(\x. x * 2)}, {u, )" +
            start + "})");
  };
  started("40", "xs |> scan(add, 0)");
  started("8.5", "join(xs |> map(\\r. scan(add, 0, r)))");
  started("40", "xs |> map(\\x. x + 1)");
}

TEST_CASE("accumulators that are tuples of tuples") {
  checked(R"(param rows : 40.6.f64
      result = rows |> reduce(\acc r. zip(acc, r) |> map(\p. {p.0.1.0, {p.0.0 + p.1, p.0.1.1}}),
          generate(6, \i. {0.0, {1.0, 2.0}})))");
  checked(R"(param rows : 40.6.f64
      result = rows |> reduce(\acc r. zip(acc, r) |> map(\p. {p.0.1.1, {p.0.0 + p.1, p.0.1.0 + 1}}),
          generate(6, \i. {0.0, {1.0, 2.0}})))");
}

TEST_CASE("functions are written where they are applied") {
  refused("param xs : 12.f64\nresult = let f = {\\(x : f64). x * 2, 3.0} in xs |> map(f.0)",
          "tuple: component 0 is a function, (f64) -> f64; write the function where it is applied");
  checked("param xs : 12.f64\nresult = let f = \\(x : f64). x * 2 in xs |> map(f)");
  const Expr xs = param("xs", array({12}, f64));
  const Expr f = fun(f64, [](const Expr& x) { return x + x; });
  const std::string said = message([&] {
    (void)make(Op::Let, {f, fun(f.type(), [&](const Expr& g) { return map(g, xs); })});
  });
  CHECK_MESSAGE(said.find("let: the bound value is a function, (f64) -> f64") != std::string::npos, said);
  const std::string applied = message([&] {
    (void)make(Op::Apply, {fun(f.type(), [&](const Expr& g) { return map(g, xs); }), f});
  });
  CHECK_MESSAGE(applied.find("argument 1 is a function, (f64) -> f64") != std::string::npos, applied);
}

TEST_CASE("a base that is compared with the place of the result leaves nothing behind") {
  const Kernel k = checked(R"(param rows : 6.200.f64
      param b : 4.200.f64
      result = update(rows |> map(\r. iterate(7, \v. v |> pad(1, 1, clamp) |> slide(3, 1) |>
          map(\w. w[0] - w[2]), r)), 1, b))");
  CHECK(count<Allocate>(k.body) == 2);  // the two that take turns
}

TEST_CASE("an update of which a part updates an argument in place") {
  checked(R"(param u : 4.12.f64
      param b : 10.f64
      param c : 2.12.f64
      overwrite u
      result = update(u |> map(\r. update_in_place(r, 1, b)), 1, c))");
  refused(R"(param xs, u : 12.f64
      param b : 10.f64
      overwrite u
      result = update(xs |> map(\x. x * 2), 0, update_in_place(u, 1, b)))",
          kNotThere);
  const std::string parts = "param u, w : 12.f64\noverwrite u\nresult = ";
  refused(parts + "concat(update_in_place(u, 1, w |> drop(1, 1)), w |> take(0))", kNotThere);
  refused(parts + "concat(w |> take(0), update_in_place(u, 1, w |> drop(1, 1)))", kNotThere);
}

TEST_CASE("an iteration of views is no array of the program's own") {
  const std::string arguments = "param u : 100.f64\nparam b : 98.f64\nresult = ";
  refused(arguments + R"(let y = update_in_place(u |> iterate(1, \x. reverse(x)), 1, b) in
      {y |> map(\x. x * 2), u |> map(\x. x + 1)})",
          kNotThere);
  refused(arguments + R"(update_in_place(u |> iterate(2, \x. reverse(x)), 1, b))", kNotThere);
}

TEST_CASE("no steps of several arrays, some of which stay") {
  checked(R"(param u, v : 40.f64
      result = iterate(0, \s. {s.0, zip(s.0, s.1) |> map(\p. p.1 * 2 - p.0)}, {u, v}))");
  checked(R"(param u, v : 40.f64
      overwrite u
      result = iterate(0, \s. {update_in_place(s.0, 1, s.0 |> slide(3, 1) |> map(\w. w[1] + 1)),
                               s.1 |> map(\x. x * 2)}, {u, v}))");
}

TEST_CASE("circular buffers that are read in two ways, or along a strided loop") {
  const auto along = [](const std::string& read, const std::string& what) {
    refused("param xs : 2.13.16.f64\nresult = xs |> map_wrg<0>(\\b. " + read + ")", what);
  };
  const std::string planes = R"(b |> map_seq(\r. r |> map_lcl<0>(\x. x * 2)))",
                    in_windows = "the loop must go over windows of it";
  const auto buffer = [&](int slots) {
    return "circular_buffer(" + std::to_string(slots) + ", " + planes + ")";
  };
  along("zip(" + buffer(3) + " |> slide(3, 1), " + buffer(3) + R"( |> reverse |> drop(1, 1)) |>
      map_seq(\w. zip(w.0[0], w.1) |> map_lcl<0>(\p. p.0 - p.1)))",
        in_windows);
  along("zip(" + buffer(4) + " |> slide(1, 4), " + buffer(4) + R"( |> slide(4, 3)) |>
      map_seq(\w. zip(w.0[0], w.1[0]) |> map_lcl<0>(\p. p.0 - p.1)))",
        in_windows);
  along("zip(" + buffer(3) + ", " + buffer(3) + R"( |> pad(1, 1, clamp) |> slide(3, 1)) |>
      map_seq(\w. zip(w.0, w.1[2]) |> map_lcl<0>(\p. p.0 - p.1)))",
        in_windows);
  along(buffer(3) + R"( |> slide(3, 1) |>
      map_seq<strided 2>(\w. zip(w[0], w[2]) |> map_lcl<0>(\p. p.0 - p.1)))",
        "leave out the stride");
  checked("param xs : 2.13.16.f64\nresult = xs |> map_wrg<0>(\\b. " + buffer(3) + R"( |> slide(3, 1) |>
      map_seq(\w. zip(w[0], w[2]) |> map_lcl<0>(\p. p.0 - p.1))))");
}

TEST_CASE("what stages of bands compute on the way is there before all steps") {
  const std::string sum = R"(u |> pad(1, 1, constant (reduce(add, 0, ys))) |> slide(3, 1) |>
      map(\w. w[0] * 2 + w[2])))",
                    arguments = "param u : 20.f64\nparam ys : 50.f64\nresult = (let a = ";
  checked(arguments + "ring(20, " + sum + R"( in a |> map(\x. x + 1)) |> band<skewed>(0, 1, (0, 0)))");
  checked(arguments + "ring(10, " + sum + R"( in a |> map(\x. x + 1)) |> band<overlapped>(0, 4, (0, 0)))");
  const std::string three = R"(to_global(u |> map(\x. x * 3)))",
                    windows = R"( |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] * 2 + w[2]))";
  checked(arguments + "ring(20, " + three + windows +
          R"() in a |> map(\x. x + 1)) |> band<skewed>(0, 1, (0, 0)))");
  refused(arguments + three + R"( in to_global(a |> map(\x. x * 3)))" + windows +
              ") |> band<skewed>(0, 1, (0, 2))",
          "of its own from work1, which another stage makes");
  refused(arguments + R"(ring(20, u |> map(\x. x * 3)) in to_global(a |> map(\x. x * 3)))" + windows +
              ") |> band<overlapped>(0, 4, (2, 0))",
          "of its own from ring1, which another stage makes");
  const auto of_all = [](const std::string& n, const std::string& lag) {
    return "param u : " + n + ".f64\nresult = (let a = ring(" + n + R"(, u |> map(\x. x * 3)) in
        a |> pad(1, 1, constant (reduce(add, 0, a))) |> slide(3, 1) |> map(\w. w[0] + w[2])) |>
        band<skewed>(0, 1, (0, )" +
           lag + "))";
  };
  checked(of_all("20", "19"));  // no loop
  refused(of_all("40", "39"), "of its own from ring1, which another stage makes");
}

TEST_CASE("a stage of a band that is an array of tuples of arrays") {
  refused(R"(param u : 20.16.f64
      result = (let a = ring(20, u |> map(\r. {r |> map(\x. x * 2), r |> map(\x. x * 3)})) in
          a |> map(\r. zip(r.0, r.1) |> map(\p. p.0 + p.1))) |> band<skewed>(0, 1, (0, 0)))",
          "stage 1: a stage makes an array of {16.f64, 16.f64}, tuples of arrays; make it one of tuples of");
}

}  // namespace lift::kept_values_test
