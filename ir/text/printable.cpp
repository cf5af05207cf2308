#include "ir/text/printable.hpp"

namespace lift {

std::string printable(std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    // U+0080 to U+009F are controls too: two bytes in UTF-8.
    const bool wide = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    if ((byte >= 0x20 && byte != 0x7F && !wide) || byte == '\n' || byte == '\t') {
      shown += text[at];
      continue;
    }
    const unsigned code = wide ? next : byte;
    shown += {'\\', 'x', digits[code >> 4], digits[code & 15]};
    at += wide ? 1 : 0;
  }
  return shown;
}

}  // namespace lift
