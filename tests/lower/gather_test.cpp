// Positions that are computed: where they move with loops, what is proved of them, and what they forbid.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/message.hpp"
#include "tests/parallel_loops.hpp"

using namespace lift;
using lift::test::run;

namespace gather_test {
namespace {

Kernel of(const std::string& result, const std::string& params = "") {
  return run(
      parse_program("param x : 24.f64\nparam m : 5.16.f64\nparam at : 24.i32\n"
                    "param j, i : 5.16.i32\n" +
                    params + "\nresult = " + result));
}
std::string refusal(const std::string& result) {
  return test::message<UserError>([&] { of(result); }, "no error");
}
/// Lanes that are taken out of vectors.
int lanes_taken(const Kernel& k) {
  std::set<std::uint32_t> seen;
  visit_terms(k.body, [&](const Term& t) {
    if (t->kind == TermKind::Shuffle && t->width == 1) seen.insert(t->id);
  });
  return static_cast<int>(seen.size());
}

}  // namespace

TEST_CASE("gather: a position moves with the loops that its numbers move with") {
  for (const char* map : {"map_seq", "map_unroll<4>", "map_vec<4>"}) {
    CAPTURE(map);
    const std::string one(map);
    for (const char* b : {"clamp", "wrap", "mirror", "reflect", "constant 3", "constant (x[1])"}) {
      CAPTURE(b);
      of("at |> " + one + "(\\k. x |> gather(k, " + b + "))");
      of("zip2(j, i) |> map_par(\\r. r |> " + one + "(\\(j, i). m |> gather2(j, i, " + b + ")))");
    }
    // beside what moves with the loop itself, below other views, twice in one formula
    of("zip2(j, m) |> map_seq(\\r. r |> " + one + "(\\(j, v). v + (m |> gather(j, wrap))[3]))");
    of("at |> " + one + "(\\k. x |> pad(2, 3, mirror) |> drop(1, 1) |> gather(k, wrap))");
    of("at |> " + one + "(\\k. x |> map(\\v. 2 * v) |> reverse |> gather(k, clamp))");
    of("at |> " + one + "(\\k. (x |> gather(at |> gather(k, wrap), mirror)) - (x |> gather(k + 1, clamp)))");
    of("generate(24, \\k. k) |> " + one +
       "(\\k. f64(generate(40, \\q. 3 * q) |> gather(at |> gather(k), wrap)))");
  }
}

TEST_CASE("gather: a lane of one flat index is taken for each element") {
  const std::string element = "m |> gather2(j, i, clamp)";
  const Kernel k = of("zip2(j, i) |> map_seq(\\r. r |> map_vec<4>(\\(j, i). " + element + "))");
  CHECK(lanes_taken(k) == 4);
  // One that is beyond an i32, or may be, is taken for each dimension; a square is none.
  const auto taken = [](const std::string& type) {
    return lanes_taken(lower(parse_program("size n\nparam m : " + type +
                                               ".f64\nparam j, i : 16.i32\nresult = zip(j, i) |> "
                                               "map_vec<4>(\\(j, i). m |> gather2(j, i, clamp))",
                                           "flat.lift")));
  };
  CHECK(taken("40000.40000") == 4);
  CHECK(taken("70000.70000") == 8);
  CHECK(taken("n.16") == 8);
  of("at |> map_vec<4>(\\k. x[generate(5, \\q. q * q) |> gather(k, wrap)])");
}

TEST_CASE("gather: a u8 is within 256 elements, and a position without being converted") {
  const auto parsed = [](const std::string& length) {
    return [=] {
      lower(parse_program("param t : " + length +
                              ".u8\nparam at : 24.u8\n"
                              "result = at |> map_vec<8>(\\k. t[k])",
                          "taken.lift"));
    };
  };
  CHECK(test::message<UserError>(parsed("256")) == "");
  CHECK(test::message<UserError>(parsed("255")).find("nothing proves that the position ") !=
        std::string::npos);
}

TEST_CASE("gather: positions may be i64, whose arithmetic is not cut off at 32 bits") {
  for (const char* b : {"clamp", "wrap", "mirror", "reflect", "constant 3"})
    for (const char* one : {"map_seq", "map_vec<4>"})
      of(std::string("at |> ") + one + "(\\k. x |> gather(i64(k) * 3000000000i64 + 7i64, " + b + "))");
  for (const char* position : {"min(max(i64(k), 0i64), 23i64)", "i64(k) * 3000000000i64 % 24i64",
                               "i64(k % 24)", "i64(k % 20) + 3i64"}) {
    CAPTURE(position);
    of(std::string("at |> map_vec<4>(\\k. x[") + position + "])");
  }
  for (const char* position : {"i64(k)", "i64(k) % 25i64", "i64(k % 24) + 1i64"})
    CHECK(refusal(std::string("at |> map_seq(\\k. x[") + position + "])")
              .rfind("gather: nothing proves that the position ", 0) == 0);
}

TEST_CASE("gather: what min, max, %, select and sums with numbers prove needs no boundary condition") {
  for (const char* position : {"min(max(k, 0), 23)", "max(0, min(23, k))", "k % 24", "(k % 20) + 3",
                               "23 - (k % 24)", "select(k < 3, 7, k % 3)", "i32(k < 3)", "i32(k < 3) + 22",
                               "min(k % 30, 23)", "max(k % 27, 3) - 3"}) {
    CAPTURE(position);
    of(std::string("at |> map_vec<4>(\\k. x[") + position + "])");
    of(std::string("at |> map_seq(\\k. let p = ") + position + " in x[p] + x[p])");
  }
  of("generate(20, \\q. q) |> map_seq(\\q. x[q * q % 20 + 4] + x[q + 4] + x[min(q + 6, 23)])");
  for (const char* position :
       {"k", "min(k, 23)", "max(k, 0)", "k % 25", "k % 24 + 1", "24 - (k % 24)", "select(k < 3, k, k % 3)",
        "k % -24", "min(k % 30, 24)", "k % 20 - 1", "k % 28 - 3"}) {
    CAPTURE(position);
    const std::string got = refusal(std::string("at |> map_seq(\\k. x[") + position + "])");
    CHECK(got.rfind("gather: nothing proves that the position ", 0) == 0);
    CHECK(got.find(
              " is one of 0 to 23; say what is beyond the ends, gather(i, clamp), or wrap, mirror, reflect, "
              "constant VALUE; or write it with min and max, min(max(i, 0), 23)") != std::string::npos);
  }
}

TEST_CASE("gather: what was proved of positions is known of them when they have been stored") {
  const std::string stored = "let p = at |> map_seq(\\k. k % 24) |> to_global in ";
  for (const std::string result :
       {"p |> map_seq(\\k. x[k])", "p |> slide(3, 1) |> map_vec<4>(\\w. x[w[0]] - x[w[2]])",
        "p |> map_seq(\\k. x[min(23 - k, 7)])",
        "let q = p |> map_seq(\\k. 23 - k) |> to_global in zip(p, q) |> map_seq(\\(k, l). x[k] - x[l])",
        "let q = p |> map_seq(\\k. {k, 23 - k}) |> to_global in q |> map_seq(\\(k, l). x[k] - x[l])",
        "x |> iterate(3, \\y. let q = p |> map_seq(\\k. 23 - k) |> to_global in q |> map_seq(\\k. y[k] + "
        "x[k]))"}) {
    CAPTURE(result);
    of(stored + result);
  }
  of("j |> map_par(\\r. let p = r |> map_seq(\\k. k % 24) |> to_private in p |> map_seq(\\k. x[k]))");
  const std::string number = "(generate(24, \\z. z) |> map_seq(\\z. z) |> to_global)";
  for (const std::string& result :
       {std::string("let p = at |> map_seq(\\k. k + 0) |> to_global in p |> map_seq(\\k. x[k])"),
        std::string("let p = at |> map_seq(\\k. k % 25) |> to_global in p |> map_seq(\\k. x[k])"),
        stored + "p |> map_seq(\\k. x[k + 1])",
        std::string("let p = concat(at |> map_seq(\\k. k % 24), at |> map_seq(\\k. k)) |> to_global in "
                    "p |> map_seq(\\k. x[k])"),
        std::string(
            "let p = at |> map_seq(\\k. {k % 24, k}) |> to_global in p |> map_seq(\\(k, l). x[k] - x[l])"),
        // what begins as such positions goes on as others
        stored + "p |> iterate(3, \\q. q |> map_seq(\\k. 5 + (" + number + ")[k]))",
        stored + "p |> iterate(3, \\q. update_in_place(q, 2, q |> take(9) |> map_seq(\\k. 5 + (" + number +
            ")[k])))"}) {
    CAPTURE(result);
    CHECK(refusal(result).rfind("gather: nothing proves that the position ", 0) == 0);
  }
}

TEST_CASE("gather: an array that is read anywhere is complete before, and not overwritten meanwhile") {
  const Program in_place = parse_program(
      "param q : 24.f64\nparam at : 24.i32\noverwrite q\n"
      "result r = update(q, 0, zip(q, at) |> map(\\(v, k). v + (q |> gather(k, mirror))))");
  CHECK(why_not_in_place(in_place).find("may be overwritten in the same sweep") != std::string::npos);
  CHECK(why_not_in_place(parse_program("param q : 24.f64\nparam at : 24.i32\noverwrite q\n"
                                       "result r = update(q, 0, zip(q, at) |> map(\\(v, k). v + f64(k)))"))
            .empty());
  for (const std::string how : {"1", "2"})
    CHECK(test::parallel_loops(
              of("let a = m |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in {a, zip2(j, i) |> map_par<joined " +
                 how + ">(\\r. r |> map_seq(\\(j, i). a |> gather2(j, i, wrap)))}")) == 2);
  // a row that is there, at any of its elements
  CHECK(test::parallel_loops(
            of("let a = m |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in {a, zip(a, i) |> map_par<joined 1>("
               "\\(r, i). i |> map_seq(\\i. r |> gather(i, wrap)))}")) == 1);
  CHECK(test::parallel_loops(
            of("let a = m |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in {a, zip(a, i) |> map_par<joined 2>("
               "\\(r, i). i |> map_seq(\\i. r |> gather(i, wrap)))}")) == 1);
}

}  // namespace gather_test
