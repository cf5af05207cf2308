#include "ir/text/source.hpp"

#include <algorithm>

namespace lift {
namespace {

constexpr std::size_t kShown = 120;     ///< bytes of a long line
constexpr std::size_t kMessage = 1000;  ///< of a message
constexpr std::size_t kRemedy = 300;    ///< of its end, where it says what to do

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Without the middle of what is long, types of thousands of components.
std::string shortened(const std::string& message) {
  if (message.size() <= kMessage) return message;
  std::size_t first = kMessage - kRemedy, last = message.size() - kRemedy;
  while (continues_character(message[first])) --first;
  while (continues_character(message[last])) --last;
  return message.substr(0, first) + " ... " + message.substr(last);
}

/// With long words cut short: names of a file may be as long as it is.
std::string with_short_words(const std::string& message) {
  std::string r;
  std::size_t run = 0;
  for (const char c : message) {
    run = c == ' ' || c == '\n' ? 0 : run + 1;
    if (run <= kShown) r += c;
    if (run == kShown + 1) r += "...";
  }
  return r;
}

}  // namespace

int Source::line_of(std::size_t at) const {
  return 1 +
         static_cast<int>(std::count(
             text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size())), '\n'));
}

std::string Source::located(std::size_t at, const std::string& message) const {
  at = std::min(at, text_.size());
  const std::size_t before = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = std::min(text_.find('\n', at), text_.size());
  const auto column = 1 + std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                                        text_.begin() + static_cast<std::ptrdiff_t>(at),
                                        [](char c) { return !continues_character(c); });
  const std::size_t from = at - begin > kShown - 20 ? at - (kShown - 20) : begin,
                    to = std::min(end, from + kShown);
  std::string line, below;
  for (std::size_t i = from; i < to; ++i) line += is_control(text_[i]) ? ' ' : text_[i];
  for (std::size_t i = from; i < at; ++i)
    if (!continues_character(text_[i])) below += ' ';
  return name_ + ":" + std::to_string(line_of(at)) + ":" + std::to_string(column) + ": " +
         shortened(with_short_words(message)) + "\n  " + line + "\n  " + below + "^";
}

}  // namespace lift
