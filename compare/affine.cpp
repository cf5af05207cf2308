#include "compare/affine.hpp"

#include <algorithm>
#include <stdexcept>

namespace lift::affine {

std::string joined(const Texts& parts, const std::string& between, const std::string& empty) {
  std::string all;
  for (const std::string& p : parts) all += (&p == &parts[0] ? "" : between) + p;
  return parts.empty() ? empty : all;
}
std::string tuple(const std::string& name, const Texts& elements) {
  return name + "[" + joined(elements, ", ") + "]";
}

namespace {

[[noreturn]] void unknown(const std::string& what) { throw std::runtime_error("isl is not told of " + what); }
std::string either(const std::string& a, const std::string& b) { return "((" + a + ") or (" + b + "))"; }

}  // namespace

Reader::Reader(const Kernel& k) {
  for (const KernelArgument& a : k.arguments)
    if (!a.range.empty()) {
      parameters_.push_back(a.name);
      context_.push_back(text(a.range[0]) + " <= " + a.name + " <= " + text(a.range[1]));
    }
  block(k.body);
}

std::string Reader::relation(const std::string& map, Texts conditions) const {
  conditions.insert(conditions.end(), context_.begin(), context_.end());
  return "[" + joined(parameters_, ", ") + "] -> { " + map + " : " + joined(conditions, " and ", "true") +
         " }";
}

std::string Reader::atom(const NatAtom& a) const {
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

std::string Reader::text(const Nat& n) const {
  Texts sum;
  for (const NatTerm& t : terms(n)) {
    if (t.factors.size() > 1 || (t.factors.size() == 1 && t.factors[0].power != 1)) unknown(n.str());
    sum.push_back(std::to_string(t.coefficient) +
                  (t.factors.empty() ? "" : " * " + atom(*t.factors[0].atom)));
  }
  return joined(sum, " + ", "0");
}

Texts Reader::texts(const std::vector<Nat>& position) const {
  Texts all;
  for (const Nat& n : position) all.push_back(text(n));
  return all;
}

std::string Reader::text(const NatCond& c) const {
  const char* than = c.kind == NatCond::Kind::NonNegative ? " >= 0"
                     : c.kind == NatCond::Kind::Zero      ? " = 0"
                                                          : " != 0";
  return text(c.a) + than;
}

std::string Reader::condition(const Term& t, bool holds) const {
  if (t->kind == TermKind::Constant) return (t->number != 0) == holds ? "true" : "false";
  if (t->kind == TermKind::Compare) return text(holds ? t->conds[0] : negate(t->conds[0]));
  if (t->kind != TermKind::Apply) return "";
  if (t->op == Op::Not) return condition(t->args[0], !holds);
  if (t->op != Op::And && t->op != Op::Or) return "";
  const std::string a = condition(t->args[0], holds), b = condition(t->args[1], holds);
  if (a.empty() || b.empty()) return "";
  return (t->op == Op::And) == holds ? "((" + a + ") and (" + b + "))" : either(a, b);
}

Texts Reader::cell_of(const std::string& array, const std::vector<Nat>& position) const {
  Texts cell = texts(position);
  if (const auto a = allocated_.find(array); a != allocated_.end())
    cell.insert(cell.begin(), a->second.begin(), a->second.end());
  return cell;
}

void Reader::loads(const Term& t, const Texts& conditions) {
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

void Reader::block(const Block& b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Statement around = here_;
    here_.date.push_back(std::to_string(i));
    statement(b[i]);
    here_ = around;
  }
}

void Reader::statement(const Stmt& s) {
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

void Reader::loop(const For& f) {
  if (!(f.step == Nat(1))) unknown("a loop by steps");
  const std::size_t depth = here_.variables.size();
  const std::string name = "c" + std::to_string(depth);
  here_.domain.push_back(text(f.lower) + " <= " + name);
  here_.domain.push_back(name + " < " + text(f.upper));
  here_.variables.push_back(name), here_.date.push_back(name);
  here_.ranges.push_back({f.lower.constant(), (f.upper - f.lower).constant()});
  names_[variables(f.var)[0]] = name;
  // Work-items of a group wait for one another after each nest of their loops, or, as a team, once a step.
  if (f.kind == LoopKind::Par || f.kind == LoopKind::Wrg || f.kind == LoopKind::Lcl) {
    // Within an iteration of a team's shared loop, loops are shared with nobody of another loop.
    const bool team = !teams_.empty() && std::none_of(here_.parallel.begin(), here_.parallel.end(),
                                                      [&](const ParallelLoop& p) { return p.team; });
    here_.parallel.push_back({depth, ++loops_, team, team ? teams_.back() + 1 : depth});
  } else if (f.kind != LoopKind::Seq && f.kind != LoopKind::Unroll) {
    unknown("loops of a kind");
  }
  if (f.waits && turns_ == depth) here_.parallel.push_back({depth, ++loops_, false, depth - 1, true});
  if (f.doacross) turns_ = depth + 1;
  if (f.team) teams_.push_back(depth);
  block(f.body);
  if (f.team) teams_.pop_back();
}

}  // namespace lift::affine
