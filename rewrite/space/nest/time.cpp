// How the sweeps of a program, or its stored stages, follow one another: each over all cells before the next
// begins, or all of them together along axes of the arrays (in_step), each some iterations behind the one
// before, so that what one has computed is in a cache when the next reads it. AxisSizes, outer to inner: the
// iterations of a step.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kRowsOfStep[] = {8, 16, 32};

/// Along the outermost axis a plane a step, or several; and tiles of rows, skewed, around planes.
std::vector<AxisSizes> schedules(const NestFacts& f) {
  std::vector<AxisSizes> r{{}};
  if (f.steps.empty()) return r;
  const AxisSize plane{f.steps[0], 1};
  r.push_back({{plane}});
  for (const std::int64_t rows : kRowsOfStep)
    r.push_back(f.steps.size() > 1 ? AxisSizes{{{f.steps[1], rows}, plane}}
                                   : AxisSizes{{{f.steps[0], rows}}});
  return r;
}

bool admits_schedule(const NestFacts& f, const Configuration& c, const AxisSizes& schedule) {
  if (schedule.empty()) return true;
  const std::vector<AxisSizes> known = schedules(f);
  if (std::find(known.begin(), known.end(), schedule) == known.end()) return false;
  if (c[key::stages] != (f.stages_go_in_step ? Stages::work : Stages::fused)) return false;
  const bool plain = c[key::tile].empty() && c[key::block] == Blocks::none && !c[key::buffer] &&
                     c[key::order] == orders(f).front();
  const bool apart = f.two_arrays || f.rings;
  return plain && (apart || is_in_place(f, c)) && (!apart || c[key::layout].index == kCallerLayout);
}

/// The sweeps below a place move into the loops that are around each of them.
void share_loops(NestDeriver& d, const Place& at) {
  if (!d.part(at).is(Op::Let)) return;
  share_loops(d, let_body(at));
  d.step("let-of-maps", at);
}

void take_schedule(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& given) {
  if (c[key::time].empty()) return;
  Place at = given;
  for (std::size_t a = 0; a < f.above_update; ++a) share_loops(d, at), at = body_of(at);
  if (c[key::rings])
    d.step("rings", {});
  else if (f.two_arrays)
    d.step("two-arrays", {});
  const auto along = [&](const char* rule, const AxisSizes& sizes) {
    for (const AxisSize& s : sizes.list) {
      std::size_t axis = 0;
      while (f.axes[axis].name != s.axis) ++axis;
      d.step(rule, {axis - f.above_update, s.size}, {});
    }
  };
  along("in-tiles", c[key::strips]);
  along("in-step", c[key::time]);
}

std::string schedule_words(const NestFacts&, const Configuration& c) {
  std::string s;
  for (const AxisSize& step : c[key::time].list) s += (s.empty() ? "in step along " : " and ") + step.axis;
  return s;
}

}  // namespace

namespace nest {

const NestDecision& time() {
  static const NestDecision d =
      decide<NestFacts>(key::time)
          .offers([](const NestFacts& f) {
            return f.steps.empty() || f.on_grid() ? std::vector<AxisSizes>{} : schedules(f);
          })
          .of_stored_stages_too()
          .admitted(admits_schedule)
          .taken(take_schedule)
          .said(schedule_words);
  return d;
}

}  // namespace nest
}  // namespace lift
