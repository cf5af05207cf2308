// Grids have few groups in all but their first dimension: of longer loops items take several iterations. What
// a grid may be, and how wide its indices are.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/limit_error.hpp"
#include "lower/analyses/registers.hpp"
#include "lower/launches.hpp"
#include "lower/lower.hpp"
#include "lower/passes/grids.hpp"
#include "lower/passes/index_width.hpp"
#include "lower/passes/passes.hpp"

namespace lift::limit_grids_test {
namespace {

using Sizes = std::array<std::size_t, 3>;

For over(LoopKind kind, int dim, const Nat& trips, Block body = {}, int items = 0) {
  For f;
  f.var = Nat::fresh("i", 0, trips - 1), f.upper = trips, f.kind = kind, f.dim = dim, f.items = items;
  f.body = std::move(body);
  return f;
}
Kernel kernel(Block body) {
  Kernel k;
  k.name = "k", k.body = std::move(body);
  return k;
}
/// A group of so many items along each dimension.
Kernel group(const Sizes& items, Block within = {}) {
  Block b = std::move(within);
  for (std::size_t d = 0; d < 3; ++d)
    b = {{over(LoopKind::Lcl, static_cast<int>(d), static_cast<std::int64_t>(items[d]), b)}};
  return kernel({{over(LoopKind::Wrg, 0, 2, b)}});
}
std::string refused(const Kernel& k) {
  try {
    nd_range(k, Target::cuda);
    return "";
  } catch (const LimitError& e) {
    return e.what();
  }
}
std::string starts(const std::string& text, const std::string& part) {
  return text.find(part) == std::string::npos ? text : part;
}
/// Loads so many numbers, then stores their sums with those that follow: that many are held at once.
Block holding(int values, Scalar type) {
  Block b;
  std::vector<Term> names;
  for (int v = 0; v < values; ++v) {
    names.push_back(local_term("x" + std::to_string(v), type));
    b.push_back({lift::Let{names.back(), load_term("a", {Nat(v)}, type)}});
  }
  for (const Term& x : names) b.push_back({Store{"out", {Nat(0)}, x}});
  return b;
}

}  // namespace

TEST_CASE("more planes than a grid may have blocks are dealt to those that there are") {
  const Expr x = param("x", array({Nat(200000), Nat(8), Nat(8)}, f32));
  const Expr body = map_with(
      Op::MapGlb, 1,
      fun(x.type().element(),
          [](Expr plane) {
            return map_with(Op::MapGlb, 1,
                            fun(plane.type().element(),
                                [](Expr row) {
                                  return map_with(Op::MapGlb, 1, fun(f32, [](Expr v) { return v + 1.0; }),
                                                  row, {0});
                                }),
                            plane, {1});
          }),
      x, {2});
  LowerOptions o;
  o.target = Target::cuda;
  const std::vector<Launch> all = launches_in(lower({"planes", {x}, body, {}}, o));
  REQUIRE(all.size() == 1);
  const NDRange& r = all[0].range;
  CHECK(r.global[2] / r.local[2] <= 65535);
  CHECK(r.global[2] > 60000);
  CHECK(r.global[0] * r.global[1] >= 64);
}

TEST_CASE("limit-grids: loops that are, or may be, longer than a grid are dealt") {
  const Nat most = Nat::fresh("most", 0, 70000), few = Nat::fresh("few", 0, 65535);
  struct Case {
    LoopKind kind;
    int dim;
    Nat trips;
    int items, expected;
  };
  for (const Case& c : std::vector<Case>{{LoopKind::Glb, 1, 65535, 0, 0},
                                         {LoopKind::Glb, 1, 65536, 0, 65535},
                                         {LoopKind::Wrg, 2, 65536, 0, 65535},
                                         {LoopKind::Glb, 0, 1 << 20, 0, 0},
                                         {LoopKind::Lcl, 1, 1 << 20, 0, 0},
                                         {LoopKind::Seq, 1, 1 << 20, 0, 0},
                                         {LoopKind::Glb, 1, 1 << 20, 16, 16},
                                         {LoopKind::Glb, 1, 1 << 20, 1 << 19, 65535},
                                         {LoopKind::Glb, 1, most, 0, 65535},
                                         {LoopKind::Glb, 1, few, 0, 0},
                                         {LoopKind::Glb, 1, Nat::size("n"), 0, 0}}) {
    CAPTURE(c.trips.str());
    CAPTURE(c.items);
    const Block b = limit_grids({{over(c.kind, c.dim, c.trips, {}, c.items)}});
    CHECK(std::get<For>(b.at(0).v).items == c.expected);
  }
}

TEST_CASE("grid: what CUDA cannot launch is refused") {
  CHECK(refused(group({32, 32, 1})).empty());
  CHECK(refused(group({2, 2, 64})).empty());
  CHECK(starts(refused(group({32, 33, 1})), "blocks of 32 x 33 x 1 threads, more than the 1024") ==
        "blocks of 32 x 33 x 1 threads, more than the 1024");
  CHECK(starts(refused(group({2, 1, 65})), "blocks of 2 x 1 x 65 threads") == "blocks of 2 x 1 x 65 threads");
  for (const int dim : {1, 2}) {
    CHECK(refused(kernel({{over(LoopKind::Wrg, dim, 65535)}})).empty());
    const std::string text = "needs 65536 blocks along dimension " + std::to_string(dim);
    CHECK(starts(refused(kernel({{over(LoopKind::Wrg, dim, 65536)}})), text) == text);
  }
  CHECK(refused(kernel({{over(LoopKind::Wrg, 0, 65536)}})).empty());
  CHECK(refused(kernel({{over(LoopKind::Wrg, 0, 0x7fffffff)}})).empty());
  CHECK(starts(refused(kernel({{over(LoopKind::Wrg, 0, std::int64_t{1} << 31)}})), "along dimension 0") ==
        "along dimension 0");
}

TEST_CASE(
    "grid: values that a thread holds at once must fit into its share of a multiprocessor's registers") {
  // 65536 registers: 64 each of 1024 threads, two of which hold an f64.
  REQUIRE(least_registers(kernel(holding(32, f64))) == 64);
  CHECK(refused(group({32, 32, 1}, holding(32, f64))).empty());
  CHECK(starts(refused(group({32, 32, 1}, holding(33, f64))),
               "holds values in 66 registers a thread at once, where blocks of 1024 threads have 64 each") ==
        "holds values in 66 registers a thread at once, where blocks of 1024 threads have 64 each");
  CHECK(refused(group({32, 1, 1}, holding(255, f32))).empty());
  CHECK(starts(refused(group({32, 1, 1}, holding(256, f32))), "32 threads have 255 each") ==
        "32 threads have 255 each");
}

TEST_CASE("grid: dimensions that there are not, or that two kinds of loops share, are refused") {
  for (const int dim : {-1, 3})
    CHECK_THROWS_WITH_AS(
        nd_range(kernel({{over(LoopKind::Glb, dim, 4)}})),
        doctest::Contains(("there are three dimensions, " + std::to_string(dim) + " was asked for").c_str()),
        UserError);
  CHECK_THROWS_WITH_AS(nd_range(kernel({{over(LoopKind::Glb, 1, 4, {{over(LoopKind::Lcl, 1, 4)}})}})),
                       doctest::Contains("share dimension 1"), UserError);
  const NDRange apart = nd_range(
      kernel({{over(LoopKind::Glb, 1, 4, {{over(LoopKind::Wrg, 2, 3, {{over(LoopKind::Lcl, 2, 5)}})}})}}));
  CHECK(apart.global == Sizes{1, 4, 15});
  CHECK(apart.local == Sizes{1, 1, 5});
  CHECK_THROWS_WITH_AS(nd_range(kernel({{over(LoopKind::Glb, 0, Nat::size("n"))}})),
                       doctest::Contains("runs n times, which has no known bound; fix the size"), UserError);
  const Nat some = Nat::fresh("some", 0, 9);
  CHECK(nd_range(kernel({{over(LoopKind::Glb, 0, some)}})).global == Sizes{9, 1, 1});
}

TEST_CASE("grid: local memory beyond what a text may declare is asked for at the launch") {
  const auto with = [](const std::vector<Nat>& lengths) {
    Block b;
    for (const Nat& n : lengths)
      b.push_back({Allocate{"t" + std::to_string(b.size()), array({n}, f64), AddressSpace::Local}});
    b.push_back({over(LoopKind::Lcl, 0, 256)});
    return nd_range(kernel({{over(LoopKind::Wrg, 0, 2, b)}}), Target::cuda);
  };
  CHECK(with({6144}).local_bytes == 0);
  CHECK(with({6143, 1}).local_bytes == 48 * 1024 + 16);  // each from a multiple of 16 on
  CHECK(with({6144, 2}).local_bytes == 48 * 1024 + 16);
  CHECK(with({6144, 2}).resident > 0);
  // Of unknown length: left to the compiler.
  const Nat n = Nat::size("n");
  CHECK(with({n}).local_bytes == 0);
  CHECK(with({8000, n, n, 8000}).local_bytes == 0);
}

TEST_CASE("groups for a grid that leaves them open are whole warps along dimension 0 only") {
  CHECK(dividing_group({96, 1, 1}, 64) == Sizes{32, 1, 1});
  CHECK(dividing_group({1, 96, 1}, 64) == Sizes{1, 48, 1});
  CHECK(dividing_group({1, 1, 96}, 64) == Sizes{1, 1, 48});
}

TEST_CASE("indices are as wide as addresses where 32 bits do not hold them, or a thread runs whole groups") {
  const auto storing = [](const Nat& n, LoopKind kind = LoopKind::Glb) {
    For f = over(kind, 0, n);
    f.body = {{Store{"out", {f.var}, constant_term(1, f32)}}};
    Kernel k = kernel({{f}});
    const Type t = array({n}, f32);
    k.arguments = {{"out", t, Layout({}, t), true, false, {}}};
    return k;
  };
  for (const Target t : {Target::cuda, Target::opencl}) {
    CHECK_FALSE(needs_wide_indices(storing(1 << 20), t));
    CHECK(needs_wide_indices(storing(std::int64_t{1} << 31), t));
    CHECK(needs_wide_indices(storing(Nat::size("n")), t));
  }
  // Groups of one item, which a processor's thread goes through.
  CHECK(needs_wide_indices(storing(64, LoopKind::Wrg), Target::opencl));
  CHECK_FALSE(needs_wide_indices(storing(64, LoopKind::Wrg), Target::cuda));
  CHECK_FALSE(needs_wide_indices(storing(64, LoopKind::Lcl), Target::opencl));
}

}  // namespace lift::limit_grids_test
