#include "ir/expr/term.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/hash.hpp"

namespace lift {
namespace {

std::size_t hash_of(const TermNode* n) {
  std::size_t h = mix(static_cast<std::size_t>(n->kind), static_cast<std::size_t>(n->op));
  h = mix(h, static_cast<std::size_t>(n->type) * 64 + static_cast<std::size_t>(n->width));
  h = mix(h, std::bit_cast<std::uint64_t>(n->number));  // by its bits: -0.0 is not 0.0, and a NaN is itself
  h = mix(h, std::hash<std::string>{}(n->name));
  for (const Nat& x : n->nats) h = mix(h, x.id());
  for (const NatCond& c : n->conds) h = mix(h, std::size_t{c.a.id()} * 4 + static_cast<std::size_t>(c.kind));
  for (const Term& t : n->args) h = mix(h, t->id);
  for (const int l : n->lanes) h = mix(h, static_cast<std::size_t>(l));
  return h;
}
struct TermHash {
  std::size_t operator()(const TermNode* n) const { return n->hash; }
};
struct TermEqual {
  bool operator()(const TermNode* a, const TermNode* b) const {
    return a->hash == b->hash && a->kind == b->kind && a->type == b->type && a->width == b->width &&
           a->op == b->op &&
           std::bit_cast<std::uint64_t>(a->number) == std::bit_cast<std::uint64_t>(b->number) &&
           a->name == b->name && a->nats == b->nats && a->conds == b->conds && a->args == b->args &&
           a->lanes == b->lanes && a->user == b->user;
  }
};

void raise_parts(const TermNode& t, detail::Stay stay) {
  for (const Nat& n : t.nats) raise(n, stay);
  for (const NatCond& c : t.conds) raise(c.a, stay);
  for (const Term& a : t.args) raise(a, stay);
  for (const Nat& n : t.user.nats) raise(n, stay);
  for (const Type& u : t.user.types) raise(u, stay);
}

struct TermTable : detail::Table {
  TermTable() { add_table(detail::TableOrder::terms, *this); }
  void lock() override { mutex.lock(); }
  void unlock() override { mutex.unlock(); }
  void mark() override {
    made.each_for_ever([](const TermNode& t) { raise_parts(t, detail::Stay::for_ever); });
  }
  std::size_t sweep() override {
    std::erase_if(index, [](const TermNode* t) { return t->stays.get() == detail::Stay::region; });
    return made.sweep([&](TermNode& t) { nodes.free(t); });
  }
  std::size_t size() const override { return made.size(); }

  std::mutex mutex;
  detail::Places<TermNode> nodes;
  detail::Comings<TermNode> made;
  std::unordered_set<TermNode*, TermHash, TermEqual> index;
};
/// Variables that stand for terms, by term and length, and back.
struct Positions : detail::Table {
  Positions() { add_table(detail::TableOrder::positions, *this); }
  void lock() override { mutex.lock(); }
  void unlock() override { mutex.unlock(); }
  /// What a variable stands for stays as long as it does: the last one to be told, as that may be made of
  /// others.
  void mark() override {
    for (bool more = true; more;) {
      more = false;
      for (const auto& [variable, of] : terms) {
        const detail::Stay stay = variable->stays.get();
        if (of.first->stays.get() >= stay) continue;
        more = true;
        raise(of.first, stay), raise(of.second, stay);
      }
    }
  }
  std::size_t sweep() override {
    std::erase_if(variables, [](const auto& entry) {
      return lift::variables(entry.second)[0]->stays.get() == detail::Stay::region;
    });
    return std::erase_if(terms,
                         [](const auto& entry) { return entry.first->stays.get() == detail::Stay::region; });
  }

  std::mutex mutex;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Nat> variables;
  std::size_t made = 0;
  std::unordered_map<const NatAtom*, std::pair<Term, Nat>> terms;
};
Positions& positions() {
  static auto* p = new Positions;
  return *p;
}
std::pair<Term, Nat> position_at(const NatAtom& variable) {
  const std::lock_guard lock(positions().mutex);
  const auto it = positions().terms.find(&variable);
  if (it == positions().terms.end())
    throw InternalError("term: " + variable.name + " stands for no value that is computed");
  return it->second;
}

bool has_positions(TermKind k) {
  return k == TermKind::Load || k == TermKind::Index || k == TermKind::Compare || k == TermKind::Lanes ||
         k == TermKind::LaneIndex;
}
/// The computed variables of a term's own numbers, each once.
std::vector<const NatAtom*> computed_variables(const TermNode& n) {
  std::vector<const NatAtom*> r;
  const auto add = [&](const Nat& x) {
    for (const NatAtom* v : variables(x))
      if (v->computed && std::find(r.begin(), r.end(), v) == r.end()) r.push_back(v);
  };
  for (const Nat& x : n.nats) add(x);
  for (const NatCond& c : n.conds) add(c.a);
  return r;
}

TermTable& term_table() {
  static auto* t = new TermTable;
  return *t;
}

std::optional<Nat> as_index(const Term& t) {
  if (t->kind == TermKind::Index) return t->nats[0];
  if (t->kind == TermKind::Constant && t->type == i32) return Nat(static_cast<std::int64_t>(t->number));
  return std::nullopt;
}

/// Integer arithmetic whose operands are symbolic indices stays a Nat.
std::optional<Term> index_arithmetic(Op op, const std::vector<Term>& args) {
  std::vector<Nat> n;
  for (const Term& t : args) {
    const auto i = as_index(t);
    if (!i) return std::nullopt;
    n.push_back(*i);
  }
  const bool divisor = n.size() == 2 && Facts().proves(less(0, n[1]));
  switch (op) {
    case Op::Add:
      return index_term(n[0] + n[1]);
    case Op::Sub:
      return index_term(n[0] - n[1]);
    case Op::Mul:
      return index_term(n[0] * n[1]);
    case Op::Neg:
      return index_term(-n[0]);
    case Op::Min:
      return index_term(min(n[0], n[1]));
    case Op::Max:
      return index_term(max(n[0], n[1]));
    case Op::Div:
      return divisor ? std::optional(index_term(floordiv(n[0], n[1]))) : std::nullopt;
    case Op::Mod:
      return divisor ? std::optional(index_term(mod(n[0], n[1]))) : std::nullopt;
    case Op::Eq:
      return compare_term(equal(n[0], n[1]));
    case Op::Ne:
      return compare_term(negate(equal(n[0], n[1])));
    case Op::Lt:
      return compare_term(less(n[0], n[1]));
    case Op::Le:
      return compare_term(less_equal(n[0], n[1]));
    default:
      return std::nullopt;
  }
}

/// Floating-point arithmetic on constants, rounded as it would be when the program runs. Not when the result
/// is no number: such a literal has no spelling.
std::optional<Term> constant_arithmetic(Op op, Scalar type, const std::vector<Term>& args) {
  if (!is_float(type) || args.size() != 2) return std::nullopt;
  for (const Term& t : args)
    if (t->kind != TermKind::Constant || t->type != type) return std::nullopt;
  const double a = args[0]->number, b = args[1]->number;
  double r;
  switch (op) {
    case Op::Add:
      r = a + b;
      break;
    case Op::Sub:
      r = a - b;
      break;
    case Op::Mul:
      r = a * b;
      break;
    default:
      return std::nullopt;
  }
  if (type == f32) r = static_cast<float>(r);
  return std::isfinite(r) ? std::optional(constant_term(r, type)) : std::nullopt;
}

std::optional<bool> truth(const Term& t) {
  if (t->kind == TermKind::Constant && t->type == boolean) return t->number != 0;
  return std::nullopt;
}

}  // namespace

Term intern(TermNode node) {
  if (has_positions(node.kind)) {
    node.args.clear();
    for (const NatAtom* v : computed_variables(node)) node.args.push_back(position_at(*v).first);
  }
  node.hash = hash_of(&node);
  const std::lock_guard lock(term_table().mutex);
  TermTable& all = term_table();
  const auto found = all.index.find(&node);
  if (found != all.index.end()) return all.made.met(**found), Term(*found);
  TermNode& made = all.nodes.put(std::move(node));
  all.made.made(made);
  all.index.insert(&made);
  return Term(&made);
}
void raise(const Term& t, detail::Stay stay) {
  if (t && t->stays.raise(stay)) raise_parts(*t.operator->(), stay);
}

Term constant_term(double v, Scalar type) {
  TermNode n;
  n.type = type;
  n.number = v;
  return intern(std::move(n));
}
Term index_term(const Nat& i) {
  if (const auto c = i.constant()) return constant_term(static_cast<double>(*c), i32);
  TermNode n;
  n.kind = TermKind::Index;
  n.type = i32;
  n.nats = {i};
  return intern(std::move(n));
}
/// The term, or a name where that is long.
static std::string short_text(const Term& t, const std::string& otherwise) {
  constexpr int kLong = 16;
  int terms = 0;
  visit(t, [&](const Term&) { ++terms; });
  return terms > kLong ? otherwise : str(t);
}

Nat position_of(const Term& t, const Nat& length) {
  if (const auto i = as_index(t)) return *i;
  if (t->width != 1) throw InternalError("position_of: a vector, " + str(t));
  const std::lock_guard lock(positions().mutex);
  const std::pair key{t->id, length.id()};
  if (const auto it = positions().variables.find(key); it != positions().variables.end())
    return met(it->second);
  const Nat v = Nat::computed(short_text(t, "at" + std::to_string(++positions().made)), 0, length - 1);
  positions().variables.emplace(key, v);
  positions().terms.emplace(variables(v)[0], std::pair(t, length));
  return v;
}
Term computed_term(const NatAtom& variable) { return position_at(variable).first; }

Term load_term(const std::string& array, std::vector<Nat> position, Scalar type, int width) {
  TermNode n;
  n.kind = TermKind::Load;
  n.type = type;
  n.width = width;
  n.name = array;
  n.nats = std::move(position);
  return intern(std::move(n));
}
Term argument_term(const std::string& name, Scalar type) {
  TermNode n;
  n.kind = TermKind::Argument;
  n.type = type;
  n.name = name;
  return intern(std::move(n));
}
Term local_term(const std::string& name, Scalar type, int width) {
  TermNode n;
  n.kind = TermKind::Local;
  n.type = type;
  n.width = width;
  n.name = name;
  return intern(std::move(n));
}
Term compare_term(const NatCond& c) {
  if (Facts().proves(c)) return constant_term(1, boolean);
  if (Facts().refutes(c)) return constant_term(0, boolean);
  TermNode n;
  n.kind = TermKind::Compare;
  n.type = boolean;
  n.conds = {c};
  return intern(std::move(n));
}

Term apply_term(Op op, Scalar type, std::vector<Term> args) {
  if (const auto r = index_arithmetic(op, args)) return *r;
  if (const auto r = constant_arithmetic(op, type, args)) return *r;
  if (op == Op::Not && args[0]->kind == TermKind::Compare) return compare_term(negate(args[0]->conds[0]));
  if (op == Op::Not || op == Op::And || op == Op::Or) {
    const auto a = truth(args[0]);
    if (op == Op::Not && a) return constant_term(!*a, boolean);
    if (op != Op::Not) {
      const bool absorbing = op == Op::Or;  // true or x = true, false and x = false
      for (std::size_t i : {0U, 1U})
        if (const auto v = truth(args[i])) return *v == absorbing ? args[i] : args[1 - i];
    }
  }
  if (op == Op::Select) {
    if (const auto c = truth(args[0])) return *c ? args[1] : args[2];
    if (args[1] == args[2]) return args[1];
  }
  if (op == Op::Cast && args[0]->type == type) return args[0];
  if (op == Op::Cast && goes_by_i32(args[0]->type, type))
    return apply_term(Op::Cast, type, {apply_term(Op::Cast, i32, std::move(args))});
  if (op == Op::Cast && args[0]->kind == TermKind::Constant)
    return constant_term(type == f32  ? static_cast<float>(args[0]->number)
                         : type == u8 ? static_cast<double>(static_cast<std::int64_t>(args[0]->number) & 255)
                                      : args[0]->number,
                         type);
  TermNode n;
  n.kind = TermKind::Apply;
  n.op = op;
  n.type = type;
  for (const Term& a : args) n.width = std::max(n.width, a->width);
  n.args = std::move(args);
  return intern(std::move(n));
}

Term call_term(const Attr& user, std::vector<Term> args) {
  TermNode n;
  n.kind = TermKind::Call;
  n.type = user_result(user).scalar();
  n.name = user_name(user);
  n.user = user;
  for (const Term& a : args) n.width = std::max(n.width, a->width);
  n.args = std::move(args);
  return intern(std::move(n));
}

namespace {

/// What an element of a shuffle's arguments is: an element of a term that is no shuffle.
std::pair<Term, int> element(const std::vector<Term>& args, int at) {
  for (const Term& a : args) {
    if (at < a->width)
      return a->kind == TermKind::Shuffle ? element(a->args, a->lanes[static_cast<std::size_t>(at)])
                                          : std::make_pair(a, at);
    at -= a->width;
  }
  throw InternalError("shuffle_term: lane " + std::to_string(at) + " beyond its arguments");
}

/// The distinct terms that `elements` are taken from, and the lanes in them.
struct Sources {
  std::vector<Term> args;
  std::vector<int> lanes;
  explicit Sources(const std::vector<std::pair<Term, int>>& elements) {
    for (const auto& [t, lane] : elements) {
      int offset = 0;
      std::size_t a = 0;
      while (a < args.size() && !(args[a] == t)) offset += args[a++]->width;
      if (a == args.size()) args.push_back(t);
      lanes.push_back(offset + lane);
    }
  }
  bool spelled(int width) const {  // one instruction of a machine, one lane, or a list of scalars
    const bool scalars = std::all_of(args.begin(), args.end(), [](const Term& t) { return t->width == 1; });
    return scalars || (width == 1 && args.size() == 1) ||
           (args.size() <= 2 &&
            std::all_of(args.begin(), args.end(), [&](const Term& t) { return t->width == width; }));
  }
};

}  // namespace

Term shuffle_term(std::vector<Term> args, const std::vector<int>& lanes) {
  const int width = static_cast<int>(lanes.size());
  std::vector<std::pair<Term, int>> elements, direct;
  for (const int l : lanes) {
    elements.push_back(element(args, l));
    int at = l;
    std::size_t a = 0;
    while (at >= args[a]->width) at -= args[a++]->width;
    direct.emplace_back(args[a], at);
  }
  const Sources flat(elements);
  const Sources now = flat.spelled(width) ? flat : Sources(direct);
  if (!now.spelled(width)) throw InternalError("shuffle_term: more than two vectors");
  if (now.args.size() == 1 && now.args[0]->width == width) {
    bool same = true;
    for (int l = 0; l < width; ++l) same &= now.lanes[static_cast<std::size_t>(l)] == l;
    if (same) return now.args[0];
  }
  TermNode n;
  n.kind = TermKind::Shuffle;
  n.type = now.args.at(0)->type;
  n.width = width;
  n.args = now.args, n.lanes = now.lanes;
  return intern(std::move(n));
}
Term broadcast(const Term& value, int width) {
  return value->width == width ? value
                               : shuffle_term({value}, std::vector<int>(static_cast<std::size_t>(width), 0));
}

namespace {

/// A load, an index or a condition with other values for its computed variables.
Term with_positions(const Term& t, const std::vector<Term>& args) {
  std::map<const NatAtom*, Nat> values;
  const std::vector<const NatAtom*> old = computed_variables(*t.operator->());
  for (std::size_t i = 0; i < old.size(); ++i)
    if (!(args.at(i) == t->args[i]))
      values.emplace(old[i], position_of(args[i], position_at(*old[i]).second));
  const auto moved = [&](const Nat& n) { return substitute(n, values); };
  if (t->kind == TermKind::Index) return index_term(moved(t->nats[0]));
  if (t->kind == TermKind::Compare) return compare_term({t->conds[0].kind, moved(t->conds[0].a)});
  TermNode n = *t.operator->();
  for (Nat& x : n.nats) x = moved(x);
  for (NatCond& c : n.conds) c.a = moved(c.a);
  return intern(std::move(n));
}

}  // namespace

Term with_args(const Term& t, std::vector<Term> args) {
  switch (t->kind) {
    case TermKind::Apply:
      return apply_term(t->op, t->type, std::move(args));
    case TermKind::Call:
      return call_term(t->user, std::move(args));
    case TermKind::Shuffle:
      return shuffle_term(std::move(args), t->lanes);
    case TermKind::Load:
    case TermKind::Index:
    case TermKind::Compare:
    case TermKind::Lanes:
    case TermKind::LaneIndex:
      return with_positions(t, args);
    default:
      throw InternalError("with_args: a term without arguments");
  }
}

void visit(const Term& t, const std::function<void(const Term&)>& f) {
  std::unordered_set<std::uint32_t> seen;
  const std::function<void(const Term&)> go = [&](const Term& x) {
    if (!seen.insert(x->id).second) return;
    for (const Term& a : x->args) go(a);
    f(x);
  };
  go(t);
}

Term rewrite(const Term& t, const std::function<Term(const Term&)>& f) {
  std::unordered_map<std::uint32_t, Term> memo;
  const std::function<Term(const Term&)> go = [&](const Term& x) -> Term {
    if (const auto it = memo.find(x->id); it != memo.end()) return it->second;
    Term y = x;
    if (!x->args.empty()) {
      std::vector<Term> args;
      bool changed = false;
      for (const Term& a : x->args) {
        args.push_back(go(a));
        changed |= !(args.back() == a);
      }
      if (changed) y = with_args(x, std::move(args));
    }
    const Term r = f(y);
    memo.emplace(x->id, r);
    return r;
  };
  return go(t);
}

Term map_nats(const Term& t, const std::function<Nat(const Nat&)>& f) {
  return rewrite(t, [&](const Term& x) -> Term {
    if (x->kind == TermKind::Index) return index_term(f(x->nats[0]));
    if (x->kind == TermKind::Compare) return compare_term({x->conds[0].kind, f(x->conds[0].a)});
    std::vector<Nat> nats = x->nats;
    std::vector<NatCond> conds = x->conds;
    for (Nat& i : nats) i = f(i);
    for (NatCond& c : conds) c.a = f(c.a);
    if (nats == x->nats && conds == x->conds) return x;
    TermNode n = *x.operator->();
    n.nats = std::move(nats), n.conds = std::move(conds);
    return intern(std::move(n));
  });
}

Term substitute(const Term& t, const Nat& variable, const Nat& value) {
  return map_nats(t, [&](const Nat& n) { return substitute(n, variable, value); });
}

bool mentions(const Term& t, const Nat& variable) {
  bool found = false;
  visit(t, [&](const Term& x) {
    for (const Nat& n : x->nats) found |= mentions(n, variable);
    for (const NatCond& c : x->conds) found |= mentions(c.a, variable);
  });
  return found;
}

Term simplify(const Term& t, const Facts& facts) {
  if (facts.conditions().empty()) return t;
  return rewrite(map_nats(t, [&](const Nat& n) { return facts.simplify(n); }), [&](const Term& x) -> Term {
    if (x->kind != TermKind::Compare) return x;
    if (facts.proves(x->conds[0])) return constant_term(1, boolean);
    if (facts.refutes(x->conds[0])) return constant_term(0, boolean);
    return x;
  });
}

std::string str(const Term& t) {
  const auto list = [](const auto& xs) {
    std::string s;
    for (const auto& x : xs) {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Term>)
        s += (s.empty() ? "" : ", ") + str(x);
      else
        s += (s.empty() ? "" : ", ") + x.str();
    }
    return s;
  };
  switch (t->kind) {
    case TermKind::Constant:
      return fmt::format("{}", t->number);
    case TermKind::Index:
      return t->nats[0].str();
    case TermKind::Load:
      return t->name + "[" + list(t->nats) + "]";
    case TermKind::Argument:
    case TermKind::Local:
      return t->name;
    case TermKind::Apply:
      return std::string(text(t->op)) + "(" + list(t->args) + ")";
    case TermKind::Compare:
      return "(" + str(t->conds[0]) + ")";
    case TermKind::Call:
      return t->name + "(" + list(t->args) + ")";
    case TermKind::Lanes:
      return "lanes(" + str(t->conds[0]) + ", ...)";
    case TermKind::LaneIndex:
      return "lane_index(" + list(t->nats) + ")";
    case TermKind::Shuffle: {
      std::string lanes;
      for (const int l : t->lanes) lanes += (lanes.empty() ? "" : " ") + std::to_string(l);
      return "shuffle(" + list(t->args) + "; " + lanes + ")";
    }
  }
  return "";
}

}  // namespace lift
