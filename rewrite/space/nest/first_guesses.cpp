// What is worth trying first on nests: on threads, on a grid's work-items, on a grid of a device that
// computes on processors.
#include <algorithm>
#include <iterator>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

using List = std::vector<Wishes>;

void append(List& all, List more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Made when they are asked for: programs compile kernels before main.
const Choice& split_layout() {
  static const auto& c = *new Choice{kSplitLayout, {}};
  return c;
}
const Choice& rows_layout() {
  static const auto& c = *new Choice{kRowsLayout, {}};
  return c;
}
const Loops& by_one() {
  static const auto& l = *new Loops{Loops::By::solo, {}};
  return l;
}

/// Results that caches do not hold are stored past them.
bool is_large(const NestFacts& f) {
  std::int64_t bytes = f.element_bytes;
  for (const Axis& a : f.axes) bytes *= a.extent.value_or(1);
  return f.on_processors() && !f.update && f.array && !f.few && bytes > kOfCaches;
}

/// `late`: what a vector of an array that is overwritten loads was stored just before, but for another part.
List stored_stages(bool late, bool stream) {
  List r;
  for (const Stages stages : {Stages::privately, Stages::work}) {
    Wishes w{{key::stages, stages}, {key::inner, Inner::vec}};
    if (late) w.set(key::late, true);
    if (stream) w.set(key::stream, true), r.push_back(w), w.erase(key::stream);
    r.push_back(std::move(w));
    r.push_back({{key::stages, stages}});
  }
  return r;
}

/// Tiles of cells as work-groups: several cells an item, and what cells share in local memory or in
/// registers.
List groups() {
  const Loops columns = "j i k"_loops;
  const AxisSizes two{{{"", 2}}}, two_neighbours{{{"j", 2}}}, four_neighbours{{{"j", 4}}};
  List r;
  for (const AxisSizes& tile : {"j4 i32"_sizes, "i64"_sizes, "k4 j4 i16"_sizes, "i256"_sizes})
    r.push_back({{key::tile, tile}});
  for (const AxisSizes& tile : {"j8 i32"_sizes, "k32 j8 i32"_sizes, "j4 i64"_sizes, "k32 j4 i64"_sizes})
    for (const bool kept : {true, false})
      r.push_back({{key::tile, tile}, {key::order, columns}, {key::kcache, kept}});
  for (const AxisSizes& tile : {"j8 i32"_sizes, "k32 j8 i32"_sizes})
    r.push_back({{key::tile, tile}, {key::local, Local::planes}});
  for (const Copy copy : {Copy::vec, Copy::async, Copy::async_vec}) {
    r.push_back({{key::tile, "k32 j8 i32"_sizes}, {key::local, Local::planes}, {key::copy, copy}});
    r.push_back({{key::tile, "k4 j8 i32"_sizes}, {key::local, Local::tile}, {key::copy, copy}});
  }
  for (const AxisSizes& tile : {"k4 j4 i32"_sizes, "k4 j4 i16"_sizes, "j8 i32"_sizes, "i256"_sizes})
    r.push_back({{key::tile, tile}, {key::local, Local::tile}});
  for (const AxisSizes& items : {two, two_neighbours, four_neighbours})
    r.push_back({{key::tile, "j8 i32"_sizes}, {key::items, items}});
  r.push_back({{key::tile, "k4 j8 i32"_sizes}, {key::items, four_neighbours}, {key::local, Local::tile}});
  r.push_back({{key::tile, "k32 j8 i32"_sizes}, {key::items, two_neighbours}, {key::local, Local::planes}});
  r.push_back({{key::tile, "k32 j8 i32"_sizes},
               {key::order, columns},
               {key::items, two_neighbours},
               {key::kcache, false}});  // with windows of two cells kept, registers run out
  return r;
}

/// Which loops are the grid: every cell a work-item, or rows and planes left to one.
List grids(const std::vector<Loops>& grids) {
  List r;
  for (const Inner inner : {Inner::vec, Inner::seq, Inner::strided})
    for (const Loops& grid : grids) r.push_back({{key::grid, grid}, {key::inner, inner}});
  return r;
}

List on_grid_of_processors() {
  List r{{{key::grid, "k j i"_loops}}};
  append(r, grids({"box k j"_loops, "k j i"_loops, "j i"_loops, "i"_loops}));
  append(r, groups());
  r.push_back({{key::layout, split_layout()}, {key::inner, Inner::strided_vec}});
  r.push_back({{key::in_place, false}});
  r.emplace_back();
  return r;
}

/// Cells of one colour, in a layout where they are neighbours: a work-item each.
List of_one_colour() {
  List r;
  for (const Loops& grid : {"box k j i"_loops, "k j i"_loops})
    r.push_back({{key::layout, split_layout()}, {key::grid, grid}, {key::inner, Inner::strided}});
  return r;
}

/// Work-items go along columns, in chunks so that there are many: planes that a group has read are still in
/// its cache, or in registers, when it reads them again.
List marching(const NestFacts& f) {
  List r;
  for (const AxisSizes& tile : {"k32 j8 i32"_sizes, "j8 i32"_sizes}) {
    r.push_back({{key::tile, tile}, {key::order, "j i k"_loops}, {key::kcache, true}});
    if (f.modulus > 1 && f.in_place)
      r.push_back({{key::tile, tile}, {key::order, "j i k"_loops}, {key::inner, Inner::strided}});
  }
  return r;
}

List on_grid(const NestFacts& f, const NestFacts* stored) {
  List r;
  if (is_worth_one_group(f)) r.push_back({{key::one_group, true}});
  append(r, groups::first_guesses(f, nullptr));
  if (f.modulus > 1 && f.in_place) append(r, of_one_colour());
  append(r, marching(f));
  append(r, grids({"box k j i"_loops, "k j i"_loops, "box j i"_loops, "j i"_loops, "i"_loops}));
  append(r, groups());
  r.push_back({{key::in_place, false}});
  r.emplace_back();
  if (stored != nullptr) {  // computed where they are read, they share a pass, too
    for (Wishes w : groups::first_guesses(*stored, nullptr))
      w.set(key::stages, Stages::work), r.push_back(std::move(w));
    append(r, stored_stages(false, false));
  }
  r.push_back({{key::layout, split_layout()}, {key::inner, Inner::strided_vec}});
  append(r, grids({"box k j"_loops}));
  for (const Inner inner : {Inner::vec, Inner::seq})
    r.push_back({{key::grid, by_one()}, {key::inner, inner}});
  return r;
}

/// A plane a step, or several; where threads share one array, a strip of it each.
List in_rings(const NestFacts& f) {
  List r;
  if (!f.rings) return r;
  for (const std::int64_t width : f.lines ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 16}) {
    Wishes w{{key::in_place, false},
             {key::time, AxisSizes{{{f.axes[f.above_update].name, width}}}},
             {key::rings, true},
             {key::inner, Inner::vec}};
    if (f.lines) w.set(key::tile, AxisSizes{});
    if (const auto strips = strips_of(f); !strips.empty()) {
      w.set(key::strips, strips.front());
      if (width == 1) w.set(key::stream, true), r.push_back(w), w.erase(key::stream);
      r.push_back(w);
      const auto other = std::find_if(strips.begin(), strips.end(), [&](const AxisSizes& s) {
        return s.list[0].axis != strips.front().list[0].axis;
      });
      if (width == 1 && other != strips.end()) w.set(key::strips, *other), r.push_back(w);
      if (!has_loops_for_threads(f)) continue;
      w.erase(key::strips);
    } else if (!has_loops_for_threads(f) && f.options.threads > 1) {
      continue;  // one thread would do it all
    }
    r.push_back(std::move(w));
  }
  return r;
}

/// In tiles of two phases, a row or plane of all sweeps at a time where there are such.
List in_phases(const NestFacts& f) {
  const std::vector<AxisSizes> tiles = tiles_of_phases(f);
  if (tiles.empty()) return {};
  List r;
  if (!f.steps.empty())
    for (const AxisSizes& tile : tiles)
      if (tile.list[0].axis != f.steps[0] && r.empty())
        r.push_back(
            {{key::time, AxisSizes{{{f.steps[0], 1}}}}, {key::phases, tile}, {key::inner, Inner::vec}});
  r.push_back({{key::time, AxisSizes{}},
               {key::phases, tiles.front()},
               {key::tile, AxisSizes{}},
               {key::inner, Inner::vec}});
  return r;
}

/// Rows of skewed tiles that threads take in turns: many, as long as there are two tiles a thread.
std::int64_t rows_of_turns(const NestFacts& f) {
  const std::int64_t rows = f.axes[f.above_update + 1].extent.value_or(256);
  for (const std::int64_t width : {32, 16})
    if (rows >= std::int64_t{2} * f.options.threads * width) return width;
  return 8;
}

/// Sweeps in one pass over memory: the inner loops that are best for one sweep.
List in_step(const NestFacts& f) {
  List r;
  if (!f.in_place) append(r, in_rings(f));
  if (f.steps.empty()) {
    append(r, in_phases(f));
    return r;
  }
  const bool planes = f.steps.size() > 1, few = !has_loops_for_threads(f) && f.options.threads > 1;
  const AxisSizes one{{{f.steps[0], 1}}}, several{{{f.steps[0], 16}}};
  const auto tiles = [&](std::int64_t rows) { return AxisSizes{{{f.steps[1], rows}, {f.steps[0], 1}}}; };
  const auto add = [&](const AxisSizes& schedule, bool team) {
    for (const bool split : {true, false}) {
      Wishes w{{key::time, schedule}, {key::inner, split ? Inner::strided_vec : Inner::vec}};
      if (split) w.set(key::layout, split_layout());
      if (team) w.set(key::team, true);
      if (few && planes && !split && f.in_place) w.set(key::late, true);
      r.push_back(std::move(w));
    }
  };
  // Few boxes: threads take tiles in turns, or share what a step does, of which there must be something to
  // share.
  if (few && planes)
    for (const std::int64_t rows : {rows_of_turns(f), rows_of_turns(f) / 2}) add(tiles(rows), true);
  if (few && !planes) add(several, true);
  add(one, false);
  if (few && planes) add(one, true);
  if (!few) add(planes ? tiles(16) : several, false);
  if (f.in_place) append(r, in_rings(f));
  append(r, in_phases(f));
  return r;
}

/// Sweeps over few elements, which are not worth threads: a row or plane of all of them at a time, so that
/// what lies side by side is met together.
List one_after_the_other(const NestFacts& f) {
  if (f.steps.empty()) return {};
  return {{{key::time, AxisSizes{{{f.steps[0], 1}}}}, {key::inner, Inner::vec}}};
}

List on_threads(const NestFacts& f) {
  const AxisSizes rows = "j16"_sizes;
  const Inner vec = Inner::vec, split_vec = Inner::strided_vec;
  List r = f.few ? one_after_the_other(f) : in_step(f);
  // Compilers gather with the instructions for that, where vectors of ours take element by element.
  if (f.gathers) r.push_back({{key::inner, Inner::seq}});
  if (is_large(f)) r.push_back({{key::inner, vec}, {key::stream, true}});
  append(r, {
                {{key::buffer, true}, {key::inner, vec}},
                {{key::inner, vec}, {key::late, true}},
                {{key::layout, split_layout()}, {key::inner, split_vec}},
                {{key::inner, vec}},
                {{key::block, Blocks::rows_unrolled}, {key::inner, vec}},
                {{key::block, Blocks::whole}, {key::inner, vec}},
                {{key::block, Blocks::rows}, {key::inner, vec}, {key::stream, true}},
                {{key::block, Blocks::whole}, {key::inner, vec}, {key::stream, true}},
                {{key::layout, rows_layout()}, {key::inner, vec}, {key::late, true}},
                {{key::layout, split_layout()}, {key::inner, split_vec}, {key::prefetch, 64}},
                {{key::inner, vec}, {key::stream, true}},
                {{key::inner, vec}, {key::late, true}, {key::dynamic, 1}},
                {{key::tile, rows}, {key::inner, vec}, {key::late, true}},
                {{key::layout, split_layout()}, {key::inner, split_vec}, {key::tile, rows}},
                {{key::inner, Inner::strided}},
                {{key::inner, Inner::seq}},
                {{key::inner, vec}, {key::prefetch, 64}, {key::late, true}},
                {{key::in_place, false}, {key::inner, vec}},
                {{key::in_place, false}, {key::inner, vec}, {key::stream, true}},
                {{key::order, "j k"_loops}, {key::inner, vec}, {key::late, true}},
                {{key::layout, split_layout()}, {key::inner, split_vec}, {key::width, 2 * f.lanes}},
                {{key::layout, split_layout()}, {key::inner, Inner::strided}},
                {{key::inner, Inner::seq}, {key::unroll, 4}},
            });
  if (f.few) append(r, in_step(f));
  return r;
}

}  // namespace

std::vector<Wishes> cells::first_guesses(const NestFacts& f, const NestFacts* stored) {
  List r = guesses_of_reductions(f);
  if (!f.on_processors()) {
    append(r, on_grid(f, stored));
    return r;
  }
  if (stored != nullptr) {
    for (Wishes w : in_rings(*stored)) w.set(key::stages, Stages::work), r.push_back(std::move(w));
    append(r, stored_stages(f.in_place, is_large(*stored)));
    for (Wishes w : in_phases(*stored)) w.set(key::stages, Stages::work), r.push_back(std::move(w));
  }
  append(r, on_threads(f));
  if (f.options.cpu) append(r, on_grid_of_processors());
  return r;
}

}  // namespace lift
