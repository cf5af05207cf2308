// Records, rows and bytes: which of them are moved together, on loops written by hand.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/narrow_arrays.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::records_test {
namespace {

using test::count;

For over(const Nat& n, const std::function<Block(const Nat&)>& body, LoopKind kind = LoopKind::Seq,
         int dim = 0) {
  For f;
  f.var = Nat::fresh("i", 0, n - 1), f.upper = n, f.kind = kind, f.dim = dim;
  f.body = body(f.var);
  return f;
}
Term at(const std::string& array, const Nat& i, Scalar type = f64) { return load_term(array, {i}, type); }

/// The sum of some elements of each record of eight, by vectors of so many lanes.
constexpr std::int64_t kRecords = 24;
Kernel summed(int width, const std::function<std::vector<Term>(const Nat& i)>& elements) {
  const Type x = array({Nat(8 * kRecords + 8)}, f64), y = array({Nat(kRecords)}, f64);
  Kernel k;
  k.name = "k", k.results = {"y"};
  k.arguments = {{"x", x, Layout({}, x), false, true, {}}, {"y", y, Layout({}, y), true, true, {}}};
  For f = over(
      kRecords,
      [&](const Nat& i) {
        Term sum = constant_term(0, f64);
        double weight = 1;
        for (const Term& e : elements(i))
          sum = apply_term(Op::Add, f64, {sum, apply_term(Op::Mul, f64, {constant_term(weight++, f64), e})});
        return Block{{Store{"y", {i}, sum}}};
      },
      LoopKind::Vec);
  f.width = width;
  k.body = {{f}};
  return k;
}
std::vector<double> result_of(const Kernel& k) {
  test::LoopRunner loops;
  for (std::int64_t i = 0; i < 8 * kRecords + 8; ++i)
    loops.arrays["x"].push_back(static_cast<double>(i * i % 97));
  loops.arrays["y"].assign(kRecords, -1);
  loops.run(k);
  return loops.arrays.at("y");
}
std::vector<Term> record(const Nat& i, std::int64_t from = 0, std::int64_t to = 8) {
  std::vector<Term> all;
  for (std::int64_t e = from; e < to; ++e) all.push_back(at("x", 8 * i + e));
  return all;
}
/// Vectors; what they compute is the same.
Kernel in_vectors(const Kernel& k) {
  Kernel scalar = k, r = k;
  std::get<For>(scalar.body.at(0).v).kind = LoopKind::Seq;
  const int width = std::get<For>(k.body[0].v).width;
  r.body = vectorise(k.body, k, {.vector_bytes = 8 * width});
  INFO(str(r));
  verify(r, Form::Vectors, "vectorise");
  CHECK(result_of(r) == result_of(scalar));
  return r;
}

}  // namespace

TEST_CASE("records: whole ones are transposed by powers of two only") {
  for (const int width : {2, 4, 8}) in_vectors(summed(width, [](const Nat& i) { return record(i); }));
  for (const int width : {3, 6})
    CHECK_THROWS_WITH_AS(in_vectors(summed(width, [](const Nat& i) { return record(i); })),
                         doctest::Contains("x is accessed with stride 8"), UserError);
}

TEST_CASE(
    "records: an element of the next one, or one that is asked for in some iterations only, is not theirs") {
  CHECK_THROWS_WITH_AS(in_vectors(summed(4, [](const Nat& i) { return record(i, 0, 9); })),
                       doctest::Contains("x is accessed with stride 8"), UserError);
  in_vectors(summed(4, [](const Nat& i) { return record(i, 1, 9); }));  // records that begin elsewhere
  const auto some = [](const std::string& array, const Nat& i) {
    const Term asks = apply_term(Op::Lt, boolean, {constant_term(40, f64), at(array, i)});
    return std::vector{apply_term(Op::Select, f64, {asks, at("x", 8 * i + 2), constant_term(5, f64)})};
  };
  CHECK_THROWS_WITH_AS(in_vectors(summed(4, [&](const Nat& i) { return some("x", i); })),
                       doctest::Contains("x is accessed with stride 8"), UserError);
  // Beside all of the record it is there anyway.
  in_vectors(summed(4, [&](const Nat& i) {
    std::vector<Term> all = record(i);
    all.push_back(some("x", i).at(0));
    return all;
  }));
}

TEST_CASE("copy-rows: what a group copies together are rows, contiguous on both sides, by all of its items") {
  const Type tile = array({Nat(16)}, f64);
  const auto async = [](const Nat& to, const Nat& from) {
    return Stmt{Store{"t", {to}, at("a", from), false, true}};
  };
  const auto copied = [&](const std::function<Block(const Nat& i)>& body, LoopKind kind = LoopKind::Lcl) {
    return copy_rows({{Allocate{"t", tile, AddressSpace::Local}}, {over(8, body, kind)}});
  };
  const Block rows = copied([&](const Nat& i) { return Block{async(i + 3, i + 5)}; });
  REQUIRE(rows.size() == 2);
  REQUIRE(std::holds_alternative<CopyRow>(rows[1].v));
  const auto& row = std::get<CopyRow>(rows[1].v);
  CHECK(row.to_position == std::vector<Nat>{3});
  CHECK(row.from_position == std::vector<Nat>{5});
  CHECK(row.elements == Nat(8));
  for (const auto& [to, from] : std::vector<std::pair<int, int>>{{2, 1}, {1, 2}, {-1, 1}})
    CHECK_THROWS_WITH_AS(
        copied([&](const Nat& i) { return Block{async(to * i + 7, from * i)}; }),
        doctest::Contains("the rows of a that are copied are not contiguous; leave out async"), UserError);
  CHECK_THROWS_WITH_AS(copied([&](const Nat&) {
                         return Block{{over(
                             8, [&](const Nat& i) { return Block{async(i, i)}; }, LoopKind::Lcl, 1)}};
                       }),
                       doctest::Contains("all work-items of a group copy a row of a together"), UserError);
  // A loop that copies and does more, or goes over no items.
  CHECK_THROWS_WITH_AS(
      copied([&](const Nat& i) {
        return Block{async(i, i), async(i + 8, i)};
      }),
      doctest::Contains("copies whole rows that are contiguous in memory, and a is read otherwise"),
      UserError);
  CHECK_THROWS_WITH_AS(copied([&](const Nat& i) { return Block{async(i, i)}; }, LoopKind::Seq),
                       doctest::Contains("a is read otherwise"), UserError);
  // What is not asynchronous stays.
  const Block plain = copied([](const Nat& i) { return Block{{Store{"t", {i}, at("a", i)}}}; });
  CHECK(count<CopyRow>(plain) == 0);
  CHECK(count<Store>(plain) == 1);
}

TEST_CASE("narrow-arrays: short arrays of an iteration's own that hold bytes, and no others") {
  const auto bytes = [](AddressSpace space, std::int64_t length, std::int64_t most, Scalar type) {
    const Type x = array({Nat(length)}, u8), y = array({Nat(length)}, type);
    Kernel k;
    k.name = "k", k.results = {"y"};
    k.arguments = {{"x", x, Layout({}, x), false, true, {}}, {"y", y, Layout({}, y), true, true, {}}};
    k.body = {{Allocate{"s", array({Nat(length)}, type), space}}};
    k.body.push_back({over(length, [&](const Nat& i) {
      const Term value = apply_term(
          Op::Min, type,
          {apply_term(Op::Cast, type, {at("x", i, u8)}), constant_term(static_cast<double>(most), type)});
      const Term more = most > 255 ? apply_term(Op::Add, type, {value, constant_term(1, type)}) : value;
      return Block{{Store{"s", {i}, more}}};
    })});
    k.body.push_back({over(length, [&](const Nat& i) {
      return Block{{Store{"y", {i}, at("s", Nat(length - 1) - i, type)}}};
    })});
    Kernel r = k;
    r.body = narrow_arrays(k.body, ValueRanges(k));
    verify(r, Form::Flat, "narrow-arrays");
    const auto out = [&](const Kernel& of) {
      test::LoopRunner loops;
      for (std::int64_t i = 0; i < length; ++i)
        loops.arrays["x"].push_back(static_cast<double>(255 - i % 256));
      loops.arrays["y"].assign(static_cast<std::size_t>(length), -1);
      loops.run(of);
      return loops.arrays.at("y");
    };
    CHECK(out(r) == out(k));
    return element_of(std::get<Allocate>(r.body.at(0).v).type) == Type(u8);
  };
  using enum AddressSpace;
  CHECK(bytes(Private, 16, 255, i32));
  CHECK(bytes(Private, 1024, 255, i32));
  CHECK_FALSE(bytes(Private, 1025, 255, i32));
  CHECK_FALSE(bytes(Private, 16, 256, i32));  // up to 256
  CHECK_FALSE(bytes(Private, 16, 255, f32));
  CHECK_FALSE(bytes(Local, 16, 255, i32));  // that all items of a group see
  CHECK_FALSE(bytes(Global, 16, 255, i32));
  // What a row of numbers is copied to may have any.
  const Type whole = array({Nat(16)}, i32);
  Kernel k;
  k.name = "k", k.results = {"y"};
  k.arguments = {{"x", whole, Layout({}, whole), false, true, {}},
                 {"y", whole, Layout({}, whole), true, true, {}}};
  k.body = {{Allocate{"s", whole}}, {CopyRow{"s", {Nat(0)}, "x", {Nat(0)}, 16}}, {over(16, [](const Nat& i) {
              return Block{{Store{"y", {i}, at("s", i, i32)}}};
            })}};
  verify(k, Form::Flat, "the test");
  CHECK(std::get<Allocate>(narrow_arrays(k.body, ValueRanges(k)).at(0).v).type == whole);
}

}  // namespace lift::records_test
