#include "lower/analyses/other_variables.hpp"

namespace lift {

Nat renamed(const NatAtom& v, const Renamed& others) {
  return Nat::fresh(v.name, substitute(v.lower, others), substitute(v.upper, others));
}

std::vector<Nat> with_other_inner(const std::vector<Nat>& position,
                                  const std::vector<const NatAtom*>& inner) {
  Renamed fresh;
  for (const NatAtom* v : inner) fresh[v] = renamed(*v, fresh);
  for (const Nat& p : position)
    for (const NatAtom* v : variables(p))
      if (v->computed && !fresh.contains(v)) fresh[v] = renamed(*v, fresh);
  std::vector<Nat> r;
  for (const Nat& p : position) r.push_back(substitute(p, fresh));
  return r;
}

}  // namespace lift
