// Attributes of a node by name. `Attr` stores them by position, so that hashing, comparison, substitution and
// matching are written once for all ops; which position holds what is said in `attributes.cpp` and nowhere
// else: everyone else reads and makes attributes with the functions of this file.
//
// Accessors are named after the op: `slide_steps(e)`. They take an expression, or an `Attr` by itself (a
// typing rule has no node yet).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr/expr.hpp"

namespace lift {

/// The attributes of a node, however they are at hand.
struct AttrRef {
  const Attr& attr;
  AttrRef(const Attr& a) : attr(a) {}         // NOLINT: converts
  AttrRef(const Expr& e) : attr(e.attr()) {}  // NOLINT: converts
};

/// How many dimensions of an array a primitive acts on: 2 for map2, slide2, at(i, j); 1 where an op has no
/// rank.
int op_rank(Op op, const Attr& a);
inline int op_rank(const Expr& e) { return op_rank(e.op(), e.attr()); }
/// Whether e is the primitive `op`, acting on `rank` dimensions.
inline bool is_of_rank(const Expr& e, Op op, int rank) { return e.is(op) && op_rank(e) == rank; }

/// The naturals that an op is written with, one list an argument: {sizes, steps} of slide.
std::vector<std::span<const Nat>> natural_arguments(const Expr& e);

// ---- leaves and binding

int bound_depth(AttrRef bound);  ///< lambdas between use and binder
int bound_index(AttrRef bound);  ///< which of the binder's variables
const std::string& hole_name(AttrRef hole);
bool is_index_param(const Expr& param);  ///< an i32 with a known range (index_param)
const Nat& index_lower(AttrRef param);
const Nat& index_upper(AttrRef param);                     ///< inclusive
const Type& declared_type(AttrRef e);                      ///< params, variables, literals, holes, casts
const std::vector<Type>& parameter_types(AttrRef lambda);  ///< of the variables that it binds
double literal_number(AttrRef literal);
const Nat& nat_of(AttrRef nat_value);

// ---- structure

int tuple_index(AttrRef get);                           ///< which component
const std::vector<Nat>& at_position(AttrRef at);        ///< one index a dimension
const std::vector<Nat>& split_lengths(AttrRef split);   ///< of a chunk, one a dimension
std::span<const Nat> slide_sizes(AttrRef slide);        ///< of a window, one a dimension
std::span<const Nat> slide_steps(AttrRef slide);        ///< between windows, one a dimension
std::span<const Nat> low_widths(AttrRef pad_or_drop);   ///< added or removed before the first element
std::span<const Nat> high_widths(AttrRef pad_or_drop);  ///< the same after the last element
Boundary pad_boundary(AttrRef pad);
double pad_number(AttrRef pad);            ///< the value of constant without an expression
Boundary gather_boundary(AttrRef gather);  ///< undefined: positions are proved to be within the array
double gather_number(AttrRef gather);      ///< the value of constant without an expression
const std::vector<std::int64_t>& transpose_order(AttrRef transpose);
const std::vector<Nat>& generate_shape(AttrRef generate);
const std::vector<Nat>& update_offsets(AttrRef update);  ///< of the block, one a dimension
const Nat& iterate_times(AttrRef iterate);
const Nat& buffer_slots(AttrRef circular_buffer);  ///< planes that it holds
const Nat& ring_planes(AttrRef ring);              ///< that it holds, along the outermost axis

// ---- how the stages of a chain go along an axis

struct Band {
  enum Shape : std::uint8_t {
    skewed,      ///< in steps one after the other, in each of which every stage does its part
    overlapped,  ///< in tiles that threads or work-groups share, each by itself
    phases,      ///< in tiles that leave something of every stage; then in what is left around their seams
  } shape = skewed;
  /// Who goes through steps.
  enum Run : std::uint8_t {
    all,    ///< whoever shares a stage's loops, waiting after each stage
    team,   ///< the same, waiting once a step: stages of a step need nothing of one another
    turns,  ///< threads take steps in turns, each behind the thread of the step before
  } run = all;
  std::size_t axis = 0;    ///< of the arrays that the stages make: 0 is the outermost
  std::int64_t width = 1;  ///< planes of the finest grid in a step, or a tile
  /// By stage, in planes of the finest grid. Skewed, lags: iteration p of the loop of a stage is done in step
  /// (scale * p + lag) / width, rounded down, with the stage's scale (1 on the finest grid) along the axis.
  /// Overlapped, margins: how far beyond a tile on both sides a stage is computed. In phases: how much of it
  /// on both sides a tile leaves to the second one.
  std::vector<std::int64_t> shifts = {};
};
Band band_of(AttrRef band);
const char* text(Band::Shape s);
const char* text(Band::Run r);           ///< "" of all
bool agree(Band::Shape s, Band::Run r);  ///< whether bands of that shape may be gone through so
std::string words(const Band& b);        ///< "band<skewed, turns>", as it is written before the numbers
/// The band of such words, {"skewed", "turns"}, without numbers; nothing: there is none.
std::optional<Band> band_in_words(std::span<const std::string> words);
std::string bands_in_words();  ///< which there are: "a band is skewed, ..."
bool is_band(const Expr& e, Band::Shape s);

// ---- user functions, layouts

const std::string& user_name(AttrRef user_fun);
const std::string& user_body(AttrRef user_fun);  ///< C text between the braces
const Type& user_result(AttrRef user_fun);
std::span<const Type> user_types(AttrRef user_fun);              ///< of the parameters
std::span<const std::string> user_parameters(AttrRef user_fun);  ///< their names
const std::string& layout_text(AttrRef layout);                  ///< as LayoutRequest prints it
/// A LayoutRequest as numbers.
struct LayoutNumbers {
  std::int64_t kind, align, lead, axes;
};
LayoutNumbers layout_numbers(AttrRef layout);

// ---- how loops run: options of low-level maps and scans

enum class LoopOption : std::uint8_t {
  Dimension,  ///< of the NDRange, of a map on a grid: 0, 1, 2, or 3, which shares dimension 2
  Width,      ///< lanes of map_vec, else elements a trip
  Stride,     ///< only every so many-th iteration is visited
  LateStore,  ///< a vector is stored after the next one's loads
  Prefetch,   ///< elements (iterations of a sequential loop) ahead that are asked for
  Items,      ///< work-items or groups that the iterations of a map on a grid are dealt to; 0: as many
  Rotate,     ///< a sequential loop keeps what the next iterations read again in registers
  Stored,     ///< a scan reads the element before where it was stored
  Dynamic,    ///< iterations that a thread takes at a time when it is done with those before; 0: each thread
              ///< has its share from the beginning
  Joined,  ///< its iterations come right after the same ones of the loop before, where no others of that have
           ///< to do with them; 1: rows after rows, 2: elements after elements, too
  Rows,    ///< elements of a scan, each a row, that go along their columns together; 0: one after the other
  Columns,  ///< of each of these rows, in a step
  Turns,    ///< of a tile of these columns, which threads take in turns; 0: they do not
};

/// One option of an op: how it is written, what it may be and what a loop without it does.
struct LoopOptionRow {
  LoopOption option;
  std::size_t slot;                                         ///< its position in the node
  std::string_view word;                                    ///< before the number; empty: the number alone
  std::int64_t neutral;                                     ///< as if it were not there
  std::int64_t least, most;                                 ///< of what may be written
  bool always = false;                                      ///< written even where neutral
  bool is_flag() const { return least == 0 && most == 1; }  ///< written without a number
};
/// The options that loops of an op can have, in the order in which they are written.
std::span<const LoopOptionRow> loop_options(Op op);
/// Nothing when loops of this op have no such option.
const LoopOptionRow* find_option(Op op, LoopOption option);
/// Its value; neutral where the node does not say, and for ops without the option.
std::int64_t loop_option(const Expr& e, LoopOption option);
/// 2, 4, 8, 16, 32 or 64.
bool is_vector_width(std::int64_t lanes);
/// As messages call it: "stride".
std::string_view option_name(LoopOption option);
void set_option(Attr& a, Op op, LoopOption option, std::int64_t value);
/// The same loop with another value of an option that its op has (InternalError otherwise).
Expr with_option(const Expr& e, LoopOption option, std::int64_t value);
/// Numbers that the node holds for no option of its op, which must be zero.
bool has_stray_options(const Expr& e);

// ---- making attributes

namespace attributes {
Attr ranked(int rank);      ///< maps without options, zip, unzip, join
Attr map(Op op, int rank);  ///< with neutral options where it has any
Attr scan(Op op);           ///< the same
/// The same with the numbers of the first options, by slot.
Attr map_numbers(int rank, const std::vector<std::int64_t>& numbers);
Attr bound(int depth, int index, const Type& type);
/// `unique` tells apart params of one name.
Attr param(const std::string& name, const Type& type, std::int64_t unique = 0);
Attr index_param(const std::string& name, const Nat& lower, const Nat& upper);
Attr hole(const std::string& name);
Attr lambda(std::vector<Type> parameters);
Attr literal(double number, Scalar s);
Attr cast(Scalar s);
Attr component(std::int64_t index);
Attr order(std::vector<std::int64_t> permutation);
/// Lengths, offsets or indices, one a dimension; or the only number of an op (iterate, nat, circular_buffer,
/// ring).
Attr nats(std::vector<Nat> ns);
/// Sizes and steps, or low and high widths: two numbers a dimension.
Attr pairs(std::vector<Nat> first, const std::vector<Nat>& second);
Attr band(const Band& b);
Attr pad(std::vector<Nat> low, const std::vector<Nat>& high, Boundary b, double number = 0);
Attr gather(int rank, Boundary b, double number = 0);
Attr user_fun(std::string name, std::string body, const Type& result);
void add_parameter(Attr& user_fun, std::string name, const Type& type);
Attr layout(const LayoutNumbers& n, std::string text);
}  // namespace attributes

}  // namespace lift
