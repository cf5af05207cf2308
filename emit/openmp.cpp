// C11 with OpenMP and the vector extensions that gcc and clang share.
#include <algorithm>
#include <cctype>

#include "emit/c_like.hpp"
#include "emit/stand_alone.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
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

class OpenMP : public CLike {
 public:
  using CLike::CLike;

  std::string text() {
    const std::string body = function("");
    std::string r = header_comment(
        k_, "cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c " + k_.name + ".c");
    if (uses_math()) r += "#include <math.h>\n";
    if (streams_) r += "#ifdef __SSE2__\n#include <immintrin.h>\n#endif\n";
    r += "\n" + helper_functions() +
         "#ifdef __cplusplus\n#define restrict __restrict__\nextern \"C\"\n#endif\n";
    return r + body;
  }
  /// Without comment and includes, for a file that has them.
  std::string static_text() {
    const std::string body = function("static ");
    return helper_functions() + body;
  }

 protected:
  static std::string suffix(Scalar s, int width) {
    return std::string(s == f32 ? "f32" : s == f64 ? "f64" : "i32") + "x" + std::to_string(width);
  }
  std::string vector_type(Scalar s, int width) override {
    if (s == boolean) {
      vectors_.insert({real_, width});
      return "mask" + std::to_string(width);
    }
    vectors_.insert({s, width});
    return suffix(s, width);
  }
  std::string vector_literal(Scalar s, int width, const std::vector<std::string>& lanes) override {
    std::string r;
    for (const std::string& l : lanes) r += (r.empty() ? "" : ", ") + l;
    return "((" + vector_type(s, width) + "){" + r + "})";  // commas in braces would part a macro's arguments
  }
  std::string load(const std::string& array, const std::string& index, Scalar s, int width) override {
    if (width == 1) return array + "[" + index + "]";
    return "load_" + vector_type(s, width) + "(&" + array + "[" + index + "])";
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    const int w = st.value->width;
    if (w == 1) return st.array + "[" + index + "] = " + value + ";";
    streams_ |= st.stream;
    return std::string(st.stream ? "stream_" : "store_") + vector_type(st.value->type, w) + "(&" + st.array +
           "[" + index + "], " + value + ");";
  }
  std::string blend(Scalar s, int width, const std::string& mask, const std::string& a,
                    const std::string& b) override {
    vector_type(boolean, width);
    if (s == boolean) return "((" + mask + " & " + a + ") | (~" + mask + " & " + b + "))";
    return "select_" + vector_type(s, width) + "(" + mask + ", " + a + ", " + b + ")";
  }
  std::string convert(Scalar to, int width, const std::string& x) override {
    return "__builtin_convertvector(" + x + ", " + vector_type(to, width) + ")";
  }
  std::string splat(Scalar s, int width, const std::string& x) override {
    const std::string t = vector_type(s, width);
    if (s == boolean) return "((" + t + "){0} - (" + x + "))";
    return "splat_" + t + "(" + x + ")";
  }
  std::string shuffle(const Term& t) override {
    vector_type(t->type, t->width);
    const Shuffle key{t->type, t->width, t->args.size(), t->lanes};
    auto found =
        std::find_if(shuffles_.begin(), shuffles_.end(), [&](const auto& s) { return s.first == key; });
    if (found == shuffles_.end()) {
      std::string name = shuffle_name(t);
      if (name.empty()) name = "shuffle" + std::to_string(++other_shuffles_);
      found = shuffles_.insert(found, {key, name + "_" + suffix(t->type, t->width)});
    }
    std::string call = found->second + "(";
    for (std::size_t a = 0; a < t->args.size(); ++a) call += (a == 0 ? "" : ", ") + term(t->args[a]).s;
    return call + ")";
  }
  std::string mask(Scalar s, int width, const std::string& comparison) override {
    const std::string t = vector_type(boolean, width);
    return size_of(s) == size_of(real_) ? "(" + t + ")(" + comparison + ")"
                                        : "__builtin_convertvector(" + comparison + ", " + t + ")";
  }
  std::string math(Op op, Scalar s, int width, const std::vector<std::string>& args) override {
    if (!is_float(s) && (op == Op::Div || op == Op::Mod))
      helpers_.insert(op == Op::Div ? "floor_div" : "floor_mod");
    if (width > 1)
      vector_type(s, width);
    else if (const std::string f = library_function(op, s); !f.empty())
      return math_.insert({op, {s, 1}}), f + "(" + joined(args) + ")";
    math_.insert({op, {s, width}});
    return std::string(word(op)) + "_" + (width > 1 ? suffix(s, width) : std::string(lift::text(s))) + "(" +
           joined(args) + ")";
  }
  void prefetch(const Prefetch& p) override {
    line("__builtin_prefetch(&" + p.array + "[" + nat(p.position.at(0)).s + "]);");
  }
  void fence() override { line("store_fence();"); }
  void statement(const Stmt& s) override {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a || a->space != AddressSpace::Scratch) return CLike::statement(s);
    const std::string type = element_type(element_of(a->type).scalar()), offset = nat(a->offset).s;
    if (!own_named_)
      line("char *const own = own_scratch(" + scratch_ + ", " + scratch_ + "_bytes);"), own_named_ = true;
    line(type + " *const restrict " + a->name + " = (" + type + " *)" +
         (offset == "0" ? "own;" : "(own + " + offset + ");"));
  }
  /// As aligned as the caller's arrays, which streaming stores count on.
  std::string private_array(const std::string& name, Scalar s, const std::string& size,
                            AddressSpace) override {
    return element_type(s) + " " + name + "[" + size + "] __attribute__((aligned(64)));";
  }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    if (t->width == 1) return t->name + "(" + joined(args) + ")";
    vector_type(t->type, t->width);
    for (const Term& a : t->args) vector_type(a->type, t->width);
    user_vectors_.insert({t->name, t->width});
    return t->name + "_x" + std::to_string(t->width) + "(" + joined(args) + ")";
  }

  void loop(const For& f) override {
    switch (f.kind) {
      case LoopKind::Par:
        return parallel(f);
      case LoopKind::Seq:
      case LoopKind::Vec:
        return plain_loop(
            f, f.kind == LoopKind::Seq && f.width > 1 ? "#pragma GCC unroll " + std::to_string(f.width) : "");
      case LoopKind::Unroll: {
        const auto trips = (f.upper - f.lower).constant();
        return plain_loop(f,
                          "#pragma GCC unroll " + std::to_string(f.width > 1 ? f.width
                                                                 : trips ? std::min<std::int64_t>(*trips, 64)
                                                                         : 4));
      }
      default:
        throw InternalError(std::string("emit: map_") + lift::text(f.kind) + " in an OpenMP kernel");
    }
  }

 private:
  void parallel(const For& f) {
    own_named_ = false;
    out_ += "#ifdef _OPENMP\n";
    line("#pragma omp parallel for " +
         (f.collapse > 1 ? "collapse(" + std::to_string(f.collapse) + ") " : std::string()) +
         "schedule(static)");
    out_ += "#endif\n";
    plain_loop(f);
  }

  /// The kernel itself; what it refers to is known afterwards.
  std::string function(const std::string& qualifier) {
    const bool allocates = needs_scratch(k_);
    if (allocates) {
      scratch_ = unique("scratch");
      line("const long " + scratch_ + "_bytes = " + nat(k_.scratch).s + ";  /* of each thread */");
      line("char *const " + scratch_ + " = new_scratch(" + scratch_ + "_bytes);");
      line("if (!" + scratch_ + ") return 1;");
    }
    for (const Stmt& s : k_.body) statement(s);
    if (allocates) line("free_scratch(" + scratch_ + ");"), line("return 0;");
    std::string unused;
    for (const std::string& n : k_.sizes) unused += mentioned(n) ? "" : "  (void)" + n + ";\n";
    for (const KernelArgument& a : k_.arguments)
      unused += mentioned(a.name) ? "" : "  (void)" + a.name + ";\n";
    const std::string list = parameters("", qualifier.empty() ? "restrict " : "");
    return wrapped(qualifier + (allocates ? "int " : "void ") + k_.name + "(" +
                       (list.empty() ? "void" : list) + ") {",
                   0) +
           "\n" + unused + out_ + "}\n";
  }
  bool mentioned(const std::string& name) const {
    const auto part_of_word = [&](std::size_t at) {
      return at < out_.size() && (std::isalnum(static_cast<unsigned char>(out_[at])) || out_[at] == '_');
    };
    for (std::size_t at = out_.find(name); at != std::string::npos; at = out_.find(name, at + 1))
      if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + name.size())) return true;
    return false;
  }
  bool uses_math() const {
    for (const auto& [op, type] : math_)
      if (is_float(type.first) && !library_function(op, type.first).empty()) return true;
    return out_.find("INFINITY") != std::string::npos || out_.find("NAN") != std::string::npos;
  }
  std::string helper_functions() const {
    std::string s = scratch_helpers() + index_helpers(helpers_, "static inline ") + vector_helpers() +
                    lift::CLike::user_functions("static inline ") + vector_user_functions();
    return s.empty() || s.ends_with("\n\n") ? s : s + "\n";
  }

  std::string scratch_helpers() const {
    if (scratch_.empty()) return "";
    return R"(#include <stdint.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif
/* Memory that each thread has to itself, so many bytes of it; NULL where there is not enough. */
static inline char *new_scratch(long bytes) {
  long threads = 1;
#ifdef _OPENMP
  threads = omp_get_max_threads();
#endif
  return (char *)malloc((size_t)bytes * (size_t)threads + 63);
}
/* That of this thread. */
static inline char *own_scratch(char *scratch, long bytes) {
  long thread = 0;
#ifdef _OPENMP
  thread = omp_get_thread_num();
#endif
  return scratch + (64 - (uintptr_t)scratch % 64) % 64 + bytes * thread;
}
static inline void free_scratch(char *scratch) { free(scratch); }
)";
  }

  static const char* word(Op op) {
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
  static std::string library_function(Op op, Scalar s) {
    const std::string f = s == f32 ? "f" : "";
    if (!is_float(s)) return op == Op::Div ? "floor_div" : op == Op::Mod ? "floor_mod" : "";
    return op == Op::Abs ? "fabs" + f : op == Op::Sqrt ? "sqrt" + f : op == Op::Mod ? "fmod" + f : "";
  }
  /// A scalar op on a and b as an expression.
  static std::string formula(Op op, Scalar s, const std::string& a, const std::string& b) {
    if (op == Op::Min) return b + " < " + a + " ? " + b + " : " + a;
    if (op == Op::Max) return a + " < " + b + " ? " + b + " : " + a;
    if (op == Op::Abs && !is_float(s)) return a + " < 0 ? -" + a + " : " + a;
    return library_function(op, s) + "(" + a + (op == Op::Abs || op == Op::Sqrt ? "" : ", " + b) + ")";
  }
  std::string math_helper(Op op, Scalar s, int width) const {
    const bool binary = op != Op::Abs && op != Op::Sqrt;
    const std::string v = width > 1 ? suffix(s, width) : scalar_type(s);
    const std::string head = "static inline " + v + " " + word(op) + "_" +
                             (width > 1 ? suffix(s, width) : std::string(lift::text(s))) + "(" + v + " a" +
                             (binary ? ", " + v + " b" : "") + ") { ";
    if (width == 1) return head + "return " + formula(op, s, "a", "b") + "; }\n";
    return head + "for (int l = 0; l < " + std::to_string(width) +
           "; ++l) a[l] = " + formula(op, s, "a[l]", "b[l]") + "; return a; }\n";
  }

  std::string vector_user_functions() const {
    std::string s;
    for (const Attr& f : k_.user_functions)
      for (const auto& [name, width] : user_vectors_) {
        if (name != user_name(f)) continue;
        std::vector<std::string> params, lanes;
        for (std::size_t i = 0; i < user_types(f).size(); ++i)
          params.push_back(suffix(user_types(f)[i].scalar(), width) + " " + user_parameters(f)[i]),
              lanes.push_back(user_parameters(f)[i] + "[lane]");
        const std::string vector = suffix(user_result(f).scalar(), width);
        s += "static inline " + vector + " " + name + "_x" + std::to_string(width) + "(" + joined(params) +
             ") {\n  " + vector + " result;\n  for (int lane = 0; lane < " + std::to_string(width) +
             "; ++lane) result[lane] = " + name + "(" + joined(lanes) + ");\n  return result;\n}\n";
      }
    return s;
  }

  std::string vector_helpers() const {
    std::string s;
    bool passed = streams_ || !user_vectors_.empty() || !shuffles_.empty();
    for (const auto& [op, type] : math_) passed |= type.second > 1;
    if (passed)
      s += "#pragma GCC diagnostic ignored \"-Wpsabi\"  /* vectors wider than the machine's are passed to "
           "inline functions only */\n";
    s += mask_types();
    for (const auto& [type, width] : vectors_) s += vector_type_helpers(type, width);
    for (const auto& [op, type] : math_)
      if (type.second > 1 || library_function(op, type.first).empty())
        s += math_helper(op, type.first, type.second);
    if (streams_)
      s += "static inline void store_fence(void) {\n#ifdef __SSE2__\n  _mm_sfence();\n#endif\n}\n";
    return s.empty() ? s : s + "\n";
  }
  static std::string vector_typedef(const std::string& element, std::size_t size, int width,
                                    const std::string& name) {
    return "typedef " + element + " " + name + " __attribute__((vector_size(" +
           std::to_string(size * static_cast<std::size_t>(width)) + ")));";
  }
  std::string mask_types() const {
    std::string s;
    std::set<int> widths;
    for (const auto& [type, width] : vectors_)
      if (const std::string m = "mask" + std::to_string(width);
          out_.find(m) != std::string::npos && widths.insert(width).second)
        s += vector_typedef(size_of(real_) == 4 ? "int" : "long long", size_of(real_), width, m) +
             "  /* -1: on, 0: off */\n";
    return s;
  }
  /// A vector type, and the functions on it that the text refers to.
  std::string vector_type_helpers(Scalar type, int width) const {
    const std::string v = suffix(type, width), e = scalar_type(type), size = std::to_string(size_of(type));
    std::string s = vector_typedef(e, size_of(type), width, v) + "\n";
    s += "typedef " + e + " " + v + "_any __attribute__((vector_size(" +
         std::to_string(size_of(type) * static_cast<std::size_t>(width)) + "), aligned(" + size +
         "), may_alias));\n";
    const auto macro = [&](const std::string& name, const std::string& arguments,
                           const std::string& value) {  // vectors are not passed: their ABI varies
      if (out_.find(name + "(") != std::string::npos)
        s += "#define " + name + "(" + arguments + ") (" + value + ")\n";
    };
    macro("load_" + v, "p", "(" + v + ")*(const " + v + "_any *)(p)");
    macro("store_" + v, "p, x", "*(" + v + "_any *)(p) = (x)");
    macro("splat_" + v, "x", "(" + v + "){0} + (x)");
    if (out_.find("stream_" + v + "(") != std::string::npos) s += streaming(type, width);
    for (const auto& [key, name] : shuffles_)
      if (key.type == type && key.width == width) s += shuffle_helper(key, name);
    const std::string m = "mask" + std::to_string(width), select = "select_" + v;
    if (size_of(type) == size_of(real_)) {
      macro(select, "m, a, b", "(" + v + ")(((m) & (" + m + ")(a)) | (~(m) & (" + m + ")(b)))");
    } else if (out_.find(select + "(") != std::string::npos) {  // the mask's lanes have another size
      const std::string n = "lanes_" + v, mask = "__builtin_convertvector(m, " + n + ")";
      s += vector_typedef(size_of(type) == 4 ? "int" : "long long", size_of(type), width, n) + "\n";
      macro(select, "m, a, b",
            "(" + v + ")((" + mask + " & (" + n + ")(a)) | (~" + mask + " & (" + n + ")(b)))");
    }
    return s;
  }
  struct Shuffle {
    Scalar type;
    int width;
    std::size_t args;
    std::vector<int> lanes;
    friend bool operator==(const Shuffle&, const Shuffle&) = default;
  };
  static std::string shuffle_helper(const Shuffle& x, const std::string& name) {
    const std::string v = suffix(x.type, x.width), b = x.args == 2 ? "b" : "a";
    const auto builtin = [](const std::string& first, const std::string& second,
                            const std::vector<int>& lanes) {
      std::string s = "__builtin_shufflevector(" + first + ", " + second;
      for (const int l : lanes) s += ", " + std::to_string(l);
      return s + ")";
    };
    const std::string one = "return " + builtin("a", b, x.lanes) + ";";
    std::string s =
        "static inline " + v + " " + name + "(" + v + " a" + (x.args == 2 ? ", " + v + " b" : "") + ") {";
    const bool low = name.starts_with("interleave_low"), high = name.starts_with("interleave_high");
    if (size_of(x.type) != 8 || x.width != 4 || !(low || high)) return s + " " + one + " }\n";
    // gcc 12 makes three instructions of each; in two steps, both of them together are four
    return s + "\n#if defined(__AVX2__) && !defined(__AVX512VL__)\n  const " + v +
           " even = " + builtin("a", "b", {0, 4, 2, 6}) + ", odd = " + builtin("a", "b", {1, 5, 3, 7}) +
           ";\n  return " +
           (low ? builtin("even", "odd", {0, 1, 4, 5}) : builtin("even", "odd", {2, 3, 6, 7})) +
           ";\n#else\n  " + one + "\n#endif\n}\n";
  }
  /// A vector past the cache, in pieces of the widest instruction; the address is a multiple of the vector's
  /// size or 32.
  std::string streaming(Scalar type, int width) const {
    const std::string v = suffix(type, width), e = scalar_type(type);
    const std::string d = type == f32 ? "ps" : "pd", m256 = type == f32 ? "__m256" : "__m256d",
                      m128 = type == f32 ? "__m128" : "__m128d";
    const std::size_t bytes = size_of(type) * static_cast<std::size_t>(width);
    const auto pieces = [&](const std::string& m, const std::string& call, std::size_t each) {
      return "  const " + m + " *from = (const " + m + " *)&x;\n  for (int c = 0; c < " +
             std::to_string(bytes / each) + "; ++c) " + call + "((" + (type == f32 ? "float" : "double") +
             " *)(p + c * " + std::to_string(each / size_of(type)) + "), from[c]);\n";
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

  std::set<std::pair<Op, std::pair<Scalar, int>>> math_;
  std::set<std::pair<std::string, int>> user_vectors_;
  std::vector<std::pair<Shuffle, std::string>> shuffles_;
  int other_shuffles_ = 0;
  std::string scratch_;     ///< the variable that holds what the threads have to themselves
  bool own_named_ = false;  ///< in the shared loop that is being spelled, the thread's part has a name
};

}  // namespace

std::string emit_openmp(const Kernel& kernel) {
  check_target(kernel, Target::openmp);
  return OpenMP(kernel).text();
}
std::string emit_static(const Kernel& kernel) {
  check_target(kernel, Target::openmp);
  return OpenMP(kernel).static_text();
}

std::string emit_trampoline(const Kernel& kernel, const std::string& function) {
  const auto type = [](Scalar s) { return s == f32 ? "float" : s == f64 ? "double" : "int"; };
  std::vector<std::string> values;
  const auto slot = [&] { return "args[" + std::to_string(values.size()) + "]"; };
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) values.push_back("*(long *)" + slot());
  for (const KernelArgument& a : kernel.arguments)
    values.push_back(a.type.is_array() ? "(void *)" + slot()
                                       : "*(" + std::string(type(a.type.scalar())) + " *)" + slot());
  std::string call;
  for (const std::string& v : values) call += (call.empty() ? "" : ", ") + v;
  const std::string called = function + "(" + call + ");";
  const bool reports = function == kernel.name && needs_scratch(kernel);
  return "\nint liftgen_call(void **args) { " + (reports ? "return " + called : called + " return 0;") +
         " }\n";
}

}  // namespace lift
