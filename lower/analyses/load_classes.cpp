#include "lower/analyses/load_classes.hpp"

#include <cstdlib>
#include <numeric>

namespace lift {
namespace {

std::int64_t constant_of(const Nat& n) {
  for (const NatTerm& t : terms(n))
    if (t.factors.empty()) return t.coefficient;
  return 0;
}

}  // namespace

bool has_choices(const std::vector<Nat>& position) {
  for (const Nat& n : position)
    for (const NatTerm& t : terms(n))
      for (const NatFactor& f : t.factors)
        if (f.atom->kind != AtomKind::Var) return true;
  return false;
}

void LoadClasses::add(const Term& load) {
  std::vector<std::int64_t> key{0};
  for (const char c : load->name) key.push_back(c);
  std::int64_t distance = 0;
  const bool has_centre = centre_.size() == load->nats.size();
  for (std::size_t d = 0; d < load->nats.size(); ++d) {
    const Nat& n = load->nats[d];
    const std::int64_t constant = constant_of(n);
    std::int64_t step = 0;
    for (const NatTerm& t : terms(n))
      if (!t.factors.empty()) step = std::gcd(step, t.coefficient);
    distance += std::abs(constant - (has_centre ? constant_of(centre_[d]) : 0));
    key.push_back((n - constant).id());
    key.push_back(step == 0 ? constant : ((constant % step) + step) % step);
  }
  if (!has_choices(load->nats)) ++plain_[load->name];
  const auto [it, added] = nearest_.try_emplace(std::move(key), distance, load);
  if (!added && distance < it->second.first) it->second = {distance, load};
}

void LoadClasses::add_all_of(const Term& value) {
  visit(value, [&](const Term& x) {
    if (x->kind == TermKind::Load) add(x);
  });
}

std::vector<Term> LoadClasses::loads() const {
  std::vector<Term> r;
  for (const auto& [key, entry] : nearest_)
    if (const Term& load = entry.second; !has_choices(load->nats) || !plain_.count(load->name))
      r.push_back(load);
  return r;
}

Term LoadClasses::mean(Scalar type) const {
  Term sum;
  int count = 0;
  for (const Term& load : loads()) {
    if (load->type != type && type == boolean) continue;  // truth values are not added up
    const Term as_type = apply_term(Op::Cast, type, {load});
    sum = sum ? apply_term(Op::Add, type, {sum, as_type}) : as_type;
    ++count;
  }
  if (!sum) return constant_term(1, type);
  if (!is_float(type)) return sum;  // a fraction of 1 is none of its numbers
  return count == 1 ? sum : apply_term(Op::Mul, type, {sum, constant_term(1.0 / count, type)});
}

}  // namespace lift
