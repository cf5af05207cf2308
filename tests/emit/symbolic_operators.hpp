// Operators of the library as C that takes its sizes at run time, against the plain reference.
#pragma once

#include <doctest/doctest.h>

#include <memory>

#include "emit/stand_alone.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/box_problem.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"
#include "small_problem.hpp"
#include "tests/spelled.hpp"

namespace lift::test {

struct SymbolicCase {
  const Pattern* pattern;
  Problem problem;  ///< at the size that is compiled for
};
inline std::string str(const SymbolicCase& c) {
  std::string s = c.pattern->name + " --bc " + c.problem.boundary + " --type " + text(c.problem.type) +
                  " --box " + std::to_string(c.problem.box);
  for (const auto& [name, value] : c.problem.choices) s += " --" + name + " " + value;
  return s + " --symbolic";
}

/// The problem at the first of these sizes that the operator can be built for; nothing when there is none.
inline std::optional<Problem> buildable(const Pattern& pattern, Problem p,
                                        std::initializer_list<std::int64_t> boxes) {
  for (const std::int64_t box : boxes) {
    p.box = box;
    try {
      pattern.build(p);
      return p;
    } catch (const UserError&) {
    }
  }
  return std::nullopt;
}

/// The default choices, and each choice alone with each of its other values, in both types and for every
/// boundary condition.
inline std::vector<SymbolicCase> operator_cases() {
  std::vector<SymbolicCase> all;
  for (const auto& pattern : all_patterns()) {
    std::vector<std::map<std::string, std::string>> choices{{}};
    for (const auto& [name, values] : pattern->choices)
      for (std::size_t v = 1; v < values.size(); ++v) choices.push_back({{name, values[v]}});
    for (const auto& chosen : choices)
      for (const Scalar type : {f64, f32})
        for (const std::string& boundary : boundary_names()) {
          Problem p;
          p.boxes = 2, p.ghost = 2, p.type = type, p.boundary = boundary, p.choices = chosen;
          if (const auto fits = buildable(*pattern, p, {7, 6, 8})) all.push_back({pattern.get(), *fits});
        }
  }
  return all;
}

/// The kernel of the first seed in the caller's layout whose derivation can be replayed over size variables,
/// else of the first that is one for any size, as the command chooses it.
inline std::optional<Kernel> symbolic_kernel(const SymbolicCase& c) {
  Problem p = c.problem;
  const Program sized = c.pattern->build(p);
  p.symbolic = true;
  const Program program = c.pattern->build(p);
  for (const Program& chosen_for : {sized, program}) {
    const Space space(chosen_for, {Target::openmp, 2, 32, kCallersLayout});
    for (const Configuration& x : space.seeds()) try {
        return lower(replay(program, space.derive(x)));
      } catch (const UserError&) {  // impossible as asked
      }
  }
  return std::nullopt;
}

/// A kernel with sizes at run time as it is for those sizes: what must be allocated, and where elements lie.
inline Kernel at_sizes(Kernel k, const std::vector<long>& sizes) {
  const auto number = [&](const Nat& n) {
    return evaluate(n, [&](const NatAtom& v) {
      return sizes.at(
          static_cast<std::size_t>(std::find(k.sizes.begin(), k.sizes.end(), v.name) - k.sizes.begin()));
    });
  };
  for (KernelArgument& a : k.arguments) {
    if (!a.type.is_array()) continue;
    std::vector<Nat> shape;
    for (const Nat& n : shape_of(a.type)) shape.emplace_back(number(n));
    a.type = array(shape, element_of(a.type));
    a.layout = Layout(a.layout.request(), a.type);
  }
  return k;
}

/// Values of a kernel's sizes for a problem.
inline std::vector<long> size_values(const Kernel& k, const Problem& p) {
  std::vector<long> r;
  for (const std::string& n : k.sizes) r.push_back(n == "n" ? p.box : n == "n_coarse" ? p.box / 2 : p.boxes);
  return r;
}

/// The values are what the kernel says they may be.
inline bool admitted(const Kernel& k, const std::vector<long>& sizes) {
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const SizeRange range = size_range(k, k.sizes[n]);
    if (sizes[n] < range.lower.constant().value_or(0) || sizes[n] % range.modulus != range.residue)
      return false;
  }
  return true;
}

/// Compiles each case once and checks it at several sizes, odd and small ones too.
inline void check_symbolic(const std::vector<SymbolicCase>& cases) {
  configure_openmp(2);
  std::vector<Kernel> kernels;
  std::vector<NativeSource> sources;
  for (const SymbolicCase& c : cases) {
    INFO(str(c));
    auto k = symbolic_kernel(c);
    REQUIRE_MESSAGE(k, "no variant can be lowered");
    CHECK_FALSE(k->sizes.empty());
    sources.push_back({test::openmp_of(*k) + emit_trampoline(*k, k->name),
                       {"-std=gnu11", "-O1", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror"},
                       "",
                       "c"});
    kernels.push_back(std::move(*k));
  }
  NativeCompiler compiler;
  const auto compiled = compiler.compile_all(sources);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const SymbolicCase& c = cases[i];
    INFO(str(c) << "\n" << sources[i].code);
    REQUIRE_MESSAGE(compiled[i].library, compiled[i].error);
    int checked = 0;
    for (const std::int64_t box : {2, 4, 5, 11}) {
      Problem p = c.problem;
      p.box = box;
      std::vector<long> sizes = size_values(kernels[i], p);
      if (!buildable(*c.pattern, p, {box}) || !admitted(kernels[i], sizes)) continue;
      INFO("box " << box);
      const SmallProblem data(*c.pattern, p, 1);
      const Kernel fixed = at_sizes(kernels[i], sizes);
      auto storage = data.storage(fixed);
      std::vector<void*> arguments;
      for (long& n : sizes) arguments.push_back(&n);
      arguments.insert(arguments.end(), storage.pointers.begin(), storage.pointers.end());
      compiled[i].library->function<void(void**)>("liftgen_call")(arguments.data());
      CHECK(data.error(fixed, storage) < (c.problem.type == f32 ? 1e-5 : 1e-12));
      ++checked;
    }
    CHECK(checked > 0);
  }
}

}  // namespace lift::test
