// The page of a stored result: every section with its numbers, nothing of what others wrote as HTML, and a
// message for what is no result.
#include "report/page.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/section.hpp"
#include "runtime/file.hpp"
#include "tests/message.hpp"

using Json = nlohmann::ordered_json;
using lift::test::message;

namespace page_test {
namespace {

Json sample() { return Json::parse(lift::read_file(LIFTGEN_SOURCE_DIR "/tests/report/sample.json")); }
std::string page(const Json& json) { return lift::report::page(json.dump()); }
std::string refusal(const std::string& json) {
  return message([&] { lift::report::page(json); }, "accepted");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// A section's HTML; "" where there is none.
std::string section(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find("<section id=\"" + id + "\">");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("</section>", begin) - begin);
}

Json charts(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"charts\">";
  const std::size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

const std::vector<std::string> kSections = {"result",           "times-section", "roofline-section",
                                            "progress-section", "depths",        "decisions",
                                            "derivation",       "code",          "machine"};

void check_all(const std::string& text, const std::vector<std::string>& parts) {
  REQUIRE_FALSE(text.empty());
  for (const std::string& part : parts) CHECK_MESSAGE(has(text, part), part);
}

}  // namespace

TEST_CASE("page: the sections, from the result to the details") {
  const std::string html = page(sample());
  std::size_t last = 0;
  for (const std::string& id : kSections) {
    CAPTURE(id);
    const std::size_t at = html.find("<section id=\"" + id + "\">");
    REQUIRE(at != std::string::npos);
    CHECK(at > last);
    last = at;
  }
}

TEST_CASE("page: the result in one sentence") {
  CHECK(
      lift::report::sentence(lift::report::read_result(sample().dump())) ==
      "smooth3d, smoother gsrb (32 boxes of 64 cells a dimension, f64; OpenMP) takes 10.00 ms on a processor "
      "with 2 threads: "
      "1.50\u00d7 as fast as plain loops (15.00 ms), 1.20\u00d7 as fast as the best peer, graphite (12.00 "
      "ms), and at "
      "80 % of the roofline.");
}

TEST_CASE("page: slower is said to be slower, and nothing found to be nothing") {
  Json json = sample();
  json["rivals"][2]["ms"] = 8.0;
  CHECK(has(page(json), "1.25\u00d7 as slow as the best peer, graphite (8.000 ms)"));
  json["best"] = nullptr;
  const std::string html = page(json);
  CHECK(has(section(html, "result"), "no variant was verified and timed."));
  CHECK(section(html, "derivation").empty());
}

TEST_CASE("page: each section has its numbers") {
  const std::string html = page(sample());
  check_all(section(html, "result"),
            {"layout &#39;split 3 1&#39;", "takes 21.50 ms", "the best takes 12.50 ms", "41 s in all",
             "5 configurations", "4 timed", "1 did not compile"});
  check_all(section(html, "times-section"), {"<td class=\"n\">10.00</td><td class=\"n\">40</td><td "
                                             "class=\"n\">1.50\u00d7</td><td class=\"n\">80 %</td>",
                                             "<td>polly</td><td class=\"n\">wrong result</td>",
                                             "traffic twin", "in place, vec width=16", "14.00 *"});
  check_all(section(html, "roofline-section"), {"12 flops over 64 bytes a cell", "0.188 flops a byte"});
  check_all(section(html, "depths"),
            {"over 8 of 32 boxes", "one by one", "1.09\u00d7", "the budget is too short for it"});
  check_all(section(html, "decisions"),
            {"<figcaption>structure</figcaption>", "<figcaption>width</figcaption>"});
  check_all(section(html, "machine"),
            {"<dt>compiler</dt><dd>gcc 12.2.0</dd>", "2 \u00d7 32 KiB, L3 24 MiB", "16 GiB", "30.2 GB/s",
             "40.5 GB/s", "<code>liftgen smooth3d --explore --boxes 32</code>",
             "update-in-place at body\nmap-par at body"});
}

TEST_CASE("page: the derivation shows what each step changes") {
  const std::string part = section(page(sample()), "derivation");
  check_all(part,
            {"1. the result overwrites its argument <code class=\"step\">update-in-place at body</code>",
             "<ins>update(</ins>map(f<ins>)</ins>)", "2. the iterations are shared", "<del>map</del>(f)",
             "<ins>map_par</ins>(f)", "// all storage decided"});
  Json json = sample();
  json.erase("explanation");
  const std::string bare = page(json);
  CHECK(has(section(bare, "derivation"), "update-in-place at body\nmap-par at body"));
  CHECK(section(bare, "code").empty());
}

TEST_CASE("page: code is highlighted") {
  check_all(section(page(sample()), "code"),
            {"<span class=\"comment\">// generated</span>", "<span class=\"keyword\">void</span> smooth3d(",
             "<span class=\"number\">0.5</span>", "<span class=\"keyword\">parallel</span>",
             "Written to build/kernels/smooth3d.c"});
}

TEST_CASE("page: what a result does not have leaves its section out") {
  const auto without = [](const std::string& field, const std::string& id) {
    CAPTURE(field);
    Json json = sample();
    REQUIRE(json.erase(field) == 1);
    CHECK(section(page(json), id).empty());
  };
  without("depths", "depths");
  without("explanation", "code");
  without("bytes_per_cell", "roofline-section");
  Json old = sample();
  for (Json& v : old["variants"]) v.erase("explored_s"), v.erase("explored_ms");
  CHECK(section(page(old), "progress-section").empty());
  CHECK_FALSE(section(page(old), "decisions").empty());
  const Json least{{"schema", 1}, {"operator", "x"}, {"variants", Json::array()}};
  const std::string html = page(least);
  for (const std::string& id : kSections)
    CHECK_MESSAGE(section(html, id).empty() == (id != "result" && id != "machine"), id);
  CHECK(charts(html).empty());
}

TEST_CASE("page: the charts' data parse back, and each has its canvas") {
  const std::string html = page(sample());
  const Json all = charts(html);
  for (const auto& [id, chart] : all.items()) CHECK_MESSAGE(has(html, "<canvas id=\"" + id + "\""), id);
  CHECK(count(html, "<canvas id=") == all.size());
  CHECK(all["times"]["labels"].size() == 6);
  CHECK(all["times"]["ms"][0] == 10.0);
  CHECK(all["times"]["ms"][1] == 12.5);
  CHECK(all["roofline"]["intensity"] == 12.0 / 64);
  CHECK(all["roofline"]["ceilings"].size() == 2);
  const Json best = all["roofline"]["points"].back();  // flops of all cells by the best's time
  CHECK(best["of"] == "best");
  CHECK(best["gflops"].get<double>() == doctest::Approx(8388608 * 12.0 / (10.0 * 1e6)));
  CHECK(all["progress"]["tried"].size() == 4);
  // 14.0 after 2 s, 12.0 after 3 s, 10.5 after 9.5 s, and then the end
  REQUIRE(all["progress"]["best"].size() == 4);
  CHECK(all["progress"]["best"][1]["ms"] == 12.0);
  const Json& widths = all["decision-1"]["values"];
  CHECK(widths.size() == 3);
  CHECK(widths[0]["least"] == 10.5);
  CHECK(widths[0]["best"] == true);
}

TEST_CASE("page: quartiles lie between neighbours") {
  Json json = sample();
  Json one = json["variants"][0];
  json["variants"] = Json::array();
  for (const double ms : {1.0, 2.0, 3.0, 4.0, 9.0}) {
    one["explored_ms"] = ms;
    json["variants"].push_back(one);
  }
  one["structure"] = "another", one["explored_ms"] = 7.0;
  json["variants"].push_back(one);
  const Json first = charts(page(json))["decision-1"]["values"][0];
  CHECK(first["least"] == 1.0);
  CHECK(first["lower"] == 2.0);
  CHECK(first["median"] == 3.0);
  CHECK(first["upper"] == 4.0);
  CHECK(first["most"] == 9.0);
  CHECK(first["count"] == 5);
}

TEST_CASE("page: nothing that others wrote becomes HTML or a script") {
  const std::string evil =
      "\"'</script></style></title><script>alert(1)</script><img src=x onerror=alert(1)>&{{charts}}";
  Json json = sample();
  const auto poison = [&](auto&& self, Json& at) -> void {
    if (at.is_string() && at != "ok" && at != "openmp") at = evil + at.get<std::string>();
    if (at.is_structured())
      for (Json& child : at) self(self, child);
  };
  poison(poison, json);
  for (Json& v : json["variants"]) v["params"][evil] = evil;
  json["choices"][evil] = evil;
  const std::string html = page(json), good = page(sample());
  CHECK_FALSE(has(html, "<script>alert"));
  CHECK_FALSE(has(html, "<img"));
  for (const char* tag : {"<script", "</script", "</style", "</title", "<title"})
    CHECK_MESSAGE(count(html, tag) == count(good, tag), tag);
  CHECK(has(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  const Json all = charts(html);
  bool whole = false;  // in the charts it is what it was
  for (const Json& point : all["roofline"]["points"]) whole = whole || has(point["name"], evil);
  CHECK(whole);
}

TEST_CASE("page: it needs no other file and no network") {
  const std::string html = page(sample());
  for (const char* part : {" src=", " href=", "<link", "@import", "url("})
    CHECK_MESSAGE(!has(html, part), part);
  CHECK(has(html, "Chart.js v"));
  CHECK(has(html, "default-src 'none'"));
}

TEST_CASE("page: what is no result is refused in a line") {
  CHECK(has(refusal(""), "it is no JSON"));
  CHECK(has(refusal("<html>"), "it is no JSON"));
  CHECK(has(refusal(std::string(100000, '[')), "it is no JSON"));
  CHECK(has(refusal("{\"operator\": \"\xff\"}"), "it is no JSON"));
  for (const char* json : {"[]", "3", "\"text\""}) CHECK_MESSAGE(has(refusal(json), "no result"), json);
  CHECK(has(refusal("null"), "no schema 1"));
  CHECK(has(refusal("{\"schema\": 2, \"operator\": \"x\", \"variants\": []}"), "no schema 1"));
  const auto changed = [](const char* pointer, const Json& value) {
    Json json = sample();
    json[Json::json_pointer(pointer)] = value;
    return refusal(json.dump());
  };
  CHECK(has(changed("/best/ms", "fast"), "'best.ms' is string where a number belongs"));
  CHECK(has(changed("/variants", Json::object()), "'variants' is object where a list belongs"));
  CHECK(has(changed("/variants/1", 3), "'variants[1]"));
  CHECK(has(changed("/variants/1/params/width", Json::array()), "'variants[1].params.width' is array"));
  CHECK(
      has(changed("/explanation/steps/0", "x"), "'explanation.steps[0]' is string where an object belongs"));
  CHECK(has(changed("/machine/caches", true), "'machine.caches' is boolean where a list belongs"));
  CHECK(has(changed("/cells", 1e300), "of common size"));
  CHECK(has(changed("/best/ms", 1e-300), "of common size"));
  CHECK(changed("/sweeps", -1e20) == "accepted");
  CHECK(changed("/best/ms", -1) == "accepted");
  CHECK(changed("/best/ms", nullptr) == "accepted");
  const std::string deep = "{\"schema\": 1, \"operator\": \"x\", \"variants\": " + std::string(200000, '[') +
                           std::string(200000, ']') + "}";
  CHECK(has(refusal(deep), "where an object belongs"));
}

}  // namespace page_test
