// What kernels may assume of arrays, as steps.
#include "rewrite/space/derive.hpp"

namespace lift {

void derive_access(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  const std::string access = chosen(c, "readonly", "");
  if (f.options.target == Target::cuda && access == "yes") d.step("read-only");
  if (f.options.target != Target::cuda && access == "no") d.step("may-alias");
}

}  // namespace lift
