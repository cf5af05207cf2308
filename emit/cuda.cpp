// CUDA C++, for nvcc and NVRTC.
#include "emit/c_math.hpp"
#include "emit/grid_like.hpp"
#include "emit/hidden_functions.hpp"
#include "ir/error.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

std::string sizes(const std::array<std::size_t, 3>& s) {
  return std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " + std::to_string(s[2]);
}

class Cuda : public GridLike {
 public:
  using GridLike::GridLike;

  std::string launch() const {
    const auto& r = range();
    return k_.name + "<<<dim3(" + sizes({groups(0), groups(1), groups(2)}) + "), dim3(" + sizes(r.local) +
           (r.local_bytes > 0 ? "), " + std::to_string(r.local_bytes) + ">>>(...)" : ")>>>(...)");
  }

 protected:
  std::string vector_type(Scalar s, int width) override {
    if (s == boolean || (width != 2 && width != 4)) no_vectors();
    return (s == u8 ? "uchar" : c_type(s)) + std::to_string(width);
  }
  std::string vector_literal(Scalar s, int width, const std::vector<std::string>& lanes) override {
    return "make_" + vector_type(s, width) + "(" + joined(lanes) + ")";
  }
  std::string load(const std::string& array, const std::string& index, Scalar s, int width) override {
    const std::string element = array + "[" + index + "]",
                      address = (width == 1 ? "&" : "(const " + vector_type(s, width) + " *)&") + element;
    const bool cached = access(array) == ArrayAccess::ReadOnly &&
                        static_cast<std::size_t>(width) * size_of(s) <= 16;  // what __ldg reads at once
    return cached ? "__ldg(" + address + ")" : width == 1 ? element : "*" + address;
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    const std::string element = st.array + "[" + index + "]";
    const int w = st.value->width;
    if (st.async && st.value->kind == TermKind::Load && is_copied_at_once(st.value->type, w)) {
      helpers_.insert("copy_async");
      const std::string from = "&" + st.value->name + "[" + nat(st.value->nats.at(0)).s + "]",
                        bytes = std::to_string(size_of(st.value->type));
      return "copy_async(" + address_of(st.array) + " + " + bytes + "*(" + index + "), " +
             (w == 1 ? "" : "(const " + vector_type(st.value->type, w) + " *)") + from + ");";
    }
    return (w == 1 ? element : "*(" + vector_type(st.value->type, w) + " *)&" + element) + " = " + value +
           ";";
  }
  std::string shuffle(const Term& t) override {
    std::vector<std::string> lanes;
    for (const int l : t->lanes) {
      const int width = t->args[0]->width;
      lanes.push_back(term(t->args[static_cast<std::size_t>(l / width)]).in(9) + "." + "xyzw"[l % width]);
    }
    return t->width == 1 ? lanes[0] : vector_literal(t->type, t->width, lanes);
  }
  // Vectors are loaded, stored and taken apart; see split_lanes.
  [[noreturn]] static void no_vectors() {
    throw InternalError("emit: arithmetic on vectors in a CUDA kernel");
  }
  std::string blend(Scalar, int, const std::string&, const std::string&, const std::string&) override {
    no_vectors();
  }
  std::string convert(Scalar, Scalar, int, const std::string&) override { no_vectors(); }
  /// Of stores that are paired: the same number in neighbouring elements.
  std::string splat(Scalar s, int width, const std::string& x) override {
    return vector_literal(s, width, std::vector<std::string>(static_cast<std::size_t>(width), x));
  }
  std::string mask(Scalar, int, const std::string&) override { no_vectors(); }

  std::string math(Op op, Scalar s, int, const std::vector<std::string>& args) override {
    const std::string list = "(" + joined(args) + ")", f = s == f32 ? "f" : "";
    if (elementary(op) != nullptr) return std::string(text(op)) + f + list;
    switch (op) {
      case Op::Min:
        return (is_float(s) ? *helpers_.insert(extremum_function(op, s, 1)).first : "min") + list;
      case Op::Max:
        return (is_float(s) ? *helpers_.insert(extremum_function(op, s, 1)).first : "max") + list;
      case Op::Abs:
        return (is_float(s) ? "fabs" + f : "abs") + list;
      case Op::Mod:
        if (is_float(s)) return "fmod" + f + list;
        break;
      default:
        break;
    }
    const std::string helper = floor_function(std::string(text(op)), s);
    helpers_.insert(helper);
    return helper + list;
  }
  /// NVRTC has no math.h to take them from.
  std::string infinity(Scalar s) override {
    return s == f32 ? "__int_as_float(0x7f800000)" : "__longlong_as_double(0x7ff0000000000000)";
  }
  std::string not_a_number(Scalar s) override {
    return s == f32 ? "__int_as_float(0x7fffffff)" : "__longlong_as_double(0x7fffffffffffffff)";
  }

  void prefetch(const Prefetch& p) override {
    helpers_.insert("prefetch");
    line("prefetch(&" + p.array + "[" + nat(p.position.at(0)).s + "]);");
  }
  void barrier(const Barrier& b) override {
    if (b.copies) {
      helpers_.insert("copy_async");
      line("wait_for_copies();");
    }
    line("__syncthreads();");
  }
  std::string own_array(const Allocate& a, Scalar s, const std::string& size) override {
    if (a.space == AddressSpace::Local && range().local_bytes > 0) return part_of_local_memory(a, s, size);
    const std::string shared = a.vectors ? "__shared__ __align__(16) " : "__shared__ ";
    return (a.space == AddressSpace::Local ? shared : "") + element_type(s) + " " + a.name + "[" + size +
           "];";
  }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    return t->name + "(" + joined(args) + ")";
  }

  std::string id(LoopKind kind, int dim) const override {
    const std::string axis(1, "xyz"[dim]), block = "blockIdx." + axis, thread = "threadIdx." + axis;
    const std::string cast = index_type_ == "int" ? "(int)" : "(long)";
    if (kind == LoopKind::Wrg) return cast + block;
    if (kind == LoopKind::Lcl) return cast + thread;
    if (local_size(dim) == 1) return cast + block;
    if (groups(dim) == 1) return cast + thread;
    const std::string all = block + " * " + std::to_string(local_size(dim)) + " + " + thread;
    return index_type_ == "int" ? "(int)(" + all + ")" : "((long)" + all + ")";
  }
  std::string signature() const override {
    const auto& l = range().local;
    const std::string bounds = std::to_string(l[0] * l[1] * l[2]) +
                               (range().resident > 0 ? ", " + std::to_string(range().resident) : "");
    return "extern \"C\" __global__ void __launch_bounds__(" + bounds + ") " + k_.name + "(" +
           parameters("", "__restrict__ ") + ") {";
  }

  /// Addresses that copies go to: as the compiler does not see what they are made of, they are made once.
  std::string declarations() const override {
    std::string all;
    for (const std::string& array : copied_to_)
      all += (all.empty() ? "" : "\n  ") +
             ("const local_address " + array + "_at = local_address_of(" + array + ");");
    return all;
  }
  std::string declarations_before_arrays() const override {
    return range().local_bytes > 0 ? "extern __shared__ __align__(16) unsigned char " + local_memory_ + "[];"
                                   : "";
  }

 private:
  /// Of an array in local memory, as a copy wants it.
  std::string address_of(const std::string& array) {
    const auto begin = local_begins_.find(array);
    const std::string& whole = begin == local_begins_.end() ? array : local_memory_;
    copied_to_.insert(whole);
    return whole + "_at" + (begin == local_begins_.end() ? "" : " + " + std::to_string(begin->second));
  }
  /// The next array in what the launch asks for, as a reference to an array of its length.
  std::string part_of_local_memory(const Allocate& a, Scalar s, const std::string& size) {
    const std::string type = element_type(s);
    const std::size_t begin = local_begin_, bytes = static_cast<std::size_t>(std::stoll(size)) * size_of(s),
                      unit = NDRange::kLocalAlignment;
    local_begin_ += (bytes + unit - 1) / unit * unit, local_begins_[a.name] = begin;
    if (local_begin_ > range().local_bytes)
      throw InternalError("emit: arrays in local memory exceed what the launch asks for");
    return type + " (&" + a.name + ")[" + size + "] = *(" + type + " (*)[" + size + "])&" + local_memory_ +
           "[" + std::to_string(begin) + "];";
  }
  /// What cp.async takes.
  static bool is_copied_at_once(Scalar s, int width) {
    const std::size_t bytes = size_of(s) * static_cast<std::size_t>(width);
    return bytes == 4 || bytes == 8 || bytes == 16;
  }

  std::string local_memory_ = own_name("local_memory");
  std::size_t local_begin_ = 0;  ///< of the next array in it
  std::map<std::string, std::size_t> local_begins_;
  std::set<std::string> copied_to_;
};

constexpr const char* prefetch_helper =
    "static __device__ __forceinline__ void prefetch(const void *p) {\n"
    "#ifdef __CUDA_ARCH__\n"
    "  asm volatile(\"prefetch.global.L2 [%0];\" : : \"l\"(p));\n"
    "#else\n"
    "  (void)p;\n"
    "#endif\n"
    "}\n";

/// To shared memory, past the registers; 4, 8 or 16 bytes.
constexpr const char* copy_helper =
    "#ifndef copy_async  /* else whoever compiles this has its own */\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n"
    "typedef unsigned local_address;\n"
    "static __device__ __forceinline__ local_address local_address_of(const void *p) {\n"
    "  local_address at;\n"
    "  asm volatile(\"{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }\" : \"=r\"(at) : "
    "\"l\"(p));\n"
    "  return at;\n"
    "}\n"
    "template <class T> static __device__ __forceinline__ void copy_async(local_address to, const T *from) "
    "{\n"
    "  if (sizeof(T) == 16)  /* past the first cache */\n"
    "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" : : \"r\"(to), \"l\"(from) : "
    "\"memory\");\n"
    "  else\n"
    "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2;\"\n"
    "                 : : \"r\"(to), \"l\"(from), \"n\"((int)sizeof(T)) : \"memory\");\n"
    "}\n"
    "#else\n"
    "typedef char *local_address;\n"
    "static __device__ __forceinline__ local_address local_address_of(void *p) { return (local_address)p; }\n"
    "template <class T> static __device__ __forceinline__ void copy_async(local_address to, const T *from) "
    "{\n"
    "  *(T *)to = *from;\n"
    "}\n"
    "#endif\n"
    "static __device__ __forceinline__ void wait_for_copies() {\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n"
    "  asm volatile(\"cp.async.wait_all;\" : : : \"memory\");\n"
    "#endif\n"
    "}\n"
    "#endif\n";

}  // namespace

std::string emit_cuda(const Kernel& given) {
  const Kernel kernel = without_hidden_functions(given);
  const std::string qualifier = "static __device__ __forceinline__ ";
  check_target(kernel, Target::cuda);
  const GridText t = LaunchPrinter<Cuda>(kernel, qualifier).text();
  const std::string how = "CUDA C++: nvcc -arch=native -c " + kernel.name + ".cu; launched " +
                          (t.grids.size() > 1 ? "in this order: " : "as ");
  const std::string functions = std::string(t.helpers.count("prefetch") ? prefetch_helper : "") +
                                (t.helpers.count("copy_async") ? copy_helper : "") +
                                index_helpers(t.helpers, qualifier, index_type(kernel)) +
                                extremum_helpers(t.helpers, qualifier) + t.user_functions;
  return header_comment(kernel, how + joined(t.grids, ", ")) + (functions.empty() ? "" : "\n" + functions) +
         t.functions;
}

}  // namespace lift
