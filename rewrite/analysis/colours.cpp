#include "rewrite/analysis/colours.hpp"

#include <numeric>
#include <optional>

#include "ir/nat/nat_atoms.hpp"

namespace lift {
namespace {

/// Atoms x mod m of a condition, with constant m.
std::vector<std::pair<Nat, std::int64_t>> moduli(const NatCond& c) {
  std::vector<std::pair<Nat, std::int64_t>> r;
  for (const NatTerm& t : terms(c.a))
    for (const NatFactor& x : t.factors)
      if (x.atom->kind == AtomKind::Mod && x.atom->b.is_constant())
        r.emplace_back(x.atom->a, *x.atom->b.constant());
  return r;
}
std::optional<std::int64_t> coefficient(const Nat& n, const Nat& variable) {
  const auto a = affine_in(n, variable);
  return a ? a->coefficient.constant() : std::nullopt;
}

}  // namespace

Colours colours_of(const std::vector<NatCond>& guard, const std::vector<Nat>& index) {
  Colours f;
  for (const NatCond& c : guard) {
    if (c.kind != NatCond::Kind::Zero || index.empty()) continue;
    for (const auto& [n, m] : moduli(c)) {
      const auto inner = coefficient(n, index.back());
      if (m < 2 || !inner || std::gcd(*inner, m) != 1) continue;
      f.modulus = m;
      for (std::size_t d = index.size(); m == 2 && d-- > 0;) {
        const auto k = coefficient(n, index[d]);
        if (!k || *k % 2 == 0) break;
        f.axes = static_cast<std::int64_t>(index.size() - d);
      }
    }
  }
  return f;
}

}  // namespace lift
