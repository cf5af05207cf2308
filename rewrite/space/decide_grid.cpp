// Decisions on work-groups: their shapes, what they keep in local memory, and how many cells an item
// computes.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/decide.hpp"

namespace lift {
namespace {

/// The base of the update, where its block has no binder of its own before the cells: what is read there can
/// be compared.
std::optional<Expr> updated_base(const Program& program, const SpaceFacts& f) {
  if (!f.nest.update || f.cells().place.size() < f.nest.update->size()) return std::nullopt;
  return part_at(program.body, *f.nest.update).child(0);
}

std::size_t scalar_bytes(const Type& t) {
  const Type e = element_of(t);
  if (e.is_scalar()) return size_of(e.scalar());
  std::size_t n = 0;
  if (e.is_tuple())
    for (const Type& p : e.parts()) n += scalar_bytes(p);
  return n;
}

/// Elements of a row of the argument that an array is a view of, where it is the whole argument or its
/// elements in place; 0: another array, or not known.
std::int64_t row_length(const Expr& array) {
  Expr whole = array;
  while (whole.is(Op::Get)) whole = whole.child(0);
  if (!whole.is(Op::Param) && !whole.is(Op::Bound)) return 0;
  if (!element_of(array.type()).is_scalar()) return 0;
  return shape_of(array.type()).back().constant().value_or(0);
}

/// Local memory of one array's tile, of `planes` planes where given.
std::optional<std::int64_t> tile_bytes(const SpaceFacts& f, const WindowArray& w,
                                       const std::vector<std::int64_t>& tile,
                                       std::optional<std::int64_t> planes) {
  std::int64_t n = static_cast<std::int64_t>(w.bytes);
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const std::int64_t length = planes && d == 0 ? *planes : (tile[d] - 1) * w.step[d] + w.size[d];
    if (length > (1 << 20)) return std::nullopt;
    n *= length;
    if (n > static_cast<std::int64_t>(f.options.local_bytes)) return std::nullopt;
  }
  return n;
}

/// Whether tiles of all arrays that are worth it fit into local memory.
bool fits(const SpaceFacts& f, const Configuration& c, bool planes) {
  const auto staged = staged_arrays(f, c);
  const auto tile = tile_sizes(f, chosen(c, "tile", "none"));
  std::int64_t all = 0;
  for (const WindowArray& w : staged) {
    const auto bytes = tile_bytes(f, w, tile, planes ? std::optional(ring_planes(w)) : std::nullopt);
    if (!bytes) return false;
    all += *bytes;
  }
  return !staged.empty() && all <= static_cast<std::int64_t>(f.options.local_bytes);
}

}  // namespace

bool planes_fit(const SpaceFacts& f, const Configuration& c) {
  return f.inner_rank >= 2 && f.sweeps == 1 && !is_split(c) && fits(f, c, true) &&
         plane_items(f, chosen(c, "tile", "none")) <= static_cast<std::int64_t>(f.options.max_work_group);
}

namespace {

bool admits_local(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  const std::string tile = chosen(c, "tile", "none");
  const bool groups = chosen(c, "grid", "none") == "groups";
  if (value == "none")
    return !groups || is_by_columns(f, c) ||
           group_items(f, tile) <= static_cast<std::int64_t>(f.options.max_work_group);
  if (!groups || is_by_columns(f, c) || is_split(c) || f.sweeps > 1) return false;
  if (value == "planes") return planes_fit(f, c);
  return group_items(f, tile) <= static_cast<std::int64_t>(f.options.max_work_group) && fits(f, c, false);
}

bool admits_items(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (value == "1") return true;
  if (chosen(c, "grid", "none") != "groups" || is_split(c)) return false;
  const SharedCells cells = shared_cells(f, value);
  const std::int64_t length = shared_length(f, c);
  return length >= 2 * cells.number && length % cells.number == 0;
}

/// Rows of the tiles that are copied lie in memory element after element, at multiples of `width` of them.
bool copies_vectors(const SpaceFacts& f, const Configuration& c, std::int64_t width) {
  const auto tile = tile_sizes(f, chosen(c, "tile", "none"));
  const std::int64_t row = tile.back();
  if (f.axes.back().extent.value_or(0) % row != 0) return false;  // elements beyond the end are others
  for (const WindowArray& w : staged_arrays(f, c))
    for (const std::int64_t n : {(row - 1) * w.step.back() + w.size.back(), row * w.step.back(), w.row})
      if (n == 0 || n % width != 0) return false;
  return true;
}

bool admits_copy(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (value == "direct") return true;
  if (chosen(c, "local", "none") == "none") return false;
  const bool whole_rows = tile_sizes(f, chosen(c, "tile", "none")).back() >= f.axes.back().extent.value_or(0);
  if (whole_rows) return false;  // no work-items side by side along a row
  const bool async = value.rfind("async", 0) == 0;
  if (async && f.options.target == Target::opencl) return value == "async" && copies_vectors(f, c, 1);
  return value == "async" || copy_width(f, c) > 1;
}

/// Neighbours are offered across the unit-stride axis only: along it, the items of a warp would be apart.
Values items_values(const SpaceFacts& f) {
  if (f.inner_rank == 0) return {"1"};
  Values r{"1", "2", "4"};
  if (f.inner_rank > 1 && f.block.empty())
    for (const char* n : {"2", "4"}) r.push_back(shared_axis(f) + n);
  return r;
}

}  // namespace

std::vector<WindowArray> window_arrays(const Program& program, const SpaceFacts& f) {
  if (f.axes.empty() || !f.block.empty()) return {};
  const Expr cells = part_at(program.body, f.cells().place);
  if (!is_map(cells.op())) return {};
  const Expr& xs = cells.child(1);
  const std::vector<Expr> arrays =
      xs.is(Op::Zip) ? std::vector<Expr>(xs.children().begin(), xs.children().end()) : std::vector<Expr>{xs};
  const auto base = updated_base(program, f);
  std::vector<WindowArray> r;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Expr& a = arrays[i];
    if (!a.is(Op::Slide) || slide_sizes(a).size() != f.inner_rank) continue;
    WindowArray w;
    w.array = i, w.bytes = scalar_bytes(a.type());
    w.row = row_length(a.child(0));
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < f.inner_rank; ++d) {
      const auto size = slide_sizes(a)[d].constant(), step = slide_steps(a)[d].constant();
      w.size.push_back(size.value_or(1 << 20)), w.step.push_back(step.value_or(1));
      elements *= std::min<std::int64_t>(w.size.back(), 1 << 10);
    }
    if (elements < 3) continue;  // read once or twice: nothing to be gained
    w.overwritten = base && contains(a, [&](const Expr& x) { return x == *base; });
    r.push_back(std::move(w));
  }
  return r;
}

std::vector<WindowArray> staged_arrays(const SpaceFacts& f, const Configuration& c) {
  std::vector<WindowArray> r;
  for (const WindowArray& w : f.windows)
    if (!w.overwritten || !is_in_place(f, c)) r.push_back(w);
  return r;
}

std::int64_t ring_planes(const WindowArray& w) {
  return w.size[0] + std::min(w.size[0], w.step[0]);
}  // more than a window: the next ones are written while this is read

std::int64_t group_items(const SpaceFacts& f, const std::string& tile) {
  std::int64_t n = 1;
  const auto sizes = tile_sizes(f, tile);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] < f.axes[f.axes.size() - f.inner_rank + d].extent.value_or(0)) n *= sizes[d];
  return n;
}
std::int64_t plane_items(const SpaceFacts& f, const std::string& tile) {
  const auto sizes = tile_sizes(f, tile);
  const bool cut = !sizes.empty() && sizes[0] < f.axes[f.axes.size() - f.inner_rank].extent.value_or(0);
  return cut ? group_items(f, tile) / sizes[0] : group_items(f, tile);
}

std::int64_t shared_length(const SpaceFacts& f, const Configuration& c) {
  const auto sizes = tile_sizes(f, chosen(c, "tile", "none"));
  if (sizes.empty()) return 0;
  const std::size_t d = sizes.size() > 1 ? sizes.size() - 2 : 0;
  if (d == 0 && sizes.size() > 1 && is_by_columns(f, c)) return 0;  // that axis is no work-item's
  return sizes[d] < f.axes[f.axes.size() - f.inner_rank + d].extent.value_or(0) ? sizes[d] : 0;
}
std::string shared_axis(const SpaceFacts& f) {
  return f.axes[f.axes.size() - (f.inner_rank > 1 ? 2 : 1)].name;
}

std::int64_t copy_width(const SpaceFacts& f, const Configuration& c) {
  const auto staged = staged_arrays(f, c);
  if (staged.empty()) return 1;
  std::size_t bytes = 0;
  for (const WindowArray& w : staged) bytes = std::max(bytes, w.bytes);
  std::int64_t width = 16 / static_cast<std::int64_t>(bytes);  // what a GPU's work-item loads at once
  while (width > 1 && !copies_vectors(f, c, width)) width /= 2;
  return std::max<std::int64_t>(width, 1);
}

SharedCells shared_cells(const SpaceFacts& f, const std::string& items) {
  const std::string axis = f.inner_rank > 0 ? shared_axis(f) : "";
  const bool neighbours = !axis.empty() && items.rfind(axis, 0) == 0;
  return {std::stoll(neighbours ? items.substr(axis.size()) : items), neighbours};
}

std::vector<std::string> group_shapes() {
  return {"j4 i32",     "j8 i32",     "j4 i64",     "j8 i16",     "j2 i64",    "j2 i128",   "i64",
          "i128",       "i256",       "k4 j4 i16",  "k2 j4 i32",  "k4 j4 i32", "k4 j8 i32", "j16 i32",
          "k16 j8 i32", "k32 j8 i32", "k64 j8 i32", "k32 j4 i64", "k64 j4 i64"};
}

std::vector<Decision> grid_decisions(const SpaceFacts& f) {
  if (!is_grid(f.options.target)) return {};
  const bool staged = !f.windows.empty() && f.sweeps == 1;
  return {{"local",
           staged ? (f.inner_rank >= 2 ? Values{"none", "tile", "planes"} : Values{"none", "tile"})
                  : Values{"none"},
           admits_local},
          {"copy", staged ? Values{"direct", "vec", "async", "async vec"} : Values{"direct"}, admits_copy},
          {"items", items_values(f), admits_items}};
}

}  // namespace lift
