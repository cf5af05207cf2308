#include "ir/expr/typing.hpp"

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/program.hpp"

namespace lift {

void type_error(Op op, const std::string& what, const std::string& remedy) {
  throw TypeError(std::string(text(op)) + ": " + what + "; " + remedy);
}

}  // namespace lift

namespace lift::typing {
namespace {

std::string nats(std::span<const Nat> ns) {
  std::string s;
  for (const Nat& n : ns) s += (s.empty() ? "" : ", ") + n.str();
  return s;
}

/// The argument must be an array of at least `rank` dimensions.
void need_rank(Op op, const Type& t, int rank) {
  if (rank_of(t) < rank)
    type_error(op, "needs an array of rank " + std::to_string(rank) + ", got " + t.str(),
               "apply it inside map, or use the form of lower rank");
}

bool certainly_not(const NatCond& c) { return Facts().refutes(c); }

thread_local std::vector<NatCond>* needed = nullptr;  ///< of the node that needs_of asks about

void need(Op op, const NatCond& c, const std::string& what, const std::string& remedy) {
  if (needed) needed->push_back(c);
  if (certainly_not(c)) type_error(op, what, remedy);
}

constexpr std::int64_t greatest_i32 = std::numeric_limits<std::int32_t>::max();

/// Whether a number is one of the type's.
bool holds(Scalar s, double x) {
  if (is_float(s)) return true;
  if (s == boolean) return x == 0 || x == 1;
  if (has_own_literals(s)) return has_literal(s, x);
  return x == std::floor(x) && x >= -2147483648.0 && x <= 2147483647.0;
}

/// What to pass where elements of the type cannot be a number.
std::string whole_number_of(const Type& element) {
  if (element == Type(boolean)) return "pass 0 or 1";
  return element == Type(u8) ? "pass a whole number of 0 to 255" : "pass a whole number";
}

Type rebuild(const std::vector<Nat>& outer, const std::vector<Nat>& inner, const Type& element) {
  std::vector<Nat> s = outer;
  s.insert(s.end(), inner.begin(), inner.end());
  return array(s, element);
}

const Type& function_type(Op op, const Expr& f, std::size_t parameters) {
  if (!f.type().is_function() || f.type().parts().size() != parameters)
    type_error(op,
               "needs a function of " + std::to_string(parameters) + " argument(s), got " + f.type().str(),
               "pass a lambda with that many parameters");
  return f.type();
}

void need_same(Op op, const Type& expected, const Type& got, const std::string& role,
               const std::string& remedy) {
  if (!(expected == got))
    type_error(op, role + " has type " + got.str() + ", expected " + expected.str(), remedy);
}

/// A function lies nowhere: it is applied where it stands.
void need_value(Op op, const Type& t, const std::string& role) {
  if (t.is_function())
    type_error(op, role + " is a function, " + t.str(), "write the function where it is applied");
}

}  // namespace

#define LIFT_TYPE_RULE(name) \
  Type name([[maybe_unused]] Op op, [[maybe_unused]] std::span<const Expr> c, [[maybe_unused]] const Attr& a)

LIFT_TYPE_RULE(declared) { return declared_type(a); }
LIFT_TYPE_RULE(integer) {
  const Nat& n = a.nats.at(0);
  const char* remedy = "compute it of real numbers: f64(n) * f64(n) for nat(n * n)";
  need(op, less_equal(n, greatest_i32), n.str() + " is more than an i32 holds", remedy);
  need(op, less_equal(-greatest_i32 - 1, n), n.str() + " is less than an i32 holds", remedy);
  return Type(i32);
}
LIFT_TYPE_RULE(lambda) { return Type::function(parameter_types(a), c[0].type()); }

LIFT_TYPE_RULE(apply) {
  const Type f = function_type(op, c[0], c.size() - 1);
  for (std::size_t i = 1; i < c.size(); ++i) {
    const std::string role = "argument " + std::to_string(i);
    need_same(op, f.parts()[i - 1], c[i].type(), role, "pass an argument of the parameter's type");
    need_value(op, c[i].type(), role);
  }
  return f.result();
}

LIFT_TYPE_RULE(let) {
  const Type f = function_type(op, c[1], 1);
  need_same(op, f.parts()[0], c[0].type(), "the bound value", "declare the variable with the value's type");
  need_value(op, c[0].type(), "the bound value");
  return f.result();
}

/// Each of a value's components is a variable or an array of its own. Tuples of one value, of those, and so
/// on have twice as many each time.
constexpr std::size_t kMostComponents = 1024;

Type tuple_of(Op op, std::vector<Type> ts) {
  std::size_t n = 0;
  for (const Type& t : ts) n += components_in(t);  // of which each has at most so many
  if (n > kMostComponents)
    type_error(op, "a tuple with " + std::to_string(n) + " components, tuples within it counted by theirs",
               "make it of " + std::to_string(kMostComponents) + " at most");
  return Type::tuple(std::move(ts));
}

LIFT_TYPE_RULE(tuple) {
  std::vector<Type> ts;
  for (const Expr& e : c) {
    need_value(op, e.type(), "component " + std::to_string(ts.size()));
    ts.push_back(e.type());
  }
  return tuple_of(op, std::move(ts));
}

LIFT_TYPE_RULE(get) {
  const auto i = static_cast<std::size_t>(tuple_index(a));
  if (!c[0].type().is_tuple() || i >= c[0].type().parts().size())
    type_error(op, "component " + std::to_string(tuple_index(a)) + " of " + c[0].type().str(),
               "the argument must be a tuple with that many components");
  return c[0].type().parts()[i];
}

LIFT_TYPE_RULE(zip) {
  const int rank = op_rank(op, a);
  std::vector<Type> elements;
  for (const Expr& e : c) need_rank(op, e.type(), rank);
  const std::vector<Nat> shape = shape_of(c[0].type(), rank);
  for (const Expr& e : c) {
    const std::vector<Nat> other = shape_of(e.type(), rank);
    if (other != shape)
      type_error(op,
                 "lengths differ: " + nats(shape) + " and " + nats(other) + " (of " + c[0].type().str() +
                     " and " + e.type().str() + ")",
                 "drop or pad the arrays to the same lengths");
    elements.push_back(element_of(e.type(), rank));
  }
  return array(shape, tuple_of(op, std::move(elements)));
}

LIFT_TYPE_RULE(unzip) {
  const int rank = op_rank(op, a);
  need_rank(op, c[0].type(), rank);
  const Type element = element_of(c[0].type(), rank);
  if (!element.is_tuple())
    type_error(op, "needs an array of tuples, got " + c[0].type().str(), "zip arrays first");
  std::vector<Type> ts;
  for (const Type& t : element.parts()) ts.push_back(array(shape_of(c[0].type(), rank), t));
  return Type::tuple(std::move(ts));
}

/// Whether the position is a number that a caller gives, an index parameter, and may be too large or too
/// small.
bool may_leave(const Nat& position, const Nat& length) {
  const std::vector<const NatAtom*> given = variables(position);
  const bool in_a_range =
      std::any_of(given.begin(), given.end(), [](const NatAtom* v) { return v->bounded_above; });
  return in_a_range && !(Facts().proves(less(position, length)) && Facts().proves(less_equal(0, position)));
}

LIFT_TYPE_RULE(at) {
  const int rank = op_rank(op, a);
  need_rank(op, c[0].type(), rank);
  const std::vector<Nat> shape = shape_of(c[0].type(), rank);
  for (int d = 0; d < rank; ++d)
    for (const NatCond& inside : {less(at_position(a)[d], shape[d]), less_equal(0, at_position(a)[d])})
      need(op, inside, "position " + nats(at_position(a)) + " is outside " + c[0].type().str(),
           "positions count from 0");
  for (int d = 0; d < rank; ++d)
    if (may_leave(at_position(a)[d], shape[d]))
      type_error(op, "position " + nats(at_position(a)) + " may be outside " + c[0].type().str(),
                 "narrow the range of the index parameter, or say what sizes are at least");
  return element_of(c[0].type(), rank);
}

LIFT_TYPE_RULE(split) {
  const int rank = op_rank(op, a);
  need_rank(op, c[0].type(), rank);
  std::vector<Nat> outer;
  const std::vector<Nat> shape = shape_of(c[0].type(), rank);
  for (int d = 0; d < rank; ++d) {
    need(op, less(0, split_lengths(a)[d]), "chunk length " + split_lengths(a)[d].str() + " is not positive",
         "choose a length of 1 or more");
    need(op, equal(mod(shape[d], split_lengths(a)[d]), 0),
         split_lengths(a)[d].str() + " does not divide the length " + shape[d].str() + " of " +
             c[0].type().str(),
         "pad to a multiple first, or choose a divisor");
    outer.push_back(floordiv(shape[d], split_lengths(a)[d]));
  }
  return rebuild(outer, split_lengths(a), element_of(c[0].type(), rank));
}

LIFT_TYPE_RULE(join) {
  const int rank = op_rank(op, a);
  need_rank(op, c[0].type(), 2 * rank);
  const std::vector<Nat> shape = shape_of(c[0].type(), 2 * rank);
  std::vector<Nat> joined;
  for (int d = 0; d < rank; ++d) joined.push_back(shape[d] * shape[rank + d]);
  return array(joined, element_of(c[0].type(), 2 * rank));
}

LIFT_TYPE_RULE(slide) {
  const auto rank = static_cast<std::size_t>(op_rank(op, a));
  need_rank(op, c[0].type(), static_cast<int>(rank));
  const std::vector<Nat> shape = shape_of(c[0].type(), static_cast<int>(rank));
  std::vector<Nat> windows, sizes(slide_sizes(a).begin(), slide_sizes(a).end());
  for (std::size_t d = 0; d < rank; ++d) {
    const Nat &size = slide_sizes(a)[d], &step = slide_steps(a)[d];
    need(op, less(0, step), "step " + step.str() + " is not positive", "choose a step of 1 or more");
    need(op, less(0, size), "window size " + size.str() + " is not positive", "choose a size of 1 or more");
    need(op, less_equal(size, shape[d]),
         "window of " + size.str() + " is longer than the length " + shape[d].str() + " of " +
             c[0].type().str(),
         "pad the array or make the window smaller");
    need(op, equal(mod(shape[d] - size, step), 0),
         "windows of " + size.str() + " with step " + step.str() + " do not end with the length " +
             shape[d].str(),
         "pad or drop so that (length - size) is a multiple of the step");
    windows.push_back(floordiv(shape[d] - size, step) + 1);
  }
  return rebuild(windows, sizes, element_of(c[0].type(), static_cast<int>(rank)));
}

LIFT_TYPE_RULE(pad) {
  const auto rank = static_cast<std::size_t>(op_rank(op, a));
  need_rank(op, c[0].type(), static_cast<int>(rank));
  std::vector<Nat> shape = shape_of(c[0].type(), static_cast<int>(rank));
  const auto b = pad_boundary(a);
  const Type element = element_of(c[0].type(), static_cast<int>(rank));
  if (b == Boundary::odd && !(element.is_scalar() && is_float(element.scalar())))
    type_error(op, "odd needs floating-point elements, got " + element.str(),
               "pad the innermost arrays of numbers");
  if (b == Boundary::constant && !element.is_scalar())
    type_error(op, "constant needs numbers as elements, got " + element.str(),
               "pad the innermost arrays of numbers");
  if (b == Boundary::constant && c.size() == 1 && !holds(element.scalar(), pad_number(a)))
    type_error(op,
               "the elements are " + element.str() + ", and cannot be " + fmt::format("{:g}", pad_number(a)),
               whole_number_of(element));
  if (c.size() > 2)
    type_error(op, "takes an array and at most one value, got " + std::to_string(c.size() - 1) + " values",
               "pass one");
  if (c.size() == 2) {
    if (b != Boundary::odd && b != Boundary::constant)
      type_error(op, std::string(text(b)) + " takes no value", "use odd or constant");
    need_same(op, element, c[1].type(), "the value", "pass a scalar of the elements' type");
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const Nat &low = low_widths(a)[d], &high = high_widths(a)[d];
    need(op, less_equal(0, low), "negative width " + low.str(), "use drop to remove elements");
    need(op, less_equal(0, high), "negative width " + high.str(), "use drop to remove elements");
    if (b == Boundary::mirror || b == Boundary::odd)
      for (const Nat& w : {low, high})
        need(op, less_equal(w, shape[d]),
             "a width of " + w.str() + " reflects past the length " + shape[d].str(),
             "pad no more than the length");
    if (b == Boundary::reflect)
      for (const Nat& w : {low, high})
        need(op, less(w, shape[d]),
             "a width of " + w.str() + " reflects past the length " + shape[d].str() +
                 ", whose last element is not repeated",
             "pad less than the length, or use mirror");
    shape[d] = shape[d] + low + high;
  }
  return array(shape, element);
}

LIFT_TYPE_RULE(drop) {
  const auto rank = static_cast<std::size_t>(op_rank(op, a));
  need_rank(op, c[0].type(), static_cast<int>(rank));
  std::vector<Nat> shape = shape_of(c[0].type(), static_cast<int>(rank));
  for (std::size_t d = 0; d < rank; ++d) {
    const Nat &low = low_widths(a)[d], &high = high_widths(a)[d], left = shape[d] - low - high;
    for (const Nat& w : {low, high})
      need(op, less_equal(0, w), "negative width " + w.str(), "use pad to add elements");
    need(op, less_equal(0, left), "removes " + (low + high).str() + " of " + shape[d].str() + " elements",
         "remove fewer");
    shape[d] = left;
  }
  return array(shape, element_of(c[0].type(), static_cast<int>(rank)));
}

LIFT_TYPE_RULE(transpose) {
  const auto rank = static_cast<std::size_t>(op_rank(op, a));
  need_rank(op, c[0].type(), static_cast<int>(rank));
  const std::vector<Nat> shape = shape_of(c[0].type(), static_cast<int>(rank));
  std::vector<Nat> permuted;
  std::set<std::int64_t> seen;
  for (const auto p : transpose_order(a)) {
    if (p < 0 || p >= static_cast<std::int64_t>(rank) || !seen.insert(p).second)
      type_error(op, "not a permutation", "name each of 0.." + std::to_string(rank - 1) + " once");
    permuted.push_back(shape[static_cast<std::size_t>(p)]);
  }
  return array(permuted, element_of(c[0].type(), static_cast<int>(rank)));
}

LIFT_TYPE_RULE(rearranged) {
  need_rank(op, c[0].type(), op_rank(op, a));
  return c[0].type();
}

LIFT_TYPE_RULE(generate) {
  const Type f = function_type(op, c[0], generate_shape(a).size());
  for (const Nat& n : generate_shape(a)) {
    need(op, less_equal(0, n), "negative length " + n.str(), "generate 0 elements or more");
    need(op, less_equal(n, greatest_i32 + 1), "indices up to " + n.str() + " are more than an i32 holds",
         "generate fewer in a dimension, and join");
  }
  for (std::size_t d = 0; d < generate_shape(a).size(); ++d)
    need_same(op, Type(i32), f.parts()[d], "parameter " + std::to_string(d + 1),
              "indices are i32, one for each dimension");
  return array(generate_shape(a), f.result());
}

LIFT_TYPE_RULE(gather) {
  const int rank = op_rank(op, a);
  need_rank(op, c[0].type(), rank);
  const auto positions = static_cast<std::size_t>(rank);
  const Boundary b = gather_boundary(a);
  const Type element = element_of(c[0].type(), rank);
  const std::size_t values = b == Boundary::constant && c.size() > positions + 1 ? 1 : 0;
  if (c.size() != 1 + positions + values)
    type_error(op,
               "takes a position for each of " + std::to_string(rank) + " dimension(s), got " +
                   std::to_string(c.size() - 1 - values),
               "write gather(i, xs), gather2(j, i, xs)");
  for (std::size_t d = 0; d < positions; ++d) {
    if (!(c[d + 1].type() == Type(i32) || c[d + 1].type() == Type(i64)))
      type_error(op,
                 "position " + std::to_string(d) + " has type " + c[d + 1].type().str() + ", expected i32",
                 c[d + 1].type().is_scalar() ? "convert it, i32(floor(x)) or i32(round(x))"
                                             : "positions are numbers");
    const Nat length = shape_of(c[0].type(), rank)[d];
    need(op, less_equal(length, greatest_i32),
         "positions up to " + length.str() + " are more than an i32 holds", "split the array");
    need(op, less(0, length), "there is no element in " + c[0].type().str(),
         "gather of an array with elements");
  }
  if (b == Boundary::odd)
    type_error(op, "odd is a condition of pad", "use clamp, wrap, mirror, reflect or constant VALUE");
  if (b != Boundary::constant) return element;
  if (!element.is_scalar())
    type_error(op, "constant needs numbers as elements, got " + element.str(),
               "gather a number for each dimension, or clamp");
  if (values == 1)
    need_same(op, element, c.back().type(), "the value", "pass a scalar of the elements' type");
  else if (!holds(element.scalar(), gather_number(a)))
    type_error(
        op, "the elements are " + element.str() + ", and cannot be " + fmt::format("{:g}", gather_number(a)),
        whole_number_of(element));
  return element;
}

LIFT_TYPE_RULE(concat) {
  need_rank(op, c[0].type(), 1);
  need_rank(op, c[1].type(), 1);
  need_same(op, c[0].type().element(), c[1].type().element(), "the second array's element",
            "concat arrays of one element type");
  return Type::array(c[0].type().length() + c[1].type().length(), c[0].type().element());
}

LIFT_TYPE_RULE(interleave) {
  for (const Expr& e : c) {
    need_rank(op, e.type(), 1);
    need_same(op, c[0].type(), e.type(), "an argument", "interleave arrays of one type");
  }
  return Type::array(c[0].type().length() * static_cast<std::int64_t>(c.size()), c[0].type().element());
}

LIFT_TYPE_RULE(update) {
  const int rank = op_rank(op, a);
  need_rank(op, c[0].type(), rank);
  need_rank(op, c[1].type(), rank);
  need_same(op, element_of(c[0].type(), rank), element_of(c[1].type(), rank), "the block's element",
            "update with a block of the base's element type");
  const auto base = shape_of(c[0].type(), rank), block = shape_of(c[1].type(), rank);
  for (int d = 0; d < rank; ++d) {
    need(op, less_equal(0, update_offsets(a)[d]), "negative offset " + update_offsets(a)[d].str(),
         "drop the block's elements before the base's first");
    need(op, less_equal(update_offsets(a)[d] + block[d], base[d]),
         "a block of " + nats(block) + " at " + nats(update_offsets(a)) + " does not fit into " +
             c[0].type().str(),
         "make the offset or the block smaller");
  }
  return c[0].type();
}

LIFT_TYPE_RULE(map) {
  const int rank = op_rank(op, a);
  need_rank(op, c[1].type(), rank);
  const Type f = function_type(op, c[0], 1);
  need_same(op, f.parts()[0], element_of(c[1].type(), rank), "the array's element",
            "the function's parameter must have the type of the array's elements");
  return array(shape_of(c[1].type(), rank), f.result());
}

LIFT_TYPE_RULE(reduce) {
  const Type f = function_type(op, c[0], 2);
  need_rank(op, c[2].type(), 1);
  need_same(op, c[1].type(), f.parts()[0], "the accumulator",
            "f takes (accumulator, element), the initial value has the accumulator's type");
  need_same(op, c[2].type().element(), f.parts()[1], "the element parameter",
            "f takes (accumulator, element)");
  need_same(op, c[1].type(), f.result(), "the result of f", "f must return the accumulator's type");
  return c[1].type();
}

LIFT_TYPE_RULE(scan) {
  return Type::array(c[2].type().is_array() ? c[2].type().length() : Nat(0), reduce(op, c, a));
}

LIFT_TYPE_RULE(iterate) {
  need(op, less_equal(0, iterate_times(a)), iterate_times(a).str() + " times", "use 0 or more");
  const bool numbered = c[0].type().is_function() && c[0].type().parts().size() == 2;
  const Type f = function_type(op, c[0], numbered ? 2 : 1), x = f.parts().back();
  if (numbered)
    need_same(op, Type(i32), f.parts()[0], "the step's number",
              "a function of two parameters takes the step's number, an i32, and then the value");
  need_same(op, x, c[1].type(), "the start value", "f and the start value must agree");
  need_same(op, x, f.result(), "the result of f", "an iterated function must return its argument's type");
  return c[1].type();
}

LIFT_TYPE_RULE(identity) { return c[0].type(); }

LIFT_TYPE_RULE(band) {
  const Band band = band_of(a);
  Expr chain = c[0];
  while (chain.is(Op::Band)) chain = chain.child(0);
  std::size_t stages = 1;
  for (; chain.is(Op::Let) && chain.child(1).is(Op::Lambda); chain = chain.child(1).child(0)) ++stages;
  const bool named = stages > 1;
  // No further stages: results that are one by name, and numbers, which are computed after all steps.
  const auto further = [](const Expr& x) { return !x.is(Op::Bound) && !x.type().is_scalar(); };
  if (chain.is(Op::Tuple)) {
    --stages;
    for (const Expr& result : chain.children()) stages += further(result) ? 1 : 0;
  } else if (!further(chain)) {
    --stages;
  }
  if (!named)
    type_error(op, "needs a chain, let x1 = ... in let x2 = ... in ..., got " + c[0].type().str(),
               "name the stages, or leave out " + std::string(text(op)));
  if (band.shifts.size() != stages)
    type_error(op, std::to_string(band.shifts.size()) + " numbers for " + std::to_string(stages) + " stages",
               "give each stage one, results without a name come last");
  if (band.width < 1) type_error(op, "a width of no iterations", "use a width of 1 or more");
  if (!agree(band.shape, band.run))
    type_error(op, "threads share the tiles of " + words(band), "leave out " + std::string(text(band.run)));
  const Type& t = c[0].type();
  const std::vector<Type> results =
      t.is_tuple() ? std::vector(t.parts().begin(), t.parts().end()) : std::vector{t};
  for (const Type& result : results)
    if (!result.is_scalar() && band.axis >= static_cast<std::size_t>(rank_of(result)))
      type_error(op, "there is no axis " + std::to_string(band.axis) + " in " + c[0].type().str(),
                 "axes are counted from 0, the outermost");
  return c[0].type();
}

LIFT_TYPE_RULE(arithmetic) {
  for (const Expr& e : c) {
    if (!e.type().is_scalar() || e.type().scalar() == boolean)
      type_error(op, "needs numbers, got " + e.type().str(), "map it over the array's elements");
    if (e.type().scalar() == u8)
      type_error(op, "computes with i32, and got u8", "convert it, i32(x), and the result u8(x)");
    need_same(op, c[0].type(), e.type(), "an operand", "cast one operand to the other's type");
  }
  return c[0].type();
}

LIFT_TYPE_RULE(real) {
  const Type t = arithmetic(op, c, a);
  if (!is_float(t.scalar()))
    type_error(op, "needs real numbers, got " + t.str(), "convert them: f64(x), f32(x)");
  return t;
}

LIFT_TYPE_RULE(comparison) {
  arithmetic(op, c, a);
  return Type(boolean);
}

LIFT_TYPE_RULE(logical) {
  for (const Expr& e : c) need_same(op, Type(boolean), e.type(), "an operand", "use a comparison");
  return Type(boolean);
}

LIFT_TYPE_RULE(select) {
  need_same(op, Type(boolean), c[0].type(), "the condition", "use a comparison");
  need_same(op, c[1].type(), c[2].type(), "the second alternative", "both alternatives must have one type");
  if (!c[1].type().is_scalar())
    type_error(op, "needs scalar alternatives, got " + c[1].type().str(), "map the select over the arrays");
  return c[1].type();
}

LIFT_TYPE_RULE(cast) {
  if (!c[0].type().is_scalar())
    type_error(op, "needs a scalar, got " + c[0].type().str(), "map the cast over the array");
  if (goes_by_i32(c[0].type().scalar(), declared_type(a).scalar()))
    type_error(op, declared_type(a).str() + " of " + c[0].type().str(),
               "convert it to i32 first: " + declared_type(a).str() + "(i32(x))");
  return declared_type(a);
}

LIFT_TYPE_RULE(user_fun) {
  if (c.size() != user_types(a).size())
    type_error(op,
               user_name(a) + " takes " + std::to_string(user_types(a).size()) + " arguments, got " +
                   std::to_string(c.size()),
               "pass one argument a parameter");
  for (std::size_t i = 0; i < c.size(); ++i)
    need_same(op, user_types(a)[i], c[i].type(), "argument " + user_parameters(a)[i] + " of " + user_name(a),
              "cast the argument");
  return user_result(a);
}

std::vector<NatCond> needs_of(const Expr& e) {
  std::vector<NatCond> all;
  needed = &all;
  row(e.op()).type(e.op(), e.children(), e.attr());
  needed = nullptr;
  return all;
}

}  // namespace lift::typing
