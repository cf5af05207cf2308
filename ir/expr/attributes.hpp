// Attributes of one kind, as most ops have them.
#pragma once

#include <utility>
#include <vector>

#include "ir/expr/expr.hpp"

namespace lift::attributes {

inline Attr ints(std::vector<std::int64_t> v) {
  Attr a;
  a.ints = std::move(v);
  return a;
}
inline Attr nats(std::vector<Nat> v) {
  Attr a;
  a.nats = std::move(v);
  return a;
}

}  // namespace lift::attributes
