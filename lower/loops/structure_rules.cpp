// Rules about loops: what backends count on, who meets at a barrier, and which iterations may run at once.
#include <algorithm>

#include "lower/loops/loop_rules.hpp"

namespace lift {
namespace {

bool is_over_grid(const For& f) { return f.kind >= LoopKind::Glb; }
bool is_parallel_loop(const For& f) { return f.kind == LoopKind::Par || is_over_grid(f); }

const For* loop(const Stmt& s) { return std::get_if<For>(&s.v); }

}  // namespace

Complaint loop_attributes(const Stmt& s, const Surroundings& in) {
  const For* f = loop(s);
  if (!f) return {};
  const auto step = f->step.constant();
  if (!f->var.is_variable()) return "the loop goes over " + f->var.str() + ", which is no variable";
  if (!step || *step < 1) return "the loop's step is " + f->step.str();
  if (f->width < 1 || f->stride < 1 || f->prefetch < 0 || f->items < 0) return "an attribute is negative";
  if (f->items > 0 && !is_over_grid(*f)) return "iterations are dealt to items of no grid";
  if ((f->dealt != 0 || f->surplus) && !is_over_grid(*f)) return "it asks for items of no grid";
  if (f->dealt < 0 || f->unroll < whole_loop) return "an attribute is negative";
  if (is_over_grid(*f) && *step != 1) return "a loop over the grid has a step";
  if (f->late_store && f->kind != LoopKind::Vec) return "stores are late in a loop without vectors";
  if (f->dynamic < 0) return "an attribute is negative";
  if (f->dynamic > 0 && f->kind != LoopKind::Par)
    return "iterations are handed out to threads that share no loop";
  if (f->joined != 0 && f->kind != LoopKind::Par)
    return "a loop that threads do not share is joined to another";
  if (in.form != Form::Positions && f->stride != 1) return "the loop still visits only some of its indices";
  return {};
}

/// Each dimension of the grid once on the way to a statement, and threads share no loop of a grid.
Complaint grid_dimensions(const Stmt& s, const Surroundings& in) {
  const For* f = loop(s);
  if (!f || !is_parallel_loop(*f)) return {};
  if (is_over_grid(*f) && f->dim < 0) return "the grid has no dimension " + std::to_string(f->dim);
  for (const Stmt* x : in.around) {
    const For* outer = loop(*x);
    if (!outer || !is_parallel_loop(*outer)) continue;
    if ((outer->kind == LoopKind::Par) != (f->kind == LoopKind::Par))
      return "loops of threads and of a grid within each other";
    if (outer->kind == LoopKind::Lcl && (f->kind == LoopKind::Wrg || f->kind == LoopKind::Glb))
      return "a loop over groups within one over the items of a group";
    if (is_over_grid(*f) && outer->kind == f->kind && outer->dim == f->dim)
      return "two loops within each other over dimension " + std::to_string(f->dim) + " of the grid";
  }
  return {};
}

Complaint vector_loops(const Stmt& s, const Surroundings& in) {
  const For* f = loop(s);
  if (!f || f->kind != LoopKind::Vec) return {};
  if (in.form == Form::Vectors && !(f->step == Nat(f->width)))
    return "a loop over vectors of " + std::to_string(f->width) + " has a step of " + f->step.str();
  if (in.form != Form::Vectors && !(f->step == Nat(1))) return "a loop has a step before it is vectorised";
  if (in.form == Form::Vectors && has_loop(f->body)) return "a loop over vectors holds another loop";
  return {};
}

namespace {

/// All items of a group find the same: it asks no memory, and no values that do.
bool is_uniform(const Term& t, const Surroundings& in) {
  bool uniform = true;
  visit(t, [&](const Term& x) {
    if (!uniform || (x->kind != TermKind::Load && x->kind != TermKind::Local)) return;
    const auto* l = x->kind == TermKind::Local ? in.local(x->name) : nullptr;
    uniform = l && !l->variable && is_uniform(l->value, in);
  });
  return uniform;
}

}  // namespace

/// Reached by all items of a group or by none. Above it no loop is over items, so that indices are the same
/// for all of them.
Complaint uniform_barriers(const Stmt& s, const Surroundings& in) {
  if (!std::holds_alternative<Barrier>(s.v)) return {};
  for (const Stmt* x : in.around) {
    const For* f = loop(*x);
    if (f && (f->kind == LoopKind::Lcl || f->kind == LoopKind::Glb))
      return "a barrier within the loop over the items " + f->var.str();
    if (f && (f->kind == LoopKind::Par || f->kind == LoopKind::Vec)) return "a barrier without items";
    if (std::holds_alternative<First>(x->v)) return "a barrier for some of the work-items";
    if (const auto* i = std::get_if<If>(&x->v))
      for (const Term& c : i->conditions)
        if (!is_uniform(c, in))
          return "a barrier below the condition " + str(c) + ", which items may differ in";
  }
  return {};
}

namespace {

/// Statements of a parallel loop's body that its iterations do whatever their index is.
class SameInAll {
 public:
  SameInAll(const For& f, const Surroundings& in) : f_(f), in_(in), indices_{f.var} {
    visit(f.body, [&](const Stmt& s) {
      if (const For* l = loop(s); l && (depends({l->lower}) || depends({l->upper})))
        indices_.push_back(l->var);
      if (const auto* a = std::get_if<Allocate>(&s.v)) own_.insert(a->name);
      if (const auto* d = std::get_if<Declare>(&s.v)) own_.insert(d->local->name);
    });
  }
  Complaint in(const Block& b) const {
    for (const Stmt& s : b) {
      if (const auto* a = std::get_if<Assign>(&s.v);
          a && f_.kind == LoopKind::Par && !own_.count(a->local->name))
        return "the iterations over " + f_.var.str() + " run at once, and all assign to " + a->local->name;
      if (const auto* x = std::get_if<Store>(&s.v); x && is_shared(x->array) && !depends(x->position))
        return "the iterations over " + f_.var.str() + " run at once, and all store " + x->array + "[" +
               x->position.at(0).str() + "]";
      // Below conditions, and in loops that may have no iterations, it is not known which do.
      if (const For* l = loop(s); l && Facts().proves(less(l->lower, l->upper)))
        if (Complaint c = in(l->body)) return c;
    }
    return {};
  }

 private:
  bool is_shared(const std::string& name) const {
    const auto* a = own_.count(name) ? nullptr : in_.array(name);
    if (!a) return false;
    return a->space == AddressSpace::Global || f_.kind == LoopKind::Par ||
           (a->space == AddressSpace::Local && f_.kind == LoopKind::Lcl);
  }
  bool depends(const std::vector<Nat>& position) const {
    return std::any_of(position.begin(), position.end(), [&](const Nat& n) {
      const Nat p = expanded(n, in_.names());
      return std::any_of(indices_.begin(), indices_.end(), [&](const Nat& v) { return mentions(p, v); });
    });
  }
  const For& f_;
  const Surroundings& in_;
  std::vector<Nat> indices_;  ///< the loop's, and those of loops within whose bounds depend on it
  std::set<std::string> own_;
};

}  // namespace

/// Within a loop that threads share, and within what each of them has.
Complaint scratch_of_threads(const Stmt& s, const Surroundings& in) {
  const auto* a = std::get_if<Allocate>(&s.v);
  if (!a || a->space != AddressSpace::Scratch) return {};
  const Nat end = a->offset + Layout({}, a->type).size() *
                                  static_cast<std::int64_t>(size_of(element_of(a->type).scalar()));
  if (Facts().proves(less(in.kernel.scratch, end)))
    return "the scratch " + a->name + " ends at " + end.str() + " of " + in.kernel.scratch.str() + " bytes";
  return {};
}

/// No two iterations of a parallel loop write one variable, or one element whatever their index.
Complaint independent_iterations(const Stmt& s, const Surroundings& in) {
  const For* f = loop(s);
  if (!f || !is_parallel_loop(*f) || !Facts().proves(less(f->lower + 1, f->upper))) return {};
  return SameInAll(*f, in).in(f->body);
}

}  // namespace lift
