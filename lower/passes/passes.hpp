// The passes between translation and emission, one verb each. `lower.cpp` lists them in order, with the
// reasons.
#pragma once

#include "lower/lower.hpp"

namespace lift {

/// Arrays of the kernel's own that nothing loads from, and variables that nothing uses, disappear with their
/// stores.
Block eliminate_dead_code(const Block& b);

/// Loops of kind Unroll that have no more iterations than their factor, and short loops within vector loops,
/// become copies of their body.
Block unroll_short_loops(const Block& b);

/// Loops over a fourth dimension of the grid (3) and the loops over the third (2) within share dimension 2.
/// UserError where their iterations are dealt to fewer work-items.
Block fold_dimensions(const Block& b);

/// Of loops over dimensions 1 and 2 of the grid that are longer than a grid may be, work-items take several
/// iterations, in turn.
Block limit_grids(const Block& b);

/// Guards that are affine in a loop's variable become the loop's bounds; others move out of the loops that
/// they do not depend on. Loops get exact trip counts. What neighbouring guards have in common is asked once.
Block tighten_bounds(const Block& b);

/// A loop that visits only the indices i which a guard (e + i) mod m == r admits (For::stride) becomes a loop
/// over ii with i = lower + m*ii + s, s = (r - e - lower) mod m, and the guard disappears. UserError when
/// there is no such guard.
Block stride_loops(const Block& b);

/// Innermost loops whose body asks where the index lies (a clamp, a wrap, a reflection at the boundary) are
/// split there, so that the interior asks nothing. With `vector_edges`, the first and the last iterations of
/// a loop over vectors are as many as a vector has lanes (For::edge), so that the others are whole vectors
/// from the loop's beginning on, and nothing at a boundary is done element by element.
Block split_boundaries(const Block& b, bool vector_edges = false);

/// Innermost loops whose body asks for the residue of the index, as where arrays are interleaved, get
/// iterations of several elements, one of each residue, and ask nothing; what is left is a loop of its own.
Block split_residues(const Block& b);

/// Innermost loops that ask several times on which side of boundaries their row lies, a condition that does
/// not change within them, are there twice: for rows away from all boundaries, which ask nothing, and for
/// others. Those of work-items stay as they are.
Block unswitch_loops(const Block& b);

/// Iterations that make rows which go along their columns together (For::rows) become groups of such rows,
/// each with a loop over steps, a row some columns behind the one before. UserError where rows need of
/// others, or of themselves, what lies too far to the right.
Block rows_abreast(const Block& b);

/// Loops of one iteration and of none disappear.
Block remove_trivial_loops(const Block& b);

/// In a loop that rotates (For::rotate), values that later iterations compute again from the same elements
/// are kept in variables that move on with each iteration. On logical positions. Values that cannot be kept
/// exactly are left alone.
Block rotate_loops(const Block& b, const Kernel& k);

/// In the innermost sequential loops that prefetch (For::prefetch), what is loaded so many iterations later
/// is asked for: the furthest of the loads that move with the loop, one a line of a cache, never beyond the
/// loop's last iteration.
Block prefetch_loops(const Block& b, const Kernel& k);

/// A loop that is joined (For::joined) becomes part of the loop before it, where both go over the same
/// iterations and an element that one of them stores is accessed by the other in the same iteration only; so
/// do loops within, down to those over rows. Elsewhere it stays a loop of its own.
Block join_loops(const Block& b);

/// Work arrays of which every iteration of a loop that threads share accesses elements of its own only, along
/// some dimensions: they lose these, and become each iteration's; with no dimension left, values. Of loops
/// around it, each iteration must store what it loads. After loops are joined.
void contract_arrays(Kernel& k);

/// A work array each of whose elements is stored once, and of which another one's element there is needed for
/// nothing else from then on, lies in that other array.
void reuse_arrays(Kernel& k);

/// Loads, in the body of a loop, of an element that a statement of it has stored before, and none in between,
/// are the value, which has a name then. Those of other types, and within loops, stay.
Block forward_stores(const Block& b);

/// Stores that bypass the cache (Store::stream) do not, where the loop that threads share loads of the same
/// array.
Block keep_read_soon(const Block& b);

/// Of loops of kind Par within each other, the outermost is shared by the threads, with those perfectly
/// nested in it whose bounds do not depend on each other (For::collapse); the others are each thread's own.
/// So are those of less work than `Kernel::least_shared`, where that is known, but for loops of a team, which
/// share at the cost of a barrier that is there anyway, and those beside larger ones in a loop that threads
/// go through together.
Block collapse_loops(const Block& b, const Kernel& k);

/// Loops whose iterations all threads go through together (For::team) get a barrier at the end of each, where
/// all that they store is stored in loops that the threads share; elsewhere each shared loop is one by
/// itself. Other loops around shared ones, as those over time, become such, with a barrier after each shared
/// loop, where that may be (may_go_together): threads are called once for all iterations.
Block form_teams(const Block& b);

/// Loops that threads take in turns (For::doacross): those that hold one loop that waits and nothing beside
/// it, outside of shared loops. All within is each thread's own. Elsewhere they are loops like others. After
/// loops are collapsed.
Block form_doacross(const Block& b);

/// Arrays of more than a few vectors that lie within shared loops are not made by each iteration: they become
/// parts of memory that each thread has once a call (AddressSpace::Scratch, Kernel::scratch), and are named
/// at the beginning of the iteration. Smaller ones stay on the thread's stack. Outside of shared loops those
/// of more than kMostOnStack bytes lie there, too. After loops are collapsed.
void place_scratch(Kernel& k);

/// A Fence at the end of each iteration of a shared loop that stores past the cache, and of a kernel that
/// does so outside such loops. After loops are collapsed and vectorised.
Block fence_streams(const Block& b);

/// Asynchronous stores of elements by items side by side along a row become stores of vectors of up to 16
/// bytes, where rows of both arrays provably begin and end with whole ones; items that this leaves without
/// any take the rows that follow. Arrays start at a multiple of 16 bytes.
Block widen_copies(const Block& b);

/// Asynchronous stores by the items of a group become copies of rows by the group. UserError where a row is
/// not contiguous, or not copied by the whole group.
Block copy_rows(const Block& b);

/// Arrays in local memory are allocated where the launch begins, and say whether vectors access them
/// (Allocate::vectors).
Block hoist_local_arrays(const Block& b);

/// What all work-items along an axis of the grid would store is stored by the first.
Block guard_idle_items(const Launch& l);

/// Of each loop that a group's work-items share, how many iterations one of them takes at most
/// (For::most_trips), where that can be proved.
Block bound_trips(const Block& b);

/// Of each loop over the grid: whether an item takes one iteration or several in turn (For::dealt), and
/// whether some items may have none (For::surplus). After grids are sized.
Block deal_iterations(const Launch& l);

/// What the compiler is asked to do with each loop (For::unroll): those whose unrolling is a decision, those
/// that go through few of the iterations that were dealt, and those that it would unroll unasked. After
/// iterations are dealt.
Block choose_unrolling(const Block& b, Target target);

/// Loads, stores and prefetches get one flat index, by their array's layout. Arrays of the kernel's own, work
/// arrays too, are of one dimension from here on, as long as their layouts say.
void linearise(Kernel& k);

/// Vec loops become loops over whole vectors and a scalar loop over the remainder. Conditions become masks; a
/// masked store writes the old value where the mask is off. Loads of a small constant stride become shuffles
/// of vectors, and two stores of stride 2 that lie between each other become two of whole vectors. Prefetches
/// (For::prefetch) are of elements that exist: of an array's last one where the one asked for lies beyond it.
/// UserError when other accesses are not of unit stride.
Block vectorise(const Block& b, const Kernel& k, const LowerOptions& options);

/// Values used more than once, in one statement or several of a block, get a name.
Block eliminate_common_subexpressions(const Block& b);

/// A Let whose value is another name, or a lane of one, that does not change: those who use it use the other.
Block propagate_copies(const Block& b);

/// The part of the indices that does not change in an inner loop is computed once, outside it, and named; so
/// are divisions, remainders and masks.
Block hoist_loop_invariants(const Block& b);

/// The body of a loop for one value of its variable, or for another variable; guards that this decides are
/// gone.
Block at_index(const Block& body, const Nat& variable, const Nat& value);

/// A loop over the range [lower, upper) in the same variable name, or the statements of its one iteration.
Block make_loop(For f, const Nat& lower, const Nat& upper);

}  // namespace lift
