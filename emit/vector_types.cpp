#include "emit/vector_types.hpp"

#include <algorithm>
#include <functional>

#include "emit/c_arithmetic.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

std::map<int, Scalar> narrow_masks(const Block& b) {
  std::map<int, Scalar> widest;  // of what is compared, and chosen from
  visit_terms(b, [&](const Term& t) {
    if (t->width == 1 || t->kind != TermKind::Apply) return;
    for (const Term& x : t->args) {
      const Term& lanes = t->type == boolean ? x : t;
      if (lanes->type == boolean || (t->type != boolean && t->op != Op::Select)) continue;
      const auto [it, added] = widest.try_emplace(t->width, lanes->type);
      if (!added && size_of(lanes->type) > size_of(it->second)) it->second = lanes->type;
    }
  });
  std::erase_if(widest, [](const auto& x) { return size_of(x.second) >= 4; });
  return widest;
}

namespace {

/// What a shuffle that loads of stride 2 and interleaved stores need does; empty for others.
std::string shuffle_name(const Term& t) {
  const int w = t->width, half = w / 2, block = static_cast<int>(16 / size_of(t->type));
  const auto is = [&](const std::function<int(int)>& lane) {
    for (int l = 0; l < w; ++l)
      if (t->lanes[static_cast<std::size_t>(l)] != lane(l)) return false;
    return true;
  };
  if (t->args.size() == 1) {
    if (is([&](int l) { return w - 1 - l; })) return "reverse";
    if (is([](int l) { return l / 2; })) return "double_low";
    if (is([&](int l) { return half + l / 2; })) return "double_high";
    if (is([&](int l) {
          return 2 * (l % half) / block * block + l / half * (block / 2) + 2 * (l % half) % block / 2;
        }))
      return "order";
    return "";
  }
  for (const int p : {0, 1}) {
    if (is([&](int l) { return 2 * l + p; })) return p ? "odd" : "even";
    if (is([&](int l) { return p * half + l / 2 + l % 2 * w; }))
      return p ? "interleave_high" : "interleave_low";
    const auto in_block = [&](int l) {
      return l / block * block + 2 * (l % (block / 2)) + (l % block < block / 2 ? 0 : w);
    };
    if (is([&](int l) { return in_block(l) + p; })) return p ? "odd_unordered" : "even_unordered";
  }
  return "";
}

/// Whole numbers with a sign, as many bytes of them.
std::string mask_element(Scalar s) {
  const std::size_t bytes = size_of(s);
  return bytes == 1 ? "signed char" : bytes == 2 ? "short" : bytes == 4 ? "int" : "long long";
}

std::string vector_typedef(const std::string& element, std::size_t size, int width, const std::string& name) {
  return "typedef " + element + " " + name + " __attribute__((vector_size(" +
         std::to_string(size * static_cast<std::size_t>(width)) + ")));";
}

}  // namespace

std::string VectorTypes::name(Scalar s, int width) {
  if (s == boolean) return "mask" + std::to_string(width);
  return std::string(text(s)) + "x" + std::to_string(width);
}

std::string VectorTypes::type(Scalar s, int width) {
  if (s != boolean) {
    types_.insert({s, width});
    return name(s, width);
  }
  types_.insert({mask_lane(width), width});
  masks_.insert(width);
  return name(s, width);
}

std::string VectorTypes::function(const std::string& what, Scalar s, int width) {
  return *functions_.insert(what + type(s, width)).first;
}

std::string VectorTypes::stream(Scalar s, int width) {
  streams_ = true;
  return function("stream_", s, width);
}

std::string VectorTypes::select(Scalar s, int width) {
  type(boolean, width);
  return function("select_", s, width);
}

std::string VectorTypes::widen(int width) {
  type(f32, width), widened_.insert(width);
  return "widen_to_" + type(f64, width);
}

std::string VectorTypes::remainder(int width) {
  remainders_.insert(width);
  return "remainder_" + type(i32, width);
}

std::string VectorTypes::quotient(int width) {
  quotients_.insert(width);
  return "quotient_" + type(i32, width);
}

std::string VectorTypes::shuffle(const Term& t) {
  type(t->type, t->width);
  const Shuffle key{t->type, t->width, t->args.size(), t->lanes};
  const auto found =
      std::find_if(shuffles_.begin(), shuffles_.end(), [&](const auto& s) { return s.first == key; });
  if (found != shuffles_.end()) return found->second;
  std::string what = shuffle_name(t);
  if (what.empty()) what = "shuffle" + std::to_string(++other_shuffles_);
  return shuffles_.emplace_back(key, what + "_" + name(t->type, t->width)).second;
}

std::string VectorTypes::from_bytes(int width) {
  type(i32, width), from_bytes_.insert(width);
  return "from_" + type(u8, width);
}

std::string VectorTypes::to_bytes(int width) {
  type(i32, width), to_bytes_.insert(width);
  return "to_" + type(u8, width);
}

std::string VectorTypes::from_bytes_to_words(int width) {
  type(u16, width), type(u8, width), words_.insert({width, true});
  return "words_of_" + name(u8, width);
}

std::string VectorTypes::to_bytes_from_words(int width) {
  type(u16, width), type(u8, width), words_.insert({width, false});
  return "bytes_of_" + name(u16, width);
}

std::string VectorTypes::definitions() const {
  std::string s = masks();
  for (const auto& [type, width] : types_) s += definitions(type, width);
  for (const int width : from_bytes_) s += byte_conversion(width, true);
  for (const int width : to_bytes_) s += byte_conversion(width, false);
  for (const auto& [width, widens] : words_) s += word_conversion(width, widens);
  for (const int width : widened_)
    s += "static inline " + name(f64, width) + " widen_to_" + name(f64, width) + "(" + name(f32, width) +
         " a) {\n  " + name(f64, width) + " result;\n  for (int l = 0; l < " + std::to_string(width) +
         "; ++l) result[l] = a[l];\n  return result;\n}\n";
  const auto by_number = [&](const char* what, int width, const std::string& body) {
    const std::string v = name(i32, width);
    s += "static inline " + v + " " + what + v + "(" + v + " a, int n) {\n" + body + "}\n";
  };
  for (const int width : remainders_)
    by_number("remainder_", width,
              "  const " + name(i32, width) + " r = a % n;\n  return r + ((r < 0) & n);\n");
  for (const int width : quotients_)
    by_number("quotient_", width, "  return a / n + (a % n < 0);  /* true is -1 */\n");
  return s;
}

std::string VectorTypes::masks() const {
  std::string s;
  std::set<int> widths;
  for (const auto& [type, width] : types_)
    if (masks_.count(width) && widths.insert(width).second)
      s += vector_typedef(mask_element(mask_lane(width)), size_of(mask_lane(width)), width,
                          name(boolean, width)) +
           "  /* -1: on, 0: off */\n" + mask_functions(width);
  return s;
}

/// In memory a truth value is a byte, 0 or 1.
std::string VectorTypes::mask_functions(int width) const {
  const std::string n = std::to_string(width), m = name(boolean, width), bytes = "bytes" + n + "_any";
  std::string s =
      macro("load_" + m, "p",
            "(" + m + ")(__builtin_convertvector(*(const " + bytes + " *)(p), " + m + ") != 0)") +
      macro("store_" + m, "p, x", "*(" + bytes + " *)(p) = __builtin_convertvector(-(x), " + bytes + ")");
  if (!s.empty())
    s = "typedef unsigned char " + bytes + " __attribute__((vector_size(" + n +
        "), aligned(1), may_alias));\n" + s;
  for (const auto& [key, function] : shuffles_)
    if (key.type == boolean && key.width == width) s += shuffle_function(key, function);
  return s;
}

std::string VectorTypes::macro(const std::string& function, const std::string& arguments,
                               const std::string& value) const {
  return functions_.count(function) ? "#define " + function + "(" + arguments + ") (" + value + ")\n" : "";
}

std::string VectorTypes::definitions(Scalar type, int width) const {
  const std::string v = name(type, width), e = c_type(type), size = std::to_string(size_of(type));
  std::string s = vector_typedef(e, size_of(type), width, v) + "\n";
  s += "typedef " + e + " " + v + "_any __attribute__((vector_size(" +
       std::to_string(size_of(type) * static_cast<std::size_t>(width)) + "), aligned(" + size +
       "), may_alias));\n";
  s += macro("load_" + v, "p", "(" + v + ")*(const " + v + "_any *)(p)");
  s += macro("store_" + v, "p, x", "*(" + v + "_any *)(p) = (x)");
  s += macro("splat_" + v, "x",
             "(" + v + "){0} + " + (is_float(type) ? "" : "(" + e + ")") + "(x)");  // an index is a long
  if (functions_.count("stream_" + v)) s += streaming(type, width);
  for (const auto& [key, function] : shuffles_)
    if (key.type == type && key.width == width) s += shuffle_function(key, function);
  return s + selection(type, width);
}

std::string VectorTypes::selection(Scalar type, int width) const {
  const std::string v = name(type, width), m = "mask" + std::to_string(width), select = "select_" + v;
  if (!functions_.count(select)) return "";
  const auto chosen = [&](const std::string& mask, const std::string& lanes) {
    return "(" + v + ")((" + mask + " & (" + lanes + ")(a)) | (~" + mask + " & (" + lanes + ")(b)))";
  };
  if (size_of(type) == size_of(mask_lane(width))) return macro(select, "m, a, b", chosen("(m)", m));
  const std::string n = "lanes_" + v;  // the mask's lanes have another size
  return vector_typedef(mask_element(type), size_of(type), width, n) + "\n" +
         macro(select, "m, a, b", chosen("__builtin_convertvector(m, " + n + ")", n));
}

/// Between u8 and i32, by 16 bits: compilers that have no instruction for four times the width go through
/// the lanes one by one. To u8 the upper bits are dropped.
std::string VectorTypes::byte_conversion(int width, bool widens) const {
  const std::string bytes = name(u8, width), words = name(i32, width), half = "half_" + bytes,
                    &from = widens ? bytes : words, &to = widens ? words : bytes;
  std::string s;
  if (widens || from_bytes_.count(width) == 0) s += vector_typedef("unsigned short", 2, width, half) + "\n";
  s += "static inline " + to + " " + (widens ? "from_" : "to_") + bytes + "(" + from + " a) {\n";
  const std::string in_two =
      "  return __builtin_convertvector(__builtin_convertvector(a, " + half + "), " + to + ");\n";
  const auto where = [&](const std::string& macro, const std::string& by) {
    s += "#if defined(" + macro + ")\n  return " + by + ";\n#else\n" + in_two + "#endif\n";
  };
  if (width == 16)
    where("__AVX512F__", widens ? "(" + to + ")_mm512_cvtepu8_epi32((__m128i)a)"
                                : "(" + to + ")_mm512_cvtepi32_epi8((__m512i)a)");
  else if (width == 8 && widens)
    s += "#if defined(__AVX2__)\n  __m128i low = _mm_cvtsi64_si128((long long)a);\n"
         "#if defined(__AVX512VL__) && !defined(__clang__)\n"
         "  __asm__(\"\" : \"+x\"(low));  /* gcc 12 ends with an internal error where it makes this, of "
         "memory, and a "
         "choice one instruction */\n#endif\n  return (" +
         to + ")_mm256_cvtepu8_epi32(low);\n#else\n" + in_two + "#endif\n";
  else if (width == 8)
    where("__AVX512VL__", "(" + to + ")_mm_cvtsi128_si64(_mm256_cvtepi32_epi8((__m256i)a))");
  else
    s += in_two;
  return s + "}\n";
}

/// Between u8 and u16: compilers halve the longest vectors for it.
std::string VectorTypes::word_conversion(int width, bool widens) const {
  const std::string bytes = name(u8, width), words = name(u16, width), &from = widens ? bytes : words,
                    &to = widens ? words : bytes;
  const std::string plain = "  return __builtin_convertvector(a, " + to + ");\n";
  std::string s =
      "static inline " + to + " " + (widens ? "words_of_" : "bytes_of_") + from + "(" + from + " a) {\n";
  if (width != 16 && width != 32) return s + plain + "}\n";
  const std::string big = width == 32 ? "512" : "256", small = width == 32 ? "256" : "";
  const std::string feature = width == 32 ? "defined(__AVX512BW__)"
                              : widens    ? "defined(__AVX2__)"
                                          : "defined(__AVX512BW__) && defined(__AVX512VL__)";
  s += "#if " + feature + "\n  return (" + to + ")_mm" + big +
       (widens ? "_cvtepu8_epi16((__m" + (small.empty() ? "128" : small) : "_cvtepi16_epi8((__m" + big) +
       "i)a);\n#else\n";
  return s + plain + "#endif\n}\n";
}

std::string VectorTypes::shuffle_function(const Shuffle& x, const std::string& function) const {
  const std::string v = name(x.type, x.width), b = x.args == 2 ? "b" : "a";
  const auto builtin = [](const std::string& first, const std::string& second,
                          const std::vector<int>& lanes) {
    std::string s = "__builtin_shufflevector(" + first + ", " + second;
    for (const int l : lanes) s += ", " + std::to_string(l);
    return s + ")";
  };
  const std::string one = "return " + builtin("a", b, x.lanes) + ";";
  std::string s =
      "static inline " + v + " " + function + "(" + v + " a" + (x.args == 2 ? ", " + v + " b" : "") + ") {";
  const bool low = function.starts_with("interleave_low"), high = function.starts_with("interleave_high");
  if (size_of(x.type) != 8 || x.width != 4 || !(low || high)) return s + " " + one + " }\n";
  // gcc 12 makes three instructions of each; in two steps, both of them together are four
  return s + "\n#if defined(__AVX2__) && !defined(__AVX512VL__)\n  const " + v +
         " even = " + builtin("a", "b", {0, 4, 2, 6}) + ", odd = " + builtin("a", "b", {1, 5, 3, 7}) +
         ";\n  return " +
         (low ? builtin("even", "odd", {0, 1, 4, 5}) : builtin("even", "odd", {2, 3, 6, 7})) +
         ";\n#else\n  " + one + "\n#endif\n}\n";
}

/// A vector past the cache, in pieces of the widest instruction. Where the caller's array does not start
/// where those need it, which they answer with a crash, it is stored as others are.
std::string VectorTypes::streaming(Scalar type, int width) const {
  const std::string v = name(type, width), e = c_type(type);
  const std::string d = type == f32 ? "ps" : "pd", m256 = type == f32 ? "__m256" : "__m256d",
                    m128 = type == f32 ? "__m128" : "__m128d";
  const std::size_t bytes = size_of(type) * static_cast<std::size_t>(width);
  const auto pieces = [&](const std::string& m, const std::string& call, std::size_t each) {
    return "  if ((__UINTPTR_TYPE__)p % " + std::to_string(each) + " != 0) {\n    *(" + v +
           "_any *)p = x;\n    return;\n  }\n  const " + m + " *from = (const " + m +
           " *)&x;\n  for (int c = 0; c < " + std::to_string(bytes / each) + "; ++c) " + call + "((" +
           (type == f32 ? "float" : "double") + " *)(p + c * " + std::to_string(each / size_of(type)) +
           "), from[c]);\n";
  };
  std::string s = "static inline void stream_" + v + "(" + e + " *p, " + v + " x) {\n";
  const char* first = "#if";
  if (bytes % 32 == 0)
    s += "#if defined(__AVX__)\n" + pieces(m256, "_mm256_stream_" + d, 32), first = "#elif";
  if (bytes % 16 == 0)
    s += std::string(first) + " defined(__SSE2__)\n" + pieces(m128, "_mm_stream_" + d, 16) + "#else\n";
  s += "  *(" + v + "_any *)p = x;\n";
  if (bytes % 16 == 0) s += "#endif\n";
  return s + "}\n";
}

}  // namespace lift
