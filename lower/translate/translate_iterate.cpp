// Iterations: a loop over the steps. Results that are stored take turns in two arrays, or stay in the one
// that each step overwrites; numbers are kept in variables. The first step reads the start value where it is,
// the last one writes where the result goes.
#include <algorithm>
#include <utility>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/translator.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {
namespace {

constexpr std::int64_t kWrittenOut = 4;  ///< steps that are copies of the code rather than a loop

/// Each step is work of one group's items, between which they wait.
bool is_in_group(const Expr& e) {
  const auto holds = [&](Op op) { return contains(e, [&](const Expr& x) { return x.is(op); }); };
  return holds(Op::MapLcl) && !holds(Op::MapGlb) && !holds(Op::MapWrg);
}
/// Other arrays than those that the iteration reads: the program's own, where what is read are its arguments.
bool lies_apart(const Expr& e, const Acceptor& to, const std::function<bool(const std::string&)>& is_own) {
  const std::set<std::string> arrays = arrays_at(to);
  return e.loose() == 0 && std::all_of(arrays.begin(), arrays.end(), is_own);
}
/// Arrays that the loop at a block's end makes are there for what follows, too.
void hoist_arrays(Block& block) {
  Block within = std::move(std::get<For>(block.back().v).body), rest;
  const auto at = [&] { return block.end() - 1; };
  for (Stmt& s : within) {
    if (std::holds_alternative<Allocate>(s.v))
      block.insert(at(), std::move(s));
    else
      rest.push_back(std::move(s));
  }
  std::get<For>(block.back().v).body = std::move(rest);
}

}  // namespace

/// Where the arrays lie that steps overwrite or hand on as they are: where the start value lies or is
/// computed, or a copy of it. Others have no place here; `start` is what the steps read first.
void Translator::place_state(const Expr& e, const ScopePtr& scope, std::vector<Acceptor>& to, View& start) {
  const std::vector<StepPart> parts = parts_of_steps(e);
  const bool several = e.type().is_tuple();
  const auto place = [&](const Expr& x, std::size_t i) {
    if (computes(x)) {
      write(x, scope, to[i]);
      to[i] = in_its_argument(to[i]);
      return view_of(to[i], x.type());
    }
    const View v = eval(x, scope);
    const bool overwrites = parts[i] == StepPart::overwritten;
    const auto over = place_of_base(v, x.type(), to[i], overwrites);
    if (over)
      to[i] = *over;
    else if (overwrites)
      refuse_place();
    else
      write_copy(v, to[i], x.type(), sharing_of(e));
    return view_of(to[i], x.type());
  };
  const Expr& from = e.child(1);
  if (!several) {
    start = place(from, 0);
  } else if (from.is(Op::Tuple)) {
    std::vector<View> all;
    for (std::size_t i = 0; i < parts.size(); ++i)
      all.push_back(parts[i] == StepPart::turns ? eval(from.child(i), scope) : place(from.child(i), i));
    start = View{std::move(all)};
  } else if (computes(from)) {
    write(from, scope, Acceptor{to});
    for (Acceptor& a : to) a = in_its_argument(a);
    start = view_of(Acceptor{to}, e.type());
  } else {
    const View v = eval(from, scope);
    std::vector<View> all = v.parts();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == StepPart::turns) continue;
      const Type& t = e.type().parts()[i];
      const auto over = place_of_base(all[i], t, to[i], parts[i] == StepPart::overwritten);
      if (over)
        to[i] = *over;
      else
        write_copy(all[i], to[i], t, sharing_of(e));
      all[i] = view_of(to[i], t);
    }
    start = View{std::move(all)};
  }
  for (const Acceptor& a : to)  // before steps, elements are what is stored only after them
    for (const std::string& array : arrays_at(a)) complete_.erase(array);
}

/// Steps that overwrite what they are given stay in one array; what others make takes turns in two.
void Translator::write_iterate(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  const std::vector<StepPart> parts = parts_of_steps(e);
  const auto turns = [](StepPart p) { return p == StepPart::turns; };
  const bool some_stay = !std::all_of(parts.begin(), parts.end(), turns),
             all_stay = std::none_of(parts.begin(), parts.end(), turns), several = e.type().is_tuple();
  const Nat& steps = iterate_times(e);
  const std::optional<std::int64_t> known = steps.constant();
  const Expr& f = e.child(0);
  const Expr stored = stores_steps(e) ? f.child(0).child(0) : f.child(0);
  const bool numbered = parameter_types(f).size() == 2;
  const bool written_out = known && is_in_group(stored);
  StepArrays arrays;
  const auto step = [&](const Nat& t, const View& x, const Acceptor& there) {
    std::vector<View> values{x};
    if (numbered) values.insert(values.begin(), View{index_term(t)});
    StepArrays* const around = std::exchange(step_arrays_, &arrays);
    arrays.next = 0, arrays.block = block;
    write(stored, std::make_shared<Scope>(Scope{std::move(values), scope}), there);
    step_arrays_ = around;
  };
  if (known == 0) return write(e.child(1), scope, to);
  View start{};
  std::vector<Acceptor> last = several ? std::get<std::vector<Acceptor>>(to.v) : std::vector<Acceptor>{to};
  // What stays is read where it lies.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Type& t = several ? e.type().parts()[i] : e.type();
    if (!turns(parts[i]) && !is_readable(last[i], t))
      return in_whole_array(last[i], t, f.child(0),
                            [&] { write_iterate(e, scope, several ? Acceptor{last} : last[0]); });
  }
  // What is handed on in turns, and the rest where it stays.
  const auto together = [&](const std::vector<Acceptor>& turn) {
    std::vector<Acceptor> all = last;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (turns(parts[i])) all[i] = turn.at(i);
    return several ? Acceptor{std::move(all)} : all[0];
  };
  std::vector<Acceptor> turn[2];
  const auto make_turn = [&](const char* name, std::vector<Acceptor>& made) {
    const AddressSpace space = memory_of(f.child(0)).value_or(AddressSpace::Private);
    const LayoutRequest layout = asked_layout(f.child(0));
    if (!some_stay) {
      const Acceptor all = new_array(name, e.type(), space, layout);
      made = several ? std::get<std::vector<Acceptor>>(all.v) : std::vector<Acceptor>{all};
      return;
    }
    made.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (turns(parts[i])) made[i] = new_array(name, e.type().parts()[i], space, layout);
  };
  if (some_stay) {
    if (!all_stay && computes(e.child(1)) && !e.child(1).is(Op::Tuple)) {
      // The start value's parts that take turns are computed beside those that stay.
      make_turn("odd", turn[1]);
      std::vector<Acceptor> places = last;
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (turns(parts[i])) places[i] = turn[1][i];
      place_state(e, scope, places, start);
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (!turns(parts[i])) last[i] = places[i];
    } else {
      place_state(e, scope, last, start);
    }
  } else {
    start = eval(e.child(1), scope);
  }
  if (all_stay) {
    const Acceptor there = several ? Acceptor{last} : last[0];
    if (written_out)
      for (std::int64_t t = 0; t < *known; ++t) step(Nat(t), view_of(there, e.type()), there);
    else
      loop(new_loop("t", steps), [&](const Nat& t) { step(t, view_of(there, e.type()), there); });
    return;
  }
  const Acceptor result = several ? Acceptor{last} : last[0];
  const auto stored_in = [&](int parity) { return view_of(together(turn[parity]), e.type()); };
  if (!known) {
    // There and back, so that the last step ends where it is known, however many there are. What is one step
    // too many for that comes first; without one the start value is copied.
    const bool back_to_result =
        !some_stay && memory_of(f.child(0)).value_or(AddressSpace::Private) == AddressSpace::Global &&
        is_readable(result, e.type()) &&
        lies_apart(e, result, [&](const std::string& array) { return is_own(array); });
    if (back_to_result)
      turn[0] = last;
    else
      make_turn("even", turn[0]);
    if (turn[1].empty()) make_turn("odd", turn[1]);
    const auto copy = [&](const View& from, const std::vector<Acceptor>& there) {
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (turns(parts[i]))
          write_copy(several ? from.parts()[i] : from, there[i], several ? e.type().parts()[i] : e.type(),
                     sharing_of(e));
    };
    const Nat odd = mod(steps, 2);
    loop(new_loop("first", odd), [&](const Nat&) { step(0, start, together(turn[0])); });
    hoist_arrays(*block);
    loop(new_loop("copy", 1 - odd), [&](const Nat&) { copy(start, turn[0]); });
    loop(new_loop("t", floordiv(steps, 2)), [&](const Nat& p) {
      step(2 * p + odd, stored_in(0), together(turn[1]));
      step(2 * p + odd + 1, stored_in(1), together(turn[0]));
    });
    if (!back_to_result) copy(stored_in(0), last);
    return;
  }
  const std::int64_t times = *known;
  if (times == 1) return step(0, start, result);
  make_turn("even", turn[0]);
  if (times > 2 && turn[1].empty()) make_turn("odd", turn[1]);
  const auto middle = [&](const Nat& t, int parity) {  // t has this parity
    step(t, stored_in(1 - parity), together(turn[parity]));
  };
  step(0, start, together(turn[0]));
  std::int64_t t = 1;
  const std::int64_t pairs = (times - 2) / 2;
  if (!written_out && pairs > kWrittenOut / 2) {
    loop(new_loop("t", pairs), [&](const Nat& p) { middle(2 * p + 1, 1), middle(2 * p + 2, 0); });
    t += 2 * pairs;
  }
  for (; t < times - 1; ++t) middle(t, static_cast<int>(t % 2));
  step(times - 1, stored_in(static_cast<int>(times % 2)), result);
}

/// Numbers are carried from step to step in variables; arrays of which the steps are not stored are ways of
/// looking at the start value.
View Translator::iterate(const Expr& e, const ScopePtr& scope) {
  if (stores_steps(e)) {  // where it is read, and nowhere else
    const Expr& stored = e.child(0).child(0);
    const Acceptor own =
        new_array("steps", e.type(), memory_of(stored).value_or(AddressSpace::Private), asked_layout(stored));
    write_iterate(e, scope, own);
    return view_of(own, e.type());
  }
  const Nat& times = iterate_times(e);
  if (times.constant().value_or(kFewScalars + 1) <= kFewScalars) return Views::iterate(e, scope);
  const View start = eval(e.child(1), scope);
  const std::vector<Term> locals = carried(start, "x");
  loop(new_loop("t", times),
       [&](const Nat& t) { carry(Views::step(e, t, with_scalars(start, locals), scope), locals); });
  return with_scalars(start, locals);
}

}  // namespace lift
