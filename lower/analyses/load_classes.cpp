#include "lower/analyses/load_classes.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

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
  std::vector<Term> all = loads();
  const auto moves = [](const Term& load) {
    std::set<const NatAtom*> along;
    for (const Nat& n : load->nats) along.insert(variables(n).begin(), variables(n).end());
    return along.size();
  };
  // What does not change in inner loops comes first: its sum does not either.
  std::stable_sort(all.begin(), all.end(), [&](const Term& a, const Term& b) { return moves(a) < moves(b); });
  if (all.empty()) return constant_term(1, type);
  if (type == boolean) {  // truth values are not added up; a comparison needs all of what it compares
    Scalar numbers = u8;
    for (const Term& load : all)
      if (load->type != boolean) numbers = load->type;
    return apply_term(Op::Lt, boolean, {mean(numbers), constant_term(1, numbers)});
  }
  Term sum;
  for (const Term& load : all) {
    const Term as_type = apply_term(Op::Cast, type, {load});
    sum = sum ? apply_term(Op::Add, type, {sum, as_type}) : as_type;
  }
  if (!is_float(type) || all.size() == 1) return sum;  // a fraction of 1 is none of an integer's numbers
  return apply_term(Op::Mul, type, {sum, constant_term(1.0 / static_cast<double>(all.size()), type)});
}

}  // namespace lift
