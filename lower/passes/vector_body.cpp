#include "lower/passes/vector_body.hpp"

#include <algorithm>
#include <utility>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
bool may_load(const Term& t, const Store& s, int width) {
  bool found = false;
  visit(t, [&](const Term& x) {
    if (x->kind != TermKind::Load || x->name != s.array) return;
    const auto distance = (x->nats.at(0) - s.position[0]).constant();
    found |= !distance || (*distance<width&& * distance> - x->width);
  });
  return found;
}

namespace {

bool uses(const Term& t, const Term& local) {
  bool found = false;
  visit(t, [&](const Term& x) { found |= x == local; });
  return found;
}

}  // namespace

bool VectorBody::is_aligned(const Lanes& lanes, const Store& s) const {
  if (!aligned_ || aligned_->type != s.value->type) return false;
  const Nat distance = s.position[0] - lanes.at(aligned_->position);
  return Facts().proves(equal(mod(distance, std::min<std::int64_t>(aligned_->elements, lanes.width())), 0));
}

/// Values that wait to be stored get a name before something changes what they are made of.
void VectorBody::settle(const std::function<bool(const Term&)>& changes, Block& to) {
  for (Store& h : halves_) {
    if (!changes(h.value)) continue;
    const Term name = local_term("half" + std::to_string(++names_), h.value->type, h.value->width);
    to.push_back({Let{name, h.value}});
    h.value = name;
  }
}

/// Loads of t, computed in all lanes, that the scalar loop does in some.
void VectorBody::note_masked(const Term& t, bool masked, bool store) {
  if (!noted_.insert({t->id, masked}).second) return;
  if (masked && t->kind == TermKind::Load) masked_.push_back({t->name, t->nats.at(0), t->width, store});
  const bool chooses = t->kind == TermKind::Apply &&
                       (t->op == Op::Select || t->op == Op::And || t->op == Op::Or) && t->args[0]->width > 1;
  for (std::size_t i = 0; i < t->args.size(); ++i)
    note_masked(t->args[i], masked || (chooses && i > 0), store);
}

/// The vector of t. What it reads of an array that a store waits for must be other elements.
Term VectorBody::vector(Lanes& lanes, const Term& t) {
  for (const Store& h : halves_)
    visit(t, [&](const Term& x) {
      if (x->kind != TermKind::Load || x->name != h.array) return;
      const auto [at, stride] = lanes.access(x->name, x->nats.at(0));
      const auto distance = (at - h.position[0]).constant();
      if (stride != 2 || !distance || *distance % 2 == 0)
        refuse_vector(f_, h.array + " is read between two stores to it");
    });
  Term v = lanes.term(t);
  note_masked(v, in_mask_);
  return v;
}

Term VectorBody::value(Lanes& lanes, const Term& t) {
  const Term v = vector(lanes, t);
  if (!narrow_) return v;
  const auto r = narrow_->value(v);
  if (!r) refuse_vector(f_, "its values need wider lanes");
  return *r;
}

void VectorBody::let(Lanes& lanes, const Let& l, Block& to) {
  Term v = order_lanes_last(vector(lanes, l.value));
  if (!narrow_ || v->width == 1) {
    to.push_back({Let{lanes.local(l.local, v), v}});
    return;
  }
  const ValueRange range = narrow_->range(v);
  const auto r = v->type == i32 ? narrow_->whole(v) : narrow_->value(v);
  if (!r) refuse_vector(f_, "its values need wider lanes");
  const Term name = lanes.local(l.local, *r);
  narrow_->define(name, range);
  to.push_back({Let{name, *r}});
}

void VectorBody::put(Lanes& lanes, Store s, Block& to) {
  settle([&](const Term& t) { return loads(t, s.array); }, to);
  s.value = order_lanes_last(broadcast(s.value, lanes.width()));
  s.stream = s.stream && s.value->type != boolean && is_aligned(lanes, s);  // bytes are packed first
  to.push_back({std::move(s)});
}

void VectorBody::half_store(Lanes& lanes, Store s, Block& to) {
  const int w = lanes.width();
  const auto other = std::find_if(halves_.begin(), halves_.end(), [&](const Store& h) {
    return h.array == s.array && (h.position[0] == s.position[0] + 1 || h.position[0] == s.position[0] - 1);
  });
  if (other == halves_.end()) return halves_.push_back(std::move(s));
  Store low = *other, high = std::move(s);
  halves_.erase(other);
  if (low.position[0] == high.position[0] + 1) std::swap(low, high);
  if (w % 2 != 0) refuse_vector(f_, "vectors of " + std::to_string(w) + " elements cannot be interleaved");
  std::tie(low.value, high.value) = interleave_lanes(low.value, high.value, w);
  high.position = {low.position[0] + w};
  low.stream = high.stream = low.stream && high.stream;
  if (may_load(high.value, low, w)) {  // it is read before the first half changes it
    const Term name = local_term("high" + std::to_string(++names_), high.value->type, w);
    to.push_back({Let{name, order_lanes_last(high.value)}});
    high.value = name;
  }
  put(lanes, std::move(low), to);
  put(lanes, std::move(high), to);
}

void VectorBody::store(Lanes& lanes, const Store& s, const std::vector<Term>& mask, Block& to) {
  const auto [at, stride] = lanes.access(s.array, s.position.at(0));
  if (stride == 0) refuse_vector(f_, s.array + " is stored to one element by all iterations");
  if (stride != 1 && stride != 2)
    refuse_vector(f_, s.array + " is stored with stride " + std::to_string(stride));
  const Term old = load_term(s.array, s.position, s.value->type);
  if (in_mask_) note_masked(lanes.term(old), true, true);
  Store v{s.array, {at}, value(lanes, s.value), s.stream && mask.empty(), s.async && mask.empty()};
  for (const Term& m : mask) v.value = apply_term(Op::Select, v.value->type, {m, v.value, lanes.term(old)});
  if (stride == 2)
    half_store(lanes, std::move(v), to);
  else
    put(lanes, std::move(v), to);
}

void VectorBody::assign(Lanes& lanes, const Assign& a, const std::vector<Term>& mask, Block& to) {
  const Term target = lanes.term(a.local);
  if (target->width == 1) refuse_vector(f_, "its iterations accumulate into " + a.local->name);
  Term v = broadcast(value(lanes, a.value), lanes.width());
  for (const Term& m : mask) v = apply_term(Op::Select, v->type, {m, v, target});
  settle([&](const Term& t) { return uses(t, target); }, to);
  to.push_back({Assign{target, order_lanes_last(v)}});
}

/// Conditions that are the same in all lanes stay; the others mask what is stored.
void VectorBody::guarded(Lanes& lanes, const If& i, const std::vector<Term>& mask, Block& to) {
  std::vector<Term> inner = mask, scalar;
  for (const Term& c : i.conditions) {
    if (lanes.holds_in_all(c)) continue;
    const Term v = value(lanes, c);
    (v->width == 1 ? scalar : inner).push_back(v);
  }
  if (!inner.empty()) lanes.assume_stored(i.body);  // masked vectors are stored as a whole
  if (scalar.empty()) {
    for (Stmt& s : statements(lanes, i.body, inner)) to.push_back(std::move(s));
    return;
  }
  settle([](const Term&) { return true; }, to);
  std::vector<Store> outside;
  std::swap(outside, halves_);
  Lanes within = lanes;
  if (inner.empty()) within.assume(i.body);
  to.push_back({If{std::move(scalar), statements(within, i.body, inner)}});
  finish();
  std::swap(outside, halves_);
}

void VectorBody::finish() const {
  if (!halves_.empty()) refuse_vector(f_, "only every second element of " + halves_[0].array + " is stored");
}

Block VectorBody::statements(Lanes& lanes, const Block& body, const std::vector<Term>& mask) {
  const bool outer = std::exchange(in_mask_, !mask.empty());
  Block r;
  for (const Stmt& s : body) {
    if (const auto* t = std::get_if<Store>(&s.v)) {
      store(lanes, *t, mask, r);
    } else if (const auto* l = std::get_if<Let>(&s.v)) {
      let(lanes, *l, r);
    } else if (const auto* d = std::get_if<Declare>(&s.v)) {
      const Term v = order_lanes_last(broadcast(value(lanes, d->value), lanes.width()));
      r.push_back({Declare{lanes.local(d->local, v), v}});
    } else if (const auto* a = std::get_if<Assign>(&s.v)) {
      assign(lanes, *a, mask, r);
    } else if (const auto* i = std::get_if<If>(&s.v)) {
      guarded(lanes, *i, mask, r);
    } else {
      refuse_vector(f_, "its body is more than scalar arithmetic");
    }
  }
  in_mask_ = outer;
  return r;
}

}  // namespace lift
