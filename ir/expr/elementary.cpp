#include "ir/expr/elementary.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace lift {
namespace {

enum Trait : std::uint8_t { kLibrary, kInstruction, kPeriodic };

template <class F>
constexpr Elementary of(Op op, double ulps, Trait t, F f) {
  return {op, f, f, ulps, t != kInstruction, t == kPeriodic};
}

constexpr std::array rows = std::to_array<Elementary>({
    of(Op::Sqrt, 0.5, kInstruction, [](auto x, auto) { return std::sqrt(x); }),
    of(Op::Cbrt, 4, kLibrary, [](auto x, auto) { return std::cbrt(x); }),
    of(Op::Exp, 4, kLibrary, [](auto x, auto) { return std::exp(x); }),
    of(Op::Exp2, 4, kLibrary, [](auto x, auto) { return std::exp2(x); }),
    of(Op::Log, 4, kLibrary, [](auto x, auto) { return std::log(x); }),
    of(Op::Log2, 4, kLibrary, [](auto x, auto) { return std::log2(x); }),
    of(Op::Log10, 4, kLibrary, [](auto x, auto) { return std::log10(x); }),
    of(Op::Sin, 4, kPeriodic, [](auto x, auto) { return std::sin(x); }),
    of(Op::Cos, 4, kPeriodic, [](auto x, auto) { return std::cos(x); }),
    of(Op::Tan, 5, kLibrary, [](auto x, auto) { return std::tan(x); }),
    of(Op::Asin, 4, kLibrary, [](auto x, auto) { return std::asin(x); }),
    of(Op::Acos, 4, kLibrary, [](auto x, auto) { return std::acos(x); }),
    of(Op::Atan, 5, kLibrary, [](auto x, auto) { return std::atan(x); }),
    of(Op::Sinh, 4, kLibrary, [](auto x, auto) { return std::sinh(x); }),
    of(Op::Cosh, 4, kLibrary, [](auto x, auto) { return std::cosh(x); }),
    of(Op::Tanh, 5, kLibrary, [](auto x, auto) { return std::tanh(x); }),
    of(Op::Erf, 16, kLibrary, [](auto x, auto) { return std::erf(x); }),
    of(Op::Floor, 0, kInstruction, [](auto x, auto) { return std::floor(x); }),
    of(Op::Ceil, 0, kInstruction, [](auto x, auto) { return std::ceil(x); }),
    of(Op::Round, 0, kInstruction, [](auto x, auto) { return std::round(x); }),
    of(Op::Pow, 16, kLibrary, [](auto x, auto y) { return std::pow(x, y); }),
    of(Op::Atan2, 6, kLibrary, [](auto y, auto x) { return std::atan2(y, x); }),
    of(Op::Hypot, 4, kLibrary, [](auto x, auto y) { return std::hypot(x, y); }),
});

}  // namespace

const Elementary* elementary(Op op) {
  for (const Elementary& f : rows)
    if (f.op == op) return &f;
  return nullptr;
}
std::span<const Elementary> all_elementary() { return rows; }

}  // namespace lift
