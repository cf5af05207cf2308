#include "rewrite/analysis/sweeps.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// The array that a sweep overwrites: the base of its update, also below maps over zipped arrays.
std::optional<Expr> overwritten(const Expr& e) {
  if (is_update(e.op())) return e.child(0);
  if (is_identity(e.op())) return overwritten(e.child(0));
  if (!is_map(e.op()) || op_rank(e) != 1 || !e.child(0).is(Op::Lambda)) return std::nullopt;
  std::vector<Expr> fresh;
  const auto inner = overwritten(open(e.child(0), fresh));
  const Expr& xs = e.child(1);
  if (!inner) return std::nullopt;
  if (*inner == fresh[0]) return xs;
  if (!inner->is(Op::Get) || !(inner->child(0) == fresh[0])) return std::nullopt;
  const auto i = static_cast<std::size_t>(tuple_index(*inner));
  return is_of_rank(xs, Op::Zip, 1) ? std::optional(xs.child(i)) : std::nullopt;
}

bool is_sweep_before(const Expr& e) { return e.is(Op::Let) && overwritten(e.child(0)).has_value(); }

}  // namespace

std::vector<Place> sweeps_of(const Expr& body) {
  std::vector<Place> r;
  Place here;
  Expr e = body;
  while (is_sweep_before(e)) {
    Place value = here;
    value.push_back(0);
    r.push_back(std::move(value));
    here.push_back(1), here.push_back(0);
    std::vector<Expr> fresh;
    e = open(e.child(1), fresh);
  }
  r.push_back(std::move(here));
  return r;
}

Program single_sweep(const Program& program, std::size_t n) {
  Program p = program;
  for (; n > 0; --n) {
    if (!is_sweep_before(p.body)) throw InternalError("sweeps: there are fewer");
    p.body = instantiate(p.body.child(1), std::vector{*overwritten(p.body.child(0))});
  }
  if (is_sweep_before(p.body)) p.body = Expr(p.body.child(0));
  return p;
}

std::string why_not_one_after_the_other(const Program& program) {
  Expr e = program.body;
  while (is_sweep_before(e)) {
    const Expr base = *overwritten(e.child(0));
    std::vector<Expr> fresh;
    const Expr rest = open(e.child(1), fresh);
    if (contains(rest, [&](const Expr& x) { return x == base; }))
      return str(base) + " is used after a sweep that would overwrite it";
    e = rest;
  }
  return "";
}

}  // namespace lift
