#include "rewrite/space.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "rewrite/block_form.hpp"
#include "rewrite/decide.hpp"

namespace lift {

/// What a space knows about its program.
struct SpaceContext {
  Rewriting start;                 ///< what the decisions are about: the program in block form
  SpaceFacts facts;
  std::vector<Decision> decisions;
};

Space::Space(const Program& program, const SpaceOptions& options) : program_(program), options_(options) {
  auto context = std::make_shared<SpaceContext>();
  context->start = in_block_form(program);
  context->facts = facts_of(context->start.program, options);
  for (auto group : {data_decisions, nest_decisions, inner_decisions})
    for (Decision& d : group(context->facts)) {
      if (d.values.size() > 1) parameters_.push_back({d.name, d.values});
      context->decisions.push_back(std::move(d));
    }
  context_ = std::move(context);
}

std::vector<std::string> Space::allowed(const Configuration& chosen, const std::string& name) const {
  for (const Decision& d : context_->decisions) {
    if (d.name != name) continue;
    std::vector<std::string> r;
    for (const std::string& v : d.values)
      if (d.admits(context_->facts, chosen, v)) r.push_back(v);
    if (r.empty()) throw InternalError("space: no value of " + name + " agrees with the choices before it");
    return r;
  }
  throw UserError("parameter '" + name + "' does not exist in this space; see its list of parameters");
}

namespace {

/// Applies rules one after the other and keeps the steps.
class Deriver {
 public:
  explicit Deriver(const Rewriting& start) : now_(start) {}
  void step(const std::string& rule, const Arguments& arguments = {}, const Place& place = {}) { now_ = run(use(rule, arguments), now_, place); }
  Nest nest() const { return main_nest(now_.program.body); }
  const Derivation& steps() const { return now_.steps; }

  /// Every map on the way becomes loops over one dimension.
  void nest_all() {
    for (;;) {
      const Nest n = nest();
      const auto it = std::find_if(n.levels.begin(), n.levels.end(), [](const NestLevel& l) { return l.extents.size() > 1; });
      if (it == n.levels.end()) return;
      step("map-nest", {}, it->place);
    }
  }
  Place loop(std::size_t i) const { return nest().levels.at(i).place; }
  Expr part(const Place& place) const { return part_at(now_.program.body, place); }

 private:
  Rewriting now_;
};

Arguments texts(const std::vector<std::int64_t>& ns) {
  Arguments a;
  for (const auto n : ns) a.push_back(std::to_string(n));
  return a;
}

/// Blocks are written row by row: the join of rank D becomes joins of rank 1, inwards. (`join` is its place.)
void write_by_rows(Deriver& d, Place join, std::size_t rank) {
  for (; rank > 1; --rank) {
    d.step("join-map-nest", {}, join);
    join.insert(join.end(), {0, 0, 0, 0, 0});  // into the loops over an outer dimension of the cells and of their blocks
  }
}

/// The cells' loops are tiled; the join of their blocks moves into the tiles.
void tile_cells(Deriver& d, const SpaceFacts& f, const std::vector<std::int64_t>& tile, bool by_rows) {
  Place join = f.cells().place;
  if (!tile.empty()) d.step("tile", texts(tile), join);
  if (f.block.empty()) return;
  join.pop_back();
  if (!tile.empty()) {
    if (d.part(join).child(0).is(Op::Drop)) {
      d.step("join-of-drop", {}, join);
      join.push_back(0);
    }
    d.step("join-of-join", {}, join);
    join.push_back(0);
    d.step("map-fusion", {}, join);
    join.insert(join.end(), {0, 0});
  }
  if (by_rows) write_by_rows(d, join, f.block.size());
}

/// Loops within a block.
void lower_blocks(Deriver& d, const Configuration& c, const std::vector<PlannedLoop>& loops, const std::vector<bool>& parallel) {
  const std::size_t inner = inner_loop(loops);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].block) continue;
    const bool unrolled = *loops[i].trips > 1 && (i > inner || chosen(c, "block", "") == "rows unrolled");
    if (parallel[i]) d.step("map-par", {}, d.loop(i));
    else if (unrolled) d.step("map-unroll", {std::to_string(*loops[i].trips)}, d.loop(i));
    else d.step("map-seq", {}, d.loop(i));
  }
}

/// How each loop runs on threads; the inner loop is left out.
void lower_for_threads(Deriver& d, const SpaceFacts&, const Configuration& c, const std::vector<PlannedLoop>& loops) {
  const std::vector<bool> parallel = covered(loops, chosen(c, "parallel", "none"));
  lower_blocks(d, c, loops, parallel);
  for (std::size_t i = 0; i < inner_loop(loops); ++i)
    if (!loops[i].block) d.step(parallel[i] ? "map-par" : "map-seq", {}, d.loop(i));
}

/// How each loop runs on work-items; true when the inner loop is one of them.
bool lower_for_grid(Deriver& d, const SpaceFacts& f, const Configuration& c, const std::vector<PlannedLoop>& loops) {
  const std::vector<std::string> names = words(chosen(c, "grid", "none"));
  const bool groups = names == std::vector<std::string>{"groups"};
  std::vector<std::string> tiled;  // axes with work-groups, innermost first
  if (groups)
    for (std::size_t i = loops.size(); i-- > 0;)
      if (loops[i].tiles && !loops[i].single()) tiled.push_back(loops[i].name.substr(loops[i].name.size() / 2));
  std::size_t outer = tiled.size();  // dimensions left for the loops around
  const std::size_t around = groups ? loops.size() - 2 * f.inner_rank - f.block.size() : 0;
  bool last = false;
  lower_blocks(d, c, loops, std::vector<bool>(loops.size(), false));
  for (std::size_t i = loops.size(); i-- > 0;)
    if (groups && i < around && !loops[i].single() && outer < 3) tiled.push_back(loops[i].name), ++outer;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].block) continue;
    const std::string axis = loops[i].tiles ? loops[i].name.substr(loops[i].name.size() / 2) : loops[i].name;
    const auto in_grid = std::find(names.begin(), names.end(), axis);
    const auto in_group = std::find(tiled.begin(), tiled.end(), axis);
    last = false;
    if (groups && in_group != tiled.end()) {
      const bool work_group = loops[i].tiles || i < around;
      d.step(work_group ? "map-wrg" : "map-lcl", {std::to_string(in_group - tiled.begin())}, d.loop(i));
      last = true;
    } else if (!groups && in_grid != names.end()) {
      d.step("map-glb", {std::to_string(names.end() - in_grid - 1)}, d.loop(i));
      last = true;
    } else if (i < inner_loop(loops)) {
      d.step("map-seq", {}, d.loop(i));
    }
  }
  return last;
}

void lower_inner(Deriver& d, const SpaceFacts& f, const Configuration& c, const Place& place) {
  const std::string inner = chosen(c, "inner", "seq"), unroll = chosen(c, "unroll", "1"), prefetch = chosen(c, "prefetch", "0");
  if (is_vector(c)) d.step("map-vec", {chosen(c, "width", std::to_string(f.lanes))}, place);
  else d.step("map-seq", {}, place);
  if (inner == "strided" || inner == "strided vec") d.step("strided", {std::to_string(f.modulus)}, place);
  if (unroll != "1") d.step("unroll", {unroll}, place);
  if (chosen(c, "late", "0") == "1") d.step("late-store", {}, place);
  if (prefetch != "0") d.step("prefetch", {prefetch}, place);
}

/// Stores of the block that is computed; the rest of an updated base is copied as usual.
Place streamed_place(const Nest& nest) {
  if (!nest.update) return {};
  Place p = *nest.update;
  p.push_back(1);
  return p;
}

}  // namespace

Derivation Space::derive(const Configuration& given) const {
  const SpaceFacts& f = context_->facts;
  Configuration c;
  for (const auto& choice : given)
    if (std::none_of(context_->decisions.begin(), context_->decisions.end(), [&](const Decision& d) { return d.name == choice.first; }))
      throw UserError("parameter '" + choice.first + "' does not exist in this space; see its list of parameters");
  for (const Decision& d : context_->decisions) {
    const std::vector<std::string> values = allowed(c, d.name);
    const std::string value = chosen(given, d.name, values.front());
    if (std::find(values.begin(), values.end(), value) == values.end())
      throw UserError("parameter " + d.name + " cannot be '" + value + "' here: " + (values.size() == 1 ? "only '" : "the first possible value is '") + values.front() + "'");
    c[d.name] = value;
  }
  Deriver d(context_->start);
  if (is_in_place(f, c)) d.step("update-in-place");
  if (!f.axes.empty()) {
    tile_cells(d, f, tile_sizes(f, c["tile"]), is_by_rows(c));
    d.nest_all();
    const auto loops = planned_loops(f, c);
    if (d.nest().levels.size() != loops.size()) throw InternalError("space: " + std::to_string(d.nest().levels.size()) + " loops where " + std::to_string(loops.size()) + " were planned");
    if (c["order"] == "j k") d.step("interchange", {}, d.loop(inner_loop(loops) - 2));
    bool done = false;
    if (options_.target == Target::openmp) lower_for_threads(d, f, c, loops);
    else done = lower_for_grid(d, f, c, loops);
    if (!done) lower_inner(d, f, c, d.loop(inner_loop(loops)));
  }
  if (chosen(c, "stream", "0") == "1") d.step("stream", {}, streamed_place(d.nest()));
  if (c["layout"] != "caller") d.step("layout", words(c["layout"]));
  return d.steps();
}

std::string Space::structure(const Configuration& c) const {
  const SpaceFacts& f = context_->facts;
  std::vector<std::string> parts;
  const auto get = [&](const std::string& name, const std::string& otherwise) { return lift::chosen(c, name, otherwise); };
  if (f.update) parts.push_back(is_in_place(f, c) ? "in place" : "two buffers");
  if (const auto w = words(get("layout", "caller")); w[0] != "caller") parts.push_back(w[0] + " layout");
  if (const std::string block = get("block", "none"); block != "none") parts.push_back(block == "whole" ? "whole blocks" : "blocks by " + block);
  if (const std::string tile = get("tile", "none"); tile != "none") {
    std::string axes;
    for (const std::string& w : words(tile)) axes += " " + w.substr(0, w.find_first_of("0123456789"));
    parts.push_back("tiles" + axes);
  }
  if (get("order", "k j") == "j k") parts.push_back("j outside k");
  if (options_.target == Target::opencl) parts.push_back("grid " + get("grid", "none"));
  const std::string inner = get("inner", "seq");
  parts.push_back(inner == "vec" && f.modulus > 1 && is_in_place(f, c) ? "masked vec" : inner);
  if (get("unroll", "1") != "1") parts.emplace_back("unrolled");
  if (get("late", "0") == "1") parts.emplace_back("late store");
  if (get("prefetch", "0") != "0") parts.emplace_back("prefetch");
  if (get("stream", "0") == "1") parts.emplace_back("streaming");
  std::string s;
  for (const std::string& p : parts) s += (s.empty() ? "" : ", ") + p;
  return s;
}

std::string Space::layout(const Configuration& c) const {
  const std::string l = lift::chosen(c, "layout", "caller");
  return l == "caller" ? "" : l;
}

std::vector<Configuration> Space::seeds() const {
  std::vector<Configuration> r;
  // A wish is the value or its first word; a seed whose wishes the program does not allow is left out.
  const auto seed = [&](const Configuration& wishes) {
    Configuration c;
    for (const Decision& d : context_->decisions) {
      const std::vector<std::string> values = allowed(c, d.name);
      std::string value = values.front();
      const auto wish = wishes.find(d.name);
      if (wish != wishes.end()) {
        const auto it = std::find_if(values.begin(), values.end(), [&](const std::string& v) { return v == wish->second || v.rfind(wish->second + " ", 0) == 0; });
        if (it == values.end()) return;
        value = *it;
      } else if (d.name == "tile" && context_->facts.axes.size() == 1 && options_.target == Target::openmp && values.size() > 1) {
        value = values.back();  // one loop alone cannot be both parallel and innermost
      } else if (d.name == "width" && values.size() > 1 && values.front() == "1") {
        value = values[1];
      }
      c[d.name] = value;
    }
    for (auto it = c.begin(); it != c.end();)  // only what is a parameter
      it = std::any_of(parameters_.begin(), parameters_.end(), [&](const Parameter& p) { return p.name == it->first; }) ? std::next(it) : c.erase(it);
    if (std::find(r.begin(), r.end(), c) == r.end()) r.push_back(std::move(c));
  };
  const std::string wide = std::to_string(2 * context_->facts.lanes);
  if (options_.target == Target::opencl) {
    for (const char* inner : {"vec", "seq", "strided"})
      for (const char* grid : {"box k j", "box k", "box", "k j i", "k j", "j i", "j", "i"}) seed({{"grid", grid}, {"inner", inner}});
    for (const char* tile : {"j4 i32", "i64", "k4 j4 i16", "i256"}) seed({{"tile", tile}});
    seed({{"layout", "split"}, {"inner", "strided vec"}});
    seed({{"in_place", "no"}});
    seed({});
    return r;
  }
  seed({{"inner", "vec"}, {"late", "1"}});
  seed({{"layout", "split"}, {"inner", "strided vec"}});
  seed({{"inner", "vec"}});
  seed({{"layout", "rows"}, {"inner", "vec"}, {"late", "1"}});
  seed({{"layout", "split"}, {"inner", "strided vec"}, {"prefetch", "64"}});
  seed({{"inner", "vec"}, {"stream", "1"}});
  seed({{"tile", "j16"}, {"inner", "vec"}, {"late", "1"}});
  seed({{"layout", "split"}, {"inner", "strided vec"}, {"tile", "j16"}});
  seed({{"inner", "strided"}});
  seed({{"inner", "seq"}});
  seed({{"inner", "vec"}, {"prefetch", "64"}, {"late", "1"}});
  seed({{"in_place", "no"}, {"inner", "vec"}});
  seed({{"in_place", "no"}, {"inner", "vec"}, {"stream", "1"}});
  seed({{"order", "j k"}, {"inner", "vec"}, {"late", "1"}});
  seed({{"layout", "split"}, {"inner", "strided vec"}, {"width", wide}});
  seed({{"layout", "split"}, {"inner", "strided"}});
  seed({{"inner", "seq"}, {"unroll", "4"}});
  return r;
}

}  // namespace lift
