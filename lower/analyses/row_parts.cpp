#include "lower/analyses/row_parts.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "lower/analyses/row_arrays.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw UserError(why); }

/// Where an iteration of a part meets an array: moving, at columns v + [first, last] in iteration v; else at
/// columns [first, last].
struct Meeting {
  std::size_t part;
  const RowArray* array;
  bool store, moving;
  Nat first, last;
  std::int64_t row;  ///< behind that of the same iteration over rows
  std::string text;
};

/// Of a declaration of a value or a variable.
const Term* declared(const Stmt& s) {
  if (const auto* l = std::get_if<Let>(&s.v)) return &l->local;
  if (const auto* d = std::get_if<Declare>(&s.v)) return &d->local;
  return nullptr;
}
std::set<std::string> locals_of(const Block& b) {
  std::set<std::string> all;
  visit_terms(b, [&](const Term& t) {
    if (t->kind == TermKind::Local) all.insert(t->name);
  });
  return all;
}
std::set<std::string> assigned_in(const Block& b) {
  std::set<std::string> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Assign>(&s.v)) all.insert(a->local->name);
  });
  return all;
}
std::set<std::string> declared_in(const Block& b) {
  std::set<std::string> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* d = std::get_if<Declare>(&s.v)) all.insert(d->local->name);
  });
  return all;
}
bool meet(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& x) { return b.count(x) > 0; });
}

class Analysis {
 public:
  explicit Analysis(const For& rows) : rows_(rows), arrays_(row_arrays(rows)) {
    find_parts();
    find_meetings();
    find_shifts();
    find_columns();
    check_variables();
    find_column_arrays();
  }
  RowParts result;

 private:
  static const For* loop_of(const Stmt& s) { return std::get_if<For>(&s.v); }

  // ---- parts

  bool loads_stored(const Term& t) const {
    bool found = false;
    visit(t,
          [&](const Term& x) { found |= x->kind == TermKind::Load && arrays_.by_name.count(x->name) > 0; });
    return found;
  }
  bool mentions_any(const Term& t, const std::set<std::string>& locals) const {
    bool found = false;
    visit(t, [&](const Term& x) { found |= x->kind == TermKind::Local && locals.count(x->name) > 0; });
    return found;
  }

  void find_parts() {
    std::set<std::string> late;  // values that are known once columns have been done
    for (const Stmt& s : rows_.body)
      if (!declared(s))
        for (const std::string& name : assigned_in({s})) late.insert(name);
    for (const Stmt& s : rows_.body) {
      if (std::holds_alternative<Allocate>(s.v)) {
        result.first.push_back(s);
        continue;
      }
      if (const Term* local = declared(s)) {
        const Term& value = *value_of(s);
        if (!loads_stored(value) && !mentions_any(value, late)) {
          result.first.push_back(s);
          continue;
        }
        late.insert((*local)->name);
        result.first.push_back({Declare{*local, constant_term(0, (*local)->type)}});
        result.parts.push_back({{Assign{*local, value}}, false, 0, 1});
        result.parts.back().again = true;
        continue;
      }
      const For* f = loop_of(s);
      if (std::holds_alternative<Barrier>(s.v)) refuse("threads wait for one another within a row");
      if (f && arrays_.columns.count(f) > 0) {
        if (!(f->step == Nat(1)) || f->stride != 1 || f->rotate || f->is_scheduled())
          refuse("the loop over " + f->var.str() + " goes along columns in a way of its own");
        if (mentions(f->lower, rows_.var) || mentions(f->upper, rows_.var))
          refuse("how many columns a row has depends on which row it is");
        result.parts.push_back({s, true, f->lower, f->upper});
      } else {
        result.parts.push_back({s, false, 0, 1});
      }
    }
  }

  // ---- where parts meet arrays

  void find_meetings() {
    for (std::size_t p = 0; p < result.parts.size(); ++p)
      visit({result.parts[p].statement},
            [&](const Stmt& s) { visit_accesses(s, [&](const ElementAccess& x) { note(p, x); }); });
  }

  void note(std::size_t p, const ElementAccess& x) {
    const auto it = arrays_.by_name.find(x.array);
    if (it == arrays_.by_name.end()) return;
    const RowArray& a = it->second;
    const RowPart& part = result.parts[p];
    Meeting m{p, &a, x.store, false, 0, 0, 0, element_text(x.array, x.position)};
    if (a.row) {
      const auto row = along(x.position.at(*a.row), rows_.var);
      const auto rest = row ? (row->rest - a.rest).constant() : std::nullopt;
      if (!row || row->times != a.direction || !rest)
        refuse(m.text + ": it is not known how many rows away that is");
      m.row = -a.direction * *rest;
    }
    if (!a.along) refuse(x.array + " is stored by no loop along the columns");
    const Nat& at = x.position.at(*a.along);
    const auto column = part.loop ? along(at, loop_of(part.statement)->var) : std::optional(Along{0, at});
    if (!column || (column->times != 0 && column->times != 1)) {
      const auto near = part.loop ? near_to(at, loop_of(part.statement)->var) : std::nullopt;
      if (!near) refuse(m.text + ": it is not known which columns these are");
      m.moving = true, m.first = near->first, m.last = near->second;
      meetings_.push_back(std::move(m));
      return;
    }
    m.moving = column->times == 1, m.first = m.last = column->rest;
    if (const auto bounds = Facts().bounds(column->rest); bounds.lower && bounds.upper)
      m.first = *bounds.lower, m.last = *bounds.upper;
    else if (m.moving || is_of_loops(column->rest, part))
      refuse(m.text + ": it is not known which columns these are");
    meetings_.push_back(std::move(m));
  }

  /// Between which numbers a position is that stays near to a loop's variable, as at the boundary of a pad.
  static std::optional<std::pair<std::int64_t, std::int64_t>> near_to(const Nat& at, const Nat& variable) {
    constexpr std::int64_t far = 32;
    const Nat n = at - variable;
    std::int64_t first = far, last = -far;
    while (first >= -far && !Facts().proves_nonnegative(n - first)) --first;
    while (last <= far && !Facts().proves_nonnegative(last - n)) ++last;
    return first < -far || last > far ? std::nullopt : std::optional(std::pair(first, last));
  }
  /// Whether a position changes with loops within a part.
  static bool is_of_loops(const Nat& n, const RowPart& part) {
    return is_computed(n) || holds({part.statement}, [&](const Stmt& s) {
             const For* f = loop_of(s);
             return f && mentions(n, f->var);
           });
  }

  // ---- how far to the right

  const RowPart& part(const Meeting& m) const { return result.parts[m.part]; }
  /// Columns at which a meeting with an element of another is done, without its part's shift: the first, and
  /// the last.
  Nat first_with(const Meeting& m, const Meeting& other) const {
    return m.moving && !other.moving ? other.first - m.last : part(m).lower;
  }
  Nat last_with(const Meeting& m, const Meeting& other) const {
    return m.moving && !other.moving ? other.last - m.first : part(m).upper - 1;
  }
  std::pair<Nat, Nat> elements(const Meeting& m) const {
    if (!m.moving) return {m.first, m.last};
    return {part(m).lower + m.first, part(m).upper - 1 + m.last};
  }
  bool are_apart(const Meeting& a, const Meeting& b) const {
    const auto of_a = elements(a), of_b = elements(b);
    return Facts().proves(less(of_a.second, of_b.first)) || Facts().proves(less(of_b.second, of_a.first));
  }
  bool conflict(const Meeting& a, const Meeting& b) const {
    return a.array == b.array && (a.store || b.store) && !are_apart(a, b);
  }
  /// How far to the right of the second one the first may be, without shifts.
  std::int64_t ahead(const Meeting& a, const Meeting& b) const {
    const Nat n = a.moving && b.moving ? b.last - a.first : last_with(a, b) - first_with(b, a);
    if (const auto c = n.constant()) return *c;
    if (const auto c = Facts().bounds(n).upper) return *c;
    refuse(a.text + " and " + b.text + " meet at any distance along the columns");
  }

  void find_shifts() {
    for (std::size_t p = 1; p < result.parts.size(); ++p)
      for (const Meeting& b : meetings_)
        for (const Meeting& a : meetings_)
          if (b.part == p && a.part < p && a.row == b.row && conflict(a, b) && part(a).loop && part(b).loop)
            result.parts[p].shift = std::max(result.parts[p].shift, part(a).shift + ahead(a, b));
  }

  /// Where the columns begin and end, and how far to the right rows before are needed.
  void find_columns() {
    bool any = false;
    for (const RowPart& p : result.parts) {
      if (!p.loop) continue;
      const Nat begin = p.lower + p.shift, end = p.upper + p.shift;
      result.begin = any ? min(result.begin, begin) : begin;
      result.end = any ? max(result.end, end) : end;
      any = true;
    }
    if (!any) refuse("no loop of a row goes along its columns");
    for (RowPart& p : result.parts)
      if (!p.loop) p.lower = result.begin, p.upper = result.begin + 1;
    for (const Meeting& a : meetings_)
      for (const Meeting& b : meetings_) {
        if (!conflict(a, b)) continue;
        if (a.row == b.row && part(a).loop && !part(b).loop && a.part < b.part && in_between(a, b) > 0)
          refuse("a row goes on where " + a.text + " has been done, further to the right");
        if (!a.array->own && a.row < b.row) result.right = std::max(result.right, in_between(a, b));
        if (a.part == b.part && a.row == b.row && !(a.text == b.text)) result.parts[a.part].chain = true;
      }
  }
  std::int64_t in_between(const Meeting& a, const Meeting& b) const {
    return ahead(a, b) + part(a).shift - part(b).shift;
  }

  // ---- variables

  void check_variables() {
    std::set<std::string> variables;
    for (const Stmt& s : result.first)
      if (const auto* d = std::get_if<Declare>(&s.v)) variables.insert(d->local->name);
    for (std::size_t p = 0; p < result.parts.size(); ++p) {
      RowPart& own = result.parts[p];
      std::set<std::string> assigned;
      const std::set<std::string> within = declared_in({own.statement});
      for (const std::string& name : assigned_in({own.statement}))
        if (variables.count(name) > 0)
          assigned.insert(name);
        else if (within.count(name) == 0)
          refuse(name + " goes from row to row");
      own.again = own.again && assigned.size() == 1;
      if (!own.loop && !own.again && !assigned.empty())
        result.why_no_tiles = "a row's " + *assigned.begin() + " is computed once";
      if (!own.loop || assigned.empty()) continue;
      result.carried.insert(result.carried.end(), assigned.begin(), assigned.end());
      own.chain = true;
      for (std::size_t q = 0; q < result.parts.size(); ++q) {
        const Block other{result.parts[q].statement};
        const bool once_before = q < p && !result.parts[q].loop;
        if (q != p && !once_before &&
            (meet(assigned_in(other), assigned) || meet(locals_of(other), assigned)))
          refuse("a value of the whole row is needed within it: " + *assigned.begin());
      }
    }
    std::set<std::string> once(result.carried.begin(), result.carried.end());
    for (std::size_t p = 0; p < result.parts.size(); ++p) {
      RowPart& own = result.parts[p];
      if (!own.again) continue;
      const std::set<std::string> names = assigned_in({own.statement});
      own.again = false;
      if (meet(names, once)) continue;  // what goes along the columns begins once
      own.again = !meet(locals_of({own.statement}), once) && !is_stored_later(p);
      if (own.again) continue;
      once.insert(names.begin(), names.end());
      result.why_no_tiles = "a row's " + *names.begin() + " is computed once";
    }
    for (RowPart& p : result.parts) p.chain &= p.loop && loop_of(p.statement)->kind != LoopKind::Vec;
  }

  /// Whether something that a part loads, which stores nothing, is stored to after it, in the same row or a
  /// later one.
  bool is_stored_later(std::size_t p) const {
    for (const Meeting& a : meetings_)
      for (const Meeting& b : meetings_)
        if (a.part == p && b.store && conflict(a, b) && (b.row > a.row || (b.row == a.row && b.part >= p)))
          return true;
    return false;
  }

  void find_column_arrays() {
    for (const auto& [name, a] : arrays_.by_name) {
      if (!a.own) continue;
      std::optional<std::int64_t> shift;
      bool one = a.along.has_value();
      for (const Meeting& m : meetings_) {
        if (m.array != &a) continue;
        const auto c = m.first.constant();
        one = one && m.moving && c && m.first == m.last &&
              shift.value_or(part(m).shift - *c) == part(m).shift - *c;
        if (one) shift = part(m).shift - *c;
      }
      if (one && shift)
        result.column_arrays.emplace(name, ColumnArray{*a.along, *shift});
      else
        result.why_no_tiles = "a row needs what " + name + " holds at other columns";
    }
    if (result.right > 0)
      result.why_no_tiles = "the row before is needed " + std::to_string(result.right) +
                            " to the right of a column, in the next tile";
  }

  const For& rows_;
  const RowArrays arrays_;
  std::vector<Meeting> meetings_;
};

}  // namespace

RowParts row_parts(const For& rows) { return Analysis(rows).result; }

}  // namespace lift
