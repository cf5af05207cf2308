// Loops by hand over arrays a and out and the kernel's own v and w, and what they store into out.
#pragma once

#include <doctest/doctest.h>

#include <functional>

#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::test::loops_by_hand {

inline Term at(const char* array, const std::vector<Nat>& position) {
  return load_term(array, position, f64);
}
inline Term plus(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
inline Stmt put(const char* array, const std::vector<Nat>& position, const Term& value) {
  return {Store{array, position, value, false}};
}
inline For loop(const Nat& from, const Nat& to, const std::function<Block(const Nat&)>& body,
                LoopKind kind = LoopKind::Seq, int width = 1) {
  For f;
  f.var = Nat::fresh("k", from, to - 1), f.lower = from, f.upper = to, f.kind = kind, f.width = width;
  f.body = body(f.var);
  return f;
}
inline Block both(Block first, const Block& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// a and out are of the type `given`, v and w of the type `own`.
inline Kernel kernel(Block body, const Type& given, const Type& own) {
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", given, Layout({}, given), false, true, {}},
                 {"out", given, Layout({}, given), true, false, {}},
                 {"v", own, Layout({}, own), true, true, {}, true},
                 {"w", own, Layout({}, own), true, true, {}, true}};
  k.body = std::move(body);
  return k;
}
/// Where a has squares; threads do not race.
inline std::vector<double> out_of(Kernel k, const std::map<std::string, std::int64_t>& index = {}) {
  LoopRunner loops;
  loops.index = index;
  linearise(k);
  for (const KernelArgument& a : k.arguments)
    for (std::int64_t i = 0; i < *a.layout.size().constant(); ++i)
      loops.arrays[a.name].push_back(a.name == "a" ? static_cast<double>(i * i) : -1);
  loops.run(k);
  CHECK(loops.races.empty());
  return loops.arrays.at("out");
}
inline bool has_w(const Kernel& k) {
  return std::any_of(k.arguments.begin(), k.arguments.end(),
                     [](const KernelArgument& a) { return a.name == "w"; });
}

}  // namespace lift::test::loops_by_hand
