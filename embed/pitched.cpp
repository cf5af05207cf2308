#include "embed/pitched.hpp"

#include <algorithm>

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

using Lengths = std::vector<std::int64_t>;

Expr param_around(const std::string& name, const Lengths& lengths, const Type& block) {
  return param(name, array(std::vector<Nat>(lengths.begin(), lengths.end()), element_of(block)));
}

Expr block_of(const Expr& whole, const Type& block) {
  const std::vector<Nat> all = shape_of(whole.type()), kept = shape_of(block);
  std::vector<Nat> dropped;
  for (std::size_t d = 0; d < all.size(); ++d) dropped.push_back(all[d] - kept[d]);
  return drop(std::vector<Nat>(all.size(), Nat(0)), dropped, whole);
}

/// The results one by one, where they stand one by one.
std::vector<Expr> parts_of(const Expr& body, std::size_t results) {
  if (results == 1) return {body};
  if (!body.is(Op::Tuple) || body.children().size() != results) return {};
  return {body.children().begin(), body.children().end()};
}

}  // namespace

std::optional<Lengths> lengths_around(const ArgumentValue& v) {
  const auto rank = static_cast<std::size_t>(v.rank);
  Lengths lengths(v.shape.begin(), v.shape.begin() + v.rank);
  if (v.rank == 0) return lengths;
  if (v.shape[rank - 1] != 1 && v.strides[rank - 1] != 1) return std::nullopt;
  std::int64_t step = 1;  // of dimension d
  for (std::size_t d = rank - 1; d > 0; --d) {
    const std::int64_t above = v.shape[d - 1] == 1 ? step * v.shape[d] : v.strides[d - 1];
    if (above % step != 0 || above < step * v.shape[d]) return std::nullopt;
    lengths[d] = above / step;
    step = above;
  }
  return lengths;
}

Pitched within(const Program& numbered, const Plan& plan, const Around& around,
               const std::vector<bool>& update_of) {
  Pitched p{numbered, std::vector<std::string>(plan.results.size()), {}};
  std::vector<Expr> blocks(numbered.arguments.size());
  for (std::size_t i = 0; i < numbered.arguments.size(); ++i) {
    if (around[i].empty()) continue;
    const Expr& x = numbered.arguments[i];
    p.program.arguments[i] = param_around(param_name(x), around[i], x.type());
    blocks[i] = block_of(p.program.arguments[i], x.type());
  }
  const auto seen_as_blocks = [&](const Expr& e) {
    return substitute(e, [&](const Expr& leaf) {
      for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i] && leaf == numbered.arguments[i]) return blocks[i];
      return leaf;
    });
  };
  const std::vector<Expr> parts = parts_of(numbered.body, plan.results.size());
  if (parts.empty()) {
    p.program.body = seen_as_blocks(numbered.body);
    return p;
  }
  std::vector<Expr> results;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const ResultTarget& target = plan.targets[r];
    Expr part = seen_as_blocks(parts[r]);
    if (update_of[r] && target.kind == ResultTarget::Kind::in_place && parts[r].is(Op::Update) &&
        parts[r].child(0) == numbered.arguments[target.index]) {
      part = with_children(parts[r], {p.program.arguments[target.index], seen_as_blocks(parts[r].child(1))});
      p.into[r] = param_name(p.program.arguments[target.index]);
    } else if (update_of[r] && target.kind == ResultTarget::Kind::argument && part.type().is_array()) {
      const Expr whole = param_around(plan.results[r].name + "_around", around[target.index], part.type());
      p.program.arguments.push_back(whole);
      p.into[r] = param_name(whole);
      p.program.overwritable.push_back(p.into[r]);
      part = update(whole, std::vector<Nat>(around[target.index].size(), Nat(0)), part);
      p.wrapped.push_back(parts.size() == 1 ? std::vector<int>{} : std::vector<int>{static_cast<int>(r)});
    }
    if (p.into[r].empty() && target.kind == ResultTarget::Kind::in_place)
      std::erase(p.program.overwritable, param_name(numbered.arguments[target.index]));
    results.push_back(part);
  }
  p.program.body = results.size() == 1 ? results[0] : tuple(results);
  return p;
}

Derivation moved(Derivation d, const Pitched& p) {
  constexpr int block = 1;  // which child of an update that is
  for (Step& s : d)
    for (const std::vector<int>& at : p.wrapped)
      if (s.place.size() >= at.size() && std::equal(at.begin(), at.end(), s.place.begin()))
        s.place.insert(s.place.begin() + static_cast<std::ptrdiff_t>(at.size()), block);
  // All results are made in place, or none: then those with gaps are computed beside, or refused.
  const bool all = std::none_of(p.into.begin(), p.into.end(), [](const std::string& s) { return s.empty(); });
  const bool done = std::any_of(d.begin(), d.end(),
                                [](const Step& s) { return s.rule == "update-in-place" && s.place.empty(); });
  if (!p.wrapped.empty() && all && !done) d.insert(d.begin(), Step{"update-in-place", {}, {}});
  return d;
}

}  // namespace lift
