// Untransformed loops as C on arrays of several dimensions, for compilers that read affine loops.
#include "emit/c_like.hpp"
#include "emit/c_math.hpp"
#include "emit/hidden_functions.hpp"
#include "ir/error.hpp"
#include "lower/analyses/written_out.hpp"
#include "lower/loops/on_stack.hpp"

namespace lift {
namespace {

/// As names are checked and indices are spelled: those of C, of 32 bits.
Kernel for_c(Kernel k) {
  k = without_hidden_functions(k);
  k.target = Target::openmp, k.wide_indices = false;
  return k;
}

class AffineLoops : public CLike {
 public:
  enum class As : std::uint8_t { Scop, Plain, Macros };
  AffineLoops(const Kernel& k, As as) : CLike(k), as_(as) {}

  std::string text(const std::string& how, const std::string& given_body = "") {
    for (const Stmt& s : k_.body) statement(s);
    std::string body = out_, macros;
    if (as_ == As::Macros) body = given_body, macros = out_;
    if (as_ == As::Scop) body = "#pragma scop\n" + body + "#pragma endscop\n";
    std::string r = header_comment(k_, how);
    if (math_.calls_library() || helpers_.count("INFINITY") > 0 || helpers_.count("NAN") > 0)
      r += "#include <math.h>\n";
    r += "\n" + index_macros() + math_.definitions() + user_functions("static inline ");
    if (as_ == As::Plain) r += "#ifndef SIMD\n#define SIMD\n#endif\n";
    return r + macros + "void " + k_.name + "(" + typed_parameters() + ") {\n" + body + "}\n";
  }

 protected:
  Text nat(const Nat& n) override {
    return index_text(
        n, [this](const NatAtom& a) { return as_ == As::Macros ? "(" + name(a) + ")" : name(a); }, helpers_,
        false);
  }
  std::string element(const std::vector<Nat>& position) override {
    std::vector<std::string> indices;
    for (const Nat& n : position) indices.push_back(nat(n).s);
    return joined(indices, "][");
  }
  std::string load(const std::string& array, const std::string& index, Scalar, int) override {
    return array + "[" + index + "]";
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    return st.array + "[" + index + "] = " + value + ";";
  }
  std::string math(Op op, Scalar s, int width, const std::vector<std::string>& args) override {
    if (!is_float(s) && (op == Op::Div || op == Op::Mod))
      throw UserError(k_.name + ": quotients of integers that are stored are not spelled as plain loops");
    return math_.function(op, s, width) + "(" + joined(args) + ")";
  }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    return t->name + "(" + joined(args) + ")";
  }
  std::string own_array(const Allocate& a, Scalar s, const std::string&) override {
    if (const auto bytes = bytes_of(a).constant(); bytes && *bytes > 8 * kMostOnStack)
      throw UserError(k_.name + ": the array " + a.name + " within its loops is too large for a stack");
    std::string r = element_type(s) + " " + a.name;
    for (const Nat& extent : shape_of(a.type)) r += "[" + nat(extent).s + "]";
    return r + ";";
  }
  void statement(const Stmt& s) override {
    if (as_ == As::Macros && std::holds_alternative<Store>(s.v)) return macro(std::get<Store>(s.v));
    if (as_ == As::Macros && (body_of(s) != nullptr)) {
      if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
      return block(*body_of(s));
    }
    if (as_ == As::Macros)
      throw UserError(k_.name + ": besides stores its loops hold what has no place of its own in others: " +
                      str(Block{s}));
    CLike::statement(s);
  }
  void loop(const For& f) override {
    if (as_ != As::Macros) {
      if (as_ == As::Plain && f.kind == LoopKind::Par) out_ += "#pragma omp parallel for schedule(static)\n";
      return plain_loop(f, as_ == As::Plain && f.kind == LoopKind::Vec ? "SIMD" : "");
    }
    open_scope();
    around_.push_back(declare(f.var));
    block(f.body);
    around_.pop_back();
    close_scope();
  }

  // There are no vectors, nor what only kernels of ours have.
  std::string vector_type(Scalar, int) override { none("vectors"); }
  std::string vector_literal(Scalar, int, const std::vector<std::string>&) override { none("vectors"); }
  std::string blend(Scalar, int, const std::string&, const std::string&, const std::string&) override {
    none("vectors");
  }
  std::string convert(Scalar, Scalar, int, const std::string&) override { none("vectors"); }
  std::string splat(Scalar, int, const std::string&) override { none("vectors"); }
  std::string shuffle(const Term&) override { none("vectors"); }
  std::string mask(Scalar, int, const std::string&) override { none("vectors"); }
  void prefetch(const Prefetch&) override { none("prefetches"); }

 private:
  [[noreturn]] static void none(const std::string& what) {
    throw InternalError("emit: " + what + " in untransformed loops");
  }
  void macro(const Store& s) {
    mentioned_.insert(s.array);
    out_ += "#define S" + std::to_string(stores_++) + "(" + joined(around_) + ") " + s.array + "[" +
            element(s.position) + "] = " + term(s.value).s + "\n";
  }
  /// Divisions that round down, as expressions that compilers of affine loops see through.
  std::string index_macros() const {
    std::string s;
    const auto define = [&](const char* name, const std::string& text) {
      if (helpers_.count(name) > 0) s += std::string("#define index_") + name + text + "\n";
    };
    define("div", "(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))");
    define("mod", "(n, d) ((((n) % (d)) + (d)) % (d))");
    define("min", "(x, y) ((x) < (y) ? (x) : (y))");
    define("max", "(x, y) ((x) > (y) ? (x) : (y))");
    return s;
  }
  std::string typed_parameters() {
    std::vector<std::string> all;
    for (const std::string& n : k_.sizes) all.push_back("int " + n);
    for (const KernelArgument& a : k_.arguments) {
      if (!a.type.is_array()) {
        all.push_back(c_type(a.type.scalar()) + " " + a.name);
        continue;
      }
      std::string one =
          (a.written ? "" : "const ") + element_type(element_of(a.type).scalar()) + " " + a.name;
      std::string qualifiers = "restrict const static ";
      for (const Nat& extent : shape_of(a.type))
        one += "[" + std::exchange(qualifiers, "") + CLike::nat(extent).s + "]";
      all.push_back(one);
    }
    return joined(all);
  }

  As as_;
  MathFunctions math_;
  std::vector<std::string> around_;  ///< variables of the loops around a macro's store
  int stores_ = 0;
};

}  // namespace

std::string emit_scop(const Kernel& loops) {
  check_written_out(loops.body);
  const Kernel k = for_c(loops);
  return AffineLoops(k, AffineLoops::As::Scop)
      .text("polycc --pet --tile --parallel " + k.name + ".c, or ppcg --target=c --openmp " + k.name + ".c");
}

std::string emit_plain_loops(const Kernel& loops) {
  check_written_out(loops.body);
  const Kernel k = for_c(loops);
  return AffineLoops(k, AffineLoops::As::Plain).text("cc -O3 -march=native -fopenmp -c " + k.name + ".c");
}

std::string emit_rescheduled(const Kernel& loops, const std::string& body) {
  check_written_out(loops.body);
  const Kernel k = for_c(loops);
  return AffineLoops(k, AffineLoops::As::Macros)
      .text("cc -O3 -march=native -fopenmp -c " + k.name + ".c", body);
}

}  // namespace lift
