// Arrays of an iteration's own, in memory that its thread allocates once: one allocation a call of the
// kernel, a part of it for each thread. Allocated by each iteration, they cost more than what is computed in
// them; as one array over all iterations they would leave the caches, which a thread's own need not.
#include <set>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t kOnStack = 512;  ///< bytes: registers and rows of a few vectors
constexpr std::int64_t kLine = 64;      ///< bytes of a cache line, and the alignment of arrays

Nat bytes_of(const Allocate& a) {
  return Layout({}, a.type).size() * static_cast<std::int64_t>(size_of(element_of(a.type).scalar()));
}
bool is_large(const Allocate& a) {
  const auto bytes = bytes_of(a).constant();
  return !bytes || *bytes > kOnStack;
}

/// The large arrays within a block; they are gone from it. Copies of one block allocate an array again: the
/// same one, as contents mean nothing at first.
std::vector<Allocate> taken_from(Block& b) {
  std::vector<Allocate> all;
  std::set<std::string> names;
  b = rebuild(b, [&](Stmt s) -> Block {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a || !is_large(*a)) return {std::move(s)};
    if (names.insert(a->name).second) all.push_back(*a);
    for (const Allocate& x : all)
      if (x.name == a->name && !(x.type == a->type))
        throw InternalError("place-scratch: two arrays within one loop are called " + a->name);
    return {};
  });
  return all;
}

/// One after the other, with a line between them: at a distance of a power of two, equal positions of two
/// arrays would take each other's place in a cache, and stores would wait for loads of the other array. The
/// bytes that a thread needs.
Nat laid_out(std::vector<Allocate>& arrays) {
  Nat next = 0;
  for (Allocate& a : arrays) {
    a.space = AddressSpace::Scratch, a.offset = next;
    next = next + kLine * (ceildiv(bytes_of(a), kLine) + 1);
  }
  return next;
}

/// Loops that follow one another use the same memory.
Nat place(Block& b) {
  Nat most = 0;
  for (Stmt& s : b) {
    auto* f = std::get_if<For>(&s.v);
    if (!f || f->kind != LoopKind::Par) {
      if (Block* body = body_of(s)) most = max(most, place(*body));
      continue;
    }
    Block* body = &f->body;
    for (int d = 1; d < f->collapse; ++d) body = body_of(body->at(0));
    std::vector<Allocate> arrays = taken_from(*body);
    most = max(most, laid_out(arrays));
    for (auto a = arrays.rbegin(); a != arrays.rend(); ++a) body->insert(body->begin(), {std::move(*a)});
  }
  return most;
}

}  // namespace

void place_scratch(Kernel& k) { k.scratch = place(k.body); }

}  // namespace lift
