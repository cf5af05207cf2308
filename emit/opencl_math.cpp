#include "emit/opencl_math.hpp"

#include <set>
#include <string_view>

#include "ir/ascii.hpp"
#include "ir/expr/attributes.hpp"

namespace lift {
namespace {

constexpr std::string_view kFunctions[] = {
    "acos",  "acosh", "asin", "asinh", "atan",  "atan2", "atanh",     "cbrt",   "ceil",      "copysign",
    "cos",   "cosh",  "erf",  "erfc",  "exp",   "exp2",  "expm1",     "fabs",   "fdim",      "floor",
    "fma",   "fmax",  "fmin", "fmod",  "frexp", "hypot", "ilogb",     "ldexp",  "lgamma",    "log",
    "log10", "log1p", "log2", "logb",  "modf",  "nan",   "nextafter", "pow",    "remainder", "remquo",
    "rint",  "round", "sin",  "sinh",  "sqrt",  "tan",   "tanh",      "tgamma", "trunc"};

std::set<std::string_view> words_in(std::string_view text) {
  std::set<std::string_view> words;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    for (end = begin; end < text.size() && in_word(text[end]);) ++end;
    if (end > begin) words.insert(text.substr(begin, end - begin));
  }
  return words;
}

}  // namespace

std::string math_names_for_opencl(std::span<const Attr> user_functions) {
  std::set<std::string_view> words;
  for (const Attr& f : user_functions) words.merge(words_in(user_body(f)));
  std::string text;
  for (const std::string_view f : kFunctions)
    if (const std::string single = std::string(f) + "f"; words.count(single))
      text += "#define " + single + " " + std::string(f) + "\n";
  return text;
}

}  // namespace lift
