#include "ir/nat/shift.hpp"

namespace lift {

std::optional<ShiftedPosition> shifted(std::span<const Nat> position, const Nat& variable, const Nat& step) {
  std::optional<std::int64_t> shift;
  for (const Nat& p : position) {
    const auto a = affine_in(p, variable);
    const auto move = a ? (a->coefficient * step).constant() : std::nullopt;
    if (!move) return std::nullopt;
    if (*move == 0 || shift) continue;
    const std::int64_t c = constant_part(a->rest), q = c / *move;
    shift = c - q * *move < 0 ? (*move > 0 ? q - 1 : q + 1)
                              : q;  // so that what is left of the constant is not negative
  }
  if (!shift) return std::nullopt;
  ShiftedPosition r{{}, *shift};
  for (const Nat& p : position) r.origin.push_back(substitute(p, variable, variable - *shift * step));
  return r;
}

}  // namespace lift
