#include "lower/loops/loop.hpp"

#include <utility>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

const char* text(LoopKind k) {
  constexpr const char* names[] = {"seq", "unroll", "par", "vec", "host", "glb", "wrg", "lcl"};
  return names[static_cast<int>(k)];
}

namespace {

std::string str(const NDRange& r) {
  std::string s;
  for (int d = 0; d < r.dims; ++d) {
    const auto at = static_cast<std::size_t>(d);
    s += (d ? ", " : "") + std::to_string(r.global[at]);
    if (r.local[at]) s += " by " + std::to_string(r.local[at]);
  }
  return s;
}

std::string list(const std::vector<Nat>& ns) {
  std::string s;
  for (const Nat& n : ns) s += (s.empty() ? "" : ", ") + n.str();
  return s;
}

}  // namespace

const Block* body_of(const Stmt& s) {
  if (const auto* x = std::get_if<For>(&s.v)) return &x->body;
  if (const auto* x = std::get_if<If>(&s.v)) return &x->body;
  if (const auto* x = std::get_if<First>(&s.v)) return &x->body;
  if (const auto* x = std::get_if<Launch>(&s.v)) return &x->body;
  return nullptr;
}
Block* body_of(Stmt& s) { return const_cast<Block*>(body_of(std::as_const(s))); }

std::string str(const Block& b, int indent) {
  const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
  std::string s;
  for (const Stmt& x : b) {
    s += pad;
    std::visit(
        Overload{
            [&](const For& f) {
              s += std::string("for ") + f.var.str() + " in [" + f.lower.str() + ", " + f.upper.str() + ")";
              if (!(f.step == Nat(1))) s += " step " + f.step.str();
              if (f.kind != LoopKind::Seq) s += std::string(" ") + text(f.kind);
              if (f.kind == LoopKind::Vec) s += " " + std::to_string(f.width);
              if (f.kind >= LoopKind::Glb) s += " " + std::to_string(f.dim);
              if (f.items) s += " items " + std::to_string(f.items);
              if (f.stride != 1) s += " strided " + std::to_string(f.stride);
              if (f.late_store) s += " late-store";
              if (f.rotate) s += " rotate";
              if (f.collapse != 1) s += " collapse " + std::to_string(f.collapse);
              if (f.dynamic) s += " dynamic " + std::to_string(f.dynamic);
              if (f.joined) s += " joined " + std::to_string(f.joined);
              if (f.prefetch) s += " prefetch " + std::to_string(f.prefetch);
              if (f.dealt) s += " dealt " + std::to_string(f.dealt);
              if (f.surplus) s += " surplus";
              if (f.team) s += " team";
              if (f.rows > 0)
                s += " rows " + std::to_string(f.rows) + " columns " + std::to_string(f.columns) +
                     (f.turns > 0 ? " turns " + std::to_string(f.turns) : "");
              if (f.doacross) s += " doacross";
              if (f.waits) s += " waits";
              if (f.unroll) s += " unroll " + (f.unroll == whole_loop ? "whole" : std::to_string(f.unroll));
              s += "\n" + str(f.body, indent + 1);
            },
            [&](const If& i) {
              s += "if ";
              for (std::size_t c = 0; c < i.conditions.size(); ++c)
                s += (c ? " and " : "") + str(i.conditions[c]);
              s += "\n" + str(i.body, indent + 1);
            },
            [&](const Store& t) {
              s += t.array + "[" + list(t.position) + "] = " + str(t.value) +
                   (t.stream  ? " (stream)\n"
                    : t.async ? " (async)\n"
                              : "\n");
            },
            [&](const Let& l) { s += "let " + str(l.local) + " = " + str(l.value) + "\n"; },
            [&](const Declare& l) { s += "var " + str(l.local) + " = " + str(l.value) + "\n"; },
            [&](const Assign& l) { s += str(l.local) + " = " + str(l.value) + "\n"; },
            [&](const Allocate& a) {
              s += (a.space == AddressSpace::Local     ? "alloc local "
                    : a.space == AddressSpace::Scratch ? "alloc scratch " + a.offset.str() + " "
                                                       : "alloc ") +
                   a.name + " : " + a.type.str() +
                   (a.layout == LayoutRequest{} ? "" : " in " + str(a.layout)) +
                   (a.vectors ? " by vectors\n" : "\n");
            },
            [&](const Prefetch& p) { s += "prefetch " + p.array + "[" + list(p.position) + "]\n"; },
            [&](const Barrier& x) {
              s += std::string("barrier") + (x.global ? " global" : "") + (x.copies ? " copies\n" : "\n");
            },
            [&](const Fence&) { s += "fence\n"; },
            [&](const CopyRow& c) {
              s += "copy " + c.elements.str() + " elements to " + c.to + "[" + list(c.to_position) +
                   "] from " + c.from + "[" + list(c.from_position) + "] (async)\n";
            },
            [&](const First& f) {
              s += "first";
              for (const GridAxis& a : f.axes)
                s += std::string(" ") + text(a.kind) + " " + std::to_string(a.dim);
              s += "\n" + str(f.body, indent + 1);
            },
            [&](const Launch& l) {
              s += "launch " + l.name + " over " + str(l.range) + "\n" + str(l.body, indent + 1);
            },
        },
        x.v);
  }
  return s;
}

std::string str(const Kernel& k) {
  std::string s = "kernel " + k.name + "(";
  for (std::size_t i = 0; i < k.arguments.size(); ++i) {
    const KernelArgument& a = k.arguments[i];
    s += (i ? ", " : "") + a.name + " : " + a.type.str();
    if (a.type.is_array() && a.layout.request().kind != LayoutRequest::Kind::Caller)
      s += " in " + str(a.layout.request());
  }
  s += ") ->";
  for (const std::string& r : k.results) s += " " + r;
  if (needs_scratch(k)) s += " with " + k.scratch.str() + " bytes a thread";
  return s + "\n" + str(k.body, 1);
}

void visit(const Block& b, const std::function<void(const Stmt&)>& f) {
  for (const Stmt& s : b) {
    f(s);
    if (const Block* body = body_of(s)) visit(*body, f);
  }
}

Block rebuild(const Block& b, const std::function<Block(Stmt)>& f) {
  Block r;
  for (Stmt s : b) {
    if (Block* body = body_of(s)) *body = rebuild(*body, f);
    for (Stmt& x : f(std::move(s))) r.push_back(std::move(x));
  }
  return r;
}

namespace {

Block map_both(const Block& b, const std::function<Nat(const Nat&)>& nat,
               const std::function<Term(const Term&)>& term) {
  return rebuild(b, [&](Stmt s) -> Block {
    std::visit(Overload{
                   [&](For& l) { l.lower = nat(l.lower), l.upper = nat(l.upper); },
                   [&](If& i) {
                     for (Term& c : i.conditions) c = term(c);
                   },
                   [&](Store& t) {
                     for (Nat& p : t.position) p = nat(p);
                     t.value = term(t.value);
                   },
                   [&](Let& l) { l.value = term(l.value); },
                   [&](Declare& l) { l.value = term(l.value); },
                   [&](Assign& l) { l.value = term(l.value); },
                   [](Allocate&) {},
                   [&](Prefetch& p) {
                     for (Nat& n : p.position) n = nat(n);
                   },
                   [](Barrier&) {},
                   [](Fence&) {},
                   [&](CopyRow& c) {
                     for (Nat& n : c.to_position) n = nat(n);
                     for (Nat& n : c.from_position) n = nat(n);
                     c.elements = nat(c.elements);
                   },
                   [](First&) {},
                   [](Launch&) {},
               },
               s.v);
    return {std::move(s)};
  });
}

}  // namespace

Block map_nats(const Block& b, const std::function<Nat(const Nat&)>& f) {
  return map_both(b, f, [&](const Term& t) { return map_nats(t, f); });
}
Block map_terms(const Block& b, const std::function<Term(const Term&)>& f) {
  return map_both(
      b, [](const Nat& n) { return n; }, f);
}
Block substitute(const Block& b, const Nat& variable, const Nat& value) {
  return map_nats(b, [&](const Nat& n) { return substitute(n, variable, value); });
}

bool mentions(const Block& b, const Nat& variable) {
  bool found = false;
  visit_nats(b, [&](const Nat& n, bool) { found = found || mentions(n, variable); });
  return found;
}

}  // namespace lift
