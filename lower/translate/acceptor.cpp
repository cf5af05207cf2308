#include "lower/translate/acceptor.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/program.hpp"

namespace lift {

Acceptor array_place(std::string hint, std::function<Acceptor(const Nat&)> at) {
  return {ArrayPlace{std::move(hint), std::move(at)}};
}

std::vector<std::string> dimension_names(std::size_t rank) {
  static const auto& names = *new std::vector<std::string>{"i", "j", "k", "b", "c", "d"};
  std::vector<std::string> r;
  for (std::size_t d = rank; d-- > 0;) r.push_back(names[std::min(d, names.size() - 1)]);
  return r;
}

namespace {

std::size_t dimensions_of(const Type& t) {
  if (t.is_array()) return 1 + dimensions_of(t.element());
  std::size_t most = 0;
  if (t.is_tuple())
    for (const Type& part : t.parts()) most = std::max(most, dimensions_of(part));
  return most;
}

}  // namespace

Acceptor array_places(std::span<const std::string> arrays, const Type& t, const std::vector<Nat>& position) {
  if (t.is_scalar()) return {Cell{arrays[0], position.empty() ? std::vector<Nat>{0} : position, {}, false}};
  if (t.is_tuple()) {
    std::vector<Acceptor> parts;
    std::size_t first = 0;
    for (const Type& part : t.parts()) {
      parts.push_back(array_places(arrays.subspan(first, components_in(part)), part, position));
      first += components_in(part);
    }
    return {std::move(parts)};
  }
  const std::vector<std::string> names(arrays.begin(), arrays.end());
  return array_place(dimension_names(dimensions_of(t)).front(), [=](const Nat& i) {
    auto p = position;
    p.push_back(i);
    return array_places(names, t.element(), p);
  });
}

View view_of(const Acceptor& p, const Type& t) {
  if (t.is_scalar()) {
    const auto& cell = std::get<Cell>(p.v);
    return {load_term(cell.array, cell.position, t.scalar())};
  }
  if (t.is_tuple()) {
    std::vector<View> parts;
    for (std::size_t i = 0; i < t.parts().size(); ++i)
      parts.push_back(view_of(std::get<std::vector<Acceptor>>(p.v)[i], t.parts()[i]));
    return {std::move(parts)};
  }
  return {ArrayView{t.length(), [=](const Nat& i) { return view_of(p[i], t.element()); }}};
}

std::optional<Acceptor> place_of(const View& v, const Type& t) {
  if (t.is_scalar()) {
    const Term x = v.term();
    if (x->kind != TermKind::Load) return std::nullopt;
    return Acceptor{Cell{x->name, x->nats, {}, false}};
  }
  if (t.is_tuple()) {
    std::vector<Acceptor> parts;
    for (std::size_t i = 0; i < t.parts().size(); ++i) {
      const auto part = place_of(v.parts()[i], t.parts()[i]);
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    return Acceptor{std::move(parts)};
  }
  if (v.array().variables || !place_of(v[Nat::fresh("p", 0, t.length() - 1)], t.element()))
    return std::nullopt;
  return array_place(dimension_names(dimensions_of(t)).front(),
                     [=](const Nat& i) { return *place_of(v[i], t.element()); });
}

Acceptor access(Acceptor p, std::span<const Nat> position) {
  for (const Nat& i : position) p = p[i];
  return p;
}

std::vector<std::string> hints(Acceptor p, std::size_t rank) {
  std::vector<std::string> r;
  for (std::size_t d = 0; d < rank; ++d) {
    r.push_back(p.hint());
    if (d + 1 < rank) p = p[Nat(0)];
  }
  return r;
}

Acceptor collect(const std::vector<std::string>& names,
                 const std::function<Acceptor(const std::vector<Nat>&)>& f,
                 const std::vector<Nat>& position) {
  if (position.size() == names.size()) return f(position);
  return array_place(names[position.size()], [=](const Nat& i) {
    auto p = position;
    p.push_back(i);
    return collect(names, f, p);
  });
}

std::set<std::string> arrays_at(const Acceptor& p) {
  if (const auto* c = std::get_if<Cell>(&p.v)) return {c->array};
  if (std::holds_alternative<ArrayPlace>(p.v)) return arrays_at(p[Nat(0)]);
  std::set<std::string> all;
  for (const Acceptor& part : std::get<std::vector<Acceptor>>(p.v)) all.merge(arrays_at(part));
  return all;
}

Acceptor map_cells(const Acceptor& p, const std::function<Cell(Cell)>& f) {
  if (const auto* c = std::get_if<Cell>(&p.v)) return {f(*c)};
  if (const auto* parts = std::get_if<std::vector<Acceptor>>(&p.v)) {
    std::vector<Acceptor> r;
    for (const Acceptor& x : *parts) r.push_back(map_cells(x, f));
    return {std::move(r)};
  }
  return array_place(p.hint(), [=](const Nat& i) { return map_cells(p[i], f); });
}

std::vector<NatCond> common_guards(const Acceptor& p) {
  if (const auto* c = std::get_if<Cell>(&p.v)) return c->guards;
  std::vector<NatCond> common;
  if (const auto* parts = std::get_if<std::vector<Acceptor>>(&p.v)) {
    for (std::size_t i = 0; i < parts->size(); ++i) {
      const std::vector<NatCond> here = common_guards((*parts)[i]);
      if (i == 0) common = here;
      std::erase_if(common,
                    [&](const NatCond& g) { return std::find(here.begin(), here.end(), g) == here.end(); });
    }
    return common;
  }
  const Nat i = Nat::fresh("p", 0, std::int64_t{1} << 40);
  common = common_guards(p[i]);
  std::erase_if(common, [&](const NatCond& g) { return mentions(g.a, i); });
  return common;
}

bool is_readable(const Acceptor& p, const Type& t) {
  if (t.is_scalar()) return std::get<Cell>(p.v).guards.empty();
  if (t.is_array()) return is_readable(p[Nat::fresh("p", 0, t.length() - 1)], t.element());
  const std::vector<Acceptor>& parts = std::get<std::vector<Acceptor>>(p.v);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!is_readable(parts[i], t.parts()[i])) return false;
  return true;
}

std::optional<Acceptor> accept(const Expr& e, const Acceptor& to) {
  const auto rank = static_cast<std::size_t>(op_rank(e));
  switch (e.op()) {
    case Op::Join: {
      const std::vector<Nat> inner = shape_of(e.child(0).type(), static_cast<int>(2 * rank));
      std::vector<std::string> names = hints(to, rank), all;
      for (const std::string& n : names) all.push_back(n + "t");
      all.insert(all.end(), names.begin(), names.end());
      return collect(all, [=](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (std::size_t d = 0; d < rank; ++d) q.push_back(p[d] * inner[rank + d] + p[rank + d]);
        return access(to, q);
      });
    }
    case Op::Split: {
      return collect(hints(access(to, std::vector<Nat>(rank, 0)), rank),
                     [=, &k = split_lengths(e)](const std::vector<Nat>& p) {
                       std::vector<Nat> q(2 * rank);
                       for (std::size_t d = 0; d < rank; ++d)
                         q[d] = floordiv(p[d], k[d]), q[rank + d] = mod(p[d], k[d]);
                       return access(to, q);
                     });
    }
    case Op::Drop: {  // elements that are dropped have no place: a guard keeps them from being stored
      const std::vector<Nat> kept = shape_of(e.type(), static_cast<int>(rank));
      return collect(hints(to, rank), [=, low = low_widths(e)](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        std::vector<NatCond> guards;
        for (std::size_t d = 0; d < rank; ++d) {
          q.push_back(p[d] - low[d]);
          for (const NatCond& g : {less_equal(0, q[d]), less(q[d], kept[d])})
            if (!Facts().proves(g)) guards.push_back(g);
        }
        return map_cells(access(to, q), [=](Cell c) {
          c.guards.insert(c.guards.end(), guards.begin(), guards.end());
          return c;
        });
      });
    }
    case Op::Transpose: {
      const std::vector<std::int64_t>& order = transpose_order(e);
      const auto names = hints(to, rank);
      std::vector<std::string> permuted(names.size());
      for (std::size_t d = 0; d < names.size(); ++d) permuted[static_cast<std::size_t>(order[d])] = names[d];
      return collect(permuted, [=, &order](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (const auto d : order) q.push_back(p[static_cast<std::size_t>(d)]);
        return access(to, q);
      });
    }
    case Op::Reverse: {
      const std::vector<Nat> n = shape_of(e.type(), static_cast<int>(rank));
      return collect(hints(to, rank), [=](std::vector<Nat> p) {
        for (std::size_t d = 0; d < rank; ++d) p[d] = n[d] - 1 - p[d];
        return access(to, p);
      });
    }
    case Op::At: {  // the only element of an array
      const std::vector<Nat> shape = shape_of(e.child(0).type(), static_cast<int>(rank));
      if (std::any_of(shape.begin(), shape.end(), [](const Nat& n) { return !(n == Nat(1)); }))
        return std::nullopt;
      return collect(dimension_names(rank), [=](const std::vector<Nat>&) { return to; });
    }
    case Op::Unzip: {
      const std::vector<Acceptor> parts = std::get<std::vector<Acceptor>>(to.v);
      return collect(hints(parts.at(0), rank), [=](const std::vector<Nat>& p) {
        std::vector<Acceptor> elements;
        for (const Acceptor& part : parts) elements.push_back(access(part, p));
        return Acceptor{std::move(elements)};
      });
    }
    default:
      return std::nullopt;
  }
}

}  // namespace lift
