// The primitives of the language with their types, as docs/primitives.md lists them.
#pragma once

#include <string>

namespace lift::cli {

/// All primitives and scalar functions as a Markdown page, made from the op table: how each is written, the
/// types that its typing rule gives, what it means. InternalError when an op has no example.
std::string primitive_page();

}  // namespace lift::cli
