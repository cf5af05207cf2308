// Whether stores bypass the cache: of results that are not read again.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<bool> streams(const NestFacts& f) {
  if (f.inside == Inside::stages)
    return f.chain.last_bytes > 0 && f.lanes > 1 ? std::vector<bool>{false, true} : std::vector<bool>{false};
  return f.on_processors() && (f.array || f.update) ? std::vector<bool>{false, true} : std::vector<bool>{};
}

bool admits_stream(const NestFacts& f, const Configuration& c, const bool& on) {
  if (!on) return true;
  const bool again = is_in_place(f, c) && (f.reads_target || f.modulus != 0);
  return c[key::inner] == Inner::vec && (f.inside == Inside::stages || !again);
}

/// Stores of the block that is computed; the rest of an updated base is copied as usual.
void take_stream(NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
  if (!c[key::stream]) return;
  const std::optional<Place> update = d.nest().update;
  d.step("stream", update ? argument_of(*update) : Place{});
}

}  // namespace

namespace decisions {

const Decision& stream() {
  static const auto& d = *new Decision(
      decide(key::stream).offers(streams).admitted(admits_stream).taken(take_stream).said("streaming"));
  return d;
}

}  // namespace decisions
}  // namespace lift
