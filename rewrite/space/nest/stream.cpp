// Whether stores bypass the cache: of results that are not read again.
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

bool admits_stream(const NestFacts& f, const Configuration& c, const bool& on) {
  return !on || (c[key::inner] == Inner::vec && (!is_in_place(f, c) || (!f.reads_target && f.modulus == 0)));
}

/// Stores of the block that is computed; the rest of an updated base is copied as usual.
void take_stream(NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
  if (!c[key::stream]) return;
  const std::optional<Place> update = d.nest().update;
  d.step("stream", update ? argument_of(*update) : Place{});
}

}  // namespace

namespace nest {

const NestDecision& stream() {
  static const auto& d = *new NestDecision(decide<NestFacts>(key::stream)
                                               .offers([](const NestFacts& f) {
                                                 return f.on_processors() && (f.array || f.update)
                                                            ? std::vector<bool>{false, true}
                                                            : std::vector<bool>{};
                                               })
                                               .admitted(admits_stream)
                                               .taken(take_stream)
                                               .said("streaming"));
  return d;
}

}  // namespace nest
}  // namespace lift
