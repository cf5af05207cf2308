// Where stages live: computed again wherever the next one reads them, or stored in a work array or in one of
// the thread's own.
#include "rewrite/analysis/chain.hpp"

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<Stages> places(const NestFacts& f) {
  const std::int64_t most = f.target().thread_local_arrays ? 128 * 1024 : 0;  // of a thread's stack
  std::vector<Stages> r{Stages::fused, Stages::work};
  if (f.stage_elements.value_or(most + 1) <= most) r.push_back(Stages::privately);
  return r;
}

void take_stages(Deriver& d, const NestFacts&, const Configuration& c, const Place&) {
  if (c[key::stages] != Stages::privately) return;
  for (const Place& stage : stages_of(d.part({}))) d.step("to-private", let_value(stage));
}

}  // namespace

namespace decisions {

const Decision& stages() {
  static const auto& d = *new Decision(decide(key::stages)
                                           .offers(places)
                                           .taken(take_stages)
                                           .said([](const NestFacts&, const Configuration& c) -> std::string {
                                             const Stages stages = c[key::stages];
                                             return stages == Stages::fused ? ""
                                                    : stages == Stages::privately
                                                        ? "stages in arrays of their own"
                                                        : "stages stored";
                                           }));
  return d;
}

}  // namespace decisions
}  // namespace lift
