// OpenCL C 1.2.
#include <algorithm>

#include "emit/c_math.hpp"
#include "emit/grid_like.hpp"
#include "emit/hidden_functions.hpp"
#include "emit/opencl_math.hpp"
#include "ir/error.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

bool uses_f64(const Kernel& k) {
  return std::any_of(k.arguments.begin(), k.arguments.end(),
                     [](const KernelArgument& a) { return element_of(a.type) == Type(f64); });
}

std::string sizes(const std::array<std::size_t, 3>& s, int dims) {
  std::string r;
  for (int d = 0; d < dims; ++d) r += (d ? " x " : "") + std::to_string(s[static_cast<std::size_t>(d)]);
  return r;
}

/// A type without blanks, which others are named after: uchar16, convert_uchar16.
std::string one_word(Scalar s) { return s == u8 || s == boolean ? "uchar" : c_type(s); }

class OpenCL : public GridLike {
 public:
  using GridLike::GridLike;

  std::string launch() const {
    const NDRange& r = range();
    return "global size " + sizes(r.global, r.dims) +
           (r.local[0] ? ", local size " + sizes(r.local, r.dims) : "");
  }

 protected:
  std::string vector_type(Scalar s, int width) override {
    if (width != 2 && width != 4 && width != 8 && width != 16)
      throw UserError("OpenCL: no vectors of " + std::to_string(width) +
                      " elements; use a width of 2, 4, 8 or 16");
    if (s == boolean) return (size_of(real_) == 8 ? "long" : "int") + std::to_string(width);
    return one_word(s) + std::to_string(width);
  }
  std::string vector_literal(Scalar s, int width, const std::vector<std::string>& lanes) override {
    std::string r;
    for (const std::string& l : lanes) r += (r.empty() ? "" : ", ") + l;
    return "(" + vector_type(s, width) + ")(" + r + ")";
  }
  std::string load(const std::string& array, const std::string& index, Scalar s, int width) override {
    if (width == 1) return array + "[" + index + "]";
    const std::string type = vector_type(s, width),
                      loaded = "vload" + std::to_string(width) + "(0, &" + array + "[" + index + "])";
    return s == boolean ? "(convert_" + type + "(" + loaded + ") != 0)"
                        : loaded;  // bytes, of which masks are made
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    const int w = st.value->width;
    if (w == 1) return st.array + "[" + index + "] = " + value + ";";
    if (st.value->type == boolean)
      return "vstore" + std::to_string(w) + "(convert_uchar" + std::to_string(w) + "(-(" + value +
             ")), 0, &" + st.array + "[" + index + "]);";
    if (st.stream && is_global(st.array))
      return *helpers_.insert("stream_store").first + "(" + std::to_string(w) + ", " +
             one_word(st.value->type) + ", " + value + ", &" + st.array + "[" + index + "]);";
    return "vstore" + std::to_string(w) + "(" + value + ", 0, &" + st.array + "[" + index + "]);";
  }
  std::string blend(Scalar s, int width, const std::string& mask, const std::string& a,
                    const std::string& b) override {
    vector_type(s, width);
    const bool fits = s == boolean || size_of(s) == size_of(real_);
    return "select(" + b + ", " + a + ", " +
           (fits ? mask
                 : "convert_" +
                       std::string(size_of(s) == 8   ? "long"
                                   : size_of(s) == 1 ? "char"
                                                     : "int") +
                       std::to_string(width) + "(" + mask + ")") +
           ")";
  }
  std::string mask(Scalar s, int width, const std::string& comparison) override {
    return size_of(s) == size_of(real_) ? "(" + comparison + ")"
                                        : "convert_" + vector_type(boolean, width) + "(" + comparison + ")";
  }
  std::string convert(Scalar, Scalar to, int width, const std::string& x) override {
    return "convert_" + vector_type(to, width) + "(" + x + ")";
  }
  std::string splat(Scalar s, int width, const std::string& x) override {
    return "(" + vector_type(s, width) + ")(" + (s == boolean ? "-(" + x + ")" : x) + ")";
  }
  /// Lanes that come from one vector after the other are one swizzle.
  std::string shuffle(const Term& t) override {
    if (t->width == 1) return term(t->args[0]).in(9) + ".s" + "0123456789abcdef"[t->lanes[0]];
    const auto parts = static_cast<std::size_t>(t->width);
    std::string r;
    for (std::size_t l = 0; l < parts;) {
      const auto from = static_cast<std::size_t>(t->lanes[l] / t->width);
      std::size_t run = 1;
      while (l + run < parts && static_cast<std::size_t>(t->lanes[l + run] / t->width) == from) ++run;
      while ((run & (run - 1)) != 0) --run;  // vectors of 2, 4, 8, 16
      std::string lanes;
      for (std::size_t i = l; i < l + run; ++i) lanes += "0123456789abcdef"[t->lanes[i] % t->width];
      r += (r.empty() ? "" : ", ") + term(t->args[from]).in(9) + ".s" + lanes;
      l += run;
    }
    return "(" + vector_type(t->type, t->width) + ")(" + r + ")";
  }
  std::string math(Op op, Scalar s, int width, const std::vector<std::string>& args) override {
    const bool integer = !is_float(s);
    if (op == Op::Min || op == Op::Max)
      return (integer ? std::string(text(op)) : *helpers_.insert(extremum_function(op, s, width)).first) +
             "(" + joined(args) + ")";
    if (op == Op::Abs && integer)
      return (width > 1 ? "as_" + vector_type(s, width) + "(" : "(" + c_type(s) + ")(") + "abs(" +
             joined(args) + "))";  // OpenCL's is unsigned
    if (op == Op::Abs) return "fabs(" + joined(args) + ")";
    if (elementary(op) != nullptr) return std::string(text(op)) + "(" + joined(args) + ")";
    if (!integer) return "fmod(" + joined(args) + ")";
    if (width > 1) throw UserError("OpenCL: integer division in a vector loop; use map_seq there");
    const std::string f = floor_function(std::string(text(op)), s);
    helpers_.insert(f);
    return f + "(" + joined(args) + ")";
  }
  void prefetch(const Prefetch& p) override {
    line(*helpers_.insert("fetch_ahead").first + "(&" + p.array + "[" + nat(p.position.at(0)).s + "]);");
  }
  void barrier(const Barrier& b) override {
    copies_ |= b.copies;
    if (b.copies) line("wait_group_events(1, &copies);"), line("copies = no_copies;");
    line(b.global ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" : "barrier(CLK_LOCAL_MEM_FENCE);");
  }
  void copy_row(const CopyRow& c) override {
    const auto first = [&](const std::string& array, const Nat& at) {
      return "&" + array + "[" + nat(at).s + "]";
    };
    copies_ = true;
    line("copies = async_work_group_copy(" + first(c.to, c.to_position.at(0)) + ", " +
         first(c.from, c.from_position.at(0)) + ", " + nat(c.elements).s + ", copies);");
  }
  std::string declarations() const override { return copies_ ? "event_t copies = 0, no_copies = 0;" : ""; }
  std::string element_type(Scalar s) const override { return one_word(s); }
  std::string own_array(const Allocate& a, Scalar s, const std::string& size) override {
    return (a.space == AddressSpace::Local ? "__local " : "") + element_type(s) + " " + a.name + "[" + size +
           "];";
  }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    if (t->width == 1) return t->name + "(" + joined(args) + ")";
    std::vector<std::string> lanes;
    for (int l = 0; l < t->width; ++l) {
      std::string call;
      for (const std::string& a : args)
        call += (call.empty() ? "(" : ", (") + a + ").s" + std::string(1, "0123456789abcdef"[l]);
      lanes.push_back(t->name + "(" + call + ")");
    }
    return vector_literal(t->type, t->width, lanes);
  }

  std::string id(LoopKind kind, int dim) const override {
    const std::string what = kind == LoopKind::Glb   ? "get_global_id"
                             : kind == LoopKind::Wrg ? "get_group_id"
                                                     : "get_local_id";
    return "(" + index_type_ + ")" + what + "(" + std::to_string(dim) + ")";
  }
  std::string signature() const override {
    const auto& l = range().local;
    const auto items = [&](std::size_t d) { return std::to_string(std::max<std::size_t>(l[d], 1)); };
    const std::string size = l[0] == 0 ? ""
                                       : "__attribute__((reqd_work_group_size(" + items(0) + ", " + items(1) +
                                             ", " + items(2) + "))) ";
    return "__kernel " + size + "void " + k_.name + "(" + parameters("__global ") + ") {";
  }

 private:
  bool is_global(const std::string& array) const {
    return std::any_of(k_.arguments.begin(), k_.arguments.end(),
                       [&](const KernelArgument& a) { return a.name == array; });
  }

  bool copies_ = false;  ///< the text refers to the copies that are under way
};

/// Whole vectors past the cache, where the device's compiler can: those for processors.
constexpr const char* kStreamStore =
    "#if defined(__has_builtin)\n"
    "#if __has_builtin(__builtin_nontemporal_store)\n"
    "#define stream_store(n, type, x, p) \\\n"
    "  ((size_t)(p) % sizeof(type##n) == 0 \\\n"
    "       ? (void)__builtin_nontemporal_store(x, (__global type##n *)(p)) \\\n"
    "       : (void)vstore##n(x, 0, p))\n"
    "#endif\n"
    "#endif\n"
    "#ifndef stream_store\n"
    "#define stream_store(n, type, x, p) vstore##n(x, 0, p)\n"
    "#endif\n";

/// OpenCL's own, which libraries for processors leave empty; there all address spaces are one.
constexpr const char* kFetchAhead =
    "#if defined(__has_builtin) && (defined(__x86_64__) || defined(__aarch64__))\n"
    "#if __has_builtin(__builtin_prefetch)\n"
    "#define fetch_ahead(p) __builtin_prefetch((const void *)(size_t)(p))\n"
    "#endif\n"
    "#endif\n"
    "#ifndef fetch_ahead\n"
    "#define fetch_ahead(p) prefetch(p, 1)\n"
    "#endif\n";

}  // namespace

std::string emit_opencl(const Kernel& given) {
  const Kernel kernel = without_hidden_functions(given);
  check_target(kernel, Target::opencl);
  const GridText t = LaunchPrinter<OpenCL>(kernel, "").text();
  std::string s = header_comment(
      kernel, "OpenCL C 1.2; " +
                  (t.grids.size() > 1 ? "launched in this order: " + joined(t.grids, "; ") : t.grids[0]));
  s += "#pragma OPENCL FP_CONTRACT ON\n";
  if (uses_f64(kernel)) s += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  const std::string functions =
      std::string(t.helpers.count("stream_store") ? kStreamStore : "") +
      (t.helpers.count("fetch_ahead") ? kFetchAhead : "") + index_helpers(t.helpers, "", index_type(kernel)) +
      extremum_helpers(t.helpers, "") + math_names_for_opencl(kernel.user_functions) + t.user_functions;
  return s + (functions.empty() ? "" : "\n" + functions) + t.functions;
}

}  // namespace lift
