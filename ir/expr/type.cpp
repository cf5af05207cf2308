#include "ir/expr/type.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "ir/error.hpp"

namespace lift {

struct TypeNode {
  Type::Kind kind = Type::Kind::Any;
  Scalar scalar = Scalar::f64;
  std::vector<Type> parts;  // Tuple: components; Function: parameters, then the result; Array: the element
  Nat length;
  std::uint32_t id = 0;
  bool has_any = false;
  detail::Stays stays;
};

namespace {

void raise_parts(const TypeNode& t, detail::Stay stay) {
  for (const Type& p : t.parts) raise(p, stay);
  raise(t.length, stay);
}

/// Interned types; a node is found by its kind and the ids of what it is made of.
class TypeTable : detail::Table {
 public:
  TypeTable() { add_table(detail::TableOrder::types, *this); }
  const TypeNode* intern(TypeNode node) {
    std::vector<std::uint32_t> key{static_cast<std::uint32_t>(node.kind),
                                   static_cast<std::uint32_t>(node.scalar), node.length.id()};
    for (const Type& t : node.parts) key.push_back(t.id());
    const std::lock_guard lock(mutex_);
    if (const auto it = index_.find(key); it != index_.end()) return new_.met(*it->second), it->second;
    node.has_any = node.kind == Type::Kind::Any;
    for (const Type& t : node.parts) node.has_any |= mentions_any(t);
    TypeNode& made = nodes_.put(std::move(node));
    new_.made(made);
    index_.emplace(std::move(key), &made);
    return &made;
  }

 private:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }
  void mark() override {
    new_.each_for_ever([](const TypeNode& t) { raise_parts(t, detail::Stay::for_ever); });
  }
  std::size_t sweep() override {
    std::erase_if(index_,
                  [](const auto& entry) { return entry.second->stays.get() == detail::Stay::region; });
    return new_.sweep([&](TypeNode& t) { nodes_.free(t); });
  }
  std::size_t size() const override { return new_.size(); }

  std::recursive_mutex mutex_;  // where nodes go, empty ones have types
  detail::Places<TypeNode> nodes_;
  detail::Comings<TypeNode> new_;
  std::map<std::vector<std::uint32_t>, TypeNode*> index_;
};

TypeNode node_of(Type::Kind kind, std::vector<Type> parts = {}, const Nat& length = 0) {
  TypeNode n;
  n.kind = kind;
  n.parts = std::move(parts);
  n.length = length;
  return n;
}

TypeTable& type_table() {
  // Never destroyed: handles live in statics elsewhere, those of scalars also where they are made in a
  // region.
  static auto& table = *for_ever([] {
    auto* t = new TypeTable;
    t->intern(node_of(Type::Kind::Any));
    for (const Scalar s : kScalarTypes) {
      TypeNode n = node_of(Type::Kind::Scalar);
      n.scalar = s;
      t->intern(std::move(n));
    }
    return t;
  });
  return table;
}

}  // namespace

void raise(const Type& t, detail::Stay stay) {
  if (t.node_->stays.raise(stay)) raise_parts(*t.node_, stay);
}

const char* text(Scalar s) {
  constexpr const char* names[] = {"f32", "f64", "i32", "i64", "u8", "bool", "u16", "i16"};
  return names[static_cast<int>(s)];
}

std::size_t size_of(Scalar s) {
  constexpr std::size_t sizes[] = {4, 8, 4, 8, 1, 1, 2, 2};
  return sizes[static_cast<int>(s)];
}

bool has_literal(Scalar s, double x) {
  return x == std::floor(x) && (s == u8 ? x >= 0 && x <= 255 : std::abs(x) <= 0x1p53);
}

Type::Type(Scalar s) {
  TypeNode n = node_of(Kind::Scalar);
  n.scalar = s;
  node_ = type_table().intern(std::move(n));
}

Type Type::any() { return Type(type_table().intern(node_of(Kind::Any))); }
Type Type::tuple(std::vector<Type> parts) {
  return Type(type_table().intern(node_of(Kind::Tuple, std::move(parts))));
}
Type Type::array(const Nat& length, const Type& element) {
  return Type(type_table().intern(node_of(Kind::Array, {element}, length)));
}
Type Type::function(std::vector<Type> parameters, const Type& result) {
  parameters.push_back(result);
  return Type(type_table().intern(node_of(Kind::Function, std::move(parameters))));
}

Type::Kind Type::kind() const { return node_->kind; }
std::uint32_t Type::id() const { return node_->id; }

bool Type::has_arrays() const {
  return is_array() || (is_tuple() && std::any_of(parts().begin(), parts().end(),
                                                  [](const Type& part) { return part.has_arrays(); }));
}
Scalar Type::scalar() const {
  if (!is_scalar()) throw InternalError("scalar() of " + str());
  return node_->scalar;
}
std::span<const Type> Type::parts() const {
  if (is_function()) return {node_->parts.data(), node_->parts.size() - 1};
  return node_->parts;
}
const Nat& Type::length() const {
  if (!is_array()) throw InternalError("length() of " + str());
  return node_->length;
}
Type Type::element() const {
  if (!is_array()) throw InternalError("element() of " + str());
  return node_->parts[0];
}
Type Type::result() const {
  if (!is_function()) throw InternalError("result() of " + str());
  return node_->parts.back();
}

std::string Type::str() const {
  const auto list = [](std::span<const Type> ts) {
    std::string s;
    for (const Type& t : ts) s += (s.empty() ? "" : ", ") + t.str();
    return s;
  };
  switch (kind()) {
    case Kind::Any:
      return "?";
    case Kind::Scalar:
      return text(node_->scalar);
    case Kind::Tuple:
      return "{" + list(parts()) + "}";
    case Kind::Array: {
      const std::string n = length().str();
      return (length().is_constant() || length().is_variable() ? n : "(" + n + ")") + "." + element().str();
    }
    case Kind::Function:
      return "(" + list(parts()) + ") -> " + result().str();
  }
  return "";
}

Type array(const std::vector<Nat>& shape, const Type& element) {
  Type t = element;
  for (auto n = shape.rbegin(); n != shape.rend(); ++n) t = Type::array(*n, t);
  return t;
}

std::vector<Nat> shape_of(const Type& t, int rank) {
  std::vector<Nat> shape;
  for (Type u = t; u.is_array() && (rank < 0 || static_cast<int>(shape.size()) < rank); u = u.element())
    shape.push_back(u.length());
  return shape;
}

Type element_of(const Type& t, int rank) {
  Type u = t;
  for (int d = 0; u.is_array() && (rank < 0 || d < rank); ++d) u = u.element();
  return u;
}

int rank_of(const Type& t) { return static_cast<int>(shape_of(t).size()); }

bool is_of_numbers(const Type& t) {
  return t.is_scalar() || (t.is_tuple() && std::all_of(t.parts().begin(), t.parts().end(),
                                                       [](const Type& part) { return part.is_scalar(); }));
}

bool mentions_any(const Type& t) {
  if (t.is_any()) return true;
  if (t.is_array()) return mentions_any(t.element());
  for (const Type& p : t.parts())
    if (mentions_any(p)) return true;
  return t.is_function() && mentions_any(t.result());
}

}  // namespace lift
