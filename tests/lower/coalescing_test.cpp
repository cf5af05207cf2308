// Unit stride across work-items, read off the loops: kernels by hand, and the variants of every operator that
// are tried first.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "ir/error.hpp"
#include "lower/analyses/coalescing.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;

namespace coalescing_test {
namespace {

/// One loop over dimension 0 whose body stores y[...] = x[...] at the indices that f gives, vectors of
/// `width` elements.
Kernel copies(const std::function<std::vector<std::pair<Nat, Nat>>(const Nat& i)>& f, Scalar s = f64,
              int width = 1) {
  Kernel k;
  const Type t = array({Nat(4096)}, s);
  for (const char* name : {"x", "y"})
    k.arguments.push_back({name, t, Layout({}, t), std::string(name) == "y", true, {}});
  For loop;
  loop.var = Nat::fresh("i", 0, 63), loop.lower = 0, loop.upper = 64, loop.kind = LoopKind::Glb;
  const Nat row = Nat::fresh("row", 0, 1000);
  loop.body.push_back({Let{index_term(row), index_term(3 * loop.var + 7)}});
  for (const auto& [to, from] : f(loop.var))
    loop.body.push_back({Store{"y",
                               {substitute(to, Nat::size("row"), row)},
                               load_term("x", {substitute(from, Nat::size("row"), row)}, s, width),
                               false}});
  k.body = {{std::move(loop)}};
  return k;
}
std::vector<std::int64_t> strides(const Kernel& k) {
  std::vector<std::int64_t> r;
  for (const GridAccess& a : grid_accesses(k)) r.push_back(a.stride.value_or(-99));
  return r;
}

/// The variants that a GPU would be given first, as kernels; those that cannot be met are left out, as a
/// search does.
struct Ranked {
  std::string structure;
  Kernel kernel;
};
std::vector<Ranked> first_variants(const Program& program, std::size_t most = 100) {
  const Space space(program, {Target::cuda, 2, 32, kCallersLayout});
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
bool is_transfer(const std::string& name) {
  return name.find("restriction") != std::string::npos || name.find("prolongation") != std::string::npos;
}

/// Large enough for tiles.
std::int64_t side(const std::string& name) {
  return name.ends_with("1d") ? 2048 : name.ends_with("2d") ? 128 : 64;
}

bool contains(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }
bool reduces(const Ranked& r) { return contains(r.structure, "parts of"); }
/// A row, or more, is left to a work-item, as processors like it: its neighbour along dimension 0 has another
/// row, or it has none.
bool leaves_rows(const Ranked& r) {
  const bool by_rows = reduces(r) && !contains(r.structure, "by groups");
  return by_rows || contains(r.structure, "grid solo") || contains(r.structure, "grid box k j,") ||
         contains(r.structure, "levels outside points");
}

/// Every store is a work-item's, and every access has unit stride across work-items, or may not have it:
/// - Between two grids, a work-item has a coarse cell and so two neighbouring fine ones along dimension 0:
/// their accesses have
///   stride 2, and together, in the same lines, they are all that is there.
/// - Where a work-item has the cells of one colour in a column, its neighbour's are in the planes between:
/// lanes take turns in two
///   planes, and touch as many sectors as if each had all cells (tests/tuning/counted_traffic_test.cpp counts
///   them).
void check_strides(const std::string& name, const Ranked& variant) {
  const auto accesses = grid_accesses(variant.kernel);
  const auto is_large = [&](const std::string& array) {  // not one number, which a work-item alone stores
    return std::any_of(
        variant.kernel.arguments.begin(), variant.kernel.arguments.end(),
        [&](const KernelArgument& a) { return a.name == array && a.layout.size().constant() != 1; });
  };
  std::ptrdiff_t stores = 0;
  visit(variant.kernel.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    stores += x && is_large(x->array);
  });
  if (!reduces(variant))
    CHECK(std::count_if(accesses.begin(), accesses.end(),
                        [&](const GridAccess& a) { return a.store && is_large(a.array); }) == stores);
  const bool two_planes = contains(variant.structure, "columns") && contains(variant.structure, "strided");
  for (const GridAccess& a : accesses) {
    INFO(std::string(a.store ? "store to " : "load of ")
         << a.array << "[" << a.index.str() << "], stride "
         << (a.stride ? std::to_string(*a.stride) : "not constant"));
    if (is_transfer(name) && !a.coalesced())
      CHECK(a.stride == 2);
    else if (two_planes && !a.coalesced())
      CHECK_FALSE(a.stride);
    else
      CHECK(a.coalesced());
  }
  if (!two_planes) CHECK(transaction_ratio(variant.kernel) == 1);
}

}  // namespace

TEST_CASE("coalescing: strides across work-items, through named indices") {
  const Nat row = Nat::size("row");
  CHECK(strides(copies([&](const Nat& i) {
          return std::vector<std::pair<Nat, Nat>>{{i, 5 - i}, {2 * i + 1, Nat(4)}, {row + i, mod(i, 4)}};
        })) == std::vector<std::int64_t>{-1, 1, 0, 2, -99, 4});
}

TEST_CASE("coalescing: transactions over those needed") {
  using Indices = std::vector<std::pair<Nat, Nat>>;
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, i + 1}}; })) == 1);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, Nat(0)}}; })) == 1);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{16 * i, 16 * i}}; })) == 4);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{16 * i, 16 * i}}; }, f32)) == 8);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{2 * i, i}}; })) == 1.5);
  CHECK(transaction_ratio(copies([](const Nat& i) {
          return Indices{{2 * i, i}, {2 * i + 1, i}};
        })) == 1);  // both halves
  // Anywhere: a transaction for each element.
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, mod(i, 4)}}; })) == 2.5);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, mod(i, 4)}}; }, f32)) == 4.5);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, i * i}}; })) == 2.5);
  const auto vectors = [](std::int64_t apart, Scalar s = f64) {
    return copies([=](const Nat& i) { return Indices{{apart * i, apart * i}}; }, s, 2);
  };
  CHECK(transaction_ratio(vectors(2)) == 1);
  CHECK(grid_accesses(vectors(2)).front().coalesced());
  CHECK_FALSE(grid_accesses(vectors(1)).front().coalesced());
  CHECK(transaction_ratio(vectors(4)) == 2);
  CHECK(transaction_ratio(vectors(64)) == 2);
  CHECK(transaction_ratio(vectors(64, f32)) == 4);
}

TEST_CASE(
    "coalescing: what a GPU is given first has unit stride, for every operator; what has not comes last") {
  std::map<std::string, int> checked;
  for (const auto& pattern : all_patterns())
    for (const Scalar type : {f64, f32})
      for (const char* smoother : {"gsrb", "jacobi"}) {
        Problem p;
        p.box = side(pattern->name), p.boxes = type == f64 ? 1 : 4, p.type = type;
        if (pattern->choices.contains("smoother"))
          p.choices["smoother"] = smoother;
        else if (smoother != std::string("gsrb"))
          continue;
        const std::vector<Ranked> ranked = first_variants(pattern->build(p));
        const auto others = std::find_if(ranked.begin(), ranked.end(), leaves_rows);
        CHECK(std::all_of(others, ranked.end(), leaves_rows));
        CHECK(others - ranked.begin() >= 3);
        for (auto r = ranked.begin(); r != others; ++r) {
          INFO(std::string(pattern->name + " " + smoother + " " + text(type))
               << ", variant " << r - ranked.begin() << ": " << r->structure);
          check_strides(pattern->name, *r);
          for (const char* what : {"two buffers", "planes in local memory", "copied by vectors",
                                   "vectors copied asynchronously"})
            checked[what] += contains(r->structure, what);
        }
      }
  for (const auto& what : checked) {
    INFO(what.first);
    CHECK(what.second >= 10);
  }
}

TEST_CASE("coalescing: work-items do have the innermost dimension to themselves") {
  for (const char* name :
       {"smooth3d", "residual3d", "restriction3d", "prolongation3d", "thomas", "horizontal_diffusion"}) {
    CAPTURE(name);
    Problem p;
    p.box = 32, p.boxes = 1;
    const Kernel k = first_variants(find_pattern(name).build(p), 1).at(0).kernel;
    const auto all = grid_accesses(k);
    CHECK(std::count_if(all.begin(), all.end(), [](const GridAccess& a) { return a.store; }) > 0);
    CHECK(std::count_if(all.begin(), all.end(),
                        [](const GridAccess& a) { return a.stride && *a.stride != 0; }) *
              2 >
          static_cast<std::ptrdiff_t>(all.size()));
  }
}

}  // namespace coalescing_test
