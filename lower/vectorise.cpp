#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/error.hpp"
#include "lower/passes.hpp"

namespace lift {
namespace {

[[noreturn]] void refuse(const For& f, const std::string& why) {
  throw UserError("map_vec over " + f.var.str() + ": " + why + "; use map_seq there, or another layout or loop order");
}

/// Scalar terms of a loop's body as vectors: lane l stands for the index u + l, where u replaces the loop's variable.
class Lanes {
 public:
  Lanes(const For& f, const Nat& u) : f_(f), u_(u) {}

  Term term(const Term& t) {
    if (const auto it = memo_.find(t->id); it != memo_.end()) return it->second;
    const Term r = convert(t);
    memo_.emplace(t->id, r);
    return r;
  }
  Nat at_lane(const Nat& n, int lane) const { return substitute(n, f_.var, u_ + lane); }
  /// The flat index of lane 0, and whether the lanes are consecutive (else they are one element).
  std::pair<Nat, bool> index(const std::string& array, const Nat& n) const {
    const auto a = affine_in(n, f_.var);
    if (!a) refuse(f_, "the index of " + array + ", " + n.str() + ", is not linear in " + f_.var.str());
    if (a->coefficient == Nat(0)) return {n, false};
    if (!(a->coefficient == Nat(1))) refuse(f_, array + " is accessed with stride " + a->coefficient.str());
    return {at_lane(n, 0), true};
  }
  Term zeros(Scalar type) const { return lane_term(TermKind::LaneIndex, type, {0, 0}, {}); }
  /// A vector stored under a name; later uses of the scalar mean the vector.
  Term local(const Term& scalar, const Term& vector) {
    const Term l = local_term(scalar->name, scalar->type, vector->width);
    memo_[scalar->id] = l;
    return l;
  }

 private:
  Term convert(const Term& t) {
    switch (t->kind) {
      case TermKind::Load: {
        const auto [at, consecutive] = index(t->name, t->nats.at(0));
        return load_term(t->name, {at}, t->type, consecutive ? f_.width : 1);
      }
      case TermKind::Index: {
        if (!mentions(t->nats[0], f_.var)) return t;
        const auto a = affine_in(t->nats[0], f_.var);
        if (!a) refuse(f_, "the value " + t->nats[0].str() + " is not linear in " + f_.var.str());
        return lane_term(TermKind::LaneIndex, t->type, {at_lane(t->nats[0], 0), a->coefficient}, {});
      }
      case TermKind::Compare: {
        if (!mentions(t->conds[0].a, f_.var)) return t;
        std::vector<NatCond> conds;
        for (int l = 0; l < f_.width; ++l) conds.push_back({t->conds[0].kind, at_lane(t->conds[0].a, l)});
        return lane_term(TermKind::Lanes, boolean, {}, std::move(conds));
      }
      case TermKind::Apply:
      case TermKind::Call: {
        std::vector<Term> args;
        for (const Term& a : t->args) args.push_back(term(a));
        return t->kind == TermKind::Apply ? apply_term(t->op, t->type, std::move(args)) : call_term(t->user, std::move(args));
      }
      default: return t;
    }
  }
  Term lane_term(TermKind kind, Scalar type, std::vector<Nat> nats, std::vector<NatCond> conds) const {
    TermNode n;
    n.kind = kind, n.type = type, n.width = f_.width, n.nats = std::move(nats), n.conds = std::move(conds);
    return intern(std::move(n));
  }

  const For& f_;
  Nat u_;
  std::unordered_map<std::uint32_t, Term> memo_;
};

Block vector_body(const For& f, Lanes& lanes, const Block& body, const std::vector<Term>& mask);

void vector_store(const For& f, Lanes& lanes, const Store& s, const std::vector<Term>& mask, Block& to) {
  const auto [at, consecutive] = lanes.index(s.array, s.position.at(0));
  if (!consecutive) refuse(f, s.array + " is stored to one element by all iterations");
  Term value = lanes.term(s.value);
  if (value->width == 1) value = apply_term(Op::Add, value->type, {value, lanes.zeros(value->type)});  // a broadcast
  const Term old = load_term(s.array, {at}, value->type, f.width);
  for (const Term& m : mask) value = apply_term(Op::Select, value->type, {m, value, old});
  to.push_back({Store{s.array, {at}, value, s.stream && mask.empty()}});
}

Block vector_body(const For& f, Lanes& lanes, const Block& body, const std::vector<Term>& mask) {
  Block r;
  for (const Stmt& s : body) {
    if (const auto* t = std::get_if<Store>(&s.v)) {
      vector_store(f, lanes, *t, mask, r);
    } else if (const auto* l = std::get_if<Let>(&s.v)) {
      const Term v = lanes.term(l->value);
      r.push_back({Let{v->width == 1 ? l->local : lanes.local(l->local, v), v}});
    } else if (const auto* i = std::get_if<If>(&s.v)) {
      std::vector<Term> inner = mask, scalar;
      for (const Term& c : i->conditions) {
        const Term v = lanes.term(c);
        (v->width == 1 ? scalar : inner).push_back(v);
      }
      Block b = vector_body(f, lanes, i->body, inner);
      if (scalar.empty()) r.insert(r.end(), b.begin(), b.end());
      else r.push_back({If{scalar, std::move(b)}});
    } else {
      refuse(f, "its body is more than scalar arithmetic");
    }
  }
  return r;
}

/// Stores of one iteration happen after the loads of the next, so that a load that overlaps the last store does not wait
/// for it.
Block late_stores(const For& f, const Block& body, int& count) {
  if (body.size() != 1 || !std::holds_alternative<Store>(body[0].v)) return {};
  const Store& s = std::get<Store>(body[0].v);
  const std::string suffix = ++count == 1 ? "" : std::to_string(count);
  const Term late = local_term("late" + suffix, s.value->type, f.width), next = local_term("next" + suffix, s.value->type, f.width);
  For loop = f;
  const Nat v = Nat::fresh(f.var.str(), f.lower + f.width, f.upper - f.width);
  Store store = s;
  store.value = late;
  store.position = {substitute(s.position[0], f.var, v - f.width)};
  loop.body = {{Let{next, substitute(s.value, f.var, v)}}, {store}, {Assign{late, next}}};
  loop.var = v, loop.lower = f.lower + f.width;
  Store last = s;
  last.value = late, last.position = {substitute(s.position[0], f.var, f.upper - f.width)};
  Block r{{Declare{late, substitute(s.value, f.var, f.lower)}}, {std::move(loop)}, {std::move(last)}};
  if (Facts().proves(less(f.lower, f.upper))) return r;
  return {{If{{compare_term(less(f.lower, f.upper))}, std::move(r)}}};
}

/// One prefetch an array, of the element `distance` ahead of the furthest load.
Block prefetches(const Block& body, int distance) {
  std::map<std::string, Nat> furthest;
  const auto constant = [](const Nat& n) { return !terms(n).empty() && terms(n).back().factors.empty() ? terms(n).back().coefficient : std::int64_t{0}; };
  map_terms(body, [&](const Term& t) {
    visit(t, [&](const Term& x) {
      if (x->kind != TermKind::Load || x->width == 1) return;
      const auto [it, added] = furthest.try_emplace(x->name, x->nats[0]);
      if (!added && constant(x->nats[0]) > constant(it->second)) it->second = x->nats[0];
    });
    return t;
  });
  Block r;
  for (const auto& [array, index] : furthest) r.push_back({Prefetch{array, index + distance}});
  return r;
}

const Store* only_store(const Block& b) {
  if (b.size() != 1) return nullptr;
  if (const auto* i = std::get_if<If>(&b[0].v)) return only_store(i->body);
  return std::get_if<Store>(&b[0].v);
}

For scalar_loop(const For& f) {
  For s = f;
  s.kind = LoopKind::Seq, s.width = 1, s.late_store = false, s.prefetch = 0;
  return s;
}

Block vector_loop(const For& f, const LowerOptions& options, int& late) {
  Block r;
  Nat lower = f.lower;
  const Store* store = only_store(f.body);
  if (store && store->stream) {  // a streaming store needs an aligned address: scalar iterations lead up to it
    const auto lanes = static_cast<std::int64_t>(static_cast<std::size_t>(options.vector_bytes) / size_of(store->value->type));
    const Nat head = Nat::fresh("head", 0, lanes - 1);
    r.push_back({Let{index_term(head), index_term(min(mod(-substitute(store->position[0], f.var, f.lower), lanes), f.upper - f.lower))}});
    for (Stmt& s : make_loop(scalar_loop(f), lower, lower + head)) r.push_back(std::move(s));
    lower = lower + head;
  }
  const Nat trips = f.upper - lower;
  const Nat upper = lower + floordiv(trips, f.width) * f.width;
  const auto start = lower.constant();
  For v = f;
  v.lower = lower, v.upper = upper, v.step = f.width;
  v.var = start ? Nat::fresh(f.var.str(), lower, upper - f.width, f.width, ((*start % f.width) + f.width) % f.width) : Nat::fresh(f.var.str(), lower, upper - f.width);
  Lanes lanes(f, v.var);
  v.body = vector_body(f, lanes, f.body, {});
  const Block ahead = f.prefetch > 0 ? prefetches(v.body, f.prefetch) : Block{};
  Block main;
  if (f.late_store) main = late_stores(v, v.body, late);
  if (main.empty()) main = {{v}};
  for (Stmt& s : main) {
    if (auto* loop = std::get_if<For>(&s.v)) {
      const Block here = substitute(ahead, v.var, loop->var);
      loop->body.insert(loop->body.begin(), here.begin(), here.end());
    }
    r.push_back(std::move(s));
  }
  for (Stmt& s : make_loop(scalar_loop(f), upper, f.upper)) r.push_back(std::move(s));
  return r;
}

}  // namespace

Block vectorise(const Block& b, const LowerOptions& options) {
  int late = 0;  // numbers the stores that are late
  return rebuild(b, [&](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || f->kind != LoopKind::Vec) return {std::move(s)};
    if (f->width == 1 || Facts().proves(less(f->upper - f->lower, f->width))) return {{scalar_loop(*f)}};
    return vector_loop(*f, options, late);
  });
}

}  // namespace lift
