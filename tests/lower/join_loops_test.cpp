// Loops that are joined: which become one, and that what they compute stays the same, also by threads.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;
using lift::test::run;

namespace join_loops_test {
namespace {

/// Loops that threads share.
int shared(const Kernel& k) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    n += f && f->kind == LoopKind::Par;
  });
  return n;
}
/// Loops over elements, in which no other loop is.
int innermost(const Kernel& k) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    n += f && !has_loop(f->body);
  });
  return n;
}

/// Two stages over rows, the second joined in this way; `read`: what it reads of the first one's rows.
Program two(int how, const std::string& read) {
  return parse_program(
      "param x : 6.8.f64\nresult a, b =\n"
      "let a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "{a, " +
      read + " |> map_par<joined " + std::to_string(how) + ">(\\r. r |> map_seq(\\v. v + 1))}\n");
}

}  // namespace

TEST_CASE("join-loops: stages that meet in the same row share a loop over rows, or over elements, too") {
  const Kernel rows = run(two(1, "a")), elements = run(two(2, "a"));
  CHECK(shared(rows) == 1);
  CHECK(innermost(rows) == 2);
  CHECK(shared(elements) == 1);
  CHECK(innermost(elements) == 1);
  const Kernel independent = run(two(2, "x"));
  CHECK(innermost(independent) == 1);
}

TEST_CASE("join-loops: what another iteration makes is waited for") {
  for (const char* read : {"a |> reverse", "a |> pad2((1, 0), 0, clamp) |> drop2(0, (1, 0))",
                           "a |> pad2((1, 0), 0, wrap) |> drop2(0, (1, 0))"}) {
    CAPTURE(read);
    CHECK(shared(run(two(2, read))) == 2);
  }
  // In the same row, but at other elements of it: rows after rows.
  const Kernel beside = run(two(2, "a |> map(\\r. r |> reverse)"));
  CHECK(shared(beside) == 1);
  CHECK(innermost(beside) == 2);
}

TEST_CASE("join-loops: loops of other lengths stay apart, and so does what needs a number between them") {
  const Program shorter = parse_program(
      "param x : 6.8.f64\nresult a, b =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "{a, x |> drop2((1, 0), 0) |> map_par<joined 2>(\\r. r |> map_seq(\\v. v + 1))}\n");
  CHECK(shared(run(shorter)) == 2);
  const Program number = parse_program(
      "param x : 6.8.f64\nresult a, b =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "let s = a |> join |> reduce_seq(add, 0) in\n"
      "{a, x |> map_par<joined 2>(\\r. r |> map_seq(\\v. v + s))}\n");
  CHECK(shared(run(number)) == 2);
  // A number that the second loop does not ask for does not keep it apart.
  const Program beside = parse_program(
      "param x : 6.8.f64\nresult a, s, b =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "let s = a |> join |> reduce_seq(add, 0) in\n"
      "{a, s, x |> map_par<joined 2>(\\r. r |> map_seq(\\v. v + 1))}\n");
  CHECK(shared(run(beside)) == 1);
}

TEST_CASE("join-loops: what one loop overwrites, another iteration of the loop before has read") {
  const auto text = [](const std::string& read) {
    return parse_program(
        "param x : 6.8.f64\noverwrite x\nresult y, z =\n"
        "let y = " +
        read +
        " |> map_par(\\r. r |> map_seq(\\v. v + 1)) in\n"
        "{y, update_in_place2(x, 0, x |> map_par<joined 2>(\\r. r |> map_seq(\\v. 3 * v)))}\n");
  };
  CHECK(shared(run(text("x"))) == 1);
  CHECK(shared(run(text("x |> reverse"))) == 2);
}

}  // namespace join_loops_test
