#include "ir/verify.hpp"

#include <algorithm>
#include <set>

#include "ir/ops.hpp"

namespace lift {
namespace {

[[noreturn]] void broken(const std::string& rule, const Expr& e) { throw InternalError("verify: " + rule + ", in " + str(e).substr(0, 200)); }

/// The low-level maps around a place, outermost first.
struct Around {
  Op op;
  std::int64_t dim = 0;
};

bool is_grid(Op op) { return op == Op::MapGlb || op == Op::MapWrg || op == Op::MapLcl; }

bool has_loops(const Expr& e) {
  bool found = false;
  visit(e, [&](const Expr& x) { found |= is_map(x.op()); });
  return found;
}

void check_nesting(const Expr& e, std::vector<Around>& around, std::set<std::pair<std::uint32_t, std::size_t>>& seen) {
  std::size_t key = 0;
  for (const Around& a : around) key = key * 131 + static_cast<std::size_t>(a.op) * 7 + static_cast<std::size_t>(a.dim) + 1;
  if (!seen.emplace(e.id(), key).second) return;
  const auto inside = [&](Op op) { return std::any_of(around.begin(), around.end(), [&](const Around& a) { return a.op == op; }); };
  const auto inside_dim = [&](Op op, std::int64_t dim) { return std::any_of(around.begin(), around.end(), [&](const Around& a) { return a.op == op && a.dim == dim; }); };
  const auto& ints = e.attr().ints;
  const std::int64_t dim = is_grid(e.op()) && ints.size() > 1 ? ints[1] : 0;
  switch (e.op()) {
    case Op::MapVec:
      if (has_loops(e.child(0))) broken("map_vec holds scalar arithmetic only, no further maps", e);
      break;
    case Op::MapPar:
      if (inside(Op::MapVec)) broken("map_par inside map_vec", e);
      if (inside(Op::MapGlb) || inside(Op::MapWrg) || inside(Op::MapLcl)) broken("map_par inside a map over work-items", e);
      break;
    case Op::MapGlb:
      if (inside(Op::MapWrg)) broken("map_glb inside map_wrg", e);
      if (inside_dim(Op::MapGlb, dim)) broken("map_glb inside a map_glb of the same dimension", e);
      break;
    case Op::MapLcl:
      if (!inside_dim(Op::MapWrg, dim)) broken("map_lcl outside a map_wrg of its dimension", e);
      break;
    case Op::ToLocal:
      if (!inside(Op::MapWrg)) broken("to_local outside map_wrg", e);
      break;
    default: break;
  }
  if (is_grid(e.op()) && inside(Op::MapPar)) broken("a map over work-items inside map_par", e);
  const bool low = is_map(e.op()) && !e.is(Op::Map);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const bool function = low && i == 0;
    if (function) around.push_back({e.op(), dim});
    check_nesting(e.child(i), around, seen);
    if (function) around.pop_back();
  }
}

}  // namespace

void verify(const Program& program) {
  const Expr& body = program.body;
  if (body.loose() != 0) broken("a bound variable refers outside the program", body);
  int in_place = 0;
  visit(body, [&](const Expr& e) {
    if (e.is(Op::Hole)) broken("a hole is left", e);
    if (mentions_any(e.type())) broken("a type is open", e);
    if (e.is(Op::Param) && std::find(program.arguments.begin(), program.arguments.end(), e) == program.arguments.end())
      broken(param_name(e) + " is no argument of " + program.name, e);
    const Type t = row(e.op()).type(e.op(), e.children(), e.attr());
    if (!(t == e.type())) broken("a node has type " + e.type().str() + " where its parts give " + t.str(), e);
    in_place += e.is(Op::UpdateInPlace);
  });
  if (in_place > 1) broken("two updates in place", body);
  if (in_place && program.overwritable.empty()) broken("an update in place, and no argument may be overwritten", body);
  std::vector<Around> around;
  std::set<std::pair<std::uint32_t, std::size_t>> seen;
  check_nesting(body, around, seen);
}

}  // namespace lift
