// What is made within a region goes, and nothing else does.
#include "ir/region.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "ir/expr/build.hpp"
#include "ir/expr/term.hpp"
#include "ir/expr/view.hpp"

using namespace lift;

namespace region_test {
namespace {

/// Nodes go at the end of each last region.
struct AtOnce {
  std::size_t before = set_sweep_after(0);
  ~AtOnce() { set_sweep_after(before); }
};

Expr sums(int k) {
  const Expr xs =
      param("xs" + std::to_string(k), Type::array(Nat::size("n") * k + floordiv(Nat::size("m"), k + 1), f64));
  return map(fun(Type(f64), [&](const Expr& x) { return x * literal(k, f64) + literal(1.5 + k, f64); }), xs);
}

}  // namespace

TEST_CASE("region: what is made within goes; no node has the id of one that went") {
  const AtOnce at_once;
  const std::size_t before = swept().gone;
  std::uint32_t id = 0, nat_id = 0;
  {
    const Region region;
    id = sums(1001).id(), nat_id = (Nat::size("gone") * 17).id();
  }
  CHECK(swept().gone > before + 10);
  const Region region;
  CHECK(sums(1001).id() > id);
  CHECK((Nat::size("gone") * 17).id() > nat_id);
}

TEST_CASE("region: what was there before stays, and is found within") {
  const AtOnce at_once;
  const Expr e = sums(1002);
  for (int i = 0; i < 3; ++i) {
    const Region region;
    CHECK(sums(1002) == e);
    (void)sums(1003);
  }
  CHECK(sums(1002) == e);
  CHECK(str(e) == str(sums(1002)));
}

TEST_CASE("region: what is held stays, with all that it is made of, until it is let go") {
  const AtOnce at_once;
  std::optional<Held<Expr>> held;
  std::string text;
  std::uint32_t id = 0;
  {
    const Region region;
    held = sums(1004);
    text = str(held->get()) + held->get().type().str(), id = held->get().id();
  }
  for (int i = 0; i < 3; ++i) {
    const Region region;
    (void)sums(1005 + i);
  }
  {
    const Region region;
    CHECK(str(held->get()) + held->get().type().str() == text);
    CHECK(sums(1004) == held->get());
  }
  const Held<Expr> copy = *held;
  held.reset();
  {
    const Region region;
    CHECK(sums(1004).id() == id);
  }
}

TEST_CASE("region: what a thread outside makes or finds stays for ever") {
  const AtOnce at_once;
  std::optional<Expr> outside;
  std::string text;
  {
    const Region region;
    const Expr within = sums(1010);
    text = str(within) + within.type().str();
    std::thread([&] {
      outside = sums(1010);
      (void)(tuple({*outside, sums(1011)}));
    }).join();
    CHECK(*outside == within);
  }
  {
    const Region region;
    (void)sums(1012);
  }
  CHECK(str(*outside) + outside->type().str() == text);
  CHECK(sums(1010) == *outside);
}

TEST_CASE("region: nodes go when the last of the process ends, and what is made for ever in between stays") {
  const AtOnce at_once;
  const std::size_t sweeps = swept().sweeps;
  std::optional<Expr> kept;
  {
    const Region region;
    {
      const Region inner;
      (void)sums(1013);
    }
    CHECK(swept().sweeps == sweeps);
    kept = for_ever([] { return sums(1013); });
    std::thread([&] {
      const Region another;
      (void)sums(1014);
    }).join();
    CHECK(swept().sweeps == sweeps);
  }
  CHECK(swept().sweeps == sweeps + 1);
  CHECK(sums(1013) == *kept);
}

TEST_CASE("region: functions of users are statics, and stay, wherever they are made first") {
  const AtOnce at_once;
  std::optional<UserFun> f;
  {
    const Region region;
    f.emplace("of_region", std::vector<UserParameter>{{"x", f64}}, f64, "return x * 2.0;", UserMeaning{});
  }
  {
    const Region region;
    (void)sums(1020);
  }
  CHECK(str(f->call({param("x", f64)})) == "of_region(x)");
}

TEST_CASE("region: positions that are computed stay with what they stand for") {
  const AtOnce at_once;
  std::optional<Held<Term>> held;
  std::string text;
  {
    const Region region;
    const Nat at = position_of(load_term("where", {Nat::size("n") - 1}, i32), Nat::size("n"));
    held = load_term("xs", {at * 2 + 1}, f64);
    text = str(held->get());
  }
  for (int i = 0; i < 2; ++i) {
    const Region region;
    CHECK(str(held->get()) == text);
    CHECK(computed_term(*variables(held->get()->nats[0])[0]) ==
          load_term("where", {Nat::size("n") - 1}, i32));
  }
}

TEST_CASE("region: threads that work side by side find the same nodes") {
  const AtOnce at_once;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 60; ++i) {
        std::optional<Region> region;
        if (t != 0) region.emplace();
        const Expr a = sums(2000 + i % 7), b = sums(2000 + i % 7);
        wrong += a == b && str(a) == str(b) ? 0 : 1;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

}  // namespace region_test
