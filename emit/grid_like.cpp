#include "emit/grid_like.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

bool is_grid_loop(const For& f) { return f.kind >= LoopKind::Glb; }

const Allocate* local_array(const Stmt& s) {
  const auto* a = std::get_if<Allocate>(&s.v);
  return a && a->space == AddressSpace::Local ? a : nullptr;
}

bool has_barrier(const Stmt& s) {
  return holds({s}, [](const Stmt& x) { return std::holds_alternative<Barrier>(x.v); });
}

/// Calls f with the axes that grid loops within s tell apart at each of its stores to one of the arrays that
/// others see; `rows`: but asynchronous ones, which a group does together.
template <class Axes, class F>
void visit_stores(const Stmt& s, const std::set<std::string>& own, bool rows, Axes bound, const F& f) {
  const auto below = [&](const Block& b) {
    for (const Stmt& x : b) visit_stores(x, own, rows, bound, f);
  };
  if (const auto* x = std::get_if<Store>(&s.v))
    if (!own.count(x->array) && !(rows && x->async)) f(bound);
  if (const auto* x = std::get_if<If>(&s.v)) below(x->body);
  if (const auto* x = std::get_if<For>(&s.v)) {
    if (is_grid_loop(*x)) bound.insert({x->kind, x->dim});
    below(x->body);
  }
}

}  // namespace

GridLike::GridLike(const Kernel& k, Target target, const std::string& index_type,
                   const std::vector<std::string>& words)
    : CLike(k), range_(nd_range(k, target)) {
  for (const KernelArgument& a : k.arguments)
    if (std::find(words.begin(), words.end(), a.name) != words.end())
      throw UserError("argument '" + a.name + "' has a word of " +
                      (target == Target::cuda ? "CUDA C++" : "OpenCL C") + " as its name; choose another");
  index_type_ = index_type;
  std::array<bool, 3> global{};
  visit(k.body, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Glb) global[at(f->dim)] = true;
    if (const auto* a = std::get_if<Allocate>(&s.v); a && a->space == AddressSpace::Private)
      private_.insert(a->name);
  });
  for (int d = 0; d < range_.dims; ++d) {
    if (global[at(d)])
      axes_.emplace_back(LoopKind::Glb, d);
    else
      axes_.emplace_back(LoopKind::Wrg, d), axes_.emplace_back(LoopKind::Lcl, d);
  }
  std::erase_if(axes_, [&](const Axis& a) { return extent(a) <= 1; });
}

std::size_t GridLike::extent(const Axis& a) const {
  return a.first == LoopKind::Glb   ? range_.global[at(a.second)]
         : a.first == LoopKind::Wrg ? groups(a.second)
                                    : local_size(a.second);
}

std::string GridLike::function() {
  visit(k_.body, [&](const Stmt& s) {
    if (const Allocate* a = local_array(s)) CLike::statement({*a});
  });
  bool copies = false;
  visit(k_.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    copies |= x && x->async;
  });
  if (copies && copies_rows()) line(declarations());
  for (const Stmt& s : k_.body) statement(s);
  return wrapped(signature(), 0) + "\n" + out_ + "}\n";
}

void GridLike::open(const std::string& text) {
  line(text.empty() ? "{" : text + " {");
  ++indent_;
  open_scope();
}
void GridLike::close() {
  close_scope();
  --indent_;
  line("}");
}

/// Axes along which all work-items would do the same stores.
std::vector<GridLike::Axis> GridLike::idle_axes(const Stmt& s) const {
  std::vector<Axis> idle;
  for (const Axis& a : axes_)
    if (!bound_.count(a)) idle.push_back(a);
  if (idle.empty() || has_barrier(s)) return {};
  bool stores = false;
  visit_stores(s, private_, copies_rows(), std::set<Axis>{}, [&](const std::set<Axis>& told) {
    stores = true;
    std::erase_if(idle, [&](const Axis& a) { return told.count(a) > 0; });
  });
  return stores ? idle : std::vector<Axis>{};
}

void GridLike::statement(const Stmt& s) {
  if (local_array(s)) return;  // stands at the kernel's start
  const std::vector<Axis> idle = idle_axes(s);
  if (idle.empty()) return CLike::statement(s);
  std::vector<std::string> first;
  for (const Axis& a : idle) first.push_back(id(a.first, a.second) + " == 0");
  const std::set<Axis> around = bound_;
  bound_.insert(idle.begin(), idle.end());
  open("if (" + joined(first, " && ") + ")");
  CLike::statement(s);
  close();
  bound_ = around;
}

void GridLike::loop(const For& f) {
  if (f.kind == LoopKind::Par) throw InternalError("emit: map_par in a kernel over a grid");
  if (is_grid_loop(f)) return grid_loop(f);
  if (f.kind == LoopKind::Unroll) {
    const auto trips = (f.upper - f.lower).constant();
    return plain_loop(f, f.width > 1 ? "#pragma unroll " + std::to_string(f.width)
                         : trips     ? "#pragma unroll"
                                     : "#pragma unroll 4");
  }
  if (f.kind == LoopKind::Seq && f.width > 1)
    return plain_loop(f, "#pragma unroll " + std::to_string(f.width));
  constexpr std::int64_t few =
      16;  // arrays that such loops go through are registers only when they are unrolled
  plain_loop(f, (f.upper - f.lower).constant().value_or(few + 1) > few ? as_written() : "");
}

/// A row that the group copies together; false when the loop is none.
bool GridLike::row_loop(const For& f) {
  const auto* s = f.body.size() == 1 ? std::get_if<Store>(&f.body[0].v) : nullptr;
  if (!copies_rows() || f.kind != LoopKind::Lcl || !s || !s->async) return false;
  const auto contiguous = [&](const Nat& at) { return substitute(at, f.var, f.var + 1) - at == Nat(1); };
  if (!contiguous(s->position.at(0)) || !contiguous(s->value->nats.at(0)))
    throw UserError("async: the rows of " + s->value->name +
                    " that are copied are not contiguous; leave out async");
  if (std::any_of(bound_.begin(), bound_.end(), [](const Axis& a) { return a.first == LoopKind::Lcl; }))
    throw UserError("async: all work-items of a group copy a row of " + s->value->name +
                    " together, which they cannot within a loop over work-items; use map_seq around it");
  const auto first = [&](const std::string& array, const Nat& at) {
    return "&" + array + "[" + nat(substitute(at, f.var, f.lower)).s + "]";
  };
  line(row_copy(first(s->array, s->position[0]), first(s->value->name, s->value->nats[0]),
                nat(f.upper - f.lower).s));
  return true;
}

/// One iteration a work-item where there are enough of them, else a loop over those dealt to this one.
void GridLike::grid_loop(const For& f) {
  if (row_loop(f)) return;
  const Axis axis{f.kind, f.dim};
  const std::set<Axis> around = bound_;
  bound_.insert(axis);
  const Nat trips = f.upper - f.lower;
  const auto exact = trips.constant();
  const std::size_t items = extent(axis);
  const std::string own = id(f.kind, f.dim), lower = f.lower == Nat(0) ? "" : nat(f.lower).in(6) + " + ",
                    upper = nat(f.upper).in(5);
  if (f.items > 0 && !(exact && *exact <= f.items)) {
    // All work-items of a launch take part where the grid is larger, but a group's own are told apart by
    // number.
    const bool fewer = f.kind == LoopKind::Lcl && static_cast<std::size_t>(f.items) < items;
    if (fewer) open("if (" + own + " < " + std::to_string(f.items) + ")");
    dealt_loop(f, lower, upper, own);
    if (fewer) close();
    bound_ = around;
    return;
  }
  const bool guarded = !exact || static_cast<std::size_t>(*exact) < items;
  if (guarded && !exact) open("");  // the name is this iteration's
  const std::string v = declare(f.var);
  line("const " + index_type_ + " " + v + " = " + lower + own + ";");
  if (guarded) open("if (" + v + " < " + upper + ")");
  for (const Stmt& s : f.body) statement(s);
  if (guarded) close();
  if (guarded && !exact) close();
  bound_ = around;
}

/// A few trips are counted, so that compilers unroll them; the last may be for some of the work-items only.
void GridLike::dealt_loop(const For& f, const std::string& lower, const std::string& upper,
                          const std::string& own) {
  constexpr std::int64_t few = 8;
  const auto step = static_cast<std::int64_t>(f.kind == LoopKind::Lcl ? static_cast<std::size_t>(f.items)
                                                                      : extent({f.kind, f.dim}));
  const auto exact = (f.upper - f.lower).constant();
  if (exact && *exact <= few * step && f.kind != LoopKind::Wrg) {
    line("#pragma unroll");
    open_scope();
    const Nat trip = Nat::fresh("trip", 0, few - 1);
    const std::string t = declare(trip);
    open("for (" + index_type_ + " " + t + " = 0; " + t + " < " + std::to_string((*exact + step - 1) / step) +
         "; ++" + t + ")");
    const std::string v = declare(f.var);
    line("const " + index_type_ + " " + v + " = " + lower + own + " + " + std::to_string(step) + "*" + t +
         ";");
    if (*exact % step != 0) open("if (" + v + " < " + upper + ")");
    block(f.body);
    if (*exact % step != 0) close();
    close();
    return close_scope();
  }
  open_scope();
  const std::string v = declare(f.var);
  open("for (" + index_type_ + " " + v + " = " + lower + own + "; " + v + " < " + upper + "; " + v +
       " += " + std::to_string(step) + ")");
  block(f.body);
  close();
  close_scope();
}

std::string emit_source(const Kernel& kernel, Target target) {
  return target == Target::cuda     ? emit_cuda(kernel)
         : target == Target::opencl ? emit_opencl(kernel)
                                    : emit_openmp(kernel);
}

}  // namespace lift
