// How the stages of a chain follow one another, and what threads share.
#include "rewrite/space/chains/chains.hpp"

namespace lift {

bool shares_steps(const ChainFacts& f) {
  return f.around < f.options.threads && !f.tiles && f.options.threads > 1;
}

bool goes_in_turns(const ChainFacts& f, const Configuration& c) {
  return c[key::time].list.size() > 1 && f.around < f.options.threads && f.options.threads > 1;
}

AxisSizes strips_a_thread(const ChainFacts& f, std::int64_t each) {
  const std::int64_t threads = each * f.options.threads,
                     planes = f.planes > 0 ? f.planes : std::int64_t{256} * f.options.threads;
  return {{{*f.steps, (planes + threads) / threads}}};
}

namespace chain {

/// A plane a step, or several; skewed tiles of rows that go through all planes.
const ChainDecision& time() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::time)
          .offers([](const ChainFacts& f) {
            std::vector<AxisSizes> r{{}};
            for (const std::int64_t width : {1, 4, 16}) r.push_back({{{*f.steps, width}}});
            if (f.rows)
              for (const std::int64_t rows : {8, 16, 32, 64}) r.push_back({{{*f.rows, rows}, {*f.steps, 1}}});
            return r;
          })
          .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
            const std::vector<AxisSize>& steps = c[key::time].list;
            if (steps.size() > 1 && can_take_turns_in_rings(d.program(), steps[0].size))
              d.step("rings-in-turns", {steps[0].size}, {});
            for (std::size_t s = 0; s < steps.size(); ++s)
              d.step("in-step", {static_cast<std::int64_t>(steps.size() - 1 - s), steps[s].size}, {});
          })
          .said([](const ChainFacts&, const Configuration& c) -> std::string {
            std::string s;
            for (const AxisSize& step : c[key::time].list)
              s += (s.empty() ? "in step along " : " and ") + step.axis;
            return s;
          }));
  return d;
}

/// Where there are too few loops around for all threads, strips of the result; see nest/strips.cpp.
const ChainDecision& strips() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::strips)
          .offers([](const ChainFacts& f) {
            std::vector<AxisSizes> r{{}};
            if (!f.tiles || f.around >= f.options.threads) return r;
            for (const std::int64_t each : {1, 4}) r.push_back(strips_a_thread(f, each));
            return r;
          })
          .admitted([](const ChainFacts&, const Configuration& c, const AxisSizes& strip) {
            return strip.empty() || c[key::time].list.size() == 1;
          })
          .taken([](Deriver& d, const ChainFacts& f, const Configuration& c, const Place&) {
            if (f.rings && c[key::time].list.size() == 1) d.try_step("rings", {}, {});
            for (const AxisSize& s : c[key::strips].list) d.step("in-tiles", {0, s.size}, {});
          })
          .said([](const ChainFacts&, const Configuration& c) -> std::string {
            return c[key::strips].empty() ? "" : "strips of " + c[key::strips].list[0].axis;
          }));
  return d;
}

/// Threads that share what a stage does in a step wait after each stage, or once a step. Of skewed tiles
/// there is nothing else to share: they take them in turns.
const ChainDecision& team() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::team)
          .offers([](const ChainFacts& f) {
            const bool turns = f.rows && f.around < f.options.threads && f.options.threads > 1;
            return shares_steps(f) || turns ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted([](const ChainFacts& f, const Configuration& c, bool team) {
            const std::vector<AxisSize>& steps = c[key::time].list;
            if (steps.size() > 1) return team == goes_in_turns(f, c);
            return !team || (shares_steps(f) && !steps.empty() && steps[0].size > 1);
          })
          .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
            if (c[key::team]) d.step(c[key::time].list.size() > 1 ? "doacross" : "wait-once", {});
          })
          .said([](const ChainFacts&, const Configuration& c) -> std::string {
            if (!c[key::team]) return "";
            return c[key::time].list.size() > 1 ? "threads take tiles in turns" : "threads wait once a step";
          }));
  return d;
}

}  // namespace chain
}  // namespace lift
