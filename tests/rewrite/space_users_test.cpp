// Programs of several stages as users write them: what their first guesses make of them, and that all
// variants mean the same.
#include <doctest/doctest.h>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "rewrite/analysis/chain.hpp"
#include "tests/parallel_loops.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_users_test {
namespace {

/// Levels outermost: a coefficient from neighbouring levels, a scan and one back, what comes of it.
std::string column_model(int levels, int points) {
  return "param x : " + std::to_string(levels) + "." + std::to_string(points) +
         ".f64\n"
         "def solve(c) = c |> scan(\\a (k, x). 0.5 * a + k * x, 0.0) |> scan_back(\\a d. d + 0.25 * a, 0.0)\n"
         "result out =\n"
         "let k = x |> slide2((2, 1), 1) |> map2(\\w. w[1, 0] * w[0, 0]) in\n"
         "let y = zip2(k |> pad2((1, 0), 0, constant 0), x) |> transpose |> map(solve) |> transpose in\n"
         "zip2(y, x) |> map2(\\(y, x). y - x)\n";
}
/// Two levels of a pyramid: reduced twice, and what each has over the expanded one below it.
std::string pyramid(int coarsest) {
  const std::string n = std::to_string(coarsest), m = std::to_string(2 * coarsest - 1),
                    l = std::to_string(4 * coarsest - 3);
  return "param image : " + l + "." + l +
         ".f64\n"
         "def reduced_row(r) = r |> pad(1, 1, clamp) |> slide(3, 2) |> map(\\w. w[0] + 2 * w[1] + w[2])\n"
         "def reduced(x) = x |> map(reduced_row) |> transpose |> map(reduced_row) |> transpose\n"
         "def expanded_row(r) =\n"
         "  let between = r |> pad(0, 1, clamp) |> slide(2, 1) |> map(\\w. w[0] + w[1]) in\n"
         "  interleave(r |> map(\\x. 2 * x), between) |> drop(0, 1)\n"
         "def expanded(x) = x |> map(expanded_row) |> transpose |> map(expanded_row) |> transpose\n"
         "def less(x, y) = zip2(x, y) |> map2(\\(x, y). x - y)\n"
         "result fine, middle, coarse : {" +
         l + "." + l + ".f64, " + m + "." + m + ".f64, " + n + "." + n +
         ".f64} =\n"
         "let one = reduced(image) in let two = reduced(one) in\n"
         "{less(image, expanded(one)), less(one, expanded(two)), two}\n";
}
/// A coarse correction, bilinear, and two sweeps after it.
std::string way_up(int cells) {
  const std::string n = std::to_string(cells), fine = std::to_string(2 * cells + 1);
  return "param coarse : " + std::to_string(cells + 1) + "." + std::to_string(cells + 1) +
         ".f64\nparam u, f : " + fine + "." + fine +
         ".f64\n"
         "def doubled(r) =\n"
         "  let between = r |> slide(2, 1) |> map(\\w. 0.5 * (w[0] + w[1])) in\n"
         "  concat(interleave(r |> drop(0, 1), between), r |> drop(" +
         n +
         ", 0))\n"
         "def interpolated(e) = e |> map(doubled) |> transpose |> map(doubled) |> transpose\n"
         "def sweep(u) = update2(u, 1, zip2(u |> slide2(3, 1), f |> drop2(1, 1))\n"
         "  |> map2(\\(w, f). w[0, 1] + w[2, 1] - w[1, 0] - w[1, 2] - f))\n"
         "result smooth =\nlet c = zip2(u, interpolated(coarse)) |> map2(\\(u, e). u + e) in\n"
         "let once = sweep(c) in sweep(once)\n";
}
/// The cheapest way through a grid, row after row; what the last rows cost.
std::string cheapest(int rows, int columns, int last = 1) {
  return "param first : " + std::to_string(columns) + ".f64\nparam wall : " + std::to_string(rows) + "." +
         std::to_string(columns) +
         ".f64\nresult cost = wall |> scan(\\c r. zip(c |> pad(1, 1, clamp) |> slide(3, 1), r)\n"
         "  |> map(\\(w, x). x + min(w[1], min(w[0], w[2]))), first) |> drop(" +
         std::to_string(rows - last) + ", 0) |> join\n";
}
/// Lines solved by elimination, whose factors are the same for all of them.
std::string lines(int rows, int columns) {
  return "param x : " + std::to_string(rows) + "." + std::to_string(columns) +
         ".f64\nparam s : f64\n"
         "def line(r) =\n"
         "  let cd = r |> scan(\\(c, d) r. let by = 1 / (4 - s * c) in {s * by, (r + s * d) * by}, {0.0, "
         "0.0}) in\n"
         "  cd |> scan_back(\\x (c, d). d + c * x, 0.0)\n"
         "result y = x |> map(line)\n";
}

Program first_of(const Program& p) {
  const Space s(p, options());
  return replay(p, s.derive(s.seeds().front()));
}
Kernel lowered(const Program& p) { return lower(p, {.vector_bytes = 16, .target = Target::openmp}); }

int work_arrays(const Kernel& k) {
  return static_cast<int>(
      std::count_if(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; }));
}
bool takes(const Program& p, const std::string& rule) {
  const Space s(p, options());
  const Derivation d = s.derive(s.seeds().front());
  return std::any_of(d.begin(), d.end(), [&](const Step& step) { return step.rule == rule; });
}

}  // namespace

TEST_CASE("space: variants of users' programs mean the same") {
  for (const std::string& text :
       {column_model(7, 24), pyramid(5), way_up(5), cheapest(5, 23), cheapest(5, 23, 2), lines(9, 12)}) {
    CAPTURE(text);
    check_space(parse_program(text), options(), 6, 1);
  }
}

TEST_CASE("space: threads share loops around all stages, where these are enough, rather than each stage") {
  const auto levels = [](int n) {
    return parse_program("param u : " + std::to_string(n) +
                         ".130.150.f64\ndef w(x) = x |> slide2(3, 1)\nresult out = u |> map(\\u. let t = "
                         "w(u) |> map2(\\w. w[1, 1] * "
                         "w[0, 1]) in w(t) |> map2(\\t. t[0, 1] + t[2, 1] + t[1, 0] * t[1, 2]))\n");
  };
  const auto outermost = [](const Kernel& k) { return std::get<For>(k.body.back().v).kind; };
  const auto stored = [](const Program& p) {
    const Space s(p, options());
    Configuration c = s.as_written();
    return lowered(replay(p, s.derive(c)));
  };
  CHECK(outermost(stored(levels(48))) == LoopKind::Par);
  CHECK(outermost(stored(levels(6))) != LoopKind::Par);
}

TEST_CASE("space: loops as they are written are among the first guesses") {
  for (const std::string& text : {column_model(60, 512), pyramid(150), way_up(256), cheapest(20, 65536),
                                  cheapest(20, 65536, 2), lines(256, 512)}) {
    CAPTURE(text);
    const Program p = parse_program(text);
    const Space s(p, options());
    Configuration searched;
    const Configuration plain = s.as_written();
    for (const Parameter& x : s.parameters()) searched.set(*x.key, *plain.find(*x.key));
    const std::vector<Configuration> seeds = s.seeds();
    CHECK(std::find(seeds.begin(), seeds.end(), searched) != seeds.end());
    const Program q = replay(p, s.derive(plain));
    CHECK_FALSE(contains(q.body, [](const Expr& e) { return e.is(Op::Band) || e.is(Op::Ring); }));
    CHECK(test::parallel_loops(lowered(q)) >= 1);
  }
}

TEST_CASE("space: cells go in the tiles of columns, and keep nothing but the tile") {
  const Program p = parse_program(column_model(60, 4096));
  const Space s(p, options());
  REQUIRE(find(s, "follows") != nullptr);
  const Kernel k = lowered(first_of(p));
  CHECK(test::parallel_loops(k) == 1);
  CHECK(work_arrays(k) == 0);
  // Without columns there is nothing to follow.
  const Program cells = parse_program(
      "param x : 60.4096.f64\nresult a, b =\nlet a = x |> map2(\\v. 2 * v) in {a, a |> map2(\\v. v + 1)}\n");
  CHECK(find(Space(cells, options()), "follows") == nullptr);
}

TEST_CASE("space: grids of several levels go in step, no further apart than what they read") {
  const Program p = first_of(parse_program(pyramid(150)));
  std::int64_t most = -1;
  visit(p.body, [&](const Expr& e) {
    if (is_band(e, Band::skewed))
      for (const std::int64_t lag : band_of(e).shifts) most = std::max(most, lag);
  });
  CHECK(most >= 0);
  CHECK(most <= 12);
}

TEST_CASE("space: what is interpolated goes in step with the sweeps after it, in vectors") {
  const Program p = parse_program(way_up(1024));
  CHECK(takes(p, "in-step"));
  SpaceOptions callers = options(Target::openmp, 64);
  callers.only_layout = kCallersLayout;
  const Space s(p, callers);
  const Derivation first = s.derive(s.seeds().front());
  CHECK(std::any_of(first.begin(), first.end(), [](const Step& step) { return step.rule == "in-step"; }));
  CHECK_NOTHROW(lowered(replay(p, first)));
  const Kernel k = lowered(first_of(p));
  bool asks = false;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (!f || has_loop(f->body)) return;
    visit_terms(f->body, [&](const Term& t) {
      if (t->kind == TermKind::Compare) asks = asks || mentions(t->conds[0].a, f->var);
    });
  });
  CHECK_FALSE(asks);
  CHECK(work_arrays(k) == 0);
}

TEST_CASE("space: rows that are scanned are shared by threads, and two of them are kept") {
  const Program p = parse_program(cheapest(50, 65536, 2));
  const Space s(p, options());
  CHECK(find(s, "tile") != nullptr);
  const Kernel k = lowered(first_of(p));
  CHECK(test::parallel_loops(k) >= 1);
  REQUIRE(work_arrays(k) == 1);
  CHECK(*k.arguments.back().layout.size().constant() == 2 * 65536);
  CHECK(
      takes(parse_program(cheapest(50, 65536)), "in-tiles"));  // several rows at once of each tile of columns
}

TEST_CASE("space: factors that are the same for all lines are computed once") {
  const Program p = parse_program(lines(256, 512));
  CHECK(takes(p, "scan-fission"));
  CHECK(takes(p, "map-unroll"));  // four lines at once: none waits for its own last element
  // With a factor of its own for each line there are none.
  const Program own = parse_program(
      "param x : 256.512.f64\nparam s : 256.f64\nresult y = zip(x, s) |> map(\\(r, s). r\n"
      "  |> scan(\\(c, d) r. {s / (4 - s * c), (r + s * d) / (4 - s * c)}, {0.0, 0.0}) |> map(\\(c, d). c + "
      "d))\n");
  CHECK_FALSE(takes(own, "scan-fission"));
}

TEST_CASE("space: what stands beside a loop over time is shared where its steps go in tiles") {
  const Kernel k = lowered(first_of(parse_program(
      "param u, v : 900.1200.f64\ndef w(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1)\nresult out =\n"
      "let d = zip2(u, v) |> map2(\\(u, v). u * v) in\n"
      "let q = u |> iterate(12, \\p. zip2(w(p), d) |> map2(\\(w, d). w[0, 1] + w[2, 1] + w[1, 0] - d)) in\n"
      "zip2(q, v) |> map2(\\(q, v). q - v)\n")));
  int alone = 0;  // loops over rows that one thread goes through by itself
  for (const Stmt& s : k.body) {
    const auto* f = std::get_if<For>(&s.v);
    alone += f && f->kind == LoopKind::Seq && !holds(f->body, [](const Stmt& x) {
               const auto* inner = std::get_if<For>(&x.v);
               return inner && inner->kind == LoopKind::Par;
             });
  }
  CHECK_MESSAGE(alone == 0, str(k));
}

TEST_CASE("space: tiles of one loop are as many for each thread") {
  const Program p = parse_program("param x : 100000.f64\nresult y = x |> map(\\v. 2 * v)\n");
  std::int64_t tiles = 0;
  visit(first_of(p).body, [&](const Expr& e) {
    if (e.is(Op::MapPar)) tiles = *shape_of(e.type(), 1)[0].constant();
  });
  CHECK(tiles >= 16);
  CHECK(tiles % 2 == 0);
}

TEST_CASE(
    "space: gathers are computed in ordinary loops first, bytes in vectors, of small arrays and of large "
    "ones") {
  const auto widest = [](const std::string& type, const std::string& n, const std::string& cell) {
    const Program p =
        parse_program("param x : " + n + "." + n + "." + type + "\nresult y : " + n + "." + n + "." + type +
                      " = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. " + type + "(" + cell + "))\n");
    SpaceOptions options;
    options.threads = 2;
    const Space space(p, options);
    int width = 1;
    visit_terms(lower(space.derived(space.seeds().front()).program).body,
                [&](const Term& t) { width = std::max(width, t->width); });
    return width;
  };
  const std::string mean = "(w[0, 1] + w[1, 0] + w[2, 1]) / 3",
                    taken = "x |> gather2(w[0, 1], w[1, 0], wrap)";
  for (const char* n : {"64", "4096"}) {
    CHECK(widest("u8", n, mean) > 1);
    CHECK(widest("i32", n, mean) > 1);
    CHECK(widest("i32", n, taken) == 1);
  }
}

TEST_CASE("space: large results of chains bypass the cache first, small ones do not") {
  const auto fields = [](int n) {
    const std::string size = std::to_string(n);
    return parse_program("param u, v : " + size + "." + size +
                         ".f64\ndef w(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1)\nresult a, b =\n"
                         "let s = zip2(u, v) |> map2(\\(u, v). u * v) in\n"
                         "{w(s) |> map2(\\w. w[0, 1] + w[2, 1]), w(s) |> map2(\\w. w[1, 0] - w[1, 2])}\n");
  };
  CHECK(takes(fields(2000), "stream"));
  CHECK_FALSE(takes(fields(100), "stream"));
}

TEST_CASE(
    "space: a stage that is gathered from is stored: elements of it are not computed where they are read") {
  // Four elements of each stage, whether they lie side by side or anywhere.
  const auto stages = [](const std::string& next) {
    return parse_program(
        "param x : 100.f64\nparam at : 100.i32\ndef sum4(a, b, c, d) = a + b + c + d\n"
        "def next(x) = " +
        next +
        "\n"
        "result y = let a = next(x) in let b = next(a) in next(b)\n");
  };
  const Program near =
                    stages("x |> pad(1, 2, clamp) |> slide(4, 1) |> map(\\w. sum4(w[0], w[1], w[2], w[3]))"),
                anywhere = stages(
                    "at |> map(\\i. sum4(x |> gather(i, wrap), x |> gather(2 * i, wrap), x |> "
                    "gather(3 * i, wrap), x |> gather(5 * i, wrap)))");
  CHECK(stages_of(near.body).size() == 2);
  CHECK(stages_of(anywhere.body).empty());
  const Space s(anywhere, options());
  for (const Configuration& c : s.seeds()) {
    const std::string text = str(lower(replay(anywhere, s.derive(c)), {.vector_bytes = 16}));
    CHECK_MESSAGE(text.size() < 20000, text);
  }
  check_space(anywhere, options(), 4, 1);
}

}  // namespace space_users_test
