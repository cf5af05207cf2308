// What kernels may assume of arrays that they do not write: on a target with a path of its own for them, that
// they are only read; elsewhere, that they do not overlap what is written, which is never worse.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr KeyOf<bool> kReadonly{{"readonly", Domain::flag, {"no", "yes"}}};

std::vector<bool> readonly_settings(const NestFacts& f) {
  const bool plain = !f.target().read_only_loads;
  return f.reads_only ? std::vector<bool>{plain, !plain} : std::vector<bool>{plain};
}

void take_readonly(Deriver& d, const NestFacts& f, const Configuration& c, const Place& at) {
  if (c.find(kReadonly) == nullptr || c[kReadonly] != f.target().read_only_loads) return;
  d.step(f.target().read_only_loads ? "read-only" : "may-alias", at);
}

std::string readonly_words(const NestFacts& f, const Configuration& c) {
  if (c.find(kReadonly) == nullptr || c[kReadonly] != f.target().read_only_loads) return "";
  return f.target().read_only_loads ? "read-only" : "arrays that may overlap";
}

}  // namespace

namespace decisions {

const Decision& readonly() {
  static const auto& d =
      *new Decision(decide(kReadonly)
                        .offers(readonly_settings)
                        .taken(take_readonly)
                        .said(readonly_words)
                        .for_comparison_if([](const NestFacts& f) { return !f.target().read_only_loads; })
                        .is_switch("read-only path", "every array argument may be overwritten"));
  return d;
}

}  // namespace decisions
}  // namespace lift
