// How the loops of a chain's stages meet memory.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/stage_loops.hpp"
#include "rewrite/space/chains/chains.hpp"

namespace lift {
namespace {

/// Whether a stage goes through its array a colour after the other. What it makes of cells' blocks, or of
/// other cells' blocks, is of one colour already: an array on a coarser grid stays as it is.
bool is_by_colour(const ChainFacts& f, const ChainStage& s) {
  if (positions_an_iteration(s.value, static_cast<std::size_t>(rank_of(s.value.type())) - 1).value_or(1) > 1)
    return false;
  const auto base = updated_array(s.value);
  return !base || std::find(f.apart.begin(), f.apart.end(), param_name(*base)) == f.apart.end();
}

}  // namespace

namespace chain {

const ChainDecision& in_place() {
  static const auto& d =
      *new ChainDecision(decide<ChainFacts>(key::in_place)
                             .offers([](const ChainFacts& f) { return std::vector<bool>{f.in_place}; })
                             .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
                               if (c[key::in_place]) d.try_step("overwrite-bases", {}, {});
                             })
                             .said([](const ChainFacts&, const Configuration& c) {
                               return std::string(c[key::in_place] ? "in place" : "");
                             }));
  return d;
}

/// Of stages in place: a vector is stored after the loads of the next, which overlap it.
const ChainDecision& late() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::late)
          .offers([](const ChainFacts& f) {
            return f.in_place && f.lanes > 1 ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted(
              [](const ChainFacts&, const Configuration& c, bool late) { return !late || is_vector(c); })
          .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place& stage) {
            if (!c[key::late]) return;
            for (const Place& loop : places_of(d, stage, Op::MapVec)) d.try_step("late-store", loop);
          })
          .said("late store"));
  return d;
}

/// As the caller has them, or by colours, where half-sweeps read and write vectors of one.
const ChainDecision& layout() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::layout)
          .offers([](const ChainFacts& f) {
            std::vector<Choice> r{{kCallerLayout, {}}};
            if (f.colour_axes > 0 && f.in_place && f.lanes > 1)
              r.push_back({kSplitLayout, {f.colour_axes, 1}});  // not padded: see nest/layout.cpp
            return r;
          })
          .admitted([](const ChainFacts&, const Configuration& c, const Choice& layout) {
            return layout.index == kCallerLayout || c[key::in_place];
          })
          .taken([](Deriver& d, const ChainFacts& f, const Configuration& c, const Place& at) {
            const Choice& layout = c[key::layout];
            if (layout.index == kCallerLayout) return;
            Arguments arguments{key::layout.words[static_cast<std::size_t>(layout.index)]};
            arguments.insert(arguments.end(), layout.numbers.begin(), layout.numbers.end());
            for (const ChainStage& s : chain_of(d.program()).stages)  // stages that have arrays of their own
              if (d.part(s.place).is(Op::Ring)) d.step("in-layout", arguments, content_of(s.place));
            if (!f.apart.empty()) arguments.insert(arguments.end(), f.coloured.begin(), f.coloured.end());
            d.step("layout", arguments, at);
          })
          .said([](const ChainFacts&, const Configuration& c) {
            return std::string(c[key::layout].index == kCallerLayout ? "" : "split layout");
          }));
  return d;
}

const ChainDecision& inner() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::inner)
          .offers([](const ChainFacts& f) {
            return f.lanes > 1 ? std::vector<Inner>{Inner::vec, Inner::seq, Inner::strided_vec}
                               : std::vector<Inner>{Inner::seq};
          })
          .admitted([](const ChainFacts&, const Configuration& c, Inner inner) {
            return (inner == Inner::strided_vec) == (c[key::layout].index == kSplitLayout);
          })
          .taken([](Deriver& d, const ChainFacts& f, const Configuration& c, const Place&) {
            if (c[key::inner] != Inner::strided_vec) return;
            for (const ChainStage& s : chain_of(d.program()).stages) {
              if (!is_by_colour(f, s)) continue;
              for (const Place& loop : places_of(d, s.place, Op::MapVec)) d.try_step("strided", {2}, loop);
            }
          })
          .said([](const ChainFacts&, const Configuration& c) {
            return key::inner.text(*c.find(key::inner));
          }));
  return d;
}

const ChainDecision& width() {
  static const auto& d =
      *new ChainDecision(decide<ChainFacts>(key::width)
                             .offers([](const ChainFacts& f) {
                               return f.lanes > 1 ? std::vector<std::int64_t>{f.lanes, 2 * f.lanes, 1}
                                                  : std::vector<std::int64_t>{1};
                             })
                             .admitted([](const ChainFacts&, const Configuration& c, std::int64_t w) {
                               return is_vector(c) == (w > 1);
                             }));
  return d;
}

/// Whether results that no stage reads again bypass the cache.
const ChainDecision& stream() {
  static const auto& d =
      *new ChainDecision(decide<ChainFacts>(key::stream)
                             .offers([](const ChainFacts& f) {
                               return f.last_bytes > 0 && f.lanes > 1 && !f.on_grid()
                                          ? std::vector<bool>{false, true}
                                          : std::vector<bool>{false};
                             })
                             .admitted([](const ChainFacts&, const Configuration& c, bool stream) {
                               return !stream || c[key::inner] == Inner::vec;
                             })
                             .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
                               if (!c[key::stream]) return;
                               for (const Place& result : last_results(d.program().body))
                                 d.step("stream", result);
                             })
                             .said("streaming"));
  return d;
}

}  // namespace chain
}  // namespace lift
