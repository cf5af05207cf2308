#include "ir/expr/expr.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/instantiate.hpp"
#include "ir/expr/ops.hpp"
#include "ir/hash.hpp"

namespace lift {

struct Node {
  Op op = Op::Count;
  std::vector<Expr> children;
  Attr attr;
  Type type;
  std::uint32_t id = 0;
  int loose = 0;
  std::size_t hash = 0;
  std::source_location origin;
  detail::Stays stays;
};

namespace {

void raise_parts(const Attr& attr, detail::Stay stay) {
  for (const Nat& n : attr.nats) raise(n, stay);
  for (const Type& t : attr.types) raise(t, stay);
}
void raise_parts(const Node& n, detail::Stay stay) {
  for (const Expr& c : n.children) raise(c, stay);
  raise_parts(n.attr, stay);
  raise(n.type, stay);
}

std::size_t hash_of(const Node& n) {
  std::size_t h = static_cast<std::size_t>(n.op);
  for (const Expr& c : n.children) h = mix(h, c.id());
  for (const Nat& v : n.attr.nats) h = mix(h, v.id());
  for (const auto v : n.attr.ints) h = mix(h, static_cast<std::size_t>(v));
  for (const auto& v : n.attr.texts) h = mix(h, std::hash<std::string>{}(v));
  for (const Type& v : n.attr.types) h = mix(h, v.id());
  return mix(h, std::bit_cast<std::uint64_t>(n.attr.number));
}

/// Numbers by their bits: -0.0 is not 0.0, and a NaN is itself.
bool same(const Attr& a, const Attr& b) {
  return std::bit_cast<std::uint64_t>(a.number) == std::bit_cast<std::uint64_t>(b.number) &&
         a.nats == b.nats && a.ints == b.ints && a.texts == b.texts && a.types == b.types;
}

struct NodeHash {
  std::size_t operator()(const Node* n) const { return n->hash; }
};
struct NodeEqual {
  bool operator()(const Node* a, const Node* b) const {
    return a->hash == b->hash && a->op == b->op && a->type == b->type && a->children == b->children &&
           same(a->attr, b->attr);
  }
};

class Arena : detail::Table {
 public:
  Arena() { add_table(detail::TableOrder::expressions, *this); }
  const Node* intern(Node n) {
    n.hash = hash_of(n);
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(&n);
    if (found != index_.end()) return new_.met(**found), *found;
    Node& made = nodes_.put(std::move(n));
    new_.made(made);
    index_.insert(&made);
    return &made;
  }

 private:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }
  void mark() override {
    new_.each_for_ever([](const Node& n) { raise_parts(n, detail::Stay::for_ever); });
  }
  std::size_t sweep() override {
    std::erase_if(index_, [](const Node* n) { return n->stays.get() == detail::Stay::region; });
    return new_.sweep([&](Node& n) { nodes_.free(n); });
  }
  std::size_t size() const override { return new_.size(); }

  std::mutex mutex_;
  detail::Places<Node> nodes_;
  detail::Comings<Node> new_;
  std::unordered_set<Node*, NodeHash, NodeEqual> index_;
};

Arena& arena() {
  static auto* a = new Arena;  // never destroyed: handles live in statics elsewhere
  return *a;
}

int loose_of(Op op, std::span<const Expr> children, const Attr& attr) {
  if (op == Op::Bound) return bound_depth(attr) + 1;
  int loose = 0;
  for (const Expr& c : children) loose = std::max(loose, c.loose());
  return op == Op::Lambda ? std::max(0, loose - 1) : loose;
}

std::atomic<std::int64_t> fresh_counter{1};

}  // namespace

const char* text(Boundary b) {
  constexpr const char* names[] = {"clamp", "wrap", "mirror", "reflect", "odd", "constant", "undefined"};
  return names[static_cast<int>(b)];
}

std::string line_of(std::source_location where) {
  return std::string(" [") + where.file_name() + ":" + std::to_string(where.line()) + "]";
}

Op Expr::op() const { return node_->op; }
const Type& Expr::type() const { return node_->type; }
std::span<const Expr> Expr::children() const { return node_->children; }
const Expr& Expr::child(std::size_t i) const { return node_->children.at(i); }
const Attr& Expr::attr() const { return node_->attr; }
std::uint32_t Expr::id() const { return node_->id; }
int Expr::loose() const { return node_->loose; }
Expr Expr::operator[](const ElementIndex& i) const { return at({i.value}, *this, i.where); }
Expr Expr::operator[](const Expr& i) const { return gather(i, *this); }
std::source_location origin(const Expr& e) { return e.node_->origin; }
void raise(const Expr& e, detail::Stay stay) {
  if (e && e.node_->stays.raise(stay)) raise_parts(*e.node_, stay);
}
detail::Stay stay_of(const Expr& e) { return e.node_->stays.get(); }

Expr make(Op op, std::vector<Expr> children, Attr attr, std::source_location where) {
  Node n;
  n.op = op;
  n.loose = loose_of(op, children, attr);
  const OpRow& r = row(op);
  const auto given = static_cast<int>(children.size());
  if (r.arity >= 0 ? given != r.arity : r.arity == -1 && given < 1)
    throw InternalError(std::string(r.text) + ": built with " + std::to_string(given) + " operands");
  const bool open_type =
      std::any_of(children.begin(), children.end(), [](const Expr& c) { return mentions_any(c.type()); });
  if (open_type) {
    n.type = Type::any();
  } else {
    try {
      n.type = r.type(op, children, attr);
    } catch (const TypeError& e) {
      throw TypeError(e.what() + line_of(where));
    }
  }
  n.children = std::move(children);
  n.attr = std::move(attr);
  n.origin = where;
  return Expr(arena().intern(std::move(n)));
}

Expr with_children(const Expr& e, std::vector<Expr> children) {
  return make(e.op(), std::move(children), e.attr(), origin(e));
}

Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  std::vector<Expr> children;
  children.reserve(e.children().size());
  bool changed = false;
  for (const Expr& c : e.children()) {
    children.push_back(f(c));
    changed |= !(children.back() == c);
  }
  return changed ? with_children(e, std::move(children)) : e;
}

// ---- free variables and binders

Expr param(const std::string& name, const Type& type) {
  return make(Op::Param, {}, attributes::param(name, type));
}

Expr fresh_param(const std::string& name, const Type& type) {
  return make(Op::Param, {}, attributes::param(name, type, fresh_counter++));
}

namespace {

/// Rebuilds a term; `leaf(e, depth)` gives the replacement of a leaf under `depth` lambdas, or nothing.
class Rebuild {
 public:
  using Leaf = std::function<std::optional<Expr>(const Expr&, int depth)>;
  using Skip = std::function<bool(const Expr&, int depth)>;
  Rebuild(Leaf leaf, Skip skip) : leaf_(std::move(leaf)), skip_(std::move(skip)) {}

  Expr operator()(const Expr& e, int depth) {
    if (skip_(e, depth)) return e;
    if (e.children().empty()) return leaf_(e, depth).value_or(e);
    const auto key = (static_cast<std::uint64_t>(e.id()) << 16) | static_cast<std::uint64_t>(depth);
    if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
    const int inner = depth + (e.is(Op::Lambda) ? 1 : 0);
    const Expr r = map_children(e, [&](const Expr& c) { return (*this)(c, inner); });
    memo_.emplace(key, r);
    return r;
  }

 private:
  Leaf leaf_;
  Skip skip_;
  std::unordered_map<std::uint64_t, Expr> memo_;
};

Expr bound(int depth, int index, const Type& type) {
  return make(Op::Bound, {}, attributes::bound(depth, index, type));
}

bool never(const Expr&, int) { return false; }

}  // namespace

Expr shift(const Expr& e, int by) {
  if (by == 0 || e.loose() == 0) return e;
  return Rebuild(
      [by](const Expr& x, int depth) -> std::optional<Expr> {
        if (!x.is(Op::Bound) || bound_depth(x) < depth) return std::nullopt;
        return bound(bound_depth(x) + by, bound_index(x), x.type());
      },
      [](const Expr& x, int depth) { return x.loose() <= depth; })(e, 0);
}

Expr lambda(const std::vector<Expr>& params, const Expr& body, std::source_location where) {
  const Expr closed = Rebuild(
      [&](const Expr& x, int depth) -> std::optional<Expr> {
        if (x.is(Op::Bound) && bound_depth(x) >= depth)  // refers outside: one more binder in between
          return bound(bound_depth(x) + 1, bound_index(x), x.type());
        const auto it = std::find(params.begin(), params.end(), x);
        if (it == params.end()) return std::nullopt;
        return bound(depth, static_cast<int>(it - params.begin()), x.type());
      },
      never)(body, 0);
  std::vector<Type> types;
  for (const Expr& p : params) types.push_back(p.type());
  return make(Op::Lambda, {closed}, attributes::lambda(std::move(types)), where);
}

Expr instantiate(const Expr& fn, std::span<const Expr> arguments) {
  if (!fn.is(Op::Lambda)) return apply(fn, {arguments.begin(), arguments.end()});
  return Rebuild(
      [&](const Expr& x, int depth) -> std::optional<Expr> {
        if (!x.is(Op::Bound) || bound_depth(x) < depth) return std::nullopt;
        if (bound_depth(x) > depth) return bound(bound_depth(x) - 1, bound_index(x), x.type());
        return shift(arguments[static_cast<std::size_t>(bound_index(x))], depth);
      },
      [](const Expr& x, int depth) { return x.loose() <= depth; })(fn.child(0), 0);
}

Expr instantiate_in(const Expr& part, std::span<const std::vector<Expr>> around) {
  return Rebuild(
      [&](const Expr& x, int depth) -> std::optional<Expr> {
        if (!x.is(Op::Bound) || bound_depth(x) < depth) return std::nullopt;
        const auto outwards = static_cast<std::size_t>(bound_depth(x) - depth);
        const std::vector<Expr>& values = around[around.size() - 1 - outwards];
        return shift(values.at(static_cast<std::size_t>(bound_index(x))), depth);
      },
      [](const Expr& x, int depth) { return x.loose() <= depth; })(part, 0);
}

Expr open(const Expr& fn, std::vector<Expr>& fresh) {
  std::vector<Expr> ps;
  for (const Type& t : parameter_types(fn)) ps.push_back(fresh_param("x", t));
  fresh.insert(fresh.end(), ps.begin(), ps.end());
  return instantiate(fn, ps);
}

Expr substitute(const Expr& e, const std::function<Expr(const Expr&)>& replacement) {
  return Rebuild(
      [&](const Expr& x, int depth) -> std::optional<Expr> {
        if (!x.is(Op::Param) && !x.is(Op::Hole)) return std::nullopt;
        const Expr r = replacement(x);
        return r == x ? x : shift(r, depth);
      },
      never)(e, 0);
}

void visit(const Expr& e, const std::function<void(const Expr&)>& f) {
  std::unordered_set<std::uint32_t> seen;
  const std::function<void(const Expr&)> go = [&](const Expr& x) {
    if (!seen.insert(x.id()).second) return;
    for (const Expr& c : x.children()) go(c);
    f(x);
  };
  go(e);
}

bool contains(const Expr& e, const std::function<bool(const Expr&)>& such) {
  std::unordered_set<std::uint32_t> seen;
  const std::function<bool(const Expr&)> go = [&](const Expr& x) {
    return seen.insert(x.id()).second &&
           (such(x) || std::any_of(x.children().begin(), x.children().end(), std::ref(go)));
  };
  return go(e);
}

std::vector<Expr> params_of(const Expr& e) {
  std::vector<Expr> ps;
  visit(e, [&](const Expr& x) {
    if (x.is(Op::Param)) ps.push_back(x);
  });
  return ps;
}

std::size_t size_of(const Expr& e) {
  std::size_t n = 0;
  visit(e, [&](const Expr&) { ++n; });
  return n;
}

namespace {

Type map_nats(const Type& t, const std::function<Nat(const Nat&)>& f) {
  std::vector<Type> parts;
  for (const Type& p : t.is_tuple() || t.is_function() ? t.parts() : std::span<const Type>{})
    parts.push_back(map_nats(p, f));
  switch (t.kind()) {
    case Type::Kind::Array:
      return Type::array(f(t.length()), map_nats(t.element(), f));
    case Type::Kind::Tuple:
      return Type::tuple(std::move(parts));
    case Type::Kind::Function:
      return Type::function(std::move(parts), map_nats(t.result(), f));
    default:
      return t;
  }
}

}  // namespace

Expr map_nats(const Expr& e, const std::function<Nat(const Nat&)>& f) {
  std::unordered_map<std::uint32_t, Expr> memo;
  const std::function<Expr(const Expr&)> go = [&](const Expr& x) -> Expr {
    if (const auto it = memo.find(x.id()); it != memo.end()) return it->second;
    std::vector<Expr> children;
    for (const Expr& c : x.children()) children.push_back(go(c));
    Attr a = x.attr();
    for (Nat& n : a.nats) n = f(n);
    for (Type& t : a.types) t = map_nats(t, f);
    const Expr r = make(x.op(), std::move(children), std::move(a), origin(x));
    memo.emplace(x.id(), r);
    return r;
  };
  return go(e);
}

}  // namespace lift
