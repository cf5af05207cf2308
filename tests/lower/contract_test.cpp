// Arrays of the kernel's own that an iteration of a shared loop has to itself: they become rows, or values.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;
using lift::test::run;

namespace contract_test {
namespace {

std::vector<std::string> work_arrays(const Kernel& k) {
  std::vector<std::string> all;
  for (const KernelArgument& a : k.arguments)
    if (a.work) all.push_back(a.name);
  return all;
}
/// Elements of each array that iterations have to themselves.
std::vector<std::int64_t> own_arrays(const Kernel& k) {
  std::vector<std::int64_t> all;
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (a) all.push_back(*Layout({}, a->type).size().constant());
  });
  return all;
}

/// Two stages over rows; the second, joined in this way, reads this of the first, which is `a`.
Program two(int how, const std::string& read, const std::string& result = "") {
  return parse_program("param x : 6.8.f64\nresult " + std::string(result.empty() ? "b" : "a, b") +
                       " =\nlet a = x |> map_par(\\r. r |> map_seq(\\v. 2 * v)) |> to_global in\n" +
                       (result.empty() ? "" : "{a, ") + read + " |> map_par<joined " + std::to_string(how) +
                       ">(\\r. r |> map_seq(\\v. v + 1))" + (result.empty() ? "" : "}") + "\n");
}

const std::int64_t kRows = 4, kColumns = 5;
/// for t: for j in parallel: statements over w, which is the kernel's own, a and out.
Kernel over_time(const std::function<Block(const Nat& t, const Nat& j)>& body) {
  const Type rows = array({kRows, kColumns}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", rows, Layout({}, rows), false, true, {}},
                 {"out", rows, Layout({}, rows), true, false, {}},
                 {"w", rows, Layout({}, rows), true, true, {}, true}};
  For time, row;
  time.var = Nat::fresh("t", 0, 2), time.upper = 3;
  row.var = Nat::fresh("j", 0, kRows - 1), row.upper = kRows, row.kind = LoopKind::Par;
  row.body = body(time.var, row.var);
  time.body = {{row}};
  k.body = {{time}};
  return k;
}
Stmt along(const std::function<Stmt(const Nat& i)>& body, std::int64_t from = 0) {
  For f;
  f.var = Nat::fresh("i", from, kColumns - 1), f.lower = from, f.upper = kColumns;
  f.body = {body(f.var)};
  return {f};
}
Stmt store(const char* to, const Nat& j, const Nat& i, const char* from, const Nat& x) {
  return {Store{to, {j, i}, load_term(from, {j, x}, f64), false}};
}
std::vector<double> out_of(Kernel k) {
  test::LoopRunner loops;
  linearise(k);
  for (const KernelArgument& a : k.arguments)
    for (std::int64_t i = 0; i < kRows * kColumns; ++i)
      loops.arrays[a.name].push_back(a.name == "a" ? static_cast<double>(i) : -1);
  loops.run(k);
  return loops.arrays.at("out");
}

}  // namespace

TEST_CASE("contract-arrays: between stages that share a loop over rows, a row is kept") {
  const Kernel rows = run(two(1, "a |> map(\\r. r |> reverse)"));
  CHECK(work_arrays(rows).empty());
  CHECK(own_arrays(rows) == std::vector<std::int64_t>{8});
}

TEST_CASE("contract-arrays: between stages that share a loop over elements, a value is kept") {
  const Kernel values = run(two(2, "a"));
  CHECK(work_arrays(values).empty());
  CHECK(own_arrays(values).empty());
}

TEST_CASE("contract-arrays: what other iterations read, or the caller, is an array") {
  CHECK(own_arrays(run(two(2, "a |> reverse"))) == std::vector<std::int64_t>{48});
  const Kernel result = run(two(2, "a", "a"));
  CHECK(work_arrays(result).empty());
  CHECK(own_arrays(result).empty());
  CHECK(result.results.size() == 2);
}

TEST_CASE("contract-arrays: an element that is stored twice is no value") {
  Kernel k = over_time([&](const Nat&, const Nat& j) {
    For f = std::get<For>(along([&](const Nat& i) { return store("w", j, i, "a", i); }).v);
    f.body.push_back({If{{compare_term(equal(mod(f.var, 2), 0))},
                         {{Store{"w", {j, f.var}, constant_term(7, f64), false}}}}});
    f.body.push_back(store("out", j, f.var, "w", f.var));
    return Block{{f}};
  });
  const std::vector<double> before = out_of(k);
  contract_arrays(k);
  CHECK(out_of(k) == before);
  CHECK(test::count<Let>(k.body) == 0);
}

TEST_CASE("contract-arrays: an iteration in time finds what the one before has stored") {
  const auto contracted = [](Kernel k) {
    const std::vector<double> before = out_of(k);
    contract_arrays(k);
    INFO(str(k));
    CHECK(out_of(k) == before);
    return work_arrays(k).empty();
  };
  const auto row_of = [](const Nat& i) { return Nat(kColumns - 1) - i; };
  // Stored, then read in the other order.
  CHECK(contracted(over_time([&](const Nat&, const Nat& j) {
    return Block{along([&](const Nat& i) { return store("w", j, i, "a", i); }),
                 along([&](const Nat& i) { return store("out", j, i, "w", row_of(i)); })};
  })));
  // Read first: what the time before has stored.
  CHECK_FALSE(contracted(over_time([&](const Nat&, const Nat& j) {
    return Block{along([&](const Nat& i) { return store("out", j, i, "w", row_of(i)); }),
                 along([&](const Nat& i) { return store("w", j, i, "a", i); })};
  })));
  // One element is left as it was.
  CHECK_FALSE(contracted(over_time([&](const Nat&, const Nat& j) {
    return Block{along([&](const Nat& i) { return store("w", j, i, "a", i); }, 1),
                 along([&](const Nat& i) { return store("out", j, i, "w", row_of(i)); })};
  })));
  const auto whole = [&](const Nat&, const Nat& j) {
    return along([&](const Nat& i) { return store("out", j, i, "w", row_of(i)); });
  };
  // The last one is left, every second one is, and each is made of what was there.
  CHECK_FALSE(contracted(over_time([&](const Nat& t, const Nat& j) {
    Stmt some = along([&](const Nat& i) { return store("w", j, i, "a", i); });
    std::get<For>(some.v).upper = kColumns - 1;
    return Block{some, whole(t, j)};
  })));
  for (const bool by_stride : {true, false})
    CHECK_FALSE(contracted(over_time([&](const Nat& t, const Nat& j) {
      Stmt some = along([&](const Nat& i) { return store("w", j, i, "a", i); });
      if (For& f = std::get<For>(some.v); by_stride)
        f.stride = 2;
      else
        f.step = 2;
      return Block{some, whole(t, j)};
    })));
  CHECK_FALSE(contracted(over_time([&](const Nat& t, const Nat& j) {
    return Block{along([&](const Nat& i) {
                   const Term sum =
                       apply_term(Op::Add, f64, {load_term("w", {j, i}, f64), load_term("a", {j, i}, f64)});
                   return Stmt{Store{"w", {j, i}, sum, false}};
                 }),
                 whole(t, j)};
  })));
  // Of one element, read before it is stored.
  CHECK_FALSE(contracted(over_time([&](const Nat&, const Nat& j) {
    For f = std::get<For>(along([&](const Nat& i) { return store("out", j, i, "w", i); }).v);
    f.body.push_back(store("w", j, f.var, "a", f.var));
    return Block{{f}};
  })));
  // A row of its own for each time, of which the next time reads the one before.
  CHECK_FALSE(contracted(over_time([&](const Nat& t, const Nat& j) {
    return Block{{Store{"w", {t + 1, j}, load_term("a", {j, t}, f64), false}},
                 {Store{"out", {j, t}, load_term("w", {t, j}, f64), false}}};
  })));
  // Stored only at the first time.
  CHECK_FALSE(contracted(over_time([&](const Nat& t, const Nat& j) {
    return Block{
        {If{{compare_term(equal(t, 0))}, {along([&](const Nat& i) { return store("w", j, i, "a", i); })}}},
        along([&](const Nat& i) { return store("out", j, i, "w", row_of(i)); })};
  })));
}

TEST_CASE("join-loops: copies of borders are part of the loop over the rows that they surround") {
  const Kernel k =
      run(parse_program("param x, f : 9.8.f64\nresult y : 9.8.f64 =\n"
                        "update2(x, 1, f |> drop2(1, 1) |> map_par(\\r. r |> map_seq(\\v. 2 * v)))\n"));
  int shared = 0;
  for (const Stmt& s : k.body) shared += std::holds_alternative<For>(s.v);
  CHECK(shared == 3);  // the first row, the last, and all others
}

TEST_CASE("split-residues: what is interleaved is made by a loop that asks nothing") {
  for (const int n : {1, 2, 3, 8, 9, 16, 17, 40})
    for (const char* inner : {"map_seq", "map_vec<4>"}) {
      if (n < 8 && inner != std::string("map_seq")) continue;
      CAPTURE(n);
      CAPTURE(inner);
      const std::string size = std::to_string(n);
      const Kernel k = run(parse_program(
          "param x : " + size +
          ".f64\nresult y =\n"
          "let here = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + 6 * w[1] + w[2]) in\n"
          "let between = x |> pad(0, 1, clamp) |> slide(2, 1) |> map(\\w. w[0] + w[1]) in\n"
          "interleave(here, between) |> " +
          std::string(inner) + "(\\v. 2 * v)\n"));
      bool asks = false;
      visit_terms(k.body, [&](const Term& t) { asks = asks || t->op == Op::Select; });
      if (n > 8) CHECK_FALSE_MESSAGE(asks, str(k));
    }
}

TEST_CASE("split-residues: loops from anywhere, and those that leave out elements") {
  const std::int64_t n = 23;
  const Type t = array({Nat(n)}, f64);
  const Nat first = Nat::fresh("first", 0, 3);
  for (const auto& [lower, step, stride] : std::vector<std::tuple<Nat, int, int>>{
           {Nat(0), 1, 1}, {Nat(5), 1, 1}, {first, 1, 1}, {Nat(1), 2, 1}, {Nat(0), 1, 2}, {Nat(22), 1, 1}}) {
    Kernel k;
    k.name = "k", k.results = {"out"};
    k.arguments = {{"a", t, Layout({}, t), false, true, {}}, {"out", t, Layout({}, t), true, true, {}}};
    For f;
    f.var = Nat::fresh("i", 0, n - 1), f.lower = lower, f.upper = n, f.step = step, f.stride = stride;
    const Term odd = compare_term(equal(mod(f.var, 3), 1));
    f.body = {{Store{"out",
                     {f.var},
                     apply_term(Op::Select, f64, {odd, load_term("a", {f.var}, f64), constant_term(-5, f64)}),
                     false}}};
    k.body = {{f}};
    const auto out = [&](std::int64_t at) {
      test::LoopRunner loops;
      for (std::int64_t i = 0; i < n; ++i) loops.arrays["a"].push_back(static_cast<double>(i));
      loops.arrays["out"].assign(n, 99), loops.index["first"] = at;
      loops.run(k);
      return loops.arrays.at("out");
    };
    for (const std::int64_t at : {0, 1, 2, 3}) {
      k.body = {{f}};
      const std::vector<double> before = out(at);
      k.body = split_residues(k.body);
      INFO(str(k));
      CHECK(out(at) == before);
    }
  }
}

TEST_CASE("scans of rows that are not stored keep two of them") {
  for (const char* scan : {"scan", "scan_back"}) {
    const Kernel k = run(parse_program("param x : 7.9.f64\nparam z : 9.f64\nresult y : 9.f64 =\nx |> " +
                                       std::string(scan) +
                                       "(\\before row. zip(before |> pad(1, 1, clamp) |> slide(3, 1), row) "
                                       "|> map_seq(\\(w, r). r + w[0] - w[2]), z)\n"
                                       "|> drop(" +
                                       (scan == std::string("scan") ? "6, 0" : "0, 6") + ") |> join\n"));
    CHECK(own_arrays(k) == std::vector<std::int64_t>{2 * 9});
  }
}

TEST_CASE(
    "split-boundaries: pieces of a loop that threads share are shared; those that ask where to load are no "
    "vectors") {
  const auto pieces = [](LoopKind kind) {
    const Nat tile = Nat::fresh("t", 0, 3);
    For outer, f;
    outer.var = tile, outer.upper = 4;
    f.var = Nat::fresh("i", 0, 7), f.upper = 8, f.kind = kind;
    if (kind == LoopKind::Vec) f.width = 2;
    if (kind == LoopKind::Par) f.dynamic = 1;
    f.body = {{Store{"out", {8 * tile + f.var}, load_term("a", {max(Nat(1), 8 * tile + f.var) - 1}, f64)}}};
    outer.body = {{f}};
    std::vector<For> all;
    visit(split_boundaries({{outer}}), [&](const Stmt& s) {
      if (const auto* x = std::get_if<For>(&s.v); x && !has_loop(x->body)) all.push_back(*x);
    });
    return all;
  };
  const std::vector<For> shared = pieces(LoopKind::Par), vectors = pieces(LoopKind::Vec);
  REQUIRE(shared.size() >= 2);
  for (const For& f : shared) CHECK(f.kind == LoopKind::Par);
  REQUIRE(vectors.size() >= 2);
  CHECK(vectors.front().kind == LoopKind::Seq);
  CHECK(vectors.back().kind == LoopKind::Vec);
}

}  // namespace contract_test
