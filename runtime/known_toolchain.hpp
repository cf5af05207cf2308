// The compilers that compiled what lies in the cache: what they made is found even where they are missing.
#pragma once

#include <optional>

#include "runtime/toolchain.hpp"
#include "runtime/vault.hpp"

namespace lift {

/// Notes that asking for `compiler` of `language` gave this one, as find_compiler is asked.
void remember_toolchain(const Vault& vault, const std::string& compiler, const std::string& language,
                        const Toolchain& found);
/// What it gave last.
std::optional<Toolchain> remembered_toolchain(const Vault& vault, const std::string& compiler,
                                              const std::string& language);

}  // namespace lift
