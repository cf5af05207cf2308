// Rows whose loops are written out: what is needed of other columns, of the rows before and of values; that
// rows which may go together are, together, what they are one after the other; and why others may not.
#include "lower/analyses/row_parts.hpp"

#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_kernel.hpp"

namespace lift::row_parts_test {
namespace {

constexpr int kRows = 9, kColumns = 24;  // of x and y; rows 1 to 7 are made, by loops over columns 4 to 15

Nat index(const char* name, const Nat& lower, const Nat& upper) { return Nat::fresh(name, lower, upper - 1); }
Term load(const std::string& array, const Nat& r, const Nat& c) { return load_term(array, {r, c}, f64); }
Term x(const Nat& r, const Nat& c) { return load("x", r, c); }
Term y(const Nat& r, const Nat& c) { return load("y", r, c); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
Term half(const Term& a) { return apply_term(Op::Mul, f64, {a, constant_term(0.5, f64)}); }
Stmt store(const Nat& r, const Nat& c, const Term& value) { return {Store{"y", {r, c}, value}}; }
const Term v = local_term("v", f64), w = local_term("w", f64);

For loop(const Nat& variable, const Nat& lower, const Nat& upper, Block body) {
  For f;
  f.var = variable, f.lower = lower, f.upper = upper, f.body = std::move(body);
  return f;
}
using Column = std::function<Block(Nat)>;
For columns(int lower, int upper, const Column& body) {
  const Nat c = index("c", lower, upper);
  return loop(c, lower, upper, body(c));
}
Stmt along(const Column& body, int lower = 4, int upper = 16) { return {columns(lower, upper, body)}; }
using Row = std::function<Block(Nat)>;
For rows(const Row& body) {
  const Nat r = index("r", 1, 8);
  return loop(r, 1, 8, body(r));
}
/// An array that each row has.
Stmt own(const std::string& name, int n = kColumns) { return {Allocate{name, array({n}, f64)}}; }
Term of_own(const std::string& name, const Nat& c) { return load_term(name, {c}, f64); }
Stmt to_own(const std::string& name, const Nat& c, const Term& value) { return {Store{name, {c}, value}}; }

test::LoopsRun run(Block b, unsigned turns = 0) {
  Kernel k;
  for (const char* name : {"x", "y"}) {
    KernelArgument a;
    a.name = name, a.type = array({kRows, kColumns}, f64), a.layout = Layout({}, a.type);
    a.written = a.read = true;
    k.arguments.push_back(a);
  }
  KernelArgument m;
  m.name = "row_parts_m", m.type = i32, m.range = {13, 13};
  k.arguments.push_back(m);
  k.results = {"y"}, k.body = std::move(b);
  linearise(k);
  return test::run_loops(k, 1, turns);
}
std::string refusal(const For& f) {
  try {
    row_parts(f);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
/// Rows together are rows one after the other, in steps of all widths and in tiles, as far as they may.
void check_together(const For& one_by_one) {
  const auto expected = run({{one_by_one}});
  const RowParts parts = row_parts(one_by_one);
  for (const int abreast : {1, 3})
    for (const int width : {2, 5, 17})
      for (const int tiles : {0, 1}) {
        if (parts.right > width || (tiles > 0 && !parts.why_no_tiles.empty())) continue;
        For together = one_by_one;
        together.rows = abreast, together.columns = width, together.turns = tiles * width;
        const Block b = rows_abreast({{together}});
        for (const unsigned order : {0U, 1U}) {
          if (tiles == 0 && order > 0) continue;
          INFO(abreast << " rows, " << width << " columns, " << tiles << " steps a tile, order " << order);
          const auto found = run(b, order);
          CHECK(found.results == expected.results);
          CHECK(found.races.empty());
        }
      }
}

}  // namespace

TEST_CASE("row parts: how far rows are behind one another, and what keeps them from being cut into tiles") {
  struct Case {
    std::string name;
    Row row;
    std::int64_t right = 0;
    std::string no_tiles = {};
    std::vector<std::int64_t> shifts = {0};  ///< of the parts
    std::string chains = "-";                ///< "c" for each part that is one
  };
  const Nat m = Nat::size("row_parts_m", 1);  // 13
  const auto both = "a row needs what t holds at other columns";
  const auto to_the_right = [](int n) {
    return "the row before is needed " + std::to_string(n) + " to the right of a column, in the next tile";
  };
  const std::vector<Case> cases{
      {"nothing of others",
       [](const Nat& r) { return Block{along([&](const Nat& c) { return Block{store(r, c, x(r, c))}; })}; }},
      {"the element to the left, by memory",
       [](const Nat& r) {
         return Block{along(
             [&](const Nat& c) { return Block{store(r, c, sum(half(y(r, c - 1)), half(y(r - 1, c))))}; })};
       },
       0,
       "",
       {0},
       "c"},
      {"its own element",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r, c)))}; })};
       }},
      {"above, two to the right",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r - 1, c + 2)))}; })};
       },
       2, to_the_right(2)},
      {"above, two to the left",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r - 1, c - 2)))}; })};
       }},
      {"below, what was there before, three to the left",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r + 1, c - 3)))}; })};
       },
       3, to_the_right(3)},
      {"below, what was there before, three to the right",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r + 1, c + 3)))}; })};
       }},
      {"above, one element for all",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, sum(x(r, c), y(r - 1, 7)))}; })};
       },
       3, to_the_right(3)},
      {"above, the first element for all",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, sum(x(r, c), y(r - 1, 4)))}; })};
       }},
      {"above, at some place before a known one",
       [&](const Nat& r) {
         return Block{
             along([&](const Nat& c) { return Block{store(r, c, sum(x(r, c), y(r - 1, 20 - m)))}; })};
       },
       15, to_the_right(15)},
      {"above, within a window",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) {
           const Nat j = index("j", 0, 3);
           return Block{store(r, c, x(r, c)), {loop(j, 0, 3, {store(r, c, sum(y(r, c), y(r - 1, c + j)))})}};
         })};
       },
       2, to_the_right(2)},
      {"above, beside the boundary",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) {
           return Block{store(r, c, sum(y(r - 1, max(c - 1, 4)), half(y(r - 1, min(c + 1, 15)))))};
         })};
       },
       1, to_the_right(1)},
      {"above, twice as far",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r - 1, 2 * c)))}; }, 4, 12)};
       },
       11, to_the_right(11)},
      {"above, from right to left",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r - 1, 19 - c)))}; })};
       },
       11, to_the_right(11)},
      {"rows downwards",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(8 - r, c, half(y(9 - r, c + 1)))}; })};
       },
       1, to_the_right(1)},
      {"an array of its own, in two loops",
       [](const Nat& r) {
         return Block{own("t"),
                      along([&](const Nat& c) { return Block{to_own("t", c, sum(x(r, c), y(r - 1, c)))}; }),
                      along([&](const Nat& c) { return Block{store(r, c, half(of_own("t", c)))}; })};
       },
       0,
       "",
       {0, 0},
       "--"},
      {"an array of its own, the next element",
       [](const Nat& r) {
         return Block{
             own("t"),
             along([&](const Nat& c) { return Block{to_own("t", c, sum(x(r, c), y(r - 1, c)))}; }, 4, 17),
             along([&](const Nat& c) { return Block{store(r, c, half(of_own("t", c + 1)))}; })};
       },
       1,
       to_the_right(1),
       {0, 1},
       "--"},
      {"an array of its own, two elements",
       [](const Nat& r) {
         return Block{
             own("t"),
             along([&](const Nat& c) { return Block{to_own("t", c, sum(x(r, c), y(r - 1, c)))}; }, 4, 17),
             along([&](const Nat& c) {
               return Block{store(r, c, sum(of_own("t", c), half(of_own("t", c + 1))))};
             })};
       },
       1,
       to_the_right(1),
       {0, 1},
       "--"},
      {"an array of its own, two elements, of no other row",
       [](const Nat& r) {
         return Block{own("t"), along([&](const Nat& c) { return Block{to_own("t", c, x(r, c))}; }, 4, 17),
                      along([&](const Nat& c) {
                        return Block{store(r, c, sum(of_own("t", c), half(of_own("t", c + 1))))};
                      })};
       },
       0,
       both,
       {0, 1},
       "--"},
      {"an array of its own that nothing meets",
       [](const Nat& r) {
         return Block{own("t"), along([&](const Nat& c) { return Block{store(r, c, x(r, c))}; })};
       },
       0, both},
      {"an array of its own, the first element",
       [](const Nat& r) {
         return Block{own("t"),
                      along([&](const Nat& c) { return Block{to_own("t", c, sum(x(r, c), y(r - 1, c)))}; }),
                      along([&](const Nat& c) { return Block{store(r, c, half(of_own("t", 4)))}; })};
       },
       0,
       both,
       {0, 0},
       "--"},
      {"an array of its own, at some place before a known one",
       [&](const Nat& r) {
         return Block{own("t"), along([&](const Nat& c) { return Block{to_own("t", c, x(r, c))}; }),
                      along([&](const Nat& c) { return Block{store(r, c, half(of_own("t", 20 - m)))}; })};
       },
       0,
       both,
       {0, 15},
       "--"},
      {"an array of its own, beside the boundary",
       [](const Nat& r) {
         return Block{own("t"),
                      along([&](const Nat& c) { return Block{to_own("t", c, sum(x(r, c), y(r - 1, c)))}; }),
                      along([&](const Nat& c) { return Block{store(r, c, of_own("t", max(c - 1, 4)))}; })};
       },
       0,
       both,
       {0, 0},
       "--"},
      {"an array of an iteration's own",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) {
           return Block{own("t", 2), to_own("t", 1, y(r - 1, c)), store(r, c, half(of_own("t", 1)))};
         })};
       }},
      {"the next loop overwrites what the first one needs",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r, c + 1)))}; }),
                      along([&](const Nat& c) { return Block{store(r, c - 2, half(y(r, c)))}; })};
       },
       0,
       "",
       {0, 0},
       "cc"},
      {"a first element, then the others",
       [](const Nat& r) {
         return Block{
             store(r, 4, x(r, 4)),
             along([&](const Nat& c) { return Block{store(r, c, sum(half(y(r, c - 1)), x(r, c)))}; }, 5)};
       },
       0,
       "",
       {0, 0},
       "-c"},
      {"the others, then their first element",
       [](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, half(y(r - 1, c)))}; }),
                      store(r, 4, sum(y(r, 4), x(r, 4)))};
       },
       0,
       "",
       {0, 0},
       "--"},
      {"a value of the row before",
       [](const Nat& r) {
         return Block{{Let{v, y(r - 1, 4)}}, {Let{w, half(v)}}, along([&](const Nat& c) {
                        return Block{store(r, c, sum(sum(v, w), x(r, c)))};
                      })};
       },
       0,
       "",
       {0, 0, 0},
       "---"},
      {"a value of no row",
       [](const Nat& r) {
         return Block{{Let{v, x(r, 3)}}, {Let{w, half(v)}}, along([&](const Nat& c) {
                        return Block{store(r, c, sum(sum(v, w), x(r, c)))};
                      })};
       }},
      {"a variable that goes along",
       [](const Nat& r) {
         return Block{{Declare{v, x(r, 3)}}, along([&](const Nat& c) {
                        return Block{{Assign{v, sum(half(v), y(r - 1, c))}}, store(r, c, v)};
                      })};
       },
       0,
       "",
       {0},
       "c"},
      {"a variable that goes along, from the row before",
       [](const Nat& r) {
         return Block{{Declare{v, y(r - 1, 4)}}, along([&](const Nat& c) {
                        return Block{{Assign{v, sum(half(v), x(r, c))}}, store(r, c, v)};
                      })};
       },
       0,
       "",
       {0, 0},
       "-c"},
      {"a variable that is assigned once before it goes along",
       [](const Nat& r) {
         const Term asked = compare_term(less(3, r));
         return Block{{Declare{v, x(r, 3)}}, {If{{asked}, {{Assign{v, half(v)}}}}}, along([&](const Nat& c) {
                        return Block{{Assign{v, sum(half(v), x(r, c))}}, store(r, c, v)};
                      })};
       },
       0,
       "a row's v is computed once",
       {0, 0},
       "-c"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const For f = rows(c.row);
    CHECK(refusal(f).empty());
    if (!refusal(f).empty()) continue;
    const RowParts found = row_parts(f);
    CHECK(found.right == c.right);
    CHECK(found.why_no_tiles == c.no_tiles);
    std::vector<std::int64_t> shifts;
    std::string chains;
    for (const RowPart& p : found.parts) shifts.push_back(p.shift), chains += p.chain ? "c" : "-";
    CHECK(shifts == c.shifts);
    CHECK(chains == c.chains);
    check_together(f);
  }
}

TEST_CASE("row parts: rows that cannot go together, or of which that is not known") {
  struct Case {
    std::string name;
    Row row;
    std::string why;
  };
  const Nat n = Nat::size("row_parts_n", 1);
  const auto each = [](const Column& body, int lower = 4, int upper = 16) {
    return Block{along(body, lower, upper)};
  };
  const auto changed = [](const Nat& r, const std::function<void(For&)>& f) {
    For l = columns(4, 16, [&](const Nat& c) { return Block{store(r, c, x(r, c))}; });
    f(l);
    return Block{{l}};
  };
  const std::string others = ", at a place that others use, too",
                    unknown_row = ": it is not known how many rows away that is",
                    unknown_columns = ": it is not known which columns these are",
                    own_way = "goes along columns in a way of its own",
                    no_loop = "y is stored by no loop along the columns",
                    diagonal = "how many columns a row has depends on which row it is",
                    whole_row = "a value of the whole row is needed within it: v";
  const std::vector<Case> cases{
      // Where rows store.
      {"one row", [&](const Nat&) { return each([](const Nat& c) { return Block{store(3, c, x(3, c))}; }); },
       others},
      {"every other row",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(2 * r, c, x(r, c))}; }); },
       others},
      {"two rows in turn",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(mod(r, 2), c, x(r, c))}; }); },
       others},
      {"rows askew",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r + c, c, x(r, c))}; }); },
       others},
      {"the next row, too",
       [&](const Nat& r) {
         return each([&](const Nat& c) { return Block{store(r, c, x(r, c)), store(r + 1, c, x(r, c))}; });
       },
       others},
      {"every other column",
       [&](const Nat& r) {
         return each([&](const Nat& c) { return Block{store(r, 2 * c, x(r, c))}; }, 4, 12);
       },
       no_loop},
      {"the square of a column",
       [&](const Nat& r) {
         return each([&](const Nat& c) { return Block{store(r, c * c, x(r, c))}; }, 1, 4);
       },
       no_loop},
      {"one element", [&](const Nat& r) { return Block{store(r, 4, x(r, 4))}; }, no_loop},
      {"nothing",
       [&](const Nat& r) {
         return each([&](const Nat& c) { return Block{own("t", 2), to_own("t", 1, x(r, c))}; });
       },
       "no loop of a row goes along its columns"},
      {"along columns, and across",
       [&](const Nat&) {
         const auto to = [](const Nat& i, const Nat& j) { return Stmt{Store{"t", {i, j}, w}}; };
         return Block{{Allocate{"t", array({kColumns, kColumns}, f64)}},
                      along([&](const Nat& c) { return Block{to(3, c)}; }),
                      along([&](const Nat& c) { return Block{to(c, 3)}; })};
       },
       "some loops go along dimension 0 of t, others along 1"},
      // Loops along columns.
      {"by steps", [&](const Nat& r) { return changed(r, [](For& f) { f.step = 2; }); }, own_way},
      {"every other index", [&](const Nat& r) { return changed(r, [](For& f) { f.stride = 2; }); }, own_way},
      {"values that move on", [&](const Nat& r) { return changed(r, [](For& f) { f.rotate = true; }); },
       own_way},
      {"by a team", [&](const Nat& r) { return changed(r, [](For& f) { f.team = true; }); }, own_way},
      {"from the diagonal on", [&](const Nat& r) { return changed(r, [&](For& f) { f.lower = r + 4; }); },
       diagonal},
      {"up to the diagonal", [&](const Nat& r) { return changed(r, [&](For& f) { f.upper = r + 4; }); },
       diagonal},
      {"threads wait",
       [&](const Nat& r) {
         Block b = each([&](const Nat& c) { return Block{store(r, c, x(r, c))}; });
         b.push_back({Barrier{}});
         return b;
       },
       "threads wait for one another within a row"},
      // Of which rows they load.
      {"the same two rows",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(mod(r, 2), c))}; }); },
       unknown_row},
      {"rows from the other end",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(8 - r, c))}; }); },
       unknown_row},
      {"the first row",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(0, c))}; }); },
       unknown_row},
      {"some rows before",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(r - n, c))}; }); },
       unknown_row},
      // Of which columns.
      {"four times as far",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(r - 1, 4 * c))}; }); },
       unknown_columns},
      {"an eighth as far",
       [&](const Nat& r) {
         return each([&](const Nat& c) { return Block{store(r, c, y(r - 1, floordiv(c, 8)))}; }, 40, 52);
       },
       unknown_columns},
      {"some columns to the right",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(r - 1, c + n))}; }); },
       unknown_columns},
      {"some columns to the left",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(r - 1, c - n))}; }); },
       unknown_columns},
      {"all columns up to some one",
       [&](const Nat& r) {
         const Nat j = index("j", 0, n);
         return Block{along([&](const Nat& c) { return Block{store(r, c, x(r, c))}; }),
                      {loop(j, 0, n, {own("t", 2), to_own("t", 0, y(r - 1, j))})}};
       },
       unknown_columns},
      {"a column that is computed",
       [&](const Nat& r) {
         const Nat at = position_of(load_term("at", {r}, i32), n);
         return Block{{Let{v, y(r - 1, at)}},
                      along([&](const Nat& c) { return Block{store(r, c, sum(v, x(r, c)))}; })};
       },
       unknown_columns},
      {"some column, for all",
       [&](const Nat& r) { return each([&](const Nat& c) { return Block{store(r, c, y(r - 1, n))}; }); },
       "meet at any distance along the columns"},
      // In which order.
      {"an element that is made further to the right",
       [&](const Nat& r) {
         return Block{along([&](const Nat& c) { return Block{store(r, c, x(r, c))}; }),
                      {Let{v, y(r, 5)}},
                      along([&](const Nat& c) { return Block{store(r, c, sum(v, x(r, c)))}; })};
       },
       "a row goes on where y[r][c] has been done, further to the right"},
      {"the sum of a row",
       [&](const Nat& r) {
         return Block{{Declare{v, x(r, 3)}},
                      along([&](const Nat& c) {
                        return Block{{Assign{v, sum(v, x(r, c))}}, store(r, c, x(r, c))};
                      }),
                      along([&](const Nat& c) { return Block{store(r, c, sum(v, x(r, c)))}; })};
       },
       whole_row},
      {"a variable that goes along twice",
       [&](const Nat& r) {
         const auto assigned = [&] {
           return along([&](const Nat& c) { return Block{{Assign{v, x(r, c)}}, store(r, c, x(r, c))}; });
         };
         return Block{{Declare{v, x(r, 3)}}, assigned(), assigned()};
       },
       whole_row},
      {"a variable that is assigned anew after it went along",
       [&](const Nat& r) {
         return Block{{Declare{v, x(r, 3)}},
                      along([&](const Nat& c) {
                        return Block{{Assign{v, sum(half(v), x(r, c))}}, store(r, c, v)};
                      }),
                      {Assign{v, x(r, 2)}}};
       },
       whole_row},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string why = refusal(rows(c.row));
    CHECK_MESSAGE(why.find(c.why) != std::string::npos, why);
  }
}

}  // namespace lift::row_parts_test
