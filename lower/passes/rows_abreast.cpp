// Rows that go along their columns together: of so many rows each is some columns behind the one before, so
// that what they wait for, each of its own last element, is waited for at once. Row r of a group does columns
// [width s - lag r, width (s + 1) - lag r) in step s: with a lag of a step and of how far to the right the
// row before is needed, all that a step needs of other rows was done in earlier steps. Threads take tiles of
// the columns in turns: the next tile of a group of rows begins where the one before has ended, as nothing to
// the right of a tile is needed, and goes on with the variables that rows had there.
#include <algorithm>

#include "ir/error.hpp"
#include "lower/analyses/row_parts.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/own_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t kShort = 8;  ///< iterations at an end of a row

/// What one thread does by itself.
Block without_threads(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v)) {
      f->rows = 0, f->turns = 0, f->team = f->doacross = f->waits = false;
      if (f->kind == LoopKind::Par) f->kind = LoopKind::Seq, f->collapse = 1, f->dynamic = f->joined = 0;
    }
    return {std::move(s)};
  });
}

/// Positions in arrays of which a row keeps the columns of a step only.
Block in_column_arrays(const Block& b, const RowParts& row, const Nat& begin) {
  const auto moved = [&](const std::string& array, std::vector<Nat> position) {
    const auto it = row.column_arrays.find(array);
    if (it == row.column_arrays.end()) return position;
    Nat& at = position.at(it->second.dimension);
    at = at + it->second.shift - begin;
    return position;
  };
  const Block loads = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      if (x->kind != TermKind::Load || row.column_arrays.count(x->name) == 0) return x;
      return load_term(x->name, moved(x->name, x->nats), x->type, x->width);
    });
  });
  return rebuild(loads, [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v)) x->position = moved(x->array, x->position);
    if (auto* x = std::get_if<Prefetch>(&s.v)) x->position = moved(x->array, x->position);
    return {std::move(s)};
  });
}

/// Columns that are gone through by rows together: all, or those of a tile.
struct Columns {
  Nat begin, end;
};

class Abreast {
 public:
  Abreast(const For& rows, RowParts parts, std::set<std::string>& taken)
      : rows_(rows), row_(std::move(parts)), width_(rows.columns), lag_(rows.columns + row_.right) {
    for (int r = 0; r < rows.rows; ++r) names_.emplace_back(rows.body, r + 1, taken);
    for (const std::string& name : row_.carried) {
      std::string own = "ends_of_" + name;
      while (!taken.insert(own).second) own += "_";
      ends_.emplace(name, own);
    }
  }

  Block made() {
    const Nat count = max(0, rows_.upper - rows_.lower), groups = floordiv(count, rows_.rows);
    For rest = rows_, group, tile;
    rest.rows = 0, rest.turns = 0, rest.lower = rows_.lower + rows_.rows * groups;
    if (groups == Nat(0)) return {{std::move(rest)}};
    group.var = Nat::fresh("rows", 0, groups - 1), group.lower = 0, group.upper = groups;
    first_ = rows_.rows * group.var;
    columns_ = {row_.begin, row_.end};
    Block all;
    if (rows_.turns > 0) {
      tile.upper = ceildiv(row_.end - row_.begin, rows_.turns), tile.lower = 0;
      tile.var = Nat::fresh("tile", 0, tile.upper - 1);
      columns_.begin = row_.begin + rows_.turns * tile.var;
      columns_.end = min(row_.end, columns_.begin + rows_.turns);
      tile.doacross = group.waits = true;
      for (const Stmt& s : row_.first)
        if (const auto* d = std::get_if<Declare>(&s.v); d && ends_.count(d->local->name) > 0)
          all.push_back({Allocate{ends_.at(d->local->name), array({count}, d->local->type)}});
    }
    group.body = of_group();
    Block arrays;
    for (int r = 0; r < rows_.rows; ++r)
      for (const Stmt& s : row_.first)
        if (std::holds_alternative<Allocate>(s.v))
          for (Stmt& own : of_row(with_short_arrays({s}), r)) arrays.push_back(std::move(own));
    if (rows_.turns > 0) {
      tile.body = std::move(arrays);
      tile.body.push_back({std::move(group)});
      all.push_back({std::move(tile)});
    } else {
      all = std::move(arrays);
      all.push_back({std::move(group)});
    }
    if (!(rest.lower == rest.upper)) all.push_back({std::move(rest)});
    return all;
  }

 private:
  /// The first column that a row of the group does in a step.
  Nat begin(int r) const { return columns_.begin + width_ * step_ - lag_ * r; }
  /// Statements of a row as one of the group.
  Block of_row(const Block& b, int r) const {
    return names_.at(static_cast<std::size_t>(r))
        .of(substitute(without_threads(b), rows_.var, rows_.lower + first_ + r));
  }
  Block with_short_arrays(const Block& b) const {
    return rebuild(b, [&](Stmt s) -> Block {
      auto* a = std::get_if<Allocate>(&s.v);
      const auto it = a ? row_.column_arrays.find(a->name) : row_.column_arrays.end();
      if (it == row_.column_arrays.end()) return {std::move(s)};
      std::vector<Nat> shape = shape_of(a->type);
      shape.at(it->second.dimension) = width_;
      a->type = array(shape, element_of(a->type));
      return {std::move(s)};
    });
  }
  Block in_columns(const RowPart& p, int r) const {
    return of_row(in_column_arrays({p.statement}, row_, begin(r)), r);
  }

  // ---- a group of rows

  /// What has names in a row, the steps, and what the next tile goes on with.
  Block of_group() {
    Block all, ends;
    for (int r = 0; r < rows_.rows; ++r) {
      for (const Stmt& s : row_.first) {
        if (std::holds_alternative<Allocate>(s.v)) continue;
        for (Stmt& own : of_row({s}, r)) all.push_back(std::move(own));
        const auto* d = std::get_if<Declare>(&s.v);
        if (!d || rows_.turns == 0 || ends_.count(d->local->name) == 0) continue;
        const Term local = names_.at(static_cast<std::size_t>(r)).of(d->local);
        const std::string& end = ends_.at(d->local->name);
        all.push_back({If{{compare_term(less(row_.begin, columns_.begin))},
                          {{Assign{local, load_term(end, {first_ + r}, local->type)}}}}});
        ends.push_back({Store{end, {first_ + r}, local}});
      }
    }
    For step;
    step.lower = 0;
    step.upper = ceildiv(columns_.end - columns_.begin + lag_ * (rows_.rows - 1), width_);
    const Nat most = rows_.turns > 0 ? Nat(rows_.turns) : row_.end - row_.begin;
    step.var = step_ = Nat::fresh("s", 0, ceildiv(most + lag_ * (rows_.rows - 1), width_));
    step.body = in_step();
    all.push_back({std::move(step)});
    if (!ends.empty()) all.push_back({If{{compare_term(less(columns_.end, row_.end))}, std::move(ends)}});
    return all;
  }

  /// Parts of a row in a step, wherever its columns begin and end.
  Block any(int r) const {
    Block all;
    for (const RowPart& p : row_.parts) {
      Block part = in_columns(p, r);
      if (!p.loop) {
        std::vector<Term> first{compare_term(less_equal(begin(r), columns_.begin)),
                                compare_term(less(columns_.begin, begin(r) + width_))};
        if (!p.again) first.push_back(compare_term(less_equal(columns_.begin, row_.begin)));
        all.push_back({If{std::move(first), std::move(part)}});
        continue;
      }
      auto& f = std::get<For>(part.at(0).v);
      f.lower = max(f.lower, max(columns_.begin, begin(r)) - p.shift);
      f.upper = max(f.lower, min(f.upper, min(columns_.end, begin(r) + width_) - p.shift));
      all.push_back(std::move(part[0]));
    }
    return all;
  }

  /// Where all rows of a group are within all loops but for short ones at the ends.
  struct Inside {
    Columns columns;
    std::vector<const RowPart*> parts;
  };
  Inside inside() const {
    Inside r{columns_, {}};
    Nat &first = r.columns.begin, &last = r.columns.end;
    for (const RowPart& p : row_.parts) {
      if (!p.loop) {
        first = max(first, columns_.begin + 1);
        continue;
      }
      const Nat begin = p.lower + p.shift, end = p.upper + p.shift;
      if ((end - row_.begin).constant().value_or(kShort + 1) <= kShort) {
        first = max(first, end);
      } else if ((row_.end - begin).constant().value_or(kShort + 1) <= kShort) {
        last = min(last, begin);
      } else {
        first = max(first, begin), last = min(last, end);
        r.parts.push_back(&p);
      }
    }
    return r;
  }
  /// A part of all rows: those in which an iteration waits for the one before it go together.
  Block of_all_rows(const RowPart& p) const {
    Block all;
    For together;
    together.var = Nat::fresh("t", 0, width_ - 1), together.lower = 0, together.upper = width_;
    for (int r = 0; r < rows_.rows; ++r) {
      Block part = in_columns(p, r);
      auto& f = std::get<For>(part.at(0).v);
      const Nat first = begin(r) - p.shift;
      if (p.chain && rows_.rows > 1) {
        for (Stmt& s : substitute(f.body, f.var, first + together.var)) together.body.push_back(std::move(s));
        continue;
      }
      f.lower = first, f.upper = first + width_;
      all.push_back(std::move(part[0]));
    }
    if (!together.body.empty()) all.push_back({std::move(together)});
    return all;
  }

  Block in_step() const {
    Block any_rows, all_rows;
    for (int r = 0; r < rows_.rows; ++r)
      for (Stmt& s : any(r)) any_rows.push_back(std::move(s));
    const Inside in = inside();
    if (in.parts.empty() || Facts().proves(less(in.columns.end, in.columns.begin + width_))) return any_rows;
    for (const RowPart* p : in.parts)
      for (Stmt& s : of_all_rows(*p)) all_rows.push_back(std::move(s));
    const std::vector<Term> within{compare_term(less_equal(in.columns.begin, begin(rows_.rows - 1))),
                                   compare_term(less_equal(begin(0) + width_, in.columns.end))};
    const Term both = apply_term(Op::And, boolean, within);
    return {{If{within, std::move(all_rows)}},
            {If{{apply_term(Op::Not, boolean, {both})}, std::move(any_rows)}}};
  }

  const For& rows_;
  const RowParts row_;
  const std::int64_t width_, lag_;
  std::vector<OwnNames> names_;
  std::map<std::string, std::string> ends_;  ///< where each row's variables are kept between tiles
  Columns columns_;
  Nat first_, step_;
};

Block abreast(const For& f, std::set<std::string>& taken) {
  const std::string loop = "rows " + std::to_string(f.rows) + ", columns " + std::to_string(f.columns);
  std::optional<RowParts> row;
  try {
    row = row_parts(f);
  } catch (const UserError& why) {
    throw UserError("scan_seq<" + loop + ">: " + why.what());
  }
  if (row->right > f.columns)
    throw UserError("scan_seq<" + loop + ">: the row before is needed " + std::to_string(row->right) +
                    " columns to the right, more than a step has; use so many columns or more");
  if (f.turns > 0 && !row->why_no_tiles.empty())
    throw UserError("scan_seq<" + loop + ", turns " + std::to_string(f.turns) + ">: " + row->why_no_tiles);
  return Abreast(f, *std::move(row), taken).made();
}

}  // namespace

Block rows_abreast(const Block& b) {
  if (!holds(b,
             [](const Stmt& s) { return std::holds_alternative<For>(s.v) && std::get<For>(s.v).rows > 0; }))
    return b;
  std::set<std::string> taken = names_in(b);
  return rebuild(b, [&](Stmt s) -> Block {
    const auto* f = std::get_if<For>(&s.v);
    return f && f->rows > 0 ? abreast(*f, taken) : Block{std::move(s)};
  });
}

}  // namespace lift
