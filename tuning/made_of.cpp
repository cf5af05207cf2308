#include "tuning/made_of.hpp"

#include <variant>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

class Collect {
 public:
  void operator()(const Block& block) {
    visit(block, [&](const Stmt& s) {
      std::visit(Overload{
                     [&](const For& l) { add(l.var), add(l.lower), add(l.upper), add(l.step); },
                     [&](const If& i) { each(i.conditions); },
                     [&](const Store& t) { each(t.position), add(t.value); },
                     [&](const Let& l) { add(l.local), add(l.value); },
                     [&](const Declare& l) { add(l.local), add(l.value); },
                     [&](const Assign& l) { add(l.local), add(l.value); },
                     [&](const Allocate& a) { add(a.type), add(a.offset); },
                     [&](const Prefetch& p) { each(p.position); },
                     [&](const CopyRow& c) { each(c.to_position), each(c.from_position), add(c.elements); },
                     [](const Barrier&) {},
                     [](const Fence&) {},
                     [](const First&) {},
                     [](const Launch&) {},
                 },
                 s.v);
    });
  }
  void operator()(const KernelArgument& a) {
    add(a.type), each(a.range);
    each(a.layout.shape()), each(a.layout.strides()), add(a.layout.offset()), add(a.layout.half());
  }
  void operator()(const Attr& a) { each(a.nats), each(a.types); }
  void add(const Nat& n) { nodes_.nats.push_back(n); }
  void add(const Type& t) { nodes_.types.push_back(t); }
  void add(const Term& t) { nodes_.terms.push_back(t); }
  Nodes all() && { return std::move(nodes_); }

 private:
  template <class T>
  void each(const std::vector<T>& all) {
    for (const T& one : all) add(one);
  }
  Nodes nodes_;
};

}  // namespace

void raise(const Nodes& nodes, detail::Stay stay) {
  for (const Expr& e : nodes.expressions) raise(e, stay);
  for (const Type& t : nodes.types) raise(t, stay);
  for (const Nat& n : nodes.nats) raise(n, stay);
  for (const Term& t : nodes.terms) raise(t, stay);
}

void append(Nodes& nodes, Nodes more) {
  const auto each = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  each(nodes.expressions, more.expressions), each(nodes.types, more.types);
  each(nodes.nats, more.nats), each(nodes.terms, more.terms);
}

Nodes nodes_of(const Program& program) {
  Nodes nodes{program.arguments};
  nodes.expressions.push_back(program.body);
  return nodes;
}

Nodes nodes_of(const Kernel& kernel) {
  Collect collect;
  for (const KernelArgument& a : kernel.arguments) collect(a);
  for (const NatCond& c : kernel.needs) collect.add(c.a);
  for (const Attr& f : kernel.user_functions) collect(f);
  collect.add(kernel.scratch);
  collect(kernel.body);
  return std::move(collect).all();
}

}  // namespace lift
