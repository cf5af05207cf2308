// Code as HTML, and what differs between two programs.
#include <doctest/doctest.h>

#include <string>

#include "report/changes.hpp"
#include "report/escape.hpp"
#include "report/highlight.hpp"

using namespace lift::report;

namespace text_test {
namespace {

/// HTML as a reader sees it.
std::string read_back(const std::string& html) {
  std::string out;
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (html[i] == '<')
      i = html.find('>', i);
    else if (html.compare(i, 4, "&lt;") == 0)
      out += '<', i += 3;
    else if (html.compare(i, 4, "&gt;") == 0)
      out += '>', i += 3;
    else if (html.compare(i, 5, "&amp;") == 0)
      out += '&', i += 4;
    else if (html.compare(i, 6, "&quot;") == 0)
      out += '"', i += 5;
    else if (html.compare(i, 5, "&#39;") == 0)
      out += '\'', i += 4;
    else
      out += html[i];
  }
  return out;
}

}  // namespace

TEST_CASE("highlight: every letter is kept, in whatever form the text is") {
  for (const std::string code :
       {"#pragma omp parallel for\nfor (int i = 0; i < 0x1f; ++i) a[i] = 1.5e-3f * b[i]; // x < y\n/* a\n b "
        "*/ \"q\\\"<&\" 'c'",
        "index color in 0 .. 1", "x |> map<8, late store>(\\(a, b). a[0, 1] + 2)", "\"open", "/* open",
        "\"ends in \\", "gr\u00f6\u00dfe \u00d7 2", "1.", "1e", "#", ""}) {
    CAPTURE(code);
    CHECK(read_back(highlighted(code)) == code);
    std::string joined;
    for (const Token& t : tokens_of(code)) joined += t.text;
    CHECK(joined == code);
  }
}

TEST_CASE("highlight: numbers, comments, texts, directives") {
  const std::string html = highlighted("#define N 4\nx = 1.5e-3f + 0 .. 12; /* 7 */ \"a1\"");
  for (const char* part :
       {"<span class=\"directive\">#define N 4</span>", "<span class=\"number\">1.5e-3f</span>",
        "<span class=\"number\">0</span> .. <span class=\"number\">12</span>",
        "<span class=\"comment\">/* 7 */</span>", "<span class=\"text\">&quot;a1&quot;</span>"})
    CHECK_MESSAGE(html.find(part) != std::string::npos, part);
}

TEST_CASE("escape: quotes and tags are no longer what they are in HTML, and controls are spelled out") {
  CHECK(escaped("<a href=\"x\" title='y'>&\x1b") ==
        "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;\\x1b");
  const std::string json = script_text({{"a", "</script><!--&\u00d7"}});
  CHECK(json.find_first_of("<>&") == std::string::npos);
  CHECK(nlohmann::json::parse(json)["a"] == "</script><!--&\u00d7");
}

TEST_CASE("changes: marked on both sides, and lines far away left out") {
  const Changes c = changes("a\nb\nc\nmap(f)\nd\ne\nf\ng", "a\nb\nc\nmap_par(f)\nd\ne\nf\ng");
  const std::string elided = "<span class=\"elided\">\u22ef</span>\n";
  CHECK(c.before == elided + "b\nc\n<del>map</del>(f)\nd\ne\n" + elided.substr(0, elided.size() - 1));
  CHECK(c.after == elided + "b\nc\n<ins>map_par</ins>(f)\nd\ne\n" + elided.substr(0, elided.size() - 1));
}

TEST_CASE("changes: blanks do not count, what is only put in is marked, and nothing may differ") {
  CHECK(changes("f(x)", "f(\n  x)").after == "f(\n  x)");
  const Changes put_in = changes("f(x)", "f(g(x))");
  CHECK(put_in.before.find("<del>") == std::string::npos);
  CHECK(put_in.after.find("<ins>g(</ins>") != std::string::npos);
  CHECK(changes("", "x").after == "<ins>x</ins>");
  CHECK(changes("x", "").before == "<del>x</del>");
  CHECK(changes("", "").after.empty());
  CHECK(changes("same\ntext", "same\ntext").before == "same\ntext");
}

TEST_CASE("changes: texts too long to compare word by word are one change") {
  std::string a, b;
  for (int i = 0; i < 3000; ++i) a += "a" + std::to_string(i) + " ", b += "b" + std::to_string(i) + " ";
  CHECK(changes(a, b).after.find("<ins>b0") == 0);
}

}  // namespace text_test
