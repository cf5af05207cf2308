// Programs of parts whose loops differ: cells beside scans, reductions between stencils. Each part has the
// decisions of its own loops, as a program by itself has; parts that are alike share them.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/class_keys.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Decided for the whole program, not for one of its parts.
bool is_of_whole(const Key& k) {
  const auto any = {key::in_place.name,
                    key::layout.name,
                    key::time.name,
                    key::rings.name,
                    key::strips.name,
                    key::phases.name,
                    key::team.name,
                    key::loads.name,
                    key::one_group.name,
                    key::joined.name,
                    decisions::readonly().key->name};
  return std::any_of(any.begin(), any.end(), [&](const char* n) { return n == std::string_view(k.name); });
}

struct Part {
  Place place;
  std::unique_ptr<Variants> variants;
  std::vector<Wishes> guesses = {};  ///< that it can have, as whole configurations, best first
  int number = 1;                    ///< of its class

  const Key* key_of(const BoundDecision& d) const { return &key_of_class(*d.key, number); }
  const BoundDecision* find(const Key& shown) const {
    for (const BoundDecision& d : variants->decisions())
      if (!is_of_whole(*d.key) && key_of(d) == &shown) return &d;
    return nullptr;
  }
  /// What the part makes of a configuration, up to one of its decisions: settings that it cannot have are
  /// what suits it instead.
  Configuration own(const Configuration& c, const Key* until = nullptr) const {
    Configuration r;
    for (const BoundDecision& d : variants->decisions()) {
      if (until != nullptr && key_of(d) == until) return r;
      const Settings allowed = d.allowed(r);
      const Setting* wanted = is_of_whole(*d.key) ? nullptr : c.find(*key_of(d));
      const auto plain =
          std::find_if(allowed.begin(), allowed.end(), [&](const Setting& s) { return is_plain(*d.key, s); });
      if (wanted != nullptr && contains(allowed, *wanted))
        r.set(*d.key, *wanted);
      else if (is_of_whole(*d.key) && plain != allowed.end())
        r.set(*d.key, *plain);
      else
        r.set(*d.key, d.suits(r, allowed));
    }
    return r;
  }
  /// Without what is said of arguments, which is said of the whole program's.
  Configuration loops(const Configuration& c) const {
    Configuration r = own(c);
    r.erase(*decisions::readonly().key);
    return r;
  }
};

/// The rows of a part that computes scalar cells of two dimensions; nothing of others.
std::optional<Nat> row_of_cells(const Expr& e) {
  const bool cells = e.is(Op::Map) && op_rank(e) == 2 && rank_of(e.type()) == 2 &&
                     element_of(e.type(), 2).is_scalar() && !has_scan(e);
  return cells ? std::optional(shape_of(e.type())[1]) : std::nullopt;
}
/// The points of a part that scans columns; nothing of others.
std::optional<Nat> points_of_columns(const Expr& e) {
  if (!has_scan(e)) return std::nullopt;
  const Nest nest = main_nest(e);
  return nest.levels.size() == 1 ? std::optional(nest.levels[0].extents.back()) : std::nullopt;
}

/// Whether rows have a whole number of tiles.
bool cells_have(const Nat& row, std::int64_t tile) {
  const auto n = row.constant();
  return n && *n % tile == 0;
}

/// Cells go in tiles of so many elements of each row, all rows of a tile one after the other.
void follow(Deriver& d, const Place& cells, std::int64_t tile, std::int64_t width) {
  d.step("map-nest", cells);
  d.step("interchange", cells);
  const Place points = content_of(cells), tiles = content_of(points), rows = body_of(tiles);
  d.step("split-join", {tile}, points);
  d.step("interchange", rows);
  d.step("map-par", tiles);
  d.step("map-seq", content_of(rows));
  const Place row = body_of(content_of(rows));
  if (width < 2 || !d.try_step("map-vec", {width}, row)) d.step("map-seq", row);
}

/// First guesses that are possible, as whole configurations.
std::vector<Wishes> possible(const Variants& variants) {
  std::vector<Wishes> r;
  for (const Wishes& w : variants.first_guesses())
    if (const auto c = granted(variants, w, is_of_whole)) add_new(r, *c);
  return r;
}

/// Whether two parts decide about the same, and would begin with the same.
bool are_alike(const Part& a, const Part& b) {
  const auto &x = a.variants->decisions(), &y = b.variants->decisions();
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const BoundDecision& d, const BoundDecision& e) { return d.key == e.key; }) &&
         a.guesses.empty() == b.guesses.empty() &&
         (a.guesses.empty() || a.guesses.front() == b.guesses.front());
}

/// A part as a program by itself; what it overwrites it may, which its base may be a view of.
Program program_of(const Program& whole, const Place& part) {
  Program p = step_program(whole, part);
  visit(p.body, [&](const Expr& e) {
    if (!e.is(Op::UpdateInPlace)) return;
    for (const Expr& array : params_of(e.child(0)))
      if (array.type() == e.type()) add_new(p.overwritable, param_name(array));
  });
  return p;
}

/// Parts that are alike are a class, and share their settings.
void number_classes(std::vector<Part>& parts) {
  int most = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].number = 0;
    for (std::size_t j = 0; j < i && parts[i].number == 0; ++j)
      if (are_alike(parts[i], parts[j])) parts[i].number = parts[j].number;
    if (parts[i].number == 0) parts[i].number = ++most;
  }
}

/// Of each part, where it has such: points of a row.
struct Rows {
  std::vector<std::optional<Nat>> cells, columns;
  /// Whether a part's loops over cells can go in the tiles of another one's columns.
  bool follows(std::size_t part, std::size_t other) const {
    return cells[part] && columns[other] && *cells[part] == *columns[other];
  }
  bool can_follow() const {
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t j = 0; j < cells.size(); ++j)
        if (follows(i, j)) return true;
    return false;
  }
};

Rows rows_of(const Program& program, const std::vector<Place>& parts) {
  Rows r;
  for (const Place& p : parts) {
    const Expr e = part_at(program.body, p);
    r.cells.push_back(row_of_cells(e)), r.columns.push_back(points_of_columns(e));
  }
  return r;
}

class VariantsOfParts : public VariantsOfForms {
 public:
  VariantsOfParts(Form form, std::vector<Part> parts, Rows rows)
      : VariantsOfForms(std::move(form)), parts_(std::move(parts)), rows_(std::move(rows)) {
    for (const Part& p : parts_)
      for (const BoundDecision& d : p.variants->decisions())
        if (!is_of_whole(*d.key)) add_new(keys_, p.key_of(d));
    for (const Key* k : keys_) add(of_parts(*k));
    for (const Decision* x : {&decisions::joined(), &decisions::readonly()}) add(bound(*x)), say(*x);
    if (can_follow()) add(following());
  }

  std::string words(const Configuration& c) const override {
    std::vector<std::string> said;
    for (const Part& p : parts_)
      if (std::string w = p.variants->words(p.loops(c)); !w.empty()) add_new(said, w);
    std::string w = VariantsOfForms::words(c);
    if (can_follow() && c[key::follows])
      w += (w.empty() ? "" : ", ") + std::string("cells in the tiles of columns");
    if (!w.empty()) said.push_back(w);
    std::string s;
    for (const std::string& w : said) s += (s.empty() ? "" : "; ") + w;
    return s;
  }

  /// The best of each part together, then the next best.
  std::vector<Wishes> first_guesses() const override {
    std::size_t most = 0;
    for (const Part& p : parts_) most = std::max(most, p.guesses.size());
    std::vector<Wishes> r;
    for (std::size_t n = 0; n < most; ++n) {
      Wishes w;
      for (const Part& p : parts_) {
        if (p.guesses.empty()) continue;
        const Wishes& own = p.guesses[std::min(n, p.guesses.size() - 1)];
        for (const BoundDecision& d : p.variants->decisions())
          if (const Setting* s = own.find(*d.key); s != nullptr && !is_of_whole(*d.key))
            if (const Key* k = p.key_of(d); w.find(*k) == nullptr) w.set(*k, *s);
      }
      r.push_back(std::move(w));
    }
    return r;
  }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    NestDeriver d(start, f);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& p = parts_[i];
      if (const std::int64_t tile = followed_tile(c, i); tile > 0)
        follow(d, p.place, tile, f.lanes);
      else
        for (const Step& s : p.variants->derive(p.loops(c)).steps)
          d.step(s.rule, s.parameters, below(p.place, s.place));
    }
    run_other_loops(d, f, {.width = f.lanes});
    take({&decisions::joined(), &decisions::readonly()}, d, f, c);
    run_scans(d);
    return d.result();
  }

 private:
  /// The tile of the columns that a part's cells follow; 0: of none.
  std::int64_t followed_tile(const Configuration& c, std::size_t part) const {
    const Setting* follows = c.find(key::follows);
    return follows != nullptr && *follows == setting_of(true) ? tile_beside(c, part) : 0;
  }
  std::int64_t tile_beside(const Configuration& c, std::size_t part) const {
    for (std::size_t j = 0; j < parts_.size(); ++j) {
      if (!rows_.follows(part, j)) continue;
      const Configuration own = parts_[j].own(c);
      const Setting *order = own.find(key::order), *tile = own.find(key::tile);
      if (order == nullptr || tile == nullptr) continue;
      const Loops& loops = std::get<Loops>(*order);
      const AxisSizes& sizes = std::get<AxisSizes>(*tile);
      const bool whole = !sizes.empty() && cells_have(*rows_.cells[part], sizes.list[0].size);
      if (whole && !loops.names.empty() && loops.names.back() != "k") return sizes.list[0].size;
    }
    return 0;
  }
  bool can_follow() const { return !facts().on_grid() && rows_.can_follow(); }
  BoundDecision following() const {
    BoundDecision d;
    d.key = &key::follows;
    d.settings = {setting_of(true), setting_of(false)};
    d.allowed = [this](const Configuration& c) {
      bool can = false;
      for (std::size_t i = 0; i < parts_.size(); ++i) can = can || tile_beside(c, i) > 0;
      return can && c[key::joined] != Joined::no ? Settings{setting_of(true), setting_of(false)}
                                                 : Settings{setting_of(false)};
    };
    d.suits = [](const Configuration&, const Settings& allowed) { return allowed.front(); };
    return d;
  }
  BoundDecision of_parts(const Key& shown) const {
    std::vector<const BoundDecision*> all;
    for (const Part& p : parts_)
      if (const BoundDecision* own = p.find(shown)) all.push_back(own);
    BoundDecision d = united(shown, all);
    d.allowed = [this, &shown](const Configuration& c) {
      Settings r;
      for (const Part& p : parts_)
        if (const BoundDecision* own = p.find(shown))
          for (const Setting& s : own->allowed(p.own(c, &shown))) add_new(r, s);
      return r;
    };
    d.suits = [this, &shown](const Configuration& c, const Settings& allowed) {
      for (const Part& p : parts_)
        if (const BoundDecision* own = p.find(shown)) {
          const Configuration before = p.own(c, &shown);
          const Setting s = own->suits(before, own->allowed(before));
          if (contains(allowed, s)) return s;
        }
      return allowed.front();
    };
    return d;
  }

  std::vector<Part> parts_;
  Rows rows_;
  std::vector<const Key*> keys_;
};

}  // namespace

std::unique_ptr<Variants> variants_of_parts(Rewriting start, const std::vector<Place>& places,
                                            const MakeVariants& make, const SpaceOptions& options) {
  if (const auto r = use("overwrite-bases")(start, {})) start = *r;
  SpaceOptions within = options;
  within.only_layout = kCallersLayout;
  std::vector<Part> parts;
  for (const Place& place : places) {
    auto variants = make(program_of(start.program, place), within);
    std::vector<Wishes> guesses = possible(*variants);
    parts.push_back({place, std::move(variants), std::move(guesses)});
  }
  number_classes(parts);
  Rows rows = rows_of(start.program, places);
  NestFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(start.program, options);
  f.joins_stages = have_joined_stages(start.program) || (!f.on_grid() && rows.can_follow());
  return std::make_unique<VariantsOfParts>(VariantsOfParts::Form{std::move(start), std::move(f)},
                                           std::move(parts), std::move(rows));
}

}  // namespace lift
