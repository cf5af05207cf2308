// Arrays of an iteration's own, in memory that its thread allocates once: one allocation a call of the
// kernel, a part of it for each thread. Allocated by each iteration, they cost more than what is computed in
// them; as one array over all iterations they would leave the caches, which a thread's own need not.
#include <set>

#include "ir/error.hpp"
#include "lower/loops/on_stack.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t kOnStack = 512;  ///< bytes: registers and rows of a few vectors
constexpr std::int64_t kLine = 64;      ///< bytes of a cache line, and the alignment of arrays

/// Each thread has iterations of its own.
bool shares_iterations(const For& f) { return f.kind == LoopKind::Par || f.doacross; }

/// The large arrays within a block; they are gone from it. Copies of one block allocate an array again: the
/// same one, as contents mean nothing at first.
std::vector<Allocate> taken_from(Block& b) {
  std::vector<Allocate> all;
  std::set<std::string> names;
  b = rebuild(b, [&](Stmt s) -> Block {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a || a->space != AddressSpace::Private || !is_larger(*a, kOnStack)) return {std::move(s)};
    if (names.insert(a->name).second) all.push_back(*a);
    for (const Allocate& x : all)
      if (x.name == a->name && !(x.type == a->type))
        throw InternalError("place-scratch: two arrays within one loop are called " + a->name);
    return {};
  });
  return all;
}

/// Arrays where no loop is shared that a stack may be too small for. What they are within may be done by each
/// thread for itself.
void collect_outside(Block& b, std::vector<Allocate*>& to) {
  for (Stmt& s : b) {
    auto* a = std::get_if<Allocate>(&s.v);
    if (a && a->space == AddressSpace::Private && is_larger(*a, kMostOnStack)) to.push_back(a);
    const auto* f = std::get_if<For>(&s.v);
    Block* body = body_of(s);
    if (body && !(f && shares_iterations(*f))) collect_outside(*body, to);
  }
}

/// One after the other, with a line between them: at a distance of a power of two, equal positions of two
/// arrays would take each other's place in a cache, and stores would wait for loads of the other array. The
/// bytes that a thread needs.
Nat laid_out(const std::vector<Allocate*>& arrays, Nat next) {
  for (Allocate* a : arrays) {
    a->space = AddressSpace::Scratch, a->offset = next;
    next = next + kLine * (ceildiv(bytes_of(*a), kLine) + 1);
  }
  return next;
}

/// Loops that follow one another use the same memory, from `begin` on.
Nat place(Block& b, const Nat& begin) {
  Nat most = begin;
  for (Stmt& s : b) {
    auto* f = std::get_if<For>(&s.v);
    if (!f || !shares_iterations(*f)) {
      if (Block* body = body_of(s)) most = max(most, place(*body, begin));
      continue;
    }
    Block* body = &f->body;
    for (int d = 1; d < f->collapse; ++d) body = body_of(body->at(0));
    std::vector<Allocate> arrays = taken_from(*body);
    std::vector<Allocate*> all;
    for (Allocate& a : arrays) all.push_back(&a);
    most = max(most, laid_out(all, begin));
    for (auto a = arrays.rbegin(); a != arrays.rend(); ++a) body->insert(body->begin(), {std::move(*a)});
  }
  return most;
}

}  // namespace

void place_scratch(Kernel& k) {
  std::vector<Allocate*> outside;
  collect_outside(k.body, outside);
  k.scratch = place(k.body, laid_out(outside, 0));
  check_on_stack(k);
}

}  // namespace lift
