#include "lower/loops/on_stack.hpp"

#include "ir/error.hpp"

namespace lift {

void check_on_stack(const Kernel& k) {
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (a && a->space == AddressSpace::Private && is_larger(*a, kMostOnStack))
      throw UserError(k.name + ": the array " + a->name + " of " + bytes_of(*a).str() +
                      " bytes is too large for a stack, which may hold " + std::to_string(kMostOnStack) +
                      "; store it in global memory (to_global), or tile the loops around it");
  });
}

}  // namespace lift
