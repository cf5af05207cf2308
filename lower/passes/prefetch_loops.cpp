// Prefetches in sequential loops: the elements that an iteration some way ahead loads, on their way while
// this one computes.
#include <algorithm>
#include <map>

#include "ir/nat/shift.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Elements so close along the innermost dimension are in one line of a cache, or in that of a neighbouring
/// work-item.
constexpr std::int64_t one_line = 8;

struct Moving {
  std::string array;
  ShiftedPosition at;  ///< the furthest along the loop
};

/// Loads of one loop that move with its iterations.
class Ahead {
 public:
  Ahead(const For& f, const std::map<std::string, Type>& arrays) : loop_(f), arrays_(arrays) {
    scan(f.body, true);
  }

  Block statements() const {
    const Nat v = Nat::fresh("ahead", loop_.lower, loop_.upper - 1),
              then = min(loop_.var + loop_.prefetch * loop_.step, loop_.upper - 1);
    Block r;
    if (!mentions(then, loop_.var)) return r;  // the loop is too short
    for (const Moving& m : found_) {
      if (shares_a_line(m) || is_stored_before(m)) continue;
      if (r.empty()) r.push_back({Let{index_term(v), index_term(then)}});
      Prefetch p{m.array, {}};
      for (const Nat& n : m.at.origin)
        p.position.push_back(substitute(n, loop_.var, v + m.at.shift * loop_.step));
      r.push_back({std::move(p)});
    }
    return r;
  }

 private:
  void scan(const Block& b, bool always) {
    for (const Stmt& s : b) {
      if (const Term* t = value_of(s)) scan(*t, always);
      if (const auto* x = std::get_if<Store>(&s.v))
        if (const auto to = shifted(x->position, loop_.var, loop_.step)) stored_.push_back({x->array, *to});
      if (const auto* x = std::get_if<If>(&s.v)) scan(x->body, false);
    }
  }
  void scan(const Term& t, bool always) {
    visit(t, [&](const Term& x) { always &= !is_conditional(x); });
    visit(t, [&](const Term& x) {
      const auto it = x->kind == TermKind::Load ? arrays_.find(x->name) : arrays_.end();
      if (it == arrays_.end() || !(always || within(x->nats, shape_of(it->second)))) return;
      const auto s = shifted(x->nats, loop_.var, loop_.step);
      if (!s) return;
      for (Moving& m : found_)
        if (m.array == x->name && m.at.origin == s->origin) {
          m.at.shift = std::max(m.at.shift, s->shift);
          return;
        }
      found_.push_back({x->name, *s});
    });
  }
  static bool within(const std::vector<Nat>& position, const std::vector<Nat>& shape) {
    bool r = true;
    for (std::size_t d = 0; d < shape.size() && r; ++d)
      r = Facts().proves_nonnegative(position.at(d)) && Facts().proves(less(position[d], shape[d]));
    return r;
  }
  /// With one further ahead, of which the iteration before has asked for this line, or with one found before
  /// it.
  bool shares_a_line(const Moving& m) const {
    for (const Moving& other : found_) {
      const bool first = other.at.shift > m.at.shift || (other.at.shift == m.at.shift && &other < &m);
      if (!first || other.array != m.array) continue;
      bool near = true;
      for (std::size_t d = 0; d < m.at.origin.size(); ++d) {
        const auto apart = (m.at.origin[d] - other.at.origin[d]).constant();
        near = near && apart && std::abs(*apart) < (d + 1 == m.at.origin.size() ? one_line : 1);
      }
      if (near) return true;
    }
    return false;
  }

  /// The loop itself stores the elements, each some iterations before it is loaded.
  bool is_stored_before(const Moving& m) const {
    return std::any_of(stored_.begin(), stored_.end(), [&](const Moving& s) {
      return s.array == m.array && s.at.origin == m.at.origin && s.at.shift > m.at.shift;
    });
  }

  const For& loop_;
  const std::map<std::string, Type>& arrays_;
  std::vector<Moving> found_, stored_;
};

}  // namespace

Block prefetch_loops(const Block& b, const Kernel& k) {
  std::map<std::string, Type> arrays;
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array()) arrays.emplace(a.name, a.type);
  return rebuild(b, [&](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || f->prefetch == 0 || f->kind > LoopKind::Unroll || has_loop(f->body)) return {std::move(s)};
    Block ahead = Ahead(*f, arrays).statements();
    f->body.insert(f->body.begin(), ahead.begin(), ahead.end());
    f->prefetch = 0;
    return {std::move(s)};
  });
}

}  // namespace lift
