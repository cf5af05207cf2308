// The fuzzer's work without libFuzzer: its corpus and the examples, and thousands of texts made from them.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>

#include "runtime/file.hpp"
#include "tests/fuzz/parse_fuzz.hpp"

using lift::test::parse_and_print;

namespace replay_test {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const char* directory : {"/examples", "/tests/fuzz/corpus"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(LIFTGEN_SOURCE_DIR) + directory))
      if (entry.path().extension() == ".lift") texts.push_back(lift::read_file(entry.path()));
  return texts;
}

/// Some characters or a stretch of another text removed, doubled or put elsewhere.
std::string mutated(std::string text, const std::string& other, std::mt19937& random) {
  const auto up_to = [&](std::size_t n) { return static_cast<std::size_t>(random() % (n + 1)); };
  for (std::size_t times = 1 + up_to(3); times > 0; --times) {
    const std::size_t at = up_to(text.size()), length = up_to(12), from = up_to(other.size());
    switch (random() % 5) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(up_to(text.size()), length));
        break;
      case 2:
        text.insert(at, other.substr(from, length));
        break;
      case 3:
        text.replace(at, length, other.substr(from, length));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random() % 96 + 32);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("fuzz: every seed is parsed") {
  REQUIRE(seeds().size() >= 5);
  for (const std::string& text : seeds()) {
    CAPTURE(text);
    CHECK(parse_and_print(text));
  }
}

TEST_CASE("fuzz: mutations of the seeds are parsed or refused") {
  const auto texts = seeds();
  std::mt19937 random(5);
  int parsed = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto& text = texts[random() % texts.size()];
    parsed += parse_and_print(mutated(text, texts[random() % texts.size()], random));
  }
  CHECK(parsed > 100);
  CHECK(parsed < 3900);
}

}  // namespace replay_test
