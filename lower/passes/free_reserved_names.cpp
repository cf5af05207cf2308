#include "lower/passes/free_reserved_names.hpp"

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/c_text.hpp"
#include "ir/reserved_words.hpp"

namespace lift {
namespace {

void check(const std::string& what, const std::string& name, Target target) {
  if (!is_c_identifier(name))
    throw UserError(what + " '" + name + "' cannot be a name in C; use letters, digits and _");
  if (!is_word(name, target)) return;
  const std::string language = is_word(name, Target::openmp) ? "C or C++" : capabilities(target).language;
  throw UserError(what + " '" + name + "' has a word of " + language + " as its name; choose another");
}

Attr with_name(const Attr& f, const std::string& name) {
  Attr r = attributes::user_fun(name, user_body(f), user_result(f));
  for (std::size_t i = 0; i < user_types(f).size(); ++i)
    attributes::add_parameter(r, user_parameters(f)[i], user_types(f)[i]);
  return r;
}

}  // namespace

void free_reserved_names(Kernel& k, Target target) {
  check("kernel", k.name, target);
  if (!is_grid(target) && is_library_name(k.name, target))  // launches get other names
    throw UserError("kernel '" + k.name + "' has the name of a function of C's library; choose another");
  for (const std::string& n : k.sizes) check("size", n, target);
  for (const KernelArgument& a : k.arguments) check("argument", a.name, target);
  const auto renamed = [&](const Attr& f) {
    const std::string& name = user_name(f);
    return is_word(name, target) || is_library_name(name, target) ? with_name(f, "user_" + name) : f;
  };
  for (Attr& f : k.user_functions) f = renamed(f);
  if (k.user_functions.empty()) return;
  k.body = map_terms(k.body, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      return x->kind == TermKind::Call ? call_term(renamed(x->user), x->args) : x;
    });
  });
}

}  // namespace lift
