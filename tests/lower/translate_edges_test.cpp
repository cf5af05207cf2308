// Where values with a name go, at the edges: what of them is asked for at numbers, what is read beside an
// update, of which not all is stored, or whose base is nowhere; planes that are read twice.
#include <doctest/doctest.h>

#include "tests/lower/run_text.hpp"

namespace lift::translate_edges_test {
namespace {

using test::arrays_made;
using test::count;
using test::refusal_of;
using test::run_text;

const char* const kElsewhere =
    "update_in_place: the result does not lie where its base lies; the base must be an argument, the result "
    "the whole of it";

/// How many arrays are made for a program, whose result is that of the interpreter.
struct Case {
  std::string result;
  int arrays;
};
void check(const std::string& parameters, const std::vector<Case>& cases,
           const std::map<std::string, std::int64_t>& index = {}) {
  for (const Case& c : cases) {
    CAPTURE(c.result);
    CHECK(arrays_made(run_text(parameters + "result = " + c.result, index)) == c.arrays);
  }
}
/// Four numbers with a name.
const std::string kFew = R"(let v = xs |> drop(0, 8) |> map(\x. x * 2) in )", kXs = "param xs : 12.f64\n";

}  // namespace

TEST_CASE("few numbers are kept in variables where they are asked for at numbers, and else stored") {
  check(kXs,
        {// A number of them with a name of its own; a part of them with one, that loops may ask for.
         {kFew + R"(let t = v[1] in xs |> map(\x. x * t + v[0]))", 0},
         {kFew + R"(xs |> scan(\s x. s + x * v[1], v[0]))", 0},
         {kFew + R"(xs |> map(\x. x * iterate(2, \s. {s.0 + s.1, s.0 * 2}, {v[0], v[1]}).0))", 0},
         {R"(let v = xs |> drop(0, 6) |> map(\x. x * 2) |> split(3) in let t = v[1] in
                  concat(t |> map(\x. x + v[0, 1]), t |> reverse))",
          1},
         // The only row goes where the rows go; one of several is looked at by a loop.
         {kFew + "concat(split(4, v)[0], v)", 0},
         {kFew + "concat(split(2, v)[0], v)", 1},
         // Windows are summed without a loop, or by one.
         {kFew + R"(xs |> map(\x. x * (v |> slide(2, 1) |> map(reduce(add, 0)) |> reduce(max, 0))))", 0},
         {kFew + R"(xs |> map(\x. x * (v |> slide(2, 1) |> map(reduce_seq(add, 0)) |> reduce(max, 0))))", 1},
         {kFew + R"(xs |> map(\x. x * reduce_seq(add, 0, v)))", 0}});
}

TEST_CASE("few numbers, some of which begin where it is known when the kernel runs, are to be stored") {
  const std::string p = kXs + "index k in 0 .. 3 = 2\n";
  const std::string rest = R"(xs |> map(\x. x * (v |> drop(k, 3 - k))[0]))";
  for (std::int64_t k = 0; k < 4; ++k)
    check(p,
          {{kFew + rest, 1},
           {R"(let v = to_private(xs |> drop(0, 8) |> map(\x. x * 2)) in )" + rest, 1},
           {kFew + R"(xs |> map(\x. x * (v |> pad(k, 0, clamp) |> drop(3, k))[0]))", 1}},
          {{"k", k}});
}

TEST_CASE("what is computed of a view with a name is computed once; a view of it is not stored") {
  const std::string twice = R"({y |> map(\x. x * 2), y |> slide(2, 1) |> map(\w. w[0] + w[1])})";
  check("param xs : 40.f64\n",
        {{R"(let y = (let v = xs |> reverse in v |> map(\x. x + 1)) in )" + twice, 1},
         {R"(let y = (let v = xs |> reverse in v |> pad(1, 1, clamp)) in )" + twice, 0}});
}

TEST_CASE("steps of numbers need no memory where an array is computed of them") {
  const Kernel k = run_text(kXs + R"(result = xs |> map(\x. iterate(3, \y. y * 2, x) + 1))");
  CHECK(arrays_made(k) == 0);
  CHECK(count<lift::Let>(k.body) == 0);
}

TEST_CASE("a block is computed in its array where what is written before reads nothing else of that") {
  const std::string p = kXs + "param ys : 10.f64\nindex k in 0 .. 4 = 2\noverwrite xs\n";
  const std::string block = R"(let b = ys |> map(\y. y * 2) in )";
  check(p,
        {// A number in both is no array.
         {block + R"({b |> map(\y. y + f64(k)),
             update_in_place(zip(xs, generate(12, \i. f64(k))) |> map(\p. p.0), 1, b)})",
          0},
         {block + R"({zip(b, xs |> drop(1, 1)) |> map(\p. p.0 + p.1), update_in_place(xs, 1, b)})", 1},
         // A name hides that it is the same array.
         {"let v = xs in " + block +
              R"({zip(b, xs |> drop(1, 1)) |> map(\p. p.0 + p.1), update_in_place(v, 1, b)})",
          1}},
        {{"k", 3}});
}

TEST_CASE("a base that is an update itself is nowhere, unless that has a name") {
  const std::string p =
      "param xs : 40.f64\nparam ys : 10.f64\nparam u : 20.6.f64\nparam b : 10.6.f64\nparam c : 18.6.f64\n"
      "overwrite xs, u\nresult = ";
  const auto named = [&](const std::string& base, const std::string& names = "") {
    return p + names + "let v = update_in_place(" + base +
           R"(, 1, ys |> map(\y. y + 1)) in zip(v, v |> reverse) |> map(\p. p.0 + p.1))";
  };
  CHECK(refusal_of(named("update_in_place(xs, 2, ys)")) ==
        "update_in_place: the base is not stored; the base must be an argument");
  CHECK(arrays_made(run_text(named("a", "let a = update_in_place(xs, 2, ys) in "))) == 0);

  const auto banded = [&](const std::string& base, const std::string& stages, const std::string& shifts) {
    return p + "(" + stages + "let a = update_in_place(" + base +
           R"(, 1, c |> map2(\x. x * 2)) in a |> map2(\x. x + 1)) |> band<skewed>(0, 1, ()" + shifts + "))";
  };
  CHECK(refusal_of(banded("update_in_place(u, 0, b)", "", "0, 0")) ==
        "band: a stage overwrites what is not stored; the base must be an argument");
  CHECK(arrays_made(run_text(
            banded("s", "let s = update_in_place(u, 0, b |> map2(\\x. x + 1)) in ", "0, 1, 1"))) == 0);
}

TEST_CASE("rows of which not all are stored are computed apart where something reads them") {
  const auto first_cut = [](const std::string& names, const std::string& rows) {
    return R"(let r = unzip(m |> map(\row. )" + names + rows + ")) in {r.0 |> drop2(0, (0, 1)), r.1}";
  };
  const std::string v = R"(let v = row |> map(\x. x * 2) in )",
                    both = R"({v, zip(v, t) |> map(\p. p.0 * p.1)})",
                    p = "param m : 6.8.f64\nparam z : 8.f64\noverwrite m\n";
  // The row alone, whatever has a name besides: the other one goes where it is to go.
  check(p, {{first_cut(v, R"({v, v |> reverse |> map(\x. x + 1)})"), 1},
            {first_cut(v + "let t = z |> reverse in ", both), 1},
            {first_cut(v + "let t = z |> reverse in let s = t |> reverse in ",
                       R"({v, zip(v, s) |> map(\p. p.0 * p.1)})"),
             1},
            {first_cut("", R"({row |> map(\x. x * 2), row |> reverse |> map(\x. x + 1)})"), 0}});
  // Not in their argument, of which the caller would find the last element as it was.
  const std::string update = R"({update_in_place(row, 1, v), v |> map(\x. x + 1)})",
                    block = R"(let v = row |> drop(1, 1) |> map(\x. x * 2) in )";
  CHECK(refusal_of(p + "result = " + first_cut(block, update)) == kElsewhere);
  const Kernel k = run_text(p + R"(result = unzip(m |> map(\row. )" + block + update + "))");
  CHECK(k.results[0] == "m");
  CHECK(arrays_made(k) == 0);
}

TEST_CASE("planes that are kept are read by two windows, if these are alike") {
  const auto both = [](const std::string& first, const std::string& second, const char* last) {
    const std::string kept = R"(circular_buffer(5, a |> map_seq(\r. r |> map_lcl<0>(\x. x * 2))) |> )";
    return R"(param xs : 2.13.16.f64
result = xs |> map_wrg<0>(\a. zip()" +
           kept + first + ", " + kept + second + R"() |> map_seq(\w. zip(w.0[0], w.1[)" + last +
           R"(]) |> map_lcl<0>(\p. p.0 - p.1))))";
  };
  run_text(both("slide(3, 1)", "slide(3, 1)", "2"));
  run_text(both("slide(5, 4)", "slide(5, 4)", "3"));
  CHECK(refusal_of(both("slide(5, 4)", "slide(3, 5)", "2")) ==
        "circular_buffer: the loop must go over windows of it, of a size that is a number; read it by slide "
        "(n, 1)");
}

}  // namespace lift::translate_edges_test
