// Accumulators side by side, one a lane, are an array, since the loops before and after a vector loop go over
// them one by one. Within it they are vectors in variables: as an array, each iteration would wait for the
// stores of the one before.
#include <algorithm>
#include <map>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::size_t kMostVectors = 8;  ///< of one array: half of a processor's registers

/// What a loop's body accesses of an array.
struct Accessed {
  Scalar type;
  int width;
  std::vector<std::int64_t> positions = {};
  bool loaded = false, stored = false, vectors = true;  ///< vectors: of one width, at numbers

  void add(const ElementAccess& a) {
    const auto at = a.position.at(0).constant();
    (a.store ? stored : loaded) = true;
    vectors = vectors && at && a.width == width;
    if (vectors && std::find(positions.begin(), positions.end(), *at) == positions.end())
      positions.push_back(*at);
  }
  bool can_be_variables() const {
    if (!loaded || !stored || !vectors || width == 1 || positions.size() > kMostVectors) return false;
    for (const std::int64_t p : positions)
      for (const std::int64_t q : positions)
        if (p != q && std::abs(p - q) < width) return false;
    return true;
  }
};

/// Of those arrays that can be variables in a loop with this body.
std::map<std::string, Accessed> accumulators_in(const Block& body,
                                                const std::map<std::string, Scalar>& arrays) {
  std::map<std::string, Accessed> all;
  visit(body, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) {
      if (const auto array = arrays.find(a.array); array != arrays.end())
        all.try_emplace(a.array, Accessed{array->second, a.width}).first->second.add(a);
    });
  });
  std::erase_if(all, [](const auto& x) { return !x.second.can_be_variables(); });
  return all;
}

/// The vector at `position` of an array is a variable.
Block with_variable(const Block& b, const std::string& array, const Nat& position, const Term& variable) {
  const Block loads = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      return x->kind == TermKind::Load && x->name == array && x->nats.at(0) == position ? variable : x;
    });
  });
  return rebuild(loads, [&](Stmt s) -> Block {
    const auto* x = std::get_if<Store>(&s.v);
    const bool there = x && x->array == array && x->position.at(0) == position;
    return there ? Block{{Assign{variable, x->value}}} : Block{std::move(s)};
  });
}

class Keeper {
 public:
  /// `own`: the arrays of the kernel's own around, and what their elements are.
  Block block(const Block& b, std::map<std::string, Scalar> own) {
    Block r;
    for (Stmt s : b) {
      if (const auto* a = std::get_if<Allocate>(&s.v); a && a->space == AddressSpace::Private)
        own.insert_or_assign(a->name, element_of(a->type).scalar());
      Block after;
      if (auto* f = std::get_if<For>(&s.v); f && f->kind != LoopKind::Par)
        for (const auto& [array, accessed] : accumulators_in(f->body, own))
          for (const Nat position : accessed.positions) {
            const Term variable =
                local_term("lanes" + std::to_string(++count_), accessed.type, accessed.width);
            r.push_back({Declare{variable, load_term(array, {position}, accessed.type, accessed.width)}});
            f->body = with_variable(f->body, array, position, variable);
            after.push_back({Store{array, {position}, variable}});
          }
      if (Block* body = body_of(s)) *body = block(*body, own);
      r.push_back(std::move(s));
      r.insert(r.end(), after.begin(), after.end());
    }
    return r;
  }

 private:
  int count_ = 0;
};

}  // namespace

Block keep_accumulators(const Block& b) { return Keeper().block(b, {}); }

}  // namespace lift
