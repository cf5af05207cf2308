// What values whole numbers are among, against all values that they come from.
#include "lower/analyses/value_ranges.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

namespace lift::value_ranges_test {
namespace {

Term number(double v, Scalar s = i32) { return constant_term(v, s); }
Term loaded(const std::string& array, Scalar s = i32) { return load_term(array, {Nat(0)}, s); }
Stmt store(const std::string& array, const Term& value) { return {Store{array, {Nat(0)}, value}}; }
Stmt allocate(const std::string& array, Scalar s) { return {Allocate{array, lift::array({4}, s)}}; }
Kernel of_body(Block b) {
  Kernel k;
  k.body = std::move(b);
  return k;
}
std::int64_t floored(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

TEST_CASE("value ranges: equal where both ends are") {
  const ValueRange r{-1, 4};
  CHECK(r == ValueRange{-1, 4});
  CHECK_FALSE(r == ValueRange{-2, 4});
  CHECK_FALSE(r == ValueRange{-1, 5});
  CHECK(joined(r, {2, 9}) == ValueRange{-1, 9});
  CHECK(joined(r, {-3, 0}) == ValueRange{-3, 4});
}

TEST_CASE("value ranges: of an operation, as of all pairs of values") {
  struct Case {
    std::string name;
    std::function<Term(Term, Term)> term;
    std::function<std::int64_t(std::int64_t, std::int64_t)> value;
    bool exact = true;  ///< as narrow as can be
  };
  const auto binary = [](Op op) {
    return [op](const Term& a, const Term& b) { return apply_term(op, i32, {a, b}); };
  };
  const auto unary = [](Op op) {
    return [op](const Term& a, const Term&) { return apply_term(op, i32, {a}); };
  };
  const auto by = [](Op op, int m) {
    return [=](const Term& a, const Term&) { return apply_term(op, i32, {a, number(m)}); };
  };
  const Term c = local_term("c", boolean);
  const std::vector<Case> cases{
      {"sum", binary(Op::Add), [](auto a, auto b) { return a + b; }},
      {"difference", binary(Op::Sub), [](auto a, auto b) { return a - b; }},
      {"product", binary(Op::Mul), [](auto a, auto b) { return a * b; }},
      {"least", binary(Op::Min), [](auto a, auto b) { return std::min(a, b); }},
      {"most", binary(Op::Max), [](auto a, auto b) { return std::max(a, b); }},
      {"negative", unary(Op::Neg), [](auto a, auto) { return -a; }},
      {"without a sign", unary(Op::Abs), [](auto a, auto) { return std::abs(a); }},
      {"third", by(Op::Div, 3), [](auto a, auto) { return floored(a, 3); }},
      {"remainder by 3", by(Op::Mod, 3), [](auto a, auto) { return a - 3 * floored(a, 3); }, false},
      {"remainder by 8", by(Op::Mod, 8), [](auto a, auto) { return a - 8 * floored(a, 8); }, false},
      {"first",
       [&](const Term& a, const Term& b) {
         return apply_term(Op::Select, i32, {c, a, b});
       },
       [](auto a, auto) { return a; }, false},
      {"second",
       [&](const Term& a, const Term& b) {
         return apply_term(Op::Select, i32, {c, a, b});
       },
       [](auto, auto b) { return b; }, false},
  };
  const ValueRange ranges[] = {{0, 0}, {-5, 3}, {-7, -2}, {1, 4}, {0, 9}, {-4, 0}, {6, 7}};
  const Term a = local_term("a", i32), b = local_term("b", i32);
  for (const Case& of : cases)
    for (const ValueRange& x : ranges)
      for (const ValueRange& y : ranges) {
        INFO(of.name << " of " << x.lower << " to " << x.upper << " and " << y.lower << " to " << y.upper);
        std::set<std::int64_t> values;
        for (auto i = x.lower; i <= x.upper; ++i)
          for (auto j = y.lower; j <= y.upper; ++j) values.insert(of.value(i, j));
        ValueRanges known(of_body({}));
        known.define(a, x), known.define(b, y);
        const ValueRange found = known.of(of.term(a, b)), least{*values.begin(), *values.rbegin()};
        CHECK(least.within(found));
        if (of.exact) CHECK(found == least);
      }
}

TEST_CASE("value ranges: all values of the type where nothing is known, or some are beyond it") {
  ValueRanges known(of_body({}));
  const Term big = local_term("big", i32), small = local_term("small", i32), real = local_term("x", f32);
  known.define(big, {0, 2147483647}), known.define(small, {2, 3});
  const ValueRange all = range_of(i32);
  CHECK(all == ValueRange{-2147483648LL, 2147483647});
  struct Case {
    std::string name;
    Term term;
    ValueRange range;
  };
  const auto cast = [](Scalar to, const Term& t) { return apply_term(Op::Cast, to, {t}); };
  const std::vector<Case> cases{
      {"an unknown name", local_term("unknown", i32), all},
      {"a load from outside", loaded("x", u8), {0, 255}},
      {"an argument", argument_term("a", i32), all},
      {"beyond the largest", apply_term(Op::Add, i32, {big, small}), all},
      {"at the largest", apply_term(Op::Sub, i32, {big, small}), {-3, 2147483645}},
      {"too large a product", apply_term(Op::Mul, i32, {big, small}), all},
      {"a narrower type, which holds it", cast(u8, small), {2, 3}},
      {"a narrower type, which does not", cast(u8, big), {0, 255}},
      {"a wider type", cast(i64, big), {0, 2147483647}},
      {"whether it is none", cast(boolean, small), {0, 1}},
      {"a truth value as a number", cast(i32, loaded("x", boolean)), {0, 1}},
      {"of a fraction", cast(i32, real), all},
      {"a quotient by a variable", apply_term(Op::Div, i32, {big, small}), all},
      {"a quotient by a negative number", apply_term(Op::Div, i32, {big, number(-2)}), all},
      {"a remainder by a variable", apply_term(Op::Mod, i32, {big, small}), all},
      {"a remainder by a negative number", apply_term(Op::Mod, i32, {big, number(-2)}), all},
      {"a remainder", apply_term(Op::Mod, i32, {big, number(6)}), {0, 5}},
      {"a remainder that it is already", apply_term(Op::Mod, i32, {small, number(4)}), {2, 3}},
      {"a remainder that it is not quite", apply_term(Op::Mod, i32, {small, number(3)}), {0, 2}},
      {"an index", index_term(Nat::fresh("i", 3, 9)), {3, 9}},
      {"an index without an end", index_term(Nat::size("value_ranges_n", 1)), all},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const ValueRange found = known.of(c.term);
    CHECK(found.lower == c.range.lower);
    CHECK(found.upper == c.range.upper);
  }
}

TEST_CASE("value ranges: of arrays, by all that is stored in them") {
  const auto range = [](Block b, const std::string& array = "t") {
    return ValueRanges(of_body(std::move(b))).of_array(array);
  };
  const Stmt own = allocate("t", i32);
  const Term l = local_term("l", i32), x = loaded("x", u8);
  CHECK(range({own, store("t", number(7))}) == ValueRange{0, 7});
  CHECK(range({own, store("t", number(7)), store("t", number(-3))}) == ValueRange{-3, 7});
  CHECK(range({own, {Let{l, apply_term(Op::Cast, i32, {x})}}, store("t", l)}) == ValueRange{0, 255});
  // A variable may be assigned anything.
  CHECK(range({own, {Declare{l, number(1)}}, store("t", l)}) == range_of(i32));
  // What is loaded again, and grows each time.
  CHECK(range({own, store("t", apply_term(Op::Add, i32, {loaded("t"), number(1)}))}) == range_of(i32));
  CHECK(
      range({own, store("t", apply_term(Op::Min, i32,
                                        {apply_term(Op::Add, i32, {loaded("t"), number(1)}), number(5)}))}) ==
      ValueRange{0, 5});
  // From one array to another, in whatever order.
  CHECK(range({own, allocate("u", i32), store("t", loaded("u")), store("u", number(9))}) == ValueRange{0, 9});
  // Of others nothing is known: fractions, arrays of callers, arrays to which rows are copied.
  CHECK_FALSE(range({allocate("t", f32), store("t", number(7, f32))}));
  CHECK_FALSE(range({store("t", number(7))}));
  CHECK_FALSE(range({own, store("t", number(7)), {CopyRow{"t", {Nat(0)}, "x", {Nat(0)}, 4}}}));
  CHECK(range({own, allocate("u", i32), store("t", number(7)), {CopyRow{"u", {Nat(0)}, "x", {Nat(0)}, 4}}}) ==
        ValueRange{0, 7});
}

TEST_CASE("value ranges: of arrays among the arguments, where what they hold before means nothing") {
  const auto range = [](bool work, bool made, Type type = array({4}, i32)) {
    Kernel k = of_body({store("t", number(7))});
    KernelArgument a;
    a.name = "t", a.type = std::move(type), a.written = true, a.work = work, a.made = made;
    k.arguments = {a};
    return ValueRanges(k).of_array("t");
  };
  CHECK(range(true, false) == ValueRange{0, 7});
  CHECK(range(false, true) == ValueRange{0, 7});
  CHECK_FALSE(range(false, false));
  CHECK_FALSE(range(true, false, Type(i32)));
}

}  // namespace lift::value_ranges_test
