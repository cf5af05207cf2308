#include "ir/text/parse.hpp"

#include "ir/expr/attributes.hpp"
#include "ir/text/elaborate.hpp"

namespace lift {

namespace {
void note_sizes(const Nat& n, Names& names) {
  for (const NatAtom* a : variables(n)) names.sizes.emplace(a->name, atom_nat(*a));
}
void note_sizes(const Type& t, Names& names) {
  if (t.is_array()) note_sizes(t.length(), names), note_sizes(t.element(), names);
  if (t.is_tuple() || t.is_function())
    for (const Type& p : t.parts()) note_sizes(p, names);
  if (t.is_function()) note_sizes(t.result(), names);
}
}  // namespace

Names names_of(const Expr& e) {
  Names names;
  visit(e, [&](const Expr& x) {
    if (x.is(Op::Param)) names.params.emplace(param_name(x), x);
    if (x.is(Op::Hole) && !hole_name(x).empty()) names.params.emplace("?" + hole_name(x), x);
    if (x.is(Op::UserFun)) names.functions.emplace(user_name(x), x.attr());
    if (!x.is(Op::Param))
      for (const Nat& n : x.attr().nats) note_sizes(n, names);
    for (const Type& t : x.attr().types) note_sizes(t, names);
  });
  return names;
}

Expr parse_expression(const std::string& text, const Names& names, const std::string& file) {
  const auto source = std::make_shared<const Source>(text, file);
  const syntax::TermPtr t = syntax::parse_term(source);
  return syntax::Elaborator(*source, names).value(*t);
}

}  // namespace lift
