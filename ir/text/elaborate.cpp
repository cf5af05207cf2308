#include "ir/text/elaborate.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <tuple>

#include "ir/expr/attributes.hpp"
#include "ir/text/near.hpp"
#include "ir/text/words.hpp"

namespace lift::syntax {
namespace {

using K = Term::Kind;

constexpr int kSteps = 200000;           ///< nodes made for one text
constexpr double kWrittenSize = 500000;  ///< of an expression, written out
constexpr int kWrittenDepth = 1500;

struct Operation {
  Op op;
  bool swapped;
};
std::optional<Operation> operation(const std::string& sign) {
  static const auto& table = *new std::map<std::string, Operation>([] {
    std::map<std::string, Operation> signs{{">", {Op::Lt, true}}, {">=", {Op::Le, true}}};
    for (int i = 0; i < static_cast<int>(Op::Count); ++i)
      if (const Notation& n = row(static_cast<Op>(i)).notation; n.form == Notation::Infix)
        signs.emplace(n.sign, Operation{static_cast<Op>(i), false});
    return signs;
  }());
  const auto it = table.find(sign);
  return it == table.end() ? std::nullopt : std::optional(it->second);
}

std::optional<Scalar> scalar_of(const Expr& e) {
  return e.type().is_scalar() ? std::optional(e.type().scalar()) : std::nullopt;
}

}  // namespace

bool is_plain(const Term& t) { return t.kind == K::Name && !t.enclosed; }
bool is_word(const Term& t) { return t.kind == K::Name && t.index == 0 && is_reserved(t.text); }

void Elaborator::fail(std::size_t at, const std::string& message) const {
  std::string where;
  for (auto it = trail_.rbegin(); it != trail_.rend() && it - trail_.rbegin() < 4; ++it)
    where += (where.empty() ? " (in " : ", in ") + *it;
  source_.fail(at, message + where + (where.empty() ? "" : ")"));
}

// ---- terms

Expr Elaborator::value(const Term& t, Wanted wanted) {
  switch (t.kind) {
    case K::Name:
      return name(t, wanted);
    case K::Hole: {
      const auto it = names_.params.find("?" + t.text);
      return it != names_.params.end() ? it->second : node(Op::Hole, {}, attributes::hole(t.text), t.at);
    }
    case K::Number:
      return number(t, wanted);
    case K::Lambda:
      return lambda(t, {});
    case K::Let:
      return let(t);
    case K::Call:
      return call(t, wanted);
    case K::Infix:
      return infix(t, wanted);
    case K::Prefix:
      return node(t.text == "-" ? Op::Neg : Op::Not, {value(*t.parts[0], wanted)}, {}, t.at);
    case K::Pipe:
      return applied(*t.parts[1], value(*t.parts[0]));
    case K::Apply:
      return applied(*t.parts[0], value(*t.parts[1]));
    case K::Compose:
      fail(t.at, "a composition is a function and needs an argument; write (f o g) $ x or x |> f o g");
    case K::Tuple: {  // its parts need have no type in common
      std::vector<Expr> parts;
      for (const TermPtr& p : t.parts) parts.push_back(value(*p));
      return node(Op::Tuple, std::move(parts), {}, t.at);
    }
    case K::Array:
      return array_of(t, wanted);
    case K::List:
      fail(t.at, "a list in parentheses is a parameter of a primitive; a tuple is written {a, b}");
    case K::Get:
      return node(Op::Get, {value(*t.parts[0])}, attributes::component(t.index), t.at);
    case K::At:
      return element(t);
    case K::Words:
    case K::Boundary:
      break;
  }
  fail(t.at, "expected an expression");
}

Expr Elaborator::number(const Term& t, Wanted wanted) {
  if (t.suffix) return node(Op::Literal, {}, attributes::literal(t.number, *t.suffix), t.at);
  Scalar s = t.integer ? i32 : alone_;
  if (wanted && is_float(*wanted)) s = *wanted;
  if (wanted && t.integer && has_own_literals(*wanted) && has_literal(*wanted, t.number)) s = *wanted;
  if (wanted == i64 && t.integer && s != i64)
    fail(t.at, "the number " + t.text + " is not exact beyond 2^53; compute it of smaller ones");
  if (s == i32 && !(std::abs(t.number) <= 2147483647.0))
    fail(t.at, "the number " + t.text + " is too large for an i32; write it with a point for a f64, or i64(" +
                   t.text + ")");
  return node(Op::Literal, {}, attributes::literal(t.number, s), t.at);
}

Expr Elaborator::name(const Term& t, Wanted wanted) {
  if (is_word(t) && (t.text == "true" || t.text == "false"))
    return node(Op::Literal, {}, attributes::literal(t.text == "true" ? 1 : 0, boolean), t.at);
  if (is_word(t))
    fail(t.at, "'" + t.text + "' is a primitive and needs arguments; write xs |> " + t.text + "(...), or " +
                   t.text + "(..., xs)");
  if (const Scope* s = bound(t)) return s->number && wanted ? value(*s->number, wanted) : s->second;
  if (const auto it = names_.params.find(t.text); it != names_.params.end()) return it->second;
  if (const Declaration* d = definition(t)) {
    if (!d->binders.empty())
      fail(t.at, "'" + t.text + "' needs " + std::to_string(d->binders.size()) + " argument(s); write " +
                     t.text + "(...)");
    return expanded(*d, {}, t.at, [&](const Term& body) { return value(body, wanted); });
  }
  if (const auto it = names_.sizes.find(t.text); it != names_.sizes.end())
    return node(Op::NatValue, {}, attributes::nats({it->second}), t.at);
  if (is_sum(t)) fail(t.at, "'sum' needs an array; write xs |> sum, or sum(xs)");
  if (pattern_) return node(Op::Hole, {}, attributes::hole(t.text), t.at);
  unknown(t);
}

void Elaborator::define(const Declaration& d) {
  if (d.binders.empty()) constants_[&d] = {is_flexible(*d.body), has_point(*d.body)};
  definitions_.emplace_back(d.names[0].first, &d);
}

/// What is known of a name's definition; nothing where it is none.
Elaborator::Constant Elaborator::constant(const Term& t) const {
  if (t.kind != K::Name || is_word(t) || is_bound(t) || names_.params.count(t.text) != 0) return {};
  const auto at = constants_.find(definition(t));
  return at == constants_.end() ? Constant{} : at->second;
}

/// Numbers without a type of their own, what is computed of such, arrays of them and definitions: they take
/// the type of what they are combined with.
bool Elaborator::is_flexible(const Term& t) const {
  const auto all = [&](std::size_t from) {
    return std::all_of(t.parts.begin() + static_cast<std::ptrdiff_t>(from), t.parts.end(),
                       [&](const TermPtr& p) { return is_flexible(*p); });
  };
  switch (t.kind) {
    case K::Number:
      return !t.suffix;
    case K::Prefix:
      return t.text == "-" && all(0);
    case K::Infix:
      return std::string_view("+-*/%").find(t.text) != std::string_view::npos && all(0);
    case K::Array:
      return all(0);
    case K::Name: {
      const Scope* s = bound(t);
      return s ? s->number != nullptr : constant(t).flexible;
    }
    case K::Call: {
      const Term& callee = *t.parts[0];
      if (!is_plain(callee) || callee.index != 0 || is_bound(callee)) return false;
      const auto p = lift::primitive(callee.text);
      if (p && p->op == Op::Select) return t.parts.size() == 4 && all(2);
      return p && p->op > Op::Neg && p->op < Op::Eq && p->op != Op::Not && all(1);
    }
    default:
      return false;
  }
}
/// Of a flexible term.
bool Elaborator::has_point(const Term& t) const {
  if (t.kind == K::Number) return !t.integer;
  if (t.kind == K::Name) {
    const Scope* s = bound(t);
    return s ? has_point(*s->number) : constant(t).point;
  }
  const bool chosen = t.kind == K::Call && t.parts[0]->text == text(Op::Select);  // by a condition
  return std::any_of(t.parts.begin() + (chosen ? 2 : 0), t.parts.end(),
                     [&](const TermPtr& p) { return has_point(*p); });
}

namespace {

bool is_single(const Type& t) {
  if (t.is_tuple()) return std::all_of(t.parts().begin(), t.parts().end(), is_single);
  return t.is_array() ? is_single(t.element()) : t == Type(f32);
}

}  // namespace

Expr Elaborator::value_declared(const Term& t, const Type& declared) {
  if (!is_single(declared)) return value(t);
  const auto state = std::make_tuple(scopes_, open_, visible_, trail_);
  const auto made = [&](Scalar alone, std::exception_ptr& refusal) -> Expr {
    std::tie(scopes_, open_, visible_, trail_) = state;
    alone_ = alone, steps_ = 0;
    try {
      return value(t);
    } catch (const UserError&) {
      refusal = std::current_exception();
      return {};
    }
  };
  std::exception_ptr refusal, again;
  const Expr wide = made(f64, refusal);
  if (!refusal && wide.type() == declared) return wide;
  const Expr narrow = made(f32, again);
  alone_ = f64;
  if (!again && narrow.type() == declared) return narrow;
  if (refusal) std::rethrow_exception(refusal);
  return wide;
}

/// The values of scalar operands: numbers without a type of their own take that of the others.
std::vector<Expr> Elaborator::operands(const Args& terms, Wanted wanted) {
  std::vector<Expr> values(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (!is_flexible(*terms[i])) values[i] = value(*terms[i]);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (!is_flexible(*terms[i]) && scalar_of(values[i])) wanted = scalar_of(values[i]);
  const auto open = [](const Expr& e) { return e && e.type().is_any(); };
  if (!wanted && (std::any_of(terms.begin(), terms.end(),
                              [&](const TermPtr& p) { return is_flexible(*p) && has_point(*p); }) ||
                  (pattern_ && std::any_of(values.begin(), values.end(), open))))
    wanted = alone_;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (is_flexible(*terms[i])) values[i] = value(*terms[i], wanted);
  return values;
}

Expr Elaborator::infix(const Term& t, Wanted wanted) {
  if (t.text == "mod") fail(t.at, "'mod' is for lengths and positions; of numbers write a % b");
  const auto o = operation(t.text);
  if (!o) fail(t.at, "'" + t.text + "' is no operation on numbers");
  const bool compares = o->op >= Op::Eq;
  std::vector<Expr> v = operands(t.parts, compares ? std::nullopt : wanted);
  if (o->swapped) std::swap(v[0], v[1]);
  return node(o->op, std::move(v), {}, t.at);
}

Expr Elaborator::let(const Term& t) {
  const Binder& b = t.binders[0];
  const Type given = b.type ? type(*b.type) : Type::any();
  const Type element = element_of(given);
  const Expr bound = value(*t.parts[0], element.is_scalar() ? Wanted(element.scalar()) : std::nullopt);
  const Type declared = b.type ? given : bound.type();
  const std::size_t before = scopes_.size();
  if (bound.type().is_function() && declared == bound.type()) {  // what has no place in memory is no stage
    bind(b, bound);
    const Expr body = value(*t.parts[1]);
    scopes_.resize(before);
    return body;
  }
  const Expr f = lambda_of({declared}, [&](const std::vector<Expr>& x) {
    bind(b, x[0]);
    return value(*t.parts[1]);
  });
  scopes_.resize(before);
  return node(Op::Let, {bound, f}, {}, t.at);
}

/// Gives the names of a binder to a value or its components.
void Elaborator::bind(const Binder& b, const Expr& e) {
  if (!b.apart) {
    scopes_.push_back({b.name, e});
    return;
  }
  const bool open = pattern_ && e.type().is_any();
  if (!open && (!e.type().is_tuple() || e.type().parts().size() != b.parts.size()))
    fail(b.at, "these are " + std::to_string(b.parts.size()) + " parameters for the components of " +
                   e.type().str() + "; name as many components as the tuple has, or the whole by one name");
  for (std::size_t i = 0; i < b.parts.size(); ++i)
    bind(b.parts[i], node(Op::Get, {e}, attributes::component(static_cast<std::int64_t>(i)), b.at));
}

// ---- functions

/// A lambda over variables named by how many are open: the same nodes each time. They do not outlive the
/// call.
Expr Elaborator::lambda_of(const std::vector<Type>& types,
                           const std::function<Expr(const std::vector<Expr>&)>& body) {
  const std::string prefix = "." + std::to_string(open_++) + ".";
  std::vector<Expr> variables;
  for (std::size_t i = 0; i < types.size(); ++i)
    variables.push_back(param(prefix + std::to_string(i), types[i]));
  const Expr f = lift::lambda(variables, body(variables));
  --open_;
  return f;
}

Expr Elaborator::lambda(const Term& t, const std::vector<Type>& parameters) {
  if (!parameters.empty() && parameters.size() != t.binders.size())
    fail(t.at,
         "a function of " + std::to_string(parameters.size()) +
             " parameter(s) is needed here, this one has " + std::to_string(t.binders.size()) +
             (parameters.size() == 1 && parameters[0].is_tuple() ? "; take a tuple apart with \\(a, b)."
                                                                 : "; write as many names before the point"));
  std::vector<Type> types;
  for (std::size_t i = 0; i < t.binders.size(); ++i) {
    const Binder& b = t.binders[i];
    if (!b.type && parameters.empty())
      fail(b.at, "nothing here tells the type of this parameter; write it: \\(" +
                     (b.apart ? "(a, b)" : b.name) + " : f64).");
    types.push_back(b.type ? type(*b.type) : parameters[i]);
  }
  const std::size_t before = scopes_.size();
  const Expr f = lambda_of(types, [&](const std::vector<Expr>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) bind(t.binders[i], x[i]);
    return value(*t.parts[0]);
  });
  scopes_.resize(before);
  check_size(f, t.at);
  return f;
}

/// A function of parameters of these types, from a lambda, a primitive, a definition, a composition, an
/// operation's name.
Expr Elaborator::function(const Term& t, const std::vector<Type>& parameters) {
  if (t.kind == K::Lambda) return lambda(t, parameters);
  if (t.kind == K::Hole || (pattern_ && is_unknown(t))) return value(t);
  if (is_bound(t) || (t.kind == K::Name && !is_word(t) && names_.params.count(t.text))) return name(t);
  if (parameters.size() == 1)
    return lambda_of(parameters, [&](const std::vector<Expr>& x) { return applied(t, x[0]); });
  return lambda_of(parameters, [&](const std::vector<Expr>& x) -> Expr {
    if (const Declaration* d = definition(t)) {
      if (d->binders.empty())
        return expanded(*d, {}, t.at, [&](const Term& body) {
          return applied_function(function(body, parameters), x, t.at);
        });
      return expanded(*d, {x}, t.at, [&](const Term& body) { return value(body); });
    }
    const auto p = is_plain(t) && t.index == 0 ? lift::primitive(t.text) : std::nullopt;
    if (p && is_scalar_op(p->op) && row(p->op).arity == static_cast<int>(x.size()))
      return node(p->op, x, {}, t.at);
    if (const auto it = names_.functions.find(t.text); t.kind == K::Name && it != names_.functions.end())
      return node(Op::UserFun, x, it->second, t.at);
    if (t.kind == K::Name && !p && !is_sum(t)) unknown(t);
    fail(t.at, "expected a function of " + std::to_string(parameters.size()) +
                   " parameters; write \\a b. ..., or the name of an operation such as add, mul, min, max");
  });
}

Expr Elaborator::applied_function(const Expr& f, std::vector<Expr> arguments, std::size_t at) {
  if (!f.type().is_function() && !f.type().is_any())
    fail(at, "this is applied, but it is no function: it has type " + f.type().str() +
                 "; an operator may be missing");
  arguments.insert(arguments.begin(), f);
  return node(Op::Apply, std::move(arguments), {}, at);
}

/// The word sum, unless something else is called so: programs have long had definitions and results of that
/// name.
bool Elaborator::is_sum(const Term& t) const {
  return is_plain(t) && t.index == 0 && t.text == "sum" && !is_bound(t) && definition(t) == nullptr &&
         !names_.params.contains(t.text) && !names_.sizes.contains(t.text) &&
         !names_.functions.contains(t.text);
}

/// reduce(add, 0)
Expr Elaborator::sum(const Term& t, const Expr& x) {
  const Type element = pattern_ && mentions_any(x.type()) ? Type(alone_) : element_of(x.type(), 1);
  if (!(pattern_ && x.type().is_any()) &&
      (!x.type().is_array() || !element.is_scalar() || element == Type(boolean)))
    fail(t.at, "sum: needs an array of rank 1 of numbers, got " + x.type().str() +
                   (x.type().is_array() && element.is_array()
                        ? "; write map(sum) for the sum of each row, xs |> join |> sum for one of all"
                        : "; it adds an array's elements"));
  const Scalar s = promoted(element.scalar());
  const Expr f =
      lambda_of({Type(s), element}, [&](const std::vector<Expr>& p) { return node(Op::Add, p, {}, t.at); });
  return node(Op::Reduce, {f, literal(0, s), x}, {}, t.at);
}

Expr Elaborator::applied(const Term& f, const Expr& x) {
  if (f.kind == K::Compose) return applied(*f.parts[0], applied(*f.parts[1], x));
  if (f.kind == K::Pipe) return applied(*f.parts[1], applied(*f.parts[0], x));
  if (f.kind == K::Lambda) return applied_function(lambda(f, {x.type()}), {x}, f.at);
  const Term& callee = f.kind == K::Call ? *f.parts[0] : f;
  const Args args = f.kind == K::Call ? Args(f.parts.begin() + 1, f.parts.end()) : Args();
  const bool scoped = is_bound(callee);
  if (is_unknown(callee) && !pattern_) unknown(callee);  // before what is said of its arguments
  if (is_sum(callee) && args.empty()) return sum(f, x);
  if (is_plain(callee) && callee.index == 0 && !scoped) {
    if (const auto p = lift::primitive(callee.text)) return partial(f, p->op, p->rank, args, x);
    if (callee.text == "take") {
      need_arguments(f, args, 1, "take(n)");
      if (!x.type().is_array())
        fail(f.at, "take: needs an array, got " + x.type().str() + "; apply it inside map, or to an array");
      const Nat rest = x.type().length() - nat(*args[0]);
      return node(Op::Drop, {x}, attributes::pairs({Nat(0)}, {rest}), f.at);
    }
    for (const Scalar s : kScalarTypes)
      if (callee.text == text(s) && f.kind == K::Name) return converted(s, x, f.at);
  }
  if (const Declaration* d = scoped ? nullptr : definition(callee)) {
    Given all = given(args);
    if (args.size() == d->binders.size())
      return expanded(*d, all, f.at, [&](const Term& body) { return applied(body, x); });
    all.values.push_back(x);
    return expanded(*d, all, f.at, [&](const Term& body) { return value(body); });
  }
  if (const auto it = names_.functions.find(callee.text);
      f.kind == K::Name && !scoped && it != names_.functions.end())
    return node(Op::UserFun, {x}, it->second, f.at);
  return applied_function(value(f), {x}, f.at);
}

// ---- sides of rules

bool Elaborator::lacks_array(const Term& t) const {
  if (t.kind == K::Compose || t.kind == K::Lambda) return true;
  if (t.kind == K::Pipe) return lacks_array(*t.parts[0]);
  const Term& callee = t.kind == K::Call ? *t.parts[0] : t;
  if (callee.kind != K::Name || is_bound(callee)) return false;
  const Args args = t.kind == K::Call ? Args(t.parts.begin() + 1, t.parts.end()) : Args();
  if (is_sum(callee)) return args.empty();
  if (const Declaration* d = definition(callee)) return d->binders.size() == args.size() + 1;
  if (!is_plain(callee) || callee.index != 0) return false;
  if (const auto p = lift::primitive(callee.text)) return own_arguments(p->op, p->rank, args) == args.size();
  return callee.text == "take" && args.size() == 1;
}

Expr Elaborator::side(const Term& t, const Expr& xs, Scalar numbers) {
  pattern_ = true, alone_ = numbers, steps_ = 0;
  Expr e = lacks_array(t) ? applied(t, xs) : value(t);
  if (e.is(Op::Apply) && e.child(0).is(Op::Lambda))
    e = instantiate(e.child(0), {e.children().begin() + 1, e.children().end()});
  pattern_ = false, alone_ = f64;
  return e;
}

// ---- calls and definitions

Expr Elaborator::call(const Term& t, Wanted wanted) {
  const Term& callee = *t.parts[0];
  const Args args(t.parts.begin() + 1, t.parts.end());
  const bool named = is_plain(callee) && callee.index == 0;
  const bool scoped = is_bound(callee);
  if (is_unknown(callee) && !pattern_) unknown(callee);  // before what is said of its arguments
  if (is_sum(callee)) {
    need_arguments(t, args, 1, "xs |> sum, or sum(xs)");
    return sum(t, value(*args[0]));
  }
  if (named && !scoped) {
    if (const auto p = lift::primitive(callee.text)) return primitive(t, p->op, p->rank, args, wanted);
    if (is_reserved(callee.text)) return word(t, args);
  }
  if (const Declaration* d = scoped ? nullptr : definition(callee))
    return expanded(*d, given(args), t.at, [&](const Term& body) { return value(body); });
  if (const auto it = names_.functions.find(callee.text);
      callee.kind == K::Name && !scoped && it != names_.functions.end()) {
    std::vector<Expr> values;
    for (std::size_t i = 0; i < args.size(); ++i)
      values.push_back(value(*args[i], i < user_types(it->second).size()
                                           ? Wanted(user_types(it->second)[i].scalar())
                                           : std::nullopt));
    return node(Op::UserFun, std::move(values), it->second, t.at);
  }
  std::vector<Expr> values;
  std::vector<Type> types;
  for (const TermPtr& a : args) values.push_back(value(*a)), types.push_back(values.back().type());
  const Expr f = callee.kind == K::Lambda && !types.empty() ? lambda(callee, types) : value(callee);
  return applied_function(f, std::move(values), t.at);
}

/// A name that a function or let gives.
bool Elaborator::is_bound(const Term& t) const { return bound(t) != nullptr; }
const Elaborator::Scope* Elaborator::bound(const Term& t) const {
  if (t.kind != K::Name || is_word(t)) return nullptr;
  const auto at =
      std::find_if(scopes_.rbegin(), scopes_.rend(), [&](const Scope& s) { return s.first == t.text; });
  return at == scopes_.rend() ? nullptr : &*at;
}

namespace {

bool has_names(const Term& t) {
  return t.kind == K::Name ||
         std::any_of(t.parts.begin(), t.parts.end(), [](const TermPtr& p) { return has_names(*p); });
}

}  // namespace

/// The number, or what is computed of such, that a term is wherever it stands; nothing where it is none.
const Term* Elaborator::number_of(const Term& t) const {
  if (!is_flexible(t)) return nullptr;
  if (t.kind != K::Name) return has_names(t) ? nullptr : &t;
  const Scope* s = bound(t);
  if (s) return s->number;
  const Declaration* d = definition(t);
  return has_names(*d->body) ? nullptr : d->body.get();
}

Elaborator::Given Elaborator::given(const Args& terms) {
  Given r;
  for (const TermPtr& a : terms) r.values.push_back(value(*a)), r.numbers.push_back(number_of(*a));
  return r;
}

const Declaration* Elaborator::definition(const Term& t) const {
  if (t.kind != K::Name) return nullptr;
  for (std::size_t i = std::min(visible_, definitions_.size()); i-- > 0;)
    if (definitions_[i].first == t.text) return definitions_[i].second;
  return nullptr;
}

Expr Elaborator::expanded(const Declaration& d, const Given& given, std::size_t at,
                          const std::function<Expr(const Term&)>& use) {
  const std::vector<Expr>& arguments = given.values;
  if (arguments.size() != d.binders.size())
    fail(at, "'" + d.names[0].first + "' takes " + std::to_string(d.binders.size()) + " argument(s), got " +
                 std::to_string(arguments.size()) + "; it is defined in line " +
                 std::to_string(source_.line_of(d.at)));
  const auto self =
      std::find_if(definitions_.begin(), definitions_.end(), [&](const auto& x) { return x.second == &d; });
  Scopes outer;
  outer.swap(scopes_);
  const std::size_t seen = visible_;
  visible_ = static_cast<std::size_t>(self - definitions_.begin());
  trail_.push_back(d.names[0].first + ", used in line " + std::to_string(source_.line_of(at)));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto& declared = d.binders[i].type; declared && !(type(*declared) == arguments[i].type()))
      fail(d.binders[i].at, "the argument has type " + arguments[i].type().str() + ", declared is " +
                                type(*declared).str() + "; pass an argument of that type");
    bind(d.binders[i], arguments[i]);
    if (i < given.numbers.size() && !d.binders[i].apart && !d.binders[i].type)
      scopes_.back().number = given.numbers[i];
  }
  const Expr e = use(*d.body);
  trail_.pop_back();
  visible_ = seen;
  scopes_.swap(outer);
  return e;
}

bool Elaborator::is_unknown(const Term& t) const {
  return t.kind == K::Name && !is_word(t) && !is_bound(t) && !is_sum(t) && definition(t) == nullptr &&
         !names_.params.contains(t.text) && !names_.sizes.contains(t.text) &&
         !names_.functions.contains(t.text);
}

void Elaborator::unknown(const Term& t) const {
  std::vector<std::string> all = names_like(t.text);
  all.emplace_back("sum");
  for (const Scope& s : scopes_) all.push_back(s.first);
  for (const auto& [n, e] : names_.params) all.push_back(n);
  for (const auto& [n, e] : names_.sizes) all.push_back(n);
  for (const auto& [n, e] : names_.functions) all.push_back(n);
  for (std::size_t i = 0; i < std::min(visible_, definitions_.size()); ++i)
    all.push_back(definitions_[i].first);
  const std::string near = nearest(t.text, all), now = written_now(t.text);
  const bool later =
      std::any_of(definitions_.begin(), definitions_.end(), [&](const auto& d) { return d.first == t.text; });
  fail(t.at, "unknown name '" + t.text + "'; " +
                 (!now.empty()   ? "it is written " + now + "(...) now"
                  : later        ? "its definition comes later: definitions see those before them only"
                  : near.empty() ? "declare it with param, size or def, or bind it with \\" + t.text + ". ..."
                                 : "did you mean '" + near + "'?"));
}

// ---- nodes

Expr Elaborator::converted(Scalar s, const Expr& x, std::size_t at) {
  if (!x.type().is_scalar()) return node(Op::Cast, {x}, attributes::cast(s), at);
  if (x.type() == Type(s) && x.is(Op::Literal)) return x;
  return goes_by_i32(x.type().scalar(), s) ? converted(s, converted(i32, x, at), at)
                                           : node(Op::Cast, {x}, attributes::cast(s), at);
}

Expr Elaborator::node(Op op, std::vector<Expr> children, Attr attr, std::size_t at) {
  if (++steps_ > kSteps)
    fail(at, "this program is too large: its definitions and functions unfold to more than " +
                 std::to_string(kSteps) + " nodes; use map and reduce in their place");
  const Where where = Where::current();
  if (is_scalar_op(op) && op != Op::Select && op != Op::Cast && op != Op::UserFun)
    for (Expr& c : children) c = promoted(c, where);
  Expr e;
  try {
    e = make(op, children, std::move(attr), where);
  } catch (const UserError& error) {
    std::string message = error.what();
    if (const std::string end = lift::line_of(where); message.ends_with(end))
      message.resize(message.size() - end.size());
    fail(at, message + missing_pad(children));
  } catch (const std::logic_error& error) {  // a division of lengths by what is not positive
    fail(at, std::string(text(op)) + ": " + error.what() + "; lengths are divided by positive numbers only");
  }
  check_lengths(e.type(), at);
  check_size(e, at);
  return e;
}

Elaborator::Extent Elaborator::extent(const Expr& e) {
  if (const auto it = extents_.find(e.id()); it != extents_.end()) return it->second;
  Extent x{1, 1};
  for (const Expr& c : e.children()) {
    const Extent y = extent(c);
    x.size += y.size, x.depth = std::max(x.depth, y.depth + 1);
  }
  extents_.emplace(e.id(), x);
  return x;
}

void Elaborator::check_size(const Expr& e, std::size_t at) {
  const Extent x = extent(e);
  if (x.size > kWrittenSize || x.depth > kWrittenDepth)
    fail(at,
         "this expression is too large once its definitions are unfolded; use let for what is used several "
         "times, map and reduce for what repeats");
}

/// An array that a slide made shorter because nothing was padded.
std::string Elaborator::missing_pad(std::span<const Expr> arrays) const {
  if (arrays.size() < 2) return "";
  for (Expr e : arrays) {
    while (is_map(e.op()) || is_identity(e.op())) e = e.child(e.children().size() - 1);
    if (!e.is(Op::Slide) || e.child(0).is(Op::Pad)) continue;
    const int rank = op_rank(e);
    const std::string suffix = rank > 1 ? std::to_string(rank) : "";
    const Nat size = slide_sizes(e)[0], lost = size - 1;
    if (lost == Nat(0) || !(slide_steps(e)[0] == Nat(1))) continue;
    return "; slide" + suffix + "(" + size.str() + ", 1) leaves " + lost.str() +
           " elements fewer in each dimension than its array has: a boundary condition such as pad" + suffix +
           "(" + floordiv(lost, 2).str() + ", " + (lost - floordiv(lost, 2)).str() +
           ", clamp) before it keeps the length";
  }
  return "";
}

}  // namespace lift::syntax
