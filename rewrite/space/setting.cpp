#include "rewrite/space/setting.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/number_text.hpp"

namespace lift {
namespace {

std::optional<std::int64_t> read_natural(std::string_view text) {
  const auto n = read_number<std::int64_t>(text);
  return n && *n >= 0 ? n : std::nullopt;
}

std::string joined(const std::vector<std::string>& words) {
  std::string s;
  for (const std::string& w : words) s += (s.empty() ? "" : " ") + w;
  return s;
}

// ---- one printer a domain

std::string text_of(const Key& key, bool on) { return key.words[on ? 1 : 0]; }
std::string text_of(const Key& key, std::int64_t n) {
  return n == 0 && key.words[0] != nullptr ? key.words[0] : std::to_string(n);
}
std::string text_of(const Key& key, const Choice& c) {
  std::string s = key.words.at(static_cast<std::size_t>(c.index));
  for (const std::int64_t n : c.numbers) s += " " + std::to_string(n);
  return s;
}
std::string text_of(const Key&, const AxisSizes& sizes) {
  std::vector<std::string> words;
  for (const AxisSize& s : sizes.list)
    words.push_back(s.axis + (s.size != 1 || s.axis.empty() ? std::to_string(s.size) : ""));
  return words.empty() ? "none" : joined(words);
}
std::string text_of(const Key&, const Loops& loops) {
  if (loops.by == Loops::By::groups) return "groups";
  const std::string names = loops.names.empty() ? "none" : joined(loops.names);
  return loops.by == Loops::By::solo ? "solo " + names : names;
}

// ---- one parser a domain

std::optional<Setting> read_flag(const Key& key, std::string_view text) {
  for (const bool on : {false, true})
    if (text == key.words[on ? 1 : 0]) return on;
  return std::nullopt;
}
std::optional<Setting> read_ordinal(const Key& key, std::string_view text) {
  if (key.words[0] != nullptr && text == key.words[0]) return std::int64_t{0};
  const auto n = read_natural(text);
  return n ? std::optional<Setting>(*n) : std::nullopt;
}
std::optional<Setting> read_choice(const Key& key, std::string_view text) {
  for (std::size_t i = 0; i < key.words.size() && key.words[i] != nullptr; ++i)
    if (text == key.words[i]) return Choice{static_cast<int>(i), {}};
  const std::vector<std::string> all = words_of(text);
  for (std::size_t i = 0; !all.empty() && i < key.words.size() && key.words[i] != nullptr; ++i) {
    if (all[0] != key.words[i]) continue;
    Choice c{static_cast<int>(i), {}};
    for (std::size_t w = 1; w < all.size(); ++w) {
      const auto n = read_natural(all[w]);
      if (!n) return std::nullopt;
      c.numbers.push_back(*n);
    }
    return c;
  }
  return std::nullopt;
}
std::optional<AxisSizes> read_sizes(std::string_view text) {
  AxisSizes r;
  if (text == "none") return r;
  for (const std::string& w : words_of(text)) {
    const std::size_t digits = std::min(w.find_first_of("0123456789"), w.size());
    const auto n = digits < w.size() ? read_natural(std::string_view(w).substr(digits)) : std::optional(1L);
    if (!n || *n < 1) return std::nullopt;
    r.list.push_back({w.substr(0, digits), *n});
  }
  return r;
}
Loops read_loops(std::string_view text) {
  Loops r;
  for (const std::string& w : words_of(text)) {
    if (w == "groups" && r.names.empty())
      r.by = Loops::By::groups;
    else if (w == "solo" && r.names.empty())
      r.by = Loops::By::solo;
    else if (w != "none")
      r.names.push_back(w);
  }
  return r;
}

template <class T>
bool is_prefix(const std::vector<T>& begin, const std::vector<T>& all) {
  return begin.size() <= all.size() && std::equal(begin.begin(), begin.end(), all.begin());
}

}  // namespace

AxisSizes operator""_sizes(const char* text, std::size_t length) {
  const auto r = read_sizes({text, length});
  if (!r) throw InternalError("no sizes: " + std::string(text, length));
  return *r;
}
Loops operator""_loops(const char* text, std::size_t length) { return read_loops({text, length}); }

bool Loops::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Key::text(const Setting& s) const {
  return std::visit([this](const auto& value) { return text_of(*this, value); }, s);
}

std::optional<Setting> Key::read(std::string_view text) const {
  switch (domain) {
    case Domain::flag:
      return read_flag(*this, text);
    case Domain::ordinal:
      return read_ordinal(*this, text);
    case Domain::choice:
      return read_choice(*this, text);
    case Domain::sizes: {
      auto sizes = read_sizes(text);
      return sizes ? std::optional<Setting>(std::move(*sizes)) : std::nullopt;
    }
    case Domain::loops:
      return read_loops(text);
  }
  return std::nullopt;
}

bool begins(const Setting& s, const Setting& wish) {
  if (s == wish) return true;
  if (s.index() != wish.index()) return false;
  if (const auto* c = std::get_if<Choice>(&s)) {
    const Choice& w = std::get<Choice>(wish);
    return c->index == w.index && is_prefix(w.numbers, c->numbers);
  }
  if (const auto* sizes = std::get_if<AxisSizes>(&s)) {
    const AxisSizes& w = std::get<AxisSizes>(wish);
    return !w.empty() && is_prefix(w.list, sizes->list);
  }
  if (const auto* loops = std::get_if<Loops>(&s)) {
    const Loops& w = std::get<Loops>(wish);
    const bool says_nothing = w.by == Loops::By::itself && w.names.empty();
    return !says_nothing && loops->by == w.by && is_prefix(w.names, loops->names);
  }
  return false;
}

std::optional<std::int64_t> number_of(const Setting& s) {
  if (const auto* n = std::get_if<std::int64_t>(&s)) return *n;
  if (const auto* sizes = std::get_if<AxisSizes>(&s))
    if (sizes->list.size() == 1 && sizes->list[0].axis.empty()) return sizes->list[0].size;
  return std::nullopt;
}

bool is_plain(const Key& key, const Setting& s) {
  if (const auto* on = std::get_if<bool>(&s)) return *on == (key.plain != 0);
  if (const auto* n = std::get_if<std::int64_t>(&s)) return *n == key.plain;
  if (const auto* c = std::get_if<Choice>(&s)) return c->index == key.plain;
  if (const auto* sizes = std::get_if<AxisSizes>(&s)) return sizes->empty();
  return std::get<Loops>(s) == Loops{};
}

Settings neighbours(const Settings& all, const Setting& from) {
  const auto here = number_of(from);
  Settings r;
  std::optional<Setting> below, above;
  for (const Setting& s : all) {
    const auto n = number_of(s);
    if (s == from) continue;
    if (!here || !n)
      r.push_back(s);
    else if (*n < *here && (!below || *number_of(*below) < *n))
      below = s;
    else if (*n > *here && (!above || *n < *number_of(*above)))
      above = s;
  }
  if (below) r.push_back(*below);
  if (above) r.push_back(*above);
  return r;
}

bool contains(const Settings& all, const Setting& s) {
  return std::find(all.begin(), all.end(), s) != all.end();
}
void add_new(Settings& all, const Setting& s) {
  if (!contains(all, s)) all.push_back(s);
}

}  // namespace lift
