// Decisions on the loop nest: tiles, loop order, and which loops run in parallel.
#include <algorithm>

#include "rewrite/space/decide.hpp"

namespace lift {
namespace {

Values tile_values(const SpaceFacts& f) {
  const bool gpu = is_grid(f.options.target);
  Values all{"none"};
  const auto offer = [&](const std::string& text) {
    std::size_t named = 0;
    for (const std::string& w : words(text))
      for (std::size_t a = f.axes.size() - f.inner_rank; a < f.axes.size(); ++a) {
        const std::size_t digits = w.find_first_of("0123456789");
        if (w.substr(0, digits) == f.axes[a].name &&
            f.axes[a].extent.value_or(0) > std::stoll(w.substr(digits)))
          ++named;
      }
    if (named == words(text).size()) all.push_back(text);
  };
  for (std::size_t a = f.axes.size() - f.inner_rank; a < f.axes.size(); ++a)
    if (!f.axes[a].extent) return all;  // a remainder of unknown length is not offered
  if (f.inner_rank == 1)
    for (const char* t : {"i64", "i256", "i1024", "i4096", "i16384", "i65536"}) offer(t);
  if (f.inner_rank == 1) return all;
  if (gpu)
    for (const std::string& t : group_shapes()) offer(t);
  if (gpu && f.inner_rank > 1)  // chunks of columns
    for (const char* n : {"16", "32", "64"}) offer(f.axes[f.axes.size() - f.inner_rank].name + n);
  if (on_processors(f.options))
    for (const char* t : {"j8", "j16", "j32", "k8 j8", "k8 j16", "k4 j16", "j16 i256", "i256"}) offer(t);
  return all;
}

/// How the blocks that cells make are written: row by row, with loops over the rows of a block or with these
/// unrolled, or each block as a whole.
Values block_values(const SpaceFacts& f) {
  if (f.block.empty()) return {"none"};
  if (!f.rows || !on_processors(f.options)) return {"whole"};
  return {"rows", "rows unrolled", "whole"};
}

/// Names of the first loops of [begin, end) that do not run once, one more at a time: "box", "box k", ...
Values prefixes(const std::vector<PlannedLoop>& loops, std::size_t begin, std::size_t end) {
  Values r;
  std::string text;
  for (std::size_t i = begin; i < end && r.size() < 3; ++i)
    if (!loops[i].single() && !loops[i].block) r.push_back(text += (text.empty() ? "" : " ") + loops[i].name);
  return r;
}

/// Loops that may be parallel together: perfectly nested, so not on both sides of an update that first copies
/// its base, nor of a function that has more loops in it.
Values parallel_values(const SpaceFacts& f, const Configuration& c) {
  const auto loops = planned_loops(f, c);
  if (loops.empty()) return {};
  const bool tiled = std::any_of(loops.begin(), loops.end(), [](const PlannedLoop& l) { return l.tiles; });
  const std::size_t end =
      tiled ? loops.size() - f.inner_rank - f.block.size() : inner_loop(loops);  // never the inner loop
  std::size_t split = 0;
  if (is_grid(f.options.target)) return prefixes(loops, 0, end);  // loops around several nests become several
  if (f.update && !is_in_place(f, c))
    while (split < end && !loops[split].below_update) ++split;
  split = std::max(split, std::min(end, f.above_others));
  Values r = prefixes(loops, 0, split);
  for (const std::string& v : prefixes(loops, split, end)) add_new(r, v);
  return r;
}

bool is_parallel(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  const Values values = parallel_values(f, c);
  return values.empty() ? value == "none" : contains(values, value);
}

std::int64_t iterations(const std::vector<PlannedLoop>& loops, const std::string& names) {
  std::int64_t n = 1;
  for (const std::string& w : words(names))
    for (const PlannedLoop& l : loops)
      if (l.name == w) n *= l.trips.value_or(1000);
  return n;
}

/// All values for all tiles; first, the shortest that gives every thread enough iterations to balance.
Values all_parallel(const SpaceFacts& f, const Values& tiles) {
  Values all;
  for (const std::string& tile : tiles)
    for (const auto& [in_place, order] :
         {std::pair{"yes", "k j"}, {"no", "k j"}, {"yes", "j k"}, {"no", "j k"}}) {
      const Configuration c{{"tile", tile}, {"in_place", in_place}, {"order", order}};
      Values these = parallel_values(f, c);
      const auto loops = planned_loops(f, c);
      std::stable_sort(these.begin(), these.end(), [&](const std::string& a, const std::string& b) {
        const std::int64_t enough = 32 * f.options.threads, na = iterations(loops, a),
                           nb = iterations(loops, b);
        if ((na >= enough) != (nb >= enough)) return na >= enough;
        return na < enough && na > nb;
      });
      for (const std::string& v : these) add_new(all, v);
    }
  all.push_back("none");
  return all;
}

// ---- grids of work-items

/// Items that run along columns: one a column or chunk of one, and box where there is room.
Values column_grids(const SpaceFacts& f, const std::vector<PlannedLoop>& loops) {
  Values axes, r;
  for (std::size_t i = 0; i < inner_loop(loops); ++i)
    if (!loops[i].single() && !loops[i].block) axes.push_back(loops[i].name);
  const std::size_t least =
      std::min(axes.size(), f.inner_rank - 1 + (loops.size() > f.axes.size() + f.block.size() ? 1 : 0));
  for (std::size_t n = std::min<std::size_t>(3, axes.size()); n > 0 && n >= least; --n) {
    std::string text;
    for (std::size_t i = axes.size() - n; i < axes.size(); ++i) text += (text.empty() ? "" : " ") + axes[i];
    r.push_back(text);
  }
  return r;
}

/// Whether a work-group can be as large as its tile, or goes along its chunk of planes together.
bool is_group(const SpaceFacts& f, const Configuration& c) {
  return group_items(f, chosen(c, "tile", "none")) <= static_cast<std::int64_t>(f.options.max_work_group) ||
         planes_fit(f, c);
}

/// Axes whose iterations are work-items: up to three neighbours in the nest, four where there are work-items
/// for every cell (the outer two share the grid's third dimension); with tiles, the tiles are work-groups.
Values item_values(const SpaceFacts& f, const Configuration& c) {
  if (chosen(c, "buffer", "none") != "none") return {};
  const bool copies =
      f.update &&
      !is_in_place(f, c);  // the base is copied inside the outer loops: these are over the grid, too
  const std::string tile = chosen(c, "tile", "none");
  if (tile != "none" && !is_chunk(f, tile))
    return copies || !(is_by_columns(f, c) || is_group(f, c)) ? Values{} : Values{"groups"};
  const auto loops = planned_loops(f, c);
  if (is_by_columns(f, c)) return column_grids(f, loops);
  const std::size_t end =
      loops.size() -
      (is_split(c) && !loops.empty() ? 1 : 0);  // the loop over one colour's cells stays a loop
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < end; ++i)
    if (!loops[i].single() && !loops[i].block) axes.push_back(i);
  Values r;
  for (std::size_t length = on_processors(f.options) ? 3 : 4; length > 0; --length)
    for (std::size_t from = 0; from + length <= axes.size() && from < (copies || f.above_others > 0 ? 1 : 2);
         ++from) {
      std::string text;
      for (std::size_t i = from; i < from + length; ++i)
        text += (text.empty() ? "" : " ") + loops[axes[i]].name;
      r.push_back(text);
    }
  return r;
}
/// Work-groups of one item that run what is left of the nest, as threads do.
Values solo_values(const SpaceFacts& f, const Configuration& c) {
  Values r;
  if (!is_by_columns(f, c))
    for (const std::string& v : parallel_values(f, c)) r.push_back("solo " + v);
  return r;
}
Values grid_values(const SpaceFacts& f, const Configuration& c) {
  Values all = item_values(f, c);
  for (const std::string& v : solo_values(f, c)) all.push_back(v);
  return all;
}
/// Loops around stages that are stored are dealt to work-items, all of them: work-items cannot wait for each
/// other in a loop.
bool goes_around_stages(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (is_fused(c)) return true;
  const Values names = words(value);
  const auto loops = planned_loops(f, c);
  for (std::size_t i = 0; i < std::min(f.above_others, loops.size()); ++i)
    if (!loops[i].single() && !contains(names, loops[i].name)) return false;
  return true;
}
bool admits_grid(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  Values values = grid_values(f, c);
  std::erase_if(values, [&](const std::string& v) { return !goes_around_stages(f, c, v); });
  return values.empty() ? value == "none" : contains(values, value);
}
bool admits_order(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  const std::string tile = chosen(c, "tile", "none");
  const bool plain = value == order_values(f).front();
  const auto most = static_cast<std::int64_t>(f.options.max_work_group);
  if (!plain && (is_by_rows(c) || chosen(c, "buffer", "none") != "none")) return false;
  if (!is_grid(f.options.target)) return true;
  if (!is_fused(c)) return plain;
  if (is_chunk(f, tile)) return !plain;
  if (tile != "none" && plain) return on_processors(f.options) || is_group(f, c);
  if (tile != "none" && plane_items(f, tile) > most) return false;
  return plain || (f.sweeps == 1 && f.inner_rank <= 3 && !is_split(c) && (!f.update || is_in_place(f, c)));
}
bool admits_tile(const SpaceFacts& f, Configuration c, const std::string& value) {
  if (chosen(c, "buffer", "none") != "none") return value == "none";
  if (value == "none" || !is_grid(f.options.target)) return true;
  if (!is_fused(c)) return false;
  if (is_chunk(f, value))
    return !is_split(c) && !is_by_rows(c) && f.sweeps == 1 && f.inner_rank <= 3 &&
           (!f.update || is_in_place(f, c));
  if (is_split(c) && tile_sizes(f, value).back() != f.axes.back().extent) return false;
  if (!on_processors(f.options) && f.update && !is_in_place(f, c)) return false;
  c["tile"] = value;
  const Values orders = order_values(f);
  return std::any_of(orders.begin(), orders.end(),
                     [&](const std::string& order) { return admits_order(f, c, order); });
}
/// All values for all tiles; groups of one item come first on processors, last elsewhere.
Values all_grids(const SpaceFacts& f, const Values& tiles) {
  Values items, solo;
  if (f.options.cpu)
    for (const std::string& v : all_parallel(f, tiles))
      if (v != "none") add_new(solo, "solo " + v);
  for (const std::string& tile : tiles)
    for (const char* in_place : {"yes", "no"})
      for (const char* layout : {"caller", "split"})
        for (const std::string& order : order_values(f)) {
          if (is_chunk(f, tile) && order == order_values(f).front()) continue;
          const Configuration c{{"tile", tile}, {"in_place", in_place}, {"layout", layout}, {"order", order}};
          for (const std::string& v : item_values(f, c)) add_new(items, v);
          for (const std::string& v : solo_values(f, c)) add_new(solo, v);
        }
  if (!on_processors(f.options))  // neighbouring work-items meet neighbouring elements
    std::stable_partition(items.begin(), items.end(),
                          [&](const std::string& v) { return words(v).back() == f.axes.back().name; });
  Values& all = f.options.cpu ? solo : items;
  for (const std::string& v : f.options.cpu ? items : solo) all.push_back(v);
  all.emplace_back("none");
  return all;
}

}  // namespace

Decision stage_decision(const SpaceFacts& f) {
  const std::int64_t most = is_grid(f.options.target) ? 0 : 128 * 1024;  // of a thread's stack
  Values values{"fused", "work"};
  if (f.stage_elements.value_or(most + 1) <= most) values.emplace_back("private");
  return {"stages", values, always};
}

std::vector<Decision> nest_decisions(const SpaceFacts& f) {
  const bool gpu = is_grid(f.options.target);
  const Values tiles = tile_values(f);
  std::vector<Decision> r;
  r.push_back({"block", block_values(f), always});
  r.push_back({"buffer", f.buffer.empty() ? Values{"none"} : Values{"none", "rows"}, always});
  r.push_back({"tile", tiles, admits_tile});
  r.push_back({"order", order_values(f), admits_order});
  if (gpu)
    r.push_back({"grid", all_grids(f, tiles), admits_grid});
  else
    r.push_back({"parallel", all_parallel(f, tiles), is_parallel});
  return r;
}

}  // namespace lift
