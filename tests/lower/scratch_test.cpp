// Arrays of an iteration's own within loops that threads share: memory that each thread has once a call.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/spelled.hpp"

namespace lift::scratch_test {
namespace {

using test::program;
using test::run;

Expr add(const Expr& row) {
  return row | slide(2, 1) | map([](Expr w) { return w[0] + w[1]; });
}
Expr doubled(const Expr& row) {
  return row | map([](Expr x) { return x * 2.0; });
}
/// f of each row, the rows shared by the threads.
template <class F>
Expr each_row(const Expr& rows, const F& f) {
  return map_with(Op::MapPar, 1, function_of(rows.type().element(), f), rows);
}
Expr rows_of(const Nat& n, const Nat& m, Scalar s = f64) { return param("rows", array({n, m}, s)); }

/// The kernel that processors get. Its loops compute what the interpreter does.
Kernel placed(const Program& p) {
  Kernel k = for_target(run(p), Target::openmp);
  test::LoopRunner before, after;
  for (const KernelArgument& a : k.arguments)
    before.arrays[a.name] = after.arrays[a.name] = test::numbers(a.type, 7);
  before.run(lower(p)), after.run(k);
  CHECK(before.arrays.at(k.results[0]) == after.arrays.at(k.results[0]));
  CHECK(after.races.empty());
  return k;
}
std::vector<Allocate> arrays_in(const Kernel& k) {
  std::vector<Allocate> all;
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) all.push_back(*a);
  });
  return all;
}
int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a value of an iteration lies in memory of its thread, one after the other") {
  const Expr rows = rows_of(5, 1001);
  const Kernel k = placed(
      program({rows}, each_row(rows, [](Expr row) {
                return let(doubled(row), [](Expr a) { return let(add(a), [](Expr b) { return add(b); }); });
              })));
  const std::vector<Allocate> arrays = arrays_in(k);
  REQUIRE(arrays.size() == 2);
  for (const Allocate& a : arrays) CHECK(a.space == AddressSpace::Scratch);
  CHECK(arrays[0].offset == Nat(0));
  CHECK(arrays[1].offset == Nat(8064 + 64));  // 1001 numbers, whole lines of them, and a line between
  CHECK(k.scratch == Nat(8064 + 64 + 8000 + 64));
  const std::string text =
      test::openmp_of(run(program({rows}, each_row(rows, [](Expr row) { return let(doubled(row), add); }))));
  CAPTURE(text);
  CHECK(count(text, " malloc(") == 0);
  CHECK(count(text, "malloc(") == 1);  // in the helper, which the kernel calls once
  CHECK(count(text, "= new_scratch(") == 1);
  CHECK(count(text, "= own_scratch(") == 1);
  CHECK(count(text, "free_scratch(scratch)") == 1);
}

TEST_CASE("small arrays stay on the stack, and kernels without scratch return nothing") {
  for (const auto& [columns, on_stack] : {std::pair{64, true}, {65, false}}) {
    const Expr rows = rows_of(5, columns);
    const Kernel k = placed(program({rows}, each_row(rows, [](Expr row) { return let(doubled(row), add); })));
    const std::vector<Allocate> arrays = arrays_in(k);
    REQUIRE(arrays.size() == 1);
    CHECK((arrays[0].space == AddressSpace::Private) == on_stack);
    CHECK(needs_scratch(k) == !on_stack);
    CHECK(emit_source(k).find(on_stack ? "\nvoid p(" : "\nint p(") != std::string::npos);
  }
}

TEST_CASE("private tiles that are large are scratch, too") {
  const Expr rows = rows_of(4, 300);
  const Kernel k = placed(program(
      {rows}, each_row(rows, [](Expr row) { return let(make(Op::ToPrivate, {doubled(row)}), add); })));
  REQUIRE(arrays_in(k).size() == 1);
  CHECK(arrays_in(k)[0].space == AddressSpace::Scratch);
}

TEST_CASE("loops that follow one another use the same memory") {
  const Expr rows = rows_of(5, 200);
  const auto sums = [](Expr row) { return let(doubled(row), add); };
  const Kernel k = placed(program({rows}, tuple({each_row(rows, sums), each_row(rows, sums)})));
  REQUIRE(arrays_in(k).size() == 2);
  CHECK(arrays_in(k)[1].offset == Nat(0));
  CHECK(k.scratch == Nat(1600 + 64));
}

TEST_CASE("collapsed loops: the array belongs to the innermost that threads share") {
  const Expr rows = param("rows", array({Nat(3), Nat(4), Nat(200)}, f32));
  const auto step = function_of(rows.type().element().element(), [](Expr row) {
    return let(row | map([](Expr x) { return x * 2.0f; }),
               [](Expr a) { return a | slide(2, 1) | map([](Expr w) { return w[0] - w[1]; }); });
  });
  const Kernel k = placed(program({rows}, map_with(Op::MapPar, 2, step, rows)));
  const For& outer = std::get<For>(k.body.at(0).v);
  CHECK(outer.collapse == 2);
  const For& inner = std::get<For>(outer.body.at(0).v);
  REQUIRE(std::holds_alternative<Allocate>(inner.body.at(0).v));
  CHECK(k.scratch == Nat(832 + 64));
}

TEST_CASE("sizes at run time") {
  const Nat n = Nat::size("n"), m = Nat::size("m", 2);
  const Expr rows = rows_of(n, m);
  const Kernel k = lower(program({rows}, each_row(rows, [](Expr row) { return let(doubled(row), add); })),
                         {.target = Target::openmp});
  CHECK(k.scratch == 64 * (floordiv(8 * m + 63, 64) + 1));
  CHECK(std::none_of(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; }));
}

TEST_CASE("on a grid, and outside shared loops, nothing changes") {
  const Expr rows = rows_of(6, 2048);
  const auto grid =
      map_with(Op::MapGlb, 1,
               function_of(rows.type().element(),
                           [](Expr row) { return let(make(Op::ToGlobal, {doubled(row)}), add); }),
               rows, {0});
  CHECK(run(program({rows}, grid)).arguments.back().type == array({2048, 6}, f64));  // columns side by side
  const Kernel whole =
      for_target(run(program({rows}, let(rows | map(doubled), [](Expr r) { return join(r | map(add)); }))),
                 Target::openmp);
  CHECK(whole.arguments.back().work);
  CHECK(!needs_scratch(whole));
}

TEST_CASE("scratch: no array on a stack is large, also where a loop of one iteration shares nothing") {
  for (const std::int64_t n : {8, 300}) {
    const Expr rows = rows_of(n, n);
    const auto twice = [](const Expr& tile) {
      return let(
          make(Op::ToGlobal, {map_with(Op::MapSeq, 1, function_of(tile.type().element(), doubled), tile)}),
          [](Expr stored) { return stored | map(add); });
    };
    const Program p = program({rows}, join(each_row(split({Nat(n)}, rows), twice)));
    const Kernel k = placed(p);
    INFO(str(k));
    const std::vector<Allocate> all = arrays_in(k);
    REQUIRE(all.size() == 1);
    CHECK((all[0].space == AddressSpace::Scratch) == (n == 300));
    CHECK((k.scratch == Nat(0)) == (n == 8));
    if (n == 300) CHECK(test::openmp_of(k).find("own_scratch(scratch, scratch_bytes)") != std::string::npos);
  }
}

}  // namespace lift::scratch_test
