// Decisions on the innermost loop: scalar or vectors, every element or only those that a guard admits, and
// how it meets memory.
#include <algorithm>

#include "rewrite/space/decide.hpp"

namespace lift {
bool inner_is_loop(const SpaceFacts& f, const Configuration& c) {
  if (f.axes.empty()) return false;
  if (!is_grid(f.options.target)) return true;
  if (is_by_columns(f, c) || is_solo(c)) return true;
  const std::string grid = chosen(c, "grid", "none");
  if (grid == "groups") {
    const auto tile = tile_sizes(f, chosen(c, "tile", "none"));
    return !tile.empty() && tile.back() == f.axes.back().extent;
  }
  const auto names = words(grid);
  return names.empty() || names.back() != f.axes.back().name;
}

namespace {

std::int64_t inner_trips(const SpaceFacts& f, const Configuration& c) {
  const auto loops = planned_loops(f, c);
  return loops.empty() ? 0 : loops[inner_loop(loops)].trips.value_or(1 << 30);
}

bool admits_inner(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  const bool split = is_split(c), columns = is_by_columns(f, c);
  const bool neighbours =
      shared_cells(f, chosen(c, "items", "1")).neighbours;  // with a loop within, over cells of both colours
  const bool stride = f.modulus > 1 && !neighbours && is_in_place(f, c) &&
                      (!columns || f.parity_axes >= static_cast<std::int64_t>(f.inner_rank));
  const bool vectors =
      f.lanes > 1 && !columns && f.vectors && inner_trips(f, c) >= f.lanes * (split ? f.modulus : 1);
  if (!inner_is_loop(f, c)) return value == "seq" && !split;
  if (value == "seq") return !split;
  if (value == "strided") return stride;
  if (value == "vec") return vectors && !split;
  return vectors && split && stride;  // strided vec
}

/// Elements of a vector are neighbours: every second cell of a row, when the colours are stored apart.
bool admits_width(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (!is_vector(c)) return value == "1";
  const std::int64_t w = std::stoll(value);
  return w == f.lanes || (w == 2 * f.lanes && inner_trips(f, c) >= w * (is_split(c) ? f.modulus : 1));
}

bool admits_stream(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (value == "0") return true;
  return chosen(c, "inner", "seq") == "vec" && (!is_in_place(f, c) || (!f.reads_target && f.modulus == 0));
}

Decision vector_only(const std::string& name, std::vector<std::string> values) {
  return {name, std::move(values), [](const SpaceFacts&, const Configuration& c, const std::string& value) {
            return value == "0" || is_vector(c);
          }};
}
/// One store a vector can be late; those of a block stay where they are.
std::vector<std::string> late_values(const SpaceFacts& f) {
  return f.block.empty() ? std::vector<std::string>{"0", "1"} : std::vector<std::string>{"0"};
}

}  // namespace

std::vector<Decision> inner_decisions(const SpaceFacts& f) {
  std::vector<std::string> inner{"seq"}, widths{"1"};
  if (f.axes.empty()) return {{"inner", inner, always}};
  if (f.modulus > 1 && f.in_place) inner.push_back("strided");
  if (f.lanes > 1 && f.vectors) {
    inner.push_back("vec");
    if (f.parity_axes > 0 && f.in_place && !f.options.caller_layout_only) inner.push_back("strided vec");
    widths.push_back(std::to_string(f.lanes));
    widths.push_back(std::to_string(2 * f.lanes));
  }
  std::vector<Decision> r{{"inner", inner, admits_inner}, {"width", widths, admits_width}};
  if (on_processors(f.options)) {
    r.push_back(vector_only("late", late_values(f)));
    r.push_back({"stream", {"0", "1"}, admits_stream});
  }
  r.push_back({"unroll",
               {"1", "2", "4"},
               [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
                 if (value == "1") return true;
                 const std::string inner = chosen(c, "inner", "seq");
                 return (inner == "seq" || (inner == "strided" && is_grid(facts.options.target))) &&
                        inner_is_loop(facts, c) && inner_trips(facts, c) >= std::stoll(value);
               }});
  for (Decision& d : stream_decisions(f)) r.push_back(std::move(d));
  return r;
}

}  // namespace lift
