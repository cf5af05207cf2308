#include "lower/passes/pair_accesses.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

/// Where an element lies: the flat index in terms of loop variables, without its constant, and the constant.
struct Element {
  std::string array;
  Nat base;
  std::int64_t offset;
  /// Not surely another one than e.
  bool may_be(const Element& e) const {
    return array == e.array && (!(base == e.base) || offset == e.offset);
  }
};

bool is_straight(const Stmt& s) { return value_of(s) != nullptr || std::holds_alternative<Prefetch>(s.v); }

class Pairs {
 public:
  Pairs(const Block& b, const Kernel& k, std::size_t bytes) : bytes_(bytes), names_(named_indices(b)) {
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array()) arrays_.insert(a.name);
    visit(b, [&](const Stmt& s) {
      if (const auto* d = std::get_if<Declare>(&s.v)) mutable_.insert(d->local->name);
      if (const auto* a = std::get_if<Allocate>(&s.v); a && a->space == AddressSpace::Local)
        arrays_.insert(a->name);
    });
  }

  Block block(const Block& b) {
    Block r;
    for (std::size_t at = 0; at < b.size();) {
      std::size_t end = at;
      while (end < b.size() && is_straight(b[end])) ++end;
      if (end > at) {
        for (Stmt& s : run(Block(b.begin() + static_cast<std::ptrdiff_t>(at),
                                 b.begin() + static_cast<std::ptrdiff_t>(end))))
          r.push_back(std::move(s));
        at = end;
        continue;
      }
      Stmt s = b[at++];
      if (auto* f = std::get_if<For>(&s.v)) f->body = block(f->body);
      if (auto* i = std::get_if<If>(&s.v)) i->body = block(i->body);
      r.push_back(std::move(s));
    }
    return r;
  }

 private:
  Element element(const std::string& array, const Nat& index) const {
    const Nat n = expanded(index, names_);
    const std::int64_t c = constant_part(n);
    return {array, n - c, c};
  }
  bool aligned(const Element& e, int width) const {
    return Facts().proves(equal(mod(e.base + e.offset, width), 0));
  }
  std::vector<int> widths(Scalar s) const {
    std::vector<int> r;
    if (s == boolean) return r;  // there are vectors of numbers only
    constexpr int kMost = 4;     // elements of the longest vector there is a type of
    for (int w = std::min(kMost, static_cast<int>(bytes_ / size_of(s))); w > 1; w /= 2) r.push_back(w);
    return r;
  }

  Block run(const Block& b) { return load_vectors(store_vectors(copy_vectors(b))); }

  // ---- asynchronous copies

  static const Store* copy(const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    return x && x->async && x->value->kind == TermKind::Load && x->value->width == 1 ? x : nullptr;
  }
  /// Copies of neighbours, one after the other, are one.
  Block copy_vectors(const Block& b) const {
    Block r;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const Store* first = copy(b[i]);
      const std::size_t before = r.size();
      for (const int w : first ? widths(first->value->type) : std::vector<int>{}) {
        if (!are_neighbours(b, i, w)) continue;
        Store all = *first;
        all.value = load_term(first->value->name, first->value->nats, first->value->type, w);
        r.push_back({std::move(all)});
        i += static_cast<std::size_t>(w) - 1;
        break;
      }
      if (r.size() == before) r.push_back(b[i]);
    }
    return r;
  }
  /// The `w` statements from the i-th on copy the elements of one aligned vector to another.
  bool are_neighbours(const Block& b, std::size_t i, int w) const {
    const Store& first = *copy(b[i]);
    const Element to = element(first.array, first.position[0]),
                  from = element(first.value->name, first.value->nats[0]);
    if (i + static_cast<std::size_t>(w) > b.size() || !aligned(to, w) || !aligned(from, w)) return false;
    for (int l = 1; l < w; ++l) {
      const Store* x = copy(b[i + static_cast<std::size_t>(l)]);
      if (!x) return false;
      const Element t = element(x->array, x->position[0]), f = element(x->value->name, x->value->nats[0]);
      if (t.array != to.array || !(t.base == to.base) || t.offset != to.offset + l || f.array != from.array ||
          !(f.base == from.base) || f.offset != from.offset + l)
        return false;
    }
    return true;
  }

  // ---- stores

  struct Stored {
    std::size_t at;
    Element to;
    bool stream;
  };
  /// Stores of one aligned vector happen where the last of them did.
  Block store_vectors(Block b) {
    std::vector<Stored> stores;
    for (std::size_t i = 0; i < b.size(); ++i)
      if (const auto* x = std::get_if<Store>(&b[i].v);
          x && !x->async && arrays_.count(x->array) && x->value->width == 1)
        stores.push_back({i, element(x->array, x->position[0]), x->stream});
    std::vector<bool> taken(b.size(), false);
    std::map<std::size_t, std::vector<std::size_t>>
        vectors;  // the last store -> all of them, in order of position
    for (const Stored& first : stores)
      for (const int w : widths(std::get<Store>(b[first.at].v).value->type)) {
        if (taken[first.at]) break;
        std::vector<std::size_t> members;
        for (int l = 0; l < w; ++l)
          for (const Stored& s : stores)
            if (!taken[s.at] && s.to.array == first.to.array && s.to.base == first.to.base &&
                s.to.offset == first.to.offset + l) {
              members.push_back(s.at);
              break;
            }
        if (members.size() != static_cast<std::size_t>(w) || !aligned(first.to, w) || !may_wait(b, members))
          continue;
        for (const std::size_t m : members) taken[m] = true;
        vectors[*std::max_element(members.begin(), members.end())] = members;
      }
    if (vectors.empty()) return b;
    Block r;
    std::map<std::size_t, Term> values;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!taken[i]) {
        r.push_back(std::move(b[i]));
        continue;
      }
      Store& s = std::get<Store>(b[i].v);
      const auto vector = vectors.find(i);
      values[i] = s.value;
      if (vector == vectors.end() && s.value->kind != TermKind::Constant &&
          !(s.value->kind == TermKind::Local && !mutable_.count(s.value->name))) {
        values[i] = local_term(s.array + "_new" + std::to_string(++counts_[s.array + "_new"]), s.value->type);
        r.push_back({Let{values[i], s.value}});
      }
      if (vector == vectors.end()) continue;
      std::vector<Term> lanes;
      for (const std::size_t m : vector->second) lanes.push_back(values.at(m));
      s.position = std::get<Store>(b[vector->second[0]].v).position;
      std::vector<int> order(lanes.size());
      std::iota(order.begin(), order.end(), 0);
      s.value = shuffle_term(lanes, order);
      r.push_back({std::move(s)});
    }
    return r;
  }
  /// No statement between the first and the last of these stores touches what an earlier one has written.
  bool may_wait(const Block& b, const std::vector<std::size_t>& members) const {
    const auto [first, last] = std::minmax_element(members.begin(), members.end());
    std::vector<Element> waiting;
    for (std::size_t i = *first; i <= *last; ++i) {
      const auto touches = [&](const Element& e) {
        return std::any_of(waiting.begin(), waiting.end(), [&](const Element& w) { return w.may_be(e); });
      };
      bool ok = true;
      visit_accesses(b[i], [&](const ElementAccess& a) {
        for (int l = 0; l < a.width; ++l) ok &= !touches(element(a.array, a.position[0] + l));
        if (a.store && std::find(members.begin(), members.end(), i) != members.end())
          waiting.push_back(element(a.array, a.position[0]));
      });
      if (!ok) return false;
    }
    return true;
  }

  // ---- loads

  struct Loaded {
    Element from;
    Term term;
    std::size_t first;  ///< statement
  };
  struct Vector {
    Loaded start;
    int width;
    std::size_t first;  ///< statement
    Term local;
  };
  /// Loads in the statements of b that no earlier store of b changes; certain: those that are done anyway.
  std::vector<Loaded> free_loads(const Block& b, bool certain) const {
    std::vector<Loaded> r;
    std::vector<Element> stored;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const auto note = [&](const Term& x) {
        if (x->kind != TermKind::Load || x->width > 1 || !arrays_.count(x->name)) return;
        const Element e = element(x->name, x->nats[0]);
        if (std::none_of(stored.begin(), stored.end(), [&](const Element& s) { return s.may_be(e); }))
          r.push_back({e, x, i});
      };
      if (const Term* t = value_of(b[i]);
          t && !(std::holds_alternative<Store>(b[i].v) && std::get<Store>(b[i].v).async))
        certain ? visit_certain(*t, note) : visit(*t, note);
      if (const auto* x = std::get_if<Store>(&b[i].v))
        for (int l = 0; l < x->value->width; ++l) stored.push_back(element(x->array, x->position[0] + l));
    }
    return r;
  }
  Block load_vectors(Block b) {
    const std::vector<Loaded> loads = free_loads(b, true);
    const auto find =
        [&](const Element& e,
            std::int64_t l) -> const Loaded* {  // the first: loads are in the order of statements
      for (const Loaded& x : loads)
        if (x.from.array == e.array && x.from.base == e.base && x.from.offset == e.offset + l) return &x;
      return nullptr;
    };
    std::vector<Vector> vectors;
    std::set<const Loaded*> taken;
    for (const Loaded& start : loads)
      for (const int w : widths(start.term->type)) {
        Vector v{start, w, start.first, {}};
        std::vector<const Loaded*> members;
        for (int l = 0; l < w; ++l)
          if (const Loaded* x = find(start.from, l); x && !taken.count(x))
            members.push_back(x), v.first = std::min(v.first, x->first);
        if (members.size() != static_cast<std::size_t>(w) || !aligned(start.from, w)) continue;
        taken.insert(members.begin(), members.end());
        vectors.push_back(v);
        break;
      }
    if (vectors.empty()) return b;
    std::stable_sort(vectors.begin(), vectors.end(),
                     [](const Vector& x, const Vector& y) { return x.first < y.first; });
    for (Vector& v : vectors) {
      const std::string base = v.start.from.array + (v.width == 2 ? "_pair" : "_quad");
      v.local = local_term(base + std::to_string(++counts_[base]), v.start.term->type, v.width);
    }
    return with_vectors(b, vectors);
  }
  Block with_vectors(Block& b, const std::vector<Vector>& vectors) const {
    std::vector<std::map<std::uint32_t, Term>> replaced(b.size());
    for (const Loaded& x : free_loads(b, false))
      for (const Vector& v : vectors)
        if (const std::int64_t l = x.from.offset - v.start.from.offset;
            v.start.from.array == x.from.array && v.start.from.base == x.from.base && l >= 0 && l < v.width &&
            v.first <= x.first)
          replaced[x.first].emplace(x.term->id, shuffle_term({v.local}, {static_cast<int>(l)}));
    Block r;
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (const Vector& v : vectors)
        if (v.first == i)
          r.push_back(
              {Let{v.local, load_term(v.start.from.array, v.start.term->nats, v.start.term->type, v.width)}});
      if (Term* t = value_of(b[i]))
        *t = rewrite(*t, [&](const Term& x) {
          const auto it = replaced[i].find(x->id);
          return it == replaced[i].end() ? x : it->second;
        });
      r.push_back(std::move(b[i]));
    }
    return r;
  }

  std::size_t bytes_;
  std::set<std::string> arrays_, mutable_;
  NamedIndices names_;
  std::map<std::string, int> counts_;
};

}  // namespace

Block pair_accesses(const Block& b, const Kernel& k, std::size_t bytes) {
  return Pairs(b, k, bytes).block(b);
}

}  // namespace lift
