#include <algorithm>
#include <map>

#include "ir/error.hpp"
#include "lower/passes/passes.hpp"

namespace lift {

namespace {

/// Strides that depend on sizes get names, the same for arrays of equal shape; their definitions go to the
/// kernel's start.
class Strides {
 public:
  Layout named(const Layout& layout) {
    const std::vector<Nat>& shape = layout.shape();
    Nat inner = 1, inner_name = 1;  // of the dimension before: a stride is told as its multiple
    return layout.renamed([&](int dimension, const Nat& stride) {
      Nat value = stride;
      if (dimension > 0)
        if (const Nat length = shape[shape.size() - static_cast<std::size_t>(dimension)];
            inner * length == stride)
          value = inner_name * length;
      inner = stride, inner_name = stride.is_constant() ? stride : name(dimension, stride, value);
      return inner_name;
    });
  }
  Block definitions() const {
    Block r;
    for (const Named& x : names_) r.push_back({Let{index_term(x.name), index_term(x.value)}});
    return r;
  }

 private:
  struct Named {
    Nat stride, name, value;
  };
  Nat name(int dimension, const Nat& stride, const Nat& value) {
    for (const Named& x : names_)
      if (x.stride == stride) return x.name;
    static const char* const hints[] = {"half", "step", "pitch", "plane", "block"};
    const std::string hint = hints[std::min(dimension + 1, 4)];
    const int uses = ++uses_[hint];
    constexpr std::int64_t far = std::int64_t{1} << 40;
    names_.push_back({stride, Nat::fresh(uses == 1 ? hint : hint + std::to_string(uses), 1, far), value});
    return names_.back().name;
  }
  std::vector<Named> names_;
  std::map<std::string, int> uses_;
};

}  // namespace

void linearise(Kernel& k) {
  const auto row = [](const Layout& l, const Type& t) { return array({l.size()}, element_of(t)); };
  std::map<std::string, Layout> layouts;
  Strides strides;
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array()) layouts[a.name] = strides.named(a.layout);
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) layouts[a->name] = Layout(a->layout, a->type);
  });
  const auto flat = [&](const std::string& array, const std::vector<Nat>& position) {
    const auto it = layouts.find(array);
    if (it == layouts.end()) throw InternalError("linearise: no array " + array);
    return it->second.index(position);
  };
  const Block loads = map_terms(k.body, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      return x->kind == TermKind::Load ? load_term(x->name, {flat(x->name, x->nats)}, x->type, x->width) : x;
    });
  });
  Block r = strides.definitions();
  for (Stmt& s : rebuild(loads, [&](Stmt x) -> Block {
         if (auto* t = std::get_if<Store>(&x.v)) t->position = {flat(t->array, t->position)};
         if (auto* p = std::get_if<Prefetch>(&x.v)) p->position = {flat(p->array, p->position)};
         if (auto* a = std::get_if<Allocate>(&x.v); a && !(a->layout == LayoutRequest{}))
           a->type = row(Layout(a->layout, a->type), a->type), a->aligned = a->layout.align, a->layout = {};
         return {std::move(x)};
       }))
    r.push_back(std::move(s));
  k.body = std::move(r);
  for (KernelArgument& a : k.arguments)
    if (a.work && !(a.layout.request() == LayoutRequest{}))
      a.type = row(a.layout, a.type), a.layout = Layout({}, a.type);
}

}  // namespace lift
