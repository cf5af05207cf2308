#include "emit/c_math.hpp"

#include <algorithm>

#include "emit/c_arithmetic.hpp"
#include "emit/vector_types.hpp"

namespace lift {
namespace {

const char* word(Op op) {
  switch (op) {
    case Op::Min:
      return "min";
    case Op::Max:
      return "max";
    case Op::Abs:
      return "abs";
    case Op::Sqrt:
      return "sqrt";
    case Op::Div:
      return "div";
    default:
      return "mod";
  }
}
/// The function of math.h (or a helper) that computes a scalar op; empty for those spelled out.
std::string library_function(Op op, Scalar s) {
  const std::string f = s == f32 ? "f" : "";
  if (!is_float(s)) return op == Op::Div ? "floor_div" : op == Op::Mod ? "floor_mod" : "";
  return op == Op::Abs ? "fabs" + f : op == Op::Sqrt ? "sqrt" + f : op == Op::Mod ? "fmod" + f : "";
}
/// A scalar op on a and b as an expression.
std::string formula(Op op, Scalar s, const std::string& a, const std::string& b) {
  if (op == Op::Min) return b + " < " + a + " ? " + b + " : " + a;
  if (op == Op::Max) return a + " < " + b + " ? " + b + " : " + a;
  if (op == Op::Abs && !is_float(s)) return a + " < 0 ? -" + a + " : " + a;
  return library_function(op, s) + "(" + a + (op == Op::Abs || op == Op::Sqrt ? "" : ", " + b) + ")";
}
std::string own_name(Op op, Scalar s, int width) {
  return std::string(word(op)) + "_" + (width > 1 ? VectorTypes::name(s, width) : std::string(text(s)));
}
std::string definition(Op op, Scalar s, int width) {
  const bool binary = op != Op::Abs && op != Op::Sqrt;
  const std::string v = width > 1 ? VectorTypes::name(s, width) : c_type(s);
  const std::string head = "static inline " + v + " " + own_name(op, s, width) + "(" + v + " a" +
                           (binary ? ", " + v + " b" : "") + ") { ";
  if (width == 1) return head + "return " + formula(op, s, "a", "b") + "; }\n";
  return head + "for (int l = 0; l < " + std::to_string(width) +
         "; ++l) a[l] = " + formula(op, s, "a[l]", "b[l]") + "; return a; }\n";
}

}  // namespace

std::string MathFunctions::function(Op op, Scalar s, int width) {
  used_.insert({op, s, width});
  const std::string f = width > 1 ? "" : library_function(op, s);
  return f.empty() ? own_name(op, s, width) : f;
}

bool MathFunctions::calls_library() const {
  return std::any_of(used_.begin(), used_.end(), [](const auto& f) {
    const auto [op, s, width] = f;
    return is_float(s) && !library_function(op, s).empty();
  });
}

bool MathFunctions::passes_vectors() const {
  return std::any_of(used_.begin(), used_.end(), [](const auto& f) { return std::get<int>(f) > 1; });
}

std::string MathFunctions::definitions() const {
  std::string s;
  for (const auto& [op, type, width] : used_)
    if (width > 1 || library_function(op, type).empty()) s += definition(op, type, width);
  return s;
}

}  // namespace lift
