// Decisions: how the iterations of a map run, and where values live. The meaning is that of the high-level
// primitive; the guards are the nesting rules of the backends.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/layout.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// Whether some expression around is such a one; a map is around its function, not around its argument.
bool encloses(const Site& site, const std::function<bool(const Expr&)>& p) {
  for (std::size_t i = 0; i < site.around.size(); ++i) {
    const Expr &x = site.around[i], &part = i + 1 < site.around.size() ? site.around[i + 1] : site.e;
    if (p(x) && !(is_map(x.op()) && part == x.child(1))) return true;
  }
  return false;
}
bool same_dimension(const Expr& e, Op op, std::int64_t dim) {
  return e.is(op) && loop_option(e, LoopOption::Dimension) == dim;
}

Result<Expr> need_map(const Site& site) {
  if (!site.e.is(Op::Map))
    return Failure{"needs a map without a decision, found " + std::string(text(site.e.op()))};
  return site.e;
}
Expr lowered(const Expr& e, Op op) {
  return make(op, {e.child(0), e.child(1)}, attributes::map(op, op_rank(e)), origin(e));
}
Expr lowered(const Expr& e, Op op, LoopOption option, std::int64_t value) {
  return with_option(lowered(e, op), option, value);
}
bool scalar_result(const Expr& map) { return is_of_numbers(element_of(map.type(), op_rank(map))); }
/// The function computes a small array by unrolled loops over all of it: a block of neighbouring elements.
bool unrolled_block(const Expr& map) {
  const Nest nest = main_nest(map.child(0).child(0));
  Nat elements = 1;
  bool of_scalars = false;
  for (const NestLevel& l : nest.levels) {
    const Expr m = part_at(map.child(0).child(0), l.place);
    of_scalars =
        scalar_result(m);  // of the innermost: it may return rows that are computed where they are read
    for (const Nat& n : l.extents) elements = elements * n;
    if (!m.is(Op::MapUnroll) || l.extents.size() != 1 ||
        !(l.extents[0] == Nat(loop_option(m, LoopOption::Width))))
      return false;
  }
  return of_scalars && elements.constant().value_or(100) <= 16;
}

Result<Expr> map_seq(const Site& site, const Arguments&) {
  const auto m = need_map(site);
  return m ? Result<Expr>(lowered(*m, Op::MapSeq)) : m;
}
Result<Expr> map_unroll(const Site& site, const Arguments& a) {
  const auto m = need_map(site);
  if (!m) return m;
  const std::int64_t u = number(a, 0);
  if (u < 2 || u > 64) return Failure{"unrolls by 2 to 64, got " + a[0].str()};
  return lowered(*m, Op::MapUnroll, LoopOption::Width, u);
}
Result<Expr> map_par(const Site& site, const Arguments&) {
  const auto m = need_map(site);
  if (!m) return m;
  if (encloses(site, [](const Expr& e) { return is_map_on_grid(e.op()); }))
    return Failure{"map_par inside a work-item"};
  return lowered(*m, Op::MapPar);
}
Result<Expr> map_vec(const Site& site, const Arguments& a) {
  const auto m = need_map(site);
  if (!m) return m;
  if (op_rank(*m) != 1) return Failure{"vectors run over one dimension: use map-nest first"};
  if (!scalar_result(*m) && !unrolled_block(*m))
    return Failure{
        "only the innermost loop is vectorised, or one around unrolled loops over all of a small block: its "
        "function returns " +
        element_of(m->type(), 1).str()};
  if (contains(m->child(0), [](const Expr& x) { return is_scan(x.op()); }))
    return Failure{"the function has a scan, which goes from element to element: vectors run across scans"};
  const std::int64_t w = number(a, 0);
  if (!is_vector_width(w)) return Failure{"a vector has 2, 4, 8, 16, 32 or 64 lanes, got " + a[0].str()};
  return lowered(*m, Op::MapVec, LoopOption::Width, w);
}

Result<Expr> map_grid(Op op, const Site& site, const Arguments& a) {
  const auto m = need_map(site);
  if (!m) return m;
  const std::int64_t dim = number(a, 0);
  const std::int64_t last = dim + op_rank(*m) - 1;
  if (last > (op == Op::MapLcl ? 2 : 3))
    return Failure{"an NDRange has dimensions 0, 1 and 2, and 3 for loops that share dimension 2; got " +
                   a[0].str() + " for a map of rank " + std::to_string(op_rank(*m))};
  const auto same = [&](const Expr& x) { return same_dimension(x, op, dim); };
  if (encloses(site, same) || contains(m->child(0), same))
    return Failure{"two nested " + std::string(text(op)) + " over dimension " + a[0].str()};
  if (encloses(site, [](const Expr& x) { return x.is(Op::MapPar); }))
    return Failure{"a work-item cannot run inside map_par"};
  const auto foreign = [&](const Expr& x) {
    return op == Op::MapGlb ? x.is(Op::MapWrg) || x.is(Op::MapLcl) : x.is(Op::MapGlb);
  };
  if (encloses(site, foreign)) return Failure{"map_glb does not mix with map_wrg and map_lcl"};
  const auto groups = [](const Expr& x) { return x.is(Op::MapWrg) || is_band(x, Band::overlapped); };
  if (op == Op::MapLcl && !encloses(site, groups))
    return Failure{"map_lcl " + a[0].str() + " needs an enclosing map_wrg, or band<overlapped>"};
  if (op == Op::MapWrg && encloses(site, [](const Expr& x) { return x.is(Op::MapLcl); }))
    return Failure{"map_wrg inside map_lcl"};
  return lowered(*m, op, LoopOption::Dimension, dim);
}
Rule::Construct grid(Op op) {
  return [op](const Site& site, const Arguments& a) { return map_grid(op, site, a); };
}

Result<Expr> dynamic(const Site& site, const Arguments& a) {
  if (!site.e.is(Op::MapPar)) return Failure{"needs a map_par, found " + std::string(text(site.e.op()))};
  const std::int64_t chunk = number(a, 0);
  if (chunk < 1 || chunk > 1 << 20) return Failure{"a chunk is 1 to 1048576 iterations, got " + a[0].str()};
  return with_option(site.e, LoopOption::Dynamic, chunk);
}
Result<Expr> late_store(const Site& site, const Arguments&) {
  if (!site.e.is(Op::MapVec)) return Failure{"needs a map_vec, found " + std::string(text(site.e.op()))};
  return with_option(site.e, LoopOption::LateStore, 1);
}
bool is_sequential(const Expr& e) { return (e.is(Op::MapSeq) || e.is(Op::MapUnroll)) && op_rank(e) == 1; }
Result<Expr> prefetch(const Site& site, const Arguments& a) {
  if (!site.e.is(Op::MapVec) && !is_sequential(site.e))
    return Failure{"needs map_vec, or map_seq or map_unroll of rank 1, found " +
                   std::string(text(site.e.op()))};
  return with_option(site.e, LoopOption::Prefetch, number(a, 0));
}
Result<Expr> unroll(const Site& site, const Arguments& a) {
  if (!site.e.is(Op::MapSeq)) return Failure{"needs a map_seq, found " + std::string(text(site.e.op()))};
  const std::int64_t u = number(a, 0);
  if (u < 2 || u > 64) return Failure{"unrolls by 2 to 64, got " + a[0].str()};
  const Expr wide = with_option(site.e, LoopOption::Width, u);
  return make(Op::MapUnroll, {wide.child(0), wide.child(1)}, wide.attr(), origin(site.e));
}
Result<Expr> rotate(const Site& site, const Arguments&) {
  if (!is_sequential(site.e))
    return Failure{"needs map_seq or map_unroll of rank 1, found " + std::string(text(site.e.op()))};
  return with_option(site.e, LoopOption::Rotate, 1);
}

/// The scalar that a function returns, below its lets.
Expr result_of(Expr e) {
  for (;;) {
    if (e.is(Op::Lambda))
      e = e.child(0);
    else if (e.is(Op::Let))
      e = e.child(1);
    else
      return e;
  }
}
bool tests_modulo(const Expr& condition, std::int64_t m) {
  return contains(condition, [&](const Expr& x) {
    if (!x.is(Op::Mod)) return false;
    const Expr& d = x.child(1);
    return (d.is(Op::Literal) && literal_number(d) == static_cast<double>(m)) ||
           (d.is(Op::NatValue) && nat_of(d) == Nat(m));
  });
}
Result<Expr> strided(const Site& site, const Arguments& a) {
  const std::int64_t m = number(a, 0);
  const Expr& e = site.e;
  const bool of_items = e.is(Op::MapGlb) || e.is(Op::MapLcl);
  if (!is_sequential(e) && !((e.is(Op::MapVec) || of_items) && op_rank(e) == 1))
    return Failure{"needs map_seq, map_unroll, or map_vec, map_glb or map_lcl of rank 1, found " +
                   std::string(text(e.op()))};
  if (m < 2 || m > 64) return Failure{"a stride is 2 to 64, got " + a[0].str()};
  const Expr r = result_of(e.child(0));
  if (!r.is(Op::Select) || !tests_modulo(r.child(0), m)) {
    if (of_items) return Failure{"the function does not select by an index modulo " + a[0].str()};
    if (loop_option(e, LoopOption::Rotate) != 0)
      return Failure{"what is kept for the next iteration is not what the one after it needs"};
    return with_option(e, LoopOption::Stride, m);
  }
  if (!encloses(site, [](const Expr& x) { return x.is(Op::UpdateInPlace); }))
    return Failure{"elements that are not visited keep their value only in place: use update-in-place first"};
  return with_option(e, LoopOption::Stride, m);
}

Rule::Construct reduction(Op op) {
  return [op](const Site& site, const Arguments&) -> Result<Expr> {
    if (!site.e.is(Op::Reduce))
      return Failure{"needs a reduce without a decision, found " + std::string(text(site.e.op()))};
    return make(op, {site.e.child(0), site.e.child(1), site.e.child(2)}, site.e.attr(), origin(site.e));
  };
}
Rule::Construct marked(Op op) {
  return [op](const Site& site, const Arguments&) -> Result<Expr> {
    const Type t = site.e.type();
    if (t.is_function()) return Failure{"a function is not stored"};
    if (site.e.is(op)) return Failure{"is " + std::string(text(op)) + " already"};
    const bool overwritten = !site.around.empty() && site.around.back().is(Op::UpdateInPlace) &&
                             site.around.back().child(0) == site.e;
    const bool moved = op == Op::ToPrivate || op == Op::ToLocal;
    if (moved && overwritten) return Failure{"the base of an update in place stays where it is"};
    Expr made = site.e;
    while (is_identity(made.op())) made = made.child(0);
    if (moved && made.is(Op::UpdateInPlace)) return Failure{"an update in place lies where its base lies"};
    const auto group = [](const Expr& x) { return x.is(Op::MapWrg) || x.is(Op::Map); };
    if (op == Op::ToLocal && !encloses(site, group))
      return Failure{
          "local memory belongs to a work-group: needs map_wrg around, or a map that may become it"};
    if (op == Op::Async && !t.is_array()) return Failure{"only the stores of an array can be done later"};
    if (op == Op::Stream && !t.is_array()) return Failure{"only the stores of an array can bypass the cache"};
    return make(op, {site.e}, {}, origin(site.e));
  };
}

/// What is computed, not an argument: those get layouts all together, see the rule `layout`.
Result<Expr> in_layout_of(const Site& site, const Arguments& words) {
  const Expr& e = site.e;
  std::string text;
  for (const Argument& w : words) text += (text.empty() ? "" : " ") + w.str();
  LayoutRequest request;
  try {
    request = parse_layout(text);
  } catch (const UserError& error) {
    return Failure{error.what()};
  }
  const std::vector<Type> arrays = e.type().has_arrays() ? component_arrays(e.type()) : std::vector<Type>{};
  if (arrays.empty()) return Failure{"needs an array, found " + e.type().str()};
  if (contains(e, [](const Expr& x) { return x.is(Op::UpdateInPlace); }))
    return Failure{"an update in place lies where its base lies"};
  if (e.is(Op::Layout)) return Failure{"is in a layout already"};
  if (!contains(e, [](const Expr& x) {
        return is_map(x.op()) || is_reduce(x.op()) || is_scan(x.op()) || is_update(x.op()) ||
               x.is(Op::Iterate);
      }))
    return Failure{"is no array that is computed; arguments get layouts by the rule layout"};
  for (const Type& t : arrays)
    if (request.kind == LayoutRequest::Kind::Split && rank_of(t) < request.axes)
      return Failure{"a split over " + std::to_string(request.axes) +
                     " axes needs a rank of as many, found " + t.str()};
  return in_layout(request, e);
}

std::vector<Rule> loops() {
  return {
      constructed("map-seq", "map f -> map_seq f", map_seq).says("an ordinary loop"),
      constructed("map-unroll", "map f -> map_unroll u f", map_unroll)
          .takes("u", "elements a trip")
          .says("a loop unrolled by %1"),
      constructed("map-par", "map f -> map_par f", map_par)
          .says("the iterations are shared among the threads"),
      constructed("map-vec", "map f -> map_vec w f", map_vec)
          .takes("w", "lanes")
          .says("the innermost loop computes vectors of %1 lanes"),
      constructed("map-glb", "map f -> map_glb d f", grid(Op::MapGlb))
          .takes("d", "NDRange dimension")
          .says("one work-item an iteration, along dimension %1"),
      constructed("map-wrg", "map f -> map_wrg d f", grid(Op::MapWrg))
          .takes("d", "NDRange dimension")
          .says("one work-group an iteration, along dimension %1"),
      constructed("map-lcl", "map f -> map_lcl d f", grid(Op::MapLcl))
          .takes("d", "NDRange dimension")
          .says("one work-item of the group an iteration, along dimension %1"),
  };
}

}  // namespace

std::vector<Rule> lowering_rules() {
  std::vector<Rule> all = loops();
  const std::vector<Rule> more{
      constructed("unroll", "map_seq f -> map_unroll u f", unroll)
          .takes("u", "elements a trip")
          .says("the loop is unrolled by %1"),
      constructed("rotate", "map_seq f keeps what the next iterations need again in registers", rotate)
          .says("what the next iterations need again stays in registers"),
      constructed(
          "strided",
          "map_x f visits only the indices that f's guard modulo m admits; without a guard, every m-th, "
          "then the others",
          strided)
          .takes("m", "modulus of the guard")
          .says("one element in every %1 is visited: those that the guard admits, or without one the others "
                "after them"),
      constructed("dynamic", "map_par f hands out n iterations at a time to the threads that are free",
                  dynamic)
          .takes("n", "iterations at a time")
          .says("a thread takes %1 iterations at a time, when it is done with those before"),
      constructed("late-store", "map_vec f stores a vector after the loads of the next", late_store)
          .says("each vector is stored after the next one's loads"),
      constructed("prefetch", "map_vec f prefetches d elements ahead, map_seq f d iterations ahead", prefetch)
          .takes("d", "elements or iterations ahead")
          .says("data is prefetched %1 ahead"),
      constructed("reduce-seq", "reduce f z -> reduce_seq f z", reduction(Op::ReduceSeq))
          .says("the reduction is a loop"),
      constructed("reduce-unroll", "reduce f z -> reduce_unroll f z", reduction(Op::ReduceUnroll))
          .says("the reduction is unrolled"),
      constructed("to-private", "xs = to_private xs", marked(Op::ToPrivate))
          .says("the value is kept in registers"),
      constructed("to-local", "xs = to_local xs", marked(Op::ToLocal))
          .says("the value is kept in local memory"),
      constructed("to-global", "xs = to_global xs", marked(Op::ToGlobal))
          .says("the value is stored in global memory"),
      constructed("in-layout", "xs = layout xs for a named value or another array that is stored",
                  in_layout_of)
          .takes("layout", "rows ALIGN LEAD, split AXES ALIGN", true, true)
          .says("the array is stored in the layout: %*"),
      constructed("async", "xs = async xs", marked(Op::Async))
          .says("elements are copied asynchronously, and waited for before the barrier that needs them"),
      constructed("stream", "xs = stream xs", marked(Op::Stream)).says("stores bypass the cache"),
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace lift
