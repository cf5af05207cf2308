// Accesses beyond arrays, found by running a kernel at its corners: every loop at its first or its last
// iteration. Bounds of most arrays are met there, and what is found is a mistake: it is done.
#include <array>
#include <stdexcept>

#include "lower/loops/loop_rules.hpp"

namespace lift {
namespace {

/// Which iteration of a loop below so many others is run.
using Corner = bool (*)(std::size_t depth);  ///< true: the last
constexpr std::array<Corner, 4> corners{[](std::size_t) { return false; }, [](std::size_t) { return true; },
                                        [](std::size_t depth) { return depth % 2 == 0; },
                                        [](std::size_t depth) { return depth % 2 == 1; }};

using SizeNumbers = std::map<std::string, std::int64_t>;  ///< multiples of a size's modulus

/// At least the size's least value.
std::int64_t value_of_size(const NatAtom& a, const SizeNumbers& numbers) {
  const std::int64_t value = numbers.at(a.name) * a.modulus + a.residue;
  const std::int64_t least = evaluate(a.lower, [&](const NatAtom& b) { return value_of_size(b, numbers); });
  return value >= least ? value : least + (((value - least) % a.modulus) + a.modulus) % a.modulus;
}

/// Of all sizes, large ones where that is admitted, such that what the kernel asks of them holds; nothing
/// where none of some is.
std::optional<SizeNumbers> admitted_sizes(const Kernel& k) {
  for (const std::int64_t many : {1024, 64, 8, 2, 1})
    for (const std::int64_t more : {0, 1, -1}) {  // from one size to the next
      SizeNumbers n;
      for (std::size_t i = 0; i < k.sizes.size(); ++i)
        n[k.sizes[i]] = many * (more < 0 ? static_cast<std::int64_t>(k.sizes.size() - i)
                                         : 1 + more * static_cast<std::int64_t>(i));
      const auto holds = [&](const NatCond& c) {
        const std::int64_t v = evaluate(c.a, [&](const NatAtom& a) { return value_of_size(a, n); });
        return c.kind == NatCond::Kind::NonNegative ? v >= 0 : (v == 0) == (c.kind == NatCond::Kind::Zero);
      };
      if (std::all_of(k.needs.begin(), k.needs.end(), holds)) return n;
    }
  return std::nullopt;
}

class Run {
 public:
  Run(const Kernel& k, Form form, std::size_t corner, SizeNumbers sizes)
      : last_(corners.at(corner)), form_(form), sizes_(std::move(sizes)) {
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array())
        add(a.name, shape_of(a.type), a.layout.size());
      else if (a.range.size() == 2)
        ranges_[a.name] = last_(0) ? a.range[1] : a.range[0];
  }

  Complaint block(const Block& b) {
    for (const Stmt& s : b) {
      Complaint c;
      try {
        c = statement(s);
      } catch (const std::out_of_range&) {  // an index without a known value: nothing is known of the rest
        return {};
      }
      if (c) return c;
    }
    return {};
  }

 private:
  enum class Truth : std::uint8_t { No, Yes, Unknown };

  void add(const std::string& array, const std::vector<Nat>& shape, const Nat& elements) {
    lengths_[array] = form_ == Form::Positions && !shape.empty() ? shape : std::vector<Nat>{elements};
  }

  std::int64_t value(const Nat& n) const {
    if (const auto c = n.constant()) return *c;
    return evaluate(n, [&](const NatAtom& a) {
      if (const auto it = indices_.find(&a); it != indices_.end()) return it->second;
      if (const auto it = ranges_.find(a.name); it != ranges_.end()) return value(it->second);
      if (a.computed) return last_(depth_) ? value(a.upper) : value(a.lower);
      return value_of_size(a, sizes_);  // std::out_of_range where it is none
    });
  }

  Complaint statement(const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
    if (const auto* i = std::get_if<If>(&s.v)) {
      for (const Term& c : i->conditions) {
        seen_.clear();
        if (Complaint found = loads(c)) return found;
        if (truth(c) != Truth::Yes) return {};
      }
      return within(i->body);
    }
    if (const Block* body = body_of(s)) return within(*body);
    if (const auto* a = std::get_if<Allocate>(&s.v)) {
      add(a->name, shape_of(a->type), Layout({}, a->type).size());
      return {};
    }
    if (const auto* p = std::get_if<Prefetch>(&s.v)) return access(p->array, p->position, 1);
    if (const auto* c = std::get_if<CopyRow>(&s.v)) {
      const auto row = static_cast<int>(value(c->elements));
      if (Complaint found = access(c->from, c->from_position, row)) return found;
      return access(c->to, c->to_position, row);
    }
    const Term* t = value_of(s);
    if (!t) return {};
    seen_.clear();
    if (Complaint found = loads(*t)) return found;
    if (const auto* x = std::get_if<Store>(&s.v)) return access(x->array, x->position, x->value->width);
    if (const auto* l = std::get_if<Let>(&s.v); l && l->local->kind == TermKind::Index)
      indices_[variables(l->local->nats[0]).at(0)] = value(l->value->nats.at(0));
    else if (l)
      truths_[l->local->name] = l->value->width == 1 ? truth(l->value) : Truth::Unknown;
    else if (const auto* x = std::get_if<Declare>(&s.v))
      truths_.erase(x->local->name);
    return {};
  }

  /// What a block names, and allocates, hides what is around it, until it ends.
  Complaint within(const Block& b) {
    const auto truths = truths_;
    const auto lengths = lengths_;
    Complaint c = block(b);
    truths_ = truths, lengths_ = lengths;
    return c;
  }

  Complaint loop(const For& f) {
    const std::int64_t first = value(f.lower), end = value(f.upper), step = value(f.step);
    if (first >= end) return {};
    indices_[variables(f.var).at(0)] = last_(depth_) ? first + (end - 1 - first) / step * step : first;
    ++depth_;
    Complaint c = within(f.body);
    --depth_;
    return c;
  }

  Truth truth(const Term& t) const {
    const auto of = [](bool b) { return b ? Truth::Yes : Truth::No; };
    if (t->kind == TermKind::Constant) return of(t->number != 0);
    if (t->kind == TermKind::Compare) {
      const std::int64_t a = value(t->conds[0].a);
      return of(t->conds[0].kind == NatCond::Kind::NonNegative ? a >= 0
                : t->conds[0].kind == NatCond::Kind::Zero      ? a == 0
                                                               : a != 0);
    }
    if (t->kind == TermKind::Local) {
      const auto it = truths_.find(t->name);
      return it == truths_.end() ? Truth::Unknown : it->second;
    }
    if (t->kind != TermKind::Apply || t->width > 1) return Truth::Unknown;
    if (t->op == Op::Not) {
      const Truth x = truth(t->args[0]);
      return x == Truth::Unknown ? x : of(x == Truth::No);
    }
    if (t->op != Op::And && t->op != Op::Or) return Truth::Unknown;
    const Truth decides = of(t->op == Op::Or), x = truth(t->args[0]), y = truth(t->args[1]);
    if (x == decides || y == decides) return decides;
    return x == Truth::Unknown || y == Truth::Unknown ? Truth::Unknown : of(t->op == Op::And);
  }

  /// What is loaded to compute t: only the arm that a choice takes.
  Complaint loads(const Term& t) {
    if (!seen_.insert(t->id).second) return {};
    std::vector<Term> computed = t->args;
    if (is_conditional(t)) {
      const Truth c = truth(t->args[0]);
      computed = {t->args[0]};
      if (t->op == Op::Select && c != Truth::Unknown) computed.push_back(t->args[c == Truth::Yes ? 1 : 2]);
      if (t->op == Op::And && c == Truth::Yes) computed.push_back(t->args[1]);
      if (t->op == Op::Or && c == Truth::No) computed.push_back(t->args[1]);
    }
    for (const Term& a : computed)
      if (Complaint found = loads(a)) return found;
    return t->kind == TermKind::Load ? access(t->name, t->nats, t->width) : Complaint{};
  }

  Complaint access(const std::string& array, const std::vector<Nat>& position, int width) const {
    const std::vector<Nat>& lengths = lengths_.at(array);
    for (std::size_t d = 0; d < position.size() && d < lengths.size(); ++d) {
      const std::int64_t at = value(position[d]), length = value(lengths[d]);
      if (at >= 0 && at + width <= length) continue;
      return array + "[... " + position[d].str() + " ...] is " + std::to_string(at) + ", beyond 0 to " +
             std::to_string(length - 1) + (width > 1 ? ", of " + std::to_string(width) + " elements" : "");
    }
    return {};
  }

  Corner last_;
  Form form_;
  SizeNumbers sizes_;
  std::map<std::string, Nat> ranges_;
  std::map<std::string, std::vector<Nat>> lengths_;
  std::map<const NatAtom*, std::int64_t> indices_;
  std::map<std::string, Truth> truths_;
  std::set<std::uint32_t> seen_;
  std::size_t depth_ = 0;
};

}  // namespace

Complaint within_arrays(const Kernel& k, Form form) {
  const auto sizes = admitted_sizes(k);
  if (!sizes) return {};
  for (std::size_t corner = 0; corner < corners.size(); ++corner)
    if (Complaint c = Run(k, form, corner, *sizes).block(k.body)) return c;
  return {};
}

}  // namespace lift
