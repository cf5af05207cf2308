// The roofline of a kernel as a kernel: what is read is read once, what is written is written once, next to
// nothing is computed. It is made from the translated loops, so it needs to know nothing of the operator.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "lower/analyses/load_classes.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "lower/passes/pipeline.hpp"

namespace lift {
namespace {

/// Whether what is stored in b lies in the kernel's arrays, with no guard around: those guards that leave out
/// what lies beyond must stay.
bool stores_within_arrays(const Block& b, const Kernel& k) {
  return !holds(b, [&](const Stmt& s) {
    const auto* t = std::get_if<Store>(&s.v);
    if (!t) return false;
    const auto array = std::find_if(k.arguments.begin(), k.arguments.end(),
                                    [&](const KernelArgument& a) { return a.name == t->array; });
    if (array == k.arguments.end()) return false;
    const std::vector<Nat> shape = shape_of(array->type);
    for (std::size_t d = 0; d < shape.size() && d < t->position.size(); ++d)
      if (!Facts().proves(less_equal(0, t->position[d])) ||
          !Facts().proves(less_equal(t->position[d], shape[d] - 1)))
        return true;
    return false;
  });
}

/// What the names of a block stand for.
class Names {
 public:
  explicit Names(const Block& b) {
    visit(b, [&](const Stmt& s) {
      if (const auto* l = std::get_if<Let>(&s.v)) values_[l->local->name] = expanded(l->value);
    });
  }
  Term expanded(const Term& t) const {
    return rewrite(t, [&](const Term& x) {
      const auto it = x->kind == TermKind::Local ? values_.find(x->name) : values_.end();
      return it == values_.end() ? x : it->second;
    });
  }

 private:
  std::map<std::string, Term> values_;
};

/// What is loaded, and what is loaded for names; of that, elements at boundaries are those that others reach
/// where the array is loaded in any case.
LoadClasses loads_of(const Term& value, const Names& names) {
  LoadClasses classes;
  classes.add_all_of(value);
  visit(names.expanded(value), [&](const Term& x) {
    if (x->kind == TermKind::Load && !(has_choices(x->nats) && loads(value, x->name))) classes.add(x);
  });
  return classes;
}

Block drop_guards_and_arithmetic(const Block& b, const Kernel& k) {
  const Names names(b);
  return rebuild(b, [&](Stmt s) -> Block {
    if (auto* i = std::get_if<If>(&s.v)) {
      if (stores_within_arrays(i->body, k)) return std::move(i->body);
      return {std::move(s)};
    }
    if (auto* t = std::get_if<Store>(&s.v)) {
      t->value = loads_of(t->value, names).mean(t->value->type);
      if (t->value ==
          load_term(t->array, t->position, t->value->type))  // else the compiler drops the statement
        t->value = apply_term(Op::Add, t->value->type, {t->value, constant_term(1, t->value->type)});
    }
    return {std::move(s)};
  });
}

/// What is loaded for positions that are computed is added to the values: it stays where the positions do
/// not.
Block with_loads_for_positions(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    auto* t = std::get_if<Store>(&s.v);
    if (!t) return {std::move(s)};
    Term value = t->value;
    const Op both = value->type == boolean ? Op::Or : Op::Add;
    visit(t->value, [&](const Term& x) {
      if (x->kind != TermKind::Load) return;
      for (const Term& position : x->args)
        visit(position, [&](const Term& l) {
          if (l->kind == TermKind::Load && l->args.empty())
            value = apply_term(both, value->type, {value, apply_term(Op::Cast, value->type, {l})});
        });
    });
    t->value = value;
    return {std::move(s)};
  });
}

constexpr std::int64_t kChunk = 8192;  ///< iterations

/// A long loop is cut into chunks, so that it can be both parallel and vectorised.
Block chunked(const For& f) {
  For outer;
  outer.lower = 0, outer.upper = ceildiv(f.upper - f.lower, kChunk);
  outer.var = Nat::fresh(f.var.str() + "t", 0, outer.upper - 1);
  const Nat lower = f.lower + kChunk * outer.var;
  outer.body = make_loop(f, lower, min(f.upper, lower + kChunk));
  return {{std::move(outer)}};
}

// ---- reductions: rows are added up in lanes, one sum a row is kept; what is written beside them is written

bool accumulates(const Block& b) {
  return std::any_of(b.begin(), b.end(), [](const Stmt& s) { return std::holds_alternative<Assign>(s.v); });
}
bool reduces(const Block& b) {
  return holds(b, [](const Stmt& s) { return std::holds_alternative<Assign>(s.v); });
}

Term loads_in(const Block& b, Scalar type) {
  LoadClasses classes;
  visit_terms(b, [&](const Term& x) {
    if (x->kind == TermKind::Load) classes.add(x);
  });
  return classes.mean(type);
}

/// What a reduction is fed with may be of another type than its result.
Scalar type_of_loads(const Block& b, Scalar otherwise) {
  Scalar type = otherwise;
  visit_terms(b, [&](const Term& x) {
    if (x->kind == TermKind::Load) type = x->type;
  });
  return type;
}

For loop_over(const std::string& name, const Nat& trips, const Block& body, const Nat& variable) {
  For f;
  f.var = Nat::fresh(name, 0, trips - 1);
  f.lower = 0, f.upper = trips;
  f.body = substitute(body, variable, f.var);
  return f;
}

/// The innermost loop of a reduction as a sum in `lanes` accumulators, and what does not fill them one by
/// one.
Block row_sum(const For& f, std::int64_t lanes, Scalar type, const std::string& sum) {
  const Nat trips = floordiv(f.upper - f.lower, lanes), l = Nat::fresh("l", 0, lanes - 1),
            ii = Nat::fresh("ii", 0, trips - 1);
  const Term value = loads_in(f.body, type);
  const auto add = [&](const Nat& at, const Nat& index) -> Stmt {
    return {Store{sum,
                  {at},
                  apply_term(Op::Add, type, {load_term(sum, {at}, type), substitute(value, f.var, index)}),
                  false}};
  };
  Block r{{Allocate{sum, array({lanes}, type), AddressSpace::Private}}};
  r.push_back({loop_over("l", lanes, {{Store{sum, {l}, constant_term(0, type), false}}}, l)});
  r.push_back({loop_over("ii", trips, {{loop_over("l", lanes, {add(l, f.lower + lanes * ii + l)}, l)}}, ii)});
  const Nat done = f.lower + lanes * trips;
  For rest = f;
  rest.body = {add(f.var - done, f.var)};
  for (Stmt& s : make_loop(std::move(rest), done, f.upper)) r.push_back(std::move(s));
  return r;
}

/// `around` are the loops around the statements of b.
Block sum_rows(const Block& b, Kernel& k, std::int64_t lanes, Scalar result, std::vector<For>& around) {
  Block r;
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    if (!f) continue;
    if (accumulates(f->body) && std::none_of(f->body.begin(), f->body.end(), [](const Stmt& x) {
          return std::holds_alternative<For>(x.v);
        })) {
      std::vector<Nat> shape, position;
      for (const For& a : around) shape.push_back(a.upper - a.lower), position.push_back(a.var - a.lower);
      if (shape.empty()) shape.emplace_back(1), position.emplace_back(0);
      const std::string number = std::to_string(k.arguments.size()), name = "sums" + number,
                        sum = "sum" + number;
      const Scalar type = type_of_loads(f->body, result);
      k.arguments.push_back(
          {name, array(shape, type), Layout({}, array(shape, type)), true, false, {}, true});
      Block row = row_sum(*f, lanes, type, sum);
      row.push_back({Store{name, position, load_term(sum, {0}, type), false}});
      r.insert(r.end(), row.begin(), row.end());
      continue;
    }
    For g = *f;
    if (!reduces(f->body)) {
      g.body = drop_guards_and_arithmetic(f->body, k);
      const Block whole = around.empty() && !has_loop(g.body) ? chunked(g) : Block{{std::move(g)}};
      r.insert(r.end(), whole.begin(), whole.end());
      continue;
    }
    around.push_back(g);
    g.body = sum_rows(f->body, k, lanes, result, around);
    around.pop_back();
    r.push_back({std::move(g)});
  }
  return r;
}

// ---- reductions inside of what is not kept: their loops are not there any more

class LostLoops {
 public:
  explicit LostLoops(const Kernel& k) : body_(k.body) {
    for (const KernelArgument& a : k.arguments)
      for (const Nat& n : shape_of(a.type)) add(n);
    visit(body_, [&](const Stmt& s) {
      if (const auto* f = std::get_if<For>(&s.v)) add(f->var);
    });
  }

  /// Loops that add up what is read in such loops, one nest a class of loads; of loads at computed positions,
  /// which may be any element's, one nest an array.
  Block sums() const {
    LoadClasses classes;
    std::map<std::string, Term> anywhere;
    visit_terms(body_, [&](const Term& x) {
      if (x->kind != TermKind::Load || lost_in(x->nats).empty()) return;
      if (std::any_of(x->nats.begin(), x->nats.end(), is_computed))
        anywhere.emplace(x->name, x);
      else
        classes.add(x);
    });
    std::vector<Term> loads = classes.loads();
    for (const auto& [name, load] : anywhere) loads.push_back(load);
    Block r;
    for (const Term& load : loads)
      if (auto nest = sum_of(load)) r.insert(r.end(), nest->begin(), nest->end());
    return r;
  }

  /// The body without them: the first element of what they read stands for all.
  Block first_elements() const {
    return map_nats(body_, [&](Nat n) {
      for (auto lost = lost_in({n}); !lost.empty(); lost = lost_in({n})) {
        std::map<const NatAtom*, Nat> first;
        for (const NatAtom* v : lost) first.emplace(v, v->lower);
        n = substitute(n, first);  // may be that of another
      }
      return n;
    });
  }

 private:
  void add(const Nat& n) {
    for (const NatAtom* v : variables(n)) there_.insert(v);
  }
  std::vector<const NatAtom*> lost_in(const std::vector<Nat>& position) const {
    std::vector<const NatAtom*> r;
    for (const Nat& n : position)
      for (const NatAtom* v : variables(n))
        if (there_.count(v) == 0) r.push_back(v);
    return r;
  }
  /// Loops over all variables of the load, those of its last dimensions innermost, and over all values of
  /// computed positions. None where the range of one is no number.
  static std::optional<Block> sum_of(const Term& load) {
    std::vector<const NatAtom*> loops;
    for (const Nat& n : load->nats)
      for (const NatAtom* v : variables(n)) {
        if (!v->bounded_above || !v->lower.is_constant() || !v->upper.is_constant()) return std::nullopt;
        if (std::find(loops.begin(), loops.end(), v) == loops.end()) loops.push_back(v);
      }
    std::map<const NatAtom*, Nat> own;  // all at once: what a position is computed from is not looked at
    for (const NatAtom* v : loops)
      own.emplace(v, Nat::fresh(v->computed ? "at" : v->name, v->lower, v->upper));
    std::vector<Nat> position = load->nats;
    for (Nat& n : position) n = substitute(n, own);
    const Term sum = local_term("sum", load->type);
    Block b{
        {Assign{sum, apply_term(Op::Add, load->type, {sum, load_term(load->name, position, load->type)})}}};
    for (std::size_t l = loops.size(); l-- > 0;) {
      For f;
      f.var = own.at(loops[l]);
      f.lower = loops[l]->lower, f.upper = loops[l]->upper + 1;
      f.body = std::move(b);
      b = {{std::move(f)}};
    }
    return b;
  }

  Block body_;
  std::set<const NatAtom*> there_;  ///< variables of loops and sizes
};

/// The innermost loops of reductions in chunks, unless they are short.
Block chunked_reductions(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    const auto* f = std::get_if<For>(&s.v);
    if (!f || !accumulates(f->body) || Facts().proves(less_equal(f->upper - f->lower, kChunk)))
      return {std::move(s)};
    return chunked(*f);
  });
}

struct Schedule {
  std::string name;
  int parallel = 1;  ///< outermost loops
  bool late = false, stream = false;
  bool sums = false;  ///< the program is a reduction
  int dynamic = 0;    ///< see For
};

/// Every iteration stores the same element: what is left of an update that nothing reads, say.
bool stores_one_place(const For& f) {
  std::set<std::string> own;
  visit(f.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) own.insert(a->name);
  });
  return holds(f.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    return x && own.count(x->array) == 0 &&
           std::none_of(x->position.begin(), x->position.end(),
                        [&](const Nat& n) { return mentions(n, f.var); });
  });
}

Block schedule(const Block& b, const Schedule& how, int width, int depth = 0) {
  Block r = b;
  const bool makes_sum =
      std::any_of(b.begin(), b.end(), [](const Stmt& s) { return std::holds_alternative<Allocate>(s.v); });
  for (Stmt& s : r) {
    if (auto* t = std::get_if<Store>(&s.v)) t->stream = how.stream;
    auto* f = std::get_if<For>(&s.v);
    if (!f) continue;
    const bool innermost = !has_loop(f->body);
    f->kind = depth < how.parallel && !innermost ? LoopKind::Par : innermost ? LoopKind::Vec : LoopKind::Seq;
    if (innermost && depth == 0) f->kind = LoopKind::Par;
    if (makes_sum) f->kind = innermost ? LoopKind::Vec : LoopKind::Seq;
    if (stores_one_place(*f)) f->kind = LoopKind::Seq;
    f->width = f->kind == LoopKind::Vec ? width : 1, f->stride = 1;
    f->dynamic = f->kind == LoopKind::Par ? how.dynamic : 0;
    f->late_store = how.late && f->kind == LoopKind::Vec;
    f->body = schedule(f->body, how, width, depth + 1);
  }
  return r;
}

/// Loops over the small blocks that cells make are unrolled: the loops around them go along rows. After
/// bounds are tightened, so that no guard is lost with which an element beyond the array is left out.
Block without_blocks(const Block& b) {
  return unroll_short_loops(rebuild(b, [](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v); f && (f->upper - f->lower).constant().value_or(3) <= 2)
      f->kind = LoopKind::Unroll, f->width = 1;
    return {std::move(s)};
  }));
}

/// As vectors, or where they cannot be, element by element.
Kernel finished(const Kernel& k, LowerOptions options) {
  options.contract = false;
  try {
    return finish(k, options);
  } catch (const UserError&) {
    Kernel scalar = k;
    scalar.body = rebuild(k.body, [](Stmt s) -> Block {
      if (auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Vec)
        f->kind = LoopKind::Seq, f->width = 1, f->late_store = false;
      return {std::move(s)};
    });
    return finish(std::move(scalar), options);
  }
}

/// A loop that is the only one, in chunks.
Block chunked_single(const Block& b) {
  if (b.size() != 1 || !std::holds_alternative<For>(b[0].v)) return b;
  const For& f = std::get<For>(b[0].v);
  return has_loop(f.body) ? b : chunked(f);
}

}  // namespace

std::vector<Kernel> lower_traffic_twins(const Program& program, const LowerOptions& given) {
  LowerOptions options = given;
  options.target = Target::openmp;
  Kernel base = lower_without_steps(program);
  base.body = with_loads_for_positions(base.body);
  const LostLoops lost(base);
  base.body = lost.first_elements();
  bool updates = false;
  Scalar type = f64;
  for (const KernelArgument& a : base.arguments)
    if (a.written) updates = a.read, type = element_of(a.type).scalar();
  const int lanes = static_cast<int>(static_cast<std::size_t>(options.vector_bytes) / size_of(type));
  const bool sums = reduces(base.body);
  const auto in_rows = [&](const Block& b) {
    std::vector<For> around;
    return sum_rows(chunked_reductions(b), base, std::int64_t{4} * lanes, type, around);
  };
  const Block inside = in_rows(lost.sums());
  if (sums) {
    const Names names(base.body);
    base.body = in_rows(map_terms(base.body, [&](const Term& t) { return names.expanded(t); }));
  } else {
    base.body = chunked_single(drop_guards_and_arithmetic(without_blocks(base.body), base));
  }
  std::vector<Schedule> schedules;
  for (const int parallel : {1, 2}) {
    const std::string name = parallel == 1 ? "outer" : "outer2";
    schedules.push_back({name, parallel, false, false, sums});
    if (sums) continue;
    schedules.push_back({name + "-late", parallel, true, false, false});
    if (!updates) schedules.push_back({name + "-stream", parallel, false, true, false});
  }
  if (!sums) schedules.push_back({"outer-dynamic", 1, false, false, false, 1});
  std::vector<Kernel> r;
  for (const Schedule& s : schedules) {
    Kernel k = base;
    k.name = "twin";
    k.header = {"traffic twin of " + program.name + ", schedule " + s.name};
    k.body = schedule(k.body, s, lanes);
    for (Stmt& x : schedule(inside, {s.name, s.parallel, false, false, true}, lanes))
      k.body.push_back(std::move(x));
    r.push_back(finished(k, options));
  }
  return r;
}

}  // namespace lift
