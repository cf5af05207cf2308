// Whether stages that follow one another row by row share one loop over rows.
#include <algorithm>

#include "rewrite/analysis/joined.hpp"
#include "rewrite/space/common/common.hpp"

namespace lift {

bool have_joined_stages(const Program& program) {
  const Chain chain = chain_of(program);
  if (chain.stages.size() < 2) return false;
  const std::vector<bool> joined = joined_stages(chain, stage_graph(chain));
  return std::find(joined.begin(), joined.end(), true) != joined.end();
}

namespace common {

const CommonDecision& joined() {
  static const CommonDecision d =
      decide<ProgramFacts>(key::joined)
          .offers([](const ProgramFacts& f) {
            return f.joins_stages && !f.on_grid()
                       ? std::vector<Joined>{Joined::elements, Joined::rows, Joined::no}
                       : std::vector<Joined>{};
          })
          .admitted([](const ProgramFacts&, const Configuration& c, const Joined& joined) {
            return joined == Joined::no || c[key::time].empty();
          })
          .taken([](Deriver& d, const ProgramFacts&, const Configuration& c, const Place&) {
            if (c[key::joined] != Joined::no) d.try_step("join-loops", {static_cast<std::int64_t>(c[key::joined])}, {});
          })
          .said([](const ProgramFacts&, const Configuration& c) -> std::string {
            return c[key::joined] == Joined::no     ? ""
                   : c[key::joined] == Joined::rows ? "stages joined by rows"
                                                    : "stages joined";
          });
  return d;
}

}  // namespace common
}  // namespace lift
