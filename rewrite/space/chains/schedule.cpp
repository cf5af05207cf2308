// How the stages of a chain follow one another, and what threads share.
#include "rewrite/space/chains/chains.hpp"

namespace lift {

bool shares_steps(const NestFacts& f) {
  return f.chain.around < f.options.threads && !f.chain.tiles && f.options.threads > 1;
}

bool goes_in_turns(const NestFacts& f, const Configuration& c) {
  return c[key::time].list.size() > 1 && f.chain.around < f.options.threads && f.options.threads > 1;
}

AxisSizes strips_a_thread(const NestFacts& f, std::int64_t each) {
  const std::int64_t threads = each * f.options.threads,
                     planes = f.chain.planes > 0 ? f.chain.planes : std::int64_t{256} * f.options.threads;
  return {{{*f.chain.steps, (planes + threads) / threads}}};
}

namespace chain {

/// A plane a step, or several; skewed tiles of rows that go through all planes.
const Decision& time() {
  static const auto& d = *new Decision(
      decide(key::time)
          .offers([](const NestFacts& f) {
            std::vector<AxisSizes> r{{}};
            for (const std::int64_t width : {1, 4, 16}) r.push_back({{{*f.chain.steps, width}}});
            if (f.chain.rows)
              for (const std::int64_t rows : {8, 16, 32, 64})
                r.push_back({{{*f.chain.rows, rows}, {*f.chain.steps, 1}}});
            return r;
          })
          .taken([](NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
            const std::vector<AxisSize>& steps = c[key::time].list;
            if (steps.size() > 1 && can_take_turns_in_rings(d.program(), steps[0].size))
              d.step("rings-in-turns", {steps[0].size}, {});
            for (std::size_t s = 0; s < steps.size(); ++s)
              d.step("in-step", {static_cast<std::int64_t>(steps.size() - 1 - s), steps[s].size}, {});
          })
          .said([](const NestFacts&, const Configuration& c) -> std::string {
            std::string s;
            for (const AxisSize& step : c[key::time].list)
              s += (s.empty() ? "in step along " : " and ") + step.axis;
            return s;
          }));
  return d;
}

/// Where there are too few loops around for all threads, strips of the result; see nest/strips.cpp.
const Decision& strips() {
  static const auto& d =
      *new Decision(decide(key::strips)
                        .offers([](const NestFacts& f) {
                          std::vector<AxisSizes> r{{}};
                          if (!f.chain.tiles || f.chain.around >= f.options.threads) return r;
                          for (const std::int64_t each : {1, 4}) r.push_back(strips_a_thread(f, each));
                          return r;
                        })
                        .admitted([](const NestFacts&, const Configuration& c, const AxisSizes& strip) {
                          return strip.empty() || c[key::time].list.size() == 1;
                        })
                        .taken([](NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
                          if (f.chain.rings && c[key::time].list.size() == 1) d.try_step("rings", {}, {});
                          for (const AxisSize& s : c[key::strips].list) d.step("in-tiles", {0, s.size}, {});
                        })
                        .said([](const NestFacts&, const Configuration& c) -> std::string {
                          return c[key::strips].empty() ? "" : "strips of " + c[key::strips].list[0].axis;
                        }));
  return d;
}

/// Threads that share what a stage does in a step wait after each stage, or once a step. Of skewed tiles
/// there is nothing else to share: they take them in turns.
const Decision& team() {
  static const auto& d = *new Decision(
      decide(key::team)
          .offers([](const NestFacts& f) {
            const bool turns = f.chain.rows && f.chain.around < f.options.threads && f.options.threads > 1;
            return shares_steps(f) || turns ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted([](const NestFacts& f, const Configuration& c, bool team) {
            const std::vector<AxisSize>& steps = c[key::time].list;
            if (steps.size() > 1) return team == goes_in_turns(f, c);
            return !team || (shares_steps(f) && !steps.empty() && steps[0].size > 1);
          })
          .taken([](NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
            if (c[key::team]) d.step(c[key::time].list.size() > 1 ? "doacross" : "wait-once", {});
          })
          .said([](const NestFacts&, const Configuration& c) -> std::string {
            if (!c[key::team]) return "";
            return c[key::time].list.size() > 1 ? "threads take tiles in turns" : "threads wait once a step";
          }));
  return d;
}

}  // namespace chain
}  // namespace lift
