#include "ir/number_text.hpp"

#include "ir/ascii.hpp"

namespace lift {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool within = false;
  for (const char c : text) {
    if (!is_blank(c) && !within) words.emplace_back();
    within = !is_blank(c);
    if (within) words.back() += c;
  }
  return words;
}

}  // namespace lift
