#include "ir/expr/sizes.hpp"

#include <algorithm>
#include <optional>

#include "ir/error.hpp"
#include "ir/expr/typing.hpp"

namespace lift {

Nat with_sizes(const Nat& n, const Sizes& sizes) {
  std::map<const NatAtom*, Nat> values;
  for (const NatAtom* v : variables(n))
    if (const auto it = sizes.find(v->name); !v->bounded_above && it != sizes.end())
      values.emplace(v, Nat(it->second));
  return values.empty() ? n : substitute(n, values);
}

namespace {

std::string names(const std::vector<const NatAtom*>& sizes) {
  std::string s;
  for (const NatAtom* v : sizes) s += (s.empty() ? "" : ", ") + v->name;
  return s;
}

/// Why a variable cannot have the value; "" when it can.
std::string why_not(const NatAtom& v, std::int64_t value, const Sizes& sizes) {
  const auto least = with_sizes(v.lower, sizes).constant();
  if (least && value < *least)
    return v.name + " = " + std::to_string(value) + ", but " + v.name + " is at least " + v.lower.str() +
           (v.lower.is_constant() ? "" : " = " + std::to_string(*least));
  if (v.modulus > 1 && ((value - v.residue) % v.modulus + v.modulus) % v.modulus != 0)
    return v.name + " = " + std::to_string(value) + ", but " + v.name + " leaves " +
           std::to_string(v.residue) + " when divided by " + std::to_string(v.modulus);
  return "";
}

void check(const std::vector<const NatAtom*>& wanted, const Sizes& sizes, const std::string& program) {
  for (const auto& [name, value] : sizes)
    if (std::none_of(wanted.begin(), wanted.end(), [&, n = name](const NatAtom* v) { return v->name == n; }))
      throw UserError(
          program + ": there is no size '" + name + "'; " +
          (wanted.empty() ? "all its lengths are numbers already" : "its sizes are " + names(wanted)));
  for (const NatAtom* v : wanted) {
    const auto it = sizes.find(v->name);
    if (it == sizes.end())
      throw UserError(program + ": the size '" + v->name + "' has no value; give a number for each of " +
                      names(wanted));
    if (const std::string why = why_not(*v, it->second, sizes); !why.empty())
      throw UserError(program + ": " + why + "; choose another size");
  }
}

/// The value of n; nothing while a variable has none.
std::optional<std::int64_t> value_of(const Nat& n, const Sizes& sizes) {
  return with_sizes(n, sizes).constant();
}

/// The names without a value, each once.
std::vector<const NatAtom*> unknowns(const Nat& n, const Sizes& sizes) {
  std::vector<const NatAtom*> r;
  for (const NatAtom* v : variables(n))
    if (!sizes.contains(v->name) &&
        std::none_of(r.begin(), r.end(), [&](const NatAtom* w) { return w->name == v->name; }))
      r.push_back(v);
  return r;
}

std::optional<std::int64_t> solve(const LengthEquation& e, const NatAtom& v, const Sizes& sizes) {
  const Nat length = with_sizes(e.length, sizes);
  if (const auto affine = affine_in(length, atom_nat(v));
      affine && affine->coefficient.constant() && affine->rest.constant()) {
    const std::int64_t c = *affine->coefficient.constant(), rest = e.value - *affine->rest.constant();
    return c != 0 && rest % c == 0 ? std::optional(rest / c) : std::nullopt;
  }
  std::int64_t low = 0, high = std::max<std::int64_t>(e.value, 1);
  const auto at = [&](std::int64_t x) {
    Sizes s = sizes;
    s[v.name] = x;
    return value_of(e.length, s);
  };
  while (high < (std::int64_t{1} << 40) && at(high) && *at(high) < e.value) high *= 2;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto y = at(middle);
    if (!y) return std::nullopt;
    if (*y < e.value)
      low = middle + 1;
    else
      high = middle;
  }
  return at(low) == e.value ? std::optional(low) : std::nullopt;
}

}  // namespace

std::string str(const Sizes& sizes) {
  std::string s;
  for (const auto& [name, value] : sizes) s += (s.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return s;
}

std::vector<const NatAtom*> size_variables(const Program& p) {
  std::vector<const NatAtom*> r;
  for (const Nat& n : sizes_of(p)) r.push_back(variables(n).front());
  return r;
}

Program with_sizes(const Program& p, const Sizes& sizes) {
  check(size_variables(p), sizes, p.name);
  if (sizes.empty()) return p;
  const auto number = [&](const Nat& n) { return with_sizes(n, sizes); };
  Program q = p;
  try {
    for (Expr& a : q.arguments) a = map_nats(a, number);
    q.body = map_nats(p.body, number);
  } catch (const UserError& e) {
    throw UserError(p.name + " with " + str(sizes) + ": " + e.what());
  }
  return q;
}

Type with_sizes(const Type& t, const Sizes& sizes) {
  if (!t.is_array()) return t;
  return Type::array(with_sizes(t.length(), sizes), with_sizes(t.element(), sizes));
}

std::vector<NatCond> preconditions(const Program& p) {
  std::vector<NatCond> all;
  const auto add = [&](const NatCond& c) {
    if (!Facts().proves(c) && std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
  };
  for (const Expr& a : p.arguments)
    for (const Nat& n : shape_of(a.type())) add(less_equal(0, n));
  visit(p.body, [&](const Expr& e) {
    for (const NatCond& c : typing::needs_of(e)) add(c);
  });
  for (std::size_t i = 0; i < all.size();) {  // what the others say, nobody has to
    Facts others;
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j != i) others = others.with(all[j]);
    if (others.proves(all[i]))
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return all;
}

Sizes solve_sizes(const std::vector<LengthEquation>& equations, Sizes known) {
  const auto fail = [&](const LengthEquation& e, const std::string& why) {
    throw UserError(e.source + " has length " + std::to_string(e.value) + ", which cannot be " +
                    e.length.str() + why);
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const LengthEquation& e : equations) {
      const auto missing = unknowns(e.length, known);
      if (missing.size() != 1) continue;
      const auto value = solve(e, *missing[0], known);
      if (!value) fail(e, known.empty() ? "" : " with " + str(known));
      known[missing[0]->name] = *value;
      progress = true;
    }
  }
  for (const LengthEquation& e : equations)
    if (const auto length = value_of(e.length, known); length && *length != e.value)
      throw UserError(e.source + " has length " + std::to_string(e.value) + ", expected " +
                      (e.length.is_constant() ? "" : e.length.str() + " = ") + std::to_string(*length) +
                      (known.empty() || e.length.is_variable() ? "" : " with " + str(known)));
  return known;
}

}  // namespace lift
