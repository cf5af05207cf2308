// Vec loops become loops over whole vectors; what a term is as a vector is lanes.hpp's.
#include <algorithm>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/narrow_arrays.hpp"
#include "lower/passes/vector_body.hpp"

namespace lift {
namespace {

/// Whether an iteration may load what it has stored before.
bool loads_own_stores(const Block& body) {
  for (std::size_t i = 0; i < body.size(); ++i)
    for (std::size_t before = 0; before < i; ++before) {
      const auto* s = std::get_if<Store>(&body[before].v);
      if (s && may_load(*value_of(body[i]), *s, s->value->width)) return true;
    }
  return false;
}

/// Stores of one iteration happen after the loads of the next, so that a load that overlaps the last store
/// does not wait for it. Nothing when there is more than stores and the values they need, or a value needs a
/// store.
Block late_stores(const For& f, const Block& body, int& count) {
  const auto plain = [](const Stmt& s) {
    return std::holds_alternative<Store>(s.v) || std::holds_alternative<Let>(s.v);
  };
  if (!std::all_of(body.begin(), body.end(), plain) || loads_own_stores(body)) return {};
  For loop = f;
  const Nat v = Nat::fresh(f.var.str(), f.lower + f.width, f.upper - f.width);
  loop.var = v, loop.lower = f.lower + f.width, loop.body.clear();
  Block first, stores, last, assigns;
  for (const Stmt& s : body) {
    if (const auto* l = std::get_if<Let>(&s.v)) {
      first.push_back({Let{l->local, substitute(l->value, f.var, f.lower)}});
      loop.body.push_back({Let{l->local, substitute(l->value, f.var, v)}});
      continue;
    }
    Store store = std::get<Store>(s.v);
    const std::string suffix = ++count == 1 ? "" : std::to_string(count);
    const Term late = local_term("late" + suffix, store.value->type, store.value->width),
               next = local_term("next" + suffix, store.value->type, store.value->width);
    first.push_back({Declare{late, substitute(store.value, f.var, f.lower)}});
    loop.body.push_back({Let{next, substitute(store.value, f.var, v)}});
    const Nat at = store.position[0];
    store.value = late;
    store.position = {substitute(at, f.var, v - f.width)};
    stores.push_back({store});
    assigns.push_back({Assign{late, next}});
    store.position = {substitute(at, f.var, f.upper - f.width)};
    last.push_back({std::move(store)});
  }
  loop.body.insert(loop.body.end(), stores.begin(), stores.end());
  loop.body.insert(loop.body.end(), assigns.begin(), assigns.end());
  Block r = std::move(first);
  r.push_back({std::move(loop)});
  r.insert(r.end(), last.begin(), last.end());
  if (Facts().proves(less(f.lower, f.upper))) return r;
  return {{If{{compare_term(less(f.lower, f.upper))}, std::move(r)}}};
}

/// One prefetch an argument, of the element `distance` ahead of the furthest load that every iteration does;
/// of the last element where that lies beyond it. Names for last elements that are no numbers go to `before`.
Block prefetches(const Block& body, const Kernel& k, int distance, Block& before) {
  std::map<std::string, Nat> furthest;
  for (const Stmt& s : body)
    if (const Term* t = value_of(s))
      visit_certain(*t, [&](const Term& x) {
        if (x->kind != TermKind::Load || x->width == 1) return;
        const auto [it, added] = furthest.try_emplace(x->name, x->nats[0]);
        if (!added && constant_part(x->nats[0]) > constant_part(it->second)) it->second = x->nats[0];
      });
  Block r;
  std::vector<std::pair<Nat, Nat>> names;
  const auto named = [&](const Nat& last) {
    if (last.is_constant()) return last;
    for (const auto& [value, name] : names)
      if (value == last) return name;
    names.emplace_back(
        last, Nat::fresh(names.empty() ? "last" : "last" + std::to_string(names.size() + 1), last, last));
    before.push_back({Let{index_term(names.back().second), index_term(last)}});
    return names.back().second;
  };
  for (const KernelArgument& a : k.arguments)
    if (const auto it = furthest.find(a.name); it != furthest.end())
      r.push_back({Prefetch{a.name, {min(it->second + distance, named(a.layout.size() - 1))}}});
  return r;
}

For scalar_loop(const For& f) {
  For s = f;
  s.kind = LoopKind::Seq, s.width = 1, s.edge = s.late_store = false, s.prefetch = 0;
  return s;
}

/// Bytes of the widest lanes that a value goes through: u8 is computed as i32, and moved as it is.
std::size_t lane_bytes(const Term& value) {
  return value->type == u8 && value->kind == TermKind::Apply ? size_of(promoted(u8)) : size_of(value->type);
}

/// Lanes of the vectors that a loop of f.width iterations a trip is made of: no more than the machine has.
/// Compilers take wider ones apart through memory, above all where an iteration needs what the one before
/// computed.
int lanes_of(const For& f, const LowerOptions& options) {
  std::size_t element = 0;
  visit(f.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) element = std::max(element, lane_bytes(x->value));
  });
  if (element == 0) return f.width;
  const int most = options.vector_bytes / static_cast<int>(element);
  return most > 1 && f.width > most && f.width % most == 0 ? most : f.width;
}

/// Arrays of the kernel's own whose rows are as aligned as vectors of so many bytes.
using Names = std::set<std::string>;
Names aligned_arrays(const Kernel& k, int bytes) {
  Names r;
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (a && a->aligned * static_cast<std::int64_t>(size_of(element_of(a->type).scalar())) >= bytes)
      r.insert(a->name);
  });
  return r;
}

/// The first store that bypasses the cache, or one of a loop over aligned rows, and scalar iterations that
/// lead up to an aligned address for it: vectors across two lines of the cache are loaded and stored twice.
struct Head {
  std::optional<Aligned> aligned;
  Nat iterations = 0;
};
Head head_of(const For& f, const Names& aligned_rows, const LowerOptions& options) {
  std::vector<Store> stores;
  bool rows = false;
  visit(f.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    if (!x) return;
    stores.push_back(*x);
    rows |= aligned_rows.count(x->array) > 0 ||
            std::any_of(aligned_rows.begin(), aligned_rows.end(),
                        [&](const std::string& array) { return loads(x->value, array); });
  });
  const auto first = std::find_if(stores.begin(), stores.end(), [&](const Store& s) {
    return (s.stream || rows) && s.value->type != boolean;
  });
  if (first == stores.end()) return {};
  const auto a = affine_in(first->position[0], f.var);
  const auto stride = a ? a->coefficient.constant() : std::nullopt;
  if (!stride || (*stride != 1 && *stride != 2)) return {};
  Nat position = first->position[0];
  for (const Store& s : stores)  // of two interleaved stores, the one of the lower element
    if (*stride == 2 && s.array == first->array && s.position[0] == position - 1) {
      position = s.position[0];
      break;
    }
  const Scalar type = first->value->type;
  // Compilers for a machine of wider vectors than were asked for store 32 bytes at once.
  const std::int64_t elements = static_cast<std::int64_t>(
      std::max<std::size_t>(32, static_cast<std::size_t>(options.vector_bytes)) / size_of(type));
  const Nat start = substitute(position, f.var, f.lower);
  if (elements % *stride != 0 || !Facts().proves(equal(mod(start, *stride), 0))) return {};  // never aligned
  const Nat iterations = mod(-floordiv(start, *stride), elements / *stride);
  const auto trips = (f.upper - f.lower).constant();
  if (!rows && trips && *trips <= std::int64_t{2} * f.width && !(iterations == Nat(0)))
    return {};  // most would be no vectors
  return {Aligned{position, type, elements}, iterations};
}

/// Up to where the last row of an argument begins: where rows have gaps, the caller's array may end before
/// the last one's.
Nat certain_elements(const KernelArgument& a) {
  std::vector<Nat> last = shape_of(a.type);
  for (Nat& n : last) n = n - 1;
  if (last.size() > 1) last.back() = 0;
  return a.layout.index(last) + 1;
}
Nat all_elements(const KernelArgument& a) { return a.layout.size(); }

/// Elements of each array; `given` says it of arguments.
Lanes::SizeOf sizes_of_arrays(const Kernel& k, Nat (*given)(const KernelArgument&)) {
  std::map<std::string, Nat> sizes;
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array()) sizes.emplace(a.name, given(a));
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a) return;
    Nat n = 1;
    for (const Nat& length : shape_of(a->type)) n = n * length;
    sizes.emplace(a->name, n);
  });
  return [sizes = std::move(sizes)](const std::string& array) {
    const auto it = sizes.find(array);
    return it == sizes.end() ? std::nullopt : std::optional<Nat>(it->second);
  };
}

void append(Block& to, Block more) {
  for (Stmt& s : more) to.push_back(std::move(s));
}

/// Whether what is stored twice is the same both times.
bool may_be_done_again(const Block& body) {
  Names stored;
  for (const Stmt& s : body) {
    if (const auto* x = std::get_if<Store>(&s.v))
      stored.insert(x->array);
    else if (!std::holds_alternative<Let>(s.v))
      return false;
  }
  return std::none_of(body.begin(), body.end(), [&](const Stmt& s) {
    return std::any_of(stored.begin(), stored.end(),
                       [&](const std::string& array) { return loads(*value_of(s), array); });
  });
}

bool stores_bytes(const Block& body) {
  bool all = true, any = false;
  visit(body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) any = true, all &= size_of(x->value->type) == 1;
  });
  return all && any;
}

For with_bounds(For f, const Nat& lower, const Nat& upper) {
  const Nat v = Nat::fresh(f.var.str(), lower, upper - 1);
  f.body = substitute(f.body, f.var, v);
  f.var = v, f.lower = lower, f.upper = upper;
  return f;
}

constexpr int kLeastLanes = 8;  ///< of vectors that are worth it

class Vectoriser {
 public:
  Vectoriser(const Kernel& k, const LowerOptions& options)
      : kernel_(k),
        options_(options),
        aligned_rows_(aligned_arrays(k, options.vector_bytes)),
        size_of_(sizes_of_arrays(k, all_elements)) {
    if (options.target && capabilities(*options.target).grid_dimensions == 0) ranges_.emplace(k);
  }

  Block with_narrow_arrays(const Block& b) const { return ranges_ ? narrow_arrays(b, *ranges_) : b; }
  Block statements(const Block& b);

 private:
  Block loop(const For& f) {
    if (auto narrow = narrow_loop(f)) return std::move(*narrow);
    if (f.width == 1 || Facts().proves(less(f.upper - f.lower, f.width))) return {{scalar_loop(f)}};
    return vector_loop(f);
  }
  using Narrow = std::optional<NarrowLanes>;
  /// The iterations from `first` on, so many of them, in vectors.
  Block body(const For& f, const Nat& first, int elements, int lanes_each,
             const std::optional<Aligned>& aligned, const Narrow& narrow, const Lanes::SizeOf& sizes = {});
  /// UserError where what is masked of the last such body is no element, `index` being `at`.
  void need_elements(const For& f, const Nat& index, const Nat& at) const;
  /// Whole vectors from `lower` on, as many as there are below `upper`, which becomes where they end.
  void vectors(const For& f, const Nat& lower, Nat& upper, int elements, int lanes_each,
               const std::optional<Aligned>& aligned, const Narrow& narrow, Block& to);
  Block vector_loop(const For& f);
  std::optional<Block> edge(const For& f);
  Block pieces(const Block& b);
  bool goes_on(const For& piece, const For& f, const Nat& lower, const Nat& upper);
  std::optional<Block> narrow_loop(const For& f);
  Block narrow_vectors(const For& f, int lanes, int bytes);

  const Kernel& kernel_;
  const LowerOptions& options_;
  Names aligned_rows_;
  Lanes::SizeOf size_of_;
  std::vector<MaskedAccess> masked_;
  std::optional<ValueRanges> ranges_;  ///< of kernels whose vectors may have narrow lanes
  int late_ = 0;                       ///< numbers the stores that are late
};

Block Vectoriser::body(const For& f, const Nat& first, int elements, int lanes_each,
                       const std::optional<Aligned>& aligned, const Narrow& narrow,
                       const Lanes::SizeOf& sizes) {
  Block r;
  masked_.clear();
  for (int l = 0; l < elements; l += lanes_each) {
    Lanes lanes(f, first + l, lanes_each, l == 0 ? "" : "_" + std::to_string(l));
    if (sizes) lanes.know_each(sizes);
    lanes.assume(f.body);
    VectorBody body(f, aligned, narrow);
    append(r, body.statements(lanes, f.body, {}));
    body.finish();
    masked_.insert(masked_.end(), body.masked().begin(), body.masked().end());
  }
  return r;
}

void Vectoriser::need_elements(const For& f, const Nat& index, const Nat& at) const {
  for (const MaskedAccess& m : masked_) {
    const Nat size = *size_of_(m.array);
    const Nat first = substitute(m.first, index, at);
    if (Facts().proves(less(first, 0)) || Facts().proves(less(size, first + m.width)))
      refuse_vector(f, std::string("only a guard keeps some of its iterations from ") +
                           (m.store ? "storing" : "reading") + " beside " + m.array);
  }
}

void Vectoriser::vectors(const For& f, const Nat& lower, Nat& upper, int elements, int lanes_each,
                         const std::optional<Aligned>& aligned, const Narrow& narrow, Block& to) {
  upper = lower + floordiv(max(0, upper - lower), elements) * elements;
  const auto start = lower.constant();
  For v = f;
  v.lower = lower, v.upper = upper, v.step = elements, v.width = elements;
  v.var = start ? Nat::fresh(f.var.str(), lower, upper - elements, elements,
                             ((*start % elements) + elements) % elements)
                : Nat::fresh(f.var.str(), lower, upper - elements);
  v.body = body(f, v.var, elements, lanes_each, aligned, narrow);
  if (!Facts().proves(less_equal(upper, lower)))
    for (const Nat& at : {lower, upper - elements}) need_elements(f, v.var, at);
  const Block ahead = f.prefetch > 0 ? prefetches(v.body, kernel_, f.prefetch, to) : Block{};
  Block main;
  if (f.late_store) main = late_stores(v, v.body, late_);
  if (main.empty()) main = {{v}};
  append(to, rebuild(main, [&](Stmt x) -> Block {
           if (auto* loop = std::get_if<For>(&x.v)) {
             const Block here = substitute(ahead, v.var, loop->var);
             loop->body.insert(loop->body.begin(), here.begin(), here.end());
           }
           return {std::move(x)};
         }));
}

Block Vectoriser::vector_loop(const For& f) {
  Block r;
  Nat lower = f.lower, upper = f.upper;
  const Head lead = head_of(f, aligned_rows_, options_);
  if (lead.aligned) {
    Nat head = min(lead.iterations, max(0, f.upper - f.lower));
    if (!head.is_constant()) {
      const Nat name = Nat::fresh("head", 0, lead.aligned->elements - 1);
      r.push_back({Let{index_term(name), index_term(head)}});
      head = name;
    }
    append(r, make_loop(scalar_loop(f), lower, lower + head));
    lower = lower + head;
  }
  vectors(f, lower, upper, f.width, lanes_of(f, options_), lead.aligned, std::nullopt, r);
  append(r, make_loop(scalar_loop(f), upper, f.upper));
  return r;
}

/// An edge as vectors; nothing where it cannot be.
std::optional<Block> Vectoriser::edge(const For& f) {
  const Head lead = head_of(f, aligned_rows_, options_);
  const auto aligned = lead.iterations == Nat(0) ? lead.aligned : std::nullopt;
  const Lanes::SizeOf sizes = sizes_of_arrays(kernel_, certain_elements);
  const bool bytes = ranges_ && stores_bytes(f.body);
  for (const bool narrow : {true, false}) {
    if (narrow && !bytes) continue;
    try {
      Block r = narrow ? body(f, f.lower, f.width, f.width, std::nullopt, NarrowLanes(*ranges_, 2), sizes)
                       : body(f, f.lower, f.width, lanes_of(f, options_), aligned, std::nullopt, sizes);
      need_elements(f, f.var, f.lower);
      return r;
    } catch (const UserError&) {  // refuse_vector
    }
  }
  return std::nullopt;
}

/// Pieces of an edge that is no vector, each in narrow lanes where that is possible.
Block Vectoriser::pieces(const Block& b) {
  return rebuild(b, [&](Stmt s) -> Block {
    const auto* loop = std::get_if<For>(&s.v);
    auto narrow = loop ? narrow_loop(*loop) : std::nullopt;
    return narrow ? std::move(*narrow) : Block{std::move(s)};
  });
}

/// A loop of vectors takes the pieces of edges beside it, which do the same, where it has narrow lanes: then
/// it needs no whole vectors.
Block Vectoriser::statements(const Block& b) {
  Block r;
  const auto vector_at = [&](std::size_t i) -> const For* {
    const auto* f = i < b.size() ? std::get_if<For>(&b[i].v) : nullptr;
    return f && f->kind == LoopKind::Vec ? f : nullptr;
  };
  std::optional<Nat> begins;  // where a piece that the next loop takes does
  for (std::size_t i = 0; i < b.size(); ++i) {
    const For* f = vector_at(i);
    if (!f) {
      Stmt s = b[i];
      if (Block* inside = body_of(s)) *inside = statements(*inside);
      r.push_back(std::move(s));
      continue;
    }
    if (f->edge) {
      if (auto vectors = edge(*f)) {
        append(r, std::move(*vectors));
        continue;
      }
      Block rest = split_boundaries({{scalar_loop(*f)}});
      const For *main = vector_at(i + 1), *last = rest.empty() ? nullptr : std::get_if<For>(&rest.back().v);
      if (main && !main->edge && last && last->upper == main->lower &&
          goes_on(*last, *main, last->lower, main->upper))
        begins = last->lower, rest.pop_back();
      append(r, pieces(rest));
      continue;
    }
    Nat lower = begins.value_or(f->lower), upper = f->upper;
    begins.reset();
    Block rest;
    bool taken = false;
    if (const For* next = vector_at(i + 1); next && next->edge && !edge(*next)) {
      rest = split_boundaries({{scalar_loop(*next)}}), taken = true;
      const For* first = rest.empty() ? nullptr : std::get_if<For>(&rest.front().v);
      if (first && first->lower == f->upper && goes_on(*first, *f, lower, first->upper))
        upper = first->upper, rest.erase(rest.begin());
    }
    append(r, lower == f->lower && upper == f->upper ? loop(*f) : loop(with_bounds(*f, lower, upper)));
    append(r, pieces(rest));
    if (taken) ++i;
  }
  return r;
}

/// Whether both loops do the same wherever either does it, from `lower` up to `upper`, and as many elements
/// of it at a time as fit.
bool Vectoriser::goes_on(const For& piece, const For& f, const Nat& lower, const Nat& upper) {
  if (!ranges_ || !stores_bytes(f.body) || !may_be_done_again(f.body) || !narrow_loop(f)) return false;
  const For all = with_bounds(f, lower, upper);
  return str(substitute(piece.body, piece.var, all.var)) == str(all.body);
}

/// A loop that stores bytes, or truth values, in lanes of one byte or two, where that is possible: as many
/// elements in turn as a vector has then.
std::optional<Block> Vectoriser::narrow_loop(const For& f) {
  if (!ranges_ || !stores_bytes(f.body)) return std::nullopt;
  const auto trips = (f.upper - f.lower).constant();
  for (const int bytes : {1, 2}) {
    int lanes = options_.vector_bytes / bytes;
    while (trips && lanes > *trips) lanes /= 2;
    if (lanes < kLeastLanes) return std::nullopt;
    try {
      return narrow_vectors(f, lanes, bytes);
    } catch (const UserError&) {  // refuse_vector
    }
  }
  return std::nullopt;
}

/// What is left over by whole vectors is a vector that ends where the loop does, and does some elements
/// again; where that may not be, vectors of fewer lanes. Stores do not bypass the cache: rows of bytes have
/// few lines, and none of them may be stored in both ways.
Block Vectoriser::narrow_vectors(const For& f, int lanes, int bytes) {
  const NarrowLanes narrow(*ranges_, bytes);
  const int ordinary = options_.vector_bytes / static_cast<int>(size_of(promoted(u8)));
  const Nat trips = f.upper - f.lower;
  const bool twice = f.width > ordinary && Facts().proves(less_equal(2 * lanes, trips));
  const bool again = may_be_done_again(f.body) && Facts().proves(less_equal(lanes, trips));
  Block r;
  Nat lower = f.lower, upper = f.upper;
  vectors(f, lower, upper, twice ? 2 * lanes : lanes, lanes, std::nullopt, narrow, r);
  For rest = f;
  rest.prefetch = 0, rest.late_store = false;
  for (int left = twice ? lanes : lanes / 2; left >= (again ? lanes : kLeastLanes); left /= 2) {
    lower = upper, upper = f.upper;
    vectors(rest, lower, upper, left, left, std::nullopt, narrow, r);
  }
  if (!again) {
    append(r, make_loop(scalar_loop(f), upper, f.upper));
  } else if (!Facts().proves(equal(upper, f.upper))) {
    append(r, body(f, f.upper - lanes, lanes, lanes, std::nullopt, narrow));
    need_elements(f, f.var, f.upper - lanes);
  }
  return r;
}

}  // namespace

Block vectorise(const Block& b, const Kernel& k, const LowerOptions& options) {
  Vectoriser v(k, options);
  return distinct_names(v.statements(v.with_narrow_arrays(b)));
}

}  // namespace lift
