// Unit stride across work-items, read off the loops: kernels by hand, and the variants of every operator that are tried first.
#include <doctest/doctest.h>

#include <algorithm>

#include "ir/error.hpp"
#include "lower/coalescing.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space.hpp"

using namespace lift;

namespace {

/// One loop over dimension 0 whose body stores y[...] = x[...] at the indices that f gives.
Kernel copies(const std::function<std::vector<std::pair<Nat, Nat>>(const Nat& i)>& f, Scalar s = f64) {
  Kernel k;
  const Type t = array({Nat(4096)}, s);
  for (const char* name : {"x", "y"}) k.arguments.push_back({name, t, Layout({}, t), std::string(name) == "y", true, {}});
  For loop;
  loop.var = Nat::fresh("i", 0, 63), loop.lower = 0, loop.upper = 64, loop.kind = LoopKind::Glb;
  const Nat row = Nat::fresh("row", 0, 1000);
  loop.body.push_back({Let{index_term(row), index_term(3 * loop.var + 7)}});
  for (const auto& [to, from] : f(loop.var)) loop.body.push_back({Store{"y", {substitute(to, Nat::size("row"), row)}, load_term("x", {substitute(from, Nat::size("row"), row)}, s), false}});
  k.body = {{std::move(loop)}};
  return k;
}
std::vector<std::int64_t> strides(const Kernel& k) {
  std::vector<std::int64_t> r;
  for (const GridAccess& a : grid_accesses(k)) r.push_back(a.stride.value_or(-99));
  return r;
}

/// The first variants that a GPU would be given, as kernels; those that cannot be met are left out, as a search does.
struct Ranked {
  std::string structure;
  Kernel kernel;
};
std::vector<Ranked> first_variants(const Program& program, std::size_t most) {
  const Space space(program, {Target::cuda, 2, 32, 512 * 1024, true});
  std::vector<Ranked> ranked;
  for (const Configuration& c : space.seeds()) {
    if (ranked.size() == most) break;
    try {
      ranked.push_back({space.structure(c), lower(replay(program, space.derive(c)))});
    } catch (const UserError&) {  // impossible as asked
    }
  }
  return ranked;
}

/// Between two grids: a work-item has a cell of the coarse grid.
bool is_transfer(const std::string& name) { return name.find("restriction") != std::string::npos || name.find("prolongation") != std::string::npos; }

/// A work-item has a row, that is a loop over dimension 0: what operators come to when they run out of better variants (a grid has three
/// dimensions, and with many boxes a base that is copied takes one of them). Such a variant never comes first.
bool has_rows(const std::string& structure) {
  if (structure.find("parts of") != std::string::npos) return structure.find("by groups") == std::string::npos;
  const auto at = structure.find("grid ");
  const std::string grid = at == std::string::npos ? "" : structure.substr(at + 5, structure.find(',', at) - at - 5);
  return grid != "none" && grid != "groups" && !grid.starts_with("solo") && !grid.ends_with("i");
}

/// Every access has unit stride across work-items, or may not have it:
/// - Between two grids, a work-item has a coarse cell and so two neighbouring fine ones along dimension 0: their accesses have
///   stride 2, and together, in the same lines, they are all that is there.
void check_strides(const std::string& name, const Ranked& variant) {
  for (const GridAccess& a : grid_accesses(variant.kernel)) {
    INFO(std::string(a.store ? "store to " : "load of ") << a.array << "[" << a.index.str() << "], stride " << (a.stride ? std::to_string(*a.stride) : "not constant"));
    if (is_transfer(name) && !a.coalesced()) CHECK(a.stride == 2);
    else CHECK(a.coalesced());
  }
  CHECK(transaction_ratio(variant.kernel) == 1);
}

}  // namespace

TEST_CASE("coalescing: strides across work-items, through named indices") {
  const Nat row = Nat::size("row");
  CHECK(strides(copies([&](const Nat& i) { return std::vector<std::pair<Nat, Nat>>{{i, 5 - i}, {2 * i + 1, Nat(4)}, {row + i, mod(i, 4)}}; })) == std::vector<std::int64_t>{-1, 1, 0, 2, -99, 4});
}

TEST_CASE("coalescing: transactions over those needed") {
  using Indices = std::vector<std::pair<Nat, Nat>>;
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, i + 1}}; })) == 1);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, Nat(0)}}; })) == 1);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{16 * i, 16 * i}}; })) == 4);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{16 * i, 16 * i}}; }, f32)) == 8);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{2 * i, i}}; })) == 1.5);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{2 * i, i}, {2 * i + 1, i}}; })) == 1);  // both halves
}

TEST_CASE("coalescing: what a GPU is given first has unit stride, for every operator") {
  int rows = 0, checked = 0;
  for (const auto& pattern : all_patterns())
    for (const Scalar type : {f64, f32})
      for (const char* smoother : {"gsrb", "jacobi"}) {
        Problem p;
        p.box = 32, p.boxes = type == f64 ? 1 : 4, p.type = type;
        if (pattern->choices.contains("smoother")) p.choices["smoother"] = smoother;
        else if (smoother != std::string("gsrb")) continue;
        const std::vector<Ranked> ranked = first_variants(pattern->build(p), 4);
        REQUIRE(!ranked.empty());
        for (std::size_t n = 0; n < ranked.size(); ++n) {
          INFO(std::string(pattern->name + " " + smoother + " " + text(type)) << ", variant " << n << ": " << ranked[n].structure);
          if (n > 0 && has_rows(ranked[n].structure)) ++rows;
          else ++checked, check_strides(pattern->name, ranked[n]);
        }
      }
  CHECK(rows * 5 < checked);
}

TEST_CASE("coalescing: work-items do have the innermost dimension to themselves") {
  for (const char* name : {"smooth3d", "residual3d", "restriction3d", "prolongation3d", "thomas", "horizontal_diffusion"}) {
    CAPTURE(name);
    Problem p;
    p.box = 32, p.boxes = 1;
    const Kernel k = first_variants(find_pattern(name).build(p), 1).at(0).kernel;
    const auto all = grid_accesses(k);
    CHECK(std::count_if(all.begin(), all.end(), [](const GridAccess& a) { return a.store; }) > 0);
    CHECK(std::count_if(all.begin(), all.end(), [](const GridAccess& a) { return a.stride && *a.stride != 0; }) * 2 > static_cast<std::ptrdiff_t>(all.size()));
  }
}
