#include "ir/expr/build.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/c_text.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

using attributes::nats, attributes::pairs, attributes::ranked;

std::vector<Nat> repeat(int rank, const Nat& n) {
  return std::vector<Nat>(static_cast<std::size_t>(rank), n);
}

/// Attributes, whose refusals name the line that asks for them.
template <class F>
Attr located(Where where, const F& attributes) {
  try {
    return attributes();
  } catch (const UserError& error) {
    throw UserError(error.what() + line_of(where));
  }
}

}  // namespace

Expr detail::component(const Expr& tuple, std::size_t i) { return get(static_cast<int>(i), tuple); }

Expr apply(const Expr& fn, const std::vector<Expr>& arguments, Where where) {
  if (fn.is(Op::Lambda)) {
    if (parameter_types(fn).size() != arguments.size())
      type_error(Op::Apply,
                 "a function of " + std::to_string(parameter_types(fn).size()) + " parameters got " +
                     std::to_string(arguments.size()) + " arguments",
                 "pass one argument a parameter" + line_of(where));
    return instantiate(fn, arguments);
  }
  std::vector<Expr> c{fn};
  c.insert(c.end(), arguments.begin(), arguments.end());
  return make(Op::Apply, std::move(c), {}, where);
}

Expr compose(const Expr& f, const Expr& g, Where where) {
  const Type t = g.is(Op::Lambda)         ? parameter_types(g).at(0)
                 : g.type().is_function() ? g.type().parts()[0]
                                          : Type::any();
  const Expr x = fresh_param("x", t);
  return lambda({x}, apply(f, {apply(g, {x}, where)}, where), where);
}

Expr map_with(Op op, int rank, const Expr& f, const Expr& xs, const std::vector<std::int64_t>& more,
              Where where) {
  return make(op, {f, xs}, attributes::map_numbers(rank, more), where);
}

Expr reduce(const Expr& f, const Expr& init, const Expr& xs, Where where) {
  return make(Op::Reduce, {f, init, xs}, {}, where);
}
Partial sum(Where where) {
  return {[=](const Expr& xs) {
    const Type t = element_of(xs.type(), 1);
    const Scalar s = promoted(t.scalar());
    return reduce(fun(
                      {Type(s), t}, [](Expr a, Expr x) { return a + x; }, where),
                  literal(0, s), xs, where);
  }};
}
Expr scan(const Expr& f, const Expr& init, const Expr& xs, Where where) {
  return make(Op::Scan, {f, init, xs}, {}, where);
}
Expr scan_back(const Expr& f, const Expr& init, const Expr& xs, Where where) {
  return make(Op::ScanBack, {f, init, xs}, {}, where);
}
Expr iterate(const Nat& times, const Expr& f, const Expr& x, Where where) {
  return make(Op::Iterate, {f, x}, nats({times}), where);
}

Expr zip_n(int rank, const std::vector<Expr>& arrays, Where where) {
  return make(Op::Zip, arrays, ranked(rank), where);
}
Expr unzip_n(int rank, const Expr& xs, Where where) { return make(Op::Unzip, {xs}, ranked(rank), where); }
Expr tuple(const std::vector<Expr>& parts, Where where) { return make(Op::Tuple, parts, {}, where); }
Expr get(int i, const Expr& t, Where where) {
  if (t.is(Op::Tuple) && i >= 0 && i < static_cast<int>(t.children().size()))
    return t.child(static_cast<std::size_t>(i));
  return make(Op::Get, {t}, attributes::component(i), where);
}
Expr components_taken(const Expr& e) {
  std::unordered_map<std::uint32_t, Expr> known;
  const std::function<Expr(const Expr&)> taken = [&](const Expr& x) {
    if (const auto it = known.find(x.id()); it != known.end()) return it->second;
    const Expr inner = map_children(x, taken);
    const Expr r = inner.is(Op::Get) ? get(tuple_index(inner), inner.child(0), origin(x)) : inner;
    known.emplace(x.id(), r);
    return r;
  };
  return taken(e);
}
Expr at(const std::vector<Nat>& position, const Expr& xs, Where where) {
  if (xs.is(Op::At)) {  // at(p) . at(q) is one access
    std::vector<Nat> whole = at_position(xs);
    whole.insert(whole.end(), position.begin(), position.end());
    return make(Op::At, {xs.child(0)}, nats(std::move(whole)), where);
  }
  return make(Op::At, {xs}, nats(position), where);
}

Expr split(const std::vector<Nat>& k, const Expr& xs, Where where) {
  return make(Op::Split, {xs}, nats(k), where);
}
Expr join_n(int rank, const Expr& xs, Where where) { return make(Op::Join, {xs}, ranked(rank), where); }
Expr slide(const std::vector<Nat>& sizes, const std::vector<Nat>& steps, const Expr& xs, Where where) {
  return make(Op::Slide, {xs}, located(where, [&] { return pairs(sizes, steps); }), where);
}
Partial slide_n(int rank, const Nat& size, const Nat& step, Where where) {
  return {[=](const Expr& xs) { return slide(repeat(rank, size), repeat(rank, step), xs, where); }};
}
Expr pad(const std::vector<Nat>& low, const std::vector<Nat>& high, Boundary b, const Expr& xs, double value,
         Where where) {
  return make(Op::Pad, {xs}, located(where, [&] { return attributes::pad(low, high, b, value); }), where);
}
Expr pad(const std::vector<Nat>& low, const std::vector<Nat>& high, Boundary b, const Expr& xs,
         const Expr& value, Where where) {
  return make(Op::Pad, {xs, value}, located(where, [&] { return attributes::pad(low, high, b); }), where);
}
Partial pad_n(int rank, const Nat& low, const Nat& high, Boundary b, const Expr& value, Where where) {
  return {[=](const Expr& xs) { return pad(repeat(rank, low), repeat(rank, high), b, xs, value, where); }};
}
Partial pad_n(int rank, const Nat& low, const Nat& high, Boundary b, double value, Where where) {
  return {[=](const Expr& xs) { return pad(repeat(rank, low), repeat(rank, high), b, xs, value, where); }};
}
Expr drop(const std::vector<Nat>& low, const std::vector<Nat>& high, const Expr& xs, Where where) {
  return make(Op::Drop, {xs}, located(where, [&] { return pairs(low, high); }), where);
}
Partial drop_n(int rank, const Nat& low, const Nat& high, Where where) {
  return {[=](const Expr& xs) { return drop(repeat(rank, low), repeat(rank, high), xs, where); }};
}
Partial take(const Nat& n, Where where) {
  return {[=](const Expr& xs) { return drop({Nat(0)}, {xs.type().length() - n}, xs, where); }};
}
Expr transpose(const std::vector<int>& permutation, const Expr& xs, Where where) {
  return make(Op::Transpose, {xs}, attributes::order({permutation.begin(), permutation.end()}), where);
}
Expr reverse_n(int rank, const Expr& xs, Where where) { return make(Op::Reverse, {xs}, ranked(rank), where); }
Expr generate(const std::vector<Nat>& shape, const Expr& f, Where where) {
  return make(Op::Generate, {f}, nats(shape), where);
}
namespace {

/// Of positions that are arrays, for each of their elements.
Expr gathered(const std::vector<Expr>& positions, const Expr& xs, const Attr& a,
              const std::vector<Expr>& value, Where where) {
  if (!positions.empty() && positions[0].type().is_array()) {
    const int rank = rank_of(positions[0].type());
    const Expr all = positions.size() == 1 ? positions[0] : zip_n(rank, positions, where);
    const Expr p = fresh_param("p", element_of(all.type(), rank));
    std::vector<Expr> each{p};
    if (positions.size() > 1) {
      each.clear();
      for (std::size_t d = 0; d < positions.size(); ++d) each.push_back(get(static_cast<int>(d), p, where));
    }
    return make(Op::Map, {lambda({p}, gathered(each, xs, a, value, where), where), all},
                attributes::map(Op::Map, rank), where);
  }
  std::vector<Expr> children{xs};
  for (const Expr& p : positions) children.push_back(promoted(p, where));
  children.insert(children.end(), value.begin(), value.end());
  return make(Op::Gather, std::move(children), a, where);
}

}  // namespace

Expr gather(const std::vector<Expr>& positions, const Expr& xs, Boundary boundary, double value,
            Where where) {
  return gathered(positions, xs, attributes::gather(static_cast<int>(positions.size()), boundary, value), {},
                  where);
}
Expr gather(const std::vector<Expr>& positions, const Expr& xs, Boundary boundary, const Expr& value,
            Where where) {
  return gathered(positions, xs, attributes::gather(static_cast<int>(positions.size()), boundary), {value},
                  where);
}
Expr iota(const Nat& n, Where where) {
  return generate({n},
                  fun(
                      Type(i32), [](Expr i) { return i; }, where),
                  where);
}
Expr positions(const std::vector<Nat>& shape, const std::vector<Nat>& offsets, Where where) {
  std::vector<Expr> index, shifted;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    index.push_back(fresh_param("i", Type(i32)));
    shifted.push_back(offsets.empty() || offsets[d] == Nat(0)
                          ? index.back()
                          : binary(Op::Add, index.back(), nat_value(offsets[d]), where));
  }
  return generate(shape, lambda(index, tuple(shifted, where), where), where);
}
Expr concat(const Expr& a, const Expr& b, Where where) { return make(Op::Concat, {a, b}, {}, where); }
Expr interleave(const std::vector<Expr>& arrays, Where where) {
  return make(Op::Interleave, arrays, {}, where);
}
Expr update(const Expr& base, const std::vector<Nat>& offsets, const Expr& block, Where where) {
  return make(Op::Update, {base, block}, nats(offsets), where);
}
Expr let(const Expr& value, const std::function<Expr(Expr)>& body, Where where) {
  if (value.type().is_function()) return body(value);  // what has no place in memory is no stage
  return make(Op::Let, {value, fun(value.type(), body, where)}, {}, where);
}

Expr literal(double v, Scalar s) {
  if (has_own_literals(s) && !has_literal(s, v))
    type_error(Op::Literal, fmt::format("{} is no {}", v, text(s)),
               s == u8 ? "there are whole numbers of 0 to 255; compute with i32, u8(x)"
                       : "there are whole numbers of up to 2^53, and what is computed of them");
  return make(Op::Literal, {}, attributes::literal(v, s));
}
Expr nat_value(const Nat& n) { return make(Op::NatValue, {}, nats({n})); }
Expr unary(Op op, const Expr& a, Where where) { return make(op, {promoted(a, where)}, {}, where); }
Expr binary(Op op, const Expr& a, const Expr& b, Where where) {
  return make(op, {promoted(a, where), promoted(b, where)}, {}, where);
}
Expr select(const Expr& c, const Expr& a, const Expr& b, Where where) {
  if (a.type().is_tuple() && a.type() == b.type()) {  // one for each of its parts
    std::vector<Expr> parts;
    for (int i = 0; i < static_cast<int>(a.type().parts().size()); ++i)
      parts.push_back(select(c, get(i, a, where), get(i, b, where), where));
    return make(Op::Tuple, std::move(parts), {}, where);
  }
  return make(Op::Select, {c, a, b}, {}, where);
}
Expr cast(Scalar s, const Expr& x, Where where) {
  const bool twice = x.type().is_scalar() && goes_by_i32(x.type().scalar(), s);
  return make(Op::Cast, {twice ? cast(i32, x, where) : x}, attributes::cast(s), where);
}
Expr promoted(const Expr& x, Where where) {
  if (x.type() != Type(u8)) return x;
  return x.is(Op::Literal) ? literal(literal_number(x), i32) : cast(i32, x, where);
}

Expr Operand::as(const Expr& other) const {
  if (e) return e;
  if (!other.type().is_scalar())
    type_error(Op::Literal, "a number beside " + other.type().str(),
               "scalar arithmetic needs scalars: map it over the array" + line_of(where));
  return literal(number, promoted(other.type().scalar()));
}
Expr binary(Op op, const Operand& a, const Operand& b, Where where) {
  return binary(op, a.as(b.e), b.as(a.e), where);
}

// ---- user functions

namespace {
struct Meanings {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, UserMeaning> by_text;
};
Meanings& meanings() {
  static Meanings* m = new Meanings;
  return *m;
}

void check_user_function(const std::string& name, const std::string& body,
                         const std::vector<UserParameter>& parameters) {
  for (const UserParameter& p : parameters)
    if (!is_c_identifier(p.name))
      throw UserError("user_fun " + name + ": '" + p.name +
                      "' is no name in C; use letters, digits and _ for parameters");
  if (!is_c_identifier(name))
    throw UserError("user_fun '" + name + "': no name in C; use letters, digits and _");
  if (const auto why = why_no_function_body(body))
    throw UserError("user_fun " + name + ": its C text is not the body of one function: " + *why);
}
}  // namespace

UserFun::UserFun(std::string name, std::vector<UserParameter> parameters, Scalar result, std::string c_body,
                 UserMeaning meaning)
    : attr_(attributes::user_fun(std::move(name), std::move(c_body), result)) {
  check_user_function(user_name(attr_), user_body(attr_), parameters);
  const std::lock_guard lock(meanings().mutex);
  meanings().by_text[{user_name(attr_), user_body(attr_)}] = std::move(meaning);
  for (auto& p : parameters) attributes::add_parameter(attr_, std::move(p.name), p.type);
}
Expr UserFun::call(const std::vector<Expr>& arguments, Where where) const {
  return make(Op::UserFun, arguments, attr_, where);
}

const UserMeaning& user_meaning(const Attr& attr) {
  const std::lock_guard lock(meanings().mutex);
  const auto it = meanings().by_text.find({user_name(attr), user_body(attr)});
  if (it == meanings().by_text.end())
    throw UserError("user_fun " + user_name(attr) +
                    ": no meaning registered for the interpreter; construct a lift::UserFun with one");
  return it->second;
}

}  // namespace lift
