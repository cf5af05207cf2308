// The roofline of a kernel as a kernel: what is read is read once, what is written is written once, next to nothing is
// computed. It is made from the translated loops, so it needs to know nothing of the operator.
#include <map>
#include <numeric>

#include "ir/ops.hpp"
#include "lower/pipeline.hpp"
#include "lower/translate.hpp"

namespace lift {
namespace {

/// Updates of overwritable arguments happen in place: copying the base would be traffic that nobody needs.
Expr in_place(const Expr& e) {
  const Expr x = map_children(e, in_place);
  return x.is(Op::Update) ? make(Op::UpdateInPlace, {x.child(0), x.child(1)}, x.attr()) : x;
}
Expr without_layouts(const Expr& e) {
  if (e.is(Op::Layout) || e.is(Op::Stream)) return without_layouts(e.child(0));
  return map_children(e, without_layouts);
}

bool has_atoms(const std::vector<Nat>& position) {
  for (const Nat& n : position)
    for (const NatTerm& t : terms(n))
      for (const NatFactor& f : t.factors)
        if (f.atom->kind != AtomKind::Var) return true;
  return false;
}

/// Loads of one class reach the same elements in different iterations: they differ by a multiple of the step with which the
/// loops go through the array. One of them stands for the class: the one nearest to the centre.
struct LoadClasses {
  std::map<std::vector<std::int64_t>, std::pair<std::int64_t, Term>> nearest;
  std::map<std::string, int> plain;  // loads without boundary arithmetic, by array

  void add(const Term& load) {
    std::vector<std::int64_t> key{0};
    for (const char c : load->name) key.push_back(c);
    std::int64_t distance = 0;
    for (const Nat& n : load->nats) {
      std::int64_t constant = 0, step = 0;
      for (const NatTerm& t : terms(n)) {
        if (t.factors.empty()) constant = t.coefficient;
        else step = std::gcd(step, t.coefficient);
      }
      distance += constant < 0 ? -constant : constant;
      key.push_back((n - constant).id());
      key.push_back(step == 0 ? constant : ((constant % step) + step) % step);
    }
    if (!has_atoms(load->nats)) ++plain[load->name];
    const auto [it, added] = nearest.try_emplace(std::move(key), distance, load);
    if (!added && distance < it->second.first) it->second = {distance, load};
  }
  Term mean(Scalar type) const {
    Term sum;
    int count = 0;
    for (const auto& [key, entry] : nearest) {
      const Term& load = entry.second;
      if (load->type != type || (has_atoms(load->nats) && plain.count(load->name))) continue;
      sum = sum ? apply_term(Op::Add, type, {sum, load}) : load;
      ++count;
    }
    if (!sum) return constant_term(1, type);
    return count == 1 ? sum : apply_term(Op::Mul, type, {sum, constant_term(1.0 / count, type)});
  }
};

Block drop_guards_and_arithmetic(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    if (auto* i = std::get_if<If>(&s.v)) return std::move(i->body);
    if (auto* t = std::get_if<Store>(&s.v)) {
      LoadClasses classes;
      visit(t->value, [&](const Term& x) {
        if (x->kind == TermKind::Load) classes.add(x);
      });
      t->value = classes.mean(t->value->type);
    }
    return {std::move(s)};
  });
}

struct Schedule {
  std::string name;
  int parallel = 1;  ///< outermost loops
  bool late = false, stream = false;
};

Block schedule(const Block& b, const Schedule& how, int width, int depth = 0) {
  Block r = b;
  for (Stmt& s : r) {
    if (auto* t = std::get_if<Store>(&s.v)) t->stream = how.stream;
    auto* f = std::get_if<For>(&s.v);
    if (!f) continue;
    bool innermost = true;
    visit(f->body, [&](const Stmt& x) { innermost &= !std::holds_alternative<For>(x.v); });
    f->kind = depth < how.parallel && !innermost ? LoopKind::Par : innermost ? LoopKind::Vec : LoopKind::Seq;
    if (innermost && depth == 0) f->kind = LoopKind::Par;
    f->width = f->kind == LoopKind::Vec ? width : 1, f->stride = 1;
    f->late_store = how.late && f->kind == LoopKind::Vec;
    f->body = schedule(f->body, how, width, depth + 1);
  }
  return r;
}

/// A single loop is cut into chunks, so that it can be both parallel and vectorised.
Block chunked(const Block& b) {
  if (b.size() != 1 || !std::holds_alternative<For>(b[0].v)) return b;
  For f = std::get<For>(b[0].v);
  bool nested = false;
  visit(f.body, [&](const Stmt& s) { nested |= std::holds_alternative<For>(s.v); });
  if (nested) return b;
  constexpr std::int64_t chunk = 8192;
  For outer;
  outer.lower = 0, outer.upper = ceildiv(f.upper - f.lower, chunk);
  outer.var = Nat::fresh(f.var.str() + "t", 0, outer.upper - 1);
  const Nat lower = f.lower + chunk * outer.var;
  outer.body = make_loop(f, lower, min(f.upper, lower + chunk));
  return {{std::move(outer)}};
}

}  // namespace

std::vector<Kernel> lower_traffic_twins(const Program& program, const LowerOptions& options) {
  Program p = program;
  p.body = without_layouts(p.body);
  if (!p.overwritable.empty()) p.body = in_place(p.body);
  Kernel base = translate(p);
  base.body = chunked(drop_guards_and_arithmetic(remove_trivial_loops(tighten_bounds(base.body))));
  bool updates = false;
  Scalar type = f64;
  for (const KernelArgument& a : base.arguments)
    if (a.written) updates = a.read, type = element_of(a.type).scalar();
  const int lanes = static_cast<int>(static_cast<std::size_t>(options.vector_bytes) / size_of(type));
  std::vector<Schedule> schedules{{"outer", 1, false, false}, {"outer2", 2, false, false}, {"outer-late", 1, true, false}, {"outer2-late", 2, true, false}};
  if (!updates) schedules.push_back({"outer-stream", 1, false, true}), schedules.push_back({"outer2-stream", 2, false, true});
  std::vector<Kernel> r;
  for (const Schedule& s : schedules) {
    Kernel k = base;
    k.name = "twin";
    k.header = {"traffic twin of " + program.name + ", schedule " + s.name};
    k.body = schedule(k.body, s, lanes);
    r.push_back(finish(std::move(k), options));
  }
  return r;
}

}  // namespace lift
