// Primitives with their arguments. A primitive over arrays is applied by a pipe, xs |> slide(3, 1), or takes
// the array last, slide(3, 1, xs).
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/layout.hpp"
#include "ir/text/elaborate.hpp"
#include "ir/text/near.hpp"
#include "ir/text/words.hpp"

namespace lift::syntax {
namespace {

using K = Term::Kind;

bool is_number(const Term& t) { return t.kind == K::Number && !t.text.empty(); }

std::string joined(const std::vector<std::string>& words) {
  std::string s;
  for (const std::string& w : words) s += (s.empty() ? "" : " ") + w;
  return s;
}

/// What the words say of an option; nothing where they are about another one.
std::optional<std::int64_t> value_of(const LoopOptionRow& o, const std::vector<std::string>& words) {
  if (o.is_flag()) return joined(words) == o.word ? std::optional<std::int64_t>(1) : std::nullopt;
  if (words.size() != (o.word.empty() ? 1 : 2) || (!o.word.empty() && words[0] != o.word))
    return std::nullopt;
  const std::string& n = words.back();
  if (n.empty() || n.size() > 9 || n.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stol(n);
}

/// "; write map_vec<N, strided N, late store, prefetch N>, with those that are wanted"
std::string options_of(Op op) {
  std::string all;
  for (const LoopOptionRow& o : loop_options(op))
    all += (all.empty() ? "" : ", ") + std::string(o.word) + (o.is_flag() ? "" : o.word.empty() ? "N" : " N");
  return all.empty() ? "; it takes none"
                     : "; write " + std::string(text(op)) + "<" + all + ">, with those that are wanted";
}

}  // namespace

/// Of a primitive without its array; nothing for those that are not applied by pipes.
std::optional<std::size_t> Elaborator::own_arguments(Op op, int rank, const Args& args) const {
  const OpRow& r = row(op);
  if (op == Op::Gather) {
    const auto positions = static_cast<std::size_t>(rank);
    return positions + (args.size() > positions && args[positions]->kind == K::Boundary ? 1 : 0);
  }
  if (op == Op::Layout) return 1;
  if (is_scalar_op(op) && r.arity == 1) return 0;
  if (r.notation.form != Notation::Partial) return std::nullopt;
  const std::size_t functions = r.applies == Applies::Nothing ? 0 : r.applies == Applies::Fold ? 2 : 1;
  switch (r.payload.kind) {
    case Payload::Number:
    case Payload::PerAxis:
      return functions + 1;
    case Payload::TwoPerAxis:
      return functions + 2;
    case Payload::Boundary:
    case Payload::Band:
      return functions + 3;
    case Payload::Order:
      return static_cast<std::size_t>(
          std::count_if(args.begin(), args.end(), [](const TermPtr& a) { return is_number(*a); }));
    default:
      return functions;
  }
}

void Elaborator::need_arguments(const Term& t, const Args& args, std::size_t n,
                                const std::string& form) const {
  if (args.size() != n)
    fail(t.at, "expected " + std::to_string(n) + " argument(s), got " + std::to_string(args.size()) +
                   "; write " + form);
}

/// A primitive with all its arguments.
Expr Elaborator::primitive(const Term& t, Op op, int rank, const Args& args, Wanted wanted) {
  if (const auto own = own_arguments(op, rank, args)) {
    if (args.size() == *own + 1)
      return partial(
          t, op, rank, Args(args.begin(), args.end() - 1),
          op == Op::Layout || !is_scalar_op(op) ? value(*args.back()) : operands({args.back()}, wanted)[0]);
    fail(t.at, std::string(text(op)) + " takes " + std::to_string(*own) + " argument(s) and an array, got " +
                   std::to_string(args.size()) + "; write xs |> " + std::string(text(op)) + "(...)");
  }
  switch (op) {
    case Op::Zip:
      if (args.empty()) fail(t.at, "zip needs arrays; write zip(xs, ys)");
      return node(op, arrays(args), attributes::ranked(rank), t.at);
    case Op::Generate:
      return generate(t, args);
    case Op::Update:
    case Op::UpdateInPlace:
      return update(t, op, rank, args);
    case Op::NatValue: {
      need_arguments(t, args, 1, "nat(n)");
      return node(op, {}, attributes::nats({nat(*args[0])}), t.at);
    }
    default:
      break;
  }
  if (is_scalar_op(op)) return scalar_call(t, op, args, wanted);
  std::vector<Expr> values = arrays(args);
  const int arity = row(op).arity;
  if (arity >= 0)
    need_arguments(t, args, static_cast<std::size_t>(arity),
                   std::string(text(op)) + (arity == 2 ? "(a, b)" : "(...)"));
  if (arity == -1 && args.empty())
    fail(t.at, std::string(text(op)) + " needs an argument; write " + std::string(text(op)) + "(xs, ys)");
  return node(op, std::move(values), {}, t.at);
}

/// Arrays side by side: the numbers of one that is written element by element take the type of the others'.
std::vector<Expr> Elaborator::arrays(const Args& terms) {
  std::vector<Expr> values(terms.size());
  Wanted wanted;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (is_flexible(*terms[i])) continue;
    values[i] = value(*terms[i]);
    if (const Type e = element_of(values[i].type()); !wanted && e.is_scalar()) wanted = e.scalar();
  }
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (is_flexible(*terms[i])) values[i] = value(*terms[i], wanted);
  return values;
}

Expr Elaborator::scalar_call(const Term& t, Op op, const Args& args, Wanted wanted) {
  const int arity = row(op).arity;
  const std::string name(text(op));
  if (arity >= 0)
    need_arguments(t, args, static_cast<std::size_t>(arity),
                   arity == 1   ? name + "(a)"
                   : arity == 2 ? name + "(a, b)"
                                : name + "(condition, a, b)");
  if (op != Op::Select) return node(op, operands(args, op >= Op::Eq ? std::nullopt : wanted), {}, t.at);
  std::vector<Expr> v = operands({args[1], args[2]}, wanted);
  const Expr condition = value(*args[0]);
  return selected(t, condition, v[0], v[1]);
}

/// Of tuples part by part.
Expr Elaborator::selected(const Term& t, const Expr& condition, const Expr& a, const Expr& b) {
  if (!a.type().is_tuple() || a.type() != b.type()) return node(Op::Select, {condition, a, b}, {}, t.at);
  std::vector<Expr> parts;
  for (int i = 0; i < static_cast<int>(a.type().parts().size()); ++i)
    parts.push_back(selected(t, condition, get(i, a), get(i, b)));
  return node(Op::Tuple, std::move(parts), {}, t.at);
}

/// A primitive without its array, applied to one.
Expr Elaborator::partial(const Term& t, Op op, int rank, const Args& args, const Expr& x) {
  const std::string name = std::string(text(op)) + (rank > 1 ? std::to_string(rank) : "");
  const auto own = own_arguments(op, rank, args);
  if (!own)
    fail(t.at, "'" + name + "' is no stage of a pipe; write it with all its arguments: " + name + "(...)");
  if (row(op).applies == Applies::Element) return map(t, op, rank, args, x);
  if (row(op).applies == Applies::Fold) return reduction(t, op, args, x);
  switch (op) {
    case Op::Pad:
      return pad(t, rank, args, x);
    case Op::Gather:
      return gather(t, rank, args, x);
    case Op::Transpose:
      return transpose(t, args, x);
    case Op::Iterate: {
      need_arguments(t, args, 2, "iterate(times, f)");
      const Nat times = nat(*args[0]);
      const bool numbered = args[1]->kind == K::Lambda && args[1]->binders.size() == 2;
      const Expr f =
          function(*args[1], numbered ? std::vector<Type>{i32, x.type()} : std::vector<Type>{x.type()});
      return node(op, {f, x}, attributes::nats({times}), t.at);
    }
    case Op::Layout: {
      need_arguments(t, args, 1, "layout(rows 8 1, xs)");
      try {
        return in_layout(parse_layout(args[0]->text), x);
      } catch (const UserError& error) {
        fail(args[0]->at, error.what());
      }
    }
    default:
      break;
  }
  const Payload& p = row(op).payload;
  need_arguments(t, args, *own, p.names.empty() ? name : name + "(" + std::string(p.names) + ")");
  return node(op, {x}, op == Op::Band ? band(t, args) : attributes_of(p.kind, rank, args), t.at);
}

/// Attributes that are naturals, as written.
Attr Elaborator::attributes_of(Payload::Kind kind, int rank, const Args& args) {
  switch (kind) {
    case Payload::Rank:
      return attributes::ranked(rank);
    case Payload::Number:
      return attributes::nats({nat(*args[0])});
    case Payload::PerAxis:
      return attributes::nats(nats(*args[0], rank));
    case Payload::TwoPerAxis:
      return attributes::pairs(nats(*args[0], rank), nats(*args[1], rank));
    default:
      return {};
  }
}

/// band<skewed, turns>(0, 1, (0, 1))
Attr Elaborator::band(const Term& t, const Args& args) {
  const std::string example = "; write " + words({Band::skewed}) + "(0, 1, (0, 1))";
  std::vector<std::string> said;
  for (const auto& word : t.decisions) said.push_back(joined(word));
  const std::optional<Band> known = band_in_words(said);
  if (!known) fail(t.at, bands_in_words() + example);
  Band b = *known;
  const auto number = [&](const Nat& given, std::size_t at) {
    const auto c = given.constant();
    if (!c || *c < 0) fail(at, "an axis, a width and what is said of each stage are numbers" + example);
    return *c;
  };
  b.axis = static_cast<std::size_t>(number(nat(*args[0]), args[0]->at));
  b.width = number(nat(*args[1]), args[1]->at);
  const auto stages = static_cast<int>(std::max<std::size_t>(1, args[2]->parts.size()));
  for (const Nat& shift : nats(*args[2], stages)) b.shifts.push_back(number(shift, args[2]->at));
  return attributes::band(b);
}

Expr Elaborator::map(const Term& t, Op op, int rank, const Args& args, const Expr& x) {
  need_arguments(t, args, 1, std::string(text(op)) + "(f)");
  Type element = x.type();
  for (int d = 0; d < rank && element.is_array(); ++d) element = element.element();
  if (rank_of(x.type()) < rank &&
      !x.type().is_any()) {  // before the function, whose parameter has no type then
    const std::string name = std::string(text(op)) + (rank > 1 ? std::to_string(rank) : "");
    fail(t.at,
         name + ": needs an array of rank " + std::to_string(rank) + ", got " + x.type().str() +
             (x.is(Op::Zip) && op_rank(x) < rank
                  ? "; zip" + std::to_string(rank) + " makes an array of " + std::to_string(rank) +
                        " dimensions of tuples, of arrays that have so many"
              : x.type().is_array() ? "; use " + std::string(text(op)) +
                                          (rank_of(x.type()) > 1 ? std::to_string(rank_of(x.type())) : "") +
                                          " or an array of more dimensions"
                                    : "; apply the function to the value itself, or map over an array"));
  }
  const Expr f = function(*args[0], {element});
  return node(op, {f, x}, with_options(t, op, attributes::map(op, rank)), t.at);
}

/// Options of a loop as written, map_vec<4, strided 2, late store>, scan_seq<stored, unroll 4>: `a` with
/// them.
Attr Elaborator::with_options(const Term& t, Op op, Attr a) const {
  for (const auto& words : t.decisions) {
    const LoopOptionRow* option = nullptr;
    std::int64_t value = 1;
    for (const LoopOptionRow& o : loop_options(op))
      if (const auto v = value_of(o, words)) option = &o, value = *v;
    if (!option)
      fail(t.at, "'" + joined(words) + "' is no option of " + std::string(text(op)) + options_of(op));
    const std::string name(option_name(option->option));
    if (value < option->least)
      fail(t.at, name + " " + std::to_string(value) + " is too little; use " + std::to_string(option->least) +
                     " or more");
    if (value > option->most)
      fail(t.at, "there is no " + name + " " + std::to_string(value) + "; use 0 to " +
                     std::to_string(option->most));
    if (op == Op::MapVec && option->option == LoopOption::Width && value != 1 && !is_vector_width(value))
      fail(t.at, name + " " + std::to_string(value) + ": a vector has 2, 4, 8, 16, 32 or 64 lanes");
    set_option(a, op, option->option, value);
  }
  return a;
}

/// The type of the real numbers that an element is, or is made of; nothing where there are several, or none.
static std::optional<Scalar> real_of(const Type& element) {
  if (element.is_scalar()) return is_float(element.scalar()) ? std::optional(element.scalar()) : std::nullopt;
  if (!element.is_tuple()) return std::nullopt;
  std::optional<Scalar> all;
  for (const Type& part : element.parts())
    if (const auto one = real_of(part); one && all && *one != *all)
      return std::nullopt;
    else if (one)
      all = one;
  return all;
}

/// f(accumulator, element) and its start: a start without a type of its own takes the elements' where nothing
/// else fits.
Expr Elaborator::reduction(const Term& t, Op op, const Args& args, const Expr& x) {
  need_arguments(t, args, 2, std::string(text(op)) + "(f, start)");
  if (!x.type().is_array() && !x.type().is_any())
    fail(t.at, std::string(text(op)) + ": needs an array of rank 1, got " + x.type().str() +
                   "; reduce an array's elements");
  const Type element = element_of(x.type(), 1);
  const auto made = [&](const Expr& start) {
    const Expr f = function(*args[0], {start.type(), element});
    return node(op, {f, start, x}, with_options(t, op, attributes::scan(op)), t.at);
  };
  const bool open = pattern_ && mentions_any(element) && is_flexible(*args[1]);
  const Expr start = open ? value(*args[1], alone_) : value(*args[1]);
  const std::optional<Scalar> real = real_of(element);
  const bool could_be_element =
      real && !(start.type() == Type(*real)) && start.is(Op::Literal) && !args[1]->suffix;
  if (!could_be_element) return made(start);
  const auto state = std::make_tuple(scopes_, open_, visible_, trail_);
  try {
    return made(start);
  } catch (const UserError&) {
    std::tie(scopes_, open_, visible_, trail_) = state;
    if (steps_ > 100000) throw;
    return made(value(*args[1], *real));
  }
}

/// clamp, constant 0.5, odd (g)
Elaborator::Condition Elaborator::condition(const Term& b, const Type& element, bool of_pad) {
  std::vector<std::string> all;
  for (int i = 0; i <= static_cast<int>(Boundary::undefined); ++i)
    all.emplace_back(lift::text(static_cast<Boundary>(i)));
  const auto it = std::find(all.begin(), all.end(), b.text);
  if (b.kind != K::Boundary || it == all.end()) {
    const std::string near = nearest(b.text, all);
    fail(b.at, "no such boundary condition" + (b.text.empty() ? std::string() : " as '" + b.text + "'") +
                   (near.empty() ? "" : "; did you mean '" + near + "'?") +
                   "; there are clamp, wrap, mirror, reflect, odd, constant VALUE and undefined");
  }
  Condition c{static_cast<Boundary>(it - all.begin()), b.integer ? b.number : 0, {}};
  if (b.integer && c.boundary != Boundary::constant) fail(b.at, b.text + " takes no number; constant does");
  if (!of_pad && c.boundary == Boundary::constant && !b.integer && b.parts.empty())
    fail(b.at, "constant needs a value; write constant 0, or constant (e)");
  if (!of_pad && c.boundary != Boundary::constant && !b.parts.empty())
    fail(b.at, b.text + " takes no value; constant does");
  if (!b.parts.empty())
    c.value.push_back(value(*b.parts[0], element.is_scalar() ? Wanted(element.scalar()) : std::nullopt));
  return c;
}

Expr Elaborator::pad(const Term& t, int rank, const Args& args, const Expr& x) {
  const std::string name = "pad" + (rank > 1 ? std::to_string(rank) : "");
  need_arguments(t, args, 3, name + "(1, 1, clamp)");
  std::vector<Nat> low = nats(*args[0], rank), high = nats(*args[1], rank);
  Condition b = condition(*args[2], element_of(x.type(), rank), true);
  std::vector<Expr> children{x};
  children.insert(children.end(), b.value.begin(), b.value.end());
  return node(Op::Pad, std::move(children), attributes::pad(std::move(low), high, b.boundary, b.number),
              t.at);
}

/// gather2(j, i, clamp): an element, or one for each of the positions that arrays hold.
Expr Elaborator::gather(const Term& t, int rank, const Args& args, const Expr& x) {
  const auto positions = static_cast<std::size_t>(rank);
  const std::string name = "gather" + (rank > 1 ? std::to_string(rank) : "");
  if (args.size() < positions || args.size() > positions + 1)
    fail(t.at, name + " takes " + std::to_string(rank) + " position(s) and a boundary condition, got " +
                   std::to_string(args.size()) + " argument(s); write xs |> " + name + "(" +
                   (rank == 1   ? "i"
                    : rank == 2 ? "j, i"
                                : "k, j, i") +
                   ", clamp)");
  std::vector<Expr> at;
  for (std::size_t d = 0; d < positions; ++d) at.push_back(value(*args[d], i32));
  Condition b{Boundary::undefined, 0, {}};
  if (args.size() > positions) b = condition(*args[positions], element_of(x.type(), rank), false);
  return gathered(t, at, b, x);
}

Expr Elaborator::gathered(const Term& t, const std::vector<Expr>& at, const Condition& b, const Expr& x) {
  const int rank = static_cast<int>(at.size());
  if (!at[0].type().is_array()) {
    std::vector<Expr> children{x};
    for (const Expr& p : at) children.push_back(promoted(p));
    children.insert(children.end(), b.value.begin(), b.value.end());
    return node(Op::Gather, std::move(children), attributes::gather(rank, b.boundary, b.number), t.at);
  }
  const int dimensions = rank_of(at[0].type());
  const Expr all = rank == 1 ? at[0] : node(Op::Zip, at, attributes::ranked(dimensions), t.at);
  const Expr f = lambda_of({element_of(all.type(), dimensions)}, [&](const std::vector<Expr>& p) {
    std::vector<Expr> each{p[0]};
    if (rank > 1) each.clear();
    for (int d = 0; rank > 1 && d < rank; ++d) each.push_back(get(d, p[0]));
    return gathered(t, each, b, x);
  });
  return node(Op::Map, {f, all}, attributes::map(Op::Map, dimensions), t.at);
}

/// xs[i, j]: at positions that are known, or that are computed.
Expr Elaborator::element(const Term& t) {
  const Expr xs = value(*t.parts[0]);
  const bool whole = xs.is(Op::At) && !t.parts[0]->enclosed;  // w[0][1] is w[0, 1]
  std::vector<Nat> known = whole ? at_position(xs) : std::vector<Nat>{};
  const auto state = std::make_tuple(scopes_, open_, visible_, trail_);
  try {
    for (std::size_t i = 1; i < t.parts.size(); ++i) known.push_back(nat(*t.parts[i]));
  } catch (const UserError& error) {
    std::tie(scopes_, open_, visible_, trail_) = state;
    std::vector<Expr> children = computed({t.parts.begin() + 1, t.parts.end()});
    if (children.empty()) throw;
    for (Expr& p : children) p = promoted(p);
    const int rank = static_cast<int>(children.size());
    children.insert(children.begin(), xs);
    return node(Op::Gather, std::move(children), attributes::gather(rank, Boundary::undefined), t.at);
  }
  return node(Op::At, {whole ? xs.child(0) : xs}, attributes::nats(std::move(known)), t.at);
}

/// Positions as numbers that a program computes; none where they are something else.
std::vector<Expr> Elaborator::computed(const Args& positions) {
  const auto state = std::make_tuple(scopes_, open_, visible_, trail_);
  std::vector<Expr> all;
  try {
    for (const TermPtr& p : positions) all.push_back(value(*p, i32));
  } catch (const UserError&) {
    std::tie(scopes_, open_, visible_, trail_) = state;
    return {};
  }
  const bool numbers =
      std::all_of(all.begin(), all.end(), [](const Expr& e) { return e.type().is_scalar(); });
  const bool known = std::all_of(all.begin(), all.end(), [](const Expr& e) { return params_of(e).empty(); });
  return numbers && !known ? all : std::vector<Expr>{};
}

Expr Elaborator::transpose(const Term& t, const Args& args, const Expr& x) {
  if (args.empty()) return node(Op::Transpose, {x}, attributes::order({1, 0}), t.at);
  std::vector<std::int64_t> order;
  for (const TermPtr& a : args) {
    if (!is_number(*a) || !a->integer || a->number > 15)
      fail(a->at, "transpose takes the dimensions' new order; write transpose(1, 0)");
    order.push_back(static_cast<std::int64_t>(a->number));
  }
  return node(Op::Transpose, {x}, attributes::order(std::move(order)), t.at);
}

/// [a, b, c]: an array whose elements are written one by one.
Expr Elaborator::array_of(const Term& t, Wanted wanted) {
  const std::vector<Expr> elements = operands(t.parts, wanted);
  for (const Expr& e : elements)
    if (e.type() != elements[0].type())
      fail(t.at, "the elements of an array have one type; these are " + elements[0].type().str() + " and " +
                     e.type().str());
  if (elements[0].type().is_array()) {  // one after the other
    Expr all;
    for (const Expr& e : elements) {
      const Expr one = node(Op::Split, {e}, attributes::nats({e.type().length()}), t.at);
      all = &e == &elements[0] ? one : node(Op::Concat, {all, one}, {}, t.at);
    }
    return all;
  }
  const Expr f = lambda_of({Type(i32)}, [&](const std::vector<Expr>& i) {
    Expr r = elements.back();
    for (std::size_t k = elements.size() - 1; k-- > 0;)
      r = selected(t, binary(Op::Eq, i[0], literal(static_cast<double>(k), i32)), elements[k], r);
    return r;
  });
  return node(Op::Generate, {f}, attributes::nats({Nat(static_cast<std::int64_t>(elements.size()))}), t.at);
}

/// generate(n, m, \j i. ...)
Expr Elaborator::generate(const Term& t, const Args& args) {
  if (args.size() < 2 || args.size() > 9)
    fail(t.at, "generate takes lengths and a function of as many indices; write generate(n, \\i. ...)");
  std::vector<Nat> shape;
  for (std::size_t d = 0; d + 1 < args.size(); ++d) {
    shape.push_back(nat(*args[d]));
    if (Facts().refutes(less_equal(0, shape.back())))
      fail(args[d]->at, "the length " + shape.back().str() + " is negative; lengths are 0 or more");
  }
  const Expr f = function(*args.back(), std::vector<Type>(shape.size(), Type(i32)));
  return node(Op::Generate, {f}, attributes::nats(std::move(shape)), t.at);
}

/// update2(base, (1, 1), block)
Expr Elaborator::update(const Term& t, Op op, int rank, const Args& args) {
  need_arguments(t, args, 3, std::string(text(op)) + "(base, offset, block)");
  const Expr base = value(*args[0]);
  std::vector<Nat> offsets = nats(*args[1], rank);
  return node(op, {base, value(*args[2])}, attributes::nats(std::move(offsets)), t.at);
}

/// A number that the type of whole numbers without a suffix does not hold.
static bool beyond_i32(const Term& t) {
  return t.kind == Term::Kind::Number && t.integer && !t.suffix && t.number > 2147483647.0;
}

/// Words that are no ops: casts, iota, take, positions.
Expr Elaborator::word(const Term& t, const Args& args) {
  const std::string& w = t.parts[0]->text;
  for (const Scalar s : kScalarTypes)
    if (w == text(s)) {
      need_arguments(t, args, 1, w + "(x)");
      return converted(s, beyond_i32(*args[0]) && s == i64 ? value(*args[0], s) : value(*args[0]), t.at);
    }
  if (w == "iota" || w == "positions") {
    if (w == "iota") need_arguments(t, args, 1, "iota(n)");
    if (args.empty() || args.size() > 8)
      fail(t.at, "positions takes the lengths of 1 to 8 dimensions; write positions(n, n)");
    std::vector<Nat> shape;
    for (const TermPtr& a : args) shape.push_back(nat(*a));
    return w == "iota" ? iota(shape[0]) : positions(shape);
  }
  if (w == "take" && args.size() == 2) {
    Term partial = t;
    partial.parts.pop_back();
    return applied(partial, value(*args[1]));
  }
  fail(t.at, "the word '" + w + "' is used in another way; see docs/lift-language.md");
}

}  // namespace lift::syntax
