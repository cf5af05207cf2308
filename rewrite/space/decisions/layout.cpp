// How arrays are stored: as the caller has them, in rows that begin at vectors, or by colours.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

Choice choice_of(const LayoutRequest& r) {
  switch (r.kind) {
    case LayoutRequest::Kind::Caller:
      break;
    case LayoutRequest::Kind::Rows:
      return {kRowsLayout, {r.align, r.lead}};
    case LayoutRequest::Kind::Split:
      return {kSplitLayout, {r.axes, r.align}};
  }
  return {kCallerLayout, {}};
}

std::vector<Choice> layouts(const NestFacts& f) {
  const bool stages = f.inside == Inside::stages;
  if (f.options.only_layout && !stages) return {choice_of(*f.options.only_layout)};
  std::vector<Choice> r{{kCallerLayout, {}}};
  if (f.lanes == 1) return r;
  if (!stages) r.push_back({kRowsLayout, {f.lanes, f.lead}});
  if (f.parity_axes > 0 && f.in_place && (!f.on_grid() || f.axes.size() > 1))
    r.push_back({kSplitLayout,
                 {f.parity_axes, 1}});  // not padded: half a row starts anywhere, so what is short counts
  return r;
}

bool admits_layout(const NestFacts& f, const Configuration& c, const Choice& layout) {
  // A whole new array needs both colours.
  return layout.index != kSplitLayout || f.options.only_layout || is_in_place(f, c);
}

}  // namespace

Arguments layout_arguments(const Configuration& c) {
  const Choice& layout = c[key::layout];
  if (layout.index == kCallerLayout) return {};
  Arguments r{key::layout.words[static_cast<std::size_t>(layout.index)]};
  r.insert(r.end(), layout.numbers.begin(), layout.numbers.end());
  return r;
}

namespace decisions {

const Decision& layout() {
  static const auto& d =
      *new Decision(decide(key::layout)
                        .offers(layouts)
                        .admitted(admits_layout)
                        .taken([](NestDeriver& d, const NestFacts&, const Configuration& c, const Place& at) {
                          if (const Arguments a = layout_arguments(c); !a.empty()) d.step("layout", a, at);
                        })
                        .said([](const NestFacts&, const Configuration& c) -> std::string {
                          const int index = c[key::layout].index;
                          if (index == kCallerLayout) return "";
                          return key::layout.words[static_cast<std::size_t>(index)] + std::string(" layout");
                        }));
  return d;
}

}  // namespace decisions
}  // namespace lift
