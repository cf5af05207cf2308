// Work arrays that lie in others: those of stages that need of the stage before the elements that they store.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/loops/verify.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/loops_by_hand.hpp"

using namespace lift;

namespace reuse_arrays_test {
namespace {

using namespace test::loops_by_hand;

const std::int64_t kRows = 6, kColumns = 8;

/// For all elements, rows shared among threads.
Stmt each(const std::function<Block(const Nat& j, const Nat& i)>& body) {
  return {loop(
      0, kRows,
      [&](const Nat& j) { return Block{{loop(0, kColumns, [&](const Nat& i) { return body(j, i); })}}; },
      LoopKind::Par)};
}

/// v is 2 a + 1; then `stage` makes w; then out is w, each row the other way round.
Kernel stages(const Block& stage, bool reads_v = false) {
  const Type rows = array({kRows, kColumns}, f64);
  Kernel k = kernel(
      {each([](const Nat& j, const Nat& i) {
        return Block{put("v", {j, i}, plus(plus(at("a", {j, i}), at("a", {j, i})), constant_term(1, f64)))};
      })},
      rows, rows);
  k.body.insert(k.body.end(), stage.begin(), stage.end());
  k.body.push_back(each([&](const Nat& j, const Nat& i) {
    const Term other = at("w", {j, Nat(kColumns - 1) - i});
    return Block{put("out", {j, i}, reads_v ? plus(other, at("v", {j, i})) : other)};
  }));
  return k;
}
/// Whether w lies in v; the result is the same in any case.
bool reused(Kernel k) {
  verify(k, Form::Positions, "the test");
  const std::vector<double> before = out_of(k, {{"n", 2}});
  reuse_arrays(k);
  INFO(str(k));
  verify(k, Form::Positions, "reuse-arrays");
  CHECK(out_of(k, {{"n", 2}}) == before);
  return !has_w(k);
}
/// w is what `value` says.
Block cells(const std::function<Term(const Nat& j, const Nat& i)>& value) {
  return {each([&](const Nat& j, const Nat& i) { return Block{put("w", {j, i}, value(j, i))}; })};
}
/// Sums along columns, tiles of so many of which begin so far apart.
Block columns(std::int64_t tile, std::int64_t apart) {
  return {{loop(
      0, (kColumns - tile) / apart + 1,
      [&](const Nat& t) {
        const auto row = [&](const std::function<Block(const Nat& i)>& body) {
          return loop(0, tile, [&](const Nat& i) { return body(apart * t + i); });
        };
        return Block{{row([](const Nat& i) {
                       return Block{put("w", {0, i}, at("v", {0, i}))};
                     })},
                     {loop(1, kRows, [&](const Nat& j) {
                       return Block{{row([&](const Nat& i) {
                         return Block{put("w", {j, i}, plus(at("w", {j - 1, i}), at("v", {j, i})))};
                       })}};
                     })}};
      },
      tile == apart ? LoopKind::Par : LoopKind::Seq)}};
}

}  // namespace

TEST_CASE("reuse-arrays: cells made of one element each lie where it lay") {
  const auto same = [](const Nat& j, const Nat& i) { return plus(at("v", {j, i}), at("a", {j, i})); };
  CHECK(reused(stages(cells(same))));
  // What another element is still needed for, or another stage, stays.
  CHECK_FALSE(reused(stages(cells([](const Nat& j, const Nat& i) {
    return at("v", {j, Nat(kColumns - 1) - i});
  }))));
  CHECK_FALSE(reused(stages(cells(same), true)));
  // So does what bypasses the cache: the line is in it.
  Block past = cells(same);
  past = rebuild(past, [](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v)) x->stream = true;
    return {std::move(s)};
  });
  CHECK_FALSE(reused(stages(past)));
}

TEST_CASE("reuse-arrays: sums along columns lie in what they are sums of, tile by tile") {
  CHECK(reused(stages(columns(4, 4))));
  CHECK(reused(stages(columns(kColumns, kColumns))));
  CHECK_FALSE(reused(stages(columns(4, 2))));  // columns of two tiles are summed twice
}

TEST_CASE("reuse-arrays: what is stored several times does not lie where it is made from") {
  const auto more = [](const Nat& j, const Nat& i) { return plus(at("v", {j, i}), constant_term(1, f64)); };
  CHECK_FALSE(reused(stages({{loop(0, 3, [&](const Nat&) { return cells(more); })}})));
  const Block first{{loop(0, kRows, [](const Nat& j) {
    return Block{put("w", {j, 0}, constant_term(7, f64))};
  })}};
  CHECK_FALSE(reused(stages(both(first, cells(more)))));
}

namespace {

/// w[row][i] is v there and one more, for all rows that `row` makes of r, and those columns.
Block more(const Nat& rows, const std::function<Nat(const Nat& r)>& row, const Nat& columns = kColumns) {
  return {{loop(0, rows, [&](const Nat& r) {
    return Block{{loop(0, columns, [&](const Nat& i) {
      return Block{put("w", {row(r), i}, plus(at("v", {row(r), i}), constant_term(1, f64)))};
    })}};
  })}};
}

}  // namespace

TEST_CASE("reuse-arrays: rows that come about otherwise than as lines may be stored twice") {
  CHECK(reused(stages(more(kRows, [](const Nat& r) { return Nat(kRows - 1) - r; }))));
  CHECK_FALSE(reused(stages(more(kRows, [](const Nat& r) { return mod(r, 3); }))));
  CHECK_FALSE(reused(stages(more(kRows, [](const Nat& r) { return floordiv(r, 2); }))));
  // By a name for it.
  const Nat named = Nat::fresh("row", 0, kRows - 1);
  Block by_name = more(kRows, [&](const Nat&) { return named; });
  auto& rows = std::get<For>(by_name[0].v);
  rows.body.insert(rows.body.begin(), {lift::Let{index_term(named), index_term(mod(rows.var, 3))}});
  CHECK_FALSE(reused(stages(by_name)));
  // Where an array says.
  Kernel k = stages(more(kRows, [](const Nat& r) {
    return position_of(apply_term(Op::Cast, i32, {at("a", {0, mod(r, 3)})}), kRows);
  }));
  CHECK_FALSE(reused(k));
  // A loop around of one iteration does nothing twice, as one of several does.
  const auto within = [](std::int64_t times) {
    return Block{{loop(0, times, [](const Nat&) { return more(kRows, [](const Nat& r) { return r; }); })}};
  };
  CHECK(reused(stages(within(1))));
  CHECK_FALSE(reused(stages(within(2))));
}

TEST_CASE("reuse-arrays: several stores of a stage are apart where it is known that they are") {
  const auto from = [](const Nat& first) { return [first](const Nat& r) { return first + r; }; };
  CHECK(reused(stages(both(more(3, from(0)), more(3, from(3))))));
  CHECK(reused(stages(both(more(3, from(3)), more(3, from(0))))));
  CHECK_FALSE(reused(stages(both(more(4, from(0)), more(3, from(3))))));
  // Above a size, or below one, of which nothing else is known.
  const Nat n = Nat::size("n");
  const auto of_sizes = [&](const Nat& first, const Nat& second) {
    Kernel k = stages({{If{{compare_term(less(n, 4))}, both(more(1, from(first)), more(1, from(second)))}}});
    k.sizes = {"n"};
    k.body.back() = {If{{compare_term(less(n, 4))}, {{loop(0, kColumns, [&](const Nat& i) {
                          const Nat other = Nat(kColumns - 1) - i;
                          return Block{put("out", {0, i}, at("w", {first, other})),
                                       put("out", {1, i}, at("w", {second, other}))};
                        })}}}};
    return reused(k);
  };
  CHECK(of_sizes(0, n));
  CHECK(of_sizes(n, 0));
  CHECK(of_sizes(5, 3 - n));
  CHECK(of_sizes(3 - n, 5));
  CHECK_FALSE(of_sizes(2, n));
  CHECK_FALSE(of_sizes(n, 2));
  CHECK_FALSE(of_sizes(1, 3 - n));
  CHECK_FALSE(of_sizes(3 - n, 1));
}

TEST_CASE("reuse-arrays: only arrays that lie as they are, in loops that run as they are written") {
  const auto cell = [](const Nat& j, const Nat& i) { return at("v", {j, i}); };
  const auto changed = [&](const std::function<void(Kernel&)>& change) {
    Kernel k = stages(cells(cell));
    change(k);
    return reused(k);
  };
  CHECK(changed([](Kernel&) {}));
  for (const std::size_t argument : {2, 3})
    CHECK_FALSE(changed([&](Kernel& k) {
      KernelArgument& a = k.arguments.at(argument);
      a.layout = Layout(parse_layout("rows 8 1"), a.type);
    }));
  CHECK_FALSE(changed([](Kernel& k) { k.body[1] = {Launch{"stage", {}, {k.body[1]}, {}}}; }));
  CHECK_FALSE(changed([](Kernel& k) {
    k.body = rebuild(k.body, [](Stmt s) -> Block {
      if (auto* x = std::get_if<Store>(&s.v)) x->async = x->array == "w";
      return {std::move(s)};
    });
  }));
  // An array that nothing uses is in nobody's way.
  Kernel k = stages(cells(cell));
  k.arguments.push_back(k.arguments.back()), k.arguments.back().name = "unused";
  CHECK(reused(k));
  k = stages(cells([](const Nat& j, const Nat& i) { return at("a", {j, i}); }));
  k.body.erase(k.body.begin());
  CHECK_FALSE(reused(k));
}

}  // namespace reuse_arrays_test
