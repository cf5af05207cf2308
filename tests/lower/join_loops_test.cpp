// Loops that are joined: which become one, and that what they compute stays the same, also by threads.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/parallel_loops.hpp"

using namespace lift;
using lift::test::run;

namespace join_loops_test {
namespace {

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
  CHECK(test::parallel_loops(rows) == 1);
  CHECK(innermost(rows) == 2);
  CHECK(test::parallel_loops(elements) == 1);
  CHECK(innermost(elements) == 1);
  // Of the narrower vectors of two.
  const Kernel vectors = run(parse_program(
      "param x : 6.8.f64\nresult a, b =\nlet a = x |> map_par(\\r. r |> map_vec<8>(\\v. 2 * v)) in\n"
      "{a, a |> map_par<joined 2>(\\r. r |> map_vec<4>(\\v. v + 1))}\n"));
  CHECK(innermost(vectors) == 1);
  const Kernel independent = run(two(2, "x"));
  CHECK(innermost(independent) == 1);
}

TEST_CASE("join-loops: what another iteration makes is waited for") {
  for (const char* read : {"a |> reverse", "a |> pad2((1, 0), 0, clamp) |> drop2(0, (1, 0))",
                           "a |> pad2((1, 0), 0, wrap) |> drop2(0, (1, 0))"}) {
    CAPTURE(read);
    CHECK(test::parallel_loops(run(two(2, read))) == 2);
  }
  // In the same row, but at other elements of it: rows after rows.
  const Kernel beside = run(two(2, "a |> map(\\r. r |> reverse)"));
  CHECK(test::parallel_loops(beside) == 1);
  CHECK(innermost(beside) == 2);
}

TEST_CASE("join-loops: loops of other lengths stay apart, and so does what needs a number between them") {
  const Program shorter = parse_program(
      "param x : 6.8.f64\nresult a, b =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "{a, x |> drop2((1, 0), 0) |> map_par<joined 2>(\\r. r |> map_seq(\\v. v + 1))}\n");
  CHECK(test::parallel_loops(run(shorter)) == 2);
  const Program number = parse_program(
      "param x : 6.8.f64\nresult a, b =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "let s = a |> join |> reduce_seq(add, 0) in\n"
      "{a, x |> map_par<joined 2>(\\r. r |> map_seq(\\v. v + s))}\n");
  CHECK(test::parallel_loops(run(number)) == 2);
  // A number that the second loop does not ask for does not keep it apart.
  const Program beside = parse_program(
      "param x : 6.8.f64\nresult a, s, b =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) in\n"
      "let s = a |> join |> reduce_seq(add, 0) in\n"
      "{a, s, x |> map_par<joined 2>(\\r. r |> map_seq(\\v. v + 1))}\n");
  CHECK(test::parallel_loops(run(beside)) == 1);
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
  CHECK(test::parallel_loops(run(text("x"))) == 1);
  CHECK(test::parallel_loops(run(text("x |> reverse"))) == 2);
}

namespace {

/// Stages over rows, and sums over the rows of two parts of `x`; which comes first, and how many rows there
/// are.
Program rows_and_parts(bool rows_first, int n, const std::string& rows, const std::string& x,
                       const std::string& start = "generate(8, \\i. 0.0)") {
  const std::string joined = "map_par<joined 2>",
                    row =
                        rows + " |> " + (rows_first ? "map_par" : joined) + "(\\r. r |> map_seq(\\v. 2 * v))",
                    part = x + " |> drop2(0, (" + std::to_string(n % 4) + ", 0)) |> split(" +
                           std::to_string(n / 4 * 2) + ") |> " + (rows_first ? joined : "map_par") +
                           "(\\p. p |> split(2) |> reduce_seq(\\acc two. zip(acc, two[0], two[1]) |>\n"
                           "map_seq(\\(acc, u, v). acc + u + v), " +
                           start + "))";
  return parse_program(
      "param x : " + std::to_string(n) + ".8.f64\nresult a, b =\n" +
      (rows_first ? "let a = " + row + " in let b = " + part : "let b = " + part + " in let a = " + row) +
      " in {a, b}\n");
}

}  // namespace

TEST_CASE("join-loops: rows go where parts of them are summed") {
  for (const bool first : {true, false}) {
    CAPTURE(first);
    CHECK(test::parallel_loops(run(rows_and_parts(first, 8, "x", "x"))) == 1);
    CHECK(test::parallel_loops(run(rows_and_parts(first, 11, "x", "x"))) == 2);  // rows that no part has
    CHECK(test::parallel_loops(run(rows_and_parts(first, 8, "x |> reverse", "x"))) == 2);
  }
  // What all rows of a part make, a row waits for.
  const std::string row = "x |> map(\\r. zip(r, b[0]) |> map(\\(u, v). u + v))";
  CHECK(test::parallel_loops(run(rows_and_parts(false, 8, row, "x"))) == 2);
  CHECK(test::parallel_loops(run(rows_and_parts(true, 8, "x", "a"))) == 1);  // of what the rows have made
  CHECK(test::parallel_loops(run(rows_and_parts(true, 11, "x", "a"))) == 2);
  CHECK(test::parallel_loops(run(rows_and_parts(true, 8, "x", "a", "p[0]"))) == 2);  // begins with a row
  // A row beside that of another iteration, of another part.
  const std::string sums =
      " |> map(\\(u, v). zip(u, v) |> map(\\(u, v). zip(u, v) |> map(\\(u, v). u + v))) |> join";
  for (const char* other : {"a |> reverse |> split(4)", "a |> drop(0, 1) |> slide(4, 3)"})
    CHECK(test::parallel_loops(run(
              rows_and_parts(true, 8, "x", "zip(x |> split(4), " + std::string(other) + ")" + sums))) == 2);
}

namespace {

int loads_of(const Kernel& k, const std::string& array) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) { n += !a.store && a.array == array; });
  });
  return n;
}
int streams(const Kernel& k) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    n += x && x->stream;
  });
  return n;
}

/// Rows of n elements past the cache, and four sums side by side of each.
Kernel with_sums(int how, int n, const std::string& made = "2 * v", const std::string& read = "r") {
  const std::string rows = std::to_string(n / 4 * 4);
  return run(parse_program("param x : 6." + std::to_string(n) + ".f64\nresult a, s =\nlet a = stream(x |> " +
                           "map_par(\\r. r |> map_vec<4>(\\v. " + made + "))) in\n{a, a |> map_par<joined " +
                           std::to_string(how) + ">(\\r. " + read + " |> drop(0, " + std::to_string(n % 4) +
                           ") |> split(4) |> reduce_seq(\\acc v. zip(acc, v) |>\n" +
                           "map_vec<4>(\\(acc, v). acc + v), generate(4, \\i. 0.0)))}\n"));
}

}  // namespace

TEST_CASE("join-loops: elements go where a sum takes up several at a time, and are at hand there") {
  const Kernel rows = with_sums(1, 8), elements = with_sums(2, 8), left = with_sums(2, 11);
  CHECK(test::parallel_loops(rows) == 1);
  CHECK(loads_of(rows, "a") > 0);
  CHECK(streams(rows) == 0);  // it is read soon
  CHECK(test::parallel_loops(elements) == 1);
  CHECK(loads_of(elements, "a") == 0);
  CHECK(streams(elements) > 0);
  CHECK(test::parallel_loops(left) == 1);
  CHECK(loads_of(left, "a") == 0);
  CHECK(loads_of(with_sums(2, 8, "2 * v", "r |> reverse"), "a") > 0);
}

TEST_CASE("join-loops: a few rows go side by side where they are summed together") {
  const auto of = [](int how, const std::string& rows) {
    return run(parse_program("param x : 8.8.f64\nresult a, b =\nlet a = x |> map_par(\\r. r |> " + rows +
                             "(\\v. 2 * v)) in\nlet b = a |> split(4) |> map_par<joined " +
                             std::to_string(how) +
                             ">(\\p. p |> split(2) |> reduce_seq(\\acc two. zip(acc, two[0], two[1]) |>\n" +
                             "map_vec<4>(\\(acc, u, v). acc + u + v), generate(8, \\i. 0.0))) in {a, b}\n"));
  };
  CHECK(loads_of(of(2, "map_vec<4>"), "a") == 0);
  CHECK(loads_of(of(1, "map_vec<4>"), "a") > 0);
  CHECK(loads_of(of(2, "map_seq"), "a") > 0);  // a row after the other
}

namespace {

constexpr std::int64_t kRows = 6, kColumns = 5;
using Range = std::pair<std::int64_t, std::int64_t>;

/// for j in a range, one after the other or in parallel: to[j + to_row, to_column] = from[j + from_row, i]
/// for each i of some.
For rows(LoopKind kind, Range of, const char* to, std::int64_t to_row, const char* from,
         std::int64_t from_row, Range some) {
  For j, i;
  j.var = Nat::fresh("j", of.first, of.second - 1), j.lower = of.first, j.upper = of.second, j.kind = kind;
  i.var = Nat::fresh("i", some.first, some.second - 1), i.lower = some.first, i.upper = some.second;
  i.body = {{Store{to, {j.var + to_row, i.var}, load_term(from, {j.var + from_row, i.var}, f64), false}}};
  j.body = {{i}};
  return j;
}
/// A copy before a loop that threads share: how many loops are left, and that they do what they did.
int left(const For& border, For next) {
  const Type t = array({kRows, kColumns}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "b", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  next.body.insert(next.body.begin(), next.body[0]);  // two loops within, which are not collapsed
  const auto all = [&] {
    test::LoopRunner loops;
    for (const KernelArgument& a : k.arguments)
      for (std::int64_t i = 0; i < kRows * kColumns; ++i)
        loops.arrays[a.name].push_back(static_cast<double>(i) + (a.name == "b"   ? 100
                                                                 : a.name == "a" ? 200
                                                                                 : 0));
    Kernel flat = k;
    linearise(flat);
    loops.run(flat);
    CHECK_MESSAGE(loops.races.empty(), str(k));
    return loops.arrays;
  };
  k.body = {{border}, {next}};
  const auto before = all();
  k.body = join_loops(k.body);
  INFO(str(k));
  CHECK(all() == before);
  return static_cast<int>(k.body.size());
}

}  // namespace

TEST_CASE("join-loops: copies are taken into the loop after them where nothing meets") {
  using enum LoopKind;
  const For shared = rows(Par, {1, 5}, "out", 0, "b", 0, {1, 4});
  CHECK(left(rows(Seq, {1, 5}, "out", 0, "a", 0, {0, 1}), shared) == 1);
  CHECK(left(rows(Par, {1, 5}, "out", 0, "a", 0, {0, 1}), shared) == 1);
  CHECK(left(rows(Seq, {0, 4}, "out", 1, "a", 1, {0, 1}), shared) ==
        1);                                                             // of the same rows, from elsewhere on
  CHECK(left(rows(Seq, {0, 4}, "b", 1, "a", 1, {1, 2}), shared) == 1);  // which the same row reads
  CHECK(left(rows(Seq, {0, 4}, "b", 0, "a", 0, {1, 2}), shared) == 2);  // which another row reads
  CHECK(left(rows(Seq, {1, 5}, "a", 0, "out", 1, {1, 2}), shared) == 2);  // before another row stores it
  CHECK(left(rows(Seq, {1, 5}, "a", 1, "a", 0, {0, 1}), shared) == 2);    // one row of the other
  CHECK(left(rows(Seq, {1, 6}, "out", 0, "a", 0, {0, 1}), shared) == 2);  // a row more
}

namespace {

Kernel over_arrays(Block body) {
  const Type t = array({kRows, kColumns}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "b", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.body = std::move(body);
  return k;
}
std::map<std::string, std::vector<double>> arrays_after(Kernel k) {
  test::LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    for (std::int64_t i = 0; i < kRows * kColumns; ++i)
      loops.arrays[a.name].push_back(static_cast<double>(i) + (a.name == "a" ? 200 : 0));
  linearise(k);
  loops.run(k);
  CHECK_MESSAGE(loops.races.empty(), str(k));
  return loops.arrays;
}
using Change = std::function<void(For&)>;

/// b = a and out = b, row by row, the second loop joined to the first, down to elements; the loops within are
/// changed. How many of these are left.
int elements_of(const Change& first, const Change& second) {
  For x = rows(LoopKind::Par, {0, kRows}, "b", 0, "a", 0, {0, kColumns}),
      y = rows(LoopKind::Par, {0, kRows}, "out", 0, "b", 0, {0, kColumns});
  first(std::get<For>(x.body[0].v)), second(std::get<For>(y.body[0].v));
  y.joined = 2;
  Kernel k = over_arrays({{x}, {y}});
  const auto before = arrays_after(k);
  k.body = join_loops(k.body);
  INFO(str(k));
  CHECK(test::parallel_loops(k) == 1);
  CHECK(arrays_after(k) == before);
  return innermost(k);
}

}  // namespace

TEST_CASE("join-loops: loops by other steps, or with a schedule, stay apart") {
  const Change none = [](For&) {}, by_two = [](For&f) { f.step = 2; };
  CHECK(elements_of(none, none) == 1);
  CHECK(elements_of(by_two, by_two) == 1);
  CHECK(elements_of(by_two, none) == 2);
  CHECK(elements_of(none, by_two) == 2);
  for (const Change& scheduled :
       std::vector<Change>{[](For& f) { f.rows = 2, f.columns = 4; }, [](For& f) { f.team = true; },
                           [](For& f) { f.doacross = true; }, [](For& f) { f.waits = true; }}) {
    CHECK(elements_of(scheduled, none) == 2);
    CHECK(elements_of(none, scheduled) == 2);
    CHECK(elements_of(scheduled, scheduled) == 2);
  }
}

TEST_CASE("join-loops: copies that go by other steps, or have a schedule, are not taken into the next loop") {
  using enum LoopKind;
  const auto changed = [](For f, const Change& change) {
    change(f);
    return f;
  };
  const For shared = rows(Par, {1, 5}, "out", 0, "b", 0, {1, 4}),
            border = rows(Seq, {1, 5}, "out", 0, "a", 0, {0, 1});
  const Change by_two = [](For& f) { f.step = 2; };
  CHECK(left(border, shared) == 1);
  CHECK(left(changed(border, by_two), shared) == 2);
  CHECK(left(border, changed(shared, by_two)) == 2);
  CHECK(left(changed(border, by_two), changed(shared, by_two)) == 1);
  for (const Change& change :
       std::vector<Change>{[](For& f) { f.stride = 2; }, [](For& f) { f.rotate = true; },
                           [](For& f) { f.rows = 2, f.columns = 1; }, [](For& f) { f.team = true; }})
    CHECK(left(changed(border, change), shared) == 2);
}

TEST_CASE("join-loops: a loop over some of its indices keeps their guard around all that it does") {
  const Nat j = Nat::fresh("j", 0, kRows - 1);
  const auto copy = [&](const char* to, const Nat& column, const char* from) {
    return Stmt{Store{to, {j, column}, load_term(from, {j, column}, f64), false}};
  };
  For shared;
  shared.var = j, shared.upper = kRows, shared.kind = LoopKind::Par, shared.stride = 2;
  shared.body = {{If{{compare_term(equal(mod(j, 2), 1))}, {copy("out", 2, "b"), copy("out", 3, "b")}}}};
  Kernel k = over_arrays({{rows(LoopKind::Seq, {0, kRows}, "out", 0, "a", 0, {0, 1})}, {shared}});
  const auto before = arrays_after(k);
  k.body = stride_loops(join_loops(k.body));  // work-items without such a guard are refused a stride
  INFO(str(k));
  CHECK(k.body.size() == 2);
  CHECK(arrays_after(k) == before);
}

}  // namespace join_loops_test
