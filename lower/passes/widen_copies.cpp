// Asynchronous copies by items that stand side by side along a row: an item copies a vector of neighbours.
// Where that leaves items of the row idle, they take the rows that follow.

#include <optional>

#include "ir/nat/nat_atoms.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t kBytes = 16;  // that an item copies at once

bool is_over_items(const For& f) {
  return f.kind == LoopKind::Lcl && f.step == Nat(1) && f.stride == 1 && f.items > 0;
}

/// Whether n is a multiple of `unit`: so are the lesser and the greater of two multiples.
bool is_multiple(const Nat& n, std::int64_t unit) {
  const Nat parts = detail::rebuild(n, [&](const NatAtom& a) -> std::optional<Nat> {
    const bool extremum = a.kind == AtomKind::Min || a.kind == AtomKind::Max;
    if (!extremum || !is_multiple(a.a, unit) || !is_multiple(a.b, unit)) return std::nullopt;
    constexpr std::int64_t far = std::int64_t{1} << 40;
    return unit * Nat::fresh("part", -far, far);
  });
  return Facts().proves(equal(mod(parts, unit), 0));
}

/// A row that items copy, element by element.
struct Row {
  For loop;
  Store copy;
  Nat first_to, first_from, elements;  ///< in terms of loop variables
};

std::optional<Row> row_of(const For& f, const NamedIndices& names) {
  const auto* copy = is_over_items(f) && f.body.size() == 1 ? std::get_if<Store>(&f.body[0].v) : nullptr;
  if (!copy || !copy->async || copy->value->kind != TermKind::Load || copy->value->width != 1)
    return std::nullopt;
  const Nat to = expanded(copy->position[0], names), from = expanded(copy->value->nats[0], names);
  const auto contiguous = [&](const Nat& at) { return substitute(at, f.var, f.var + 1) - at == Nat(1); };
  if (!contiguous(to) || !contiguous(from)) return std::nullopt;
  const Nat lower = expanded(f.lower, names), upper = expanded(f.upper, names);
  return Row{f, *copy, substitute(to, f.var, lower), substitute(from, f.var, lower), upper - lower};
}

/// The widest vectors that rows consist of, in both arrays.
std::int64_t width_of(const Row& row) {
  if (row.copy.value->type == boolean) return 1;
  constexpr std::int64_t kMost = 4;  // elements of the longest vector there is a type of
  const std::int64_t fit = kBytes / static_cast<std::int64_t>(size_of(row.copy.value->type));
  for (std::int64_t w = std::min(kMost, fit); w > 1; w /= 2)
    if (is_multiple(row.first_to, w) && is_multiple(row.first_from, w) && is_multiple(row.elements, w))
      return w;
  return 1;
}

/// The vector that begins `elements` after the row's first.
Stmt copy_of(const Row& row, const Nat& elements, std::int64_t width) {
  const auto at = [&](const Nat& n) { return substitute(n, row.loop.var, row.loop.lower + elements); };
  Store s = row.copy;
  s.position = {at(s.position[0])};
  s.value = load_term(s.value->name, {at(s.value->nats[0])}, s.value->type, static_cast<int>(width));
  return {std::move(s)};
}

std::int64_t trips(std::int64_t most, std::int64_t fewer) { return (most + fewer - 1) / fewer; }

For widened(const Row& row, std::int64_t width) {
  For f = row.loop;
  const Nat vectors = floordiv(f.upper - f.lower, width);
  f.var = Nat::fresh(f.var.str(), 0, vectors - 1);
  f.lower = 0, f.upper = vectors;
  f.most_trips = trips(f.most_trips, width);
  f.body = {copy_of(row, width * f.var, width)};
  return f;
}

/// Vectors of a row at most, where all of them are copied at once; 0: they are not.
std::int64_t most_vectors(const Row& row, std::int64_t width) {
  if (const auto n = row.elements.constant()) return *n <= row.loop.items ? *n / width : 0;
  return Facts().proves(less_equal(row.elements, row.loop.items)) ? row.loop.items / width : 0;
}

/// The loop over the rows, of which each round takes several: items beyond a row's last vector copy the next.
std::optional<For> several_rows(const For& rows, const Row& row, std::int64_t width) {
  const std::int64_t vectors = most_vectors(row, width),
                     together = vectors > 0 ? row.loop.items / vectors : 0;
  if (together < 2) return std::nullopt;
  For outer = rows, inner = row.loop;
  // Whether a row is one of them is asked below; where it is known how many there are at most, only there.
  const std::int64_t most_trips = trips(rows.most_trips, together);
  const Nat n = most_trips > 0 ? Nat(most_trips * rows.items) : ceildiv(rows.upper - rows.lower, together);
  outer.var = Nat::fresh(rows.var.str(), 0, n - 1), outer.lower = 0, outer.upper = n;
  outer.most_trips = most_trips;
  inner.var = Nat::fresh(row.loop.var.str(), 0, together * vectors - 1);
  inner.lower = 0, inner.upper = together * vectors, inner.most_trips = 1;
  const Nat j = rows.lower + together * outer.var + floordiv(inner.var, vectors),
            first = width * mod(inner.var, vectors);
  Block body(rows.body.begin(), rows.body.end() - 1);
  body.push_back(copy_of(row, first, width));
  std::vector<Term> there;
  for (const NatCond& c : {less(j, rows.upper), less(first, row.loop.upper - row.loop.lower)})
    if (!Facts().proves(c)) there.push_back(compare_term(c));
  body = substitute(body, rows.var, j);
  inner.body = there.empty() ? std::move(body) : Block{{If{std::move(there), std::move(body)}}};
  outer.body = {{std::move(inner)}};
  return outer;
}

/// Indices that are named before what `b` ends with.
bool only_names_before_last(const Block& b) {
  for (std::size_t i = 0; i + 1 < b.size(); ++i)
    if (const auto* l = std::get_if<Let>(&b[i].v); !l || l->local->kind != TermKind::Index) return false;
  return !b.empty();
}

/// A loop over rows, or over the elements of one, that copies vectors.
std::optional<For> wider(const For& f, const NamedIndices& names) {
  const auto* inner = std::get_if<For>(&f.body.back().v);
  const bool around_row =
      inner && is_over_items(f) && is_over_items(*inner) && only_names_before_last(f.body);
  const auto row = row_of(around_row ? *inner : f, names);
  const std::int64_t width = row ? width_of(*row) : 1;
  if (width == 1) return std::nullopt;
  if (!around_row) return widened(*row, width);
  if (auto all = several_rows(f, *row, width)) return all;
  For outer = f;
  outer.body.back() = {widened(*row, width)};
  return outer;
}

Block with_vectors(Block b, const NamedIndices& names) {
  for (Stmt& s : b) {
    auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Lcl && !f->body.empty())
      if (auto wide = wider(*f, names)) {
        s = {*std::move(wide)};
        continue;
      }
    if (Block* body = body_of(s)) *body = with_vectors(std::move(*body), names);
  }
  return b;
}

}  // namespace

Block widen_copies(const Block& b) { return with_vectors(b, named_indices(b)); }

}  // namespace lift
