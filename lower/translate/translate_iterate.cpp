// Iterations: a loop over the steps. Results that are stored take turns in two arrays, numbers are kept in
// variables. The first step reads the start value where it is, the last one writes where the result goes.
#include <utility>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/translator.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {
namespace {

constexpr std::int64_t kWrittenOut = 4;       ///< steps that are copies of the code rather than a loop
constexpr std::int64_t kMostLaunches = 4096;  ///< steps that are kernels of their own

bool takes_launches(const Expr& e) {
  return contains(e, [](const Expr& x) { return x.is(Op::MapGlb) || x.is(Op::MapWrg) || x.is(Op::MapLcl); });
}
/// Where the steps are stored.
AddressSpace space_of(const Expr& step) {
  return step.is(Op::ToGlobal)  ? AddressSpace::Global
         : step.is(Op::ToLocal) ? AddressSpace::Local
                                : AddressSpace::Private;
}
std::int64_t steps_of(const Expr& e) {
  if (const auto times = iterate_times(e).constant()) return *times;
  throw UserError("iterate: the number of iterations must be known, got " + iterate_times(e).str() +
                  "; fix the size");
}

}  // namespace

/// Steps that overwrite what they are given: all in one array, where the start value lies or is computed.
void Translator::write_in_place(const Expr& e, const ScopePtr& scope, const Acceptor& given) {
  const std::int64_t times = steps_of(e);
  const Expr &f = e.child(0), &start = e.child(1);
  Acceptor to = given;
  if (computes(start)) {
    write(start, scope, to);
    to = map_cells(to, [&](Cell c) {  // it may be an argument that steps before these overwrite
      if (const auto it = in_argument.find(c.array); it != in_argument.end() && !it->second.empty())
        c.array = it->second;
      return c;
    });
  } else if (times > 0) {
    const auto over = place_of_base(eval(start, scope), e.type(), given, true);
    if (!over) refuse_place();
    to = *over;
  }
  StepArrays arrays;
  const auto step = [&](const Nat& t) {
    std::vector<View> values{view_of(to, e.type())};
    if (parameter_types(f).size() == 2) values.insert(values.begin(), View{index_term(t)});
    StepArrays* const around = std::exchange(step_arrays_, &arrays);
    arrays.next = 0, arrays.block = block;
    write(f.child(0), std::make_shared<Scope>(Scope{std::move(values), scope}), to);
    step_arrays_ = around;
  };
  if (takes_launches(f))
    for (std::int64_t t = 0; t < times; ++t) step(Nat(t));
  else if (times > 0)
    loop(new_loop("t", times), step);
}

void Translator::write_iterate(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  if (overwrites_steps(e)) return write_in_place(e, scope, to);
  const std::int64_t times = steps_of(e);
  const Expr &f = e.child(0), &stored = f.child(0);
  const bool numbered = parameter_types(f).size() == 2;
  const bool written_out = takes_launches(stored);
  if (written_out && times > kMostLaunches)
    throw UserError("iterate: " + std::to_string(times) + " steps would be as many kernels; at most " +
                    std::to_string(kMostLaunches) +
                    " follow one another here, so iterate over blocks of steps");
  StepArrays arrays;
  const auto step = [&](const Nat& t, const View& x, const Acceptor& there) {
    std::vector<View> values{x};
    if (numbered) values.insert(values.begin(), View{index_term(t)});
    StepArrays* const around = std::exchange(step_arrays_, &arrays);
    arrays.next = 0, arrays.block = block;
    write(stored.child(0), std::make_shared<Scope>(Scope{std::move(values), scope}), there);
    step_arrays_ = around;
  };
  if (times == 0) return write(e.child(1), scope, to);
  const View start = eval(e.child(1), scope);
  if (times == 1) return step(0, start, to);
  const AddressSpace space = space_of(stored);
  const LayoutRequest layout = asked_layout(stored);
  Acceptor turn[2] = {new_array("even", e.type(), space, layout), {}};
  if (times > 2) turn[1] = new_array("odd", e.type(), space, layout);
  const auto middle = [&](const Nat& t, int parity) {  // t has this parity
    step(t, view_of(turn[1 - parity], e.type()), turn[parity]);
  };
  step(0, start, turn[0]);
  std::int64_t t = 1;
  const std::int64_t pairs = (times - 2) / 2;
  if (!written_out && pairs > kWrittenOut / 2) {
    loop(new_loop("t", pairs), [&](const Nat& p) { middle(2 * p + 1, 1), middle(2 * p + 2, 0); });
    t += 2 * pairs;
  }
  for (; t < times - 1; ++t) middle(t, static_cast<int>(t % 2));
  step(times - 1, view_of(turn[times % 2], e.type()), to);
}

/// Numbers are carried from step to step in variables; arrays of which the steps are not stored are ways of
/// looking at the start value.
View Translator::iterate(const Expr& e, const ScopePtr& scope) {
  if (stores_steps(e)) {  // where it is read, and nowhere else
    const Expr& stored = e.child(0).child(0);
    const Acceptor own = new_array("steps", e.type(), space_of(stored), asked_layout(stored));
    write_iterate(e, scope, own);
    return view_of(own, e.type());
  }
  const std::int64_t times = steps_of(e);
  if (e.type().has_arrays() || times <= kFewScalars) return Views::iterate(e, scope);
  const View start = eval(e.child(1), scope);
  const std::vector<Term> locals = carried(start, "x");
  loop(new_loop("t", times),
       [&](const Nat& t) { carry(Views::step(e, t, with_scalars(start, locals), scope), locals); });
  return with_scalars(start, locals);
}

}  // namespace lift
