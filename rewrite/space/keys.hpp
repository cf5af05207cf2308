// Keys of decisions that other decisions, or the lists of first guesses ask for. A key
// that only its own decision knows stands in that decision's file.
#pragma once

#include "rewrite/space/configuration.hpp"

namespace lift {

/// Where arrays live that are named between a program's arguments and its result.
enum class Stages : std::uint8_t { fused, work, privately };
/// Whether stages that follow one another row by row, or element by element, do so in one loop.
enum class Joined : std::uint8_t { no, rows, elements };
/// How blocks are written that cells make.
enum class Blocks : std::uint8_t { none, rows, rows_unrolled, whole };
/// What a work-group keeps in local memory.
enum class Local : std::uint8_t { none, tile, planes };
/// How it gets there.
enum class Copy : std::uint8_t { direct, vec, async, async_vec };
/// The innermost loop: every element or those that a guard admits, one or a vector at a time.
enum class Inner : std::uint8_t { seq, strided, vec, strided_vec };
/// Where columns with a name live.
enum class Keep : std::uint8_t { work, privately };
/// Layouts of arrays; `rows` has alignment and first element, `split` axes and alignment.
enum ArrayLayout : int { kCallerLayout, kRowsLayout, kSplitLayout };

namespace key {

/// Steps of an iteration that go together.
inline constexpr KeyOf<std::int64_t> depth{{"depth", Domain::ordinal, {}, 1}};
/// Whether each stage wraps around a period, or only what comes before all stages.
inline constexpr KeyOf<bool> wraps{{"wraps", Domain::flag, {"each", "once"}}};
/// Whether stages whose loops differ go in step on work-groups, or each has decisions of its own.
inline constexpr KeyOf<bool> together{{"together", Domain::flag, {"no", "yes"}}};
inline constexpr KeyOf<Stages> stages{{"stages", Domain::choice, {"fused", "work", "private"}}};
inline constexpr KeyOf<bool> in_place{{"in_place", Domain::flag, {"no", "yes"}, 1}};
inline constexpr KeyOf<Choice> layout{{"layout", Domain::choice, {"caller", "rows", "split"}}};
inline constexpr KeyOf<Blocks> block{{"block", Domain::choice, {"none", "rows", "rows unrolled", "whole"}}};
inline constexpr KeyOf<bool> buffer{{"buffer", Domain::flag, {"none", "rows"}}};
inline constexpr KeyOf<AxisSizes> tile{{"tile", Domain::sizes}};
inline constexpr KeyOf<Loops> order{{"order", Domain::loops}};
inline constexpr KeyOf<AxisSizes> time{{"time", Domain::sizes}};
inline constexpr KeyOf<bool> rings{{"rings", Domain::flag, {"no", "yes"}}};
inline constexpr KeyOf<std::int64_t> loads{{"loads", Domain::ordinal, {"none"}}};
inline constexpr KeyOf<AxisSizes> strips{{"strips", Domain::sizes}};
inline constexpr KeyOf<AxisSizes> phases{{"phases", Domain::sizes}};
/// Whether one work-group does all sweeps over a box.
inline constexpr KeyOf<bool> one_group{{"one_group", Domain::flag, {"no", "yes"}}};
inline constexpr KeyOf<Loops> grid{{"grid", Domain::loops}};
inline constexpr KeyOf<Loops> parallel{{"parallel", Domain::loops}};
inline constexpr KeyOf<std::int64_t> dynamic{{"dynamic", Domain::ordinal}};
inline constexpr KeyOf<Joined> joined{{"joined", Domain::choice, {"no", "rows", "elements"}}};
/// Whether loops over cells go in the tiles of the columns beside them.
inline constexpr KeyOf<bool> follows{{"follows", Domain::flag, {"no", "columns"}}};
/// Rows that go along their columns together, and columns of each in a step.
inline constexpr KeyOf<std::int64_t> rows{{"rows", Domain::ordinal, {"one"}}};
inline constexpr KeyOf<std::int64_t> columns{{"columns", Domain::ordinal, {"all"}}};
inline constexpr KeyOf<bool> team{{"team", Domain::flag, {"no", "yes"}}};
inline constexpr KeyOf<Local> local{{"local", Domain::choice, {"none", "tile", "planes"}}};
inline constexpr KeyOf<Copy> copy{{"copy", Domain::choice, {"direct", "vec", "async", "async vec"}}};
inline constexpr KeyOf<AxisSizes> items{{"items", Domain::sizes}};
inline constexpr KeyOf<Inner> inner{{"inner", Domain::choice, {"seq", "strided", "vec", "strided vec"}}};
inline constexpr KeyOf<std::int64_t> width{{"width", Domain::ordinal, {}, 1}};
inline constexpr KeyOf<bool> late{{"late", Domain::flag, {"0", "1"}}};
inline constexpr KeyOf<bool> stream{{"stream", Domain::flag, {"0", "1"}}};
inline constexpr KeyOf<std::int64_t> unroll{{"unroll", Domain::ordinal, {}, 1}};
inline constexpr KeyOf<bool> kcache{{"kcache", Domain::flag, {"no", "yes"}}};
inline constexpr KeyOf<std::int64_t> prefetch{{"prefetch", Domain::ordinal}};
inline constexpr KeyOf<AxisSizes> parts{{"parts", Domain::sizes}};
inline constexpr KeyOf<std::int64_t> group{{"group", Domain::ordinal, {"none"}}};
inline constexpr KeyOf<std::int64_t> lanes{{"lanes", Domain::ordinal, {}, 1}};
inline constexpr KeyOf<Keep> keep{{"keep", Domain::choice, {"work", "private"}}};

}  // namespace key

inline bool is_fused(const Configuration& c) { return c[key::stages] == Stages::fused; }
/// The inner loop is one over vectors.
inline bool is_vector(const Configuration& c) {
  return c[key::inner] == Inner::vec || c[key::inner] == Inner::strided_vec;
}
/// Work-groups of one item, each with a chunk of the loops, as threads have.
inline bool is_solo(const Configuration& c) { return c[key::grid].by == Loops::By::solo; }
inline bool is_by_groups(const Configuration& c) { return c[key::grid].by == Loops::By::groups; }
/// The loops that are shared among threads, or among work-groups of one item.
inline Loops shared_loops(const Configuration& c) {
  return {Loops::By::itself, is_solo(c) ? c[key::grid].names : c[key::parallel].names};
}

}  // namespace lift
