#include "rewrite/rules/layout_step.hpp"

#include "ir/number_text.hpp"

namespace lift {

Step layout_step(const LayoutRequest& r) {
  Step s{"layout", {}, {}};
  for (const std::string& word : words_of(str(r))) s.parameters.emplace_back(word);
  return s;
}

namespace {
constexpr std::size_t kWordsOfLayout = 3;  ///< "split 3 1"
}  // namespace

LayoutRequest layout_by(const Derivation& d) {
  for (const Step& s : d) {
    if (s.rule != "layout") continue;
    std::string text;
    for (const Argument& word : s.parameters) text += (text.empty() ? "" : " ") + word.str();
    if (s.parameters.size() > kWordsOfLayout) continue;  // the arrays that are named after it
    return parse_layout(text);
  }
  return kCallersLayout;
}

}  // namespace lift
