// Rules about time: how the stages of a chain go along an axis together, and what is kept of them meanwhile.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/rings.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// With other values of the chain's stages that have names.
Program with_stages(const Program& p, const Chain& chain,
                    const std::function<Expr(const Expr& value, std::size_t stage)>& changed) {
  Program q = p;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const Place& at = chain.stages[i].place;
    if (at.empty() || !part_at(p.body, Place(at.begin(), at.end() - 1)).is(Op::Let)) continue;
    q.body = replaced_at(q.body, at, changed(part_at(q.body, at), i));
  }
  return q;
}

Expr ring(const Expr& value, const Nat& planes) {
  return make(Op::Ring, {value}, attributes::nats({planes}), origin(value));
}

/// Whether a stage needs an array of its own: it is no result, does not lie where its base does, and no other
/// one lies there.
bool needs_array(const Chain& chain, std::size_t stage) {
  const ChainStage& s = chain.stages[stage];
  const auto overwrites = [&](const ChainStage& other) {
    return contains(other.value, [&](const Expr& x) {
      return x.is(Op::UpdateInPlace) && contains(x.child(0), [&](const Expr& base) {
               return base.is(Op::Param) && s.makes(param_name(base));
             });
    });
  };
  return !s.result && s.value.type().is_array() && !s.value.is(Op::Ring) && !overwrites_base(s.value) &&
         std::none_of(chain.stages.begin(), chain.stages.end(), overwrites);
}

/// Whole arrays, as long as no steps say which planes are still read.
Result<Program> rings(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  if (chain.stages.size() < 2) return Failure{"there is no chain: the program has one stage"};
  if (!chain.going(Band::skewed).empty())
    return Failure{"the chain goes in step already: use this rule before in-step"};
  const Program q = with_stages(p, chain, [&](const Expr& value, std::size_t stage) {
    if (!needs_array(chain, stage)) return value;
    return ring(value.is(Op::ToGlobal) ? value.child(0) : value, shape_of(value.type(), 1)[0]);
  });
  if (q.body == p.body) return Failure{"all stages are results, or updated in place: none needs a ring"};
  return q;
}

/// Of those alone that are read within a step of so many rows.
Result<Program> rings_in_turns(const Program& p, const Arguments& a) {
  const std::int64_t width = number(a, 0);
  const Chain chain = chain_of(p);
  if (chain.stages.size() < 2) return Failure{"there is no chain: the program has one stage"};
  if (!chain.bands.empty()) return Failure{"the chain goes in step already: use this rule before in-step"};
  const StageGraph graph = stage_graph(chain, Updates::as_decided);
  const Program q = with_stages(p, chain, [&](const Expr& value, std::size_t stage) {
    if (!needs_array(chain, stage) || rank_of(value.type()) < 2 ||
        !can_stay_in_step(chain, graph, stage, 1, width))
      return value;
    return ring(value.is(Op::ToGlobal) ? value.child(0) : value, shape_of(value.type(), 1)[0]);
  });
  if (q.body == p.body) return Failure{"no stage is read within tiles of " + a[0].str() + " rows alone"};
  return q;
}

/// What rings keep by the bands around the chain.
Program with_fewest_planes(const Program& p) {
  const Chain chain = chain_of(p);
  const std::vector<Nat> planes = planes_of_rings(chain, stage_graph(chain, Updates::as_decided));
  return with_stages(p, chain, [&](const Expr& value, std::size_t stage) {
    return value.is(Op::Ring) ? ring(value.child(0), planes.at(stage)) : value;
  });
}

/// Why a chain takes no further band of that shape and axis within those that it has.
std::string why_no_further(const Chain& chain, const Band& b) {
  const char* const form = b.shape == Band::skewed ? "step" : "tiles";
  for (const Band& have : chain.bands) {
    if (have.shape == Band::phases && b.shape != Band::skewed) return "the chain goes in phases already";
    if (have.shape == Band::overlapped && b.shape == Band::phases)
      return "the chain goes in tiles that overlap already";
    if (have.shape == b.shape && have.axis == b.axis)
      return std::string("the chain goes in ") + form + " along axis " + std::to_string(b.axis) + " already";
    if (have.shape == Band::skewed && b.shape != Band::skewed)
      return "the chain goes in step already: use this rule before in-step";
  }
  return "";
}

/// Directly around the chain: of several, the one applied first is the outermost loop.
Result<Program> with_band(const Program& p, const Arguments& a, Band::Shape shape) {
  Band b{shape, Band::all, static_cast<std::size_t>(number(a, 0)), number(a, 1)};
  if (b.width < 1)
    return Failure{std::string(shape == Band::skewed ? "a step of no iterations" : "a tile of no planes") +
                   "; use a width of 1 or more"};
  const Chain chain = chain_of(p);
  if (const std::string why = why_no_further(chain, b); !why.empty()) return Failure{why};
  const std::vector<Band> steps = chain.going(Band::skewed);
  const bool skewed = shape == Band::skewed;
  const bool in_rings = std::any_of(chain.stages.begin(), chain.stages.end(), is_ring);
  const bool around = skewed && in_rings && b.axis == 1 && chain.bands.empty();
  const bool within = b.axis == 0 && (steps.empty() || steps.back().axis == 1);
  if (skewed && in_rings && !around && !within)
    return Failure{
        "the planes of rings follow one another along axis 0: go in step along it, within steps along axis 1 "
        "at most"};
  const StageGraph graph = stage_graph(chain, Updates::as_decided);
  const Shifts shifts = around   ? lags_around_rings(chain, graph, 1, b.width)
                        : skewed ? lags_in_step(chain, graph, b)
                                 : least_shifts(chain, graph, shape, b.axis);
  if (!shifts.obstacle.empty()) return Failure{shifts.obstacle};
  if (const std::string why = why_copies_are_late(chain, graph, shape); !why.empty()) return Failure{why};
  b.shifts = shifts.by_stage;
  if (const std::string why = why_too_narrow(b); !why.empty()) return Failure{why};
  Program q = p;
  const Place at = chain.place();
  q.body = replaced_at(p.body, at, make(Op::Band, {part_at(p.body, at)}, attributes::band(b)));
  return in_rings ? with_fewest_planes(q) : q;
}
template <Band::Shape shape>
Result<Program> band(const Program& p, const Arguments& a) {
  return with_band(p, a, shape);
}

/// With another one in the place of the band that is so many around the chain.
Program with_other_band(const Program& p, const Chain& chain, std::size_t around, const Band& b) {
  Place at = chain.place();
  at.resize(at.size() - around);
  const Expr old = part_at(p.body, at);
  Program q = p;
  q.body = replaced_at(p.body, at, make(Op::Band, {old.child(0)}, attributes::band(b), origin(old)));
  return q;
}

/// The innermost steps.
Result<Program> wait_once(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  const std::vector<Band> steps = chain.going(Band::skewed);
  if (steps.empty()) return Failure{"no chain goes in step"};
  Band b = steps.back();
  if (b.run != Band::all) return Failure{"the threads wait once a step already"};
  b.run = Band::team;
  const Shifts lags = lags_in_step(chain, stage_graph(chain, Updates::as_decided), b);
  if (!lags.obstacle.empty()) return Failure{lags.obstacle};
  b.shifts = lags.by_stage;
  return with_fewest_planes(with_other_band(p, chain, 1, b));
}

/// The outermost steps of several.
Result<Program> doacross(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  const std::vector<Band> steps = chain.going(Band::skewed);
  if (steps.empty()) return Failure{"no chain goes in step"};
  Band b = steps.front();
  if (b.run == Band::turns) return Failure{"the threads take the steps in turns already"};
  if (b.run == Band::team) return Failure{"the threads share what a step does already"};
  if (const std::string why = why_not_in_turns(chain, stage_graph(chain, Updates::as_decided)); !why.empty())
    return Failure{why};
  b.run = Band::turns;
  return with_other_band(p, chain, steps.size(), b);
}

}  // namespace

std::vector<Rule> band_rules() {
  return {
      program_rule("rings", "let x1 = S1 x0 in ... Sn = let x1 = ring n (S1 x0) in ... Sn", rings)
          .says("of each stage but the last, those planes are stored that later ones still read, once the "
                "stages go in step"),
      program_rule("rings-in-turns", "let x1 = S1 x0 in ... Sn = let x1 = ring n (S1 x0) in ... Sn",
                   rings_in_turns)
          .takes("width", "rows of a step along axis 1")
          .says("of stages that are read within tiles of %1 rows, those planes are stored that later ones "
                "still "
                "read, once the stages go in step along axes 1 and 0"),
      program_rule("in-tiles",
                   "let x1 = S1 x0 in ... Sn = band<overlapped> axis width margins (let x1 = S1 x0 in ... "
                   "Sn)",
                   band<Band::overlapped>)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "planes of the finest grid in a tile")
          .says(
              "the chain is computed for %2 planes of its result along axis %1 at a time, in parallel, each "
              "stage as far beyond them as later ones read"),
      program_rule("in-step",
                   "let x1 = S1 x0 in ... Sn = band<skewed> axis width lags (let x1 = S1 x0 in ... Sn)",
                   band<Band::skewed>)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "iterations of each stage in a step")
          .says("the stages go along axis %1 together, %2 iterations of each a step, each stage as far "
                "behind as "
                "its dependences ask"),
      program_rule("wait-once",
                   "band<skewed> axis width lags chain = band<skewed, team> axis width larger-lags chain",
                   wait_once)
          .says("each stage stays a step further behind, so that the stages of a step are independent and "
                "the threads "
                "wait for one another once a step"),
      program_rule("doacross",
                   "band<skewed> axis width lags (band<skewed> ... chain) = band<skewed, turns> axis width "
                   "lags (band<skewed> ... chain)",
                   doacross)
          .says("threads take the steps of the outer axis in turns, each as soon as the thread of the step "
                "before is ahead of it along the inner axis"),
      program_rule("in-phases",
                   "let x1 = S1 x0 in ... Sn = band<phases> axis width shifts (let x1 = S1 x0 in ... Sn)",
                   band<Band::phases>)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "planes of the finest grid in a tile")
          .says("the chain goes along axis %1 in tiles of %2 planes, in parallel, of each stage so much less "
                "that no "
                "tile reads another one; then, in parallel, in what is left around the seams"),
  };
}

}  // namespace lift
