// Groups of which some have no iteration of a loop, or take several in turn: tiles that each has for itself
// are full in all of them, and its items wait for one another. A group's work-items are run side by side, and
// what two of them do to one element between two barriers is a race.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/place_barriers.hpp"
#include "tests/lower/run_groups.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/spelled.hpp"

namespace lift::idle_groups_test {
namespace {

constexpr std::int64_t kItems = 8;

using test::GroupsRun;

Stmt loop(LoopKind kind, std::int64_t n, const std::function<Block(const Nat&)>& body, int items = 0) {
  For f;
  f.var = Nat::fresh(kind == LoopKind::Lcl ? "i" : "g", 0, n - 1), f.upper = n, f.kind = kind;
  f.items = items, f.body = body(f.var);
  return {std::move(f)};
}
/// By the items of a group, an element each.
Stmt items(const std::function<Stmt(const Nat& i)>& body) {
  return loop(LoopKind::Lcl, kItems, [&](const Nat& i) { return Block{body(i)}; });
}
Term at(const char* array, const std::vector<Nat>& position) { return load_term(array, position, f64); }
Stmt put(const char* array, const std::vector<Nat>& position, const Term& value) {
  return {Store{array, position, value, false}};
}
Nat mirror(const Nat& i) { return Nat(kItems - 1) - i; }
Stmt copy(const char* to, const std::function<std::vector<Nat>(const Nat&)>& where, const Nat& first) {
  return items([&](const Nat& i) { return put(to, where(i), at("a", {first + i})); });
}
/// out[first + i] is an element on the other side.
Stmt mirrored(const Nat& first, const char* from, const std::function<std::vector<Nat>(const Nat&)>& where) {
  return items([&](const Nat& i) { return put("out", {first + i}, at(from, where(mirror(i)))); });
}
const auto plain = [](const Nat& i) { return std::vector<Nat>{i}; };

/// Over a and out, with two local arrays: s of two rows, t of one.
Kernel kernel(const Block& body) {
  const Type all = array({Nat(16 * kItems)}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", all, Layout({}, all), false, true, {}}, {"out", all, Layout({}, all), true, true, {}}};
  For group;
  group.var = Nat::fresh("r", 0, 0), group.upper = 1, group.kind = LoopKind::Wrg, group.dim = 1;
  group.body = {{Allocate{"s", array({Nat(2), Nat(kItems)}, f64), AddressSpace::Local}},
                {Allocate{"t", array({Nat(kItems)}, f64), AddressSpace::Local}}};
  group.body.insert(group.body.end(), body.begin(), body.end());
  k.body = {{std::move(group)}};
  return k;
}
std::set<std::string> races(const Kernel& k) {
  GroupsRun all(k);
  all.run();
  return all.races;
}
/// Items race, until barriers are placed.
void check_placed(const Block& body) {
  const Kernel k = kernel(body);
  verify(k, Form::Positions, "the test");
  CHECK_FALSE(races(k).empty());
  Kernel after = k;
  after.body = place_barriers(k.body, {{"out", false}});
  INFO(str(after));
  verify(after, Form::Positions, "place-barriers");
  CHECK(races(after).empty());
}

Expr low(Op op, int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int items = 0) {
  return map_with(op, 1, function_of(element_of(xs.type(), 1), f), xs, {dim, 1, 0, 0, items});
}

}  // namespace

TEST_CASE("guard-idle-items: each group fills the tile that it has for itself") {
  const Expr m = param("m", array({3, 40}, f64));
  const auto tiles = [](const Expr& part) {
    return low(
        Op::MapWrg, 0,
        [](Expr t) {
          return low(
              Op::MapLcl, 0, [](Expr x) { return x * 2.0; }, reverse(t));
        },
        split({Nat(8)}, part));
  };
  const auto of_tile = [&](const std::function<Expr(Expr)>& f) {
    return low(
        Op::MapWrg, 1,
        [&](Expr row) {
          return let(make(Op::ToLocal, {low(
                                           Op::MapLcl, 0, [](Expr x) { return x + 1.0; }, row, 8)}),
                     f);
        },
        m);
  };
  const Expr once = of_tile(tiles), twice = of_tile([&](Expr s) {
                                      return tuple({tiles(s | take(16)), tiles(s)});
                                    });
  for (const Expr& e : {once, twice}) {
    const std::string source = test::cuda_of(test::run(test::program({m}, e)));
    CHECK_MESSAGE(source.find("blockIdx.x == 0") == std::string::npos, source);
  }
}

TEST_CASE("place-barriers: groups that have no iteration of a loop do not wait in it") {
  const auto row = [](const Nat& i) { return std::vector<Nat>{0, i}; };
  const auto reads = [&](std::int64_t groups, std::int64_t first) {
    return loop(LoopKind::Wrg, groups,
                [&](const Nat& g) { return Block{mirrored(8 * g + first, "s", row)}; });
  };
  check_placed({copy("s", row, 0), reads(2, 0), reads(5, 16)});
}

TEST_CASE("place-barriers: groups that take iterations in turn go on by their number, from their own") {
  const auto slot = [](const Nat& g) { return [=](const Nat& i) { return std::vector<Nat>{mod(g, 2), i}; }; };
  // A group has the same slot each time.
  check_placed({loop(
      LoopKind::Wrg, 6,
      [&](const Nat& g) {
        return Block{copy("s", slot(g), 8 * g), mirrored(8 * g, "s", slot(g))};
      },
      2)});
  // Group 1 reads at once what was stored before.
  const auto second = [](const Nat& i) { return std::vector<Nat>{1, i}; };
  check_placed({copy("s", second, 0),
                loop(
                    LoopKind::Wrg, 6,
                    [&](const Nat& g) {
                      return Block{{If{{compare_term(equal(mod(g, 2), 1))}, {mirrored(8 * g, "s", slot(g))}}},
                                   copy("t", plain, 8 * g),
                                   mirrored(64 + 8 * g, "t", plain)};
                    },
                    2)});
}

}  // namespace lift::idle_groups_test
