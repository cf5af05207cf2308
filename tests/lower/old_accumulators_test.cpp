// A reduction of arrays overwrites its accumulators: what it reads of them is what was there before.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/message.hpp"

namespace lift::old_accumulators_test {
namespace {

const char* const kRows = "param rows : 40.6.f64\nresult = rows |> reduce(\\acc r. ";

}  // namespace

TEST_CASE("old accumulators: other elements are not read after they have been overwritten") {
  for (const std::string body : {
           // By a loop, by names, by conditions.
           "zip(acc, r) |> map(\\p. p.0 + p.1 * reduce(add, 0, acc)), generate(6, \\i. 1.0))",
           "zip(acc, r) |> map(\\p. let t = acc[0] * 2 in p.0 + p.1 * t), generate(6, \\i. 1.0))",
           "zip(acc, r) |> map(\\p. select(acc[3] < p.1, p.1, p.0)), generate(6, \\i. f64(i)))",
           // Of the accumulator beside it, and of one that is a number.
           "zip(acc, r) |> map(\\p. {p.0.0 + p.1, let s = p.0.0 * 2 in p.0.1 + s}), generate(6, \\i. {0.0, "
           "1.0}))",
           "{acc.0 + r[0], let s = acc.0 * 2 in acc.1 |> map(\\a. a + s)}, {0.0, generate(6, \\i. 1.0)})",
           "{acc.0 |> map(\\a. a + r[0]), let s = reduce(add, 0, acc.0) in acc.1 |> map(\\a. a + s)}, "
           "{generate(8, \\i. f64(i)), generate(6, \\i. 1.0)})",
           "acc |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2]), generate(6, \\i. 1.0))",
           "acc |> reverse |> map(\\a. a + r[0]), generate(6, \\i. f64(i)))",
           // By the iteration before.
           "update(acc |> pad(1, 0, clamp) |> drop(0, 1), 0, generate(1, \\i. 1) |> map(\\i. r[0])), "
           "generate(6, \\i. f64(i)))",
           // Each row with what its sum was.
           "zip(acc, r) |> map(\\p. p.0 |> map(\\q. q + p.1 * reduce(add, 0, p.0))), generate(6, \\i. "
           "generate(50, \\j. f64(j))))",
           // In loops of one another.
           "concat(acc |> drop(0, 3) |> map(\\a. a + r[0]), acc |> drop(2, 1) |> map(\\a. a * 2)), "
           "generate(6, \\i. f64(i)))",
       }) {
    CAPTURE(body);
    CHECK(test::message([&] {
            lower(parse_program(kRows + body, "old.lift"));
          }).find("reduce: an element of its array of accumulators depends on other elements") !=
          std::string::npos);
  }
}

TEST_CASE("old accumulators: what is read before is what was there") {
  for (const std::string body : {
           "zip(acc, r) |> map(\\p. p.0 + p.1), generate(6, \\i. 1.0))",
           "zip(acc, r) |> map(\\p. select(p.0 < p.1, p.1, p.0)), generate(6, \\i. f64(i)))",
           "zip(acc, r) |> map(\\p. let t = p.0 * 2 in select(t < p.1, t, p.0)), generate(6, \\i. f64(i)))",
           "let t = acc[0] * 2 in zip(acc, r) |> map(\\p. p.0 - t), generate(6, \\i. 1.0))",
           "zip(acc, r) |> map(\\p. {p.0.0 + p.1, p.0.1 + p.0.0}), generate(6, \\i. {0.0, 1.0}))",
           // Of accumulators that are overwritten later.
           "{acc.0 |> map(\\a. min(a, acc.1[2])), acc.1 |> map(\\a. a + r[0])}, {generate(8, \\i. f64(i)), "
           "generate(6, \\i. 1.0)})",
           // A sum of a row, before the row is overwritten.
           "zip(acc, r) |> map(\\p. let s = reduce(add, 0, p.0) in p.0 |> map(\\q. min(q, s) + p.1)), "
           "generate(6, \\i. generate(50, \\j. f64(j))))",
           // Parts of one array, and of its elements in another order.
           "concat(acc |> drop(0, 3) |> map(\\a. a + r[0]), acc |> drop(3, 0) |> map(\\a. a - r[1])), "
           "generate(6, \\i. f64(i)))",
           "acc |> split(3) |> map(\\t. t |> map(\\a. a + r[0])) |> join, generate(6, \\i. f64(i)))",
           "zip(acc |> reverse, r) |> map(\\p. p.0 + p.1) |> reverse, generate(6, \\i. f64(i)))",
           // New values of it.
           "let v = zip(acc.0, r) |> map(\\p. p.0 + p.1) in {v, let s = reduce(add, 0, v) in acc.1 |> "
           "map(\\a. "
           "max(a, s))}, {generate(6, \\i. f64(i)), generate(9, \\i. 1.0)})",
       }) {
    CAPTURE(body);
    test::run(parse_program(kRows + body, "old.lift"));
  }
}

}  // namespace lift::old_accumulators_test
