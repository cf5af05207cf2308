// Scans: a loop that carries the element before from one iteration to the next, in scalar variables or by
// reading it back from where it was stored.

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/translator.hpp"

namespace lift {
namespace {

/// The order in which a scan goes through its elements.
struct Direction {
  bool back;
  Nat length;
  Nat position(const Nat& step) const { return back ? length - 1 - step : step; }
};

}  // namespace

/// What one element is computed from.
ScopePtr Translator::scan_step(const View& before, const View& x, const ScopePtr& scope) {
  return std::make_shared<Scope>(Scope{{before, x}, scope});
}

/// The loop over steps first, first + 1, ..., or copies of its body where elements are variables of their
/// own.
void Translator::scan_loop(const Expr& e, const View& xs, const Nat& first,
                           const std::function<void(const Nat& step)>& body) {
  const Nat n = xs.array().length;
  if (xs.array().variables) {
    for (Nat step = first; Facts().proves(less(step, n)); step = step + 1) body(step);
    return;
  }
  if (Facts().proves(less_equal(n, first))) return;
  For f;
  f.var = Nat::fresh("k", first, n - 1);
  f.lower = first, f.upper = n;
  if (const auto width = loop_option(e, LoopOption::Width); width > 1)
    f.kind = LoopKind::Unroll, f.width = static_cast<int>(width);
  f.prefetch = static_cast<int>(loop_option(e, LoopOption::Prefetch));
  f.rows = static_cast<int>(loop_option(e, LoopOption::Rows));
  f.columns = loop_option(e, LoopOption::Columns), f.turns = loop_option(e, LoopOption::Turns);
  if (f.rows > 0 && (f.columns == 0 || f.kind != LoopKind::Seq))
    throw UserError(std::string(text(e.op())) + "<rows " + std::to_string(f.rows) +
                    ">: say how many columns of each row a step has, and do not unroll the loop");
  loop(std::move(f), body);
}

/// The element before is kept in scalar variables.
void Translator::scan_in_variables(const Expr& e, const ScopePtr& scope, const ScanUse& use, const View& xs) {
  const Direction order{is_backward(e.op()), e.type().length()};
  const View init = eval(e.child(1), scope);
  const std::vector<Term> locals = carried(init, "before");
  const View before = with_scalars(init, locals);
  scan_loop(e, xs, 0, [&](const Nat& step) {
    const Nat k = order.position(step);
    carry(eval(e.child(0).child(0), scan_step(before, xs[k], scope)), locals,
          [&](const View& next) { use(k, next); });
  });
}

/// The element before is read back; the first has none, so it stands before the loop.
void Translator::scan_from_stored(const Expr& e, const ScopePtr& scope, const Acceptor& to, const View& xs,
                                  const ScanUse& use) {
  const Type& t = e.child(1).type();
  const Nat n = e.type().length();
  const Direction order{is_backward(e.op()), n};
  const auto element = [&](const View& before, const Nat& k) {
    write(e.child(0).child(0), scan_step(before, xs[k], scope), to[k]);
    if (use) use(k, view_of(to[k], t));
  };
  if (Facts().proves(less_equal(n, 0))) return;
  Block first;
  std::swap(first, *block);
  element(eval(e.child(1), scope), order.position(0));
  std::swap(first, *block);
  if (!Facts().proves(less_equal(1, n))) first = {{If{{compare_term(less_equal(1, n))}, std::move(first)}}};
  for (Stmt& s : first) block->push_back(std::move(s));
  scan_loop(e, xs, 1, [&](const Nat& step) {
    element(view_of(to[order.position(step - 1)], t), order.position(step));
  });
}

/// Where elements are kept that only the next one reads: of arrays two, in turns.
Acceptor Translator::kept_elements(const Expr& scan) {
  const Type element = scan.child(1).type();
  if (!element.has_arrays()) return new_array("work", scan.type(), AddressSpace::Global);
  const Acceptor two = new_array("work", Type::array(2, element), AddressSpace::Global);
  return array_place("k", [two](const Nat& k) { return two[mod(k, 2)]; });
}

void Translator::write_scan(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  const View xs = eval(e.child(2), scope);
  if (is_carried_in_variables(e))
    return scan_in_variables(
        e, scope, [&](const Nat& k, const View& y) { write_view(y, to[k]); }, xs);
  if (is_readable(to, e.type())) return scan_from_stored(e, scope, to, xs, {});
  const Acceptor own = kept_elements(e);
  const LoopKind shared = sharing_of(e.child(0));  // what threads or items have made they also copy
  scan_from_stored(e, scope, own, xs,
                   [&](const Nat& k, const View& y) { write_copy(y, to[k], e.child(1).type(), shared); });
}

namespace {
/// zip_rank of views.
View zipped(const std::vector<View>& parts, std::int64_t rank) {
  if (rank == 0) return {parts};
  return {ArrayView{parts.front().array().length, [=](const Nat& i) {
                      std::vector<View> elements;
                      for (const View& p : parts) elements.push_back(p[i]);
                      return zipped(elements, rank - 1);
                    }}};
}
}  // namespace

/// A loop over a scan that is not stored first, or over such a scan beside other arrays, uses each element as
/// it is computed: one loop does both.
bool Translator::write_map_of_scan(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  const auto scan = scan_gone_over(e);
  if (!scan) return false;
  const Expr& array = e.child(1);
  const std::vector<Expr> parts = array.is(Op::Zip)
                                      ? std::vector<Expr>(array.children().begin(), array.children().end())
                                      : std::vector{array};
  std::vector<View> views;
  for (const Expr& p : parts) views.push_back(p == *scan ? View{} : eval(p, scope));
  const View xs = eval(scan->child(2), scope);
  const ScanUse use = [&](const Nat& k, const View& y) {
    std::vector<View> elements;
    for (std::size_t i = 0; i < parts.size(); ++i) elements.push_back(parts[i] == *scan ? y : views[i][k]);
    const View x = array.is(Op::Zip) ? zipped(elements, op_rank(array) - 1) : y;
    write(e.child(0).child(0), std::make_shared<Scope>(Scope{{x}, scope}), to[k]);
  };
  if (is_carried_in_variables(*scan))
    scan_in_variables(*scan, scope, use, xs);
  else
    scan_from_stored(*scan, scope, kept_elements(*scan), xs, use);
  return true;
}

bool Translator::has_scan(const Expr& e) {
  const auto [it, added] = has_scan_.try_emplace(e.id(), false);
  if (!added) return it->second;
  bool found = is_scan(e.op());
  for (const Expr& c : e.children()) found = found || has_scan(c);
  return has_scan_[e.id()] = found;
}

}  // namespace lift
