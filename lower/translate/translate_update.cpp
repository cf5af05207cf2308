// Updates: the block goes where the base lies, or the rest of the base is copied first.
#include <algorithm>
#include <utility>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/translator.hpp"

namespace lift {
void refuse_place() {
  throw UserError(
      "update_in_place: the result does not lie where its base lies; the base must be an argument, the "
      "result the whole of it");
}

/// The base is already where the result goes when reading it there gives the place's own old value. An update
/// in place of an argument (`overwrites`) makes that argument the place of the result.
std::optional<Acceptor> Translator::place_of_base(const View& base, const Type& t, const Acceptor& given,
                                                  bool overwrites) {
  Acceptor cell = given;
  View old = base;
  Type element = t;
  // What computes an element for the comparison only, a sum say, is no part of the kernel.
  Block compared, *outer = std::exchange(block, &compared);
  StepArrays* const of_step = std::exchange(step_arrays_, nullptr);
  const std::size_t arrays = work.size();
  while (element.is_array()) {
    const Nat anywhere = Nat::fresh("p", 0, element.length() - 1);
    old = old[anywhere], cell = cell[anywhere], element = element.element();
  }
  block = outer, step_arrays_ = of_step;
  work.erase(work.begin() + static_cast<std::ptrdiff_t>(arrays), work.end());
  const auto* c = std::get_if<Cell>(&cell.v);
  const Term* value = std::get_if<Term>(&old.v);
  if (!c || !value || (*value)->kind != TermKind::Load || (*value)->nats != c->position) return std::nullopt;
  if ((*value)->name == c->array) return given;
  if (!overwrites || in_argument.count(c->array) == 0 || !in_argument[c->array].empty()) return std::nullopt;
  if (is_own((*value)->name)) return std::nullopt;
  in_argument[c->array] = (*value)->name;
  return map_cells(given, [name = (*value)->name](Cell x) { return x.array = name, x; });
}

/// Where a result goes that lies in an argument by now, as what has been written of it updates that.
Acceptor Translator::in_its_argument(const Acceptor& a) {
  return map_cells(a, [&](Cell c) {
    if (const auto it = in_argument.find(c.array); it != in_argument.end() && !it->second.empty())
      c.array = it->second;
    return c;
  });
}

/// An array that the kernel makes, or a result of it.
bool Translator::is_own(const std::string& array) const {
  return in_argument.count(array) > 0 || own_.count(array) > 0;
}

void Translator::write_update(const Expr& e, const ScopePtr& scope, const Acceptor& given) {
  const std::vector<Nat> offsets = update_offsets(e);
  const auto write_block = [&](const Acceptor& given_place) {
    const Acceptor to = in_its_argument(given_place);
    const auto before = in_argument;
    write(e.child(1), scope, collect(hints(to, offsets.size()), [=](const std::vector<Nat>& p) {
            std::vector<Nat> q;
            for (std::size_t d = 0; d < p.size(); ++d) q.push_back(p[d] + offsets[d]);
            return access(to, q);
          }));
    if (in_argument != before) refuse_place();  // the block updates an argument, and the base lies elsewhere
  };
  if (is_map(e.child(0).op()) && has_scan(e.child(0))) {  // computed once, where the result goes
    write(e.child(0), scope, given);
    return write_block(given);
  }
  const View base = eval(e.child(0), scope);
  const std::optional<Acceptor> over = place_of_base(base, e.type(), given, e.is(Op::UpdateInPlace));
  if (!over && e.is(Op::UpdateInPlace)) refuse_place();
  const Acceptor to = over ? *over : given;
  const bool in_place = over.has_value();
  if (!in_place && is_map(e.child(0).op()))
    write(e.child(0), scope, to);
  else if (!in_place)
    write_around(e, base, to);
  write_block(to);
}

namespace {

constexpr std::int64_t kEnoughForAll = 32;  ///< iterations that many threads can share

/// Which loop of a copy threads share: the outermost that has something for all of them.
std::size_t shared_loop(const std::vector<Nat>& lengths) {
  for (std::size_t d = 0; d + 1 < lengths.size(); ++d)
    if (lengths[d].constant().value_or(kEnoughForAll) >= kEnoughForAll) return d;
  const auto trips = [&](std::size_t d) { return lengths[d].constant().value_or(kEnoughForAll); };
  std::size_t most = 0;
  for (std::size_t d = 1; d < lengths.size(); ++d)
    if (trips(d) > trips(most)) most = d;
  return most;
}

}  // namespace

LoopKind sharing_of(const Expr& e) {
  const auto holds = [&](Op op) { return contains(e, [&](const Expr& x) { return x.is(op); }); };
  if (holds(Op::MapPar)) return LoopKind::Par;
  return holds(Op::MapGlb) || holds(Op::MapWrg) ? LoopKind::Glb : LoopKind::Seq;
}

/// A loop nest over positions [first, first + length) of each dimension, which threads or the items of a grid
/// share if asked to.
void Translator::write_block_copy(const View& from, const Acceptor& to, const std::vector<Nat>& first,
                                  const std::vector<Nat>& length, LoopKind shared) {
  constexpr std::size_t kDimensions = 3;  // of a grid
  if (!parallel_.empty()) shared = LoopKind::Seq;
  const std::size_t par = shared == LoopKind::Par ? shared_loop(length) : length.size();
  const std::function<void(std::size_t, const View&, const Acceptor&)> loops =
      [&](std::size_t d, const View& v, const Acceptor& there) {
        if (d == length.size()) return write_view(v, there);
        For f = new_loop(there.hint(), length[d], first[d]);
        const std::size_t inner = length.size() - 1 - d;
        if (d == par) f.kind = LoopKind::Par;
        if (shared == LoopKind::Glb && inner < kDimensions) f.kind = shared, f.dim = static_cast<int>(inner);
        loop(std::move(f), [&](const Nat& i) { loops(d + 1, v[i], there[i]); });
      };
  loops(0, from, to);
}

void Translator::write_copy(const View& from, const Acceptor& to, const Type& t, LoopKind shared) {
  if (!t.is_array()) return write_view(from, to);
  const std::vector<Nat> length = shape_of(t, rank_of(t));
  write_block_copy(from, to, std::vector<Nat>(length.size(), 0), length, shared);
}

/// Copies what an update leaves of its base: for each dimension the slabs before and after the block, within
/// the block's range of the dimensions before. By threads, or items of the grid, where these compute the
/// block.
void Translator::write_around(const Expr& update, const View& base, const Acceptor& to) {
  const std::vector<Nat>& low = update_offsets(update);
  const std::size_t rank = low.size();
  const std::vector<Nat> whole = shape_of(update.type(), static_cast<int>(rank)),
                         block_shape = shape_of(update.child(1).type(), static_cast<int>(rank));
  const LoopKind sharing = sharing_of(update.child(1));
  const auto copy = [&](std::size_t slab, const Nat& from, const Nat& length) {
    if (Facts().proves(less_equal(length, 0))) return;
    std::vector<Nat> first(rank, 0), lengths = whole;
    for (std::size_t d = 0; d < slab; ++d) first[d] = low[d], lengths[d] = block_shape[d];
    first[slab] = from, lengths[slab] = length;
    Nat elements = 1;
    for (const Nat& n : lengths) elements = elements * n;
    const bool few = elements.constant().value_or(kFewScalars + 1) <= kFewScalars;  // several in one launch
    write_block_copy(base, to, first, lengths, sharing == LoopKind::Glb && few ? LoopKind::Seq : sharing);
  };
  for (std::size_t d = 0; d < rank; ++d) {
    copy(d, 0, low[d]);
    copy(d, low[d] + block_shape[d], whole[d] - low[d] - block_shape[d]);
  }
}

}  // namespace lift
