// Rules about values: what they refer to is there, once, and of the type, width and rank that is asked for.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "lower/loops/loop_rules.hpp"

namespace lift {

Surroundings::Surroundings(const Kernel& k, Form f)
    : kernel(k), form(f), blocks_(1), sizes_(k.sizes.begin(), k.sizes.end()), names_(named_indices(k.body)) {
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array())
      blocks_[0].arrays.emplace(a.name, Array{a.type, &a, AddressSpace::Global});
    else
      sizes_.insert(a.name);
}

bool Surroundings::knows(const NatAtom& v) const {
  return sizes_.count(v.name) > 0 ||
         std::any_of(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.indices.count(&v) > 0; });
}
const Surroundings::Local* Surroundings::local(const std::string& name) const {
  for (auto b = blocks_.rbegin(); b != blocks_.rend(); ++b)
    if (const auto it = b->locals.find(name); it != b->locals.end()) return &it->second;
  return nullptr;
}
const Surroundings::Array* Surroundings::array(const std::string& name) const {
  for (auto b = blocks_.rbegin(); b != blocks_.rend(); ++b)
    if (const auto it = b->arrays.find(name); it != b->arrays.end()) return &it->second;
  return nullptr;
}
bool Surroundings::declares(const std::string& local) const { return blocks_.back().locals.count(local) > 0; }
bool Surroundings::declares(const NatAtom& index) const { return blocks_.back().indices.count(&index) > 0; }

void Surroundings::define(const Nat& variable) { blocks_.back().indices.insert(variables(variable).at(0)); }
void Surroundings::define(const Stmt& s) {
  const auto add = [&](const Term& name, const Term& value, bool variable) {
    if (name->kind == TermKind::Index) return define(name->nats[0]);
    blocks_.back().locals.insert_or_assign(name->name, Local{name, value, variable});
  };
  if (const auto* l = std::get_if<Let>(&s.v)) add(l->local, l->value, false);
  if (const auto* d = std::get_if<Declare>(&s.v)) add(d->local, d->value, true);
  if (const auto* a = std::get_if<Allocate>(&s.v))
    blocks_.back().arrays.insert_or_assign(a->name, Array{a->type, nullptr, a->space});
}

namespace {

/// The subterms of what a statement itself evaluates, of one value each once.
void visit_own_terms(const Stmt& s, const std::function<void(const Term&)>& f) {
  visit_values(s, [&](const Term& t) { visit(t, f); });
}

/// The integers that a statement itself evaluates.
void visit_own_nats(const Stmt& s, const std::function<void(const Nat&)>& f) {
  if (const auto* l = std::get_if<For>(&s.v)) f(l->lower), f(l->upper), f(l->step);
  if (const auto* x = std::get_if<Store>(&s.v))
    for (const Nat& n : x->position) f(n);
  if (const auto* x = std::get_if<Prefetch>(&s.v))
    for (const Nat& n : x->position) f(n);
  if (const auto* x = std::get_if<Allocate>(&s.v))
    for (const Nat& n : shape_of(x->type)) f(n);
  visit_own_terms(s, [&](const Term& t) {
    for (const Nat& n : t->nats) f(n);
    for (const NatCond& c : t->conds) f(c.a);
  });
}

/// What a Let, Declare or Assign gives a value to; null for other statements.
const Term* target_of(const Stmt& s) {
  if (const auto* x = std::get_if<Let>(&s.v)) return &x->local;
  if (const auto* x = std::get_if<Declare>(&s.v)) return &x->local;
  if (const auto* x = std::get_if<Assign>(&s.v)) return &x->local;
  return nullptr;
}

/// The first complaint of several checks.
class Complaints {
 public:
  void add(bool wrong, const std::string& what) {
    if (wrong && !found_) found_ = what;
  }
  Complaint found() const { return found_; }

 private:
  Complaint found_;
};

}  // namespace

Complaint indices_defined(const Stmt& s, const Surroundings& in) {
  Complaints r;
  visit_own_nats(s, [&](const Nat& n) {
    for (const NatAtom* v : variables(n))
      r.add(!v->computed && !in.knows(*v), "the index " + v->name + " is not defined");
  });
  return r.found();
}

Complaint values_defined(const Stmt& s, const Surroundings& in) {
  Complaints r;
  const auto check = [&](const Term& t) {
    if (t->kind == TermKind::Local) {
      const auto* l = in.local(t->name);
      r.add(!l, "the value " + t->name + " is not defined");
      r.add(l && !(l->name == t), "the value " + t->name + " is defined with another type or width");
    }
    if (t->kind != TermKind::Argument) return;
    const auto& all = in.kernel.arguments;
    r.add(std::none_of(all.begin(), all.end(),
                       [&](const KernelArgument& a) {
                         return a.name == t->name && a.type.is_scalar() && a.type.scalar() == t->type;
                       }),
          "there is no scalar argument " + t->name + " of that type");
  };
  visit_own_terms(s, check);
  return r.found();
}

Complaint arrays_known(const Stmt& s, const Surroundings& in) {
  Complaints r;
  visit_accesses(s, [&](const ElementAccess& a) {
    const auto* array = in.array(a.array);
    r.add(!array, "there is no array " + a.array);
    if (!array || !array->argument) return;
    r.add(a.store && !array->argument->written, a.array + " is stored to, and not marked as written");
    r.add(!a.store && !array->argument->read, a.array + " is loaded from, and not marked as read");
  });
  if (const auto* p = std::get_if<Prefetch>(&s.v))
    r.add(!in.array(p->array), "there is no array " + p->array);
  visit_own_terms(s, [&](const Term& t) {
    if (t->kind != TermKind::Call) return;
    const auto& all = in.kernel.user_functions;
    r.add(std::none_of(all.begin(), all.end(), [&](const Attr& f) { return user_name(f) == t->name; }),
          "there is no user function " + t->name);
  });
  return r.found();
}

Complaint declared_once(const Stmt& s, const Surroundings& in) {
  if (std::holds_alternative<Assign>(s.v)) return {};
  const Term* t = target_of(s);
  if (t && (*t)->kind == TermKind::Index && in.declares(*variables((*t)->nats[0]).at(0)))
    return "the index " + str(*t) + " is named twice in one block";
  if (t && (*t)->kind == TermKind::Local && in.declares((*t)->name))
    return "the value " + (*t)->name + " is declared twice in one block";
  return {};
}

Complaint variables_assigned(const Stmt& s, const Surroundings& in) {
  const auto* a = std::get_if<Assign>(&s.v);
  if (!a) return {};
  const auto* l = in.local(a->local->name);
  if (!l || !l->variable) return a->local->name + " is assigned to, and is no variable";
  if (!(l->name == a->local)) return a->local->name + " is declared with another type or width";
  return {};
}

Complaint types_agree(const Stmt& s, const Surroundings& in) {
  Complaints r;
  const auto element = [&](const std::string& array) { return element_of(in.array(array)->type).scalar(); };
  visit_own_terms(s, [&](const Term& t) {
    r.add(t->kind == TermKind::Load && t->type != element(t->name),
          "an element of another type is loaded from " + t->name);
  });
  if (const auto* x = std::get_if<Store>(&s.v))
    r.add(x->value->type != element(x->array), "a value of another type is stored to " + x->array);
  if (const Term* t = target_of(s)) r.add((*t)->type != (*value_of(s))->type, "the value has another type");
  if (const auto* i = std::get_if<If>(&s.v))
    for (const Term& c : i->conditions) r.add(c->type != boolean, "a condition is no boolean");
  return r.found();
}

Complaint widths_agree(const Stmt& s, const Surroundings& in) {
  Complaints r;
  visit_own_terms(s, [&](const Term& t) {
    r.add(t->width < 1, "a value has no lanes");
    r.add(t->width > 1 && in.form != Form::Vectors, "a value has lanes before loops are vectorised");
    if (t->kind == TermKind::Apply || t->kind == TermKind::Call)
      for (const Term& a : t->args)
        r.add(a->width != 1 && a->width != t->width, "an operation on vectors of several widths");
    if (t->kind != TermKind::Shuffle) return;
    int lanes = 0;
    for (const Term& a : t->args) lanes += a->width;
    r.add(static_cast<int>(t->lanes.size()) != t->width, "a shuffle has lanes more or fewer than its value");
    for (const int l : t->lanes) r.add(l < 0 || l >= lanes, "a shuffle takes a lane that there is not");
  });
  if (const Term* t = target_of(s))
    r.add((*t)->width != (*value_of(s))->width, "the value has another width");
  if (const auto* i = std::get_if<If>(&s.v))
    for (const Term& c : i->conditions) r.add(c->width != 1, "a condition has lanes");
  return r.found();
}

Complaint one_index_a_dimension(const Stmt& s, const Surroundings& in) {
  Complaints r;
  const auto check = [&](const std::string& array, const std::vector<Nat>& position) {
    const std::size_t rank =
        in.form == Form::Positions ? std::max<std::size_t>(1, shape_of(in.array(array)->type).size()) : 1;
    r.add(position.size() != rank, array + " is accessed with " + std::to_string(position.size()) +
                                       " indices, not " + std::to_string(rank));
  };
  visit_accesses(s, [&](const ElementAccess& a) { check(a.array, a.position); });
  if (const auto* p = std::get_if<Prefetch>(&s.v)) check(p->array, p->position);
  return r.found();
}

}  // namespace lift
