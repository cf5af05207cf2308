// Where the stages of a program are stored, as steps.
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {

void derive_stages(Deriver& d, const Configuration& c) {
  if (chosen(c, "stages", "fused") != "private") return;
  for (Place p : stages_of(d.part({}))) {
    p.push_back(0);
    d.step("to-private", {}, p);
  }
}

}  // namespace lift
