#include "rewrite/engine/derivation.hpp"

#include <algorithm>
#include <sstream>

#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "rewrite/engine/catalogue.hpp"

namespace lift {

std::string str(const Step& s) {
  std::string r = s.rule;
  for (const Argument& p : s.parameters) r += " " + p.str();
  return r + " at " + str(Place(s.place));
}

std::string str(const Derivation& d) {
  std::string r;
  for (const Step& s : d) r += str(s) + "\n";
  return r;
}

namespace {

Place parse_place(const std::string& text, const std::string& line) {
  const auto malformed = [&]() -> UserError {
    return UserError("derivation: '" + text + "' in the line '" + line +
                     "' is no place; write 'body', or child indices such as 0.1.0");
  };
  Place place;
  if (text == "body") return place;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '.');) {
    if (part.empty() || part.size() > 4 || part.find_first_not_of("0123456789") != std::string::npos)
      throw malformed();
    place.push_back(std::stoi(part));
  }
  if (place.empty() || text.back() == '.') throw malformed();
  return place;
}

}  // namespace

Derivation parse_derivation(const std::string& text) {
  Derivation d;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0][0] == '#') continue;
    if (words.size() < 3 || words[words.size() - 2] != "at")
      throw UserError("derivation: the line '" + line + "' is no step; write 'RULE PARAMETERS... at PLACE'");
    d.push_back({words[0], {words.begin() + 1, words.end() - 2}, parse_place(words.back(), line)});
  }
  return d;
}

Program replay(const Program& start, const Derivation& d) {
  Program p = start;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto fail = [&](const std::string& why) {
      return UserError("derivation: step " + std::to_string(i + 1) + ", '" + str(d[i]) +
                       "', does not apply: " + why);
    };
    const Rule& r = find_rule(d[i].rule);
    Result<Program> next = Failure{""};
    try {
      next = apply(r, p, d[i].place, d[i].parameters);
    } catch (const UserError& e) {
      throw fail(e.what());
    }
    if (!next) throw fail(next.reason());
    p = *next;
  }
  return p;
}

std::string prose(const Step& s) {
  const Rule& r = find_rule(s.rule);
  std::string all;
  for (const Argument& p : s.parameters) all += (all.empty() ? "" : " ") + p.str();
  if (r.prose.empty()) return "by " + r.name + ": " + r.maths + (all.empty() ? "" : " with " + all);
  std::string out;
  for (std::size_t i = 0; i < r.prose.size(); ++i) {
    if (r.prose[i] != '%' || i + 1 == r.prose.size()) {
      out += r.prose[i];
      continue;
    }
    const char c = r.prose[++i];
    if (c == '*')
      out += all;
    else if (const auto n = static_cast<std::size_t>(c - '1'); n < s.parameters.size())
      out += s.parameters[n].str();
  }
  return out;
}

namespace {

/// Lines that follow one another several times over, from one of them on.
struct Repeat {
  std::size_t lines = 1, times = 1;
  std::size_t saved() const { return lines * (times - 1); }
};
Repeat longest_repeat(const std::vector<std::string>& lines, std::size_t from) {
  Repeat best;
  for (std::size_t n = 1; from + 2 * n <= lines.size(); ++n) {
    Repeat r{n, 1};
    const auto block = lines.begin() + static_cast<std::ptrdiff_t>(from);
    const auto length = static_cast<std::ptrdiff_t>(n);
    while (from + (r.times + 1) * n <= lines.size() &&
           std::equal(block, block + length, block + length * static_cast<std::ptrdiff_t>(r.times)))
      ++r.times;
    if (r.saved() > best.saved()) best = r;
  }
  return best;
}

}  // namespace

std::string prose(const Derivation& d) {
  std::vector<std::string> lines;
  for (const Step& s : d) lines.push_back(prose(s));
  std::string all;
  for (std::size_t i = 0; i < lines.size();) {
    const Repeat r = longest_repeat(lines, i);
    const bool fold = r.saved() > 2;  // else two lines are easier to read
    if (fold)
      all += "- " + std::to_string(r.times) + " times" + (r.lines > 1 ? ":\n" : ": " + lines[i] + "\n");
    for (std::size_t n = 0; n < r.lines && (!fold || r.lines > 1); ++n)
      all += (fold ? "  - " : "- ") + lines[i + n] + "\n";
    i += fold ? r.lines * r.times : r.lines;
  }
  return all;
}

}  // namespace lift
