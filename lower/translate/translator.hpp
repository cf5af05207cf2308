// The state of a translation from expressions to loops; see translate.hpp. What becomes of values with a
// name, intermediate arrays and reductions is in translate_values.cpp, the rest in translate.cpp.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "lower/loops/loop.hpp"
#include "lower/translate/acceptor.hpp"
#include "rewrite/analysis/positions_read.hpp"

namespace lift {

/// An axis: the spacing of a stage's grid in units of the finest one of its chain, the position at which
/// its loop begins, and how many positions an iteration makes.
struct StageGrid {
  std::vector<std::int64_t> scale;
  std::vector<Nat> begins;
  std::vector<std::int64_t> each;
  bool computes_base = false;                      ///< of an update: it is no array as it is
  std::vector<std::optional<PositionsRead>> read;  ///< by later stages, where that is known
  std::int64_t at_once = 1;                        ///< elements of a row that are copied by one instruction
};

/// The part of all stages that one tile of the result needs along an axis: planes of the finest grid, and how
/// far beyond them each stage goes.
struct TileOfStages {
  std::size_t axis;
  Nat begin, end, width;
  std::vector<std::int64_t> margins;
};

/// Whether work-items of a group share loops of an expression.
bool is_of_items(const Expr& e);

class Translator : public Views {
 public:
  void write(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  /// Of each stage of the chain that has a schedule.
  std::vector<StageGrid> stage_grids;
  Block* block = nullptr;            ///< where statements go
  std::vector<KernelArgument> work;  ///< arrays for intermediate values
  std::set<std::string> given;       ///< names of the program's own, which nothing else may have
  /// The argument that a result is written into, by the result's name, for those found to be updated in
  /// place.
  std::map<std::string, std::string> in_argument;

 protected:
  View reduce(const Expr& e, const ScopePtr& scope) override;
  View place(const Expr& e, const ScopePtr& scope) override;
  View iterate(const Expr& e, const ScopePtr& scope) override;
  std::vector<Term> values_of(const Term& of) const override;

 private:
  void write_scan(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  bool write_map_of_scan(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  using ScanUse = std::function<void(const Nat& k, const View& element)>;  ///< what becomes of an element
  void scan_in_variables(const Expr& e, const ScopePtr& scope, const ScanUse& use, const View& xs);
  void scan_from_stored(const Expr& e, const ScopePtr& scope, const Acceptor& to, const View& xs,
                        const ScanUse& use);
  void scan_loop(const Expr& e, const View& xs, const Nat& first,
                 const std::function<void(const Nat& step)>& body);
  static ScopePtr scan_step(const View& before, const View& x, const ScopePtr& scope);
  /// Whether a scan occurs in an expression.
  bool has_scan(const Expr& e);
  void write_map(const Expr& e, const ScopePtr& scope, const Acceptor& to, int depth, const View& xs);
  bool write_interleaved(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  void write_update(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  Acceptor in_its_argument(const Acceptor& a);
  std::optional<Acceptor> place_of_base(const View& base, const Type& t, const Acceptor& given,
                                        bool overwrites);
  void write_around(const Expr& update, const View& base, const Acceptor& to);
  void write_block_copy(const View& from, const Acceptor& to, const std::vector<Nat>& first,
                        const std::vector<Nat>& length, LoopKind shared);
  void write_copy(const View& from, const Acceptor& to, const Type& t, LoopKind shared);
  void write_let(const Expr& value, const Expr& fn, const ScopePtr& scope, const Acceptor& to);
  bool write_together(const Expr& tuple, const ScopePtr& scope, const Acceptor& to);
  void write_updated(std::size_t component, const Expr& value, const Expr& fn, const ScopePtr& scope,
                     const Acceptor& to);
  void write_let_apart(std::size_t component, const Expr& value, const Expr& fn, const ScopePtr& scope,
                       Acceptor to);
  void in_whole_array(Acceptor& place, const Type& t, const Expr& e, const std::function<void()>& compute);
  void place_state(const Expr& iterate, const ScopePtr& scope, std::vector<Acceptor>& to, View& start);
  void write_iterate(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  void write_schedule(const Expr& e, const ScopePtr& scope, const Acceptor& to,
                      const std::vector<TileOfStages>& tiles = {});
  void write_in_step(const Expr& e, const ScopePtr& scope, const Acceptor& to,
                     const std::vector<TileOfStages>& tiles);
  Acceptor ring_of_stage(const Expr& ring, std::size_t stage, const std::vector<TileOfStages>& tiles,
                         bool in_steps, std::optional<std::int64_t> rows);
  bool is_there(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  bool write_structure(const Expr& e, const ScopePtr& scope, const Acceptor& to);
  void write_view(const View& v, const Acceptor& to);
  void write_under(const std::vector<NatCond>& guards, const Expr& e, const ScopePtr& scope,
                   const Acceptor& to);
  void write_guarded(const Expr& e, const ScopePtr& scope, const Cell& cell);
  void store(const Term& given, const Cell& cell);
  void loop(For f, const std::function<void(const Nat&)>& body);
  std::optional<View> base_of(const Expr& e, const ScopePtr& scope);
  /// Planes of an array of which the last few are in local memory, in turn, while a sequential loop goes
  /// along it.
  struct Ring {
    Expr planes;  ///< circular_buffer of the map that makes them
    ScopePtr scope;
    View from;  ///< what that map goes over
    Acceptor slots;
  };
  View ring(const Expr& e, const ScopePtr& scope);
  void fill(const Ring& r, const Nat& plane);
  void write_along(const Expr& e, const ScopePtr& scope, const Acceptor& to, const View& xs,
                   const std::vector<Ring>& rings);
  View in_variables(const View& v, const Type& t);
  std::vector<Term> carried(const View& init, const std::string& hint);
  void carry(const View& value, const std::vector<Term>& locals,
             const std::function<void(const View& next)>& use = {});
  View accumulate(const Expr& e, const ScopePtr& scope);
  Acceptor accumulators(const Expr& e, const ScopePtr& scope);
  /// An array of rank 1 as one of a higher rank with the same elements in the same order.
  struct Elements {
    std::vector<Nat> lengths;
    std::function<View(std::span<const Nat>)> at;
  };
  Elements elements_of(const Expr& e, const ScopePtr& scope);
  void for_each(const Elements& xs, const std::function<void(const View&)>& body,
                std::vector<Nat> position = {});
  Acceptor kept_elements(const Expr& scan);
  Acceptor new_array(const std::string& hint, const Type& t, AddressSpace space,
                     const LayoutRequest& layout = {});
  /// The arrays that a step of an iteration makes outside of its loops, in order: another copy of the step's
  /// code makes the same ones.
  struct StepArrays {
    std::vector<std::string> names;
    std::size_t next = 0;
    Block* block = nullptr;  ///< of the copy
  };
  StepArrays* step_arrays_ = nullptr;
  std::string fresh_name(const std::string& hint);
  bool is_own(const std::string& array) const;
  int names_ = 0;
  std::set<std::string> own_;                        ///< arrays that the kernel makes
  std::set<std::string> overwritten_;                ///< arrays that named values have been written over
  std::map<std::string, std::vector<Term>> stored_;  ///< whole numbers, to arrays of the kernel's own
  std::set<std::string> complete_;                   ///< arrays of which each element has been stored
  bool guarded_ = false;  ///< a scalar is being computed of which the guards are seen to
  std::unordered_map<std::uint32_t, bool> has_scan_;
  std::vector<Ring>* rings_ = nullptr;  ///< those found in the argument of a map that is being evaluated
  std::vector<For> parallel_;           ///< the parallel loops around, without their bodies
};

[[noreturn]] void refuse_place();  ///< of an update in place, or of steps in place
/// Who shares loops of an expression: threads (Par), the items of a grid (Glb), or nobody (Seq).
LoopKind sharing_of(const Expr& e);
inline bool is_parallel(LoopKind k) { return k == LoopKind::Par || k >= LoopKind::Glb; }
/// The loop over dimension `depth` of a map whose results go `to`, without a body.
For map_loop(const Expr& e, const Acceptor& to, int depth);
/// A loop over [first, first + length), without a body.
For new_loop(const std::string& hint, const Nat& length, const Nat& first = 0);
/// The scalars of a view of scalars and tuples, in order; and a view of the same shape with other scalars.
void scalars_of(const View& v, std::vector<Term>& to);
View with_scalars(const View& v, const std::vector<Term>& terms);

}  // namespace lift
