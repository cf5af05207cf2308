// Primitives with their arguments. A primitive over arrays is a stage, xs |> slide(3, 1), or takes the array
// last, slide(3, 1, xs).
#include <algorithm>
#include <cmath>

#include "ir/expr/attributes.hpp"
#include "ir/expr/layout.hpp"
#include "ir/text/elaborate.hpp"
#include "ir/text/near.hpp"
#include "ir/text/words.hpp"

namespace lift::syntax {
namespace {

using K = Term::Kind;

bool is_number(const Term& t) { return t.kind == K::Number && !t.text.empty(); }

}  // namespace

/// Of a stage, without its array; nothing for primitives that are no stages.
std::optional<std::size_t> Elaborator::own_arguments(Op op, const Args& args) const {
  if (is_map(op)) return 1;
  if (is_reduce(op) || is_scan(op)) return 2;
  switch (op) {
    case Op::Iterate:
    case Op::Slide:
    case Op::Drop:
      return 2;
    case Op::CircularBuffer:
    case Op::Split:
      return 1;
    case Op::Pad:
      return 3;
    case Op::Transpose:
      return static_cast<std::size_t>(
          std::count_if(args.begin(), args.end(), [](const TermPtr& a) { return is_number(*a); }));
    case Op::Join:
    case Op::Unzip:
      return 0;
    case Op::Layout:
      return 1;
    default:
      break;
  }
  return is_identity(op) || (is_scalar_op(op) && row(op).arity == 1) ? std::optional<std::size_t>(0)
                                                                     : std::nullopt;
}

void Elaborator::need_arguments(const Term& t, const Args& args, std::size_t n,
                                const std::string& form) const {
  if (args.size() != n)
    fail(t.at, "expected " + std::to_string(n) + " argument(s), got " + std::to_string(args.size()) +
                   "; write " + form);
}

/// A primitive with all its arguments.
Expr Elaborator::primitive(const Term& t, Op op, int rank, const Args& args) {
  if (const auto own = own_arguments(op, args)) {
    if (args.size() == *own + 1)
      return stage(t, op, rank, Args(args.begin(), args.end() - 1),
                   op == Op::Layout || !is_scalar_op(op) ? value(*args.back()) : operands({args.back()})[0]);
    fail(t.at, std::string(text(op)) + " takes " + std::to_string(*own) + " argument(s) and an array, got " +
                   std::to_string(args.size()) + "; write xs |> " + std::string(text(op)) + "(...)");
  }
  switch (op) {
    case Op::Zip: {
      std::vector<Expr> arrays;
      for (const TermPtr& a : args) arrays.push_back(value(*a));
      if (arrays.empty()) fail(t.at, "zip needs arrays; write zip(xs, ys)");
      return node(op, std::move(arrays), attributes::ints({rank}), t.at);
    }
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
  if (is_scalar_op(op)) return scalar_call(t, op, args);
  std::vector<Expr> values;
  for (const TermPtr& a : args) values.push_back(value(*a));
  const int arity = row(op).arity;
  if (arity >= 0)
    need_arguments(t, args, static_cast<std::size_t>(arity),
                   std::string(text(op)) + (arity == 2 ? "(a, b)" : "(...)"));
  if (arity == -1 && args.empty())
    fail(t.at, std::string(text(op)) + " needs an argument; write " + std::string(text(op)) + "(xs, ys)");
  return node(op, std::move(values), {}, t.at);
}

Expr Elaborator::scalar_call(const Term& t, Op op, const Args& args) {
  const int arity = row(op).arity;
  const std::string name(text(op));
  if (arity >= 0)
    need_arguments(t, args, static_cast<std::size_t>(arity),
                   arity == 1   ? name + "(a)"
                   : arity == 2 ? name + "(a, b)"
                                : name + "(condition, a, b)");
  if (op != Op::Select) return node(op, operands(args), {}, t.at);
  std::vector<Expr> v = operands({args[1], args[2]});
  v.insert(v.begin(), value(*args[0]));
  return node(op, std::move(v), {}, t.at);
}

/// A stage applied to an array.
Expr Elaborator::stage(const Term& t, Op op, int rank, const Args& args, const Expr& x) {
  const std::string name = std::string(text(op)) + (rank > 1 ? std::to_string(rank) : "");
  const auto own = own_arguments(op, args);
  if (!own)
    fail(t.at, "'" + name + "' is no stage of a pipe; write it with all its arguments: " + name + "(...)");
  if (is_map(op)) return map(t, op, rank, args, x);
  if (is_reduce(op) || is_scan(op)) return reduction(t, op, args, x);
  switch (op) {
    case Op::Slide:
    case Op::Drop: {
      need_arguments(t, args, 2, name + (op == Op::Slide ? "(size, step)" : "(low, high)"));
      std::vector<Nat> all = nats(*args[0], rank), second = nats(*args[1], rank);
      all.insert(all.end(), second.begin(), second.end());
      return node(op, {x}, attributes::nats(std::move(all)), t.at);
    }
    case Op::Split: {
      need_arguments(t, args, 1, name + "(length)");
      return node(op, {x}, attributes::nats(nats(*args[0], rank)), t.at);
    }
    case Op::CircularBuffer: {
      need_arguments(t, args, 1, "circular_buffer(planes)");
      return node(op, {x}, attributes::nats({nat(*args[0])}), t.at);
    }
    case Op::Pad:
      return pad(t, rank, args, x);
    case Op::Transpose:
      return transpose(t, args, x);
    case Op::Iterate: {
      need_arguments(t, args, 2, "iterate(times, f)");
      const Nat times = nat(*args[0]);
      return node(op, {function(*args[1], {x.type()}), x}, attributes::nats({times}), t.at);
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
  need_arguments(t, args, 0, name);
  return node(op, {x}, op == Op::Join || op == Op::Unzip ? attributes::ints({rank}) : Attr(), t.at);
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
             (x.type().is_array() ? "; use " + std::string(text(op)) +
                                        (rank_of(x.type()) > 1 ? std::to_string(rank_of(x.type())) : "") +
                                        " or an array of more dimensions"
                                  : "; apply the function to the value itself, or map over an array"));
  }
  const Expr f = function(*args[0], {element});
  return node(op, {f, x}, attributes::ints(decisions(t, op, rank)), t.at);
}

/// rank, number, stride, late store, prefetch distance, items of the grid where given, rotate; see
/// rewrite/rules/rules_lowering.cpp.
std::vector<std::int64_t> Elaborator::decisions(const Term& t, Op op, int rank) const {
  if (op == Op::Map) return {rank};
  const bool grid = op == Op::MapGlb || op == Op::MapWrg || op == Op::MapLcl;
  std::vector<std::int64_t> v{rank, grid ? 0 : 1, 1, 0, 0};
  const auto number = [&](const std::string& s) -> std::int64_t {
    if (s.empty() || s.size() > 9 || s.find_first_not_of("0123456789") != std::string::npos)
      fail(t.at,
           "'" + s + "' is no number of a decision; write map_vec<4, strided 2, late store, prefetch 64>");
    return std::stol(s);
  };
  for (const auto& words : t.decisions) {
    if (words.size() == 1 && words[0] == "rotate" && (op == Op::MapSeq || op == Op::MapUnroll))
      v.resize(7), v[6] = 1;
    else if (words.size() == 1)
      v[1] = number(words[0]);
    else if (words.size() == 2 && words[0] == "strided")
      v[2] = number(words[1]);
    else if (words.size() == 2 && words[0] == "late" && words[1] == "store")
      v[3] = 1;
    else if (words.size() == 2 && words[0] == "prefetch")
      v[4] = number(words[1]);
    else if (grid && words.size() == 2 && words[0] == "items")
      v.resize(6), v[5] = number(words[1]);
    else
      fail(t.at,
           "no such decision as '" + words[0] + "'; write map_vec<4, strided 2, late store, prefetch 64>");
  }
  if (grid ? v[1] > (op == Op::MapLcl ? 2 : 3) : v[1] < 1)
    fail(t.at,
         std::to_string(v[1]) +
             (grid ? " is no dimension of a grid; use 0, 1 or 2, or 3 for a loop that shares dimension 2"
                   : " is too few; use 1 or more"));
  if (v[2] < 1) fail(t.at, "a stride of 0 makes no sense; use 1 or more");
  if (v.size() == 6 && v[5] < 1) fail(t.at, "no work-items for the iterations; use 1 or more");
  return v;
}

/// Whether the element before is read where it was stored, elements a trip, and prefetch distance where
/// given; see rewrite/rules/rules_scan.cpp.
std::vector<std::int64_t> Elaborator::scan_decisions(const Term& t, Op op) const {
  if (op != Op::ScanSeq && op != Op::ScanBackSeq) return {};
  std::vector<std::int64_t> v{0, 1};
  for (const auto& words : t.decisions) {
    const bool number = words.size() == 2 && words[1].size() < 4 &&
                        words[1].find_first_not_of("0123456789") == std::string::npos;
    if (words == std::vector<std::string>{"stored"})
      v[0] = 1;
    else if (number && words[0] == "unroll")
      v[1] = std::stol(words[1]);
    else if (number && words[0] == "prefetch")
      v.resize(3), v[2] = std::stol(words[1]);
    else
      fail(t.at, "no such decision as '" + words[0] + "'; write " + std::string(text(op)) +
                     "<stored, unroll 4, prefetch 2>");
  }
  if (v[1] < 1) fail(t.at, "unrolled by 0; use 1 or more");
  return v;
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
    return node(op, {f, start, x}, attributes::ints(scan_decisions(t, op)), t.at);
  };
  const Expr start = value(*args[1]);
  const bool could_be_element = element.is_scalar() && is_float(element.scalar()) &&
                                !(start.type() == element) && (start.is(Op::Literal) && !args[1]->single);
  if (!could_be_element) return made(start);
  const auto state = std::make_tuple(scopes_, open_, visible_, trail_);
  try {
    return made(start);
  } catch (const UserError&) {
    std::tie(scopes_, open_, visible_, trail_) = state;
    if (steps_ > 100000) throw;
    return made(value(*args[1], element.scalar()));
  }
}

Expr Elaborator::pad(const Term& t, int rank, const Args& args, const Expr& x) {
  const std::string name = "pad" + (rank > 1 ? std::to_string(rank) : "");
  need_arguments(t, args, 3, name + "(1, 1, clamp)");
  Attr a = attributes::nats(nats(*args[0], rank));
  const std::vector<Nat> high = nats(*args[1], rank);
  a.nats.insert(a.nats.end(), high.begin(), high.end());
  const Term& b = *args[2];
  std::vector<std::string> all;
  for (int i = 0; i <= static_cast<int>(Boundary::undefined); ++i)
    all.emplace_back(lift::text(static_cast<Boundary>(i)));
  const auto it = std::find(all.begin(), all.end(), b.text);
  if (b.kind != K::Boundary || it == all.end()) {
    const std::string near = nearest(b.text, all);
    fail(b.at, "no such boundary condition" + (b.text.empty() ? std::string() : " as '" + b.text + "'") +
                   (near.empty() ? "" : "; did you mean '" + near + "'?") +
                   "; there are clamp, wrap, mirror, odd, constant VALUE and undefined");
  }
  a.ints = {it - all.begin()};
  std::vector<Expr> children{x};
  const bool takes_number = a.ints[0] == static_cast<std::int64_t>(Boundary::constant);
  if (b.integer) {
    if (!takes_number) fail(b.at, b.text + " takes no number; constant does");
    a.number = b.number;
  }
  if (!b.parts.empty()) {
    const Type element = element_of(x.type(), rank);
    children.push_back(value(*b.parts[0], element.is_scalar() ? Wanted(element.scalar()) : std::nullopt));
  }
  return node(Op::Pad, std::move(children), std::move(a), t.at);
}

Expr Elaborator::transpose(const Term& t, const Args& args, const Expr& x) {
  if (args.empty()) return node(Op::Transpose, {x}, attributes::ints({1, 0}), t.at);
  std::vector<std::int64_t> order;
  for (const TermPtr& a : args) {
    if (!is_number(*a) || !a->integer || a->number > 15)
      fail(a->at, "transpose takes the dimensions' new order; write transpose(1, 0)");
    order.push_back(static_cast<std::int64_t>(a->number));
  }
  return node(Op::Transpose, {x}, attributes::ints(std::move(order)), t.at);
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

/// Words that are no ops: casts, iota, take, positions.
Expr Elaborator::word(const Term& t, const Args& args) {
  const std::string& w = t.parts[0]->text;
  for (const Scalar s : {f32, f64, i32, boolean})
    if (w == text(s)) {
      need_arguments(t, args, 1, w + "(x)");
      Attr a;
      a.types = {Type(s)};
      return node(Op::Cast, {value(*args[0])}, std::move(a), t.at);
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
    Term stage = t;
    stage.parts.pop_back();
    return applied(stage, value(*args[1]));
  }
  fail(t.at, "the word '" + w + "' is used in another way; see docs/lift-language.md");
}

}  // namespace lift::syntax
