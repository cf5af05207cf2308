#include "rewrite/space/space.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/block_form.hpp"
#include "rewrite/space/derive.hpp"
#include "rewrite/space/seeds.hpp"

namespace lift {

/// What a space knows about its program.
struct SpaceContext {
  Rewriting start;  ///< what the decisions are about: the program in block form
  SpaceFacts facts;
  Rewriting staged;  ///< the same with its stages stored; see stages.hpp
  SpaceFacts staged_facts;
  std::vector<Decision> decisions;

  const SpaceFacts& facts_for(const Configuration& c) const { return is_fused(c) ? facts : staged_facts; }
};

Space::Space(const Program& program, const SpaceOptions& options) : program_(program), options_(options) {
  auto context = std::make_shared<SpaceContext>();
  context->start = in_block_form(program);
  const bool stages = !stages_of(context->start.program.body).empty();
  if (stages) {
    context->staged = context->start, context->staged_facts = facts_of(context->staged.program, options);
    context->start = with_stages_fused(std::move(context->start));
  }
  context->facts = facts_of(context->start.program, options);
  if (stages) context->decisions.push_back(stage_decision(context->staged_facts));
  for (const Decision& d : context->decisions) parameters_.push_back({d.name, d.values});
  using Group = std::vector<Decision> (*)(const SpaceFacts&);
  const std::vector<Group> groups = context->facts.columns
                                        ? std::vector<Group>{column_decisions}
                                        : std::vector<Group>{data_decisions, nest_decisions, grid_decisions,
                                                             inner_decisions, reduction_decisions};
  const auto add = [&](Decision d) {
    if (d.values.size() > 1) (d.searched ? parameters_ : comparisons_).push_back({d.name, d.values});
    context->decisions.push_back(std::move(d));
  };
  for (const Group group : groups)
    for (Decision& d : group(context->facts)) add(std::move(d));
  add(access_decision(context->facts));
  context_ = std::move(context);
}

std::vector<std::string> Space::allowed(const Configuration& chosen, const std::string& name) const {
  for (const Decision& d : context_->decisions) {
    if (d.name != name) continue;
    std::vector<std::string> r;
    for (const std::string& v : d.values)
      if (d.admits(context_->facts_for(chosen), chosen, v)) r.push_back(v);
    if (r.empty()) throw InternalError("space: no value of " + name + " agrees with the choices before it");
    return r;
  }
  throw UserError("parameter '" + name + "' does not exist in this space; see its list of parameters");
}

Derivation Space::derive(const Configuration& given) const {
  const SpaceFacts& f = context_->facts_for(given);
  Configuration c;
  for (const auto& choice : given)
    if (std::none_of(context_->decisions.begin(), context_->decisions.end(),
                     [&](const Decision& d) { return d.name == choice.first; }))
      throw UserError("parameter '" + choice.first +
                      "' does not exist in this space; see its list of parameters");
  for (const Decision& d : context_->decisions) {
    const std::vector<std::string> values = allowed(c, d.name);
    const std::string value = chosen(given, d.name, values.front());
    if (std::find(values.begin(), values.end(), value) == values.end())
      throw UserError("parameter " + d.name + " cannot be '" + value +
                      "' here: " + (values.size() == 1 ? "only '" : "the first possible value is '") +
                      values.front() + "'");
    c[d.name] = value;
  }
  Deriver d(is_fused(given) ? context_->start : context_->staged);
  if (f.columns) {
    derive_columns(d, f, c);
    derive_access(d, f, c);
    return d.steps();
  }
  derive_reductions(d, f, c);  // first: it has the places in the program as it was
  derive_nest(d, f, c);
  derive_scans(d);
  derive_stages(d, c);
  return d.steps();
}

std::string Space::structure(const Configuration& c) const {
  const SpaceFacts& f = context_->facts_for(c);
  std::vector<std::string> parts;
  const auto get = [&](const std::string& name, const std::string& otherwise) {
    return lift::chosen(c, name, otherwise);
  };
  if (const std::string stages = get("stages", "fused"); stages != "fused")
    parts.push_back(stages == "private" ? "stages in arrays of their own" : "stages stored");
  if (f.columns && is_by_levels(f, c)) parts.emplace_back("levels outside points");
  if (get("keep", "work") == "private") parts.emplace_back("columns of its own");
  if (f.update) parts.push_back(is_in_place(f, c) ? "in place" : "two buffers");
  if (const auto w = words(get("layout", "caller")); w[0] != "caller") parts.push_back(w[0] + " layout");
  if (const std::string block = get("block", "none"); block != "none")
    parts.push_back(block == "whole" ? "whole blocks" : "blocks by " + block);
  if (get("buffer", "none") != "none") parts.emplace_back("buffered rows");
  if (const std::string tile = get("tile", "none"); is_chunk(f, tile)) {
    parts.emplace_back("chunks");
  } else if (tile != "none") {
    std::string axes;
    for (const std::string& w : words(tile)) axes += " " + w.substr(0, w.find_first_of("0123456789"));
    parts.push_back("tiles" + axes);
  }
  if (get("order", "k j") == "j k") parts.push_back("j outside k");
  if (is_by_columns(f, c)) parts.emplace_back("columns");
  if (is_grid(options_.target)) parts.push_back("grid " + get("grid", "none"));
  if (get("local", "none") != "none")
    parts.push_back(get("local", "none") == "tile" ? "tiles in local memory" : "planes in local memory");
  if (const std::string copy = get("copy", "direct"); copy != "direct")
    parts.push_back(copy == "vec"     ? "copied by vectors"
                    : copy == "async" ? "copied asynchronously"
                                      : "vectors copied asynchronously");
  if (const SharedCells cells = shared_cells(f, get("items", "1")); cells.number > 1)
    parts.emplace_back(cells.neighbours ? "neighbouring cells an item" : "several cells an item");
  if (const std::string p = get("parts", "none"); p != "none")
    parts.push_back("parts of " + p.substr(0, p.find_first_of("0123456789")));
  if (const std::string g = get("group", "none"); g != "none")
    parts.emplace_back("by groups in local memory");
  if (get("lanes", "1") != "1") parts.emplace_back("lanes");
  const std::string inner = get("inner", "seq");
  parts.push_back(inner == "vec" && f.modulus > 1 && is_in_place(f, c) ? "masked vec" : inner);
  if (get("unroll", "1") != "1") parts.emplace_back("unrolled");
  if (get("kcache", "no") == "yes") parts.emplace_back("kept in registers");
  if (const std::string access = get("readonly", ""); options_.target == Target::cuda && access == "yes")
    parts.emplace_back("read-only");
  else if (options_.target != Target::cuda && access == "no")
    parts.emplace_back("arrays that may overlap");
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

namespace {

/// One loop alone cannot be both parallel and innermost: it is tiled then, with enough tiles for the threads
/// to balance.
std::string tile_for_threads(const SpaceFacts& f, const Configuration& c,
                             const std::vector<std::string>& tiles) {
  const auto loops = planned_loops(f, c);
  for (std::size_t i = 0; i < inner_loop(loops); ++i)
    if (!loops[i].single() && !loops[i].block) return tiles.front();
  for (std::size_t t = tiles.size(); t-- > 1;)  // the longest first
    if (tile_sizes(f, tiles[t]).back() * 8 * f.options.threads <= f.axes.back().extent.value_or(0))
      return tiles[t];
  return tiles.size() > 1 ? tiles[1] : tiles.front();
}

/// The configuration that has what is wished for; nothing where the program does not allow it.
std::optional<Configuration> granted(const SpaceContext& context, const Space& space,
                                     const SpaceOptions& options, const Wishes& wishes) {
  Configuration c;
  for (const Decision& d : context.decisions) {
    const std::vector<std::string> values = space.allowed(c, d.name);
    std::string value = values.front();
    if (const auto wish = wishes.find(d.name); wish != wishes.end()) {
      auto it = std::find(values.begin(), values.end(), wish->second);
      if (it == values.end())
        it = std::find_if(values.begin(), values.end(),
                          [&](const std::string& v) { return v.starts_with(wish->second + " "); });
      if (it == values.end()) return std::nullopt;
      value = *it;
    } else if (d.name == "tile" && on_processors(options)) {
      value = tile_for_threads(context.facts_for(c), c, values);
    } else if (d.name == "width" && values.size() > 1 && values.front() == "1") {
      value = values[1];
    }
    c[d.name] = value;
  }
  std::erase_if(c, [&](const auto& x) {  // only what is a parameter
    return std::none_of(space.parameters().begin(), space.parameters().end(),
                        [&](const Parameter& p) { return p.name == x.first; });
  });
  return c;
}

}  // namespace

std::vector<Configuration> Space::seeds() const {
  const bool stages = std::any_of(parameters_.begin(), parameters_.end(),
                                  [](const Parameter& p) { return p.name == "stages"; });
  std::vector<Configuration> r;
  for (const Wishes& wishes : worth_trying(context_->facts, stages))
    if (auto c = granted(*context_, *this, options_, wishes);
        c && std::find(r.begin(), r.end(), *c) == r.end())
      r.push_back(std::move(*c));
  return r;
}

}  // namespace lift
