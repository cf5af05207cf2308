// Names that the languages of kernels own, a table for each: what a program calls so is refused or renamed
// before it is spelled.
#pragma once

#include <string>

#include "ir/target.hpp"

namespace lift {

/// A word of the target's language or of C++, whose programs include the kernel's header, or a macro of a
/// header that is included: nothing can be called so. Names that begin with two underscores, or with one and
/// a capital, are words.
bool is_word(const std::string& name, Target target);

/// A function (or type) that the target's language or its library has without being asked: a parameter may
/// hide it, a kernel or a function of the program's cannot be called so.
bool is_library_name(const std::string& name, Target target);

/// What the text around kernels calls: values within them have other names.
bool is_called_by_kernels(const std::string& name);

}  // namespace lift
