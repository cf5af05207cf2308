// What symbolic arithmetic must be able to do for lowering: the equalities by which tiles and colours
// disappear.
#include <doctest/doctest.h>

#include <stdexcept>

#include "ir/nat/nat.hpp"

using namespace lift;

namespace nat_test {

TEST_CASE("proofs about products of numbers without a bound that is known do not overflow") {
  const Nat far = std::int64_t{1} << 40;
  const Nat m = Nat::size("m"), n = Nat::size("n"), i = Nat::fresh("i", 0, n - 1);
  const Nat pitch = Nat::fresh("pitch", 1, far), last = Nat::fresh("last", m * n - 1, m * n - 1),
            lo = Nat::fresh("lo", 1, far);
  CHECK(!Facts().proves(less_equal(lo * pitch - pitch + i + 64, last)));  // 2^80 is no 0
  CHECK(!(min(last, lo * pitch - pitch + i + 64) == lo * pitch - pitch + i + 64));
}

TEST_CASE("quotients and remainders of an index by the length it runs over") {
  const Nat n = Nat::size("n"), i = Nat::fresh("i", 0, n - 1), k = Nat::fresh("k", 0, 7);
  CHECK(floordiv(i, n) == Nat(0));
  CHECK(mod(i, n) == i);
  CHECK(floordiv(n * k + i, n) == k);
  CHECK(mod(n * k + i, n) == i);
  CHECK(mod(i + n, n) == i);
  CHECK(mod(i - n, n) == i);
  CHECK(n * floordiv(k, n) + mod(k, n) == k);
  const Nat inner = Nat::fresh("j", 1, n - 1);
  CHECK(mod(inner - 1 + n, n) == inner - 1);
}

TEST_CASE("what a program computes changes with every variable") {
  const Nat i = Nat::fresh("i", 0, 9), j = Nat::fresh("j", 0, 9), p = Nat::computed("p", 0, 9);
  CHECK(mentions(2 * i + 1, i));
  CHECK_FALSE(mentions(2 * j + 1, i));
  CHECK(mentions(2 * p + 1, i));
}

TEST_CASE("constants: multiples, common divisors, nesting") {
  const Nat x = Nat::fresh("x", 0, 100), y = Nat::fresh("y", 0, 100);
  CHECK(floordiv(2 * x, 4) == floordiv(x, 2));
  CHECK(floordiv(4 * x + 3, 2) == 2 * x + 1);
  CHECK(floordiv(floordiv(x, 3), 5) == floordiv(x, 15));
  CHECK(mod(mod(x, 12), 4) == mod(x, 4));
  CHECK(mod(5 * x + 8 * y + 3, 4) == mod(x + 3, 4));
  CHECK(mod(6 * x + 4, 4) == 2 * mod(x, 2));
  CHECK(floordiv(Nat(-1), 4) == Nat(-1));
  CHECK(mod(Nat(-1), 4) == Nat(3));
  CHECK_THROWS_AS(floordiv(x, 0), std::domain_error);
  CHECK_THROWS_AS(mod(x, -2), std::domain_error);
}

TEST_CASE("parity: red-black colours") {
  const Nat ii = Nat::fresh("ii", 0, 31), j = Nat::fresh("j", 0, 63), k = Nat::fresh("k", 0, 63),
            c = Nat::fresh("color", 0, 1);
  const Nat s = mod(j + k + c, 2);
  CHECK(mod(2 * ii + s + j + k, 2) == c);
  CHECK(mod(2 * ii + s + 1 + j + k, 2) == 1 - c);
  CHECK(mod(j + k + c + 1, 2) == 1 - s);
  CHECK(floordiv(2 * ii + s + 1, 2) == ii + s);
  CHECK(floordiv(2 * ii + s - 1, 2) == ii + s - 1);
  CHECK(floordiv(2 * ii + s + 2, 2) == ii + 1);
  CHECK(floordiv(65 - s, 2) == Nat(32));
  CHECK(floordiv(64 - s, 2) == 32 - s);
  CHECK(mod(c, 2) == c);
}

TEST_CASE("congruences of variables") {
  const Nat v = Nat::fresh("v", 1, 61, 4, 1), j = Nat::fresh("j", 0, 9);
  CHECK(mod(v, 4) == Nat(1));
  CHECK(mod(v + 3, 2) == Nat(0));
  CHECK(mod(v + j, 2) == 1 - mod(j, 2));
  CHECK(floordiv(v + 1, 4) == floordiv(v - 1, 4));
}

TEST_CASE("minima and maxima") {
  const Nat n = Nat::size("n"), i = Nat::fresh("i", 0, n - 1);
  CHECK(min(i, n) == i);
  CHECK(max(i, 0) == i);
  CHECK(min(i + 3, n + 2) == i + 3);
  CHECK(max(i - 1, 0) == max(i, 1) - 1);
  CHECK(min(min(i, 5), i) == min(i, 5));
  CHECK(min(Nat(3), Nat(7)) == Nat(3));
}

TEST_CASE("facts decide what ranges leave open") {
  const Nat n = Nat::size("n"), i = Nat::fresh("i", 0, n - 1), j = Nat::fresh("j", 0, n - 1),
            c = Nat::fresh("c", 0, 1);
  CHECK(Facts().with(less_equal(1, i)).simplify(max(i - 1, 0)) == i - 1);
  CHECK(Facts().with(equal(i, 0)).simplify(max(i - 1, 0)) == Nat(0));
  const NatCond black = equal(mod(i + j + c, 2), 0);
  CHECK(Facts().with(black).proves(black));
  CHECK(Facts().with(black).refutes(equal(mod(i + j + c + 1, 2), 0)));
  CHECK(Facts().with(negate(black)).proves(equal(mod(i + j + c + 1, 2), 0)));
  CHECK_FALSE(Facts().proves(black));
  CHECK(Facts().with(less(i + 1, n)).proves(less_equal(i, n - 2)));
  CHECK_FALSE(Facts().proves(less(i + 1, n)));
}

TEST_CASE("what was proved under some facts is not taken for known under others") {
  const Nat x = Nat::fresh("x", 0, 100);
  const NatCond goal = less_equal(4, x);
  for (int again = 0; again < 2; ++again) {
    CHECK(Facts().with(less_equal(5, x)).proves(goal));
    CHECK_FALSE(Facts().with(less_equal(3, x)).proves(goal));
    CHECK_FALSE(Facts().proves(goal));
    CHECK(Facts().with(less_equal(3, x)).with(less_equal(5, x)).proves(goal));
  }
}

TEST_CASE("printing") {
  const Nat k = Nat::fresh("k", 0, 9), i = Nat::fresh("i", 0, 63);
  CHECK((64 * k + i + 1).str() == "64*k + i + 1");
  CHECK(mod(i + k, 2).str() == "(k + i) mod 2");
  CHECK((i - 1).str() == "i - 1");
  CHECK(Nat(0).str() == "0");
  CHECK(str(less(i, 5)) == "-i + 4 >= 0");
}

TEST_CASE("equality is identity; sizes are one variable a name") {
  CHECK(Nat::size("n") == Nat::size("n"));
  CHECK(Nat::size("n") != Nat::size("m"));
  const Nat a = Nat::fresh("i", 0, 3), b = Nat::fresh("i", 0, 3);
  CHECK(a != b);
  CHECK((a + b) * (a - b) == a * a - b * b);
}

TEST_CASE("bounds of variables also prove what has their squares") {
  const Nat m = Nat::size("m", 5), n = Nat::size("n", 2);
  CHECK(Facts().proves(less_equal(0, m * m - m + 7)));
  CHECK(Facts().proves(less_equal(0, m * m - 5 * m)));
  CHECK_FALSE(Facts().proves(less_equal(0, m * m - 6 * m)));  // 25 - 30
  CHECK(Facts().proves(less_equal(30, m * m * n - 4 * m * n + 4 * m)));
  CHECK_FALSE(Facts().proves(less_equal(31, m * m * n - 4 * m * n + 4 * m)));
  const Nat i = Nat::fresh("i", 0, 9);
  CHECK(Facts().proves(less_equal(i * i, 9 * i)));
  CHECK_FALSE(Facts().proves(less_equal(i * i, 8 * i)));
}

TEST_CASE("an empty range breaks nothing") {
  const Nat i = Nat::fresh("i", 0, -1), j = Nat::fresh("j", 0, i);
  CHECK_NOTHROW(floordiv(i + j, 4));
  CHECK_NOTHROW(mod(i - j, 3));
  CHECK_NOTHROW(Facts().proves(less(i, j)));
}

}  // namespace nat_test
