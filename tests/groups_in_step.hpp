// Chains in step on work-groups, derived by hand: tiles of any size, also those that divide nothing.
#pragma once

#include <doctest/doctest.h>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/deriver.hpp"

namespace lift::test {

struct Groups {
  std::vector<std::int64_t> tile, items;  ///< of the axes within the outermost one
  bool wait_once = false;
  std::int64_t readers =
      0;                   ///< arrays that so many sweeps read are copied by stages of their own; 0: none are
  bool ahead = false;      ///< asynchronously
  std::int64_t chunk = 0;  ///< planes of a tile; 0: all
};

inline Program rewritten(const Program& p, const std::string& rule, const Arguments& a = {},
                         const Place& at = {}) {
  const auto r = apply(find_rule(rule), p, at, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}

/// `p`: sweeps over boxes, nothing decided yet.
inline Program in_groups(Program p, int sweeps, const Groups& g) {
  for (int t = sweeps - 2; t >= 0; --t) {
    Place at;
    for (int i = 0; i < t; ++i) at.insert(at.end(), {1, 0});
    p = rewritten(p, "let-of-maps", {}, at);
  }
  p = rewritten(p, "map-wrg", {g.tile.size() + (g.chunk > 0 ? 1 : 0)});
  if (g.readers > 0) p = rewritten(p, "load-stages", {g.readers});
  p = rewritten(p, "rings");
  if (g.chunk > 0) p = rewritten(p, "in-tiles", {0, g.chunk});
  for (std::size_t a = 0; a < g.tile.size(); ++a) p = rewritten(p, "in-tiles", {a + 1, g.tile[a]});
  const std::vector<ChainStage> stages = chain_of(p).stages;
  for (std::size_t n = 0; n < stages.size(); ++n) {
    const ChainStage& s = stages[n];
    Place loop = main_nest(p.body, s.place).levels.at(0).place;
    for (std::size_t axis = 0; axis <= g.tile.size(); ++axis, loop.insert(loop.end(), {0, 0})) {
      if (op_rank(part_at(p.body, loop)) > 1) p = rewritten(p, "map-nest", {}, loop);
      if (axis == 0) {
        p = rewritten(p, "map-seq", {}, loop);
        continue;
      }
      p = rewritten(p, "map-lcl", {g.tile.size() - axis}, loop);
      p = rewritten(p, "items", {g.items.at(axis - 1)}, loop);
    }
    const bool loads = n + static_cast<std::size_t>(sweeps) < stages.size();
    if (loads && g.ahead) p = rewritten(p, "async", {}, content_of(s.place));
  }
  p = rewritten(p, "in-step", {0, 1});
  return g.wait_once ? rewritten(p, "wait-once") : p;
}

}  // namespace lift::test
