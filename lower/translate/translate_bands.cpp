// Chains in bands: the stages' nests are translated each by itself, then put into one loop over steps
// of a skewed band, within a loop over tiles that overlap, or twice, within a loop over tiles and one over
// the seams between them. In step s a stage does those of its iterations p for which (scale p + lag) / width
// is s; within a step the stages follow one another. That the shifts respect all dependences, and that rings
// keep what is still read, has been checked (rewrite/analysis/bands.hpp, rings.hpp).
#include <algorithm>
#include <set>
#include <tuple>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/loops/visit.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/translator.hpp"
#include "lower/translate/whole_vectors.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {
namespace {

/// A nest of a stage: what it computes, or what it copies of its base.
struct Part {
  Block nest;
  std::size_t stage;
  bool copies = false;
};

/// How the loop of a part along an axis goes through the steps; `scale`: planes of the finest grid from one
/// iteration to the next.
struct Pace {
  std::int64_t scale, lag, width;
  /// The first iteration of step s, or of a later one.
  Nat first(const Nat& s) const { return ceildiv(width * s - lag, scale); }
  Nat step_of(const Nat& iteration) const { return floordiv(scale * iteration + lag, width); }
  /// Steps until all iterations before `upper` are done.
  Nat steps_until(const Nat& upper) const { return ceildiv(scale * (upper - 1) + 1 + lag, width); }
};

[[noreturn]] void refuse(const std::string& what) { throw UserError("band: " + what); }

std::set<std::string> stored_in(const Block& b) {
  std::set<std::string> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) all.insert(x->array);
  });
  return all;
}

/// So many loops down a nest in which each is the only statement of the one around; null where there is none.
For* nested_loop(Block& nest, std::size_t depth) {
  For* f = nest.size() == 1 ? std::get_if<For>(&nest[0].v) : nullptr;
  for (std::size_t d = 0; f && d < depth; ++d)
    f = f->body.size() == 1 ? std::get_if<For>(&f->body[0].v) : nullptr;
  return f;
}
/// The loop around that along an axis.
For& outer_loop(Block& nest, std::size_t axis) { return *nested_loop(nest, axis - 1); }

/// The loop of a stage's nest along an axis. Steps take its place, tiles only cut it, which one over vectors
/// may be.
For& loop_along(Block& nest, std::size_t axis, bool only_cut = false) {
  For* f = nested_loop(nest, axis);
  if (!f) refuse("a stage is no nest of loops, one an axis, down to axis " + std::to_string(axis));
  if (!(f->step == Nat(1)) || f->stride != 1 || f->rotate || (f->kind == LoopKind::Vec && !only_cut))
    refuse("along axis " + std::to_string(axis) +
           " the stages' loops must be plain: no vectors, strides or rotation");
  return *f;
}
bool is_over_grid(const For& f) { return f.kind >= LoopKind::Glb; }

/// What is left of a part in step s along one axis; adds the conditions under which anything is.
Block in_one_step(Block nest, std::size_t axis, const Pace& pace, const Nat& s,
                  std::vector<Term>& conditions) {
  For& f = loop_along(nest, axis);
  if (is_over_grid(f))
    refuse("work-items are told apart by the loops along axis " + std::to_string(axis) +
           ", which steps follow one another along; give them a loop of another axis");
  const Nat first = pace.first(s);
  if (pace.width > 1 || pace.scale > 1) {
    f.lower = max(f.lower, first), f.upper = min(f.upper, pace.first(s + 1));
    return nest;
  }
  for (const NatCond& c : {less_equal(f.lower, first), less(first, f.upper)})
    if (!Facts().proves(c)) conditions.push_back(compare_term(c));
  Block body = substitute(f.body, f.var, first);
  if (axis == 0) return body;
  outer_loop(nest, axis).body = std::move(body);
  return nest;
}

/// The first position of a stage's array that is computed in a tile, and the number of them.
Nat first_in(const TileOfStages& tile, std::size_t stage, std::int64_t scale) {
  return ceildiv(tile.begin - tile.margins.at(stage), scale);
}
Nat most_in(const TileOfStages& tile, std::size_t stage, std::int64_t scale) {
  return ceildiv(tile.width + 2 * tile.margins.at(stage), scale);
}

/// What is left of a part between two planes of the finest grid.
void cut(Part& part, const StageGrid& grid, std::size_t axis, const Nat& begin, const Nat& end) {
  For& f = loop_along(part.nest, axis, true);
  const std::int64_t scale = grid.scale.at(axis);
  const Nat first = part.copies ? Nat(0) : grid.begins.at(axis);
  f.lower = max(f.lower, ceildiv(begin, scale) - first);
  f.upper = min(f.upper, ceildiv(end, scale) - first);
}
/// Beyond the end of the array: no iterations, not a negative number of them, of which whole vectors would be
/// taken.
void not_below_none(Part& part, std::size_t axis) {
  For& f = loop_along(part.nest, axis, true);
  if (!Facts().proves(less_equal(f.lower, f.upper))) f.upper = max(f.lower, f.upper);
}
/// What is left of it in a tile.
void cut_to_tile(Part& part, const TileOfStages& tile, const StageGrid& grid) {
  const std::int64_t margin = tile.margins.at(part.stage);
  cut(part, grid, tile.axis, tile.begin - margin, tile.end + margin);
  if (loop_along(part.nest, tile.axis, true).kind == LoopKind::Vec) not_below_none(part, tile.axis);
}

/// What is left of parts in a tile of a band in phases, from a plane to another one, each shift less on both
/// sides; or more, around a seam: the ends of the arrays are seams, too.
std::vector<Part> in_phase(std::vector<Part> parts, const std::vector<StageGrid>& grids, const Band& b,
                           const Nat& begin, const Nat& end) {
  const bool seam = begin == end;
  if (seam) std::erase_if(parts, [&](const Part& p) { return b.shifts.at(p.stage) == 0; });
  for (Part& p : parts) {
    const std::int64_t less = b.shifts.at(p.stage) * (seam ? -1 : 1);
    cut(p, grids.at(p.stage), b.axis, begin + less, end - less);
    not_below_none(p, b.axis);
  }
  return parts;
}
/// Planes that parts go over along an axis.
Nat planes_of(std::vector<Part> parts, const std::vector<StageGrid>& grids, std::size_t axis) {
  Nat n = 0;
  for (Part& p : parts) {
    const StageGrid& grid = grids.at(p.stage);
    n = max(n, grid.scale.at(axis) * (grid.begins.at(axis) + loop_along(p.nest, axis, true).upper));
  }
  return n;
}

/// What later stages read is left of a part whose loops are over work-items.
void cut_to_what_is_read(Part& part, const StageGrid& grid) {
  for (std::size_t axis = 0; axis < grid.read.size(); ++axis) {
    const For* f = nested_loop(part.nest, axis);
    if (!f || !(f->step == Nat(1)) || f->stride != 1 || f->kind == LoopKind::Vec || grid.each[axis] != 1)
      return;
    if (axis + 1 == grid.read.size() && !is_over_grid(*f)) return;
  }
  for (std::size_t axis = 0; axis < grid.read.size(); ++axis) {
    const std::optional<PositionsRead>& read = grid.read[axis];
    if (!read) continue;
    For& f = *nested_loop(part.nest, axis);
    f.lower = max(f.lower, read->first - grid.begins[axis]);
    f.upper = min(f.upper, read->end - grid.begins[axis]);
  }
}

/// Who copies what a stage leaves of its base: its work-items, along the same axes; else a thread alone, as
/// what is copied in one step is little.
void share_copies(Block& copies, Block& stage) {
  For* own = nested_loop(stage, 0);
  for (For* f = nested_loop(copies, 0); f; f = nested_loop(f->body, 0)) {
    f->kind = own && is_over_grid(*own) ? own->kind : LoopKind::Seq;
    if (is_over_grid(*f)) f->dim = own->dim, f->items = own->items;
    if (own) own = nested_loop(own->body, 0);
  }
}

/// The first array among what is read or stored there that one of the stages makes; null where none is.
std::optional<std::string> made_by(const std::vector<Part>& stages, const Block& where) {
  std::set<std::string> stored;
  for (const Part& p : stages) stored.merge(stored_in(p.nest));
  std::optional<std::string> made;
  visit(where, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) {
      if (!made && stored.contains(a.array)) made = a.array;
    });
  });
  return made;
}

/// Both parts of a stage may write one element, as of a base and of the block that is put over it.
bool meet(Part a, Part b, const StageGrid& grid) {
  for (std::size_t axis = 0; axis < grid.begins.size(); ++axis) {
    const For *f = nested_loop(a.nest, axis), *g = nested_loop(b.nest, axis);
    if (!f || !g) break;
    const auto positions = [&](const Part& part, const For& loop) {  // loops that copy go over them
      const Nat begin = part.copies ? Nat(0) : grid.begins[axis];
      const std::int64_t each = part.copies ? 1 : grid.each[axis];
      return std::pair{begin + each * loop.lower, begin + each * loop.upper};
    };
    const auto of_a = positions(a, *f), of_b = positions(b, *g);
    if (Facts().proves(less_equal(of_a.second, of_b.first)) ||
        Facts().proves(less_equal(of_b.second, of_a.first)))
      return false;
  }
  return true;
}

/// Within a step, threads wait between the two.
bool writes_twice(const std::vector<Part>& parts, const std::vector<StageGrid>& grids) {
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t q = p + 1; q < parts.size() && parts[q].stage == parts[p].stage; ++q)
      if (meet(parts[p], parts[q], grids.at(parts[p].stage))) return true;
  return false;
}

/// The tiles that a chain goes in, from this one inwards.
int tiles_in(const Expr& e) { return is_band(e, Band::overlapped) ? 1 + tiles_in(e.child(0)) : 0; }

/// A result of a chain: a stage that has a name, or what stands at the end, which is a stage if it is no
/// number.
struct ChainResult {
  Expr value;
  bool named;
  std::size_t stage;
  std::optional<Acceptor> place;

  bool is_number() const { return !named && value.type().is_scalar(); }
};
std::vector<ChainResult> results_of_chain(Expr chain, const std::optional<Acceptor>& to = {}) {
  while (chain.is(Op::Band)) chain = chain.child(0);
  std::size_t names = 0;
  for (; chain.is(Op::Let); chain = chain.child(1).child(0)) ++names;
  const std::vector<Expr> values = chain.is(Op::Tuple)
                                       ? std::vector(chain.children().begin(), chain.children().end())
                                       : std::vector{chain};
  std::vector<ChainResult> all;
  std::size_t stages = names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ChainResult r{values[i], values[i].is(Op::Bound), stages, {}};
    if (to) r.place = chain.is(Op::Tuple) ? std::get<std::vector<Acceptor>>(to->v).at(i) : *to;
    if (r.named) r.stage = names - 1 - static_cast<std::size_t>(bound_depth(values[i]));
    for (const ChainResult& x : all)
      if (r.named && x.named && x.stage == r.stage) refuse("a stage is two results; leave one out");
    stages += r.named || r.is_number() ? 0 : 1;
    all.push_back(std::move(r));
  }
  return all;
}

/// Planes of the finest grid that tiles cover along an axis: of the longest result.
Nat planes_of_results(const Expr& tiles, std::size_t axis, const std::vector<StageGrid>& grids) {
  Nat planes = 0;
  for (const ChainResult& r : results_of_chain(tiles)) {
    if (r.is_number()) continue;
    const Type array = r.value.type().is_tuple() ? Type(r.value.type().parts()[0]) : r.value.type();
    planes = max(planes, grids.at(r.stage).scale.at(axis) * shape_of(array).at(axis));
  }
  return planes;
}

}  // namespace

bool is_of_items(const Expr& e) {
  return contains(e, [](const Expr& x) { return x.is(Op::MapLcl); });
}

/// The planes of a stage that later ones still read: plane k lies in slot k mod (number of planes). Of the
/// other axes, and of that one where a tile's stages follow one another whole, what a tile needs; rows of all
/// stages are as long as the longest, so that a work-item's cell is at the same place in all of them. `rows`:
/// of the steps along axis 1 around, if there are any.
Acceptor Translator::ring_of_stage(const Expr& ring, std::size_t stage,
                                   const std::vector<TileOfStages>& tiles, bool in_steps,
                                   std::optional<std::int64_t> rows) {
  const Nat& planes = ring_planes(ring);
  std::vector<Nat> shape = shape_of(ring.type()), first(shape.size(), 0);
  shape[0] = planes;
  const bool of_items = is_of_items(ring);
  for (const TileOfStages& tile : tiles) {
    if (tile.axis == 0 && in_steps) continue;
    const std::int64_t scale = stage_grids.at(stage).scale.at(tile.axis);
    if (Facts().proves(less_equal(scale * shape[tile.axis], tile.width))) continue;  // all of it
    first[tile.axis] = first_in(tile, stage, scale), shape[tile.axis] = most_in(tile, stage, scale);
    if (of_items && tile.axis + 1 == shape.size() && scale == 1)
      shape[tile.axis] = tile.width + 2 * *std::max_element(tile.margins.begin(), tile.margins.end());
  }
  std::optional<Nat> in_turn;  // rows of a step
  if (rows) {
    const StageGrid& own = stage_grids.at(stage);
    const std::int64_t each = std::max<std::int64_t>(1, own.each.at(1)), pace = own.scale.at(1) * each,
                       most = (*rows + pace - 1) / pace * each;
    if (!Facts().proves(less_equal(shape[1], most))) in_turn = shape[1] = most;
  }
  const AddressSpace space = of_items ? AddressSpace::Local
                             : rows   ? AddressSpace::Private
                                      : AddressSpace::Global;
  const Acceptor slots =
      new_array("ring", array(shape, element_of(ring.type())), space, asked_layout(ring.child(0)));
  return collect(hints(slots, shape.size()), [=](std::vector<Nat> p) {
    if (in_steps) p[0] = mod(p[0], planes);
    for (std::size_t d = in_steps ? 1 : 0; d < p.size(); ++d) p[d] = p[d] - first[d];
    if (in_turn) p[1] = mod(p[1], *in_turn);
    return access(slots, p);
  });
}

/// Tiles are shared by threads, unless what is around them is; or by work-groups, the innermost along
/// dimension 0.
void Translator::write_schedule(const Expr& e, const ScopePtr& scope, const Acceptor& to,
                                const std::vector<TileOfStages>& tiles) {
  if (!is_band(e, Band::overlapped)) return write_in_step(e, scope, to, tiles);
  const Band band = band_of(e);
  const Nat width = band.width, planes = planes_of_results(e, band.axis, stage_grids);
  For f = new_loop("tile", ceildiv(planes, width));
  if (is_of_items(e))
    f.kind = LoopKind::Wrg, f.dim = tiles_in(e) - 1;
  else if (parallel_.size() == tiles.size())  // no other loops around
    f.kind = LoopKind::Par;
  loop(std::move(f), [&](const Nat& t) {
    std::vector<TileOfStages> all = tiles;
    all.push_back({band.axis, t * width, min(planes, (t + 1) * width), width, band.shifts});
    make_margins_whole_vectors(stage_grids, all.back());
    write_schedule(e.child(0), scope, to, all);
  });
}

void Translator::write_in_step(const Expr& e, const ScopePtr& given, const Acceptor& to,
                               const std::vector<TileOfStages>& tiles) {
  std::vector<Band> steps;  // outermost first
  std::optional<Band> phases;
  Expr chain = e;
  for (; chain.is(Op::Band); chain = chain.child(0))
    if (const Band b = band_of(chain); b.shape == Band::phases)
      phases = b;
    else
      steps.push_back(b);

  Block* outer = block;
  std::vector<Part> parts;
  std::optional<std::int64_t> rows;  // of a step around those along axis 0
  if (steps.size() == 2 && steps[0].axis == 1) rows = steps[0].width;
  Block own_rings;  // of a step along axis 1
  bool in_ring = false;
  std::size_t stage = 0;
  const auto in_own_block = [&](bool by_planes, const std::function<void()>& write_stage) {
    Block own;
    block = &own;
    write_stage();
    block = outer;
    // Arrays outlive the step; what a stage copies of an array, of elements that no stage computes, and what
    // it computes by itself on the way, an array or a number, is there before all steps.
    Block last{{std::move(own.back())}};
    const std::set<std::string> made = stored_in(last);
    for (std::size_t i = 0; i + 1 < own.size(); ++i) {
      const std::set<std::string> here = stored_in({own[i]});
      const bool copies = std::holds_alternative<For>(own[i].v) && !here.empty() &&
                          std::includes(made.begin(), made.end(), here.begin(), here.end());
      const auto made_there = made_by(parts, {own[i]});
      if (!copies && made_there)
        refuse("a stage computes an array or a number of its own from " + *made_there +
               ", which another stage makes: give it a name, so that it is a stage");
      if (copies && (by_planes || (made_there && stage_grids.at(stage).computes_base)))
        parts.push_back({{std::move(own[i])}, stage, true}), share_copies(parts.back().nest, last);
      else if (rows && in_ring && std::holds_alternative<Allocate>(own[i].v))
        own_rings.push_back(std::move(own[i]));
      else
        outer->push_back(std::move(own[i]));
    }
    parts.push_back({std::move(last), stage});
    ++stage;
  };
  ScopePtr scope = given;
  std::vector<bool> is_ring;  // of the stages so far
  // A tile copies what it has of a border; without tiles only rings, which do not hold all of it, are asked
  // for it plane by plane.
  const std::function<bool(const Expr&)> copies_by_planes = [&](const Expr& value) {
    if (!tiles.empty()) return true;
    if (is_identity(value.op())) return copies_by_planes(value.child(0));
    if (!is_update(value.op())) return false;
    Expr base = value.child(0);
    while (base.is(Op::Get) || base.is(Op::Unzip)) base = base.child(0);  // of one of several arrays
    if (!base.is(Op::Bound)) return false;
    const auto depth = static_cast<std::size_t>(bound_depth(base));
    return depth < is_ring.size() && is_ring[is_ring.size() - 1 - depth];
  };
  const std::vector<ChainResult> results = results_of_chain(chain, to);
  for (; chain.is(Op::Let); chain = chain.child(1).child(0)) {
    const Expr& value = chain.child(0);
    View stored;
    in_ring = value.is(Op::Ring);
    in_own_block(value.is(Op::Ring) || copies_by_planes(value), [&] {
      const auto result = std::find_if(results.begin(), results.end(),
                                       [&](const ChainResult& r) { return r.named && r.stage == stage; });
      if (result != results.end()) {
        write(value, scope, *result->place);
        const auto base = overwrites_base(value) ? base_of(value, scope) : std::nullopt;
        stored = base ? *base : view_of(*result->place, value.type());
      } else if (overwrites_base(value)) {
        const auto base = base_of(value, scope);
        const auto place = base ? place_of(*base, value.type()) : std::nullopt;
        if (!place) refuse("a stage overwrites what is not stored; the base must be an argument");
        write(value, scope, *place);
        stored = *base;
      } else if (value.is(Op::Ring)) {
        const Acceptor ring = ring_of_stage(value, stage, tiles, !steps.empty(), rows);
        write(value.child(0), scope, ring);
        stored = view_of(ring, value.type());
      } else if (value.is(Op::ToGlobal)) {
        stored = eval(value, scope);
      } else {
        refuse("a stage is not stored: update in place, to_global, or ring");
      }
    });
    is_ring.push_back(value.is(Op::Ring));
    scope = std::make_shared<Scope>(Scope{{stored}, scope});
  }
  in_ring = false;
  for (const ChainResult& r : results)
    if (!r.named && !r.is_number())
      in_own_block(copies_by_planes(r.value), [&] { write(r.value, scope, *r.place); });

  // Loops that steps take the place of vanish: inner ones first, so that outer ones stay where they are.
  std::vector<std::size_t> order(steps.size());
  for (std::size_t d = 0; d < steps.size(); ++d) order[d] = d;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return steps[a].axis > steps[b].axis; });

  const bool twice = writes_twice(parts, stage_grids);
  for (Part& part : parts)
    if (!part.copies) cut_to_what_is_read(part, stage_grids.at(part.stage));
  const auto pace = [&](const Part& part, const Band& step) {
    const StageGrid& own = stage_grids.at(part.stage);
    const std::int64_t scale = own.scale.at(step.axis), lag = step.shifts.at(part.stage);
    if (!part.copies) return Pace{scale * own.each.at(step.axis), lag, step.width};
    const auto begin = own.begins.at(step.axis).constant();  // loops that copy go over positions
    if (!begin) refuse("a stage copies planes of its base, and where its block begins is no number");
    return Pace{scale, lag - scale * *begin, step.width};
  };
  // Parts that are empty in a tile may begin beyond the steps of `whole`, by which they have been simplified.
  const auto range_of = [&](std::vector<Part>& of, const Band& step, const For* whole = nullptr) {
    const auto first = [&](Part& p) { return pace(p, step).step_of(loop_along(p.nest, step.axis).lower); };
    std::pair<Nat, Nat> r{first(of[0]), 0};
    for (Part& part : of) {
      r.first = min(r.first, first(part));
      r.second = max(r.second, pace(part, step).steps_until(loop_along(part.nest, step.axis).upper));
    }
    if (whole) r.second = min(r.second, whole->upper);
    return r;
  };
  std::vector<For> loops;  // of whole arrays first: what is known of a loop's variable must hold in all tiles
  for (const Band& step : steps) {
    const auto [begin, end] = range_of(parts, step);
    loops.push_back(new_loop("s", end - begin, begin));
  }
  if (!steps.empty() && steps.back().run == Band::team && !twice) loops.back().team = true;
  if (!steps.empty() && steps[0].run == Band::turns) loops[0].doacross = loops.at(1).waits = true;
  // Parts that are cut, in the loops over steps.
  const auto woven = [&](std::vector<Part> of) {
    std::vector<For> around = loops;
    for (std::size_t d = 0; d < steps.size(); ++d)
      std::tie(around[d].lower, around[d].upper) = range_of(of, steps[d], &loops[d]);
    Block together;
    for (Part& part : of) {
      std::vector<Term> conditions;
      Block nest = std::move(part.nest);
      for (const std::size_t d : order)
        nest = in_one_step(std::move(nest), steps[d].axis, pace(part, steps[d]), around[d].var, conditions);
      if (!conditions.empty()) nest = {{If{std::move(conditions), std::move(nest)}}};
      together.insert(together.end(), nest.begin(), nest.end());
    }
    for (std::size_t d = around.size(); d-- > 0;) {
      around[d].body = std::move(together);
      if (d == 0) around[d].body.insert(around[d].body.begin(), own_rings.begin(), own_rings.end());
      together = {{std::move(around[d])}};
    }
    return together;
  };
  if (phases) {
    const Nat width = phases->width, count = ceildiv(planes_of(parts, stage_grids, phases->axis), width);
    For tile = new_loop("tile", count), seam = new_loop("seam", count + 1);
    tile.kind = seam.kind = parallel_.empty() ? LoopKind::Par : LoopKind::Seq;
    tile.body = woven(in_phase(parts, stage_grids, *phases, tile.var * width, (tile.var + 1) * width));
    block->push_back({std::move(tile)});
    const Nat at = seam.var * width;
    if (std::vector<Part> left = in_phase(std::move(parts), stage_grids, *phases, at, at); !left.empty()) {
      seam.body = woven(std::move(left));
      block->push_back({std::move(seam)});
    }
  } else {
    for (const TileOfStages& tile : tiles)
      for (Part& part : parts) cut_to_tile(part, tile, stage_grids.at(part.stage));
    const Block together = woven(std::move(parts));
    block->insert(block->end(), together.begin(), together.end());
  }
  for (const ChainResult& r : results)  // numbers that are computed from whole stages
    if (r.is_number()) write(r.value, scope, *r.place);
}

}  // namespace lift
