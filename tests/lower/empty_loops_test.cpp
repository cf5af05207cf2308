// Loops whose bounds depend on loops around them may have none of their iterations: the upper bound lies
// below the lower one. No iteration comes from taking several together, then.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::empty_loops_test {

TEST_CASE("empty loops: vectors of tiles that lie outside of what is kept") {
  for (const std::string text : {
           "param x : 64.f64\nresult y = x |> split(8) |> map_par(\\t. t |> map_vec<4>(\\v. 2 * v)) |> join "
           "|> "
           "drop(18, 5)",
           "param x : 64.f64\nresult y = x |> split(8) |> map_par(\\t. t |> map_vec<4>(\\v. 2 * v)) |> join "
           "|> "
           "drop(0, 21)",
           // With stores that lead up to an aligned address.
           "param x : 64.f64\nresult y = x |> split(8) |> map_par(\\t. t |> map_vec<4>(\\v. 2 * v) |> "
           "stream) |> "
           "join |> drop(18, 5)",
           "param x : 64.f64\nresult y = x |> split(8) |> map_par(\\t. t |> map_vec<4, late store>(\\v. 2 * "
           "v)) |> "
           "join |> drop(18, 21)",
           // In narrow lanes.
           "param x : 128.u8\nresult y = x |> split(32) |> map_par(\\t. t |> map_vec<16>(\\v. u8(i32(v) + "
           "1))) |> "
           "join |> drop(50, 5)",
           "param x : 128.u8\nresult y = x |> split(32) |> map_par(\\t. t |> map_vec<16>(\\v. u8(i32(v) + "
           "1))) |> "
           "join |> drop(7, 75)",
           // What others make is doubled once.
           "param q : 64.f64\noverwrite q\nresult r = update_in_place(q, 0, q |> split(8) |> map_par(\\t. t "
           "|> "
           "map_vec<4>(\\v. 2 * v)) |> join |> drop(0, 21))",
       }) {
    CAPTURE(text);
    test::run(parse_program(text, "empty.lift"));
  }
}

TEST_CASE("empty loops: rows that go along their columns together") {
  const Nat first = Nat::size("first", 0), i = Nat::fresh("i", first, 7), j = Nat::fresh("j", 0, 7);
  const Term sum = local_term("sum", f64);
  For columns;
  columns.var = j, columns.lower = 0, columns.upper = 8;
  columns.body = {{Assign{sum, apply_term(Op::Add, f64, {sum, load_term("x", {i, j}, f64)})}},
                  {Store{"y", {i, j}, sum, false}}};
  For rows;
  rows.var = i, rows.lower = first, rows.upper = 8, rows.rows = 3, rows.columns = 4;
  rows.body = {{Declare{sum, constant_term(0, f64)}}, {columns}};
  Kernel k;
  const Type t = array({Nat(8), Nat(8)}, f64);
  k.arguments = {{"x", t, Layout({}, t), true, true, {}}, {"y", t, Layout({}, t), true, true, {}}};
  k.body = rows_abreast({{rows}});
  REQUIRE(test::count<For>(k.body) > 2);
  linearise(k);
  for (const std::int64_t from : {0, 5, 8, 10, 11, 12}) {
    CAPTURE(from);
    test::LoopRunner loops;
    loops.index["first"] = from;
    loops.arrays["x"].assign(64, 1);
    loops.arrays["y"].assign(64, 0);
    loops.run(k);
    for (std::int64_t n = 0; n < 64; ++n)
      CHECK(loops.arrays["y"][static_cast<std::size_t>(n)] == (n / 8 < from ? 0 : n % 8 + 1));
  }
}

}  // namespace lift::empty_loops_test
