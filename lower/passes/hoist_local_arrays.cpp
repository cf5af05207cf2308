#include "lower/passes/passes.hpp"

namespace lift {

Block hoist_local_arrays(const Block& b) {
  Block arrays;
  const Block others = rebuild(b, [&](Stmt s) -> Block {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a || a->space != AddressSpace::Local) return {std::move(s)};
    arrays.push_back(std::move(s));
    return {};
  });
  arrays.insert(arrays.end(), others.begin(), others.end());
  return arrays;
}

}  // namespace lift
