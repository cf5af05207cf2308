#include "ir/expr/known_number.hpp"

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/program.hpp"
#include "ir/expr/view.hpp"

namespace lift {

std::optional<Nat> as_nat(const Expr& e) {
  if (!(e.type() == Type(i32))) return std::nullopt;
  if (e.is(Op::Literal)) return Nat(static_cast<std::int64_t>(literal_number(e)));
  if (e.is(Op::NatValue)) return nat_of(e);
  if (e.is(Op::Param) && is_index_param(e)) return index_variable(e);
  if (e.op() != Op::Neg && !(e.op() >= Op::Add && e.op() <= Op::Max)) return std::nullopt;
  const auto a = as_nat(e.child(0)), b = e.is(Op::Neg) ? a : as_nat(e.child(1));
  if (!a || !b) return std::nullopt;
  const bool positive = Facts().proves(less(0, *b));
  switch (e.op()) {
    case Op::Neg:
      return -*a;
    case Op::Add:
      return *a + *b;
    case Op::Sub:
      return *a - *b;
    case Op::Mul:
      return *a * *b;
    case Op::Div:
      return positive ? std::optional(floordiv(*a, *b)) : std::nullopt;
    case Op::Mod:
      return positive ? std::optional(mod(*a, *b)) : std::nullopt;
    case Op::Min:
      return min(*a, *b);
    default:
      return max(*a, *b);
  }
}

Expr iterate(const Expr& times, const Expr& f, const Expr& x, Where where) {
  if (const auto n = as_nat(times)) return iterate(*n, f, x, where);
  throw UserError("iterate: the number of steps is computed, " + str(times) +
                  "; it is made of numbers, sizes and index parameters, which are declared with their range" +
                  line_of(where));
}

}  // namespace lift
