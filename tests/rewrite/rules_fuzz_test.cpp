// Every rule, on at least 200 random instances: both sides mean the same, bit for bit where the rule claims
// so.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/rewrite/instances.hpp"

using namespace lift;
using namespace lift::test;

namespace rules_fuzz_test {
namespace {

void check_all(const Generators& generators) {
  for (const auto& group : generators) {
    const std::string& name = group.first;
    const Rule& r = find_rule(name);
    const Outcome o = check_rule(r, group.second);
    CHECK_MESSAGE(o.wrong == 0,
                  name << ": " << o.wrong << " wrong of " << o.accepted << ", the first: " << o.first_wrong);
    CHECK_MESSAGE(o.mistyped == 0, name << ": its guard let " << o.mistyped
                                        << " through that typing refused, the first: " << o.first_mistyped);
    CHECK_MESSAGE(o.accepted >= 200, name << ": only " << o.accepted << " accepted, " << o.refused
                                          << " refused, the first: " << o.first_refused);
    CHECK_MESSAGE(o.sides.size() == r.sides.size(), name << ": only " << o.sides.size() << " of its "
                                                         << r.sides.size() << " pairs of sides were used");
  }
}

}  // namespace

TEST_CASE("rules of maps keep the meaning") { check_all(map_generators()); }
TEST_CASE("rules of reductions keep the meaning") { check_all(reduce_generators()); }
TEST_CASE("rules of split, join and transpose keep the meaning") { check_all(split_generators()); }
TEST_CASE("rules of drop, pad and zip keep the meaning") { check_all(drop_and_pad_generators()); }
TEST_CASE("rules of windows keep the meaning") { check_all(slide_generators()); }
TEST_CASE("primitives of rank D are what those of rank 1 define") { check_all(rank_generators()); }
TEST_CASE("rules of blocks keep the meaning") { check_all(block_generators()); }
TEST_CASE("rules of scans keep the meaning") { check_all(scan_generators()); }
TEST_CASE("rules of iterations keep the meaning") { check_all(iterate_generators()); }
TEST_CASE("decisions do not change the meaning") { check_all(lowering_generators()); }
TEST_CASE("decisions of grids do not change the meaning") { check_all(grid_generators()); }

TEST_CASE("every rule about expressions is fuzzed") {
  std::size_t covered = 0;
  for (const Rule& r : all_rules()) {
    if (r.on_program) continue;
    bool found = false;
    for (const auto& group :
         {map_generators(), reduce_generators(), split_generators(), drop_and_pad_generators(),
          slide_generators(), rank_generators(), block_generators(), scan_generators(), iterate_generators(),
          lowering_generators(), grid_generators()})
      found = found || group.count(r.name) > 0;
    CHECK_MESSAGE(found, r.name << " has no generator of instances");
    covered += found;
  }
  CHECK(covered >= 60);
}

// ---- the checker catches wrong rules

namespace {

const Expr f = hole("f"), xs = hole("xs");

/// A tile whose remainder is cut off at the wrong end.
Result<Expr> tile_cut_in_front(const Site& site, const Arguments& a) {
  const auto right = find_rule("tile").construct(site, a);
  if (!right || !right->is(Op::Drop)) return right;
  std::vector<Nat> w = right->attr().nats;
  std::rotate(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(w.size() / 2), w.end());
  return drop({w.begin(), w.begin() + static_cast<std::ptrdiff_t>(w.size() / 2)},
              {w.begin() + static_cast<std::ptrdiff_t>(w.size() / 2), w.end()}, right->child(0));
}
/// A tile that forgets to cut the remainder off.
Result<Expr> tile_without_drop(const Site& site, const Arguments& a) {
  const auto right = find_rule("tile").construct(site, a);
  return right && right->is(Op::Drop) ? Result<Expr>(right->child(0)) : right;
}

}  // namespace

TEST_CASE("wrong rules are caught") {
  const auto tiles = rank_generators().at("tile");
  const auto named_tile = [](const char* name, Rule::Construct c) {
    Rule r = constructed(name, "wrong on purpose", std::move(c));
    return r.takes("k", "tile size", true);
  };
  SUBCASE("a tile cut at the wrong end gives other values") {
    const auto o = check_rule(named_tile("tile-cut-in-front", tile_cut_in_front), tiles);
    CHECK(o.wrong > 20);
    CHECK(o.first_wrong.find("becomes") != std::string::npos);
  }
  SUBCASE("a tile that forgets the drop changes the type, which the engine refuses") {
    const auto o = check_rule(named_tile("tile-without-drop", tile_without_drop), [](Gen& g) -> Instance {
      return {map(g.fun(f64, f64), g.array(2 * g.n(1, 3) + 1, f64)), {"2"}, {}};
    });
    CHECK(o.accepted == 0);
    CHECK(o.mistyped == o.refused);
    CHECK(o.first_refused.find("would change the type from") != std::string::npos);
  }
  SUBCASE("the published slide-before-split law holds for step 1 only") {
    const Nat n = nat_hole("n"), s = nat_hole("s"), m = nat_hole("m");
    const Rule published = rule("slide-before-split", split({m}, slide({n}, {s}, xs)),
                                map([=](Expr w) { return slide({n}, {s}, w); }, slide({m + n - 1}, {m}, xs)));
    const auto instance = [](int step) {
      return [step](Gen& g) -> Instance {
        const int size = g.n(1, 4), chunk = g.n(2, 3), count = chunk * g.n(1, 3);
        return {split({Nat(chunk)}, slide({Nat(size)}, {Nat(step)}, g.array((count - 1) * step + size, f64))),
                {},
                {}};
      };
    };
    const auto one = check_rule(published, instance(1)), two = check_rule(published, instance(2));
    CHECK(one.accepted >= 200);
    CHECK(one.wrong == 0);
    CHECK(two.accepted == two.wrong);
    CHECK(two.refused + two.wrong > 0);
  }
  SUBCASE("interchange without the outer transpose, on square arrays") {
    const Rule r = rule("half-interchange", map([](Expr x) { return map(f, x); }, xs),
                        map([](Expr x) { return map(f, x); }, transpose(xs)));
    const auto o = check_rule(r, [](Gen& g) -> Instance {
      const int n = g.n(2, 3);
      return {map_each(g.fun(f64, f64), g.array({Nat(n), Nat(n)}, f64)), {}, {}};
    });
    CHECK(o.wrong == o.accepted);
    CHECK(o.wrong >= 200);
  }
  SUBCASE("an exact rule that reassociates") {
    Rule r = find_rule("reduce-split");
    r.exact = true;
    CHECK(check_rule(r, reduce_generators().at("reduce-split")).wrong > 0);
  }
}

}  // namespace rules_fuzz_test
