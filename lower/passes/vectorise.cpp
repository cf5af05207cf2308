// Vec loops become loops over whole vectors; what a term is as a vector is lanes.hpp's.
#include <algorithm>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/lanes.hpp"

namespace lift {
namespace {

bool loads(const Term& t, const std::string& array) {
  bool found = false;
  visit(t, [&](const Term& x) { found |= x->kind == TermKind::Load && x->name == array; });
  return found;
}
/// t may read what the store of a vector changes.
bool may_load(const Term& t, const Store& s, int width) {
  bool found = false;
  visit(t, [&](const Term& x) {
    if (x->kind != TermKind::Load || x->name != s.array) return;
    const auto distance = (x->nats.at(0) - s.position[0]).constant();
    found |= !distance || (*distance<width&& * distance> - x->width);
  });
  return found;
}
bool uses(const Term& t, const Term& local) {
  bool found = false;
  visit(t, [&](const Term& x) { found |= x == local; });
  return found;
}

/// A position at which streaming stores are aligned in every iteration, in the scalar loop's variable.
struct Aligned {
  Nat position;
  Scalar type;
  std::int64_t elements;  ///< the alignment
};

/// The body of a vector loop from that of the scalar one.
class VectorBody {
 public:
  VectorBody(const For& f, const Kernel& k, std::optional<Aligned> aligned)
      : f_(f), kernel_(k), aligned_(aligned) {}

  Block statements(Lanes& lanes, const Block& body, const std::vector<Term>& mask);
  /// UserError when elements between those that are stored are not.
  void finish() const;

 private:
  Term value(Lanes& lanes, const Term& t) const;
  void store(Lanes& lanes, const Store& s, const std::vector<Term>& mask, Block& to);
  void need_all_elements(const Store& s) const;
  void half_store(Lanes& lanes, Store s, Block& to);
  void put(Lanes& lanes, Store s, Block& to);
  void guarded(Lanes& lanes, const If& i, const std::vector<Term>& mask, Block& to);
  void assign(Lanes& lanes, const Assign& a, const std::vector<Term>& mask, Block& to);
  void settle(const std::function<bool(const Term&)>& changes, Block& to);
  bool is_aligned(const Lanes& lanes, const Store& s) const;

  const For& f_;
  const Kernel& kernel_;
  std::optional<Aligned> aligned_;
  std::vector<Store>
      halves_;  ///< stores of every second element, which wait for those of the elements between
  int names_ = 0;
};

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

/// The vector of t. What it reads of an array that a store waits for must be other elements.
Term VectorBody::value(Lanes& lanes, const Term& t) const {
  for (const Store& h : halves_)
    visit(t, [&](const Term& x) {
      if (x->kind != TermKind::Load || x->name != h.array) return;
      const auto [at, stride] = lanes.access(x->name, x->nats.at(0));
      const auto distance = (at - h.position[0]).constant();
      if (stride != 2 || !distance || *distance % 2 == 0)
        refuse_vector(f_, h.array + " is read between two stores to it");
    });
  return lanes.term(t);
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

/// A masked vector is read and written as a whole: what its guard keeps from the first iterations or the last
/// has to be an element all the same.
void VectorBody::need_all_elements(const Store& s) const {
  const auto a = std::find_if(kernel_.arguments.begin(), kernel_.arguments.end(),
                              [&](const KernelArgument& x) { return x.name == s.array; });
  if (a == kernel_.arguments.end()) return;
  for (const Nat& i : {f_.lower, f_.upper - 1}) {
    const Nat at = substitute(s.position.at(0), f_.var, i);
    if (Facts().proves(less(at, 0)) || Facts().proves(less_equal(a->layout.size(), at)))
      refuse_vector(f_, "only a guard keeps some of its iterations from storing beside " + s.array);
  }
}

void VectorBody::store(Lanes& lanes, const Store& s, const std::vector<Term>& mask, Block& to) {
  const auto [at, stride] = lanes.access(s.array, s.position.at(0));
  if (stride == 0) refuse_vector(f_, s.array + " is stored to one element by all iterations");
  if (stride != 1 && stride != 2)
    refuse_vector(f_, s.array + " is stored with stride " + std::to_string(stride));
  if (!mask.empty()) need_all_elements(s);
  Store v{s.array, {at}, value(lanes, s.value), s.stream && mask.empty(), s.async && mask.empty()};
  const Term old = load_term(s.array, s.position, s.value->type);
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
  Block r;
  for (const Stmt& s : body) {
    if (const auto* t = std::get_if<Store>(&s.v)) {
      store(lanes, *t, mask, r);
    } else if (const auto* l = std::get_if<Let>(&s.v)) {
      const Term v = order_lanes_last(value(lanes, l->value));
      r.push_back({Let{lanes.local(l->local, v), v}});
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
  return r;
}

/// Stores of one iteration happen after the loads of the next, so that a load that overlaps the last store
/// does not wait for it. Nothing when there is more than stores and the values they need.
Block late_stores(const For& f, const Block& body, int& count) {
  const auto plain = [](const Stmt& s) {
    return std::holds_alternative<Store>(s.v) || std::holds_alternative<Let>(s.v);
  };
  if (!std::all_of(body.begin(), body.end(), plain)) return {};
  For loop = f;
  const Nat v = Nat::fresh(f.var.str(), f.lower + f.width, f.upper - f.width);
  loop.var = v, loop.lower = f.lower + f.width, loop.body.clear();
  Block first, stores, last, assigns;
  for (const Stmt& s : body) {
    if (const auto* l = std::get_if<Let>(&s.v)) {
      first.push_back({Let{l->local, substitute(l->value, f.var, f.lower)}});
      loop.body.push_back({Let{l->local, substitute(l->value, f.var, v)}});
      continue;
    }
    Store store = std::get<Store>(s.v);
    const std::string suffix = ++count == 1 ? "" : std::to_string(count);
    const Term late = local_term("late" + suffix, store.value->type, store.value->width),
               next = local_term("next" + suffix, store.value->type, store.value->width);
    first.push_back({Declare{late, substitute(store.value, f.var, f.lower)}});
    loop.body.push_back({Let{next, substitute(store.value, f.var, v)}});
    const Nat at = store.position[0];
    store.value = late;
    store.position = {substitute(at, f.var, v - f.width)};
    stores.push_back({store});
    assigns.push_back({Assign{late, next}});
    store.position = {substitute(at, f.var, f.upper - f.width)};
    last.push_back({std::move(store)});
  }
  loop.body.insert(loop.body.end(), stores.begin(), stores.end());
  loop.body.insert(loop.body.end(), assigns.begin(), assigns.end());
  Block r = std::move(first);
  r.push_back({std::move(loop)});
  r.insert(r.end(), last.begin(), last.end());
  if (Facts().proves(less(f.lower, f.upper))) return r;
  return {{If{{compare_term(less(f.lower, f.upper))}, std::move(r)}}};
}

/// One prefetch an argument, of the element `distance` ahead of the furthest load that every iteration does;
/// of the last element where that lies beyond it. Names for last elements that are no numbers go to `before`.
Block prefetches(const Block& body, const Kernel& k, int distance, Block& before) {
  std::map<std::string, Nat> furthest;
  for (const Stmt& s : body)
    if (const Term* t = value_of(s))
      visit_certain(*t, [&](const Term& x) {
        if (x->kind != TermKind::Load || x->width == 1) return;
        const auto [it, added] = furthest.try_emplace(x->name, x->nats[0]);
        if (!added && constant_part(x->nats[0]) > constant_part(it->second)) it->second = x->nats[0];
      });
  Block r;
  std::vector<std::pair<Nat, Nat>> names;
  const auto named = [&](const Nat& last) {
    if (last.is_constant()) return last;
    for (const auto& [value, name] : names)
      if (value == last) return name;
    names.emplace_back(
        last, Nat::fresh(names.empty() ? "last" : "last" + std::to_string(names.size() + 1), last, last));
    before.push_back({Let{index_term(names.back().second), index_term(last)}});
    return names.back().second;
  };
  for (const KernelArgument& a : k.arguments)
    if (const auto it = furthest.find(a.name); it != furthest.end())
      r.push_back({Prefetch{a.name, {min(it->second + distance, named(a.layout.size() - 1))}}});
  return r;
}

For scalar_loop(const For& f) {
  For s = f;
  s.kind = LoopKind::Seq, s.width = 1, s.edge = s.late_store = false, s.prefetch = 0;
  return s;
}

/// Bytes of the widest lanes that a value goes through: u8 is computed as i32, and moved as it is.
std::size_t lane_bytes(const Term& value) {
  return value->type == u8 && value->kind == TermKind::Apply ? size_of(promoted(u8)) : size_of(value->type);
}

/// Lanes of the vectors that a loop of f.width iterations a trip is made of: no more than the machine has.
/// Compilers take wider ones apart through memory, above all where an iteration needs what the one before
/// computed.
int lanes_of(const For& f, const LowerOptions& options) {
  std::size_t element = 0;
  visit(f.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) element = std::max(element, lane_bytes(x->value));
  });
  if (element == 0) return f.width;
  const int most = options.vector_bytes / static_cast<int>(element);
  return most > 1 && f.width > most && f.width % most == 0 ? most : f.width;
}

/// Arrays of the kernel's own whose rows are as aligned as vectors of so many bytes.
using Names = std::set<std::string>;
Names aligned_arrays(const Kernel& k, int bytes) {
  Names r;
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (a && a->aligned * static_cast<std::int64_t>(size_of(element_of(a->type).scalar())) >= bytes)
      r.insert(a->name);
  });
  return r;
}

/// The first store that bypasses the cache, or one of a loop over aligned rows, and scalar iterations that
/// lead up to an aligned address for it: vectors across two lines of the cache are loaded and stored twice.
struct Head {
  std::optional<Aligned> aligned;
  Nat iterations = 0;
};
Head head_of(const For& f, const Names& aligned_rows, const LowerOptions& options) {
  std::vector<Store> stores;
  bool rows = false;
  visit(f.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    if (!x) return;
    stores.push_back(*x);
    rows |= aligned_rows.count(x->array) > 0 ||
            std::any_of(aligned_rows.begin(), aligned_rows.end(),
                        [&](const std::string& array) { return loads(x->value, array); });
  });
  const auto first = std::find_if(stores.begin(), stores.end(), [&](const Store& s) {
    return (s.stream || rows) && s.value->type != boolean;
  });
  if (first == stores.end()) return {};
  const auto a = affine_in(first->position[0], f.var);
  const auto stride = a ? a->coefficient.constant() : std::nullopt;
  if (!stride || (*stride != 1 && *stride != 2)) return {};
  Nat position = first->position[0];
  for (const Store& s : stores)  // of two interleaved stores, the one of the lower element
    if (*stride == 2 && s.array == first->array && s.position[0] == position - 1) {
      position = s.position[0];
      break;
    }
  const Scalar type = first->value->type;
  // Compilers for a machine of wider vectors than were asked for store 32 bytes at once.
  const std::int64_t elements = static_cast<std::int64_t>(
      std::max<std::size_t>(32, static_cast<std::size_t>(options.vector_bytes)) / size_of(type));
  const Nat start = substitute(position, f.var, f.lower);
  if (elements % *stride != 0 || !Facts().proves(equal(mod(start, *stride), 0))) return {};  // never aligned
  const Nat iterations = mod(-floordiv(start, *stride), elements / *stride);
  const auto trips = (f.upper - f.lower).constant();
  if (!rows && trips && *trips <= 2 * f.width && !(iterations == Nat(0)))
    return {};  // most would be no vectors
  return {Aligned{position, type, elements}, iterations};
}

/// Elements of each array up to where its last row begins: where rows have gaps, the caller's array may end
/// before the last one's.
Lanes::SizeOf sizes_of_arrays(const Kernel& k) {
  std::map<std::string, Nat> sizes;
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array()) {
      std::vector<Nat> last = shape_of(a.type);
      for (Nat& n : last) n = n - 1;
      if (last.size() > 1) last.back() = 0;
      sizes.emplace(a.name, a.layout.index(last) + 1);
    }
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a) return;
    Nat n = 1;
    for (const Nat& length : shape_of(a->type)) n = n * length;
    sizes.emplace(a->name, n);
  });
  return [sizes = std::move(sizes)](const std::string& array) {
    const auto it = sizes.find(array);
    return it == sizes.end() ? std::nullopt : std::optional<Nat>(it->second);
  };
}

/// An edge as vectors; where it cannot be, as scalar loops.
Block vector_edge(const For& f, const Kernel& k, const Names& aligned_rows, const LowerOptions& options) {
  const Head lead = head_of(f, aligned_rows, options);
  const int lanes_each = lanes_of(f, options);
  const Lanes::SizeOf sizes = sizes_of_arrays(k);
  try {
    Block r;
    for (int l = 0; l < f.width; l += lanes_each) {
      Lanes lanes(f, f.lower + l, lanes_each, l == 0 ? "" : "_" + std::to_string(l));
      lanes.know_each(sizes);
      lanes.assume(f.body);
      VectorBody body(f, k, lead.iterations == Nat(0) ? lead.aligned : std::nullopt);
      for (Stmt& s : body.statements(lanes, f.body, {})) r.push_back(std::move(s));
      body.finish();
    }
    return r;
  } catch (const UserError&) {  // refuse_vector
    return split_boundaries({{scalar_loop(f)}});
  }
}

Block vector_loop(const For& f, const Kernel& k, const Names& aligned_rows, const LowerOptions& options,
                  int& late) {
  Block r;
  Nat lower = f.lower;
  const Head lead = head_of(f, aligned_rows, options);
  if (lead.aligned) {
    Nat head = min(lead.iterations, f.upper - f.lower);
    if (!head.is_constant()) {
      const Nat name = Nat::fresh("head", 0, lead.aligned->elements - 1);
      r.push_back({Let{index_term(name), index_term(head)}});
      head = name;
    }
    for (Stmt& s : make_loop(scalar_loop(f), lower, lower + head)) r.push_back(std::move(s));
    lower = lower + head;
  }
  const Nat trips = f.upper - lower;
  const Nat upper = lower + floordiv(trips, f.width) * f.width;
  const auto start = lower.constant();
  For v = f;
  v.lower = lower, v.upper = upper, v.step = f.width;
  v.var = start ? Nat::fresh(f.var.str(), lower, upper - f.width, f.width,
                             ((*start % f.width) + f.width) % f.width)
                : Nat::fresh(f.var.str(), lower, upper - f.width);
  v.body.clear();
  const int lanes_each = lanes_of(f, options);
  for (int l = 0; l < f.width; l += lanes_each) {
    Lanes lanes(f, v.var + l, lanes_each, l == 0 ? "" : "_" + std::to_string(l));
    lanes.assume(f.body);
    VectorBody body(f, k, lead.aligned);
    for (Stmt& s : body.statements(lanes, f.body, {})) v.body.push_back(std::move(s));
    body.finish();
  }
  const Block ahead = f.prefetch > 0 ? prefetches(v.body, k, f.prefetch, r) : Block{};
  Block main;
  if (f.late_store) main = late_stores(v, v.body, late);
  if (main.empty()) main = {{v}};
  for (Stmt& s : rebuild(main, [&](Stmt x) -> Block {
         if (auto* loop = std::get_if<For>(&x.v)) {
           const Block here = substitute(ahead, v.var, loop->var);
           loop->body.insert(loop->body.begin(), here.begin(), here.end());
         }
         return {std::move(x)};
       }))
    r.push_back(std::move(s));
  for (Stmt& s : make_loop(scalar_loop(f), upper, f.upper)) r.push_back(std::move(s));
  return r;
}

}  // namespace

Block vectorise(const Block& b, const Kernel& k, const LowerOptions& options) {
  int late = 0;  // numbers the stores that are late
  const Names aligned_rows = aligned_arrays(k, options.vector_bytes);
  return distinct_names(rebuild(b, [&](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || f->kind != LoopKind::Vec) return {std::move(s)};
    if (f->edge) return vector_edge(*f, k, aligned_rows, options);
    if (f->width == 1 || Facts().proves(less(f->upper - f->lower, f->width))) return {{scalar_loop(*f)}};
    return vector_loop(*f, k, aligned_rows, options, late);
  }));
}

}  // namespace lift
