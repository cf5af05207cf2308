// A kernel over two arrays of twelve elements, `a` and `out`, and an index `first` of 0 to 5; its loops by
// hand.
#pragma once

#include "tests/lower/run_loops.hpp"

namespace lift::test::two_arrays {

constexpr std::int64_t kLength = 12;

inline Term a(const Nat& at) { return load_term("a", {at}, f64); }
inline Stmt put(const Nat& at, const Term& value) { return {Store{"out", {at}, value, false}}; }
inline Kernel kernel(Block body) {
  const Type t = array({kLength}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.arguments.push_back({"first", i32, {}, false, true, {0, 5}});
  k.body = std::move(body);
  return k;
}

}  // namespace lift::test::two_arrays
