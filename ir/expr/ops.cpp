#include "ir/expr/ops.hpp"

#include "ir/expr/attributes.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/typing.hpp"

namespace lift {
namespace op_table {

namespace t = typing;
namespace m = meaning;
// Short words for the columns.
constexpr auto leaf = OpClass::Leaf, bind = OpClass::Binding, struc = OpClass::Structure,
               comp = OpClass::Computation, low = OpClass::LowLevel, sca = OpClass::Scalar;
using enum Notation::Precedence;
constexpr Notation own{}, partial{Notation::Partial, Pipe}, call{Notation::Call},
    minus{Notation::Prefix, Unary, "-"}, negation{Notation::Prefix, Unary, "!"},
    conjunction{Notation::Infix, Conjunction, "&&"}, disjunction{Notation::Infix, Disjunction, "||"};
constexpr Notation sum(std::string_view sign) { return {Notation::Infix, Sum, sign}; }
constexpr Notation product(std::string_view sign) { return {Notation::Infix, Product, sign}; }
constexpr Notation order_of(std::string_view sign) { return {Notation::Infix, Comparison, sign}; }
constexpr Payload none{}, rank{Payload::Rank}, other{Payload::Own}, shape{Payload::Shape},
    order{Payload::Order, "1, 0"}, band{Payload::Band, "axis, width, (shift, shift)"},
    boundary{Payload::Boundary, "1, 1, clamp"};
constexpr Payload one(std::string_view name) { return {Payload::Number, name}; }
constexpr Payload axis(std::string_view name) { return {Payload::PerAxis, name}; }
constexpr Payload pairs(std::string_view names) { return {Payload::TwoPerAxis, names}; }
constexpr auto no = Applies::Nothing, elem = Applies::Element, fold = Applies::Fold, index = Applies::Indices,
               value = Applies::Value, state = Applies::State;
constexpr auto made = Elements::Made, same = Elements::Same, read = Elements::Read;

// One row an op, in the order of the enumeration (checked below).
constexpr std::array rows = std::to_array<OpRow>({
    // op, text, arity, class, typing, meaning, notation, attributes, applies, elements,
    // for people, without the decision
    // leaves
    {Op::Param, "param", 0, leaf, t::declared, m::unbound, own, other, no, made,
     "a free variable: an argument of the program"},
    {Op::Bound, "bound", 0, leaf, t::declared, m::bound, own, other, no, made,
     "a variable of a lambda around"},
    {Op::Literal, "literal", 0, leaf, t::declared, m::literal, own, other, no, made, "a number"},
    {Op::NatValue, "nat", 0, leaf, t::integer, m::nat_value, call, one("n"), no, made, "a length as an i32"},
    {Op::Hole, "hole", 0, leaf, t::declared, m::unbound, own, other, no, made, "what a pattern leaves open"},
    // binding
    {Op::Lambda, "lambda", 1, bind, t::lambda, m::lambda, own, other, no, made, "a function"},
    {Op::Apply, "apply", -1, bind, t::apply, m::apply, own, none, no, made,
     "a function applied to arguments"},
    {Op::Let, "let", 2, bind, t::let, m::let, own, none, value, made, "a value with a name"},
    // structure
    {Op::Tuple, "tuple", -1, struc, t::tuple, m::tuple, own, none, no, made, "several values as one"},
    {Op::Get, "get", 1, struc, t::get, m::get, own, other, no, made, "a component of a tuple"},
    {Op::Zip, "zip", -1, struc, t::zip, m::zip, call, rank, no, made,
     "arrays of the same lengths as one array of tuples"},
    {Op::Unzip, "unzip", 1, struc, t::unzip, m::unzip, partial, rank, no, same,
     "an array of tuples as a tuple of arrays"},
    {Op::At, "at", 1, struc, t::at, m::at, own, axis("index"), no, same, "the element at a position"},
    {Op::Split, "split", 1, struc, t::split, m::split, partial, axis("length"), no, same,
     "chunks of so many elements"},
    {Op::Join, "join", 1, struc, t::join, m::join, partial, rank, no, same, "chunks put side by side"},
    {Op::Slide, "slide", 1, struc, t::slide, m::slide, partial, pairs("size, step"), no, read,
     "windows of a size, a step apart"},
    {Op::Pad, "pad", -1, struc, t::pad, m::pad, partial, boundary, no, read,
     "elements before the first and after the last, by a boundary condition"},
    {Op::Drop, "drop", 1, struc, t::drop, m::drop, partial, pairs("low, high"), no, same,
     "without so many elements at both ends"},
    {Op::Transpose, "transpose", 1, struc, t::transpose, m::transpose, partial, order, no, same,
     "the dimensions in another order"},
    {Op::Reverse, "reverse", 1, struc, t::rearranged, m::reverse, partial, rank, no, same,
     "the elements from the last to the first"},
    {Op::Generate, "generate", 1, struc, t::generate, m::generate, call, shape, index, made,
     "an array from a function of the index"},
    {Op::Gather, "gather", -1, struc, t::gather, m::gather, partial, rank, no, made,
     "the element at a computed position, and what is beyond the ends"},
    {Op::Concat, "concat", 2, struc, t::concat, m::concat, call, none, no, made, "one array after the other"},
    {Op::Interleave, "interleave", -1, struc, t::interleave, m::interleave, call, none, no, made,
     "elements of arrays in turn"},
    {Op::Update, "update", 2, struc, t::update, m::update, call, axis("offset"), no, made,
     "an array with a block replaced"},
    // computation over arrays
    {Op::Map, "map", 2, comp, t::map, m::map, partial, rank, elem, made, "a function of each element"},
    {Op::Reduce, "reduce", 3, comp, t::reduce, m::reduce, partial, none, fold, made,
     "one value of all elements, from the first to the last"},
    {Op::Scan, "scan", 3, comp, t::scan, m::scan, partial, none, fold, made,
     "every intermediate value of a reduction"},
    {Op::ScanBack, "scan_back", 3, comp, t::scan, m::scan, partial, none, fold, made,
     "a scan from the last element to the first"},
    {Op::Iterate, "iterate", 2, comp, t::iterate, m::iterate, partial, one("times"), state, made,
     "a function applied so many times"},
    // low-level: the same meanings with a decision taken
    {Op::MapSeq, "map_seq", 2, low, t::map, m::map, partial, rank, elem, made, "a map as an ordinary loop",
     Op::Map},
    {Op::MapUnroll, "map_unroll", 2, low, t::map, m::map, partial, rank, elem, made,
     "a map as an unrolled loop", Op::Map},
    {Op::MapPar, "map_par", 2, low, t::map, m::map, partial, rank, elem, made, "a map shared among threads",
     Op::Map},
    {Op::MapVec, "map_vec", 2, low, t::map, m::map, partial, rank, elem, made, "a map in vectors", Op::Map},
    {Op::MapGlb, "map_glb", 2, low, t::map, m::map, partial, rank, elem, made, "a map over work-items",
     Op::Map},
    {Op::MapWrg, "map_wrg", 2, low, t::map, m::map, partial, rank, elem, made, "a map over work-groups",
     Op::Map},
    {Op::MapLcl, "map_lcl", 2, low, t::map, m::map, partial, rank, elem, made,
     "a map over the work-items of a group", Op::Map},
    {Op::ReduceSeq, "reduce_seq", 3, low, t::reduce, m::reduce, partial, none, fold, made,
     "a reduction as a loop", Op::Reduce},
    {Op::ReduceUnroll, "reduce_unroll", 3, low, t::reduce, m::reduce, partial, none, fold, made,
     "a reduction without a loop", Op::Reduce},
    {Op::ScanSeq, "scan_seq", 3, low, t::scan, m::scan, partial, none, fold, made, "a scan as a loop",
     Op::Scan},
    {Op::ScanBackSeq, "scan_back_seq", 3, low, t::scan, m::scan, partial, none, fold, made,
     "a scan as a loop, backwards", Op::ScanBack},
    {Op::UpdateInPlace, "update_in_place", 2, low, t::update, m::update, call, axis("offset"), no, made,
     "an update that overwrites its base", Op::Update},
    {Op::ToGlobal, "to_global", 1, low, t::identity, m::identity, partial, none, no, made,
     "stored in global memory"},
    {Op::ToLocal, "to_local", 1, low, t::identity, m::identity, partial, none, no, made,
     "stored in local memory"},
    {Op::ToPrivate, "to_private", 1, low, t::identity, m::identity, partial, none, no, made,
     "stored in registers"},
    {Op::CircularBuffer, "circular_buffer", 1, low, t::identity, m::identity, partial, one("planes"), no,
     made, "the last planes that a loop reads, in local memory"},
    {Op::Async, "async", 1, low, t::identity, m::identity, partial, none, no, same,
     "copied while the work-item goes on"},
    {Op::Stream, "stream", 1, low, t::identity, m::identity, partial, none, no, same,
     "stored around the cache"},
    {Op::Band, "band", 1, low, t::band, m::identity, partial, band, no, made,
     "the stages of a chain go along an axis together: skewed, in tiles that overlap, or in phases"},
    {Op::Ring, "ring", 1, low, t::identity, m::identity, partial, one("planes"), no, made,
     "a stage of which so many planes are stored at a time, along its outermost axis"},
    {Op::Layout, "layout", 1, low, t::identity, m::identity, call, other, no, same,
     "stored in another layout"},
    {Op::ReadOnly, "read_only", 1, low, t::identity, m::identity, partial, none, no, same,
     "loaded as data that nobody writes"},
    {Op::MayAlias, "may_alias", 1, low, t::identity, m::identity, partial, none, no, same,
     "may share memory with other arguments"},
    // scalars
    {Op::Neg, "neg", 1, sca, t::arithmetic, m::scalar, minus, none, no, made, "the negative"},
    {Op::Abs, "abs", 1, sca, t::arithmetic, m::scalar, call, none, no, made, "the absolute value"},
    {Op::Sqrt, "sqrt", 1, sca, t::real, m::scalar, call, none, no, made, "the square root"},
    {Op::Cbrt, "cbrt", 1, sca, t::real, m::scalar, call, none, no, made, "the cube root"},
    {Op::Exp, "exp", 1, sca, t::real, m::scalar, call, none, no, made, "e to a power"},
    {Op::Exp2, "exp2", 1, sca, t::real, m::scalar, call, none, no, made, "2 to a power"},
    {Op::Log, "log", 1, sca, t::real, m::scalar, call, none, no, made, "the natural logarithm"},
    {Op::Log2, "log2", 1, sca, t::real, m::scalar, call, none, no, made, "the logarithm to base 2"},
    {Op::Log10, "log10", 1, sca, t::real, m::scalar, call, none, no, made, "the logarithm to base 10"},
    {Op::Sin, "sin", 1, sca, t::real, m::scalar, call, none, no, made, "sine of radians"},
    {Op::Cos, "cos", 1, sca, t::real, m::scalar, call, none, no, made, "cosine of radians"},
    {Op::Tan, "tan", 1, sca, t::real, m::scalar, call, none, no, made, "tangent of radians"},
    {Op::Asin, "asin", 1, sca, t::real, m::scalar, call, none, no, made, "arc sine, in radians"},
    {Op::Acos, "acos", 1, sca, t::real, m::scalar, call, none, no, made, "arc cosine, in radians"},
    {Op::Atan, "atan", 1, sca, t::real, m::scalar, call, none, no, made, "arc tangent, in radians"},
    {Op::Sinh, "sinh", 1, sca, t::real, m::scalar, call, none, no, made, "hyperbolic sine"},
    {Op::Cosh, "cosh", 1, sca, t::real, m::scalar, call, none, no, made, "hyperbolic cosine"},
    {Op::Tanh, "tanh", 1, sca, t::real, m::scalar, call, none, no, made, "hyperbolic tangent"},
    {Op::Erf, "erf", 1, sca, t::real, m::scalar, call, none, no, made, "the error function"},
    {Op::Floor, "floor", 1, sca, t::real, m::scalar, call, none, no, made, "the greatest whole number below"},
    {Op::Ceil, "ceil", 1, sca, t::real, m::scalar, call, none, no, made, "the least whole number above"},
    {Op::Round, "round", 1, sca, t::real, m::scalar, call, none, no, made,
     "the nearest whole number, halves away from 0"},
    {Op::Not, "not", 1, sca, t::logical, m::scalar, negation, none, no, made, "logical not"},
    {Op::Add, "add", 2, sca, t::arithmetic, m::scalar, sum("+"), none, no, made, "sum"},
    {Op::Sub, "sub", 2, sca, t::arithmetic, m::scalar, sum("-"), none, no, made, "difference"},
    {Op::Mul, "mul", 2, sca, t::arithmetic, m::scalar, product("*"), none, no, made, "product"},
    {Op::Div, "div", 2, sca, t::arithmetic, m::scalar, product("/"), none, no, made, "quotient"},
    {Op::Mod, "mod", 2, sca, t::arithmetic, m::scalar, product("%"), none, no, made, "remainder"},
    {Op::Min, "min", 2, sca, t::arithmetic, m::scalar, call, none, no, made, "the smaller"},
    {Op::Max, "max", 2, sca, t::arithmetic, m::scalar, call, none, no, made, "the larger"},
    {Op::Pow, "pow", 2, sca, t::real, m::scalar, call, none, no, made,
     "the first to the power of the second"},
    {Op::Atan2, "atan2", 2, sca, t::real, m::scalar, call, none, no, made,
     "the angle of a point, of y and x, in radians"},
    {Op::Hypot, "hypot", 2, sca, t::real, m::scalar, call, none, no, made, "the length of the hypotenuse"},
    {Op::Eq, "eq", 2, sca, t::comparison, m::scalar, order_of("=="), none, no, made, "equal"},
    {Op::Ne, "ne", 2, sca, t::comparison, m::scalar, order_of("!="), none, no, made, "not equal"},
    {Op::Lt, "lt", 2, sca, t::comparison, m::scalar, order_of("<"), none, no, made, "less"},
    {Op::Le, "le", 2, sca, t::comparison, m::scalar, order_of("<="), none, no, made, "less or equal"},
    {Op::And, "and", 2, sca, t::logical, m::scalar, conjunction, none, no, made, "logical and"},
    {Op::Or, "or", 2, sca, t::logical, m::scalar, disjunction, none, no, made, "logical or"},
    {Op::Select, "select", 3, sca, t::select, m::select, call, none, no, made,
     "one of two values by a condition"},
    {Op::Cast, "cast", 1, sca, t::cast, m::cast, own, other, no, made, "a number of another type"},
    {Op::UserFun, "user_fun", -2, sca, t::user_fun, m::user_fun, own, other, no, made, "a function in C"},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].op != static_cast<Op>(i)) return false;
  return rows.size() == static_cast<std::size_t>(Op::Count);
}
static_assert(in_order(), "a row is missing or out of order");
constexpr bool decisions_have_high_forms() {
  for (const OpRow& r : rows)
    if ((r.cls == low) != (r.high != Op::Count || r.meaning == m::identity)) return false;
  return true;
}
static_assert(decisions_have_high_forms(),
              "a low-level op means its argument, or what its high-level form means");

}  // namespace op_table

const OpRow& row(Op op) { return op_table::rows[static_cast<std::size_t>(op)]; }

bool is_ranked(Op op) {
  const Payload::Kind k = row(op).payload.kind;
  return row(op).notation.form != Notation::Own &&
         (k == Payload::Rank || k == Payload::PerAxis || k == Payload::TwoPerAxis || k == Payload::Boundary);
}
Op high_level(Op op) { return row(op).high == Op::Count ? op : row(op).high; }
bool is_map(Op op) { return high_level(op) == Op::Map; }
bool is_reduce(Op op) { return high_level(op) == Op::Reduce; }
bool is_scan(Op op) { return high_level(op) == Op::Scan || is_backward(op); }
bool is_backward(Op op) { return high_level(op) == Op::ScanBack; }
bool is_update(Op op) { return high_level(op) == Op::Update; }
bool is_map_on_grid(Op op) { return op == Op::MapGlb || op == Op::MapWrg || op == Op::MapLcl; }
bool is_identity(Op op) { return row(op).meaning == meaning::identity; }

Expr without_decision(const Expr& e) {
  if (!is_low_level(e.op())) return e;
  if (is_identity(e.op())) return e.child(0);
  const Attr a = loop_options(e.op()).empty() ? e.attr()
                 : is_map(e.op())             ? attributes::ranked(op_rank(e))
                                              : Attr();
  return make(high_level(e.op()), {e.children().begin(), e.children().end()}, a, origin(e));
}

std::optional<std::size_t> function_child(Op op) {
  switch (row(op).applies) {
    case Applies::Nothing:
      return std::nullopt;
    case Applies::Value:
      return 1;
    default:
      return 0;
  }
}

namespace {
bool takes_number(const Expr& iterated) {
  if (iterated.is(Op::Lambda)) return parameter_types(iterated).size() == 2;
  return iterated.type().is_function() && iterated.type().parts().size() == 2;
}
}  // namespace

std::vector<Type> applied_to(Op op, std::span<const Expr> children, const Attr& a) {
  switch (row(op).applies) {
    case Applies::Nothing:
      return {};
    case Applies::Element:
      return {element_of(children[1].type(), op_rank(op, a))};
    case Applies::Fold:
      return {children[1].type(), element_of(children[2].type(), 1)};
    case Applies::Indices:
      return std::vector<Type>(static_cast<std::size_t>(op_rank(op, a)), Type(i32));
    case Applies::Value:
      return {children[0].type()};
    case Applies::State: {  // and, to a function of two parameters, the step's number before it
      const Type& state = children[1].type();
      return takes_number(children[0]) ? std::vector<Type>{i32, state} : std::vector<Type>{state};
    }
  }
  return {};
}

}  // namespace lift
