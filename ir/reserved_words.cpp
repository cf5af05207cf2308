#include "ir/reserved_words.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace lift {
namespace {

using Names = std::span<const std::string_view>;

bool contains(Names all, std::string_view name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// Of C and C++, of GNU C, and macros of the headers that kernels and their callers include.
constexpr std::string_view c_words[] = {"alignas",
                                        "alignof",
                                        "and",
                                        "and_eq",
                                        "asm",
                                        "assert",
                                        "auto",
                                        "bitand",
                                        "bitor",
                                        "bool",
                                        "break",
                                        "case",
                                        "catch",
                                        "char",
                                        "class",
                                        "compl",
                                        "concept",
                                        "const",
                                        "const_cast",
                                        "consteval",
                                        "constexpr",
                                        "constinit",
                                        "continue",
                                        "decltype",
                                        "default",
                                        "delete",
                                        "do",
                                        "double",
                                        "dynamic_cast",
                                        "else",
                                        "enum",
                                        "explicit",
                                        "export",
                                        "extern",
                                        "false",
                                        "float",
                                        "for",
                                        "friend",
                                        "goto",
                                        "if",
                                        "inline",
                                        "int",
                                        "long",
                                        "main",
                                        "mutable",
                                        "namespace",
                                        "new",
                                        "noexcept",
                                        "not",
                                        "not_eq",
                                        "nullptr",
                                        "operator",
                                        "or",
                                        "or_eq",
                                        "private",
                                        "protected",
                                        "public",
                                        "register",
                                        "reinterpret_cast",
                                        "requires",
                                        "restrict",
                                        "return",
                                        "short",
                                        "signed",
                                        "sizeof",
                                        "static",
                                        "static_assert",
                                        "static_cast",
                                        "struct",
                                        "switch",
                                        "template",
                                        "this",
                                        "thread_local",
                                        "throw",
                                        "true",
                                        "try",
                                        "typedef",
                                        "typeid",
                                        "typename",
                                        "typeof",
                                        "union",
                                        "unsigned",
                                        "using",
                                        "virtual",
                                        "void",
                                        "volatile",
                                        "wchar_t",
                                        "while",
                                        "xor",
                                        "xor_eq",
                                        "linux",
                                        "unix",
                                        "i386",
                                        "NULL",
                                        "EOF",
                                        "BUFSIZ",
                                        "RAND_MAX",
                                        "EXIT_SUCCESS",
                                        "EXIT_FAILURE",
                                        "INFINITY",
                                        "NAN",
                                        "HUGE_VAL",
                                        "HUGE_VALF",
                                        "HUGE_VALL",
                                        "MAXFLOAT",
                                        "M_E",
                                        "M_LOG2E",
                                        "M_LOG10E",
                                        "M_LN2",
                                        "M_LN10",
                                        "M_PI",
                                        "M_PI_2",
                                        "M_PI_4",
                                        "M_1_PI",
                                        "M_2_PI",
                                        "M_2_SQRTPI",
                                        "M_SQRT2",
                                        "M_SQRT1_2",
                                        "errno",
                                        "stdin",
                                        "stdout",
                                        "stderr",
                                        "size_t",
                                        "ptrdiff_t",
                                        "CLOCK_MONOTONIC"};

/// The C library's, with <math.h> and what compilers know as built in.
constexpr std::string_view c_functions[] = {
    "abort",          "abs",     "acos",      "acosf",       "acosh",    "alloca",  "asin",      "asinf",
    "asinh",          "atan",    "atan2",     "atan2f",      "atanf",    "atanh",   "atexit",    "atof",
    "atoi",           "atol",    "bcmp",      "bcopy",       "bsearch",  "bzero",   "cabs",      "calloc",
    "cbrt",           "ceil",    "ceilf",     "clock",       "copysign", "cos",     "cosf",      "cosh",
    "difftime",       "div",     "drem",      "erf",         "erfc",     "exit",    "exp",       "exp10",
    "exp2",           "expf",    "expm1",     "fabs",        "fabsf",    "fdim",    "ffs",       "floor",
    "floorf",         "fma",     "fmaf",      "fmax",        "fmaxf",    "fmin",    "fminf",     "fmod",
    "fmodf",          "fprintf", "fputc",     "fputs",       "free",     "frexp",   "fwrite",    "gamma",
    "getenv",         "hypot",   "ilogb",     "imaxabs",     "index",    "isalnum", "isalpha",   "isdigit",
    "isinf",          "isnan",   "isspace",   "j0",          "j1",       "jn",      "labs",      "ldexp",
    "ldiv",           "lgamma",  "llabs",     "llrint",      "llround",  "log",     "log10",     "log1p",
    "log2",           "logb",    "logf",      "lrint",       "lround",   "malloc",  "memchr",    "memcmp",
    "memcpy",         "memmove", "mempcpy",   "memset",      "modf",     "nan",     "nearbyint", "nextafter",
    "posix_memalign", "pow",     "pow10",     "powf",        "printf",   "putchar", "puts",      "qsort",
    "rand",           "realloc", "remainder", "remquo",      "rindex",   "rint",    "round",     "roundf",
    "scalb",          "scalbn",  "scanf",     "significand", "sin",      "sincos",  "sinf",      "sinh",
    "snprintf",       "sprintf", "sqrt",      "sqrtf",       "srand",    "strcat",  "strchr",    "strcmp",
    "strcpy",         "strdup",  "strlen",    "strncat",     "strncmp",  "strncpy", "strstr",    "strtod",
    "strtol",         "system",  "tan",       "tanf",        "tanh",     "tgamma",  "time",      "toascii",
    "tolower",        "toupper", "trunc",     "truncf",      "vprintf",  "y0",      "y1",        "yn"};

constexpr std::string_view opencl_words[] = {
    "kernel",   "global", "local",     "constant",    "half",        "uint",
    "uchar",    "ushort", "ulong",     "event_t",     "sampler_t",   "barrier",
    "prefetch", "copies", "no_copies", "fetch_ahead", "stream_store"};
constexpr std::string_view cuda_words[] = {"threadIdx", "blockIdx", "blockDim",   "gridDim",
                                           "warpSize",  "prefetch", "copy_async", "wait_for_copies"};

/// Functions that OpenCL C or CUDA C++ has without being asked.
constexpr std::string_view grid_functions[] = {
    "add_sat",  "all",        "any",      "bitselect", "clamp",   "clz",    "cross",      "degrees",
    "distance", "dot",        "erfcinv",  "erfinv",    "fract",   "length", "mad",        "mad24",
    "max",      "min",        "mix",      "mul24",     "norm",    "norm3d", "norm4d",     "normalize",
    "normcdf",  "normcdfinv", "popcount", "pown",      "radians", "rhypot", "rnorm",      "rnorm3d",
    "rnorm4d",  "rotate",     "rsqrt",    "select",    "shuffle", "sign",   "smoothstep", "step",
    "upsample", "vload2",     "vstore2",  "barrier",   "prefetch"};

/// Helper functions of kernels' sources.
constexpr std::string_view helpers[] = {
    "floor_div",    "floor_mod",    "store_fence", "liftgen_call", "new_scratch", "own_scratch",
    "free_scratch", "turn",         "most_turns",  "last_step",    "turn_of",     "threads_in_turns",
    "own_turn",     "turns_of_all", "first_turns", "await_turn",   "end_turn"};

/// What emitted text calls, in any language, and names that its helpers have for their own.
constexpr std::string_view called[] = {"select",       "kernel",
                                       "global",       "local",
                                       "half",         "min",
                                       "max",          "y0",
                                       "y1",           "j0",
                                       "j1",           "gamma",
                                       "exp",          "log",
                                       "sqrt",         "sqrtf",
                                       "fabs",         "fabsf",
                                       "fmod",         "fmodf",
                                       "abs",          "pow",
                                       "index",        "args",
                                       "lane",         "result",
                                       "floor_div",    "floor_mod",
                                       "store_fence",  "own",
                                       "new_scratch",  "own_scratch",
                                       "free_scratch", "turn",
                                       "most_turns",   "last_step",
                                       "turn_of",      "threads_in_turns",
                                       "own_turn",     "turns_of_all",
                                       "first_turns",  "await_turn",
                                       "end_turn"};

bool is_implementations(const std::string& n) {
  return n.size() > 1 && n[0] == '_' && (n[1] == '_' || (n[1] >= 'A' && n[1] <= 'Z'));
}

Names words_of(Target t) {
  switch (t) {
    case Target::openmp:
      break;
    case Target::opencl:
      return opencl_words;
    case Target::cuda:
      return cuda_words;
  }
  return {};
}

}  // namespace

bool is_word(const std::string& name, Target target) {
  return is_implementations(name) || contains(c_words, name) || contains(words_of(target), name);
}

bool is_library_name(const std::string& name, Target target) {
  return contains(c_functions, name) || (is_grid(target) && contains(grid_functions, name)) ||
         contains(helpers, name);
}

bool is_called_by_kernels(const std::string& name) { return contains(called, name); }

}  // namespace lift
