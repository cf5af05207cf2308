// From a configuration to a derivation: the steps that take its decisions, one part of the program at a time.
#pragma once

#include "rewrite/engine/strategy.hpp"
#include "rewrite/space/decide.hpp"

namespace lift {

/// Applies rules one after the other and keeps the steps.
class Deriver {
 public:
  explicit Deriver(Rewriting start) : now_(std::move(start)) {}
  void step(const std::string& rule, const Arguments& arguments = {}, const Place& place = {}) {
    now_ = run(use(rule, arguments), now_, place);
  }
  /// False where the rule does not apply.
  bool try_step(const std::string& rule, const Arguments& arguments, const Place& place) {
    const auto r = use(rule, arguments)(now_, place);
    if (r) now_ = *r;
    return static_cast<bool>(r);
  }
  const Program& program() const { return now_.program; }
  /// From now on the main nest is the one below this place: that of one of several sweeps.
  void start_at(const Place& place) { start_ = place; }
  const Place& start() const { return start_; }
  Nest nest() const { return main_nest(now_.program.body, start_); }
  const Derivation& steps() const { return now_.steps; }

  /// Every map on the way becomes loops over one dimension.
  void nest_all() {
    for (;;) {
      const Nest n = nest();
      const auto it = std::find_if(n.levels.begin(), n.levels.end(),
                                   [](const NestLevel& l) { return l.extents.size() > 1; });
      if (it == n.levels.end()) return;
      step("map-nest", {}, it->place);
    }
  }
  Place loop(std::size_t i) const { return nest().levels.at(i).place; }
  Expr part(const Place& place) const { return part_at(now_.program.body, place); }

 private:
  Rewriting now_;
  Place start_;
};

/// The loops of the main nest: tiles, order, which run in parallel, the inner loop.
void derive_nest(Deriver& d, const SpaceFacts& f, const Configuration& c);

/// The loops around scans and within them: which order, which run in parallel, what is carried in variables.
void derive_columns(Deriver& d, const SpaceFacts& f, const Configuration& c);
/// How the loop of a scan runs.
struct ScanLoop {
  bool stored = false;                    ///< the element before is read back from memory
  std::int64_t unroll = 1, prefetch = 0;  ///< elements a trip, elements ahead
};
/// All scans without a decision.
void derive_scans(Deriver& d, const ScanLoop& loop = {});

/// What kernels may assume of the arrays.
void derive_access(Deriver& d, const SpaceFacts& f, const Configuration& c);

/// Where stages live that are stored.
void derive_stages(Deriver& d, const Configuration& c);

/// Dimension of the grid and work-items of a group, by axis.
using GroupDimensions = std::map<std::string, std::pair<int, std::int64_t>>;
/// Copies of tiles in local memory (decision local): before the loops are nested, below `tiles`; and how
/// their loops run.
void stage_tiles(Deriver& d, const SpaceFacts& f, const Configuration& c, Place tiles);
void lower_copies(Deriver& d, const SpaceFacts& f, const Configuration& c, const GroupDimensions& dims);

/// Loops outside the main nest, of further results and of values with a name: run as those of the main nest
/// do.
void derive_other_nests(Deriver& d, const SpaceFacts& f, const Configuration& c);

/// How reductions are taken apart: parts in parallel, accumulators side by side.
void derive_reductions(Deriver& d, const SpaceFacts& f, const Configuration& c);
/// Elements of a part: of all axes within those that the parts are named after, or the number in the name.
std::int64_t part_length(const ReductionFacts& r, const std::string& parts);
/// How many reductions by the same function lie one in the other below this one.
std::size_t nested_levels(const Expr& reduction);
/// Takes the innermost loop out of a reduction over joined arrays, as a reduction of its own; false when
/// there is none.
bool take_level(Deriver& d, const Place& reduction);
/// The reduction `levels` below another.
Place inner_reduction(Place reduction, std::size_t levels);

}  // namespace lift
