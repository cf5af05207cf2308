// Decisions taken by hand, for tests of lowering: every map of rank 1 at the outside and of higher rank
// inside is replaced.
#pragma once

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/layout.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"

namespace lift::test {

struct Decisions {
  bool in_place = false, parallel = false;
  int width = 1, stride = 1;
  bool late = false;
  int prefetch = 0;
  std::string layout = "";
  std::string text() const {
    return std::string(in_place ? "in place, " : "") + (parallel ? "parallel, " : "") + "width " +
           std::to_string(width) + ", stride " + std::to_string(stride) + (late ? ", late" : "") +
           ", prefetch " + std::to_string(prefetch) + ", layout " + layout;
  }
};

inline Expr decide(const Expr& e, const Decisions& d, bool outer) {
  if (e.is(Op::Param))
    return d.layout.empty() || !e.type().is_array() ? e : in_layout(parse_layout(d.layout), e);
  const bool map = e.is(Op::Map);
  const Expr x = map_children(e, [&](const Expr& c) { return decide(c, d, outer && !map); });
  if (x.is(Op::Update) && d.in_place) return make(Op::UpdateInPlace, {x.child(0), x.child(1)}, x.attr());
  if (!map) return x;
  const int rank = op_rank(x);
  if (rank == 1 && outer) return d.parallel ? map_with(Op::MapPar, 1, x.child(0), x.child(1)) : x;
  return map_with(d.width > 1 ? Op::MapVec : Op::MapSeq, rank, x.child(0), x.child(1),
                  {d.width, d.stride, d.late, d.prefetch});
}
inline Program decide(Program p, const Decisions& d) {
  p.body = decide(p.body, d, true);
  return p;
}

}  // namespace lift::test
