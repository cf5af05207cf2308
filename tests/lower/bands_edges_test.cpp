// Bands at their edges: what no steps or tiles can be made of is refused, and what can computes what the
// interpreter does: work-items, copies of planes, stages of other spacings, loops around.
#include <doctest/doctest.h>

#include "tests/lower/run_text.hpp"
#include "tests/parallel_loops.hpp"

namespace lift::bands_edges_test {
namespace {

using test::parallel_loops;
using test::refusal_of;
using test::run_text;

struct Case {
  std::string chain, band, why;
};
const std::string kParameters =
    "param u : 20.6.f64\nparam v : 200.f64\nparam ys : 50.f64\noverwrite u, v\nindex k in 1 .. 4 = 2\n";
std::string banded(const std::string& chain, const std::string& band) {
  return kParameters + "result = (" + chain + ") |> " + band;
}
const std::string kTwice = R"(map2(\x. x * 2))", kMore = R"(a |> map2(\x. x + 1))";
const char* const kNotPlain =
    "band: along axis 0 the stages' loops must be plain: no vectors, strides or rotation";
const char* const kItems =
    "band: work-items are told apart by the loops along axis 0, which steps follow one another along; give "
    "them a loop of another axis";

}  // namespace

TEST_CASE("bands: stages that steps cannot take apart are refused") {
  const std::vector<Case> cases{
      {"let a = to_global(u |> map_seq<strided 2>(\\r. r |> map(\\x. x * 2))) in " + kMore,
       "band<skewed>(0, 1, (0, 0))", kNotPlain},
      {"let a = to_global(u |> map_seq<rotate>(\\r. r |> map(\\x. x * 2))) in " + kMore,
       "band<skewed>(0, 1, (0, 0))", kNotPlain},
      {R"(let a = ring(20, u |> map2(\x. x * 2)) in a |> map_glb<0>(\r. r |> map(\x. x + 1)))",
       "band<skewed>(0, 1, (0, 0))", kItems},
      {R"(let a = ring(20, u |> map_lcl<0>(\r. r |> map(\x. x * 2))) in
          a |> map_lcl<0>(\r. r |> map(\x. x + 1)))",
       "band<skewed>(0, 1, (0, 0)) |> band<overlapped>(1, 2, (0, 0))", kItems},
      // A sum stands beside the loop along the axis.
      {R"(let a = to_global(u |> map(\r. r |> pad(1, 1, constant (reduce(add, 0, ys))) |> slide(3, 1) |>
          map(\w. w[0] + w[2]))) in )" +
           kMore,
       "band<skewed>(1, 1, (0, 0))", "band: a stage is no nest of loops, one an axis, down to axis 1"},
      {"let a = to_global(u |> " + kTwice + ") in let b = to_global(" + kMore + ") in {a, b, a}",
       "band<skewed>(0, 1, (0, 0))", "band: a stage is two results; leave one out"},
      {R"(let a = to_private(u |> map2(\x. x * 2)) in )" + kMore, "band<skewed>(0, 1, (0, 0))",
       "band: a stage is not stored: update in place, to_global, or ring"},
      // What is overwritten is an array of the steps' own.
      {R"(let a = update_in_place(iterate(1, \x. x |> pad(1, 0, constant 0) |> drop(0, 1), v), 1,
          v |> drop(1, 0) |> map(\x. x * 2)) in a |> map(\x. x + 1))",
       "band<skewed>(0, 1, (0, 0))",
       "update_in_place: the result does not lie where its base lies; the base must be an argument, the "
       "result the whole of it"},
      // The planes that are copied begin where it is known when the kernel runs.
      {R"(let a = ring(20, update(u, k, u |> drop(k, k) |> map2(\x. x * 2))) in
          update(a, k, a |> drop(k, k) |> map2(\x. x + 1)))",
       "band<skewed>(0, 1, (0, 0))",
       "band: a stage copies planes of its base, and where its block begins is no number"},
      {R"(let a = ring(20, u |> map2(\x. x * 2)) in let b = to_global(a |> map2(\x. x + 1)) in
          {b, reduce(add, 0, join(b))})",
       "band<overlapped>(0, 4, (0, 0))",
       "band<overlapped>: a result is a number that is computed from whole stages, after all tiles: let it "
       "be "
       "computed from an array that is a result"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.chain);
    CAPTURE(c.band);
    CHECK(refusal_of(banded(c.chain, c.band)) == c.why);
  }
}

TEST_CASE("bands: a stage whose base is overwritten is a result, too") {
  const Kernel k = run_text(banded(R"(let a = update_in_place(u, 1, u |> drop(1, 1) |> map2(\x. x * 2)) in
      {a, a |> map2(\x. x + 1)})",
                                   "band<skewed>(0, 1, (0, 0))"),
                            {{"k", 1}});
  CHECK(k.results[0] == "u");
}

TEST_CASE("bands: rows of a stage that are computed in two loops go in step, along planes alone") {
  // Beside them, planes of the base are copied: the items of a group of threads meet after each stage.
  const auto rows = [](const std::string& x) {
    return x + R"( |> map(\r. let t = to_private(r |> map(\x. x * 2)) in
        t |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] - w[2])))";
  };
  const auto teams = [](const Kernel& k) {
    int n = 0;
    visit(k.body, [&](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      n += f && f->team;
    });
    return n;
  };
  const std::string next =
      R"(update(a, 1, a |> slide(3, 1) |> map(\w. zip(w[0], w[2]) |> map(\p. p.0 + p.1))))";
  const std::string inner = "let a = ring(20, update(u, 1, " + rows("u |> drop(1, 1)") + ")) in " + next;
  for (const char* band : {"band<skewed>(0, 1, (0, 1))", "band<skewed>(0, 3, (0, 1))"}) {
    CAPTURE(band);
    run_text(banded("let a = ring(20, " + rows("u") + ") in " + kMore, "band<skewed>(0, 1, (0, 0))"),
             {{"k", 1}});
    run_text(banded(inner, band), {{"k", 1}});
  }
  // Planes before the block and after it are other planes than those of the block.
  CHECK(teams(run_text(banded(inner, "band<skewed, team>(0, 1, (0, 2))"), {{"k", 1}})) == 1);
  // Of a block within rows they are not known to be, where the rows are no single loop.
  const std::string block = R"(let a = ring(20, update2(u, 1, u |> drop2(1, 1) |> )";
  const std::string then = R"() in update2(a, 1, a |> slide2(3, 1) |> map2(\w. w[0, 0] + w[2, 2])))";
  CHECK(teams(run_text(banded(block + R"(map2(\x. x * 2)))" + then, "band<skewed, team>(0, 1, (0, 2))"),
                       {{"k", 1}})) == 1);
  CHECK(
      teams(run_text(
          banded(block + R"(map(\r. let t = to_private(r |> map(\x. x * 2)) in t |> map(\w. w + 1))))" + then,
                 "band<skewed, team>(0, 1, (0, 2))"),
          {{"k", 1}})) == 0);
}

TEST_CASE("bands: stages whose rows are computed by loops of every kind") {
  const auto stage = [](const std::string& x, const std::string& row) {
    return "(" + x + R"( |> slide(3, 1) |> map(\w. )" + row + "))";
  };
  const std::string last = R"(a |> slide(3, 1) |> map(\w. zip(w[0], w[2]) |> map(\p. p.0 + p.1)))",
                    first = R"(u |> map2(\x. x * 2))";
  for (const std::string row :
       {R"(let s = reduce_seq(add, 0, w[0]) in w[1] |> map(\x. x + s))",
        R"(iterate(3, \s. s |> pad(1, 1, clamp) |> slide(3, 1) |> map(\v. v[0] - v[2]), w[1]))",
        R"(to_private(w[0] |> map(\x. x * 2)) |> pad(1, 1, clamp) |> slide(3, 1) |> map(\v. v[0] - v[2]))",
        R"(concat(w[0] |> drop(0, 4) |> map(\x. x * 2), w[2] |> drop(4, 0)))",
        R"(w |> reduce_seq(\a r. zip(a, r) |> map(\p. p.0 + p.1), generate(8, \i. 0.0)))"})
    for (const auto& [chain, band] : std::vector<std::pair<std::string, std::string>>{
             {"let a = ring(5, " + stage("u", row) + ") in " + last, "band<skewed>(0, 1, (0, 2))"},
             {"let a = ring(8, " + stage("u", row) + ") in " + last, "band<skewed>(0, 3, (0, 2))"},
             {"let a = to_global(" + stage("u", row) + ") in " + last, "band<skewed, team>(0, 1, (0, 3))"},
             {"let a = ring(9, " + stage("u", row) + ") in " + last, "band<overlapped>(0, 4, (2, 0))"},
             {"let a = to_global(" + stage("u", row) + ") in " + last, "band<phases>(0, 6, (0, 2))"},
             {"let a = ring(9, " + first + ") in " + stage("a", row), "band<overlapped>(0, 4, (2, 0))"},
             {"let a = ring(11, update(u, 1, " + stage("u", row) + ")) in update(a, 1, " + last + ")",
              "band<overlapped>(0, 4, (2, 0))"}}) {
      CAPTURE(chain);
      CAPTURE(band);
      run_text("param u : 11.8.f64\nresult = (" + chain + ") |> " + band);
    }
}

TEST_CASE("bands: below loops that threads share, tiles are one thread's") {
  for (const auto& [stored, band] : {std::pair{"ring(20, ", "band<overlapped>(0, 4, (1, 0))"},
                                     {"to_global(", "band<phases>(0, 4, (0, 1))"}}) {
    CAPTURE(band);
    const auto kernel = [&](const std::string& map) {
      return run_text("param us : 3.20.f64\nresult = us |> " + map + R"((\u. (let a = )" + stored +
                      R"(u |> map(\x. x * 2)) in a |> pad(1, 1, clamp) |> slide(3, 1) |>
                      map(\w. w[0] + w[2])) |> )" +
                      band + ")");
    };
    CHECK(parallel_loops(kernel("map_par")) == 1);
    CHECK(parallel_loops(kernel("map_seq")) == (std::string(stored) == "ring(20, " ? 1 : 2));
  }
}

TEST_CASE("bands: numbers that a ring of rows is computed with are there before all steps") {
  for (const char* number : {"to_private(ys[0] * ys[1])", R"(ys |> take(12) |> reduce(add, 0))"}) {
    CAPTURE(number);
    run_text(banded(R"(let a = ring(2, u |> pad2(1, 1, constant ()" + std::string(number) +
                        R"()) |> slide2(3, 1) |> map2(\w. w[0, 1] * 2 + w[2, 1])) in )" + kMore,
                    "band<skewed>(0, 1, (0, 0)) |> band<skewed>(1, 2, (0, 0))"),
             {{"k", 1}});
  }
}

TEST_CASE("bands: work-groups take tiles of stages of other spacings, copied row by row") {
  const std::string p = "param u, v : 20.16.f64\nresult = ";
  const std::string around = R"( |> pad2(1, 1, clamp) |> slide2(3, 1) |>
      map_lcl2<0>(\w. w[0, 1] + w[2, 1] + w[1, 0]))";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"let a = ring(20, async(u |> map_lcl2<0>(\\x. x))) in a" + around, "band<overlapped>(1, 4, (1, 0))"},
      // The copy of a block that begins elsewhere, of every second cell, of an array for each component.
      {R"(let a = ring(20, async(update2(u, (0, 2),
          u |> drop2((0, 2), (0, 2)) |> map_lcl2<0>(\x. x)))) in a)" +
           around,
       "band<overlapped>(1, 4, (1, 0))"},
      {R"(let a = ring(20, u |> map_lcl2<0>(\x. x)) in
          let b = ring(10, async(a |> slide2(2, 2) |> map_lcl2<0>(\w. w[0, 1]))) in b)" +
           around,
       "band<overlapped>(1, 4, (3, 2, 0))"},
      {R"(let a = ring(20, async(zip2(u, v) |> map_lcl2<0>(\x. {x.0, x.1}))) in
          a |> map_lcl2<0>(\x. x.0 + x.1))",
       "band<overlapped>(1, 4, (0, 0))"},
  };
  for (const auto& [chain, band] : cases) {
    CAPTURE(chain);
    CAPTURE(band);
    run_text(p + "(" + chain + ") |> " + band);
  }
  // Along the only axis, where neighbouring items have neighbouring cells.
  run_text(R"(
param u : 32.f64
result = (let a = ring(14, u |> map_lcl<0>(\x. x * 2)) in
  let b = ring(6, a |> slide(2, 2) |> map_lcl<0>(\w. w[0] + w[1])) in
  b |> pad(1, 1, clamp) |> slide(3, 1) |> map_lcl<0>(\w. w[0] + w[2])) |>
  band<overlapped>(0, 8, (3, 2, 0)))");
}

TEST_CASE("bands: two cells of a row an iteration are copied into a ring") {
  for (const char* made : {R"(async(join2(u |> split2(2) |> map2(\t. t |> map2(\x. x)))))",
                           R"(join2(u |> split2(2) |> map2(\t. t |> map2(\x. x * 2))))"}) {
    CAPTURE(made);
    run_text(
        banded("let a = ring(20, " + std::string(made) + R"() in a |> pad2(1, 1, clamp) |> slide2(3, 1) |>
        map2(\w. w[0, 1] + w[2, 1] + w[1, 0]))",
               "band<skewed>(0, 2, (0, 1))"),
        {{"k", 1}});
  }
}

}  // namespace lift::bands_edges_test
