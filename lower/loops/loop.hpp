// The loop language: what a kernel does, statement by statement. One language for every backend; a printer
// spells it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/expr/layout.hpp"
#include "ir/expr/term.hpp"
#include "ir/target.hpp"

namespace lift {

/// Host: a sequence of launches, over and over; the others are within one.
enum class LoopKind : std::uint8_t { Seq, Unroll, Par, Vec, Host, Glb, Wrg, Lcl };
const char* text(LoopKind k);

struct Stmt;
using Block = std::vector<Stmt>;

/// For::unroll of a loop that is to be unrolled altogether.
constexpr int whole_loop = -1;

/// for var in [lower, upper) step `step`: body. `var` is a Nat variable whose own range is that interval.
struct For {
  Nat var, lower, upper;
  LoopKind kind = LoopKind::Seq;
  int dim = 0;     ///< Glb, Wrg, Lcl: the NDRange dimension, 0 is unit stride
  int items = 0;   ///< Glb, Wrg, Lcl: work-items (work-groups) that the iterations are dealt to in turn: item
                   ///< w takes w, w + items, ...; 0: one an iteration
  int width = 1;   ///< Vec: lanes
  int stride = 1;  ///< every so many-th index: those that a guard admits, else one residue after the other
  bool late_store = false;  ///< Vec: store each vector after the loads of the next
  bool edge = false;        ///< Vec: of `width` iterations, among which it changes what lies where: a vector
                            ///< of its own, each lane of which is known
  int prefetch = 0;         ///< Vec: elements ahead to prefetch, others: iterations ahead; 0 none
  bool rotate = false;      ///< Seq, Unroll: what the next iterations need again stays in registers
  bool team = false;        ///< Seq: loops of kind Par in one iteration do not depend on each other, so that
                            ///< threads need to wait for one another only where it ends; after form-teams:
                            ///< threads go through it together, and wait at barriers
  bool doacross = false;    ///< Seq: threads may take the iterations in turn, each going through the loop
                            ///< within it that waits
  bool waits = false;       ///< Seq, within a doacross loop: an iteration begins when the doacross loop's
                            ///< iteration before this one has done its own
  int rows = 0;  ///< Seq: each iteration makes a row, and so many rows go along their columns together; 0:
                 ///< one after the other
  std::int64_t columns = 0;  ///< of each, in a step, if rows do
  std::int64_t turns = 0;    ///< and threads take tiles of so many columns in turns; 0: they do not
  int dynamic = 0;  ///< Par: a thread takes so many iterations at a time, when it is done with those before;
                    ///< 0: each thread has its share from the beginning
  int joined = 0;  ///< Par: an iteration may come right after the same one of the loop before it; 2: those of
                   ///< the loops within, too, down to elements
  int collapse = 1;  ///< Par: this loop and the next ones, perfectly nested, are one space of iterations
  std::int64_t dealt = 0;  ///< Glb, Wrg, Lcl: so many items take the iterations in turn, each in a loop of
                           ///< its own; 0: each takes one
  std::int64_t most_trips = 0;  ///< of such an item, where that is known; else 0
  bool surplus = false;  ///< Glb, Wrg, Lcl: there may be more items than iterations or than `dealt`, so that
                         ///< an item asks whether it takes part
  int unroll = 0;  ///< copies of the body that the compiler is asked for, or whole_loop; 1: it is asked for
                   ///< no more; 0: it is not asked
  Nat step = 1;
  Block body;
  /// A schedule says how its iterations are gone through: by threads together or in turns, several at once.
  bool is_scheduled() const { return team || doacross || waits || rows > 0; }
};
/// if all conditions hold: body.
struct If {
  std::vector<Term> conditions;
  Block body;
};
/// array[position] = value. After linearisation the position is one flat index.
struct Store {
  std::string array;
  std::vector<Nat> position;
  Term value;
  bool stream = false;  ///< bypass the cache
  bool async = false;   ///< of a loaded element to local memory: may be done later, before a barrier that
                        ///< waits for copies
};
/// const scalar local = value.
struct Let {
  Term local, value;
};
/// Mutable scalar: declaration with an initial value, and assignment.
struct Declare {
  Term local, value;
};
struct Assign {
  Term local, value;
};
/// Scratch: in memory that a processor's thread has to itself during a call of the kernel, of which each
/// iteration of a shared loop finds what an earlier one left.
enum class AddressSpace : std::uint8_t { Global, Local, Private, Scratch };
/// An array that lives inside the kernel.
struct Allocate {
  std::string name;
  Type type;
  AddressSpace space = AddressSpace::Private;
  Nat offset = 0;             ///< Scratch: bytes from where the thread's memory begins
  bool vectors = false;       ///< local memory: accessed by whole vectors, and as aligned as they need
  LayoutRequest layout = {};  ///< until `linearise`, after which the array is one row as long as that says
  std::int64_t aligned = 1;   ///< of that one row: rows of the array had pitches of so many elements
};
/// array[position], an element that exists, will be loaded soon, or one near it.
struct Prefetch {
  std::string array;
  std::vector<Nat> position;
};
/// All work-items of the group wait for one another; what they wrote to local memory, and with `global` to
/// global memory, is seen by all of them afterwards. Reached by all items of the group or by none.
struct Barrier {
  bool global = false;
  bool copies = false;  ///< each work-item waits for the asynchronous stores that it has begun, first
};

/// What this thread has stored past the cache is done before what it stores afterwards.
struct Fence {};
/// to[to_position], ... = from[from_position], ...: so many neighbours, copied asynchronously by all items of
/// a group together. Done when a barrier has waited for copies.
struct CopyRow {
  std::string to;
  std::vector<Nat> to_position;
  std::string from;
  std::vector<Nat> from_position;
  Nat elements;
};
/// Work-items (Glb), groups (Wrg) or the items of a group (Lcl) along a dimension of the grid.
struct GridAxis {
  LoopKind kind;
  int dim;
  friend auto operator<=>(const GridAxis&, const GridAxis&) = default;
};
/// The body is done by the first along each of the axes; the others would do the same.
struct First {
  std::vector<GridAxis> axes;
  Block body;
};
/// A grid of work-items in groups. `local` all zero: how they are grouped is left to the device.
struct NDRange {
  int dims = 1;
  std::array<std::size_t, 3> global{1, 1, 1}, local{0, 0, 0};
  std::size_t resident =
      0;  ///< groups that a multiprocessor is to hold at once, at least; 0: left to the compiler
  /// Of local memory that the launch asks for, for all of its arrays, one after the other, each from a
  /// multiple of kLocalAlignment on; 0: they are declared in the kernel.
  std::size_t local_bytes = 0;
  static constexpr std::size_t kLocalAlignment = 16;
};
/// A kernel of its own: the body is the text of one work-item of the grid. Names and arrays of the kernel's
/// own are each launch's; launches follow one another.
struct Launch {
  std::string name;
  NDRange range;
  Block body;
  std::vector<std::string> steps;  ///< variables of the host's loops around it, which it is given by name
};

struct Stmt {
  std::variant<For, If, Store, Let, Declare, Assign, Allocate, Prefetch, Barrier, Fence, CopyRow, First,
               Launch>
      v;
};
/// The statements within a statement; null where there are none.
const Block* body_of(const Stmt& s);
Block* body_of(Stmt& s);

/// What a backend may assume of an array: Plain, nothing; Restrict, that it overlaps no other array;
/// ReadOnly, that nothing writes it either, so that it may be read through a cache for such arrays.
enum class ArrayAccess : std::uint8_t { Plain, Restrict, ReadOnly };

struct KernelArgument {
  std::string name;
  Type type;      ///< array or scalar
  Layout layout;  ///< arrays
  bool written = false, read = false;
  std::vector<Nat> range;  ///< index params: inclusive bounds
  bool work = false;       ///< an array for intermediate values: contents before and after mean nothing
  ArrayAccess access = ArrayAccess::Restrict;
  bool made = false;  ///< a result that is no parameter of the program: contents before mean nothing
};

/// Of a loop that is worth sharing among threads, in about as many instructions: to begin and to end sharing
/// takes one or two microseconds.
constexpr std::int64_t kLeastShared = 8192;

/// A lowered program. After `lower`, positions are flat indices, a Vec loop advances by its width and its
/// body holds terms of that width (Load at lane 0, Lanes masks, LaneIndex), late stores and remainders are
/// explicit, and a Let whose local is an index term names an index. For a target, the body is as that target
/// takes it: for one with a grid, a list of launches.
struct Kernel {
  std::string name;
  std::optional<Target> target;           ///< that it can be spelled for
  bool wide_indices = true;               ///< indices are as wide as addresses, else of 32 bits
  std::vector<KernelArgument> arguments;  ///< in signature order: the program's, new results, work arrays
  std::vector<std::string>
      results;  ///< the array each result (results_of) is in: a new one, or an argument updated in place
  std::vector<std::string> sizes;  ///< size variables, passed first as long
  std::vector<NatCond> needs;      ///< what sizes must satisfy besides their own conditions
  std::vector<Attr> user_functions;
  std::int64_t least_shared = 0;  ///< work of a loop that is worth sharing among threads
  Nat scratch = 0;                ///< bytes that each thread has to itself; 0: the kernel allocates nothing
  Block body;
  std::vector<std::string> header;  ///< comment lines: expression, derivation
};

/// Whether the kernel allocates memory, and so may find that there is none.
inline bool needs_scratch(const Kernel& k) { return !(k.scratch == Nat(0)); }

std::string str(const Block& b, int indent = 0);
std::string str(const Kernel& k);

/// Applies f to every Nat / Term of a block.
Block map_nats(const Block& b, const std::function<Nat(const Nat&)>& f);
Block map_terms(const Block& b, const std::function<Term(const Term&)>& f);
Block substitute(const Block& b, const Nat& variable, const Nat& value);
/// Visits every statement, outer first.
void visit(const Block& b, const std::function<void(const Stmt&)>& f);
/// Rebuilds bottom-up: f maps each statement (its bodies already rebuilt) to a list of statements.
Block rebuild(const Block& b, const std::function<Block(Stmt)>& f);
bool mentions(const Block& b, const Nat& variable);

}  // namespace lift
