// Lowers a program and runs its loops on small numbers, against the interpreter.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "ir/expr/attributes.hpp"
#include "ir/expr/interpret.hpp"
#include "lower/lower.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::test {

inline Program program(std::vector<Expr> arguments, const Expr& body,
                       std::vector<std::string> overwritable = {}) {
  return {"p", std::move(arguments), body, std::move(overwritable), {}};
}

inline std::vector<double> numbers(const Type& t, std::uint64_t seed) {
  std::mt19937_64 r(seed);
  std::int64_t n = 1;
  for (const Nat& length : shape_of(t)) n *= *length.constant();
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& x : v) x = static_cast<double>(std::uniform_int_distribution<int>(-50, 50)(r));
  return v;
}

/// Lowers and runs, with numbers for index parameters; all results must be those of the interpreter, without
/// races. Returns the kernel.
inline Kernel run(const Program& p, bool linear = true,
                  const std::map<std::string, std::int64_t>& index = {}) {
  Interpreter in;
  LoopRunner loops;
  const Kernel k = lower(p, {.vector_bytes = 32, .linear = linear});
  loops.index = index;
  for (const auto& [name, value] : index) in.params[name] = Value{value};
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*Layout({}, a.type).size().constant()),
                                std::nan(""));
  std::uint64_t seed = 1;
  for (const Expr& a : p.arguments) {
    if (is_index_param(a)) continue;
    loops.arrays[param_name(a)] = numbers(a.type(), seed++);
    in.params[param_name(a)] = make_array(loops.arrays[param_name(a)], a.type());
  }
  const auto expected = flatten_components(in.eval(p.body), p.body.type());
  loops.run(k);
  CHECK_MESSAGE(loops.races.empty(), (loops.races.empty() ? "" : loops.races.front() + "\n" + str(k)));
  REQUIRE(k.results.size() == expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n)
    CHECK_MESSAGE(loops.arrays.at(k.results[n]) == expected[n], str(k));
  return k;
}

template <class S>
int count(const Block& b) {
  int n = 0;
  visit(b, [&](const Stmt& s) { n += std::holds_alternative<S>(s.v); });
  return n;
}

}  // namespace lift::test
