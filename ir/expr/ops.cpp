#include "ir/expr/ops.hpp"

#include "ir/expr/interpret.hpp"
#include "ir/expr/typing.hpp"

namespace lift {
namespace {

namespace t = typing;
namespace m = meaning;
constexpr auto leaf = OpClass::Leaf, bind = OpClass::Binding, struc = OpClass::Structure,
               comp = OpClass::Computation, low = OpClass::LowLevel, sca = OpClass::Scalar;

// clang-format off: a table
// One row an op, in the order of the enumeration (checked below).
constexpr std::array rows = std::to_array<OpRow>({
    // op              text            arity class  typing          meaning
    {Op::Param, "param", 0, leaf, t::declared, m::unbound},
    {Op::Bound, "bound", 0, leaf, t::declared, m::bound},
    {Op::Literal, "literal", 0, leaf, t::declared, m::literal},
    {Op::NatValue, "nat", 0, leaf, t::integer, m::nat_value},
    {Op::Hole, "hole", 0, leaf, t::declared, m::unbound},
    {Op::Lambda, "lambda", 1, bind, t::lambda, m::lambda},
    {Op::Apply, "apply", -1, bind, t::apply, m::apply},
    {Op::Let, "let", 2, bind, t::let, m::let},
    {Op::Tuple, "tuple", -1, struc, t::tuple, m::tuple},
    {Op::Get, "get", 1, struc, t::get, m::get},
    {Op::Zip, "zip", -1, struc, t::zip, m::zip},
    {Op::Unzip, "unzip", 1, struc, t::unzip, m::unzip},
    {Op::At, "at", 1, struc, t::at, m::at},
    {Op::Split, "split", 1, struc, t::split, m::split},
    {Op::Join, "join", 1, struc, t::join, m::join},
    {Op::Slide, "slide", 1, struc, t::slide, m::slide},
    {Op::Pad, "pad", -1, struc, t::pad, m::pad},
    {Op::Drop, "drop", 1, struc, t::drop, m::drop},
    {Op::Transpose, "transpose", 1, struc, t::transpose, m::transpose},
    {Op::Generate, "generate", 1, struc, t::generate, m::generate},
    {Op::Concat, "concat", 2, struc, t::concat, m::concat},
    {Op::Interleave, "interleave", -1, struc, t::interleave, m::interleave},
    {Op::Update, "update", 2, struc, t::update, m::update},
    {Op::Map, "map", 2, comp, t::map, m::map},
    {Op::Reduce, "reduce", 3, comp, t::reduce, m::reduce},
    {Op::Scan, "scan", 3, comp, t::scan, m::scan},
    {Op::ScanBack, "scan_back", 3, comp, t::scan, m::scan},
    {Op::Iterate, "iterate", 2, comp, t::iterate, m::iterate},
    {Op::MapSeq, "map_seq", 2, low, t::map, m::map},
    {Op::MapUnroll, "map_unroll", 2, low, t::map, m::map},
    {Op::MapPar, "map_par", 2, low, t::map, m::map},
    {Op::MapVec, "map_vec", 2, low, t::map, m::map},
    {Op::MapGlb, "map_glb", 2, low, t::map, m::map},
    {Op::MapWrg, "map_wrg", 2, low, t::map, m::map},
    {Op::MapLcl, "map_lcl", 2, low, t::map, m::map},
    {Op::ReduceSeq, "reduce_seq", 3, low, t::reduce, m::reduce},
    {Op::ReduceUnroll, "reduce_unroll", 3, low, t::reduce, m::reduce},
    {Op::ScanSeq, "scan_seq", 3, low, t::scan, m::scan},
    {Op::ScanBackSeq, "scan_back_seq", 3, low, t::scan, m::scan},
    {Op::UpdateInPlace, "update_in_place", 2, low, t::update, m::update},
    {Op::ToGlobal, "to_global", 1, low, t::identity, m::identity},
    {Op::ToLocal, "to_local", 1, low, t::identity, m::identity},
    {Op::ToPrivate, "to_private", 1, low, t::identity, m::identity},
    {Op::CircularBuffer, "circular_buffer", 1, low, t::identity, m::identity},
    {Op::Async, "async", 1, low, t::identity, m::identity},
    {Op::Stream, "stream", 1, low, t::identity, m::identity},
    {Op::Layout, "layout", 1, low, t::identity, m::identity},
    {Op::ReadOnly, "read_only", 1, low, t::identity, m::identity},
    {Op::MayAlias, "may_alias", 1, low, t::identity, m::identity},
    {Op::Neg, "neg", 1, sca, t::arithmetic, m::scalar},
    {Op::Abs, "abs", 1, sca, t::arithmetic, m::scalar},
    {Op::Sqrt, "sqrt", 1, sca, t::arithmetic, m::scalar},
    {Op::Not, "not", 1, sca, t::logical, m::scalar},
    {Op::Add, "add", 2, sca, t::arithmetic, m::scalar},
    {Op::Sub, "sub", 2, sca, t::arithmetic, m::scalar},
    {Op::Mul, "mul", 2, sca, t::arithmetic, m::scalar},
    {Op::Div, "div", 2, sca, t::arithmetic, m::scalar},
    {Op::Mod, "mod", 2, sca, t::arithmetic, m::scalar},
    {Op::Min, "min", 2, sca, t::arithmetic, m::scalar},
    {Op::Max, "max", 2, sca, t::arithmetic, m::scalar},
    {Op::Eq, "eq", 2, sca, t::comparison, m::scalar},
    {Op::Ne, "ne", 2, sca, t::comparison, m::scalar},
    {Op::Lt, "lt", 2, sca, t::comparison, m::scalar},
    {Op::Le, "le", 2, sca, t::comparison, m::scalar},
    {Op::And, "and", 2, sca, t::logical, m::scalar},
    {Op::Or, "or", 2, sca, t::logical, m::scalar},
    {Op::Select, "select", 3, sca, t::select, m::select},
    {Op::Cast, "cast", 1, sca, t::cast, m::cast},
    {Op::UserFun, "user_fun", -2, sca, t::user_fun, m::user_fun},
});
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].op != static_cast<Op>(i)) return false;
  return rows.size() == static_cast<std::size_t>(Op::Count);
}
static_assert(in_order(), "a row is missing or out of order");

}  // namespace

const OpRow& row(Op op) { return rows[static_cast<std::size_t>(op)]; }

bool is_map(Op op) { return op == Op::Map || (op >= Op::MapSeq && op <= Op::MapLcl); }
bool is_reduce(Op op) { return op == Op::Reduce || op == Op::ReduceSeq || op == Op::ReduceUnroll; }
bool is_scan(Op op) { return op == Op::Scan || op == Op::ScanSeq || is_backward(op); }
bool is_backward(Op op) { return op == Op::ScanBack || op == Op::ScanBackSeq; }
bool is_update(Op op) { return op == Op::Update || op == Op::UpdateInPlace; }
bool is_identity(Op op) { return row(op).meaning == m::identity; }

}  // namespace lift
