// How arrays are stored: as the caller has them, in rows that begin at vectors, or by colours.
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

std::vector<Choice> layouts(const NestFacts& f) {
  std::vector<Choice> r{{kCallerLayout, {}}};
  if (f.options.caller_layout_only || f.lanes == 1) return r;
  r.push_back({kRowsLayout, {f.lanes, f.lead}});
  if (f.parity_axes > 0 && f.in_place && (!f.on_grid() || f.axes.size() > 1))
    r.push_back({kSplitLayout,
                 {f.parity_axes, 1}});  // not padded: half a row starts anywhere, so what is short counts
  return r;
}

bool admits_layout(const NestFacts& f, const Configuration& c, const Choice& layout) {
  return layout.index != kSplitLayout || is_in_place(f, c);  // a whole new array would need both colours
}

void take_layout(NestDeriver& d, const NestFacts&, const Configuration& c, const Place& at) {
  const Choice& layout = c[key::layout];
  if (layout.index == kCallerLayout) return;
  Arguments arguments{key::layout.words[static_cast<std::size_t>(layout.index)]};
  arguments.insert(arguments.end(), layout.numbers.begin(), layout.numbers.end());
  d.step("layout", arguments, at);
}

}  // namespace

namespace nest {

const NestDecision& layout() {
  static const NestDecision d =
      decide<NestFacts>(key::layout)
          .offers(layouts)
          .admitted(admits_layout)
          .taken(take_layout)
          .said([](const NestFacts&, const Configuration& c) -> std::string {
            const int index = c[key::layout].index;
            if (index == kCallerLayout) return "";
            return key::layout.words[static_cast<std::size_t>(index)] + std::string(" layout");
          });
  return d;
}

}  // namespace nest
}  // namespace lift
