// Kernels written by hand in the loop language, and running their C with every compiler there is.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/native.hpp"
#include "runtime/process.hpp"
#include "tests/spelled.hpp"

namespace lift::test {

inline KernelArgument array_argument(const std::string& name, Scalar s, std::int64_t n, bool written = false,
                                     bool read = true) {
  const Type t = array({Nat(n)}, s);
  return {name, t, Layout({}, t), written, read, {}};
}
inline KernelArgument out_argument(const std::string& name, Scalar s, std::int64_t n) {
  return array_argument(name, s, n, true, false);
}
inline KernelArgument scalar_argument(const std::string& name, Scalar s) {
  return {name, s, {}, false, true, {}};
}
/// An index param; its Nat is a fresh variable of that name.
inline KernelArgument index_argument(const Nat& v, const Nat& lower, const Nat& upper) {
  return {v.str(), i32, {}, false, true, {lower, upper}};
}

inline Kernel kernel(const std::string& name, std::vector<KernelArgument> arguments,
                     const std::string& result, Block body) {
  Kernel k;
  k.name = name, k.arguments = std::move(arguments), k.results = {result}, k.body = std::move(body);
  k.header = {"built by hand"};
  return k;
}

inline For over(const Nat& v, const Nat& lower, const Nat& upper, Block body, LoopKind kind = LoopKind::Seq) {
  For f;
  f.var = v, f.lower = lower, f.upper = upper, f.kind = kind, f.body = std::move(body);
  return f;
}
/// A loop of vectors: advances by its width.
inline For vectors(const Nat& v, const Nat& lower, const Nat& upper, int width, Block body) {
  For f = over(v, lower, upper, std::move(body), LoopKind::Vec);
  f.width = width, f.step = width;
  return f;
}
inline For grid(const Nat& v, const Nat& lower, const Nat& upper, Block body, LoopKind kind, int dim = 0) {
  For f = over(v, lower, upper, std::move(body), kind);
  f.dim = dim;
  return f;
}
inline Stmt put(const std::string& array, const Nat& at, const Term& value, bool stream = false) {
  return {Store{array, {at}, value, stream}};
}
inline Term at(const std::string& array, const Nat& i, Scalar s = f64, int width = 1) {
  return load_term(array, {i}, s, width);
}
inline Term number(double v, Scalar s = f64) { return constant_term(v, s); }
inline Term binary(Op op, const Term& a, const Term& b) { return apply_term(op, a->type, {a, b}); }
inline Term compare(Op op, const Term& a, const Term& b) { return apply_term(op, boolean, {a, b}); }
inline Term select(const Term& c, const Term& a, const Term& b) {
  return apply_term(Op::Select, a->type, {c, a, b});
}
/// One condition a lane.
inline Term lanes(std::vector<NatCond> conds) {
  TermNode n;
  n.kind = TermKind::Lanes, n.type = boolean, n.width = static_cast<int>(conds.size()),
  n.conds = std::move(conds);
  return intern(std::move(n));
}
inline Term lane_index(const Nat& base, const Nat& step, int width, Scalar s) {
  TermNode n;
  n.kind = TermKind::LaneIndex, n.type = s, n.width = width, n.nats = {base, step};
  return intern(std::move(n));
}
inline Nat index_of(const std::string& name, std::int64_t lower, std::int64_t upper) {
  return Nat::fresh(name, lower, upper);
}

/// gcc, and clang where it is installed.
inline std::vector<std::string> compilers() {
  std::vector<std::string> all{"gcc"};
  for (const char* c : {"clang-14", "clang-15", "clang"})
    if (all.size() == 1 && !find_program(c).empty()) all.emplace_back(c);
  return all;
}

/// Whether the compiler finds its OpenMP run time (clang's is a package of its own); without it, loops run on
/// one thread.
inline bool has_openmp(NativeCompiler& native, const std::string& compiler) {
  NativeSource probe;
  probe.code = "int probe(void) { return 1; }\n", probe.flags = {"-fopenmp"}, probe.compiler = compiler;
  return native.compile(probe).library != nullptr;
}

/// Compiles the kernel without a warning and calls it.
inline void run_with(const std::string& compiler, const Kernel& k, std::vector<void*> arguments,
                     const std::vector<std::string>& more = {}) {
  static NativeCompiler native;
  NativeSource source;
  source.code = test::openmp_of(k) + emit_trampoline(k, k.name);
  source.flags = {"-std=gnu11", "-O2", "-march=native", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"};
  if (has_openmp(native, compiler)) source.flags.emplace_back("-fopenmp");
  source.flags.insert(source.flags.end(), more.begin(), more.end());
  source.compiler = compiler;
  const CompileResult r = native.compile(source);
  INFO(compiler << "\n" << source.code);
  REQUIRE_MESSAGE(r.library, r.error);
  r.library->function<void(void**)>("liftgen_call")(arguments.data());
}

/// The kernel over `arguments` (pointers to arrays and to scalars), with every compiler, gcc's looking for
/// undefined behaviour; `check` looks at the result, `reset` puts the data back.
template <class Reset, class Check>
void run_everywhere(const Kernel& k, const std::vector<void*>& arguments, const Reset& reset,
                    const Check& check) {
  for (const std::string& c : compilers()) {
    INFO(c << "\n" << test::openmp_of(k));
    reset();
    run_with(c, k, arguments,
             c == "gcc"
                 ? std::vector<std::string>{"-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"}
                 : std::vector<std::string>{});
    check();
  }
}

inline int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t x = text.find(what); x != std::string::npos; x = text.find(what, x + what.size())) ++n;
  return n;
}

}  // namespace lift::test
