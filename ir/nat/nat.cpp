#include "ir/nat/nat.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "ir/hash.hpp"
#include "ir/nat/nat_atoms.hpp"

namespace lift {
namespace {

using Terms = std::vector<NatTerm>;

std::size_t hash_of(const Terms& terms) {
  std::size_t h = terms.size();
  for (const NatTerm& t : terms)
    h = mix(mix(h, static_cast<std::size_t>(t.coefficient)),
            reinterpret_cast<std::size_t>(t.factors.identity()));
  return h ^ (h >> 32);
}
std::size_t hash_of(std::span<const NatFactor> factors) {
  std::size_t h = factors.size();
  for (const NatFactor& f : factors)
    h = mix(mix(h, reinterpret_cast<std::size_t>(f.atom)), static_cast<std::size_t>(f.power));
  return h ^ (h >> 32);
}

/// The node of each polynomial there is. Asked so often that the time goes to memory that is not in a cache:
/// one table in which hashes lie beside the nodes, so that a question touches one line of it and the node it
/// finds.
class NodeTable {
 public:
  /// Null where these terms have no node yet.
  NatNode* find(const Terms& terms) const {
    const std::size_t h = hash_of(terms);
    for (std::size_t i = h & mask();; i = (i + 1) & mask()) {
      const Place& p = places_[i];
      if (p.node == nullptr || (p.hash == h && p.node->terms == terms)) return p.node;
    }
  }
  /// A node that was not found.
  void add(NatNode* node) {
    if (2 * ++used_ > places_.size()) {
      std::vector<Place> before(2 * places_.size());
      before.swap(places_);
      for (const Place& p : before)
        if (p.node != nullptr) put(p);
    }
    put({hash_of(node->terms), node});
  }
  /// Without the nodes that go.
  void sweep() {
    std::vector<Place> before(4096);
    before.swap(places_);
    used_ = 0;
    std::size_t left = 0;
    for (const Place& p : before) left += stays(p) ? 1 : 0;
    places_.resize(std::bit_ceil(std::max(places_.size(), 4 * left)));
    for (const Place& p : before)
      if (stays(p)) put(p), ++used_;
  }

 private:
  struct Place {
    std::size_t hash = 0;
    NatNode* node = nullptr;
  };
  static bool stays(const Place& p) {
    return p.node != nullptr && p.node->stays.get() != detail::Stay::region;
  }
  std::size_t mask() const { return places_.size() - 1; }
  void put(const Place& p) {
    std::size_t i = p.hash & mask();
    while (places_[i].node != nullptr) i = (i + 1) & mask();
    places_[i] = p;
  }
  std::vector<Place> places_ =
      std::vector<Place>(4096);  ///< a power of two of them, at most half of them taken
  std::size_t used_ = 0;
};

}  // namespace

/// Interned polynomials and atoms.
struct NatTables : detail::Table {
  std::recursive_mutex mutex;
  detail::Places<NatNode> nodes;
  detail::Places<NatAtom> atoms;
  detail::Places<NatMonomial::Node> monomials;
  detail::Comings<NatNode> new_nodes;
  detail::Comings<NatAtom> new_atoms;
  detail::Comings<NatMonomial::Node> new_monomials;
  NodeTable node_index;
  std::unordered_multimap<std::size_t, NatMonomial::Node*> monomial_index;  ///< by hash
  std::map<std::vector<std::int64_t>, NatAtom*> atom_index;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, Nat> sizes;

  NatTables() { add_table(detail::TableOrder::nats, *this); }
  void lock() override { mutex.lock(); }
  void unlock() override { mutex.unlock(); }
  void mark() override;
  std::size_t sweep() override;
  std::size_t size() const override { return new_nodes.size() + new_atoms.size() + new_monomials.size(); }
};

namespace {

NatTables& tables() {
  static auto* t = new NatTables;  // never destroyed: handles live in statics elsewhere
  return *t;
}
using Tables = NatTables;

bool factors_less(const NatMonomial& a, const NatMonomial& b) {
  if (a == b) return false;
  if (a.degree() != b.degree()) return a.degree() > b.degree();  // the constant comes last
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const NatFactor& x, const NatFactor& y) {
        return x.atom->id != y.atom->id ? x.atom->id < y.atom->id : x.power < y.power;
      });
}

Terms add(const Terms& a, const Terms& b, std::int64_t scale) {
  Terms r;
  r.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->factors == j->factors) {
      const std::int64_t c = i->coefficient + j->coefficient * scale;
      if (c != 0) r.push_back({c, i->factors});
      ++i, ++j;
    } else if (factors_less(i->factors, j->factors)) {
      r.push_back(*i++);
    } else {
      r.push_back({j->coefficient * scale, j->factors});
      ++j;
    }
  }
  r.insert(r.end(), i, a.end());
  for (; j != b.end(); ++j) r.push_back({j->coefficient * scale, j->factors});
  return r;
}

NatMonomial product(const NatMonomial& a, const NatMonomial& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  std::vector<NatFactor> r;
  r.reserve(a.size() + b.size());
  const NatFactor *i = a.begin(), *j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->atom == j->atom)
      r.push_back({i->atom, i->power + j->power}), ++i, ++j;
    else
      r.push_back(i->atom->id < j->atom->id ? *i++ : *j++);
  }
  r.insert(r.end(), i, a.end());
  r.insert(r.end(), j, b.end());
  return NatMonomial(r);
}

std::vector<const NatAtom*> variables_of(const Terms& terms) {
  std::vector<const NatAtom*> r;
  const auto add_all = [&](const Nat& n) {
    for (const NatAtom* v : n.node()->variables) r.push_back(v);
  };
  for (const NatTerm& t : terms)
    for (const NatFactor& f : t.factors) {
      if (f.atom->kind == AtomKind::Var)
        r.push_back(f.atom);
      else
        add_all(f.atom->a), add_all(f.atom->b);
    }
  std::sort(r.begin(), r.end(), [](const NatAtom* a, const NatAtom* b) { return a->id < b->id; });
  r.erase(std::unique(r.begin(), r.end()), r.end());
  r.shrink_to_fit();
  return r;
}

}  // namespace

struct NatFactory {
  static void raise_parts(const NatNode& n, detail::Stay stay) {
    for (const NatTerm& t : n.terms)
      if (t.factors.node_ != nullptr && t.factors.node_->stays.raise(stay))
        raise_parts(*t.factors.node_, stay);
  }
  static void raise_parts(const NatMonomial::Node& m, detail::Stay stay) {
    for (const NatFactor& f : m.factors) raise(*f.atom, stay);
  }
  static Nat intern(Terms terms) {
    // m * floordiv(x, m) = x where m divides x.
    for (const NatTerm& t : terms)
      for (const NatFactor& f : t.factors)
        if (const std::int64_t m = f.atom->exact ? *f.atom->b.constant() : 0; m > 0 && t.coefficient / m != 0)
          return multiplied_out(terms, t, *f.atom, t.coefficient / m);
    // m * floordiv(x, m) + mod(x, m) = x: recombined here, so that no sum holds both.
    for (const NatTerm& t : terms) {
      if (t.factors.size() != 1 || t.factors[0].power != 1 || t.factors[0].atom->kind != AtomKind::Mod)
        continue;
      const NatAtom& m = *t.factors[0].atom;
      for (const NatTerm& u : terms) {
        if (u.factors.empty()) continue;
        for (const NatFactor& f : u.factors) {
          if (f.atom->kind != AtomKind::FloorDiv || f.power != 1 || !(f.atom->a == m.a) ||
              !(f.atom->b == m.b))
            continue;
          const Nat quotient = m.b * Nat(intern_raw({{t.coefficient, NatMonomial{{f.atom, 1}}}}));
          const Nat both(intern_raw(add({{t.coefficient, NatMonomial{{&m, 1}}}}, quotient.node()->terms, 1)));
          if (!contains(terms, both)) continue;
          return Nat(intern_raw(add(terms, both.node()->terms, -1))) + m.a * t.coefficient;
        }
      }
    }
    return Nat(intern_raw(std::move(terms)));
  }
  /// The sum of the terms, with so many times m * floordiv(x, m) of the term as x.
  static Nat multiplied_out(const Terms& terms, const NatTerm& term, const NatAtom& quotient,
                            std::int64_t times) {
    const Nat others(intern_raw({{1, detail::without_one(term.factors, &quotient)}}));
    Terms all;
    for (NatTerm t : terms) {
      if (t.factors == term.factors) t.coefficient -= times * *quotient.b.constant();
      if (t.coefficient != 0) all.push_back(t);
    }
    return intern(std::move(all)) + Nat(times) * others * quotient.a;
  }
  static bool contains(const Terms& terms, const Nat& part) {
    for (const NatTerm& p : part.node()->terms)
      if (std::none_of(terms.begin(), terms.end(), [&](const NatTerm& t) { return t == p; })) return false;
    return true;
  }
  static const NatNode* intern_raw(Terms terms) {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    if (NatNode* node = all.node_index.find(terms)) return all.new_nodes.met(*node), node;
    NatNode made;
    made.interval = detail::interval_of(terms);
    made.variables = variables_of(terms);
    made.terms = std::move(terms);
    NatNode& node = all.nodes.put(std::move(made));
    all.new_nodes.made(node);
    all.node_index.add(&node);
    return &node;
  }
  static Nat variable(const std::string& name, const Nat& lower, const Nat* upper, std::int64_t modulus,
                      std::int64_t residue, bool computed = false) {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    NatAtom a;
    a.kind = AtomKind::Var, a.name = name, a.lower = lower;
    if (upper) a.upper = *upper, a.bounded_above = true;
    a.modulus = modulus, a.residue = ((residue % modulus) + modulus) % modulus;
    a.computed = computed;
    return alone(std::move(a)).alone;
  }
  /// The only place where atoms are made.
  static NatAtom& alone(NatAtom a) {
    Tables& all = tables();
    a.interval = detail::interval_of(a);
    NatAtom& kept = all.atoms.put(std::move(a));
    all.new_atoms.made(kept);
    kept.alone = Nat(intern_raw({{1, NatMonomial{{&kept, 1}}}}));
    return kept;
  }
  static const NatMonomial::Node* intern(std::span<const NatFactor> factors) {
    if (factors.empty()) return nullptr;
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    const std::size_t h = hash_of(factors);
    for (auto [i, end] = all.monomial_index.equal_range(h); i != end; ++i) {
      NatMonomial::Node* const node = i->second;
      if (std::equal(factors.begin(), factors.end(), node->factors.begin(), node->factors.end()))
        return all.new_monomials.met(*node), node;
    }
    NatMonomial::Node made;
    for (const NatFactor& f : factors) made.degree += f.power;
    made.factors.assign(factors.begin(), factors.end());
    NatMonomial::Node& node = all.monomials.put(std::move(made));
    all.new_monomials.made(node);
    all.monomial_index.emplace(h, &node);
    return &node;
  }
};

NatMonomial::NatMonomial(std::span<const NatFactor> factors) : node_(NatFactory::intern(factors)) {}

// ---- how long they stay

void raise(const NatAtom& a, detail::Stay stay) {
  if (!a.stays.raise(stay)) return;
  for (const Nat& part : {a.lower, a.upper, a.a, a.b, a.alone}) raise(part, stay);
}
void raise(const Nat& n, detail::Stay stay) {
  if (n.node()->stays.raise(stay)) NatFactory::raise_parts(*n.node(), stay);
}
Nat met(const Nat& n) {
  if (n.node()->stays.get() != detail::Stay::for_ever && !detail::within_region()) {
    const std::lock_guard lock(tables().mutex);
    tables().new_nodes.met(const_cast<NatNode&>(*n.node()));  // NOLINT: of this table
  }
  return n;
}
void NatTables::mark() {
  const auto stay = detail::Stay::for_ever;
  new_nodes.each_for_ever([&](const NatNode& n) { NatFactory::raise_parts(n, stay); });
  new_monomials.each_for_ever([&](const NatMonomial::Node& m) { NatFactory::raise_parts(m, stay); });
  new_atoms.each_for_ever([&](const NatAtom& a) {
    for (const Nat& part : {a.lower, a.upper, a.a, a.b, a.alone}) raise(part, stay);
  });
}
std::size_t NatTables::sweep() {
  const auto goes = [](const auto& node) { return node.stays.get() == detail::Stay::region; };
  std::erase_if(sizes, [&](const auto& entry) { return goes(*entry.second.node()); });
  std::erase_if(atom_index, [&](const auto& entry) { return goes(*entry.second); });
  std::erase_if(monomial_index, [&](const auto& entry) { return goes(*entry.second); });
  node_index.sweep();
  const auto gone = new_nodes.sweep([&](NatNode& n) { nodes.free(n); }) +
                    new_monomials.sweep([&](NatMonomial::Node& m) { monomials.free(m); });
  return gone + new_atoms.sweep([&](NatAtom& a) { atoms.free(a); });
}

namespace detail {
Nat compound(AtomKind kind, const Nat& a, const Nat& b) {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  const std::vector<std::int64_t> key{static_cast<std::int64_t>(kind), a.id(), b.id()};
  if (const auto it = all.atom_index.find(key); it != all.atom_index.end()) return met(it->second->alone);
  NatAtom atom;
  const auto m = b.constant();
  atom.exact = kind == AtomKind::FloorDiv && m && residue(a, *m) == 0;
  atom.kind = kind, atom.a = a, atom.b = b;
  NatAtom& kept = NatFactory::alone(std::move(atom));
  all.atom_index.emplace(key, &kept);
  return kept.alone;
}
Nat from_terms(std::vector<NatTerm> terms) { return NatFactory::intern(std::move(terms)); }
Nat sum_of(std::vector<NatTerm> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const NatTerm& a, const NatTerm& b) { return factors_less(a.factors, b.factors); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    NatTerm t = terms[i];
    while (++i < terms.size() && terms[i].factors == t.factors) t.coefficient += terms[i].coefficient;
    if (t.coefficient != 0) terms[kept++] = t;
  }
  terms.resize(kept);
  return from_terms(std::move(terms));
}
NatMonomial without_one(const NatMonomial& m, const NatAtom* atom) {
  std::vector<NatFactor> r;
  for (const NatFactor& f : m)
    if (f.atom != atom || f.power > 1) r.push_back({f.atom, f.power - (f.atom == atom ? 1 : 0)});
  return NatMonomial(r);
}
}  // namespace detail

namespace {

const NatNode* constant_node(std::int64_t c) {
  Terms t;
  if (c != 0) t.push_back({c, {}});
  return NatFactory::intern_raw(std::move(t));
}

}  // namespace

Nat::Nat(std::int64_t c) : node_(nullptr) {
  constexpr std::int64_t least = -64, count = 1088;  // those that are met again and again
  static const auto& small = *new std::vector<const NatNode*>(for_ever([] {
    std::vector<const NatNode*> r;
    for (std::int64_t i = 0; i < count; ++i) r.push_back(constant_node(least + i));
    return r;
  }));
  node_ = c >= least && c < least + count ? small[static_cast<std::size_t>(c - least)] : constant_node(c);
}

Nat Nat::size(const std::string& name, const Nat& lower, std::int64_t modulus, std::int64_t residue) {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto key = std::make_pair(name, std::vector<std::int64_t>{lower.id(), modulus, residue});
  const auto it = all.sizes.find(key);
  if (it != all.sizes.end()) return met(it->second);
  const Nat v = NatFactory::variable(name, lower, nullptr, modulus, residue);
  all.sizes.emplace(key, v);
  return v;
}
Nat Nat::fresh(const std::string& name, const Nat& lower, const Nat& upper, std::int64_t modulus,
               std::int64_t residue) {
  return NatFactory::variable(name, lower, &upper, modulus, residue);
}
Nat Nat::computed(const std::string& name, const Nat& lower, const Nat& upper) {
  return NatFactory::variable(name, lower, &upper, 1, 0, true);
}

std::optional<std::int64_t> Nat::constant() const {
  if (node_->terms.empty()) return 0;
  if (node_->terms.size() == 1 && node_->terms[0].factors.empty()) return node_->terms[0].coefficient;
  return std::nullopt;
}
bool Nat::is_variable() const {
  return node_->terms.size() == 1 && node_->terms[0].coefficient == 1 &&
         node_->terms[0].factors.size() == 1 && node_->terms[0].factors[0].power == 1 &&
         node_->terms[0].factors[0].atom->kind == AtomKind::Var;
}
std::uint32_t Nat::id() const { return node_->id; }

std::string Nat::str() const {
  if (node_->terms.empty()) return "0";
  const auto operand = [](const Nat& n) {
    return n.is_constant() || n.is_variable() ? n.str() : "(" + n.str() + ")";
  };
  std::string s;
  for (const NatTerm& t : node_->terms) {
    const bool negative = t.coefficient < 0;
    const std::int64_t c = negative ? -t.coefficient : t.coefficient;
    s += s.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    bool first = true;
    if (c != 1 || t.factors.empty()) s += std::to_string(c), first = false;
    for (const NatFactor& f : t.factors)
      for (int p = 0; p < f.power; ++p) {
        if (!first) s += "*";
        const NatAtom& a = *f.atom;
        const bool alone =
            node_->terms.size() == 1 && c == 1 && t.factors.size() == 1 && f.power == 1 && !negative;
        switch (a.kind) {
          case AtomKind::Var:
            s += a.name;
            break;
          case AtomKind::FloorDiv:
            s += (alone ? "" : "(") + operand(a.a) + " / " + operand(a.b) + (alone ? "" : ")");
            break;
          case AtomKind::Mod:
            s += (alone ? "" : "(") + operand(a.a) + " mod " + operand(a.b) + (alone ? "" : ")");
            break;
          case AtomKind::Min:
            s += "min(" + a.a.str() + ", " + a.b.str() + ")";
            break;
          case AtomKind::Max:
            s += "max(" + a.a.str() + ", " + a.b.str() + ")";
            break;
        }
        first = false;
      }
  }
  return s;
}

std::span<const NatTerm> terms(const Nat& n) { return n.node()->terms; }
Nat atom_nat(const NatAtom& atom) { return atom.alone; }

Nat operator+(const Nat& a, const Nat& b) {
  return detail::from_terms(add(a.node()->terms, b.node()->terms, 1));
}
Nat operator-(const Nat& a, const Nat& b) {
  return detail::from_terms(add(a.node()->terms, b.node()->terms, -1));
}
Nat operator-(const Nat& a) { return Nat(0) - a; }
Nat operator*(const Nat& a, const Nat& b) {
  if (a == Nat(1)) return b;
  if (b == Nat(1)) return a;
  Terms all;
  all.reserve(a.node()->terms.size() * b.node()->terms.size());
  for (const NatTerm& t : a.node()->terms)
    for (const NatTerm& u : b.node()->terms)
      all.push_back({t.coefficient * u.coefficient, product(t.factors, u.factors)});
  return detail::sum_of(std::move(all));
}
Nat ceildiv(const Nat& a, const Nat& b) { return floordiv(a + b - 1, b); }

const std::vector<const NatAtom*>& variables(const Nat& n) { return n.node()->variables; }

std::int64_t constant_part(const Nat& n) {
  const auto ts = terms(n);
  return !ts.empty() && ts.back().factors.empty() ? ts.back().coefficient : 0;
}
bool is_computed(const Nat& n) {
  const std::vector<const NatAtom*>& in = variables(n);
  return std::any_of(in.begin(), in.end(), [](const NatAtom* v) { return v->computed; });
}
bool mentions(const Nat& n, const Nat& variable) {
  if (!variable.is_variable()) return false;
  const std::vector<const NatAtom*>& in = variables(n);
  const NatAtom* wanted = variables(variable)[0];
  return std::any_of(in.begin(), in.end(), [&](const NatAtom* v) { return v == wanted || v->computed; });
}

namespace detail {
Nat rebuild(const Nat& n, const std::function<std::optional<Nat>(const NatAtom&)>& replace) {
  const auto atom_value = [&](const NatAtom& a) -> Nat {
    if (const auto r = replace(a)) return *r;
    if (a.kind == AtomKind::Var) return atom_nat(a);
    const Nat x = rebuild(a.a, replace), y = rebuild(a.b, replace);
    if (x == a.a && y == a.b) return atom_nat(a);
    switch (a.kind) {
      case AtomKind::FloorDiv:
        return floordiv(x, y);
      case AtomKind::Mod:
        return mod(x, y);
      case AtomKind::Min:
        return min(x, y);
      default:
        return max(x, y);
    }
  };
  Terms kept;
  Nat changed = 0;
  std::vector<Nat> values;
  for (const NatTerm& t : terms(n)) {
    values.clear();
    bool same = true;
    for (const NatFactor& f : t.factors) {
      values.push_back(atom_value(*f.atom));
      same = same && values.back() == f.atom->alone;
    }
    if (same) {
      kept.push_back(t);
      continue;
    }
    Nat product = t.coefficient;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (int p = 0; p < t.factors[i].power; ++p) product = product * values[i];
    changed = changed + product;
  }
  return kept.size() == terms(n).size() ? n : from_terms(std::move(kept)) + changed;
}
}  // namespace detail

Nat substitute(const Nat& n, const Nat& variable, const Nat& value) {
  if (!mentions(n, variable)) return n;
  return detail::rebuild(n, [&](const NatAtom& a) -> std::optional<Nat> {
    if (a.kind == AtomKind::Var && atom_nat(a) == variable) return value;
    return std::nullopt;
  });
}
Nat substitute(const Nat& n, const std::map<const NatAtom*, Nat>& values) {
  return detail::rebuild(n, [&](const NatAtom& a) -> std::optional<Nat> {
    const auto it = values.find(&a);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  });
}

std::optional<Affine> affine_in(const Nat& n, const Nat& variable) {
  Terms with, rest;
  for (const NatTerm& t : terms(n)) {
    const NatFactor* found = nullptr;
    for (const NatFactor& f : t.factors) {
      if (f.atom->alone == variable)
        found = &f;
      else if (f.atom->computed || (f.atom->kind != AtomKind::Var && mentions(f.atom->alone, variable)))
        return std::nullopt;
    }
    if (found == nullptr)
      rest.push_back(t);
    else if (found->power > 1)
      return std::nullopt;
    else
      with.push_back({t.coefficient, detail::without_one(t.factors, found->atom)});
  }
  return Affine{detail::sum_of(std::move(with)), detail::from_terms(std::move(rest))};
}

std::int64_t evaluate(const Nat& n, const std::function<std::int64_t(const NatAtom&)>& value_of) {
  const auto floor_divide = [](std::int64_t a, std::int64_t b) {
    if (b <= 0) throw std::domain_error("division by " + std::to_string(b));
    return detail::floor_div(a, b);
  };
  std::int64_t sum = 0;
  for (const NatTerm& t : terms(n)) {
    std::int64_t product = t.coefficient;
    for (const NatFactor& f : t.factors) {
      std::int64_t v = 0;
      if (f.atom->kind == AtomKind::Var) {
        v = value_of(*f.atom);
      } else {
        const std::int64_t a = evaluate(f.atom->a, value_of), b = evaluate(f.atom->b, value_of);
        switch (f.atom->kind) {
          case AtomKind::FloorDiv:
            v = floor_divide(a, b);
            break;
          case AtomKind::Mod:
            v = a - b * floor_divide(a, b);
            break;
          case AtomKind::Min:
            v = std::min(a, b);
            break;
          default:
            v = std::max(a, b);
            break;
        }
      }
      for (int p = 0; p < f.power; ++p) product *= v;
    }
    sum += product;
  }
  return sum;
}

NatCond less(const Nat& a, const Nat& b) { return {NatCond::Kind::NonNegative, b - a - 1}; }
NatCond less_equal(const Nat& a, const Nat& b) { return {NatCond::Kind::NonNegative, b - a}; }
NatCond equal(const Nat& a, const Nat& b) { return {NatCond::Kind::Zero, a - b}; }
NatCond negate(const NatCond& c) {
  switch (c.kind) {
    case NatCond::Kind::NonNegative:
      return {NatCond::Kind::NonNegative, -c.a - 1};
    case NatCond::Kind::Zero:
      return {NatCond::Kind::NonZero, c.a};
    case NatCond::Kind::NonZero:
      break;
  }
  return {NatCond::Kind::Zero, c.a};
}
std::string str(const NatCond& c) {
  constexpr const char* relation[] = {" >= 0", " == 0", " != 0"};
  return c.a.str() + relation[static_cast<int>(c.kind)];
}
NatCond substitute(const NatCond& c, const Nat& variable, const Nat& value) {
  return {c.kind, substitute(c.a, variable, value)};
}

}  // namespace lift
