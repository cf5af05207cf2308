#include "report/changes.hpp"

#include <algorithm>
#include <vector>

#include "report/highlight.hpp"

namespace lift::report {
namespace {

constexpr std::size_t kContext = 2;            ///< lines shown around a changed one
constexpr std::size_t kMostPairs = 4'000'000;  ///< of tokens compared; above, all that differs is one change

struct Text {
  std::vector<Token> tokens;
  std::vector<std::size_t> words;  ///< the tokens that are no blanks
  std::vector<bool> changed;       ///< a token each
  explicit Text(const std::string& text) : tokens(tokens_of(text)), changed(tokens.size(), false) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].kind != TokenKind::space) words.push_back(i);
  }
  std::string_view word(std::size_t i) const { return tokens[words[i]].text; }
};

/// Marks what is in no longest common subsequence of the words [first, a_end) and [first, b_end).
void mark_between(Text& a, Text& b, std::size_t first, std::size_t a_end, std::size_t b_end) {
  const std::size_t n = a_end - first, m = b_end - first;
  for (std::size_t i = first; i < a_end; ++i) a.changed[a.words[i]] = true;
  for (std::size_t j = first; j < b_end; ++j) b.changed[b.words[j]] = true;
  if (n == 0 || m == 0 || n > kMostPairs / m) return;
  std::vector<std::vector<unsigned>> common(n + 1, std::vector<unsigned>(m + 1, 0));  // of what follows
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      common[i][j] = a.word(first + i) == b.word(first + j) ? common[i + 1][j + 1] + 1
                                                            : std::max(common[i + 1][j], common[i][j + 1]);
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (a.word(first + i) == b.word(first + j))
      a.changed[a.words[first + i++]] = b.changed[b.words[first + j++]] = false;
    else if (common[i + 1][j] >= common[i][j + 1])
      ++i;
    else
      ++j;
  }
}

/// A rewriting changes one place: what is alike before and behind it needs no comparing.
void mark(Text& a, Text& b) {
  std::size_t first = 0, a_end = a.words.size(), b_end = b.words.size();
  while (first < std::min(a_end, b_end) && a.word(first) == b.word(first)) ++first;
  while (a_end > first && b_end > first && a.word(a_end - 1) == b.word(b_end - 1)) --a_end, --b_end;
  mark_between(a, b, first, a_end, b_end);
}

struct Line {
  std::string html;
  bool changed = false;
};

std::vector<Line> lines(const Text& text, const char* tag) {
  std::vector<Line> all(1);
  bool open = false;
  const auto set = [&](bool marked) {
    if (marked != open) all.back().html += (marked ? "<" : "</") + std::string(tag) + ">";
    open = marked;
  };
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const Token& t = text.tokens[i];
    if (t.kind != TokenKind::space && t.kind != TokenKind::comment) {
      set(text.changed[i]);
      all.back().html += highlighted(t);
      const bool closes = t.text == ")";  // of what is marked elsewhere: no line is shown for that alone
      all.back().changed = all.back().changed || (text.changed[i] && !closes);
      continue;
    }
    for (std::size_t at = 0; at <= t.text.size();) {  // line by line; blanks between marked words are marked
      const std::size_t end = std::min(t.text.find('\n', at), t.text.size());
      const bool marked = t.kind == TokenKind::comment
                              ? text.changed[i]
                              : open && i + 1 < text.tokens.size() && text.changed[i + 1] && at == 0;
      const bool last = end == t.text.size();
      set(marked && last && at == 0);
      all.back().html += highlighted(Token{t.kind, t.text.substr(at, end - at)});
      all.back().changed = all.back().changed || (t.kind == TokenKind::comment && text.changed[i]);
      if (!last) set(false), all.emplace_back();
      at = end + 1;
    }
  }
  set(false);
  return all;
}

std::string shown(const std::vector<Line>& all) {
  std::vector<bool> near(all.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].changed) continue;
    any = true;
    for (std::size_t k = i - std::min(i, kContext); k < std::min(all.size(), i + kContext + 1); ++k)
      near[k] = true;
  }
  std::string out;
  bool left_out = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (any && !near[i]) {
      if (!left_out) out += "<span class=\"elided\">\u22ef</span>\n";
      left_out = true;
      continue;
    }
    left_out = false;
    out += all[i].html + "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace

Changes changes(const std::string& before, const std::string& after) {
  Text a(before), b(after);
  mark(a, b);
  // What is only put in has a place before it, too: the line of the word in front.
  const auto anchor = [](std::vector<Line> one, const std::vector<Line>& other) {
    const bool none = std::none_of(one.begin(), one.end(), [](const Line& l) { return l.changed; });
    const auto at = std::find_if(other.begin(), other.end(), [](const Line& l) { return l.changed; });
    if (none && at != other.end() && !one.empty())
      one[std::min(static_cast<std::size_t>(at - other.begin()), one.size() - 1)].changed = true;
    return one;
  };
  const std::vector<Line> old = lines(a, "del"), now = lines(b, "ins");
  return {shown(anchor(old, now)), shown(anchor(now, old))};
}

}  // namespace lift::report
