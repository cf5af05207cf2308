// Text in lines of a given width.
#include "ir/text/wrap.hpp"

#include <doctest/doctest.h>

using namespace lift;

namespace wrap_test {

TEST_CASE("text: long lines go on below, indented; short ones, words and empty lines stay as they are") {
  CHECK(fitted("one two three", 0) == "one two three");
  CHECK(fitted("one two three", 8) == "one two\n  three");
  CHECK(fitted("  - one two three four", 12) == "  - one two\n    three\n    four");
  CHECK(fitted("\nbest: a\n\nb", 8) == "\nbest: a\n\nb");
  CHECK(fitted("/a/path/without/blanks", 8) == "/a/path/without/blanks");
}

}  // namespace wrap_test
