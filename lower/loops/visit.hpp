// Going through what statements compute and where they meet memory, without changing them.
#pragma once

#include <map>

#include "lower/loops/loop.hpp"

namespace lift {

/// What std::visit calls: one function for each kind of statement.
template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

/// Whether one of the statements of a block, those within others included, is like that; whether one is a
/// loop.
bool holds(const Block& b, const std::function<bool(const Stmt&)>& what);
bool has_loop(const Block& b);

/// What a Store, Let, Declare or Assign computes; null for other statements.
const Term* value_of(const Stmt& s);
Term* value_of(Stmt& s);

/// The terms that a statement itself evaluates: its value, or its conditions. Not those of statements within
/// it.
void visit_values(const Stmt& s, const std::function<void(const Term&)>& f);
/// Every subterm of every value of a block, statements within others included; of one value each once,
/// arguments first.
void visit_terms(const Block& b, const std::function<void(const Term&)>& f);

/// An element that a statement loads or stores, or a vector of neighbours of which it is the first.
struct ElementAccess {
  const std::string& array;
  const std::vector<Nat>& position;
  bool store;
  int width;
};
/// The loads of the terms that a statement itself evaluates, and then what it stores.
void visit_accesses(const Stmt& s, const std::function<void(const ElementAccess&)>& f);

/// Whether a term loads an element of the array.
bool loads(const Term& t, const std::string& array);

/// Every Nat of a block: bounds of loops, those of terms, positions in arrays; the flag tells the last.
void visit_nats(const Block& b, const std::function<void(const Nat&, bool position)>& f);

/// The indices that Lets of a block name, in terms of other variables.
using NamedIndices = std::map<const NatAtom*, Nat>;
NamedIndices named_indices(const Block& b);
/// n with names replaced by what they stand for.
Nat expanded(const Nat& n, const NamedIndices& names);

/// Whether only the first argument of t is computed in any case, the others as that one says: a choice
/// between scalars, a conjunction, a disjunction. Vectors are computed in all lanes.
bool is_conditional(const Term& t);
/// The subterms that are computed whatever the conditions in t say, each once, arguments first.
void visit_certain(const Term& t, const std::function<void(const Term&)>& f);

}  // namespace lift
