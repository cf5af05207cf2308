// Rules about a whole program: what is known about its arguments allows them.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/layout.hpp"
#include "ir/expr/ops.hpp"
#include "ir/remembered.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// why_not_in_place, remembered by program: exploring asks it of the same one again and again.
std::string obstacle(const Program& p) {
  using Key = std::pair<std::uint32_t, std::vector<std::string>>;
  static auto& known = *new Remembered<Key, std::string>;
  return known({p.body.id(), p.overwritable}, [&] { return why_not_in_place(p); });
}

/// The array itself, of a base of which each element is known to be one of it at its own position.
Expr without_views(const Expr& base) {
  Expr e = base;
  bool cut = false;
  for (; e.is(Op::Pad) || e.is(Op::Drop) || rearranges(e.op()); e = e.child(0))
    cut = cut || e.is(Op::Pad) || e.is(Op::Drop);
  return cut && e.type() == base.type() ? e : base;
}

/// The base of sweep s, which an update at a place overwrites: the array itself, where its elements are
/// proved to be those of the base, too.
Expr known_base(const Program& p, const Place& at, std::size_t s) {
  const Expr u = part_at(p.body, at), base = without_views(u.child(0));
  if (base == u.child(0)) return base;
  Program cut = p;
  cut.body = replaced_at(p.body, at, make(Op::Update, {base, u.child(1)}, u.attr(), origin(u)));
  return obstacle(last_of_chain(single_sweep(cut, s))).empty() ? base : u.child(0);
}

/// All results, or all sweeps, of a program, when each may overwrite its base and none needs what another
/// overwrites.
Result<Program> update_in_place(const Program& given, const Arguments&) {
  Program p = given;
  if (!p.state.empty()) p.overwritable = chain_of(p).overwritable;  // what is handed on where it lies
  if (const std::string why = why_not_one_after_the_other(p); !why.empty()) return Failure{why};
  const std::vector<Place> sweeps = sweeps_of(p.body);
  const auto results = results_of(p).size();
  Program q = p;
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    if (const std::string why = obstacle(last_of_chain(single_sweep(p, s))); !why.empty())
      return Failure{why};
    for (std::size_t r = 0; r < (s + 1 < sweeps.size() ? 1 : results); ++r) {
      const auto at = main_nest(q.body, sweeps[s], static_cast<int>(r)).update;
      if (!at)
        return Failure{results > 1 ? "not every result is an update of an argument"
                                   : "the result is not an update of an argument"};
      const Expr u = part_at(q.body, *at);
      if (!u.is(Op::Update)) return Failure{"the update is in place already"};
      const Expr base = known_base(p, *at, s);
      if (base.is(Op::Update))
        return Failure{"the base is an update itself: give it a name first (let-base)"};
      q.body = replaced_at(q.body, *at, make(Op::UpdateInPlace, {base, u.child(1)}, u.attr(), origin(u)));
    }
  }
  q.overwritable = given.overwritable;
  return q;
}

/// Arguments: the words of a layout, then the names of the arrays; no name means all of them.
Result<Program> layout(const Program& p, const Arguments& words) {
  const std::size_t n = words[0] == "caller" ? 1 : 3;
  if (words.size() < n) return Failure{"a layout is 'rows ALIGN LEAD' or 'split AXES ALIGN'"};
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += (i ? " " : "") + words[i].str();
  LayoutRequest request;
  try {
    request = parse_layout(text);
  } catch (const UserError& e) {
    return Failure{e.what()};
  }
  std::vector<std::string> names;
  for (std::size_t i = n; i < words.size(); ++i) names.push_back(words[i].str());
  for (const std::string& name : names)
    if (std::none_of(p.arguments.begin(), p.arguments.end(),
                     [&](const Expr& a) { return param_name(a) == name && a.type().is_array(); }))
      return Failure{"there is no array argument named " + name};
  const auto chosen = [&](const Expr& a) {
    return a.is(Op::Param) && a.type().is_array() &&
           (names.empty() || std::find(names.begin(), names.end(), param_name(a)) != names.end());
  };
  if (contains(p.body, [&](const Expr& e) { return e.is(Op::Layout) && chosen(e.child(0)); }))
    return Failure{"an array of these has a layout already"};
  if (request.kind == LayoutRequest::Kind::Split)
    for (const Expr& a : p.arguments)
      if (chosen(a) && rank_of(a.type()) < request.axes)
        return Failure{"a split over " + std::to_string(request.axes) +
                       " axes needs arrays of at least that rank, " + param_name(a) + " is " +
                       a.type().str()};
  Program q = p;
  q.body =
      substitute(p.body, [&](const Expr& leaf) { return chosen(leaf) ? in_layout(request, leaf) : leaf; });
  const bool new_array = q.body.type().is_array() && !q.body.is(Op::Layout) &&
                         !contains(q.body, [](const Expr& e) { return e.is(Op::UpdateInPlace); });
  const bool fits = request.kind != LayoutRequest::Kind::Split || rank_of(q.body.type()) >= request.axes;
  if (names.empty() && new_array && fits) q.body = in_layout(request, q.body);
  return q;
}

/// Every array argument that may not be overwritten is marked.
Result<Program> marked(const Program& p, Op op) {
  const auto kept = [&](const Expr& a) {
    return a.is(Op::Param) && a.type().is_array() &&
           std::find(p.overwritable.begin(), p.overwritable.end(), param_name(a)) == p.overwritable.end();
  };
  if (std::none_of(p.arguments.begin(), p.arguments.end(), kept))
    return Failure{"every array argument may be overwritten"};
  if (contains(p.body, [](const Expr& e) { return e.is(Op::ReadOnly) || e.is(Op::MayAlias); }))
    return Failure{"how the arguments may be read was decided already"};
  if (contains(p.body, [](const Expr& e) { return e.is(Op::Layout) && e.child(0).is(Op::Param); }))
    return Failure{"arguments have a layout already: use this rule before layout"};
  Program q = p;
  q.body = substitute(p.body, [&](const Expr& leaf) { return kept(leaf) ? make(op, {leaf}) : leaf; });
  return q;
}

}  // namespace

std::vector<Rule> program_rules() {
  return {
      program_rule("update-in-place", "update base block -> update_in_place base block", update_in_place)
          .says("the result overwrites its argument: no element that is written is read for another"),
      program_rule("read-only", "x = read_only x for arguments x that may not be overwritten",
                   [](const Program& p, const Arguments&) { return marked(p, Op::ReadOnly); })
          .says("arrays that are never written are read through the cache for such"),
      program_rule("may-alias", "x = may_alias x for arguments x that may not be overwritten",
                   [](const Program& p, const Arguments&) { return marked(p, Op::MayAlias); })
          .says("compilers are told nothing about which arrays overlap"),
      program_rule("layout", "x = layout x for arguments x, and a result that is a new array", layout)
          .takes("layout", "rows ALIGN LEAD, split AXES ALIGN; then names of arrays, none for all", true,
                 true)
          .says("arrays are stored in the layout: %*"),
  };
}

}  // namespace lift
