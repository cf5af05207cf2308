// Values of a plan by their texts, for those who read them from words: the command line, Python.
#pragma once

#include <initializer_list>
#include <string>

#include "ir/error.hpp"

namespace lift::gmg {

/// The one of `all` whose text is `name`; UserError: `refusal`, and then the texts that there are.
template <class E>
E named(const std::string& refusal, const std::string& name, std::initializer_list<E> all) {
  std::string names;
  for (const E e : all) {
    if (name == text(e)) return e;
    names += (names.empty() ? "" : ", ") + std::string(text(e));
  }
  throw UserError(refusal + names);
}

}  // namespace lift::gmg
