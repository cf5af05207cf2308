#include "rewrite/space/seeds.hpp"

#include <iterator>

namespace lift {
namespace {

using Texts = std::vector<const char*>;
using List = std::vector<Wishes>;

void append(List& all, List more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Programs of scans: which of the loops around goes along the columns, and where those are kept.
List columns(const SpaceFacts& f) {
  List r;
  const Wishes share = is_grid(f.options.target) ? Wishes{{"grid", "solo"}} : Wishes{};
  for (const char* order : on_processors(f.options) ? Texts{"j k i", "k i"} : Texts{})
    for (const char* inner : {"vec", "seq"})
      for (const char* keep : {"private", "work"})
        for (const char* tile : {"i32", "none", "i16", "i64"}) {
          r.push_back({{"order", order}, {"inner", inner}, {"keep", keep}, {"tile", tile}});
          r.back().insert(share.begin(), share.end());
        }
  for (const char* order : {"j i k", "i k"})
    for (const char* kcache : {"yes", "no"})
      for (const char* keep : {"private", "work"})
        r.push_back({{"order", order}, {"kcache", kcache}, {"keep", keep}});
  for (const char* tile : {"i64", "i128", "i32"})
    r.push_back({{"order", "j i k"}, {"tile", tile}, {"kcache", "yes"}});
  for (const char* order : {"j i k", "i k"})
    r.push_back({{"order", order}, {"kcache", "yes"}, {"prefetch", "2"}});
  for (const char* order : {"j i k", "i k"})
    r.push_back({{"order", order}, {"kcache", "yes"}, {"unroll", "2"}});
  for (const char* order : {"j i k", "j k i"}) r.push_back({{"order", order}});
  r.emplace_back();
  return r;
}

/// A thread hides latencies by accumulators; work-items, of which there are many, have few registers each,
/// and share parts.
List reductions(const SpaceFacts& f) {
  List r;
  if (on_processors(f.options)) {
    for (const std::int64_t accumulators : {2 * f.lanes, f.lanes, 4 * f.lanes, std::int64_t{1}})
      r.push_back({{"lanes", std::to_string(accumulators)}});
    return r;
  }
  for (const char* accumulators : {"4", "1", "8"})
    for (const char* group : {"256", "128", "512", "64"})
      r.push_back({{"group", group}, {"lanes", accumulators}});
  for (const char* accumulators : {"2", "1"}) r.push_back({{"lanes", accumulators}});
  return r;
}

List stored_stages() {
  List r;
  for (const char* stages : {"private", "work"}) {
    r.push_back({{"stages", stages}, {"inner", "vec"}});
    r.push_back({{"stages", stages}});
  }
  return r;
}

/// Tiles of cells as work-groups: several cells an item, and what cells share in local memory or in
/// registers.
List groups() {
  List r;
  for (const char* tile : {"j4 i32", "i64", "k4 j4 i16", "i256"}) r.push_back({{"tile", tile}});
  for (const char* tile : {"j8 i32", "k32 j8 i32", "j4 i64", "k32 j4 i64"})
    for (const char* kept : {"yes", "no"})
      r.push_back({{"tile", tile}, {"order", "j i k"}, {"kcache", kept}});
  for (const char* tile : {"j8 i32", "k32 j8 i32"}) r.push_back({{"tile", tile}, {"local", "planes"}});
  for (const char* copy : {"vec", "async", "async vec"}) {
    r.push_back({{"tile", "k32 j8 i32"}, {"local", "planes"}, {"copy", copy}});
    r.push_back({{"tile", "k4 j8 i32"}, {"local", "tile"}, {"copy", copy}});
  }
  for (const char* tile : {"k4 j4 i32", "k4 j4 i16", "j8 i32", "i256"})
    r.push_back({{"tile", tile}, {"local", "tile"}});
  for (const char* items : {"2", "j2", "j4"}) r.push_back({{"tile", "j8 i32"}, {"items", items}});
  r.push_back({{"tile", "k4 j8 i32"}, {"items", "j4"}, {"local", "tile"}});
  r.push_back({{"tile", "k32 j8 i32"}, {"items", "j2"}, {"local", "planes"}});
  r.push_back({{"tile", "k32 j8 i32"},
               {"order", "j i k"},
               {"items", "j2"},
               {"kcache", "no"}});  // with windows of two cells kept, registers run out
  return r;
}

/// Which loops are the grid: every cell a work-item, or rows and planes left to one.
List grids(const Texts& dimensions) {
  List r;
  for (const char* inner : {"vec", "seq", "strided"})
    for (const char* grid : dimensions) r.push_back({{"grid", grid}, {"inner", inner}});
  return r;
}

List grid_on_processors() {
  List r{{{"grid", "k j i"}}};
  append(r, grids({"box k j", "k j i", "j i", "i"}));
  append(r, groups());
  append(r, {{{"layout", "split"}, {"inner", "strided vec"}}, {{"in_place", "no"}}, {}});
  return r;
}

List grid_on_gpu(bool stages) {
  List r = grids({"box k j i", "k j i", "box j i", "j i", "i"});
  append(r, groups());
  append(r, {{{"in_place", "no"}}, {}});
  if (stages) append(r, stored_stages());
  r.push_back({{"layout", "split"}, {"inner", "strided vec"}});
  append(r, grids({"box k j"}));
  for (const char* inner : {"vec", "seq"}) r.push_back({{"grid", "solo"}, {"inner", inner}});
  return r;
}

List threads(const SpaceFacts& f) {
  return {
      {{"buffer", "rows"}, {"inner", "vec"}},
      {{"inner", "vec"}, {"late", "1"}},
      {{"layout", "split"}, {"inner", "strided vec"}},
      {{"inner", "vec"}},
      {{"block", "rows unrolled"}, {"inner", "vec"}},
      {{"block", "whole"}, {"inner", "vec"}},
      {{"block", "rows"}, {"inner", "vec"}, {"stream", "1"}},
      {{"block", "whole"}, {"inner", "vec"}, {"stream", "1"}},
      {{"layout", "rows"}, {"inner", "vec"}, {"late", "1"}},
      {{"layout", "split"}, {"inner", "strided vec"}, {"prefetch", "64"}},
      {{"inner", "vec"}, {"stream", "1"}},
      {{"tile", "j16"}, {"inner", "vec"}, {"late", "1"}},
      {{"layout", "split"}, {"inner", "strided vec"}, {"tile", "j16"}},
      {{"inner", "strided"}},
      {{"inner", "seq"}},
      {{"inner", "vec"}, {"prefetch", "64"}, {"late", "1"}},
      {{"in_place", "no"}, {"inner", "vec"}},
      {{"in_place", "no"}, {"inner", "vec"}, {"stream", "1"}},
      {{"order", "j k"}, {"inner", "vec"}, {"late", "1"}},
      {{"layout", "split"}, {"inner", "strided vec"}, {"width", std::to_string(2 * f.lanes)}},
      {{"layout", "split"}, {"inner", "strided"}},
      {{"inner", "seq"}, {"unroll", "4"}},
  };
}

}  // namespace

std::vector<Wishes> worth_trying(const SpaceFacts& f, bool stages) {
  if (f.columns) return columns(f);
  List r;
  if (!f.reduction.places.empty()) append(r, reductions(f));
  if (!on_processors(f.options)) {
    append(r, grid_on_gpu(stages));
    return r;
  }
  if (stages) append(r, stored_stages());
  append(r, threads(f));
  if (f.options.cpu) append(r, grid_on_processors());
  return r;
}

}  // namespace lift
