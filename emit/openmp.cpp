// C11 with OpenMP and the vector extensions that gcc and clang share.
#include <algorithm>

#include "emit/c_like.hpp"
#include "ir/error.hpp"
#include "ir/ops.hpp"

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
    if (is([&](int l) { return 2 * (l % half) / block * block + l / half * (block / 2) + 2 * (l % half) % block / 2; })) return "order";
    return "";
  }
  for (const int p : {0, 1}) {
    if (is([&](int l) { return 2 * l + p; })) return p ? "odd" : "even";
    if (is([&](int l) { return p * half + l / 2 + l % 2 * w; })) return p ? "interleave_high" : "interleave_low";
    const auto in_block = [&](int l) { return l / block * block + 2 * (l % (block / 2)) + (l % block < block / 2 ? 0 : w); };
    if (is([&](int l) { return in_block(l) + p; })) return p ? "odd_unordered" : "even_unordered";
  }
  return "";
}

class OpenMP : public CLike {
 public:
  using CLike::CLike;

  std::string text() {
    for (const Stmt& s : k_.body) statement(s);
    std::string r = header_comment("cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c " + k_.name + ".c");
    if (uses_math_) r += "#include <math.h>\n";
    if (streams_ && out_.find("store_fence();") == std::string::npos) line("store_fence();");
    if (streams_) r += "#ifdef __SSE2__\n#include <immintrin.h>\n#endif\n";
    r += "\n" + index_helpers(helpers_, "static inline ") + vector_helpers() + user_functions();
    return r + wrapped(signature() + " {", 0) + "\n" + out_ + "}\n";
  }

  std::string signature() const {
    std::string s = "void " + k_.name + "(", separator;
    for (const std::string& n : k_.sizes) s += separator + "long " + n, separator = ", ";
    for (const KernelArgument& a : k_.arguments) {
      const bool array = a.type.is_array();
      const Scalar t = array ? element_of(a.type).scalar() : a.type.scalar();
      s += separator + (array && !a.written ? "const " : "") + scalar_type(t) + (array ? " *restrict " : " ") + a.name;
      separator = ", ";
    }
    return s + ")";
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
    return "(" + vector_type(s, width) + "){" + r + "}";
  }
  std::string load(const std::string& array, const std::string& index, Scalar s, int width) override {
    if (width == 1) return array + "[" + index + "]";
    return "load_" + vector_type(s, width) + "(&" + array + "[" + index + "])";
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    const int w = st.value->width;
    if (w == 1) return st.array + "[" + index + "] = " + value + ";";
    if (st.stream) streams_ = true;
    return std::string(st.stream ? "stream_" : "store_") + vector_type(st.value->type, w) + "(&" + st.array + "[" + index + "], " + value + ");";
  }
  std::string blend(Scalar s, int width, const std::string& mask, const std::string& a, const std::string& b) override {
    if (size_of(s) != size_of(real_)) throw UserError("emit: a select of " + std::string(lift::text(s)) + " vectors in a kernel of " + lift::text(real_) + "; use map_seq there");
    return "select_" + vector_type(s, width) + "(" + mask + ", " + a + ", " + b + ")";
  }
  std::string convert(Scalar to, int width, const std::string& x) override { return "__builtin_convertvector(" + x + ", " + vector_type(to, width) + ")"; }
  std::string splat(Scalar s, int width, const std::string& x) override {
    const std::string t = vector_type(s, width);
    if (s == boolean) return "((" + t + "){} - (" + x + "))";
    return "splat_" + t + "(" + x + ")";
  }
  std::string shuffle(const Term& t) override {
    vector_type(t->type, t->width);
    const Shuffle key{t->type, t->width, t->args.size(), t->lanes};
    auto found = std::find_if(shuffles_.begin(), shuffles_.end(), [&](const auto& s) { return s.first == key; });
    if (found == shuffles_.end()) {
      std::string name = shuffle_name(t);
      if (name.empty()) name = "shuffle" + std::to_string(++other_shuffles_);
      found = shuffles_.insert(found, {key, name + "_" + suffix(t->type, t->width)});
    }
    std::string call = found->second + "(";
    for (std::size_t a = 0; a < t->args.size(); ++a) call += (a == 0 ? "" : ", ") + term(t->args[a]).s;
    return call + ")";
  }
  std::string math(Op op, Scalar s, int width, const std::vector<std::string>& args) override {
    const char* name = op == Op::Min ? "min" : op == Op::Max ? "max" : op == Op::Abs ? "fabs" : "sqrt";
    std::string list;
    for (const std::string& a : args) list += (list.empty() ? "" : ", ") + a;
    if (width == 1 && (op == Op::Abs || op == Op::Sqrt)) {
      uses_math_ = true;
      return std::string(name) + (s == f32 ? "f" : "") + "(" + list + ")";
    }
    if (width > 1) vector_type(s, width), uses_math_ |= op == Op::Sqrt;
    math_.insert({op, {s, width}});
    return std::string(name) + "_" + (width > 1 ? suffix(s, width) : std::string(lift::text(s))) + "(" + list + ")";
  }
  void prefetch(const Prefetch& p) override { line("__builtin_prefetch(&" + p.array + "[" + nat(p.index).s + "]);"); }
  std::string private_array(const std::string& name, Scalar s, const std::string& size, AddressSpace) override { return scalar_type(s) + " " + name + "[" + size + "];"; }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    std::string list;
    for (const std::string& a : args) list += (list.empty() ? "" : ", ") + a;
    if (t->width == 1) return t->name + "(" + list + ")";
    vector_type(t->type, t->width);
    for (const Term& a : t->args) vector_type(a->type, t->width);
    user_vectors_.insert({t->name, t->width});
    return t->name + "_x" + std::to_string(t->width) + "(" + list + ")";
  }

  /// Perfectly nested parallel loops whose bounds do not depend on each other are one iteration space.
  void loop(const For& f) override {
    switch (f.kind) {
      case LoopKind::Par: return parallel(f);
      case LoopKind::Seq:
      case LoopKind::Vec: return plain_loop(f, f.kind == LoopKind::Seq && f.width > 1 ? "#pragma GCC unroll " + std::to_string(f.width) : "");
      case LoopKind::Unroll: {
        const auto trips = (f.upper - f.lower).constant();
        return plain_loop(f, "#pragma GCC unroll " + std::to_string(f.width > 1 ? f.width : trips ? std::min<std::int64_t>(*trips, 64) : 4));
      }
      default: throw InternalError(std::string("emit: map_") + lift::text(f.kind) + " in an OpenMP kernel");
    }
  }

 private:
  void parallel(const For& f) {
    if (inside_parallel_) return plain_loop(f);
    int depth = 1;
    std::vector<Nat> outer{f.var};
    const For* inner = &f;
    while (inner->body.size() == 1) {
      const auto* next = std::get_if<For>(&inner->body[0].v);
      if (!next || next->kind != LoopKind::Par) break;
      bool independent = true;
      for (const Nat& v : outer) independent &= !mentions(next->lower, v) && !mentions(next->upper, v);
      if (!independent) break;
      outer.push_back(next->var), inner = next, ++depth;
    }
    inside_parallel_ = true;
    const std::size_t start = out_.size();
    plain_loop(f, "#pragma omp parallel for " + (depth > 1 ? "collapse(" + std::to_string(depth) + ") " : std::string()) + "schedule(static)");
    inside_parallel_ = false;
    if (streams_ && out_.find("stream_", start) != std::string::npos) fence(depth);
  }
  /// Streaming stores are ordered at the end of each iteration of the parallel loops: before the barrier.
  void fence(int depth) {
    std::size_t end = out_.size();
    for (int d = 0; d < depth; ++d) end = out_.rfind('}', end - 1);
    const std::size_t at = out_.rfind('\n', end) + 1;
    out_.insert(at, std::string(static_cast<std::size_t>(indent_ + depth) * 2, ' ') + "store_fence();\n");
  }

  std::string user_functions() const {
    std::string s;
    for (const Attr& f : k_.user_functions) {
      const std::string result = scalar_type(f.types[0].scalar());
      std::string params;
      for (std::size_t i = 2; i < f.texts.size(); ++i) params += (params.empty() ? "" : ", ") + scalar_type(f.types[i - 1].scalar()) + " " + f.texts[i];
      s += "static inline " + result + " " + f.texts[0] + "(" + (params.empty() ? "void" : params) + ") { " + f.texts[1] + " }\n";
      for (const auto& [name, width] : user_vectors_) {
        if (name != f.texts[0]) continue;
        std::string vparams, call;
        for (std::size_t i = 2; i < f.texts.size(); ++i) {
          vparams += (vparams.empty() ? "" : ", ") + suffix(f.types[i - 1].scalar(), width) + " " + f.texts[i];
          call += (call.empty() ? "" : ", ") + f.texts[i] + "[lane]";
        }
        const std::string vector = suffix(f.types[0].scalar(), width);
        s += "static inline " + vector + " " + name + "_x" + std::to_string(width) + "(" + vparams + ") {\n  " + vector + " result;\n  for (int lane = 0; lane < " +
             std::to_string(width) + "; ++lane) result[lane] = " + name + "(" + call + ");\n  return result;\n}\n";
      }
    }
    return s.empty() ? s : s + "\n";
  }

  std::string vector_helpers() const {
    std::string s;
    std::set<int> masks;
    const std::string whole = size_of(real_) == 4 ? "int" : "long long";
    bool wide = false;
    for (const auto& [type, width] : vectors_) wide |= size_of(type) * static_cast<std::size_t>(width) > 16;
    if (wide) s += "#pragma GCC diagnostic ignored \"-Wpsabi\"  /* vectors wider than the machine's are passed to inline functions only */\n";
    for (const auto& [type, width] : vectors_) {
      const std::string v = suffix(type, width), e = scalar_type(type), bytes = std::to_string(size_of(type) * static_cast<std::size_t>(width));
      s += "typedef " + e + " " + v + " __attribute__((vector_size(" + bytes + ")));\n";
      s += "typedef " + e + " " + v + "_any __attribute__((vector_size(" + bytes + "), aligned(" + std::to_string(size_of(type)) + "), may_alias));\n";
      const auto function = [&](const std::string& result, const std::string& head, const std::string& body) {
        if (out_.find(head.substr(0, head.find('(') + 1)) != std::string::npos) s += "static inline " + result + " " + head + " { " + body + " }\n";
      };
      function(v, "load_" + v + "(const " + e + " *p)", "return *(const " + v + "_any *)p;");
      function("void", "store_" + v + "(" + e + " *p, " + v + " x)", "*(" + v + "_any *)p = x;");
      function(v, "splat_" + v + "(" + e + " x)", "return (" + v + "){} + x;");
      if (out_.find("stream_" + v + "(") != std::string::npos) s += streaming(type, width);
      for (const auto& [key, name] : shuffles_)
        if (key.type == type && key.width == width) s += shuffle_helper(key, name);
      if (size_of(type) == size_of(real_) && masks.insert(width).second && uses_masks(width))
        s += "typedef " + whole + " mask" + std::to_string(width) + " __attribute__((vector_size(" + bytes + ")));  /* -1: on, 0: off */\n";
      const std::string m = "mask" + std::to_string(width);
      function(v, "select_" + v + "(" + m + " m, " + v + " a, " + v + " b)", "return (" + v + ")((m & (" + m + ")a) | (~m & (" + m + ")b));");
      const std::string lanes = "for (int l = 0; l < " + std::to_string(width) + "; ++l) ";
      if (math_.count({Op::Min, {type, width}})) s += "static inline " + v + " min_" + v + "(" + v + " a, " + v + " b) { " + lanes + "a[l] = b[l] < a[l] ? b[l] : a[l]; return a; }\n";
      if (math_.count({Op::Max, {type, width}})) s += "static inline " + v + " max_" + v + "(" + v + " a, " + v + " b) { " + lanes + "a[l] = a[l] < b[l] ? b[l] : a[l]; return a; }\n";
      if (math_.count({Op::Abs, {type, width}})) s += "static inline " + v + " fabs_" + v + "(" + v + " a) { " + lanes + "a[l] = a[l] < 0 ? -a[l] : a[l]; return a; }\n";
      if (math_.count({Op::Sqrt, {type, width}})) s += "static inline " + v + " sqrt_" + v + "(" + v + " a) { " + lanes + "a[l] = sqrt" + (type == f32 ? "f" : "") + "(a[l]); return a; }\n";
    }
    for (const Scalar t : {f32, f64, i32})
      for (const Op op : {Op::Min, Op::Max})
        if (math_.count({op, {t, 1}})) {
          const std::string e = scalar_type(t), f = std::string(op == Op::Min ? "min_" : "max_") + lift::text(t);
          s += "static inline " + e + " " + f + "(" + e + " a, " + e + " b) { return " + (op == Op::Min ? "b < a ? b : a" : "a < b ? b : a") + "; }\n";
        }
    if (streams_) s += "static inline void store_fence(void) {\n#ifdef __SSE2__\n  _mm_sfence();\n#endif\n}\n";
    return s.empty() ? s : s + "\n";
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
    const auto builtin = [](const std::string& first, const std::string& second, const std::vector<int>& lanes) {
      std::string s = "__builtin_shufflevector(" + first + ", " + second;
      for (const int l : lanes) s += ", " + std::to_string(l);
      return s + ")";
    };
    const std::string one = "return " + builtin("a", b, x.lanes) + ";";
    std::string s = "static inline " + v + " " + name + "(" + v + " a" + (x.args == 2 ? ", " + v + " b" : "") + ") {";
    const bool low = name.starts_with("interleave_low"), high = name.starts_with("interleave_high");
    if (size_of(x.type) != 8 || x.width != 4 || !(low || high)) return s + " " + one + " }\n";
    // gcc 12 makes three instructions of each; in two steps, both of them together are four
    return s + "\n#if defined(__AVX2__) && !defined(__AVX512VL__)\n  const " + v + " even = " + builtin("a", "b", {0, 4, 2, 6}) + ", odd = " + builtin("a", "b", {1, 5, 3, 7}) + ";\n  return " +
           (low ? builtin("even", "odd", {0, 1, 4, 5}) : builtin("even", "odd", {2, 3, 6, 7})) + ";\n#else\n  " + one + "\n#endif\n}\n";
  }
  bool uses_masks(int width) const { return out_.find("mask" + std::to_string(width)) != std::string::npos || out_.find("select_") != std::string::npos; }
  /// A vector past the cache, in pieces of the widest instruction; the address is a multiple of the vector's size or 32.
  std::string streaming(Scalar type, int width) const {
    const std::string v = suffix(type, width), e = scalar_type(type);
    const std::string d = type == f32 ? "ps" : "pd", m256 = type == f32 ? "__m256" : "__m256d", m128 = type == f32 ? "__m128" : "__m128d";
    const std::size_t bytes = size_of(type) * static_cast<std::size_t>(width);
    const auto pieces = [&](const std::string& m, const std::string& call, std::size_t each) {
      return "  const " + m + " *from = (const " + m + " *)&x;\n  for (int c = 0; c < " + std::to_string(bytes / each) + "; ++c) " + call + "(p + c * " + std::to_string(each / size_of(type)) + ", from[c]);\n";
    };
    std::string s = "static inline void stream_" + v + "(" + e + " *p, " + v + " x) {\n";
    const char* first = "#if";
    if (bytes % 32 == 0) s += "#if defined(__AVX__)\n" + pieces(m256, "_mm256_stream_" + d, 32), first = "#elif";
    if (bytes % 16 == 0) s += std::string(first) + " defined(__SSE2__)\n" + pieces(m128, "_mm_stream_" + d, 16) + "#else\n";
    s += "  *(" + v + "_any *)p = x;\n";
    if (bytes % 16 == 0) s += "#endif\n";
    return s + "}\n";
  }

  bool inside_parallel_ = false, uses_math_ = false;
  std::set<std::pair<Op, std::pair<Scalar, int>>> math_;
  std::set<std::pair<std::string, int>> user_vectors_;
  std::vector<std::pair<Shuffle, std::string>> shuffles_;
  int other_shuffles_ = 0;
};

}  // namespace

std::string emit_openmp(const Kernel& kernel) { return OpenMP(kernel).text(); }

std::string emit_trampoline(const Kernel& kernel, const std::string& function) {
  const auto type = [](Scalar s) { return s == f32 ? "float" : s == f64 ? "double" : "int"; };
  std::vector<std::string> values;
  const auto slot = [&] { return "args[" + std::to_string(values.size()) + "]"; };
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) values.push_back("*(long *)" + slot());
  for (const KernelArgument& a : kernel.arguments) values.push_back(a.type.is_array() ? "(void *)" + slot() : "*(" + std::string(type(a.type.scalar())) + " *)" + slot());
  std::string call;
  for (const std::string& v : values) call += (call.empty() ? "" : ", ") + v;
  return "\nvoid liftgen_call(void **args) { " + function + "(" + call + "); }\n";
}

}  // namespace lift
