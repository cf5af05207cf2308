#include <set>
#include <string>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

std::set<std::string> accessed_by_vectors(const Block& b) {
  std::set<std::string> arrays;
  visit(b, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) {
      if (a.width > 1) arrays.insert(a.array);
    });
  });
  return arrays;
}

}  // namespace

Block hoist_local_arrays(const Block& b) {
  const std::set<std::string> by_vectors = accessed_by_vectors(b);
  Block arrays;
  const Block others = rebuild(b, [&](Stmt s) -> Block {
    auto* a = std::get_if<Allocate>(&s.v);
    if (!a || a->space != AddressSpace::Local) return {std::move(s)};
    a->vectors = by_vectors.count(a->name) > 0;
    arrays.push_back(std::move(s));
    return {};
  });
  arrays.insert(arrays.end(), others.begin(), others.end());
  return arrays;
}

}  // namespace lift
