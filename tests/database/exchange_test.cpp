// Records for others, and from others: everything in a file that is imported is looked at first.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "tests/database/sample.hpp"
#include "tuning/database/exchange.hpp"

using namespace lift;
using lift::test::sample;
using lift::test::Scratch;
using Json = nlohmann::ordered_json;

namespace exchange_test {
namespace {

std::string refusal(const std::string& json) {
  try {
    import_records(json);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

/// The export of two records, the second changed.
std::string changed(const std::function<void(Json&)>& change) {
  Json json = Json::parse(export_records({sample(1), sample(2)}));
  change(json["records"][1]);
  return json.dump();
}

void check_refused(const std::string& json, const std::string& part) {
  const std::string why = refusal(json);
  CAPTURE(why);
  CHECK(why.find(part) != std::string::npos);
  CHECK(why.find('\n') == std::string::npos);
  CHECK(why.size() < 1000);
}

}  // namespace

TEST_CASE("exchange: what is exported is imported") {
  Record r = sample(1);
  r.layout = "split 3 1", r.caller_layout = false, r.sweeps = 4, r.speedup = 0, r.roofline = 1.25, r.ms = 0.1;
  const std::vector<Record> back = import_records(export_records({r, sample(2)}));
  REQUIRE(back.size() == 2);
  CHECK(export_records(back) == export_records({r, sample(2)}));
  CHECK(back[0].program == r.program);
  CHECK(back[0].platform == r.platform);
  CHECK(back[0].derivation == r.derivation);
  CHECK(back[0].ms == r.ms);
  CHECK(import_records(export_records({})).empty());
}

TEST_CASE("exchange: what is no export is refused") {
  check_refused("", "it is no JSON");
  check_refused("{\"liftgen_database\": 1, \"records\": [", "it is no JSON");
  check_refused(std::string("\x00\xff\xfe", 3), "it is no JSON");
  check_refused(std::string(1 << 20, '['), "it is no JSON");
  for (const char* text :
       {"[]", "7", "{}", "null", "{\"liftgen_database\":1}", "{\"liftgen_database\":1,\"records\":{}}"})
    check_refused(text, "it is nothing that `liftgen db export` has written");
  for (const char* version : {"2", "\"1\"", "null", "[]"})
    check_refused("{\"liftgen_database\":" + std::string(version) + ",\"records\":[]}",
                  "it is of another version");
  const std::string whole = export_records({sample(1)});
  for (std::size_t n = 0; n + 2 < whole.size(); n += 7) CHECK_FALSE(refusal(whole.substr(0, n)).empty());
}

TEST_CASE("exchange: a record with a fault refuses the whole, naming record and field") {
  for (const Json& value : {Json(7), Json("x"), Json(nullptr), Json::array(), Json(true)})
    check_refused(changed([&](Json& r) { r = value; }), "record 2: it is no object");
  const Json good = Json::parse(export_records({sample()}))["records"][0];
  for (const auto& [name, was] : good.items()) {
    CAPTURE(name);
    check_refused(changed([&, n = name](Json& r) { r.erase(n); }), "record 2: '" + name + "' is missing");
    for (const Json& value : {Json(nullptr), Json::object(), Json::array({Json::array()})})
      check_refused(changed([&, n = name](Json& r) { r[n] = value; }), "record 2: '" + name + "'");
  }
  const auto field = [](const char* name, const Json& value, const char* part) {
    CAPTURE(name);
    check_refused(changed([&](Json& r) { r[name] = value; }), part);
  };
  field("ms", 0, "'ms' is no time");
  field("ms", -1.5, "'ms' is no time");
  field("ms", "fast", "'ms' is of another type");
  field("speedup", -1, "is no ratio");
  field("roofline", 1e300, "is no ratio");
  field("roofline", 100, "beyond what");
  field("expression", "../../etc/passwd", "'expression' is no hash");
  field("threads", 1e30, "'threads' is no whole number");
  field("threads", -3, "'threads' is no such number");
  field("sweeps", 0, "'threads' or 'sweeps'");
  field("when", 18446744073709551615ULL, "'when' is no whole number");
  field("when", std::int64_t{1} << 60, "'when' is no time");
  field("sizes", {64}, "'sizes' and their names");
  field("sizes", {64, -1}, "no length");
  field("sizes", {64, 1.5}, "'sizes' is no whole number");
  field("size_names", {"n", "a b"}, "'sizes' has a name");
  field("name", std::string(5000, 'x'), "'name' is no line");
  field("device", "two\nlines", "'device' is no line");
  field("derivation", {"map-par"}, "'derivation'");
  field("derivation", {"map-par at ../.."}, "'derivation'");
  field("derivation", {"map-par at 0.99999999999"}, "'derivation'");
  field("derivation", std::vector<std::string>(5000, "map-par at body"), "more steps than any");
  field("derivation", {std::string(1 << 20, 'x') + " at body"}, "longer than any");
  field("program", {std::string(1 << 20, 'x')}, "longer than any");
}

TEST_CASE("exchange: only files of some size are read") {
  const Scratch scratch;
  const auto path = scratch.path() / "huge.json";
  write_file_atomically(path, "x");
  CHECK(read_exchange_file(path) == "x");
  std::filesystem::resize_file(path, (std::uintmax_t{64} << 20) + 1);
  CHECK_THROWS_WITH_AS(read_exchange_file(path), doctest::Contains("it is larger than 64 MiB"), UserError);
  CHECK_THROWS_WITH_AS(read_exchange_file("/dev/zero"), doctest::Contains("it is no file"), UserError);
  CHECK_THROWS_WITH_AS(read_exchange_file(scratch.path()), doctest::Contains("it is no file"), UserError);
  CHECK_THROWS_AS(read_exchange_file(scratch.path() / "none"), UserError);
}

}  // namespace exchange_test
