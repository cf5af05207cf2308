#include "emit/c_math.hpp"

#include <algorithm>

#include "emit/c_arithmetic.hpp"
#include "emit/vector_types.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// The function of math.h (or a helper) that computes a scalar op; empty for those spelled out.
std::string library_function(Op op, Scalar s) {
  const std::string f = s == f32 ? "f" : "";
  if (!is_float(s))
    return op == Op::Div ? floor_function("div", s) : op == Op::Mod ? floor_function("mod", s) : "";
  if (elementary(op) != nullptr) return std::string(text(op)) + f;
  return op == Op::Abs ? "fabs" + f : op == Op::Mod ? "fmod" + f : "";
}
/// A scalar op on a and b as an expression.
std::string formula(Op op, Scalar s, const std::string& a, const std::string& b) {
  if (op == Op::Min) return b + " < " + a + " ? " + b + " : " + a;
  if (op == Op::Max) return a + " < " + b + " ? " + b + " : " + a;
  if (op == Op::Abs && !is_float(s)) return a + " < 0 ? -" + a + " : " + a;
  return library_function(op, s) + "(" + a + (row(op).arity == 1 ? "" : ", " + b) + ")";
}
std::string own_name(Op op, Scalar s, int width) {
  return std::string(text(op)) + "_" + (width > 1 ? VectorTypes::name(s, width) : std::string(text(s)));
}
/// The instruction for extrema of vectors of bytes, or of 16 bits, where a machine has it: compilers make
/// two or three of what is spelled out.
std::string narrow_extremum(Op op, Scalar s, int width) {
  const std::size_t bytes = size_of(s) * static_cast<std::size_t>(width);
  const std::string bits = std::to_string(8 * bytes), m = bytes == 16 ? "__m128i" : "__m" + bits + "i",
                    type = s == u8    ? "epu8"
                           : s == u16 ? "epu16"
                                      : "epi16";
  const char* feature = bytes == 64   ? "__AVX512BW__"
                        : bytes == 32 ? "__AVX2__"
                        : s == u16    ? "__SSE4_1__"
                                      : "__SSE2__";
  if (size_of(s) > 2 || (bytes != 16 && bytes != 32 && bytes != 64)) return "";
  return std::string("\n#if defined(") + feature + ")\n  return (" + VectorTypes::name(s, width) + ")_mm" +
         (bytes == 16 ? "" : bits) + "_" + std::string(text(op)) + "_" + type + "((" + m + ")a, (" + m +
         ")b);\n#else\n ";
}
std::string definition(Op op, Scalar s, int width) {
  const bool binary = row(op).arity == 2;
  const std::string v = width > 1 ? VectorTypes::name(s, width) : c_type(s);
  const std::string head = "static inline " + v + " " + own_name(op, s, width) + "(" + v + " a" +
                           (binary ? ", " + v + " b" : "") + ") {";
  if (width == 1) return head + " return " + formula(op, s, "a", "b") + "; }\n";
  if (const Elementary* e = elementary(op);
      e != nullptr && e->in_libmvec && binary)  // as GCC makes one call of it
    return head + "\n  " + v +
           " result;\n#if defined(_OPENMP) && !defined(__clang__)\n#pragma omp simd\n#endif\n  for (int l = "
           "0; l < " +
           std::to_string(width) + "; ++l) result[l] = " + formula(op, s, "a[l]", "b[l]") +
           ";\n  return result;\n}\n";
  const std::string narrow = op == Op::Min || op == Op::Max ? narrow_extremum(op, s, width) : "";
  if (op == Op::Min || op == Op::Max)  // as GCC makes scalars of a loop over the lanes of two in a row
    return head + narrow + " __typeof__(a < b) m = " + (op == Op::Min ? "b < a" : "a < b") + "; return (" +
           v + ")((m & (__typeof__(m))b) | (~m & (__typeof__(m))a)); " +
           (narrow.empty() ? "" : "\n#endif\n") + "}\n";
  if (s == f32 && (op == Op::Floor || op == Op::Ceil)) {  // by whole numbers; large ones are whole already
    const std::string correction = op == Op::Floor ? "- (v)((lanes)(t > a)" : "+ (v)((lanes)(t < a)";
    return head + "\n  typedef " + v + " v;\n  typedef int lanes __attribute__((vector_size(" +
           std::to_string(4 * width) + ")));\n" +
           "  const lanes sign = (lanes)a & (~(lanes){0} << 31), small = (v)((lanes)a & ~sign) < "
           "8388608.0f;\n"
           "  const v t = __builtin_convertvector(__builtin_convertvector(a, lanes), v);\n"
           "  return (v)((small & ((lanes)(t " +
           correction + " & (lanes)((v){0} + 1.0f))) | sign)) | (~small & (lanes)a));\n}\n";
  }
  return head + " for (int l = 0; l < " + std::to_string(width) +
         "; ++l) a[l] = " + formula(op, s, "a[l]", "b[l]") + "; return a; }\n";
}

}  // namespace

std::string extremum_function(Op op, Scalar s, int width) { return own_name(op, s, width); }

std::string extremum_helpers(const std::set<std::string>& helpers, const std::string& qualifier) {
  std::string r;
  for (const Op op : {Op::Min, Op::Max})
    for (const Scalar s : {f32, f64})
      for (const int width : {1, 2, 4, 8, 16}) {
        const std::string name = own_name(op, s, width),
                          type = c_type(s) + (width > 1 ? std::to_string(width) : "");
        if (helpers.count(name) > 0)
          r += qualifier + type + " " + name + "(" + type + " a, " + type + " b) { return " +
               formula(op, s, "a", "b") + "; }\n";
      }
  return r;
}

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

bool MathFunctions::has_intrinsics() const {
  return std::any_of(used_.begin(), used_.end(), [](const auto& f) {
    const auto [op, s, width] = f;
    return width > 1 && (op == Op::Min || op == Op::Max) && !narrow_extremum(op, s, width).empty();
  });
}

/// Declarations that let GCC call glibc's functions of vectors in loops; it does so by itself only where all
/// of IEEE 754 is given up.
std::string MathFunctions::vectors_of_library() const {
  std::set<std::string> declared;
  for (const auto& [op, type, width] : used_)
    if (const Elementary* f = elementary(op); f != nullptr && f->in_libmvec)
      declared.insert("__attribute__((__simd__(\"notinbranch\"))) " + c_type(type) + " " +
                      library_function(op, type) + "(" + c_type(type) +
                      (row(op).arity == 2 ? ", " + c_type(type) : "") + ");\n");
  if (declared.empty()) return "";
  std::string s =
      "#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \\\n"
      "    !defined(SCALAR_MATH)  /* define it for the same bits in and outside vectors */\n"
      "#if __GLIBC_PREREQ(2, 35)\n";
  for (const std::string& d : declared) s += d;
  return s + "#endif\n#endif\n";
}

std::string MathFunctions::definitions() const {
  std::string s = vectors_of_library();
  for (const auto& [op, type, width] : used_)
    if (width > 1 || library_function(op, type).empty()) s += definition(op, type, width);
  return s;
}

}  // namespace lift
