// OpenCL C 1.2.
#include "emit/c_like.hpp"
#include "ir/error.hpp"
#include "ir/ops.hpp"
#include "lower/launches.hpp"

namespace lift {
namespace {

class OpenCL : public CLike {
 public:
  using CLike::CLike;

  /// The function that the kernel, one launch, is.
  std::string function() {
    for (const Stmt& s : k_.body) statement(s);
    return "\n" + wrapped("__kernel void " + k_.name + "(" + parameters("__global ") + ") {", 0) + "\n" + out_ + "}\n";
  }
  const std::set<std::string>& helpers() const { return helpers_; }
  /// What stands before the functions of all launches.
  std::string preamble(const std::string& grids, const std::set<std::string>& helpers) const {
    std::string r = header_comment("OpenCL C 1.2; " + grids);
    r += "#pragma OPENCL FP_CONTRACT ON\n";
    if (uses_f64()) r += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    const std::string functions = index_helpers(helpers, "") + user_functions("");
    return r + (functions.empty() ? "" : "\n" + functions);
  }
  std::string grid() const {
    const NDRange r = nd_range(k_);
    std::string s;
    for (int d = 0; d < r.dims; ++d) s += (d ? " x " : "") + std::to_string(r.global[static_cast<std::size_t>(d)]);
    return s;
  }

 protected:
  std::string vector_type(Scalar s, int width) override {
    if (width != 2 && width != 4 && width != 8 && width != 16)
      throw UserError("OpenCL: no vectors of " + std::to_string(width) + " elements; use a width of 2, 4, 8 or 16");
    if (s == boolean) return (size_of(real_) == 8 ? "long" : "int") + std::to_string(width);
    return scalar_type(s) + std::to_string(width);
  }
  std::string vector_literal(Scalar s, int width, const std::vector<std::string>& lanes) override {
    std::string r;
    for (const std::string& l : lanes) r += (r.empty() ? "" : ", ") + l;
    return "(" + vector_type(s, width) + ")(" + r + ")";
  }
  std::string load(const std::string& array, const std::string& index, Scalar s, int width) override {
    if (width == 1) return array + "[" + index + "]";
    vector_type(s, width);
    return "vload" + std::to_string(width) + "(0, &" + array + "[" + index + "])";
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    const int w = st.value->width;
    if (w == 1) return st.array + "[" + index + "] = " + value + ";";
    return "vstore" + std::to_string(w) + "(" + value + ", 0, &" + st.array + "[" + index + "]);";
  }
  std::string blend(Scalar s, int width, const std::string& mask, const std::string& a, const std::string& b) override {
    vector_type(s, width);
    const bool fits = s == boolean || size_of(s) == size_of(real_);
    return "select(" + b + ", " + a + ", " + (fits ? mask : "convert_" + std::string(size_of(s) == 8 ? "long" : "int") + std::to_string(width) + "(" + mask + ")") + ")";
  }
  std::string mask(Scalar s, int width, const std::string& comparison) override {
    return size_of(s) == size_of(real_) ? "(" + comparison + ")" : "convert_" + vector_type(boolean, width) + "(" + comparison + ")";
  }
  std::string convert(Scalar to, int width, const std::string& x) override { return "convert_" + vector_type(to, width) + "(" + x + ")"; }
  std::string splat(Scalar s, int width, const std::string& x) override { return "(" + vector_type(s, width) + ")(" + (s == boolean ? "-(" + x + ")" : x) + ")"; }
  /// Lanes that come from one vector after the other are one swizzle.
  std::string shuffle(const Term& t) override {
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
    if (op == Op::Min) return (integer ? "min(" : "fmin(") + joined(args) + ")";
    if (op == Op::Max) return (integer ? "max(" : "fmax(") + joined(args) + ")";
    if (op == Op::Abs && integer) return "(" + scalar_type(s) + (width > 1 ? std::to_string(width) : "") + ")abs(" + joined(args) + ")";
    if (op == Op::Abs) return "fabs(" + joined(args) + ")";
    if (op == Op::Sqrt) return "sqrt(" + joined(args) + ")";
    if (!integer) return "fmod(" + joined(args) + ")";
    if (width > 1) throw UserError("OpenCL: integer division in a vector loop; use map_seq there");
    const std::string f = op == Op::Div ? "floor_div" : "floor_mod";
    helpers_.insert(f);
    return f + "(" + joined(args) + ")";
  }
  void prefetch(const Prefetch&) override {}
  void barrier(const Barrier& b) override { line(b.global ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" : "barrier(CLK_LOCAL_MEM_FENCE);"); }
  std::string element_type(Scalar s) const override { return s == boolean ? "uchar" : scalar_type(s); }
  std::string private_array(const std::string& name, Scalar s, const std::string& size, AddressSpace space) override {
    return (space == AddressSpace::Local ? "__local " : "") + element_type(s) + " " + name + "[" + size + "];";
  }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    if (t->width == 1) return t->name + "(" + joined(args) + ")";
    std::vector<std::string> lanes;
    for (int l = 0; l < t->width; ++l) {
      std::string call;
      for (const std::string& a : args) call += (call.empty() ? "(" : ", (") + a + ").s" + std::string(1, "0123456789abcdef"[l]);
      lanes.push_back(t->name + "(" + call + ")");
    }
    return vector_literal(t->type, t->width, lanes);
  }

  /// A grid loop is the work-item's own index; the grid covers the trip count exactly.
  void loop(const For& f) override {
    switch (f.kind) {
      case LoopKind::Glb:
      case LoopKind::Wrg:
      case LoopKind::Lcl: {
        if (f.items) throw UserError("OpenCL: the iterations of one loop cannot be dealt to fewer work-items; leave out the items");
        const char* id = f.kind == LoopKind::Glb ? "get_global_id" : f.kind == LoopKind::Wrg ? "get_group_id" : "get_local_id";
        if (!(f.upper - f.lower).is_constant()) {  // the grid may be larger than this iteration's range
          const std::string lower = nat(f.lower).in(6), upper = nat(f.upper).in(5);
          line("{");
          ++indent_;
          open_scope();
          const std::string v = declare(f.var);
          line("const long " + v + " = " + lower + " + " + id + "(" + std::to_string(f.dim) + ");");
          line("if (" + v + " < " + upper + ") {");
          ++indent_;
          block(f.body);
          --indent_, line("}");
          close_scope();
          --indent_, line("}");
          return;
        }
        const std::string lower = f.lower == Nat(0) ? "" : nat(f.lower).in(6) + " + ";
        const std::string v = declare(f.var);
        line("const long " + v + " = " + lower + id + "(" + std::to_string(f.dim) + ");");
        for (const Stmt& s : f.body) statement(s);
        return;
      }
      case LoopKind::Par: throw InternalError("emit: map_par in an OpenCL kernel");
      case LoopKind::Unroll: return plain_loop(f, "#pragma unroll");
      default: return plain_loop(f, f.kind == LoopKind::Seq && f.width > 1 ? "#pragma unroll " + std::to_string(f.width) : "");
    }
  }

 private:
  bool uses_f64() const {
    for (const KernelArgument& a : k_.arguments)
      if ((a.type.is_array() ? element_of(a.type) : a.type) == Type(f64)) return true;
    return false;
  }
};

/// Largest value of a trip count; UserError when it is not bounded.
std::size_t extent(const For& f) {
  const Nat trips = f.upper - f.lower;
  const auto bound = trips.constant() ? trips.constant() : Facts().bounds(trips).upper;
  if (!bound) throw UserError("OpenCL: the loop over " + f.var.str() + " runs " + trips.str() + " times, which has no known bound; fix the size");
  return static_cast<std::size_t>(std::max<std::int64_t>(*bound, 1));
}

}  // namespace

std::string emit_opencl(const Kernel& kernel) {
  std::string functions, grids;
  std::set<std::string> helpers;
  const std::vector<Kernel> all = launches(kernel);
  for (const Kernel& k : all) {
    OpenCL one(k);
    functions += one.function();
    helpers.insert(one.helpers().begin(), one.helpers().end());
    grids += (grids.empty() ? "global size " : ", ") + one.grid();
  }
  return OpenCL(kernel).preamble(all.size() > 1 ? "launched in this order; " + grids : grids, helpers) + functions;
}

NDRange nd_range(const Kernel& kernel) {
  NDRange r;
  std::array<std::size_t, 3> groups{1, 1, 1};
  bool grouped = false;
  visit(kernel.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (!f || f->kind < LoopKind::Glb) return;
    if (f->dim < 0 || f->dim > 2) throw UserError("OpenCL: a grid has three dimensions, " + std::to_string(f->dim) + " was asked for");
    const auto d = static_cast<std::size_t>(f->dim);
    r.dims = std::max(r.dims, f->dim + 1);
    const std::size_t n = extent(*f);
    if (f->kind == LoopKind::Glb) r.global[d] = std::max(r.global[d], n);
    if (f->kind == LoopKind::Wrg) groups[d] = std::max(groups[d], n), grouped = true;
    if (f->kind == LoopKind::Lcl) r.local[d] = std::max(r.local[d], n), grouped = true;
  });
  if (grouped)
    for (std::size_t d = 0; d < static_cast<std::size_t>(r.dims); ++d) {
      r.local[d] = std::max<std::size_t>(r.local[d], 1);
      r.global[d] = std::max(r.global[d], groups[d] * r.local[d]);
    }
  return r;
}

}  // namespace lift
