// Rows that a scan makes, several of which go along their columns together, are what they are one after the
// other, bit by bit, in whatever order the threads come to run that take them in turns; what cannot go
// together is refused by name.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/printable.hpp"
#include "lower/passes/passes.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/deriver.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/message.hpp"

namespace lift::rows_abreast_test {
namespace {

using test::run_loops;

Program by(const Program& p, const std::string& rule, const Arguments& a = {}, const Place& at = {}) {
  const auto r = apply(find_rule(rule), p, at, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}
/// All loops sequential, or over vectors where they may be.
Program sequential(Program p, int lanes = 1) {
  const auto undecided = [](const Expr& e) { return e.is(Op::Scan) || e.is(Op::ScanBack) || e.is(Op::Map); };
  for (Place at; find_place(p.body, undecided, at); at.clear()) {
    const Expr e = part_at(p.body, at);
    if (e.is(Op::Map) && lanes > 1)
      if (const auto r = apply(find_rule("map-vec"), p, at, {std::to_string(lanes)})) {
        p = *r;
        continue;
      }
    p = by(p, !e.is(Op::Map) ? "scan-seq" : op_rank(e) > 1 ? "map-nest" : "map-seq", {}, at);
  }
  return p;
}
Place rows_of(const Program& p) {
  Place at;
  REQUIRE(find_place(
      p.body, [](const Expr& e) { return is_scan(e.op()); }, at));
  return at;
}
Program abreast(const Program& p, int rows, int columns, int tile) {
  const Program q = by(p, "rows-abreast", {std::to_string(rows), std::to_string(columns)}, rows_of(p));
  return tile > 0 ? by(q, "rows-in-turns", {std::to_string(tile)}, rows_of(p)) : q;
}
std::string refusal(const std::string& text, int rows = 2, int columns = 4) {
  const Program p = sequential(parse_program(text, "rows.lift"));
  const auto r =
      apply(find_rule("rows-abreast"), p, rows_of(p), {std::to_string(rows), std::to_string(columns)});
  return r ? "" : r.reason();
}

std::string sized(std::string text, int n, int m) {
  for (const auto& [name, value] : {std::pair{"N", n}, {"M1", m + 1}, {"M2", m + 2}, {"N2", n + 2}, {"M", m}})
    for (std::size_t at = 0; (at = text.find(std::string("$") + name + "$", at)) != std::string::npos;)
      text.replace(at, std::string(name).size() + 2, std::to_string(value));
  return text;
}

/// Programs of $N$ rows and $M$ columns.
struct Case {
  const char* name;
  const char* text;
  bool tiles = true;
};
const Case kCases[] = {
    {"alignment", R"(
param similarity : $N$.$M$.i32
param penalty : $N$.i32
result score : $N$.$M1$.i32 = zip(similarity, penalty) |> scan(\above (row, p).
  let best = zip(above |> slide(2, 1), row) |> map(\(w, s). max(w[0] + s, w[1] - p)) in
  concat(generate(1, \i. 0 - p), best |> scan(\left b. max(b, left - p), 0 - p)), generate($M1$, \i. 0 - i)))"},
    {"three components", R"(
param similarity : $N$.$M$.i32
result a, b, c : {$N$.$M$.i32, $N$.$M$.i32, $N$.$M$.i32} = similarity |> scan(\above row.
  zip(above |> map(\(h, l, a). h) |> pad(1, 0, constant 0) |> slide(2, 1), above, row)
  |> map(\(w, (h, l, a), s). let gap = max(h - 7, a - 1) in {max(w[0] + s, gap), gap})
  |> scan(\(h, l, a) (best, gap). let left = max(h - 7, l - 1) in {max(best, left), left, gap}, {0, -9, -9}),
  generate($M$, \i. {0, -9, -9})) |> unzip2)"},
    {"Gauss-Seidel", R"(
param u : $N2$.$M2$.f64
param f : $N$.$M$.f64
result v : $N$.$M$.f64 = zip(u |> slide(3, 1), f) |> scan(\above (rows, sources).
  zip(above, rows[1] |> drop(2, 0), rows[2] |> drop(1, 1), sources) |> map(\(a, r, b, s). a + r + b + s)
  |> scan(\left sum. 0.25 * (left + sum), rows[1][0]), u[0] |> drop(1, 1)))"},
    {"from the row before's first element, to the right of it", R"(
param x : $N$.$M$.f64
param first : $M$.f64
result y : $N$.$M$.f64 = x |> scan(\above row.
  zip(above |> pad(1, 2, clamp) |> slide(4, 1), row) |> map(\(w, s). s + w[0] - w[1] + 0.5 * w[2] - w[3])
  |> scan(\left s. 0.5 * left + s, above[0]), first))",
     false},
    {"from the row before's first element", R"(
param x : $N$.$M$.f64
param first : $M$.f64
result y : $N$.$M$.f64 = x |> scan(\above row.
  zip(above, row) |> map(\(a, s). s - a) |> scan(\left s. 0.5 * left + s * above[0], above[0] + row[0]), first))"},
    {"from the right of it, by a loop of its own", R"(
param x : $N$.$M$.f64
param first : $M$.f64
result y : $N$.$M$.f64 = x |> scan(\above row.
  let ways = zip(above |> pad(1, 1, clamp) |> slide(3, 1), row) |> map(\(w, s). s + w[0] - w[1] + 0.5 * w[2]) in
  concat(generate(1, \i. ways[0]), ways |> scan(\left s. 0.5 * left + s, 0.0) |> drop(1, 0)), first))",
     false},
    {"backwards over rows, no scan within", R"(
param x : $N$.$M$.f64
param first : $M$.f64
result y : $N$.$M$.f64 = x |> scan_back(\above row.
  zip(above |> pad(1, 1, mirror) |> slide(3, 1), row) |> map(\(w, s). s + min(w[0], min(w[1], w[2]))), first))",
     false},
    {"rows of rows", R"(
param x : $N$.$M$.3.f64
param first : $M$.3.f64
result y : $N$.$M$.3.f64 = x |> scan(\above row.
  zip(above, row) |> map(\(a, r). zip(a, r) |> scan(\left (p, q). 0.5 * left + p - q, 0.0)), first))"},
    {"values of a row, its last element by itself", R"(
param x : $N$.$M1$.f64
param first : $M1$.f64
result y : $N$.$M1$.f64 = x |> scan(\above row.
  let a = above[0] + row[1] in
  concat(zip(above, row) |> drop(0, 1) |> map(\(u, s). s + u - a) |> scan(\left s. 0.5 * left + s * a, 0.0),
         generate(1, \i. above[$M$] - row[0])), first))"},
    {"its last element from one that a loop of its own makes, by threads", R"(
param x : $N$.$M$.f64
param first : $M1$.f64
result y : $N$.$M1$.f64 = x |> scan(\above row.
  let ways = zip(above |> drop(0, 1), row) |> map_par(\(a, s). s - 0.5 * a) in
  concat(ways |> scan(\left s. 0.5 * left + s, 0.0), generate(1, \i. ways[$M$ - 1] + row[0])), first))",
     false},
};

}  // namespace

TEST_CASE("rows abreast: what one row after the other gives, bit by bit, whoever comes first") {
  for (const Case& c : kCases)
    for (const auto& [n, m] : {std::pair{9, 13}, {8, 16}, {3, 40}, {2, 1}, {1, 5}, {14, 3}, {6, 37}}) {
      const auto expected = run_loops(lower(sequential(parse_program(sized(c.text, n, m), "rows.lift"))), 1);
      const Program p = sequential(parse_program(sized(c.text, n, m), "rows.lift"), m % 2 == 0 ? 2 : 4);
      for (const auto& [rows, columns] : {std::pair{1, 3}, {2, 4}, {4, 4}, {3, 5}, {4, 2}, {8, 8}})
        for (const int steps : {0, 1, 3}) {
          if (steps > 0 && !c.tiles) continue;
          CAPTURE(c.name);
          INFO(n << " rows of " << m << ", " << rows << " abreast, by " << columns << ", tiles of " << steps);
          const Kernel k = lower(abreast(p, rows, columns, steps * columns));
          for (const unsigned order : {0U, 1U, 2U, 3U}) {
            const auto found = run_loops(k, 1, order);
            CHECK(found.results == expected.results);
            CHECK(found.races.empty());
          }
        }
    }
}

TEST_CASE("rows abreast: reasons against it") {
  const auto scan_of = [](const std::string& line) {
    return "param x : 9.13.f64\nparam first : 13.f64\nresult y : 9.13.f64 = x |> scan(\\above row.\n" + line +
           ", first)";
  };
  const auto has = [](const std::string& s, const char* part) {
    INFO(s);
    return s.find(part) != std::string::npos;
  };
  CHECK(refusal(scan_of("zip(above, row) |> map(\\(a, r). a + r)")).empty());
  CHECK(has(refusal(scan_of("zip(above, row) |> map(\\(a, r). a + r) |> scan_back(\\l x. l + x, 0.0)")),
            "backwards"));
  CHECK(has(
      refusal(scan_of("zip(above |> pad(3, 3, clamp) |> slide(7, 1), row) |> map(\\(w, r). w[6] + r)"), 2, 2),
      "up to 3 to the right"));
  CHECK(
      refusal(scan_of("zip(above |> pad(3, 3, clamp) |> slide(7, 1), row) |> map(\\(w, r). w[6] + r)"), 2, 3)
          .empty());
  CHECK(!refusal(scan_of("zip(above |> pad(1, 1, wrap) |> slide(3, 1), row) |> map(\\(w, r). w[0] + r)"))
             .empty());
  CHECK(!refusal(scan_of("let s = above |> reduce(add, 0.0) in row |> map(\\r. r + s)")).empty());
  CHECK(has(refusal("param x : 9.f64\nresult y : 9.f64 = x |> scan(\\l x. l + x, 0.0)"), "no rows"));
  const Program p =
      sequential(parse_program(scan_of("zip(above, row) |> map(\\(a, r). a + r)"), "rows.lift"));
  CHECK(!apply(find_rule("rows-abreast"), p, rows_of(p), {"0", "4"}));
  CHECK(!apply(find_rule("rows-abreast"), p, rows_of(p), {"17", "4"}));
  CHECK(!apply(find_rule("rows-in-turns"), p, rows_of(p), {"8"}));
  CHECK(apply(find_rule("rows-in-turns"), abreast(p, 2, 4, 0), rows_of(p), {"8"}));
  CHECK(!apply(find_rule("rows-in-turns"), abreast(p, 2, 4, 0), rows_of(p), {"3"}));
  const Program right = sequential(parse_program(
      scan_of("zip(above |> pad(1, 1, clamp) |> slide(3, 1), row) |> map(\\(w, r). w[2] + r)"), "rows.lift"));
  const auto refused = apply(find_rule("rows-in-turns"), abreast(right, 2, 4, 0), rows_of(right), {"8"});
  REQUIRE(!refused);
  CHECK(has(refused.reason(), "1 to the right, which another thread makes"));
}

TEST_CASE("rows abreast: where a row's variables are kept between tiles has a name of its own") {
  const auto lowered = [](const std::string& x) {
    return lower(parse_program("param " + x +
                                   " : 9.13.f64\nparam first : 13.f64\nresult y : 9.13.f64 = " + x +
                                   " |> scan_seq<rows 2, columns 4, turns 8>(\\above row. zip(above, row) |> "
                                   "map_seq(\\(a, s). a + s)"
                                   " |> scan_seq(\\left s. 0.5 * left + s, 0.0), first)",
                               "rows.lift"));
  };
  const auto kept = [](const Kernel& k) {
    std::vector<std::string> names;
    visit(k.body, [&](const Stmt& s) {
      if (const auto* a = std::get_if<Allocate>(&s.v)) names.push_back(a->name);
    });
    REQUIRE(names.size() == 1);
    return names[0];
  };
  const std::string name = kept(lowered("x"));
  CHECK(name.rfind("ends_of_", 0) == 0);
  const Kernel other = lowered(name);  // an argument has that name
  CHECK(kept(other) == name + "_");
  CHECK(run_loops(other, 1, 1).races.empty());
  const auto row_by_row = [&](const Kernel& k, unsigned order) {
    test::LoopRunner runner;
    runner.turns = order;
    for (const KernelArgument& a : k.arguments)
      for (std::int64_t i = 0; i < *a.layout.size().constant(); ++i)
        runner.arrays[a.name].push_back(static_cast<double>(i * 7 % 64));
    runner.run(k);
    return runner.arrays.at("y");
  };
  CHECK(row_by_row(other, 1) == row_by_row(lowered("x"), 0));
}

TEST_CASE("rows abreast: a decision that a program states, and that cannot be met, is refused") {
  const auto stated = [](const std::string& how) {
    return test::message([&] {
      lower(parse_program("param x : 9.13.f64\nparam first : 13.f64\nresult y : 9.13.f64 = x |> scan_seq<" +
                              how +
                              ">(\\above row. zip(above |> pad(3, 3, clamp) |> slide(7, 1), row) |> "
                              "map_seq(\\(w, r). w[6] + r), first)",
                          "rows.lift"));
    });
  };
  CHECK(stated("rows 2, columns 3").empty());
  const std::string few = stated("rows 2, columns 2");
  INFO(few);
  CHECK(few.find("scan_seq<rows 2, columns 2>: the row before is needed 3 columns to the right") !=
        std::string::npos);
}

}  // namespace lift::rows_abreast_test
