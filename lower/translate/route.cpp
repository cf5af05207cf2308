#include "lower/translate/route.hpp"

#include <algorithm>
#include <map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {
namespace {

/// Follows structural primitives from a function's value to its argument.
struct Route {
  int depth = 0;  ///< names between the argument's and the value
  std::optional<Acceptor> whole;
  std::map<std::size_t, Acceptor> parts;

  bool follow(const Expr& e, const Acceptor& to) {
    const auto is_argument = [this](const Expr& x) {
      return x.is(Op::Bound) && bound_depth(x) == depth && bound_index(x) == 0;
    };
    if (is_argument(e)) {
      if (whole || !parts.empty()) return false;
      whole = to;
      return true;
    }
    if (e.is(Op::Get) && is_argument(e.child(0)))
      return !whole && parts.emplace(static_cast<std::size_t>(tuple_index(e)), to).second;
    if (e.is(Op::Tuple)) {
      for (std::size_t i = 0; i < e.children().size(); ++i)
        if (!follow(e.child(i), std::get<std::vector<Acceptor>>(to.v).at(i))) return false;
      return true;
    }
    if (is_identity(e.op())) return follow(e.child(0), to);
    const auto place = accept(e, to);
    return place && follow(e.child(0), *place);
  }
  std::optional<Acceptor> place(const Type& t) const {
    if (whole) return whole;
    if (!t.is_tuple() || parts.size() != t.parts().size()) return std::nullopt;
    std::vector<Acceptor> all;
    for (const auto& [i, p] : parts) all.push_back(p);
    return Acceptor{std::move(all)};
  }
};

}  // namespace

Acceptor any_place(const Type& t) {
  std::vector<std::string> names(components_in(t), "any");
  return array_places(names, t);
}

std::optional<AddressSpace> memory_of(const Expr& e) {
  if (e.is(Op::ToGlobal)) return AddressSpace::Global;
  if (e.is(Op::ToLocal)) return AddressSpace::Local;
  return e.is(Op::ToPrivate) ? std::optional(AddressSpace::Private) : std::nullopt;
}

Op kept(const Type& t, const Expr& value) {
  const bool shares_work = contains(value, [](const Expr& x) {
    return x.is(Op::MapPar) || x.is(Op::MapGlb) || x.is(Op::MapWrg) || x.is(Op::MapLcl);
  });
  return has_few_scalars(t) && !shares_work ? Op::ToPrivate : Op::ToGlobal;
}

bool computes(const Expr& e) {
  if (is_map(e.op()) || is_reduce(e.op()) || is_update(e.op()) || is_scan(e.op()) || e.is(Op::Iterate))
    return true;
  if (memory_of(e)) return true;
  if (e.is(Op::Lambda)) return false;
  if (e.is(Op::Let))  // the name may be one of a view alone
    return computes(e.child(0)) || computes(e.child(1).child(0));
  return std::any_of(e.children().begin(), e.children().end(), computes);
}

bool is_placed(const Expr& e) {
  const auto memory = memory_of(e);
  if (e.is(Op::Ring) || (memory && *memory != AddressSpace::Global)) return true;
  return e.is(Op::Tuple) && std::all_of(e.children().begin(), e.children().end(), is_placed);
}

LayoutRequest asked_layout(const Expr& value) {
  if (!computes(value)) return {};
  Expr e = value;
  while (is_identity(e.op()) && !e.is(Op::Layout)) e = e.child(0);
  return e.is(Op::Layout) ? layout_of(e) : LayoutRequest{};
}

bool is_carried_in_variables(const Expr& scan) {
  const std::function<bool(const Type&)> has_arrays = [&](const Type& t) {
    return t.is_array() || (t.is_tuple() && std::any_of(t.parts().begin(), t.parts().end(), has_arrays));
  };
  return !has_arrays(scan.child(1).type()) && loop_option(scan, LoopOption::Stored) == 0;
}

bool is_unrolled(const Expr& reduce) {
  const auto n = reduce.child(2).type().length().constant();
  return n && *n <= kFewScalars && !reduce.is(Op::ReduceSeq);
}

bool stores_steps(const Expr& iterate) {
  const Expr& f = iterate.child(0);
  return is_placed(f.child(0)) || f.child(0).is(Op::ToGlobal);
}

bool hands_on(const Expr& e) {
  return row(e.op()).cls == OpClass::Structure && rearranges(e.op()) && accept(e, any_place(e.type()));
}

std::optional<Acceptor> place_in_result(const Expr& fn, const Acceptor& to) {
  Route route;
  if (!route.follow(fn.child(0), to)) return std::nullopt;
  return route.place(parameter_types(fn).at(0));
}

namespace {

/// Names of what lies where a function's argument lies: that, and what overwrites it.
class LiesThere {
 public:
  bool is(const Expr& e) const {
    if (e.is(Op::Bound))
      return bound_index(e) == 0 &&
             std::find(binders_.begin(), binders_.end(), depth_ - bound_depth(e)) != binders_.end();
    if (is_identity(e.op()) || e.is(Op::UpdateInPlace)) return is(e.child(0));
    return e.is(Op::Iterate) && e.type().is_array() && overwrites_base(e) && is(e.child(1));
  }
  void below(const Expr& let) {
    const bool there = is(let.child(0));
    ++depth_;
    if (there) binders_.push_back(depth_);
  }

 private:
  int depth_ = 0;
  std::vector<int> binders_{0};
};

/// Whether a function's argument is read by anything but component i of its value.
bool is_read_beside(const Expr& fn, std::size_t i) {
  std::vector<Expr> names;
  Expr body = open(fn, names);
  const auto reads = [x = names.at(0)](const Expr& e) {
    return contains(e, [&](const Expr& c) { return c == x; });
  };
  for (; body.is(Op::Let); body = body.child(1).child(0))
    if (reads(body.child(0))) return true;
  for (std::size_t j = 0; j < body.children().size(); ++j)
    if (j != i && reads(body.child(j))) return true;
  return false;
}

/// Whether all of an argument is stored where a component goes that is made of it: nothing of it is dropped.
bool is_whole(const Expr& component, int depth, const Type& argument) {
  Route route;
  route.depth = depth;
  return route.follow(component, any_place(component.type())) && is_readable(*route.whole, argument);
}

}  // namespace

std::optional<Component> component_in_result(const Expr& fn, const Acceptor& to) {
  Expr body = fn.child(0);
  int depth = 0;
  LiesThere there;
  for (; body.is(Op::Let); ++depth) there.below(body), body = body.child(1).child(0);
  const auto is_there = [&](const Expr& e) {
    return overwrites_base(e) || e.is(Op::Bound) ? there.is(e) : false;
  };
  if (!body.is(Op::Tuple)) {
    if (body.type() == parameter_types(fn).at(0) && is_there(body)) return Component{0, to, true};
    return std::nullopt;
  }
  for (std::size_t i = 0; i < body.children().size(); ++i) {
    const Acceptor& place = std::get<std::vector<Acceptor>>(to.v).at(i);
    Route route;
    route.depth = depth;
    const bool read = is_read_beside(fn, i);
    if (route.follow(body.child(i), place) && route.whole &&
        (!read || is_whole(body.child(i), depth, parameter_types(fn).at(0))))
      return Component{i, *route.whole, read};
    if (body.child(i).type() == parameter_types(fn).at(0) && is_there(body.child(i)))
      return Component{i, place, true};
  }
  return std::nullopt;
}

bool precede(const Expr& tuple, std::size_t i, const Expr& name) {
  return std::none_of(tuple.children().begin(), tuple.children().begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const Expr& c) {
                        return contains(c,
                                        [&](const Expr& x) { return x == name || x.is(Op::UpdateInPlace); });
                      });
}

namespace {

/// Whether two expressions read no array in common. Names of views hide what they read.
bool read_apart(const Expr& a, const Expr& b) {
  if (a.loose() > 0 || b.loose() > 0) return false;
  const std::vector<Expr> of_a = params_of(a);
  return std::none_of(of_a.begin(), of_a.end(), [&](const Expr& p) {
    return p.type().has_arrays() && contains(b, [&](const Expr& x) { return x == p; });
  });
}

}  // namespace

std::optional<std::size_t> updated_with(const Expr& fn) {
  if (!fn.child(0).is(Op::Tuple)) return std::nullopt;
  std::vector<Expr> names;
  const Expr body = open(fn, names);
  for (std::size_t i = 0; i < body.children().size(); ++i) {
    const Expr& u = body.child(i);
    if (!u.is(Op::UpdateInPlace) || !(u.child(1) == names.at(0))) continue;
    if (contains(u.child(0), [&](const Expr& x) { return x == names.at(0); })) continue;
    const auto apart = [&](const Expr& c) { return read_apart(c, u.child(0)); };
    if (precede(body, i, names.at(0)) ||
        std::all_of(body.children().begin(), body.children().begin() + static_cast<std::ptrdiff_t>(i), apart))
      return i;
  }
  return std::nullopt;
}

std::optional<Expr> scan_gone_over(const Expr& map) {
  const Expr& xs = map.child(1);
  if (is_scan(xs.op())) return xs;
  if (!xs.is(Op::Zip)) return std::nullopt;
  for (const Expr& c : xs.children())
    if (is_scan(c.op())) return c;
  return std::nullopt;
}

}  // namespace lift
