// Rows that go where parts of them are summed, and elements where several of them are taken up at a time:
// when they do, on loops by hand, and that what is computed stays the same.
#include "lower/passes/join_rows.hpp"

#include <doctest/doctest.h>

#include "lower/loops/distinct_names.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::join_rows_test {
namespace {

using enum LoopKind;
constexpr std::int64_t kRows = 18, kColumns = 8;

Term number(double x) { return constant_term(x, f64); }
Term plus(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
Term twice(const Term& a) { return apply_term(Op::Mul, f64, {number(2), a}); }
Term at(const char* array, std::vector<Nat> position) { return load_term(array, std::move(position), f64); }
Stmt put(const char* array, std::vector<Nat> position, const Term& value) {
  return {Store{array, std::move(position), value, false}};
}
For loop(LoopKind kind, const char* name, const Nat& upper, const std::function<Block(const Nat&)>& body,
         int width = 1) {
  For f;
  f.kind = kind, f.width = width, f.lower = 0, f.upper = upper, f.var = Nat::fresh(name, 0, upper - 1);
  f.body = body(f.var);
  return f;
}

/// A kernel of these loops over arrays of rows, and of elements.
Kernel kernel(Block body) {
  Kernel k;
  k.name = "k", k.results = {"a"};
  const Type rows = array({Nat(kRows), Nat(kColumns)}, f64), row = array({Nat(3 * kColumns)}, f64);
  for (const char* name : {"x", "a", "c", "s"})
    k.arguments.push_back({name, rows, Layout({}, rows), true, true, {}});
  for (const char* name : {"v", "b", "t", "w"})
    k.arguments.push_back({name, row, Layout({}, row), true, true, {}});
  k.arguments.push_back({"n", i32, {}, false, true, {1, 4}});
  k.body = std::move(body);
  return k;
}
std::map<std::string, std::vector<double>> run(Kernel k) {
  verify(k, Form::Positions, "join-rows");
  linearise(k);
  test::LoopRunner loops;
  loops.index["n"] = 4;
  double next = 1;
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array())
      for (std::int64_t i = 0; i < *a.layout.size().constant(); ++i) loops.arrays[a.name].push_back(next++);
  loops.run(k);
  CHECK_MESSAGE(loops.races.empty(), str(k));
  return loops.arrays;
}

using Join = std::optional<JoinedRows> (*)(const For&, const For&, const Together&);
/// What two loops become, which does what they do; nothing where they stay apart.
std::optional<JoinedRows> joined(Join how, const For& first, const For& second) {
  const auto one_after_the_other = [](Block a, const Block& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const auto before = run(kernel({{first}, {second}}));
  auto r = how(first, second, one_after_the_other);
  if (!r) return r;
  Block all = r->before;
  all.push_back({r->parts});
  all.insert(all.end(), r->after.begin(), r->after.end());
  const Kernel k = kernel(distinct_names(all));
  INFO(str(k));
  CHECK(run(k) == before);
  return r;
}

// ---- rows

/// A row of `a` is a row of `x` twice.
For row_loop(const Nat& j) {
  return loop(
      Vec, "i", kColumns,
      [&](const Nat& i) {
        return Block{put("a", {j, i}, twice(at("x", {j, i})))};
      },
      4);
}
For rows_of(
    std::int64_t n,
    const std::function<Block(const Nat&)>& body = [](const Nat& j) { return Block{{row_loop(j)}}; }) {
  return loop(Par, "j", n, body);
}
/// Of each part of `trips` times `each` rows of an array, their sums, so many at a time.
For parts_of(std::int64_t n, std::int64_t trips, std::int64_t each,
             const std::function<Term(const Nat& p, const Nat& r, const Nat& i)>& more = {}) {
  return loop(Par, "p", n / trips / each, [&](const Nat& p) {
    const For first = loop(Seq, "i", kColumns, [&](const Nat& i) {
      return Block{put("s", {p, i}, number(0))};
    });
    const For within = loop(Seq, "r", trips, [&](const Nat& r) {
      return Block{{loop(
          Vec, "i", kColumns,
          [&](const Nat& i) {
            Term sum = at("s", {p, i});
            for (std::int64_t e = 0; e < each; ++e)
              sum = plus(sum, at("x", {trips * each * p + each * r + e, i}));
            return Block{put("s", {p, i}, more ? plus(sum, more(p, r, i)) : sum)};
          },
          4)}};
    });
    return Block{{first}, {within}};
  });
}

/// Rows go side by side, element by element.
bool side_by_side(const std::optional<JoinedRows>& r) {
  return r && holds(r->parts.body, [](const Stmt& s) {
           const auto* f = std::get_if<For>(&s.v);
           const auto* rows =
               f && f->kind == Vec && !f->body.empty() ? std::get_if<For>(&f->body[0].v) : nullptr;
           return rows && rows->kind == Unroll;
         });
}

}  // namespace

TEST_CASE("join-rows: loops by hand, rows before and after their sums") {
  const auto made = [](const Nat& p, const Nat& r, const Nat& i) { return at("a", {4 * p + 2 * r, i}); };
  CHECK(side_by_side(joined(join_rows, rows_of(8), parts_of(8, 2, 2))));
  CHECK(side_by_side(joined(join_rows, rows_of(8), parts_of(8, 2, 2, made))));
  CHECK(side_by_side(joined(join_rows, parts_of(8, 2, 2), rows_of(8))));
  CHECK(joined(join_rows, rows_of(11), parts_of(8, 2, 2))->before.size() == 1);
  CHECK(joined(join_rows, parts_of(8, 2, 2), rows_of(11))->after.size() == 1);
  CHECK_FALSE(joined(join_rows, rows_of(7), parts_of(8, 2, 2)));
}

TEST_CASE("join-rows: rows that a part needs earlier, and loops of their own ways, stay apart") {
  // The first iteration of a part reads what the second one's row makes.
  const auto later = [](const Nat& p, const Nat& r, const Nat& i) { return at("a", {4 * p + 3 - 2 * r, i}); };
  CHECK_FALSE(joined(join_rows, rows_of(8), parts_of(8, 2, 2, later)));
  CHECK_FALSE(joined(join_rows, parts_of(8, 2, 2, later), rows_of(8)));
  // Every second row is made.
  For second = rows_of(8);
  second.step = 2;
  CHECK_FALSE(joined(join_rows, second, parts_of(8, 2, 2)));
  // The rows of a part are made abreast.
  For abreast = parts_of(8, 2, 2);
  auto& within = std::get<For>(abreast.body[1].v);
  within.rows = 2, within.columns = 4;
  CHECK_FALSE(joined(join_rows, rows_of(8), abreast));
  // From the second row of a part on.
  For from = parts_of(8, 2, 2);
  std::get<For>(from.body[1].v).lower = 1;
  CHECK_FALSE(joined(join_rows, rows_of(8), from));
}

TEST_CASE("join-rows: rows go one after the other where they are many, or more than a loop over vectors") {
  const auto apart = [](const std::optional<JoinedRows>& r) { return r && !side_by_side(r); };
  CHECK(side_by_side(joined(join_rows, rows_of(16), parts_of(16, 1, 8))));
  CHECK(apart(joined(join_rows, rows_of(18), parts_of(18, 1, 9))));
  const auto two_loops = [](const Nat& j) {  // a row of which the second loop needs all that the first makes
    const For next = loop(Vec, "i", kColumns, [&](const Nat& i) {
      return Block{put("a", {j, i}, plus(at("a", {j, i}), at("c", {j, 7 - i})))};
    });
    const For first = loop(Vec, "i", kColumns, [&](const Nat& i) {
      return Block{put("c", {j, i}, at("x", {j, i}))};
    });
    return Block{{first}, {next}};
  };
  CHECK(apart(joined(join_rows, rows_of(8, two_loops), parts_of(8, 2, 2))));
  const auto with_loop = [](const Nat& j) {
    return Block{{loop(Vec, "i", kColumns / 2, [&](const Nat& i) {
      return Block{{loop(Seq, "e", 2, [&](const Nat& e) {
        return Block{put("a", {j, 2 * i + e}, twice(at("x", {j, 2 * i + e})))};
      })}};
    })}};
  };
  CHECK(apart(joined(join_rows, rows_of(8, with_loop), parts_of(8, 2, 2))));
  const auto in_order = [](const Nat& j) {  // an element needs the one before it
    return Block{{loop(Vec, "i", kColumns - 1, [&](const Nat& i) {
      return Block{put("a", {j, i + 1}, plus(at("a", {j, i}), at("x", {j, i})))};
    })}};
  };
  CHECK(apart(joined(join_rows, rows_of(8, in_order), parts_of(8, 2, 2))));
  const auto in_sequence = [](const Nat& j) {
    return Block{{loop(Seq, "i", kColumns, [&](const Nat& i) {
      return Block{put("a", {j, i}, twice(at("x", {j, i})))};
    })}};
  };
  CHECK(apart(joined(join_rows, rows_of(8, in_sequence), parts_of(8, 2, 2))));
  const auto no_loop = [](const Nat& j) { return Block{put("b", {j}, twice(at("v", {j})))}; };
  const For sums = loop(Par, "p", 2, [](const Nat& p) {
    return Block{
        put("t", {p}, number(0)), {loop(Seq, "r", 2, [&](const Nat& r) {
          return Block{put("t", {p},
                           plus(at("t", {p}), plus(at("v", {4 * p + 2 * r}), at("v", {4 * p + 2 * r + 1}))))};
        })}};
  });
  CHECK(apart(joined(join_rows, rows_of(8, no_loop), sums)));
}

// ---- elements

namespace {

For elements(std::int64_t n = 8, const std::function<Block(const Nat&)>& body = {}, int width = 4) {
  return loop(
      Vec, "i", n, [&](const Nat& i) { return body ? body(i) : Block{put("b", {i}, twice(at("v", {i})))}; },
      width);
}
/// Four sums, of so many elements each, beside `more` in each lane.
For sums(std::int64_t trips = 2, const std::function<Term(const Nat& s, const Nat& l)>& more = {},
         const Nat& lanes = 4, LoopKind around = Seq) {
  return loop(Seq, "s", trips, [&](const Nat& s) {
    const For each = loop(
        Vec, "l", lanes,
        [&](const Nat& l) {
          const Term sum = plus(at("t", {l}), at("v", {4 * s + l}));
          return Block{put("t", {l}, more ? plus(sum, more(s, l)) : sum)};
        },
        4);
    if (around == Seq) return Block{{each}};
    return Block{{loop(around, "u", 1, [&](const Nat&) {
      return Block{put("w", {0}, at("v", {s})), {each}};
    })}};
  });
}

}  // namespace

TEST_CASE("join-rows: elements go before and after what takes up so many of them") {
  const auto made = [](const Nat& s, const Nat& l) { return at("b", {4 * s + l}); };
  CHECK(joined(join_elements, elements(), sums()));
  CHECK(joined(join_elements, elements(), sums(2, made)));
  CHECK(joined(join_elements, sums(), elements()));
  CHECK(joined(join_elements, sums(2, made), elements()));
  CHECK(joined(join_elements, elements(11), sums())->before.size() == 1);
  CHECK(joined(join_elements, sums(), elements(11))->after.size() == 1);
  CHECK(joined(join_elements, elements(), sums(2, {}, 4, Unroll)));  // vectors in what is written out
  const auto first_too = [](const Nat& i) {
    return Block{put("b", {i}, plus(at("v", {3}), twice(at("v", {i}))))};
  };
  CHECK(joined(join_elements, elements(8, first_too), sums()));
}

TEST_CASE("join-rows: elements that are needed at other times, or are others, stay by themselves") {
  const auto later = [](const Nat& s, const Nat& l) { return at("b", {4 - 4 * s + l}); };
  CHECK_FALSE(joined(join_elements, elements(), sums(2, later)));
  CHECK_FALSE(joined(join_elements, sums(2, later), elements()));
  CHECK_FALSE(joined(join_elements, elements(), sums(3)));  // more than the row has
  CHECK_FALSE(joined(join_elements, sums(3), elements()));
  CHECK_FALSE(joined(join_elements, elements(8, {}, 8), sums()));  // vectors are longer than what is taken
  CHECK_FALSE(joined(join_elements, elements(), sums(2, {}, Nat::size("n", 1))));
  CHECK_FALSE(joined(join_elements, elements(), loop(Seq, "s", 2, [](const Nat& s) {
                       return Block{{loop(Unroll, "u", 4, [&](const Nat& u) {
                         return Block{put("t", {u}, at("v", {4 * s + u}))};
                       })}};
                     })));
  For waits = sums();
  waits.waits = true;
  CHECK_FALSE(joined(join_elements, elements(), waits));

  const auto row = [](const std::function<Block(const Nat&)>& body) {
    return joined(join_elements, elements(8, body), sums()).has_value();
  };
  const auto chosen = [](const NatCond& c, const Nat& i) {
    return Block{put("b", {i}, apply_term(Op::Select, f64, {compare_term(c), at("v", {i}), number(7)}))};
  };
  const Nat n = Nat::size("n", 1);
  CHECK(row([&](const Nat& i) { return chosen(less(n, 3), i); }));        // the same in all elements
  CHECK_FALSE(row([&](const Nat& i) { return chosen(less(i, 3), i); }));  // which element is asked
  CHECK_FALSE(row([&](const Nat& i) {
    return Block{{If{{compare_term(less(n, 3))}, {put("w", {i}, at("v", {i}))}}},
                 put("b", {i}, at("v", {i}))};
  }));
  CHECK_FALSE(row([&](const Nat& i) {
    return Block{{If{{compare_term(less(i, 3))}, {put("w", {i}, at("v", {i}))}}}, chosen(less(i, 5), i)[0]};
  }));
  CHECK_FALSE(row([](const Nat& i) {  // pairs of elements lie in one
    return Block{put("b", {i}, plus(at("v", {i}), at("w", {floordiv(i, 2)})))};
  }));
  CHECK_FALSE(row([](const Nat& i) {
    return Block{put("b", {i}, plus(at("w", {floordiv(i, 2)}), at("v", {i}))), put("w", {i + 8}, number(1))};
  }));
  CHECK_FALSE(row([](const Nat& i) { return Block{put("b", {i}, at("w", {i}))}; }));  // of other arrays
  CHECK_FALSE(row([](const Nat& i) {  // an element needs the one before it
    return Block{put("b", {i + 1}, plus(at("b", {i}), at("v", {i})))};
  }));
  CHECK_FALSE(row([](const Nat& i) {
    return Block{
        {loop(Seq, "e", 2, [&](const Nat& e) { return Block{put("b", {2 * i + e}, at("v", {i}))}; })}};
  }));
}

}  // namespace lift::join_rows_test
