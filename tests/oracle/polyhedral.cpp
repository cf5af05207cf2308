#include "tests/oracle/polyhedral.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "ir/expr/layout.hpp"

namespace lift::oracle {
namespace {

using Texts = std::vector<std::string>;

[[noreturn]] void unknown(const std::string& what) { throw std::runtime_error("isl is not told of " + what); }

std::string joined(const Texts& parts, const std::string& between, const std::string& empty = "") {
  std::string all;
  for (const std::string& p : parts) all += (&p == &parts[0] ? "" : between) + p;
  return parts.empty() ? empty : all;
}
std::string tuple(const std::string& name, const Texts& elements) {
  return name + "[" + joined(elements, ", ") + "]";
}
std::string either(const std::string& a, const std::string& b) { return "((" + a + ") or (" + b + "))"; }

/// A load within the value of a store, under the conditions of the selections around it.
struct Load {
  std::string array;
  Texts cell, conditions;
};
struct ParallelLoop {
  std::size_t depth;   ///< of its variable among those around a statement
  int id;              ///< which loop
  bool team;           ///< it is shared by a team, whose loop over steps is the next one around
  std::size_t shared;  ///< all of them with the same first variables, so many, may run at the same time
};
struct Statement {
  Texts variables, date, domain;
  std::string array;
  Texts cell, position;
  std::vector<Load> loads;
  bool copy = false;
  std::vector<ParallelLoop> parallel;
};

/// Goes through loops, and says in isl's words what it sees.
class Reader {
 public:
  explicit Reader(const Kernel& k) {
    for (const KernelArgument& a : k.arguments)
      if (!a.range.empty()) {
        parameters_.push_back(a.name);
        context_.push_back(text(a.range[0]) + " <= " + a.name + " <= " + text(a.range[1]));
      }
    block(k.body);
  }
  std::vector<Statement> statements;
  std::set<std::string> own;  ///< arrays that the kernel allocates
  /// `[colour] -> { map : conditions and what is known of parameters }`
  std::string relation(const std::string& map, Texts conditions) const {
    conditions.insert(conditions.end(), context_.begin(), context_.end());
    return "[" + joined(parameters_, ", ") + "] -> { " + map + " : " + joined(conditions, " and ", "true") +
           " }";
  }

 private:
  Texts parameters_, context_;
  std::map<const NatAtom*, std::string> names_;
  std::map<std::string, Texts> allocated_;  ///< by the iterations that have each array to themselves
  Statement here_;
  std::vector<std::size_t> teams_;  ///< depths of loops that teams go through
  int loops_ = 0;

  std::string atom(const NatAtom& a) const {
    const auto name = names_.find(&a);
    switch (a.kind) {
      case AtomKind::Var:
        return name != names_.end() ? name->second : a.name;
      case AtomKind::FloorDiv:
        return "floor((" + text(a.a) + ")/" + a.b.str() + ")";
      case AtomKind::Mod:
        return "((" + text(a.a) + ") mod " + text(a.b) + ")";
      case AtomKind::Min:
        return "min(" + text(a.a) + ", " + text(a.b) + ")";
      case AtomKind::Max:
        return "max(" + text(a.a) + ", " + text(a.b) + ")";
    }
    unknown(a.name);
  }
  std::string text(const Nat& n) const {
    Texts sum;
    for (const NatTerm& t : terms(n)) {
      if (t.factors.size() > 1 || (t.factors.size() == 1 && t.factors[0].power != 1)) unknown(n.str());
      sum.push_back(std::to_string(t.coefficient) +
                    (t.factors.empty() ? "" : " * " + atom(*t.factors[0].atom)));
    }
    return joined(sum, " + ", "0");
  }
  Texts texts(const std::vector<Nat>& position) const {
    Texts all;
    for (const Nat& n : position) all.push_back(text(n));
    return all;
  }
  std::string text(const NatCond& c) const {
    const char* than = c.kind == NatCond::Kind::NonNegative ? " >= 0"
                       : c.kind == NatCond::Kind::Zero      ? " = 0"
                                                            : " != 0";
    return text(c.a) + than;
  }
  /// Empty: it depends on what is stored.
  std::string condition(const Term& t, bool holds = true) const {
    if (t->kind == TermKind::Constant) return (t->number != 0) == holds ? "true" : "false";
    if (t->kind == TermKind::Compare) return text(holds ? t->conds[0] : negate(t->conds[0]));
    if (t->kind != TermKind::Apply) return "";
    if (t->op == Op::Not) return condition(t->args[0], !holds);
    if (t->op != Op::And && t->op != Op::Or) return "";
    const std::string a = condition(t->args[0], holds), b = condition(t->args[1], holds);
    if (a.empty() || b.empty()) return "";
    return (t->op == Op::And) == holds ? "((" + a + ") and (" + b + "))" : either(a, b);
  }
  Texts cell_of(const std::string& array, const std::vector<Nat>& position) const {
    Texts cell = texts(position);
    if (const auto a = allocated_.find(array); a != allocated_.end())
      cell.insert(cell.begin(), a->second.begin(), a->second.end());
    return cell;
  }
  void loads(const Term& t, const Texts& conditions) {
    if (t->kind == TermKind::Local) unknown("local values");
    if (t->kind == TermKind::Load) here_.loads.push_back({t->name, cell_of(t->name, t->nats), conditions});
    const bool selects = t->kind == TermKind::Apply && t->op == Op::Select;
    for (std::size_t i = 0; i < t->args.size(); ++i) {
      Texts inner = conditions;
      if (const std::string c = selects && i > 0 ? condition(t->args[0], i == 1) : ""; !c.empty())
        inner.push_back(c);
      loads(t->args[i], inner);
    }
  }

  void block(const Block& b) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      const Statement around = here_;
      here_.date.push_back(std::to_string(i));
      statement(b[i]);
      here_ = around;
    }
  }
  void statement(const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
    if (const auto* a = std::get_if<Allocate>(&s.v)) {
      own.insert(a->name);
      if (!allocated_.emplace(a->name, here_.variables).second) unknown("two arrays of one name");
      return;
    }
    if (const auto* i = std::get_if<If>(&s.v)) {
      for (const Term& t : i->conditions) {
        here_.domain.push_back(condition(t));
        if (here_.domain.back().empty()) unknown("the condition " + str(t));
      }
      return block(i->body);
    }
    const auto* x = std::get_if<Store>(&s.v);
    if (!x) unknown(str(Block{s}));
    here_.array = x->array, here_.cell = cell_of(x->array, x->position), here_.position = texts(x->position);
    here_.copy = x->value->kind == TermKind::Load;
    loads(x->value, {});
    statements.push_back(here_);
  }
  void loop(const For& f) {
    if (!(f.step == Nat(1))) unknown("a loop by steps");
    const std::size_t depth = here_.variables.size();
    const std::string name = "c" + std::to_string(depth);
    here_.domain.push_back(text(f.lower) + " <= " + name);
    here_.domain.push_back(name + " < " + text(f.upper));
    here_.variables.push_back(name), here_.date.push_back(name);
    names_[variables(f.var)[0]] = name;
    if (f.kind == LoopKind::Par) {
      // Within an iteration of a team's shared loop, loops are shared with nobody of another loop.
      const bool team = !teams_.empty() && std::none_of(here_.parallel.begin(), here_.parallel.end(),
                                                        [&](const ParallelLoop& p) { return p.team; });
      here_.parallel.push_back({depth, ++loops_, team, team ? teams_.back() + 1 : depth});
    } else if (f.kind != LoopKind::Seq && f.kind != LoopKind::Unroll) {
      unknown("loops of a kind");
    }
    if (f.team) teams_.push_back(depth);
    block(f.body);
    if (f.team) teams_.pop_back();
  }
};

/// One element: `stage2[4, 3]`, or with parameters `stage2[4, 3] : colour = 1`.
std::string example(const isl::union_set& s) {
  std::ostringstream out;
  out << isl::union_set(s.sample_point().to_set());
  const std::string text = out.str();
  const auto from = text.find("{ ") + 2;
  return text.substr(from, text.rfind(" }") - from);
}

isl::union_map at_one_of(const isl::union_map& m) {
  const isl::union_set one(m.wrap().sample_point().to_set());
  return one.unwrap();
}

/// What two iterations that may run at the same time both touch, and at least one writes.
std::string race_in(const Reader& r, const isl::union_map& reads, const isl::union_map& writes) {
  struct Shared {
    isl::union_map iterations;
    std::size_t outer;
  };
  std::map<int, Shared> loops;  // by the loop; all those of a team together
  for (std::size_t n = 0; n < r.statements.size(); ++n)
    for (const ParallelLoop& p : r.statements[n].parallel) {
      const Statement& s = r.statements[n];
      Texts iteration(s.variables.begin(), s.variables.begin() + static_cast<std::ptrdiff_t>(p.shared));
      iteration.push_back(std::to_string(p.id));
      iteration.push_back(s.variables[p.depth]);
      Texts names{"S" + std::to_string(n)};
      for (std::size_t m = 0; m < s.loads.size(); ++m) names.push_back(names[0] + "L" + std::to_string(m));
      for (const std::string& name : names) {
        const isl::union_map is(writes.ctx(),
                                r.relation(tuple(name, s.variables) + " -> " + tuple("", iteration), {}));
        const auto [at, added] =
            loops.emplace(p.team ? -static_cast<int>(p.shared) : p.id, Shared{is, p.shared});
        if (!added) at->second.iterations = at->second.iterations.unite(is);
      }
    }
  for (const auto& [id, shared] : loops) {
    const isl::union_map changed = writes.apply_domain(shared.iterations),
                         touched = changed.unite(reads.apply_domain(shared.iterations));
    Texts one, other, same;
    for (std::size_t d = 0; d < shared.outer + 2; ++d) {
      one.push_back("a" + std::to_string(d)), other.push_back("b" + std::to_string(d));
      if (d < shared.outer) same.push_back(one[d] + " = " + other[d]);
    }
    same.push_back("(" + one[shared.outer] + " != " + other[shared.outer] + " or " + one[shared.outer + 1] +
                   " != " + other[shared.outer + 1] + ")");
    const isl::union_map others(writes.ctx(), r.relation(tuple("", one) + " -> " + tuple("", other), same));
    const isl::union_map meet = changed.apply_range(touched.reverse()).intersect(others);
    if (meet.is_empty()) continue;
    const isl::union_map pair = at_one_of(meet);
    const isl::union_set element = changed.intersect_domain(pair.domain())
                                       .range()
                                       .intersect(touched.intersect_domain(pair.range()).range());
    return "iterations " + example(pair.wrap()) + " of parallel loops both touch " + example(element);
  }
  return "";
}

/// Of each load, the last store to its cell before it. Of all stores, the one with the greatest date: isl's
/// own analysis (union_access_info) asks that dates be either text or loop, and takes a loop of which a
/// statement is in one iteration only for text.
isl::union_map last_before(const isl::union_map& reads, const isl::union_map& writes,
                           const isl::union_map& dates, std::size_t length) {
  Texts now, then;
  for (std::size_t d = 0; d < length; ++d)
    now.push_back("n" + std::to_string(d)), then.push_back("t" + std::to_string(d));
  std::string before = "false", same = "true";
  for (std::size_t d = 0; d < length; ++d) {
    before += " or (" + same + " and " + then[d] + " < " + now[d] + ")";
    same += " and " + then[d] + " = " + now[d];
  }
  const isl::union_map earlier(reads.ctx(),
                               "{ " + tuple("", now) + " -> " + tuple("", then) + " : " + before + " }");
  const isl::union_map stores = dates.intersect_domain(writes.domain());
  return reads.apply_range(writes.reverse())
      .apply_range(stores)
      .intersect(dates.intersect_domain(reads.domain()).apply_range(earlier))
      .lexmax()
      .apply_range(stores.reverse());
}

}  // namespace

Flow flow_of(isl::ctx ctx, const Kernel& loops, const Kernel& placed) {
  const Reader r(loops), positions(placed);
  if (r.statements.size() != positions.statements.size())
    unknown("loops that are others where they are placed");
  const auto relation = [&](const std::string& from, const std::string& to, const Texts& conditions = {}) {
    return isl::union_map(ctx, r.relation(from + " -> " + to, conditions));
  };
  const auto empty = [&] { return isl::union_map(ctx, "{ }"); };
  isl::union_map reads = empty(), writes = empty(), dates = empty(), names = empty(), copies = empty(),
                 origins = empty();
  std::size_t length = 0;
  for (const Statement& s : r.statements) length = std::max(length, s.date.size());
  const auto dated = [&](Texts date, const char* last) {
    date.resize(length, "0");
    date.emplace_back(last);
    return tuple("", date);
  };
  std::map<std::string, std::size_t> dimensions;  // of each array's cells
  int stage = 0;
  for (std::size_t n = 0; n < r.statements.size(); ++n) {
    const Statement& s = r.statements[n];
    const std::string store = "S" + std::to_string(n), self = tuple(store, s.variables);
    const std::string name = "stage" + std::to_string(s.copy ? 0 : ++stage);
    const Texts& position = positions.statements[n].position;
    writes = writes.unite(relation(self, tuple(s.array, s.cell), s.domain));
    dates = dates.unite(relation(self, dated(s.date, "1")));
    if (!s.copy) names = names.unite(relation(self, tuple(name, position)));
    dimensions[s.array] = s.cell.size();
    for (std::size_t m = 0; m < s.loads.size(); ++m) {
      const Load& l = s.loads[m];
      const std::string loads = tuple(store + "L" + std::to_string(m), s.variables);
      Texts conditions = s.domain;
      conditions.insert(conditions.end(), l.conditions.begin(), l.conditions.end());
      reads = reads.unite(relation(loads, tuple(l.array, l.cell), conditions));
      dates = dates.unite(relation(loads, dated(s.date, "0")));
      dimensions[l.array] = l.cell.size();
      if (s.copy)
        copies = copies.unite(relation(self, loads));
      else
        names = names.unite(relation(loads, tuple(name + "_load" + std::to_string(m), position)));
    }
  }
  const std::string race = race_in(r, reads, writes);  // while all reads are within loops
  for (std::size_t n = 0; n < loops.results.size(); ++n)
    for (const KernelArgument& a : loops.arguments) {
      if (a.name != loops.results[n]) continue;
      Texts indices, within;
      for (const Nat& extent : shape_of(a.type)) {
        indices.push_back("i" + std::to_string(indices.size()));
        within.push_back("0 <= " + indices.back() + " < " + extent.str());
      }
      const std::string end = tuple("result" + std::to_string(n), indices);
      reads = reads.unite(relation(end, tuple(a.name, indices), within));
      dates = dates.unite(relation(end, dated({"1000000"}, "0")));
      names = names.unite(relation(end, end));
      dimensions[a.name] = indices.size();
    }
  for (const auto& [array, rank] : dimensions) {
    Texts indices;
    for (std::size_t d = 0; d < rank; ++d) indices.push_back("i" + std::to_string(d));
    const std::string origin = (r.own.count(array) ? "nothing_" : "given_") + array;
    origins = origins.unite(relation(tuple(array, indices), tuple(origin, indices)));
    names = names.unite(relation(tuple(origin, indices), tuple(origin, indices)));
  }

  const isl::union_map stored = last_before(reads, writes, dates, length + 1);
  const isl::union_map initial = reads.subtract_domain(stored.domain()).apply_range(origins),
                       all = stored.unite(initial);
  isl::union_map values = all;
  for (std::size_t n = 0; n < r.statements.size(); ++n) {  // copies of copies
    const isl::union_map copied = values.intersect_range(copies.domain());
    if (copied.is_empty()) break;
    values = values.subtract(copied).unite(copied.apply_range(copies).apply_range(all));
  }
  return {values.apply_domain(names).apply_range(names).coalesce(), writes.domain().apply(names).coalesce(),
          race};
}

std::string difference(const Flow& expected, const Flow& found) {
  const isl::union_map other = found.values.subtract(expected.values);
  if (!other.is_empty()) {
    const isl::union_map wrong = at_one_of(other);
    const isl::union_map right = expected.values.intersect_domain(wrong.domain());
    return example(wrong.domain()) + " gets " + example(wrong.range()) +
           (right.is_empty() ? ", and should not be" : " instead of " + example(right.range()));
  }
  const isl::union_set missing = expected.computed.subtract(found.computed);
  if (!missing.is_empty()) return example(missing) + " is never computed";
  const isl::union_map unread = expected.values.subtract(found.values);
  if (!unread.is_empty()) return example(unread.domain()) + " gets nothing";
  return found.race;
}

}  // namespace lift::oracle
