// Which elements are an iteration's own, and which rows go side by side: triangles, diagonals, loops that
// begin where another one is.
#include <doctest/doctest.h>

#include "lower/loops/verify.hpp"
#include "lower/passes/join_rows.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/loops_by_hand.hpp"

namespace lift::own_elements_test {
namespace {

using enum LoopKind;
using namespace test::loops_by_hand;

constexpr std::int64_t kLength = 8;

Stmt when(const NatCond& c, Block body) { return {If{{compare_term(c)}, std::move(body)}}; }

/// Own arrays are of this shape.
Kernel kernel(Block body, const std::vector<Nat>& shape) {
  return test::loops_by_hand::kernel(std::move(body), array({kLength, kLength}, f64), array(shape, f64));
}
/// What a pass leaves as it was, as nothing else is right.
void check_left(void (*pass)(Kernel&), const Kernel& given) {
  verify(given, Form::Positions, "the test");
  Kernel k = given;
  pass(k);
  INFO(str(k));
  CHECK(out_of(k) == out_of(given));
  CHECK(has_w(k));
}

}  // namespace

TEST_CASE("join-rows: rows of a triangle do not go side by side") {
  const auto rows = [](const std::function<Nat(const Nat&)>& end) {
    return loop(
        0, kLength,
        [&](const Nat& j) {
          return Block{{loop(
              0, end(j),
              [&](const Nat& i) {
                return Block{put("v", {j, i}, at("a", {j, i}))};
              },
              Vec, 4)}};
        },
        Par);
  };
  const For parts = loop(
      0, kLength / 4,
      [](const Nat& p) {
        const For zeros = loop(0, kLength, [&](const Nat& i) {
          return Block{put("w", {p, i}, constant_term(0, f64))};
        });
        const For sums = loop(0, 2, [&](const Nat& r) {
          return Block{{loop(
              0, kLength,
              [&](const Nat& i) {
                Term sum = at("w", {p, i});
                for (int e = 0; e < 2; ++e) sum = plus(sum, at("a", {4 * p + 2 * r + e, i}));
                return Block{put("w", {p, i}, sum)};
              },
              Vec, 4)}};
        });
        return Block{{zeros}, {sums}};
      },
      Par);
  const auto joined = [&](const std::function<Nat(const Nat&)>& end) {
    const For all = rows(end);
    const auto r = join_rows(all, parts, both);
    if (r) {
      Block b = r->before;
      b.push_back({r->parts});
      b.insert(b.end(), r->after.begin(), r->after.end());
      const Kernel k = kernel(b, {kLength, kLength});
      INFO(str(k));
      CHECK_NOTHROW(verify(k, Form::Positions, "join-rows"));
      CHECK(out_of(k) == out_of(kernel({{all}, {parts}}, {kLength, kLength})));
    }
    return r.has_value();
  };
  CHECK(joined([](const Nat&) { return Nat(kLength); }));
  CHECK(joined([](const Nat& j) { return j + 1; }));
}

TEST_CASE("reuse-arrays: iterations of a loop that begins where another one is may have one element") {
  // For i in [0, 3): for j in [i, i + 2): rows 2 i - j + 1, some twice.
  const For outer = loop(0, 3, [&](const Nat& i) {
    return Block{{loop(i, i + 2, [&](const Nat& j) {
      const Nat row = 2 * i - j + 1;
      return Block{{loop(0, kLength, [&](const Nat& c) {
        return Block{put("w", {row, c}, plus(at("v", {row, c}), constant_term(1, f64)))};
      })}};
    })}};
  });
  const auto each = [](const char* to, const char* from, std::int64_t rows) {
    return loop(0, rows, [=](const Nat& j) {
      return Block{{loop(0, kLength, [&](const Nat& c) {
        return Block{put(to, {j, c}, at(from, {j, c}))};
      })}};
    });
  };
  check_left(reuse_arrays,
             kernel({{each("v", "a", kLength)}, {outer}, {each("out", "w", 3)}}, {kLength, kLength}));
}

TEST_CASE("contract-arrays: the diagonal of an array is not all of it") {
  const For times = loop(0, 3, [](const Nat& t) {
    return Block{{loop(
        0, 4,
        [&](const Nat& j) {
          return Block{{loop(0, 2,
                             [&](const Nat& c) {
                               return Block{put("w", {j, c, c}, at("a", {t, j}))};
                             })},
                       when(less(0, t), {put("out", {t, j}, at("w", {j, 0, 1}))}),
                       when(equal(t, 0), {put("w", {j, 0, 1}, at("a", {5, j}))})};
        },
        Par)}};
  });
  check_left(contract_arrays, kernel({{times}}, {4, 2, 2}));
}

}  // namespace lift::own_elements_test
