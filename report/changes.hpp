// What a step of a derivation changes in the text of a program.
#pragma once

#include <string>

namespace lift::report {

/// Two texts as highlighted HTML with what is only in the one or the other marked (<del>, <ins>), blanks
/// aside; lines far from any change are left out.
struct Changes {
  std::string before, after;
};
Changes changes(const std::string& before, const std::string& after);

}  // namespace lift::report
