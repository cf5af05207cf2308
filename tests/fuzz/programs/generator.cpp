#include "tests/fuzz/programs/generator.hpp"

#include <algorithm>
#include <sstream>

namespace lift::fuzz {
namespace {

constexpr int kArguments = 5;
constexpr int kNodes = 60;  ///< beyond so many, only leaves grow

}  // namespace

Scalar Generator::scalar_type() {
  const int k = number(0, 14);
  return k < 5 ? f64 : k < 8 ? f32 : k < 10 ? i32 : k < 12 ? u8 : k < 13 ? i64 : boolean;
}

std::int64_t Generator::value_of(const Nat& n) const {
  return evaluate(n, [&](const NatAtom& v) { return values_.at(v.name); });
}

/// A size, or a number, or a little more than one; dimension 0 is the innermost.
Nat Generator::extent(int dimension) {
  const std::size_t d = static_cast<std::size_t>(dimension) % sizes_.size();
  const int k = number(0, 19);
  if (k < 13) return sizes_[d];
  if (k < 15) return sizes_[d] + number(1, 2);
  if (k < 16) return 2 * sizes_[d];
  if (k < 17) return one_of(sizes_);
  return number(1, 5);
}

std::vector<Nat> Generator::shape(int rank) {
  std::vector<Nat> s;
  for (int d = rank - 1; d >= 0; --d) s.push_back(extent(d));
  return s;
}

Expr Generator::argument(const Type& t) {
  for (const Expr& a : arguments_)
    if (a.type() == t && chance(70)) return a;
  if (arguments_.size() >= kArguments) {
    for (const Expr& a : arguments_)
      if (a.type() == t) return a;
    return {};
  }
  arguments_.push_back(param("p" + std::to_string(arguments_.size()), t));
  return arguments_.back();
}

Expr Generator::grown(const Type& t, const Scope& scope, int fuel) {
  if (++nodes_ > kNodes) fuel = 0;
  if (t.is_tuple()) {
    std::vector<Expr> parts;
    for (const Type& p : t.parts()) parts.push_back(grown(p, scope, fuel - 1));
    return tuple(parts);
  }
  return t.is_array() ? array_value(t, scope, fuel) : scalar(t.scalar(), scope, fuel);
}

std::string Generator::state() const {
  std::ostringstream s;
  s << random_;
  return s.str();
}
void Generator::go_on_from(const std::string& state) { std::istringstream(state) >> random_; }

}  // namespace lift::fuzz
