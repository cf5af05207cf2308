// Which elements an iteration has to itself, on loops written by hand: what others find, or what may lie
// anywhere, stays an array.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;

namespace contract_edges_test {
namespace {

const std::int64_t kRows = 4, kTimes = 3, kLength = 12;

Stmt loop(std::int64_t n, const std::function<Block(const Nat&)>& body, LoopKind kind = LoopKind::Seq) {
  For f;
  f.var = Nat::fresh("k", 0, n - 1), f.upper = n, f.kind = kind;
  f.body = body(f.var);
  return {f};
}
Term at(const char* array, const std::vector<Nat>& position) { return load_term(array, position, f64); }
Stmt put(const char* array, const std::vector<Nat>& position, const Term& value) {
  return {Store{array, position, value, false}};
}
Stmt when(const NatCond& c, Block body) { return {If{{compare_term(c)}, std::move(body)}}; }

/// a, out and w, which is the kernel's own and of this shape. n is a size.
Kernel kernel(const std::vector<Nat>& shape, Block body, const LayoutRequest& layout = {}) {
  const Type rows = array({kLength, kLength}, f64), own = array(shape, f64);
  Kernel k;
  k.name = "k", k.results = {"out"}, k.sizes = {"n"};
  k.arguments = {{"a", rows, Layout({}, rows), false, true, {}},
                 {"out", rows, Layout({}, rows), true, false, {}},
                 {"w", own, Layout(layout, own), true, true, {}, true}};
  k.body = std::move(body);
  return k;
}
/// for t: for j in parallel.
Block over_time(const std::function<Block(const Nat& t, const Nat& j)>& body) {
  return {loop(kTimes, [&](const Nat& t) {
    return Block{loop(
        kRows, [&](const Nat& j) { return body(t, j); }, LoopKind::Par)};
  })};
}
std::vector<double> out_of(Kernel k, std::int64_t n) {
  test::LoopRunner loops;
  loops.index["n"] = n;
  linearise(k);
  for (const KernelArgument& a : k.arguments)
    for (std::int64_t i = 0; i < *a.layout.size().constant(); ++i)
      loops.arrays[a.name].push_back(a.name == "a" ? static_cast<double>(i) : -1);
  loops.run(k);
  CHECK(loops.races.empty());
  return loops.arrays.at("out");
}
/// What is left of w after the pass: "array", or each iteration's elements, 0 where it is a value. What is
/// computed stays the same.
std::string left_of(Kernel k, std::int64_t n = 2) {
  verify(k, Form::Positions, "the test");
  const std::vector<double> before = out_of(k, n);
  contract_arrays(k);
  INFO(str(k));
  verify(k, Form::Positions, "contract-arrays");
  CHECK(out_of(k, n) == before);
  for (const KernelArgument& a : k.arguments)
    if (a.name == "w") return "array";
  std::int64_t elements = 0;
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) elements += *Layout({}, a->type).size().constant();
  });
  return std::to_string(elements);
}

}  // namespace

TEST_CASE(
    "contract-arrays: an index that is no line in the loop's variable may be that of another iteration") {
  // Stored at the first two times, read at the third one, too.
  CHECK(left_of(kernel({2, kRows}, over_time([](const Nat& t, const Nat& j) {
                         return Block{when(less(t, 2), {put("w", {mod(t, 2), j}, at("a", {t, j}))}),
                                      put("out", {t, j}, at("w", {mod(t, 2), j}))};
                       }))) == "array");
  // A row of so many as are known when the kernel runs.
  const Nat n = Nat::size("n");
  CHECK(left_of(kernel({kLength}, {when(less(n, 4), {loop(
                                                        kRows,
                                                        [&](const Nat& j) {
                                                          return Block{
                                                              put("w", {n * j}, at("a", {j, 0})),
                                                              when(less(0, j),
                                                                   {put("w", {n * j}, at("a", {j, 1}))}),
                                                              put("out", {j, 0}, at("w", {n * j}))};
                                                        },
                                                        LoopKind::Par)})}),
                3) == "array");
}

TEST_CASE("contract-arrays: tiles that begin elsewhere, or overlap, or have no known end stay") {
  const auto pair = [](const Nat& t, const Nat& j) {
    return loop(2, [&](const Nat& c) { return Block{put("w", {2 * t + c, j}, at("a", {2 * t + c, j}))}; });
  };
  // Twice as far apart where they are read: at the third time, what the second one has stored.
  CHECK(left_of(kernel({10, kRows}, over_time([&](const Nat& t, const Nat& j) {
                         return Block{put("w", {2 * t + 2, j}, at("a", {t, j})),
                                      when(less(1, t), {put("out", {t, j}, at("w", {4 * t - 4, j}))})};
                       }))) == "array");
  CHECK(left_of(kernel(
            {10, kRows}, over_time([&](const Nat& t, const Nat& j) {
              return Block{pair(t, j), when(less(0, t), {put("out", {t, j}, at("w", {4 * t - 4, j}))})};
            }))) == "array");
  // What the time before has stored.
  CHECK(left_of(kernel({10, kRows}, over_time([&](const Nat& t, const Nat& j) {
                         return Block{put("w", {2 * t + 2, j}, at("a", {t, j})),
                                      when(less(0, t), {put("out", {t, j}, at("w", {2 * t, j}))})};
                       }))) == "array");
  // Two each: what is stored at a time is read at that time only.
  CHECK(left_of(kernel({6, kRows}, over_time([&](const Nat& t, const Nat& j) {
                         return Block{pair(t, j), put("out", {t, j}, at("w", {2 * t + 1, j}))};
                       }))) == "2");
  // From n on, or up to it.
  const Nat n = Nat::size("n");
  for (const Nat& from : {n - 1, 3 - n})
    CHECK(left_of(kernel({4 * Nat(kRows)},
                         {when(less(n, 3), {loop(
                                               kRows,
                                               [&](const Nat& j) {
                                                 return Block{
                                                     put("w", {4 * j + from}, at("a", {j, 0})),
                                                     put("w", {4 * j + from + 1}, at("a", {j, 1})),
                                                     put("out", {j, 0}, at("w", {4 * j + from})),
                                                     put("out", {j, 1}, at("w", {4 * j + from + 1}))};
                                               },
                                               LoopKind::Par)})})) == "array");
}

TEST_CASE("contract-arrays: a tile that each time begins with is kept, whatever else is stored with it") {
  const auto tiles = [](const Nat& stored) {
    return over_time([&](const Nat& t, const Nat& j) {
      return Block{loop(3,
                        [&](const Nat& c) {
                          return Block{
                              put("out", {t, 3 * j + c}, at("a", {0, c})),
                              when(less(c, stored), {put("w", {3 * j + c}, at("a", {t, 3 * j + c}))}),
                              put("w", {3 * j + c}, at("a", {t, 3 * j + c}))};
                        }),
                   loop(3, [&](const Nat& c) {
                     return Block{put("out", {3 + t, 3 * j + c}, at("w", {3 * j + 2 - c}))};
                   })};
    });
  };
  CHECK(left_of(kernel({kLength}, tiles(1))) == "3");
  // Two of three: the third is of the time before.
  const auto some = [](const std::int64_t many) {
    return over_time([&](const Nat& t, const Nat& j) {
      return Block{when(equal(t, 0), {loop(3,
                                           [&](const Nat& c) {
                                             return Block{put("w", {3 * j + c}, at("a", {t, c}))};
                                           })}),
                   loop(many,
                        [&](const Nat& c) {
                          return Block{put("w", {3 * j + c}, at("a", {t, 3 * j + c}))};
                        }),
                   loop(3, [&](const Nat& c) {
                     return Block{put("out", {t, 3 * j + c}, at("w", {3 * j + 2 - c}))};
                   })};
    });
  };
  CHECK(left_of(kernel({kLength}, some(2))) == "array");
  const auto first = [](std::int64_t many) {
    return over_time([&](const Nat& t, const Nat& j) {
      return Block{loop(many,
                        [&](const Nat& c) {
                          return Block{put("w", {3 * j + c}, at("a", {t, 3 * j + c}))};
                        }),
                   when(less(0, t), {put("out", {t, j}, at("w", {3 * j + 2}))}),
                   when(equal(t, 0), {loop(3, [&](const Nat& c) {
                          return Block{put("w", {3 * j + c}, at("a", {t, c}))};
                        })})};
    });
  };
  CHECK(left_of(kernel({kLength}, first(2))) == "array");
  CHECK(left_of(kernel({kLength}, first(3))) == "3");
}

TEST_CASE("contract-arrays: only in loops that run as they are written, of arrays that lie as they are") {
  const auto rows = [](const Nat& t, const Nat& j) {
    return Block{loop(kRows,
                      [&](const Nat& c) {
                        return Block{put("w", {j, c}, at("a", {t, c}))};
                      }),
                 loop(kRows, [&](const Nat& c) {
                   return Block{put("out", {4 * t + c, j}, at("w", {j, 3 - c}))};
                 })};
  };
  const auto with = [&](const std::function<void(For&)>& change) {
    Block b = over_time(rows);
    change(std::get<For>(b[0].v));
    return left_of(kernel({kRows, kRows}, b));
  };
  CHECK(with([](For&) {}) == "4");
  CHECK(with([](For& f) { f.team = true; }) == "array");
  CHECK(with([](For& f) { f.kind = LoopKind::Unroll, f.width = 2; }) == "array");
  CHECK(left_of(kernel({kRows, kRows}, over_time(rows), parse_layout("rows 8 1"))) == "array");
  CHECK(left_of(kernel({kRows, kRows}, {{Launch{"first", {}, over_time(rows), {}}}})) == "array");
  // What a launch leaves for the next one.
  Block first = over_time(rows), second = first;
  const auto keep = [](Block b, std::size_t at) {
    Block& body = std::get<For>(std::get<For>(b.at(0).v).body.at(0).v).body;
    body = {body.at(at)};
    return b;
  };
  CHECK(left_of(kernel({kRows, kRows}, {{Launch{"first", {}, keep(first, 0), {}}},
                                        {Launch{"second", {}, keep(second, 1), {}}}})) == "array");
}

TEST_CASE("contract-arrays: what items of a grid have in local memory stays there") {
  for (const AddressSpace space : {AddressSpace::Local, AddressSpace::Global}) {
    Kernel k =
        kernel({1}, {{Allocate{"v", array({Nat(kRows)}, f64), space}},
                     loop(
                         kRows,
                         [](const Nat& j) {
                           return Block{put("v", {j}, at("a", {j, 0})), put("out", {j, 0}, at("v", {j}))};
                         },
                         LoopKind::Glb)});
    const std::vector<double> before = out_of(k, 1);
    contract_arrays(k);
    verify(k, Form::Positions, "contract-arrays");
    CHECK(out_of(k, 1) == before);
    CHECK(test::count<Allocate>(k.body) == (space == AddressSpace::Local ? 1 : 0));
  }
}

}  // namespace contract_edges_test
