// Iterations at their edges: where steps say that they are stored, what stays and what takes turns, start
// values of every kind, results that lie in arguments.
#include <doctest/doctest.h>

#include "tests/lower/run_text.hpp"

namespace lift::iterate_edges_test {
namespace {

using test::arrays_made;
using test::count;
using test::refusal_of;
using test::run_text;

/// What each step adds to one array and makes of another one.
const char* const kPair = R"(\s. {update_in_place(s.0, 1, zip(s.0, s.1) |> map(\p. p.0 + p.1) |> drop(1, 1)),
    s.1 |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] - w[2])})";

int barriers(const Kernel& k) { return count<Barrier>(k.body); }

}  // namespace

TEST_CASE("steps that say where their results are stored") {
  const std::string p = "param xs, ys : 40.f64\nresult = ";
  const std::string step = R"(s |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2]))";
  for (const std::string memory : {"to_private", "to_global"})
    for (const char* times : {"1", "2", "5", "9"}) {
      CAPTURE(memory);
      CAPTURE(times);
      const std::string iterated =
          "iterate(" + std::string(times) + R"(, \s. )" + memory + "(" + step + "), xs)";
      run_text(p + iterated);
      run_text(p + iterated + R"( |> map(\x. x + 1))");  // read
      // One array stays what it is, the other one takes turns.
      run_text(p + "iterate(" + times + R"(, \s. )" + memory +
               R"(({s.0, zip(s.0, s.1) |> map(\p. p.1 * 2 - p.0)}), {xs, ys}))");
    }
}

TEST_CASE("an iteration is known step by step, or its number when the kernel runs: what stays, what turns") {
  for (const char* start :
       {"{u, v}", R"(unzip(zip(u, v) |> map(\p. {p.0 * 2, p.1 + 1})))", R"({u |> map(\x. x * 2), v})"}) {
    for (std::int64_t times = 0; times < 6; ++times) {
      CAPTURE(start);
      CAPTURE(times);
      const std::string p = "param u, v : 40.f64\n";
      const std::string step = R"(\s. {s.0, zip(s.0, s.1) |> map(\p. p.1 * 2 - p.0)})";
      if (times > 0)
        run_text(p + "result = iterate(" + std::to_string(times) + ", " + step + ", " + start + ")");
      run_text(p + "index k in 0 .. 6 = 3\nresult = iterate(k, " + step + ", " + start + ")", {{"k", times}});
    }
  }
}

TEST_CASE("a start value that is a pair with a name: one part is overwritten, the other one takes turns") {
  const std::string p = "param u, v : 40.f64\noverwrite u\nindex k in 0 .. 6 = 3\nresult = ";
  const Kernel k = run_text(p + "let s = {u, v} in iterate(4, " + kPair + ", s)", {{"k", 0}});
  CHECK(k.results[0] == "u");
  for (std::int64_t times = 0; times < 5; ++times)
    CHECK(run_text(p + "let s = {u, v} in iterate(k, " + kPair + ", s)", {{"k", times}}).results[0] == "u");
  // Not where its elements are read in another order: a copy is overwritten, not the argument.
  const Kernel copied = run_text(p + "let s = {reverse(u), v} in iterate(4, " + kPair + ", s)", {{"k", 0}});
  CHECK(copied.results[0] != "u");
  CHECK(std::none_of(copied.arguments.begin(), copied.arguments.end(),
                     [](const KernelArgument& a) { return a.name == "u" && a.written; }));
}

TEST_CASE("the last step of an unknown number does not go back and forth in an argument that steps read") {
  const std::string p =
      "param u : 400.f64\nparam xs : 398.f64\noverwrite u\nindex k in 0 .. 6 = 3\nresult = ";
  for (std::int64_t times = 0; times < 5; ++times) {
    CAPTURE(times);
    // Each step reads what the result will overwrite, or the start value is made of it.
    for (const char* iterated :
         {R"(iterate(k, \s. to_global(zip(s |> pad(1, 1, clamp) |> slide(3, 1), u |> drop(1, 1)) |>
             map(\p. p.0[0] - p.0[2] + p.1)), xs))",
          R"(iterate(k, \s. to_global(s |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] - w[2])),
             u |> slide(3, 1) |> map(\w. w[0] + w[2])))"}) {
      const Kernel k = run_text(p + "update_in_place(u, 1, " + iterated + ")", {{"k", times}});
      CHECK(k.results == std::vector<std::string>{"u"});
      CHECK(arrays_made(k) == 2);
    }
    // In a result of the kernel's own it does.
    const Kernel own = run_text(p + R"(iterate(k, \s. to_global(zip(s |> pad(1, 1, clamp) |> slide(3, 1),
        u |> drop(1, 1)) |> map(\p. p.0[0] - p.0[2] + p.1)), xs))",
                                {{"k", times}});
    CHECK(arrays_made(own) == 1);
  }
}

TEST_CASE("steps in place of a computed array, read afterwards") {
  const Kernel k = run_text(R"(
param u : 12.f64
result = to_global(u |> map(\x. x + 1)) |>
  iterate(3, \s. update_in_place(s, 1, s |> map(\x. x * 2) |> drop(1, 1))) |> slide(3, 1) |>
  map(\w. w[0] + w[2]))");
  CHECK(arrays_made(k) == 1);
}

TEST_CASE("steps of a group's items are written out, and the items wait between them") {
  const auto steps = [](int times) {
    return run_text(R"(
param xs : 3.40.f64
result = xs |> map_wrg<0>(\r. iterate()" +
                    std::to_string(times) + R"(,
    \s. update_in_place(s, 1, s |> slide(3, 1) |> map(\w. w[1]) |> map_lcl<0>(\x. x * 2 + 1)),
    to_global(r |> map_lcl<0>(\x. x + 1)))))");
  };
  const Kernel two = steps(2), five = steps(5);
  int loops[2] = {0, 0};
  for (const auto& [k, i] : {std::pair(two, 0), {five, 1}})
    visit(k.body, [&](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      loops[i] += f && f->kind == LoopKind::Lcl;
      if (f) CHECK(f->kind != LoopKind::Seq);  // no loop over steps
    });
  CHECK(loops[1] == loops[0] + 3);
  CHECK(barriers(five) >= barriers(two));
}

TEST_CASE("stages of steps below loops that threads share have arrays of their own in each copy") {
  for (const char* times : {"2", "3", "6", "k"}) {
    CAPTURE(times);
    run_text(R"(
param xs : 6.12.f64
index k in 0 .. 9 = 3
result = xs |> map_par(\r. iterate()" +
                 std::string(times) + R"(, \s.
    let y = s |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2]) in
    y |> pad(1, 1, clamp) |> slide(3, 1) |> map_seq(\w. w[0] - w[2]), r)))",
             {{"k", 5}});
    // Threads share what a stage of a step computes.
    run_text(R"(
param xs : 6.12.f64
index k in 0 .. 9 = 3
result = iterate()" +
                 std::string(times) + R"(, \s. s |> map_par(\r.
    let y = r |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2]) in
    y |> pad(1, 1, clamp) |> slide(3, 1) |> map_seq(\w. w[0] - w[2])), xs))",
             {{"k", 5}});
  }
}

TEST_CASE("an iteration in the base of an update is computed once, where the result goes") {
  run_text(R"(
param rows : 6.20.f64
param b : 4.20.f64
result = update(rows |>
  map(\r. iterate(7, \v. v |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] - w[2]), r)),
  1, b))");
}

}  // namespace lift::iterate_edges_test
